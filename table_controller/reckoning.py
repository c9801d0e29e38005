"""How each amount of a round came about, in words: the settlement, the void, the awards.

Pure. Told are the recorded results; hands and odds are worked out only to say why, and where they do
not come to the recorded amount, the sentence says that too (HOUSE_RULES.md, Order of settlement).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from table_controller.engine.cards import Card, parse_card
from table_controller.engine.hands import Category, best_of_six, category, hand_name, qualifies, strength
from table_controller.engine.house_rules import HouseRules, with_parameters
from table_controller.engine.money import money_text
from table_controller.engine.progressive import Award
from table_controller.engine.settlement import in_settle_order
from table_controller.table.deal import cards_at, hand_at, in_deck, upcard_now
from table_controller.table.messages import SeatResult
from table_controller.table.state import DEALER, Seat, TableState, Waiting

DIFFERS: Final = "THE RECORD DIFFERS"


def settlement_lines(rules: HouseRules, state: TableState, results: tuple[SeatResult, ...]) -> Iterator[str]:
    """The settlement seat by seat in the order of the house, with the arithmetic in words.

    `state` is the table as it stood before REVEAL (HOUSE_RULES.md, Order of settlement).
    """
    dealer = cards_at(state, DEALER)
    value = strength(dealer) if dealer is not None else 0
    texts = " ".join(hand_at(state, DEALER) or ())
    if value:
        verdict = "qualifies" if qualifies(value) else "does not qualify"
        yield f"dealer {texts}: {hand_name(value)}, {verdict}"
    else:
        yield "dealer: no hand is known, and none decides money"
    by_seat = {one.seat: one for one in results}
    for number in in_settle_order(rules, by_seat):
        yield _seat_line(rules, state, number, by_seat[number], value)


def _seat_line(rules: HouseRules, state: TableState, number: int, result: SeatResult, dealer: int) -> str:
    seat = state.seat(number)
    cards = cards_at(state, str(number)) if seat.ante_cents else None
    own = strength(cards) if cards is not None else 0
    texts = " ".join(hand_at(state, str(number)) or ()) if own else ""
    head, raise_why, ante_why = f"seat {number} {texts}".strip(), "", ""
    if not seat.ante_cents:
        head += ": no bet at LOCK"
    elif seat.dead is not None:
        head += f": dead by {seat.dead}"
    elif seat.folded:
        head += f": folded{f' with {hand_name(own)}' if own else ''}"
    elif own:
        head += f": {hand_name(own)}{_against(rules, own, dealer)}"
        plays = qualifies(dealer)
        ante_why = _odds(rules, seat.ante_cents, 1 if plays else rules.nonqualify_odds, result.ante)
        kind = category(own)
        raise_why = _odds(rules, seat.raise_cents, rules.raise_odds(kind), result.raise_, _kind(kind))
    spoken = [
        stake_words("ante", seat.ante_cents, result.ante, ante_why),
        stake_words("raise", seat.raise_cents, result.raise_, raise_why),
        stake_words(
            "bonus", seat.bonus_cents, result.bonus, _bonus_why(rules, state, seat, cards, result.bonus)
        ),
        stake_words("coin", rules.coin_value_cents, result.coin, _coin_why(rules, seat, own, result.coin)),
    ]
    return f"{head}: " + ", ".join(words for words in spoken if words)


def _against(rules: HouseRules, own: int, dealer: int) -> str:
    if own > dealer:
        relation = " beats the dealer"
    else:
        relation = " equals the dealer" if own == dealer else " is below the dealer"
    if qualifies(dealer):
        return relation
    # Who is higher matters only to a house that pays the ante for beating a hand that does not qualify.
    return f"{'' if rules.nonqualify_ante == 'pay_all' else relation}, the dealer does not qualify"


def _kind(kind: Category) -> str:
    return kind.label.replace("_", " ")


def _cents(text: str) -> int:
    """The amount of a result in table words, in cents."""
    return int(text.partition(" ")[2].replace(".", "") or 0)


def _odds(rules: HouseRules, stake_cents: int, odds: int, text: str, hand: str = "") -> str:
    """Why a bet wins that much; loud where stake times odds is not what was recorded."""
    if not text.startswith("win "):
        return ""
    words = f"{odds} to 1" + (f", {hand}" if hand else "")
    due_cents = stake_cents * odds
    if due_cents == _cents(text):
        return f" ({words})"
    if hand and rules.aggregate_limit_cents and _cents(text) < due_cents:
        limit = money_text(rules.aggregate_limit_cents)
        return f" ({words}, is {money_text(due_cents)}, cut by the limit of {limit} a {rules.limit_scope})"
    return f" ({words}, is {money_text(due_cents)}: {DIFFERS})"


def stake_words(name: str, stake_cents: int, text: str, why: str = "") -> str:
    """What became of one stake, told from its result in table words; empty where nothing lay."""
    kind, _, amount = text.partition(" ")
    if kind == "win":
        return f"{name} {money_text(stake_cents)} wins {amount}{why}"
    if kind == "waits":
        return f"{name} {money_text(stake_cents)} waits for a decision{why}"
    words = {"lose": "is lost", "push": "pushes", "refund": "goes back"}
    return f"{name} {amount} {words[kind]}{why}" if kind in words else ""


def _bonus_why(
    rules: HouseRules, state: TableState, seat: Seat, cards: tuple[Card, ...] | None, text: str
) -> str:
    up = upcard_now(rules, state)
    if not text.startswith(("win", "lose")) or not seat.live:
        return ""
    if seat.folded and not rules.fold_keeps_bonus:
        return " (folded)"
    if cards is None or not in_deck(up):
        return ""
    best = best_of_six((*cards, parse_card(up)))
    odds = rules.bonus_odds(category(best))
    words = f"{hand_name(best)} with the up card {up}"
    if text.startswith("lose"):
        return f" ({words})" if not odds else f" ({words} is {odds} to 1: {DIFFERS})"
    return _odds(rules, seat.bonus_cents, odds, text).removesuffix(")") + f", {words})"


def _coin_why(rules: HouseRules, seat: Seat, own: int, text: str) -> str:
    if text.startswith("lose") and seat.folded and not rules.fold_keeps_coin:
        return " (folded)"
    if not own or not seat.live or not text.startswith(("win", "lose", "waits")):
        return ""
    prize = rules.prize(category(own))
    return f" ({_kind(category(own))}{': no award' if prize is None else ''})"


def void_lines(rules: HouseRules, state: TableState, results: tuple[SeatResult, ...]) -> Iterator[str]:
    """What becomes of every stake of a void round; a coin in action has its hand (DETAILS.md, Money)."""
    by_seat = {one.seat: one for one in results}
    for number in in_settle_order(rules, by_seat):
        seat, result = state.seat(number), by_seat[number]
        head = f"seat {number}"
        cards = cards_at(state, str(number)) if seat.live else None
        own = strength(cards) if cards is not None else 0
        why = _coin_why(rules, seat, own, result.coin)
        if why:
            head += f" {' '.join(hand_at(state, str(number)) or ())}: {hand_name(own)}"
        elif seat.dead is not None:
            head += f": dead by {seat.dead}"
        spoken = [
            stake_words("ante", seat.ante_cents, result.ante),
            stake_words("raise", seat.raise_cents, result.raise_),
            stake_words("bonus", seat.bonus_cents, result.bonus),
            stake_words("coin", rules.coin_value_cents, result.coin, why),
        ]
        yield f"{head}: {', '.join(words for words in spoken if words) or 'nothing lay'}"


# ------------------------------------------------------------------------------------- awards


def award_rows(
    rules: HouseRules,
    state: TableState,
    awards: Iterable[Waiting],
    recorded: Mapping[tuple[int, str], int],
    decided: Mapping[tuple[int, str], str],
) -> Iterator[tuple[str, ...]]:
    """One row an award, in the order of payment: what it is of, what the meter and the house pay.

    `rules` and `state` are those under which they were computed, `recorded` the amounts in cents and
    `decided` the decisions that the journal has (DETAILS.md, Money).
    """
    before = state.before_awards
    running_cents = before.meter.cents if before is not None else 0
    rise_cents = before.meter.reserve_rise_cents if before is not None else 0
    reset_cents = with_parameters(rules, before.pending if before is not None else {}).reset_cents
    locked = rules.percent_base == "meter_at_lock"
    for own, group in groupby((one.award for one in awards), key=lambda award: award.kind == "own"):
        together = list(group)
        base_cents = state.at_lock_cents if locked else running_cents
        for award in together:
            base_cents = base_cents if locked or not own else running_cents
            key = (award.seat, award.category_label)
            cents = recorded.get(key, 0)
            hand = ("share of a " if award.kind == "share" else "") + award.category_label.replace("_", " ")
            how = _how(rules, award, base_cents, len(together), cents)
            paid = (cents, award.take_cents, cents - award.take_cents)
            amount, take, house = map(money_text, paid)
            yield str(award.seat), hand, amount, how, take, house, decided.get(key, "not decided")
            running_cents -= award.take_cents
        if not own:
            running_cents += reset_cents + rise_cents


def _how(rules: HouseRules, award: Award, base_cents: int, sharers: int, cents: int) -> str:
    prize = rules.prize(Category[award.category_label.upper()])
    if prize is None:
        return DIFFERS
    words = f"{prize.text} of {money_text(base_cents)}" if prize.ppm else "fixed prize"
    due_cents = prize.of(base_cents)
    if award.kind == "own":
        return words if cents == due_cents else f"{words}, is {money_text(due_cents)}: {DIFFERS}"
    if sharers > 1:
        words += f", shared by {sharers}"
    least = award.kind == "royal" and rules.royal_minimum_cents == cents > due_cents // sharers
    return words + (", raised to royal_minimum" if least else "")
