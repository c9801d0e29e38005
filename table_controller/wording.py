"""What the table says, in a person's words: holds, commands, facts, places, money (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
    "SetParameter": "changing a parameter", "CorrectMeter": "correcting a meter",
    "PayHit": "paying an award", "WithholdHit": "withholding an award", "ReleaseHit": "releasing an award",
    "OpenDay": "opening the gaming day", "CloseDay": "closing the gaming day", "ChangeShift": "another shift",
    "BeginTrial": "a trial of the table", "EndTrial": "the end of the trial", "TrySeat": "trying a seat",
    "LampSeen": "a lamp that was seen lit",
}  # fmt: skip
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
    "HitRecorded": "document {document}: seat {seat}, {hand} {cents} of a meter of {meter_cents}",
    "HitDecided": "document {document}: {decision}ed by {operators}",
    "HitWithdrawn": "document {document} is taken back with the round",
    "HitPaid": "document {document}: {cents} paid at the {at} by {operator}",
    "HitWithheld": "document {document} is WITHHELD by {operator} ({withholding}): {reason}",
    "HitReleased": "document {document} is released by {operator}: {reason}",
    "MeterReset": "the meter begins anew at {after_cents}",
    "CorrectionSeconded": "{operator} says that the {pot} must show {cents}, a second person is needed",
    "MeterCorrected": "the {pot} is corrected {before_cents} -> {after_cents} by {operators} ({why})",
    "ShareWon": "seat {seat}: a part of the coin's share was won already, the house pays it",
    "TableRecovered": "the table goes on after a loss ({recovery}), by {operators}",
    "TableInstalled": "the table is installed by {operators}, its meter at {meter_cents}",
    "DayOpened": "gaming day {day} begins ({operator})",
    "DayClosed": "gaming day {day} ends ({operator})",
    "ShiftChanged": "shift: {before} -> {after} ({operator})",
    "HouseChanged": "the files now say {where}: {before} -> {after}, approval {approval}",
    "SoftwareChanged": "ANOTHER PROGRAM: {before} -> {after}",
    "AccessRefused": "REFUSED AT THE DOOR: {who} ({why}), {times} times: {word}",
    "KeysListed": "these keys open the door: {keys}",
    "ClockWasSet": "the clock was set by {by_ms}",
    "TrialBegun": "{operator} tries the table, notified: {notified}",
    "TrialEnded": "{operator} ends the trial",
    "LineTried": "works: {line}",
    "WalkRecorded": "keys and lamps {passed}; not tried: {missing}; failed: {failed}",
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
    "MeterChanged": ("why", frozenset({"contribution", "correction"})),
    "KeyTaken": ("key", frozenset({"open", "lock", "clear"})),
}
UNSAID_TYPES: Final = frozenset({"CardDealt", "PhaseEntered"})
# What people and files have named keeps its own spelling.
_SPELLED: Final = frozenset(
    {"round", "operator", "reason", "approval", "deck", "before", "after", "document", "notified"}
)


def money(cents: int) -> str:
    """Whole cents as people write them: `1,234.50`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def line_words(line: str) -> str:
    """A line that is tried, as it is called at the table: `key.lock` is `key LOCK`, `lamp.3` is `lamp 3`."""
    kind, dot, name = line.partition(".")
    return f"{kind} {name.upper()}" if dot else line


def seconds_words(ms: int) -> str:
    """A difference of times with its sign: `-3600.000 s`."""
    return f"{'-' if ms < 0 else '+'}{abs(ms) // 1000}.{abs(ms) % 1000:03d} s"


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
    said = {key: _value_words(key, value) for key, value in fact.items()}
    place, hold = str(fact.get("place", "")), str(fact.get("hold", ""))
    said |= {"where": place, "place": place_words(place), "withholding": hold, "hold": hold_words(hold)}
    said["KEY"] = said.get("key", "").upper()
    known = FACTS.get(str(fact.get("type", "")))
    if known is not None:
        try:
            return known.format_map(said).rstrip()
        except KeyError:
            pass
    fields = ", ".join(f"{key} {value}" for key, value in fact.items() if key != "type")
    return f"{fact.get('type', 'fact without a name')} {fields}".strip()


def _value_words(key: str, value: Any) -> str:
    if key.endswith("cents") and isinstance(value, int):
        return money(value)
    if key == "by_ms" and isinstance(value, int):
        return seconds_words(value)
    if isinstance(value, list | tuple):
        return (" and " if key == "operators" else ", ").join(line_words(str(one)) for one in value) or "none"
    if key in _SPELLED:
        return str(value) or "-"
    if key == "who":
        return str(value) or "a stranger"
    if key == "passed":
        return "all work" if value else "DO NOT ALL WORK"
    if key in ("command", "statement"):
        return COMMANDS.get(str(value), str(value))
    return line_words(str(value)) if key == "line" else str(value).replace("_", " ")


def worth_saying(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The facts in words, without those that the rest of the view shows anyway."""
    said = []
    for fact in facts:
        key, unsaid = UNSAID.get(str(fact.get("type")), ("", frozenset()))
        if fact.get("type") not in UNSAID_TYPES and fact.get(key) not in unsaid:
            said.append(fact_words(fact))
    return said
