"""What the table shows, in a person's words: holds, commands, facts, results, the next step (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

STALE_MS: Final = 3_000
OFFLINE_MS: Final = 10_000
WIDTH_MIN: Final = 80
HEIGHT_MIN: Final = 24

# --------------------------------------------------------------------------------------- words

HOLDS: Final[Mapping[str, str]] = {
    "dealer_short": "dealer has four cards",
    "dealer_long": "dealer has a wrong number of cards",
    "hole_exposed": "a hole card was seen",
    "card_exposed": "a player's card turned up in the deal",
    "boxed_card": "a card lay face up in the shoe",
    "misplaced_card": "a card was laid at the wrong place",
    "duplicate_card": "a card came twice, the deck is bad",
    "foreign_card": "a card of another deck came",
    "unreadable_card": "a card could not be read",
    "frame_lost": "the shoe lost a card's message",
    "player_miscount": "a player has a wrong number of cards",
    "extra_hand": "cards lie at a seat without an ante",
    "token_count": "the tokens counted differ from the bets",
    "shoe_lost": "the shoe does not answer",
    "restarted_mid_round": "the table was restarted inside a round",
    "jackpot_hold": "a jackpot award",
    "jackpot_hand_in_void_round": "a jackpot award in a void round",
    "deck_short": "the rest of the deck was miscounted",
}
# Holds that somebody else than a supervisor alone may end, as far as the house lets him.
ENDED_BY: Final[Mapping[str, str]] = {
    "rescan": "the dealer or a supervisor", "count": "the dealer or a supervisor", "people": "two people",
}  # fmt: skip
COMMANDS: Final[Mapping[str, str]] = {
    "SetAmount": "an amount", "AddAmount": "an added amount", "RepeatAmounts": "bets as before",
    "DoubleAmounts": "bets doubled", "UndoAmount": "undo", "ClearAmounts": "amounts wiped",
    "PressKey": "a key", "Fold": "a fold", "StateCount": "a count of cards", "StateHand": "a hand",
    "MoveCard": "a card moved", "DiscardCard": "a card to the rack", "StateUpcard": "the up card",
    "StateExposed": "a card that was seen", "RescanCard": "a rescan", "CountTokens": "a count of tokens",
    "CountStub": "a count of the rest of the deck", "ReturnCoin": "a coin given back", "Claim": "a claim",
    "VoidRound": "void", "DeadHand": "a dead hand", "Withdraw": "taking it back",
    "KillHand": "an extra hand killed", "Resume": "resume", "FoldShort": "a short raise folded",
    "ReturnExcess": "the excess of a raise", "NewDeck": "new deck", "UseDeck": "the other deck",
    "LogOn": "log on", "LogOff": "log off", "ClearAlarm": "clearing an alarm",
    "ConfirmAward": "confirming an award", "RejectAward": "rejecting an award",
    "SetParameter": "changing a parameter",
}  # fmt: skip
LAMPS: Final[Mapping[str, str]] = {"on": "(O) lit", "off": "( ) dark", "blink": "(*) blink"}
GIVE_BACK: Final = "give back"
NO_ANTE: Final = "no ante"
NO_LIGHT: Final = "no light"
NOT_KEYED: Final = "not keyed"
WARNINGS: Final = (GIVE_BACK, NO_ANTE, NO_LIGHT, NOT_KEYED)
VERBS: Final[Mapping[str, str]] = {"win": "wins", "lose": "loses", "push": "push", "refund": "refund"}
FACTS: Final[Mapping[str, str]] = {
    "RoundOpened": "bets are open, round {round}",
    "KeyTaken": "key {KEY}",
    "KeyRefused": "key {KEY} refused: {reason}",
    "CommandRefused": "{command} refused: {reason}",
    "AlarmRaised": "ALARM {alarm}{place}",
    "Noticed": "noted: {notice}{place}",
    "HoldPlaced": "HOLD: {hold}",
    "HoldEnded": "hold ended: {hold}",
    "CoinAccepted": "coin in the slot of seat {seat}",
    "CoinReturned": "give the coin of seat {seat} back: {why}",
    "BetsLocked": "NO MORE BETS",
    "PhaseEntered": "phase {phase}",
    "Stated": "stated: {statement}",
    "Withdrawn": "taken back: {statement}",
    "SeatFolded": "seat {seat} folds (by {by})",
    "HandDead": "the hand of seat {seat} is dead ({cause})",
    "HandKilled": "the extra hand at seat {seat} is thrown away",
    "MeterChanged": "meter {before_cents} -> {after_cents} ({why})",
    "RoundSettled": "round {round} is settled",
    "RoundVoided": "round {round} is VOID",
    "AwardHeld": "AWARD seat {seat}: {hand} {cents} waits",
    "AwardSeconded": "award at seat {seat}: {operator} says {decision}, a second person is needed",
    "AwardPaid": "AWARD seat {seat}: {hand} pays {cents}",
    "AwardRejected": "award at seat {seat} is rejected: {hand} {cents}",
    "DeckChanged": "another deck is in use: {deck}",
    "DeckFinding": "look at {deck}: {finding} {card}",
    "DealerChanged": "dealer: {before} -> {after}",
    "AlarmCleared": "alarm {alarm}{place} seen to by {operator}",
    "ParameterChanged": "{option}: {before} -> {after}, approval {approval}",
    "RoundCleared": "round {round} is cleared",
}
# Facts that say again what the view or the next fact says: by type, and for some by what they say.
UNSAID: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "Stated": ("statement", frozenset({"SetAmount", "AddAmount", "Fold"})),
    "MeterChanged": ("why", frozenset({"contribution"})),
    "KeyTaken": ("key", frozenset({"open", "lock", "clear"})),
}
UNSAID_TYPES: Final = frozenset({"CardDealt", "PhaseEntered"})


def money(cents: int) -> str:
    """Whole cents as people write them: `1,234.50`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def result_words(result: str) -> str:
    """A result in table words as it is said aloud: `win 20.00` is `wins 20.00`; `none` is nothing."""
    verb, _, amount = result.partition(" ")
    return "" if verb == "none" else f"{VERBS.get(verb, verb)} {amount}".strip()


def hold_words(hold: str) -> str:
    """Why the table may not go on (DETAILS.md, Holds)."""
    return HOLDS.get(hold, hold.replace("_", " "))


def place_words(place: str) -> str:
    """` at seat 3`, ` at the dealer`, ` at the ante of seat 1`, or nothing when it is about the table."""
    spot, _, seat = place.rpartition(" ")
    named = {"D": "the dealer", "X": "the rack"}.get(place, f"seat {seat}")
    return f" at {f'the {spot} of ' if spot else ''}{named}" if place else ""


def fact_words(fact: Mapping[str, Any]) -> str:
    """A fact in one line; one that this view does not know is shown by its name and fields."""
    said = {key: str(value).replace("_", " ") for key, value in fact.items()}
    for key, value in fact.items():
        if key.endswith("cents") and isinstance(value, int):
            said[key] = money(value)
    said["place"] = place_words(str(fact.get("place", "")))
    said["hold"] = hold_words(str(fact.get("hold", "")))
    for key in said.keys() & {"round", "operator", "reason", "approval", "deck", "before", "after"}:
        said[key] = str(fact[key]) or "-"
    for key in said.keys() & {"command", "statement"}:
        said[key] = COMMANDS.get(fact[key], said[key])
    if "key" in said:
        said["KEY"] = said["key"].upper()
    known = FACTS.get(str(fact.get("type", "")))
    if known is not None:
        try:
            return known.format_map(said).rstrip()
        except KeyError:
            pass
    fields = ", ".join(f"{key} {value}" for key, value in fact.items() if key != "type")
    return f"{fact.get('type', 'fact without a name')} {fields}".strip()


def worth_saying(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The facts in words, without those that the rest of the view shows anyway."""
    said = []
    for fact in facts:
        key, unsaid = UNSAID.get(str(fact.get("type")), ("", frozenset()))
        if fact.get("type") not in UNSAID_TYPES and fact.get(key) not in unsaid:
            said.append(fact_words(fact))
    return said


def card_words(cards: Sequence[str | None]) -> str:
    """Cards as far as they lie face up; a hidden one is its back, `##`."""
    return " ".join(card or "##" for card in cards)


def is_over(state: Mapping[str, Any]) -> bool:
    """Whether what is known of the felt is of a round that has been cleared."""
    return bool(state["phase"] == "idle" and state["round"])


def stake_words(spot: Mapping[str, Any]) -> str:
    """What lies on a spot: an amount, or that none was keyed."""
    if spot["cents"]:
        return money(spot["cents"])
    return NOT_KEYED if spot["chips"] else ""


def standing(seat: Mapping[str, Any]) -> str:
    """Whether a hand is out of the play."""
    return "DEAD" if seat["dead"] else "FOLDED" if seat["folded"] else ""


def coin_words(state: Mapping[str, Any], seat: Mapping[str, Any]) -> str:
    """The lamp of a seat; before LOCK also why a coin in the slot is no bet yet."""
    if seat["coin"] == "returned":
        return GIVE_BACK
    if state["phase"] == "betting" and seat["coin"] == "bet" and seat["lamp"] == "off":
        return NO_LIGHT if seat["ante"]["cents"] else NO_ANTE
    return LAMPS.get(seat["lamp"], str(seat["lamp"]))


def _hold_notice(state: Mapping[str, Any], hold: str) -> str:
    ends = state["hold_ends"][hold]
    who = next((who for word, who in ENDED_BY.items() if word in ends), "a supervisor")
    # Where several holds stand, the room is for what each of them is.
    waiting = f" - waiting for {who}" if len(state["holds"]) == 1 else ""
    return f"HOLD: {hold_words(hold)}{waiting}; what ends it is {ends}"


def notices(state: Mapping[str, Any]) -> list[str]:
    """What the dealer must know before he presses the next key, the most pressing first."""
    lines = [_hold_notice(state, hold) for hold in state["holds"]]
    if not state["shoe"] and "shoe_lost" not in state["holds"]:
        lines.append("THE SHOE DOES NOT ANSWER: plug it in")
    if state["deck_due"]:
        lines.append("A NEW DECK IS DUE (supervisor: new deck)")
    if state["stub_due"]:
        lines.append("COUNT THE REST OF THE DECK before CLEAR")
    return lines


def next_step(state: Mapping[str, Any]) -> str:
    """What the dealer does next (DETAILS.md, Keys and phases); in a hold its end is told apart."""
    if "jackpot_hold" in state["holds"]:
        return "check hand, lamp and the rest of the deck before anybody confirms"
    if state["holds"]:
        return ""
    match state["phase"]:
        case "idle":
            return "press OPEN"
        case "betting":
            laid = any(seat["ante"]["chips"] or seat["ante"]["cents"] for seat in state["seats"])
            return "key the bets, then press LOCK" if laid else "wait for an ante"
        case "dealing":
            return "deal"
        case "deciding":
            undecided = [
                str(seat["seat"])
                for seat in state["seats"]
                if seat["ante"]["cents"] and not (standing(seat) or seat["raise"]["chips"])
            ]
            still = f" (still to decide: {', '.join(undecided)})" if undecided else ""
            return f"press CLOSE when all have decided{still}"
        case "revealing":
            return "turn the dealer's cards and press REVEAL"
        case "settled" | "void":
            return "pay and collect, then CLEAR"
    return ""


def to_move(results: Mapping[str, str]) -> tuple[int, int]:
    """What the dealer pays to a seat and what he takes from it, in cents (HOUSE_RULES.md, Words).

    A stake that stays with the player does not move, and a lost token lies in the chute already; a
    token that goes back is paid out.
    """
    pays = takes = 0
    for spot, result in results.items():
        verb, _, amount = result.partition(" ")
        cents = int(amount.replace(".", "")) if amount else 0
        if verb == "win" or (spot == "coin" and verb == "refund"):
            pays += cents
        elif verb == "lose" and spot != "coin":
            takes += cents
    return pays, takes


def dealer_words(state: Mapping[str, Any]) -> str:
    """The dealer's cards; after REVEAL also what they make."""
    dealer = state["dealer"]
    said = card_words(dealer["cards"])
    if dealer["hand"]:
        said += f"   {dealer['hand']}"
    if dealer["qualifies"] is not None:
        said += " - qualifies" if dealer["qualifies"] else " - DOES NOT QUALIFY"
    return said


def awards_words(state: Mapping[str, Any]) -> list[str]:
    """The awards of the round, those that wait for people first."""
    return [
        f"seat {award['seat']} {'share of a ' if award.get('kind') == 'share' else ''}"
        f"{award['hand'].replace('_', ' ')} {money(award['cents'])} {award['status']}"
        for award in sorted(state["awards"], key=lambda award: str(award["status"]) != "waits")
    ]


def alarms_words(state: Mapping[str, Any]) -> str:
    """The alarms of the round with their places."""
    return "; ".join(
        alarm["alarm"].replace("_", " ") + place_words(alarm["place"]) for alarm in state["alarms"]
    )


def meter_words(state: Mapping[str, Any]) -> str:
    """The meter as a row."""
    meter = state["meter"]
    if meter is None:
        return ""
    parts = [money(meter["cents"])]
    for key, name in (
        ("reserve", "reserve"),
        ("overflow", "overflow"),
        ("house_added", "added by the house"),
    ):
        if meter[f"{key}_cents"]:
            parts.append(f"{name} {money(meter[f'{key}_cents'])}")
    return "   ".join(parts)


# -------------------------------------------------------------------------------- for a log file


def describe(state: Mapping[str, Any]) -> dict[str, str]:
    """The table in labelled lines, without what changes by itself (the time left) and what is empty.

    Cards appear when the deal is complete: a log does not gain by forty lines of backs.
    """
    phase = "IDLE after the last round" if is_over(state) else state["phase"].upper()
    phase = "HOLD" if state["holds"] else phase
    lines = {"round": state["round"], "phase": f"{phase}, light {state['light']}"}
    for number, notice in enumerate(notices(state), 1):
        lines[f"notice {number}"] = notice
    dealt = state["phase"] != "dealing"
    for seat in state["seats"]:
        results = [
            f"{spot} {words}" for spot, text in seat["results"].items() if (words := result_words(text))
        ]
        pays, takes = to_move(seat["results"])
        moves = [f"{name} {money(cents)}" for name, cents in (("to pay", pays), ("to take", takes)) if cents]
        total = f" = {', '.join(moves)}" if moves and state["result"] else ""
        parts = {spot: stake_words(seat[spot]) for spot in ("ante", "raise", "bonus")}
        coin = coin_words(state, seat)
        parts["jackpot"] = "" if coin == LAMPS["off"] else coin
        parts["hand"] = f"{card_words(seat['cards'])} {standing(seat)}".strip() if dealt else standing(seat)
        parts["result"] = ", ".join(results) + total
        lines |= {f"seat {seat['seat']} {label}": words for label, words in parts.items()}
    lines["dealer"] = dealer_words(state) if dealt else ""
    lines["meter"] = meter_words(state)
    lines["awards"] = "; ".join(awards_words(state))
    lines["alarms"] = alarms_words(state)
    return {label: words for label, words in lines.items() if words}


def block(before: Mapping[str, str], now: Mapping[str, str], facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """What has changed between two descriptions, and what was decided meanwhile; empty if nothing.

    That felt and lamps are empty after CLEAR and in a new round goes without saying.
    """
    changed = [f"{label}: {words}" for label, words in now.items() if before.get(label) != words]
    cleared = before.get("round") != now.get("round") or now.get("phase", "").startswith("IDLE")
    gone = [] if cleared else [f"{label}: no more" for label in before if label not in now]
    return [*worth_saying(facts), *changed, *gone]
