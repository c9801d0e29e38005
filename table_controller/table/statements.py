"""What the dealer says about the cards: counts, hands, moves, discards, the up card, seen cards.

A statement is checked as far as the shoe's order allows and never settles anything by itself. A
refusal that depends on a card has one wording, whatever the reason, so that it tells nothing of
faces that lie down.
"""

from __future__ import annotations

from table_controller.table import deck
from table_controller.table.deal import (
    active_places,
    by_order,
    cards_unaccounted,
    find,
    target,
    upcard_by_order,
    upcard_now,
)
from table_controller.table.messages import (
    Claim,
    CountStub,
    CountTokens,
    DiscardCard,
    Fold,
    MoveCard,
    SeatFolded,
    StateCount,
    StateExposed,
    StateHand,
    StateUpcard,
)
from table_controller.table.state import (
    CARDS_IN_A_HAND,
    CARDS_IN_THE_DECK,
    DEALER,
    PHASES_IN_PLAY,
    RACK,
    CardOut,
)
from table_controller.table.turn import Refused, Turn

ONE_WORDING = "that cannot be said of this card now"
"""Every refusal that depends on a card reads alike, so that none tells which cards are out."""


def _known_card(turn: Turn, text: str) -> CardOut:
    card = find(turn.state, text.upper())
    if card is None:
        raise Refused(ONE_WORDING)
    return card


def _in_play(turn: Turn) -> None:
    if turn.state.phase not in PHASES_IN_PLAY:
        raise Refused("this can be said only between LOCK and the settlement")


def _place(turn: Turn, text: str, rack: bool = False) -> str:
    place = text.upper()
    seats = [str(number) for number, _ in turn.state.numbered()]
    if place not in [*seats, DEALER, *([RACK] if rack else [])]:
        allowed = f"1 to {len(seats)}, D" + (", X" if rack else "")
        raise Refused(f"'{text}' is no place, places are {allowed}")
    return place


def _is_dead(turn: Turn, place: str) -> bool:
    return place != DEALER and turn.state.seat(int(place)).dead is not None


def _doubt(turn: Turn) -> None:
    turn.state.doubt = True
    turn.alarm("order_in_doubt")


def fold(turn: Turn, command: Fold) -> None:
    """The seat folds; final, chips after it are late (DETAILS.md, Keys and phases)."""
    state = turn.state
    if state.phase != "deciding":
        raise Refused("a seat folds only while seats decide")
    if state.held:
        raise Refused("the table is held")
    if not 1 <= command.seat <= len(state.seats):
        raise Refused(f"seat {command.seat} does not exist, seats are 1 to {len(state.seats)}")
    seat = state.seat(command.seat)
    if not seat.live:
        raise Refused(f"seat {command.seat} has no live hand")
    if seat.folded:
        raise Refused(f"seat {command.seat} has folded")
    if seat.raise_.laid:
        raise Refused(f"a raise lies at seat {command.seat}")
    seat.folded = True
    turn.tell(SeatFolded(command.seat, "dealer"))


def state_count(turn: Turn, command: StateCount) -> None:
    """`place` should hold five cards and holds N (DETAILS.md, Alarms, `count`)."""
    _in_play(turn)
    state = turn.state
    place = _place(turn, command.place)
    cards = command.cards
    if not 0 <= cards <= CARDS_IN_THE_DECK:
        raise Refused(f"{cards} is no number of cards, allowed are 0 to {CARDS_IN_THE_DECK}")
    active = place in active_places(state)
    right = CARDS_IN_A_HAND if active else 0
    if cards == right:
        if target(state, place) != right:
            raise Refused("another count stands for that place: take it back or account for the card")
        if place == DEALER and state.dealer_short_after == len(state.cards):
            raise Refused("the dealer's four stand: take it back or deal his fifth")
        return
    if active and cards == target(state, place):
        return
    if place == DEALER:
        _dealer_count(turn, cards)
    else:
        state.counts[place] = cards
        reason = "player_miscount" if active else "extra_hand"
        turn.alarm(reason, place)
        if not _is_dead(turn, place):
            turn.place_hold(reason, place)
    # In packets the dealer's packet is the last: a wrong count in it moves nobody else's cards.
    if not (place == DEALER and turn.rules.deal_order == "packets"):
        _doubt(turn)


def _dealer_count(turn: Turn, cards: int) -> None:
    state = turn.state
    if cards == CARDS_IN_A_HAND - 1 and turn.rules.dealer_short == "complete":
        state.counts.pop(DEALER, None)
        state.dealer_short_after = len(state.cards)
    else:
        state.counts[DEALER] = cards
        state.dealer_short_after = None
    turn.alarm_and_hold("dealer_short" if cards == CARDS_IN_A_HAND - 1 else "dealer_long", DEALER)


def state_hand(turn: Turn, command: StateHand) -> None:
    """The hand at a place after CLOSE (plays' README, When the order of the cards is in doubt)."""
    state = turn.state
    if state.phase != "revealing":
        raise Refused("hands are stated after CLOSE and before the settlement")
    place = _place(turn, command.place)
    if place != DEALER and not state.seat(int(place)).live:
        raise Refused(f"seat {place} has no live hand")
    if target(state, place) != CARDS_IN_A_HAND:
        raise Refused(f"{place} does not hold five cards: that must be decided first")
    texts = [text.upper() for text in command.cards]
    if len(texts) != CARDS_IN_A_HAND or len(set(texts)) != CARDS_IN_A_HAND:
        raise Refused(f"a hand has {CARDS_IN_A_HAND} different cards, not {' '.join(command.cards)}")
    for text in texts:
        card = find(state, text)
        if card is None:
            raise Refused(f"{text} never left the shoe")
        if not card.on_felt:
            raise Refused(f"{text} lies in the rack")
        for other, hand in state.hands.items():
            if other != place and text in hand:
                raise Refused(f"{text} is in the hand stated for {other}")
    if state.upcard and (state.upcard in texts) != (place == DEALER):
        raise Refused(f"the up card {state.upcard} is the dealer's")
    if not state.doubt and set(texts) != {card.card for card in by_order(state, place)}:
        turn.alarm("misplaced_card")
        _doubt(turn)
    state.hands[place] = texts


def move_card(turn: Turn, command: MoveCard) -> None:
    """A card was laid at `place` (DETAILS.md, Alarms, `move`)."""
    _in_play(turn)
    state = turn.state
    card = _known_card(turn, command.card)
    place = _place(turn, command.place, rack=True)
    if not card.on_felt:
        raise Refused(ONE_WORDING)
    if card.fate == "extra":
        _lay_extra(turn, card, place)
        return
    if place == RACK:
        raise Refused(ONE_WORDING)
    if place == card.place and not state.doubt:
        raise Refused(ONE_WORDING)
    further = card is not state.cards[-1]
    turn.alarm("misplaced_card")
    if further:
        _doubt(turn)
    if further or turn.rules.misplaced_card == "void_round":
        turn.place_hold("misplaced_card")


def _lay_extra(turn: Turn, card: CardOut, place: str) -> None:
    """An extra card lies at one place: nobody else's cards are in doubt."""
    if place == RACK:
        card.fate = "discarded"
        card.laid = ""
        return
    if place == card.laid:
        raise Refused(ONE_WORDING)
    card.laid = place
    if place == DEALER:
        turn.alarm_and_hold("dealer_long", place)
        # It makes no difference whether a card was seen before or after its place was told.
        if card.card in turn.state.exposed and turn.state.phase != "revealing":
            turn.alarm_and_hold("hole_exposed")
        return
    reason = "player_miscount" if place in active_places(turn.state) else "extra_hand"
    turn.alarm(reason, place)
    if not _is_dead(turn, place):
        turn.place_hold(reason, place)


def discard_card(turn: Turn, command: DiscardCard) -> None:
    """A card goes to the rack: one that is nobody's, or one of a place with one too many."""
    state = turn.state
    card = _known_card(turn, command.card)
    if not card.on_felt:
        return
    state.hands = {place: hand for place, hand in state.hands.items() if card.card not in hand}
    six = [place for place in _places(turn) if target(state, place) > _right(turn, place)]
    home = card.laid or card.place
    if not home and card.fate == "extra" and (not six or cards_unaccounted(state)):
        card.fate = "discarded"
        return
    if not six or (home and home not in six and not state.doubt):
        raise Refused(ONE_WORDING)
    place = home if home in six else six[0]
    if place in state.counts:
        state.counts[place] -= 1
        if state.counts[place] == _right(turn, place) == CARDS_IN_A_HAND:
            del state.counts[place]
        card.place = ""
    elif card.laid:
        card.laid = ""
    card.fate = "discarded"


def _places(turn: Turn) -> list[str]:
    return [*(str(number) for number, _ in turn.state.numbered()), DEALER]


def _right(turn: Turn, place: str) -> int:
    return CARDS_IN_A_HAND if place in active_places(turn.state) else 0


def state_upcard(turn: Turn, command: StateUpcard) -> None:
    """The dealer's card that was turned up (HOUSE_RULES.md, The deal, `upcard`)."""
    _in_play(turn)
    state = turn.state
    card = _known_card(turn, command.card)
    declared = turn.rules.upcard == "declared"
    if not card.on_felt:
        raise Refused(ONE_WORDING)
    if state.upcard and state.upcard != card.card:
        raise Refused("another up card was stated: take it back first")
    if not state.doubt:
        by_rule = card.place == DEALER if declared else card.card == upcard_by_order(turn.rules, state)
        if not by_rule:
            raise Refused(ONE_WORDING)
    for place, hand in state.hands.items():
        if (card.card in hand) != (place == DEALER):
            raise Refused(f"the hand stated for {place} says otherwise")
    state.upcard = card.card


def state_exposed(turn: Turn, command: StateExposed) -> None:
    """A card was seen that should not have been (DETAILS.md, Alarms, `exposed`)."""
    _in_play(turn)
    state = turn.state
    card = _known_card(turn, command.card)
    state.exposed.append(card.card)
    home = card.laid or card.place
    if state.phase == "revealing" or not card.on_felt or not home:
        return
    if home == DEALER:
        if card.card not in (upcard_now(turn.rules, state), upcard_by_order(turn.rules, state, doubt=True)):
            turn.alarm_and_hold("hole_exposed")
        return
    turn.alarm("card_exposed", home)
    if state.phase != "dealing":
        return
    turn.place_hold("card_exposed", home)
    if turn.rules.card_exposed_in_deal == "burn_and_replace" and card is state.cards[-1]:
        card.fate = "burned"
        card.place = ""


def count_tokens(turn: Turn, command: CountTokens) -> None:
    """Tokens in the chute before the first card (HOUSE_RULES.md, The deal, `token_count`)."""
    state = turn.state
    begun = any(card.fate == "due" for card in state.cards) and state.hold("token_count") is None
    if state.phase != "dealing" or begun:
        raise Refused("tokens are counted between LOCK and the first card")
    if command.tokens < 0:
        raise Refused(f"{command.tokens} is no number of tokens")
    if turn.rules.token_count == "off":
        return
    # The token of a hand that died by conduct is lost and lies in the chute all the same.
    if command.tokens != sum(seat.coin in ("bet", "lost") for seat in state.seats):
        turn.alarm_and_hold("token_count")
    elif state.hold("token_count") is None:
        state.tokens_counted = True


def count_stub(turn: Turn, command: CountStub) -> None:
    """Cards in the rest of the deck: 52 less all cards that left the shoe (DETAILS.md, Money)."""
    state = turn.state
    if command.cards < 0:
        raise Refused(f"{command.cards} is no number of cards")
    if command.cards == CARDS_IN_THE_DECK - len(state.cards):
        state.deck_short = False
        state.deck_counted = True
        state.stub_due = False
        state.rounds_since_count = 0
        deck.counted(turn)
        turn.end_hold("deck_short")
        return
    state.deck_short = True
    state.deck_counted = False
    turn.alarm("deck_short")
    deck.find_out(turn, "deck_short")
    waiting = state.hold("jackpot_hold") or state.hold("jackpot_hand_in_void_round")
    if state.phase not in PHASES_IN_PLAY and waiting is None:
        turn.place_hold("deck_short")


def claim(turn: Turn, command: Claim) -> None:
    """A player says that a coin was dropped; recorded (HOUSE_RULES.md, `light_off_claim`)."""
    if not 1 <= command.seat <= len(turn.state.seats):
        raise Refused(f"seat {command.seat} does not exist, seats are 1 to {len(turn.state.seats)}")
    turn.alarm("claim", str(command.seat))
