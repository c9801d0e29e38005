"""The words of a record: who said what, what the table decided, the cards, the rules that mattered.

Pure. Nothing is judged here: a sentence says what an entry of the journal or the table itself holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text
from table_controller.engine.values import Prize
from table_controller.table import messages as m
from table_controller.table.deal import active_places
from table_controller.table.rulings import RULINGS
from table_controller.table.state import CardOut, TableState

HIDDEN: Final = "##"
"""What stands for a face that lies down."""

Faces = Mapping[str, tuple[str | None, ...]]
"""The faces that lie up at each place."""

EVENTS: Final[Mapping[str, str]] = {
    "Recovered": "a journal was lost ({recovery}); {operators} state the meter, approval {approval}",
    "Installed": "the table is installed by {operators}, approval {approval}, software {software}",
    "Carried": "the table goes on from the file {file}: {entries} entries, hash {head}",
    "Started": "the service starts again, software {software}",
    "ClockSet": "the wall clock is set by {by_ms}; the order of entries stays",
    "AccessTried": "{who} is refused at the door ({why}), {times} times: {word}",
    "KeysRead": "the register of keys is read: {keys}",
    "ShoeFound": "the shoe answers",
}
COMMANDS: Final[Mapping[str, str]] = {
    "SetAmount": "keys {spot} of {seat}: {cents}",
    "AddAmount": "keys more on the {spot} of {seat}: {cents}",
    "RepeatAmounts": "repeats the amounts of the round before: {seat}",
    "DoubleAmounts": "doubles the keyed amounts: {seat}",
    "UndoAmount": "takes the last keyed amount back",
    "ClearAmounts": "wipes the keyed amounts: {seat}",
    "PressKey": "presses {key}",
    "Fold": "{seat} folds",
    "StateCount": "count: {place} holds {cards} cards",
    "StateHand": "hand of {place}: {cards}",
    "MoveCard": "{card} was laid at {place}",
    "DiscardCard": "{card} goes to the rack",
    "StateUpcard": "the up card is {card}",
    "StateExposed": "{card} was seen",
    "RescanCard": "the unread card is {card}",
    "CountTokens": "{tokens} tokens counted in the chute",
    "CountStub": "{cards} cards counted in the rest of the deck",
    "ReturnCoin": "gives the coin of {seat} back",
    "Claim": "{seat} says that a coin was dropped",
    "VoidRound": "THE ROUND IS VOID",
    "DeadHand": "the hand of {seat} is dead by {cause}",
    "Withdraw": "takes the last statement back",
    "KillHand": "throws the extra hand at {seat} away",
    "Resume": "lifts the holds, the table goes on",
    "FoldShort": "makes the short raise of {seat} a fold",
    "ReturnExcess": "gives {cents} too much on the raise of {seat} back",
    "NewDeck": "puts another deck in use",
    "UseDeck": "puts the deck {deck} in use",
    "LogOn": "comes on duty as dealer",
    "LogOff": "the dealer on duty leaves",
    "ClearAlarm": "has seen to the alarm {alarm}, {place}",
    "ConfirmAward": "confirms the award at {seat}{camera}",
    "RejectAward": "rejects the award at {seat}",
    "SetParameter": "sets {option} to {value}, approval {approval}",
    "CorrectMeter": "says that the {pot} must show {cents} ({why}), approval {approval}",
    "PayHit": "pays the award {document} at the {at}",
    "WithholdHit": "withholds the award {document} for a check ({hold})",
    "ReleaseHit": "releases the award {document}: its check is done",
    "OpenDay": "opens the gaming day",
    "CloseDay": "closes the gaming day",
    "ChangeShift": "gives the table to shift {shift}",
    "BeginTrial": "begins a trial of the table, notified: {notified}",
    "EndTrial": "ends the trial of the table",
    "TrySeat": "tries lamp and slot of {seat}",
    "LampSeen": "has seen the lamp of {seat} lit",
}
FACTS: Final[Mapping[str, str]] = {
    "AccessRefused": "REFUSED AT THE DOOR: {who} ({why}), {times} times: {word}",
    "KeysListed": "these keys open the door: {keys}",
    "AlarmRaised": "ALARM {alarm}, {place}",
    "AwardHeld": "AWARD at {seat}: {hand} {cents} waits for two people",
    "AwardPaid": "AWARD at {seat}: {hand} {cents} is won",
    "AwardRejected": "AWARD at {seat}: {hand} {cents} is rejected",
    "ClockWasSet": "the wall clock was set by {by_ms}; the order of entries stays",
    "CorrectionSeconded": "{operator} says that the {pot} must show {cents}; a second person is needed",
    "CoinReturned": "the coin of {seat} goes back: {why}",
    "DayClosed": "gaming day {day} ends",
    "DayOpened": "gaming day {day} begins",
    "DeckChanged": "the deck in use is now {deck}",
    "DeckFinding": "FINDING on {deck}: {finding} {card}, {rounds_since_count} rounds after its last count",
    "HitDecided": "award {document}: {decision}ed by {operators}{camera}; why: {reason}",
    "HitPaid": "award {document}: {cents} is paid at the {at} by {operator}",
    "HitRecorded": "award {document} at {seat}: {hand} {cards}, {cents} of a meter of {meter_cents}, "
    "{take_cents} from the meter, {house_cents} from the house",
    "HitReleased": "award {document} is released by {operator}: {reason}",
    "HitWithdrawn": "award {document} is taken back: the round is void",
    "HitWithheld": "award {document} is withheld by {operator} for a check ({hold}): {reason}",
    "HoldEnded": "the hold {hold} ends",
    "HouseChanged": "the files say something else at {place}: {after}, before {before}, approval {approval}",
    "KeyRefused": "key {key} - REFUSED: {reason}",
    "LineTried": "tried and well: {line}",
    "MeterChanged": "meter from {before_cents} to {after_cents} ({why})",
    "MeterCorrected": "the {pot} is corrected from {before_cents} to {after_cents} by {operators} ({why}), "
    "approval {approval}; why: {reason}",
    "MeterReset": "the meter begins anew at {after_cents}: reset {reset_cents}, reserve {reserve_cents}",
    "Noticed": "noted: {notice}, {place}",
    "ParameterChanged": "{option} from {before} to {after}, approval {approval}, in force now: {in_force}",
    "SeatFolded": "{seat} is folded by {by}",
    "ShiftChanged": "shift {after} has the table, before {before}, by {operator}",
    "SoftwareChanged": "ANOTHER PROGRAM runs: {after}, before {before}",
    "ShareWon": "of the share of the coin at {seat} a royal had won a part already, the house pays it",
    "TableRecovered": "the table goes on after a loss ({recovery}), by {operators}, approval {approval}",
    "TableInstalled": "the table is installed by {operators}, its meter {meter_cents}, approval {approval}",
    "TrialBegun": "{operator} tries the table, notified: {notified}",
    "TrialEnded": "{operator} ends the trial",
    "WalkRecorded": "keys and lamps {passed}; not tried: {missing}; failed: {failed}",
    "Withdrawn": "taken back: {statement}",
}
_SHOE: Final = (m.CardScanned, m.CardUnreadable, m.FrameLost, m.BadFrame, m.ShoeLost, m.ShoeFound)
_SENSORS: Final = (m.ChipsPlaced, m.ChipsLifted, m.LampFailed, m.LampMended, m.HealthChanged)
# Other parts of the record show these, or the word of the person who led to them.
UNTOLD: Final = frozenset(
    {
        *("RoundOpened", "KeyTaken", "CommandRefused", "CoinAccepted", "BetsLocked", "CardDealt"),
        *("PhaseEntered", "Stated", "MeterChanged", "RoundSettled", "RoundVoided", "RoundCleared"),
        *("HandDead", "HandKilled", "AwardSeconded", "DealerChanged", "AlarmCleared"),
        *("HitRecorded", "HitDecided", "HitWithheld", "HitReleased", "CorrectionSeconded"),
        *("ShiftChanged", "TrialBegun", "TrialEnded", "ClockWasSet", "TableInstalled", "TableRecovered"),
        *("AccessRefused", "KeysListed"),
    }
)


_JOINED: Final[Mapping[str, str]] = {"operators": " and ", "keys": ", ", "missing": ", ", "failed": ", "}


def who(message: m.AnyMessage) -> str:
    """Who or what a message comes from."""
    if isinstance(message, m.Said):
        return f"{message.role} {message.operator}".strip()
    if isinstance(message, m.KeyPressed):
        return "key pad"
    if isinstance(message, m.TimePassed):
        return "time"
    if isinstance(message, m.Started | m.Carried | m.ClockSet | m.AccessTried | m.KeysRead):
        return "service"
    if isinstance(message, m.Installed):
        return " and ".join(message.operators)
    return (
        "shoe" if isinstance(message, _SHOE) else "sensors" if isinstance(message, _SENSORS) else "coin slot"
    )


def place_words(place: str) -> str:
    """A place in words: a seat, the dealer, the rack, a betting spot (`ante 3`), or the table."""
    place = place.upper() if len(place) == 1 else place
    spot, _, seat = place.rpartition(" ")
    if spot:
        return f"{spot} of seat {seat}"
    named = {"": "the table", "0": "all seats", "D": "the dealer", "X": "the rack"}
    return named.get(place, f"seat {place}")


def message_words(message: m.Message) -> str:
    """An event, a command as a person says it, or a fact; one without a sentence by its name and fields."""
    name = type(message).__name__
    said = {key: _value_words(key, value) for key, value in msgspec.structs.asdict(message).items()}
    if isinstance(message, m.TrySeat) and not message.seat:
        said["seat"] = "no seat"
    elif isinstance(message, m.HouseChanged):
        said["place"] = message.place
    template = EVENTS.get(name) or COMMANDS.get(name) or FACTS.get(name)
    if template is not None:
        return template.format_map(said)
    return " ".join([name, *(f"{key} {value}" for key, value in said.items())])


def _value_words(key: str, value: Any) -> str:
    if key in ("seat", "place"):
        return place_words(str(value))
    if key.endswith("cents"):
        return money_text(value)
    if key == "camera":
        return f", camera {value}" if value else ""
    if key == "who":
        return value or "a stranger"
    if key in ("before", "after"):
        return str(value) or "nothing"
    if key == "by_ms":
        return f"{'-' if value < 0 else '+'}{abs(value) // 1000}.{abs(value) % 1000:03} s"
    if key == "passed":
        return "all work" if value else "DO NOT ALL WORK"
    if key in _JOINED:
        return _JOINED[key].join(map(str, value)) or "none"
    if isinstance(value, tuple):
        return " ".join(map(str, value)).upper()
    return value.upper() if key in ("card", "key") else str(value)


def happenings(
    message: m.AnyMessage, facts: Sequence[m.Fact], keyed: Mapping[tuple[m.Spot, int], int]
) -> Iterator[str]:
    """What one message adds to the story of a round; nothing for what the tables of a record show.

    An amount is told when it is keyed again, refused, or raises an alarm; `keyed` are those before.
    """
    if type(message).__name__ in EVENTS:
        yield message_words(message)
    elif isinstance(message, m.Said):
        refused = next((fact.reason for fact in facts if isinstance(fact, m.CommandRefused)), "")
        if refused or not _plain(message.command, facts, keyed):
            yield _said(message, keyed) + (f" - REFUSED: {refused}" if refused else "")
    for fact in facts:
        if type(fact).__name__ in UNTOLD or _shown_elsewhere(message, fact):
            continue
        if isinstance(fact, m.HoldPlaced):
            ruling = RULINGS[fact.hold]
            yield f"HOLD {fact.hold}, by {ruling.paragraph}; what may end it: {ruling.ends}"
        else:
            yield message_words(fact)


def _shown_elsewhere(message: m.AnyMessage, fact: m.Fact) -> bool:
    """A person's word tells his fold or what he tried, the table of awards those that were paid at once."""
    if isinstance(fact, m.SeatFolded):
        return fact.by != "time"
    if isinstance(fact, m.LineTried):
        return isinstance(message, m.Said)
    return isinstance(fact, m.AwardPaid) and not isinstance(message, m.Said)


def _plain(command: m.Command, facts: Sequence[m.Fact], keyed: Mapping[tuple[m.Spot, int], int]) -> bool:
    if isinstance(command, m.PressKey):
        return True
    if not isinstance(command, m.SetAmount) or any(isinstance(fact, m.AlarmRaised) for fact in facts):
        return False
    return keyed.get((command.spot, command.seat), command.cents) == command.cents


def _said(message: m.Said, keyed: Mapping[tuple[m.Spot, int], int]) -> str:
    command = message.command
    words = message_words(command)
    if isinstance(command, m.SetAmount) and (command.spot, command.seat) in keyed:
        words += f", keyed before: {money_text(keyed[command.spot, command.seat])}"
    return words + (f"; why: {message.reason}" if message.reason else "")


def differences(seq: int, recorded: Sequence[m.Fact], recomputed: Sequence[m.Fact]) -> Iterator[str]:
    """Where the facts of an entry are other than those that its message leads to; results by stake."""
    there, again = list(recorded), list(recomputed)
    for fact in recorded:
        if fact in again:
            again.remove(fact)
            there.remove(fact)
    for was in there:
        match = next((fact for fact in again if type(fact) is type(was)), None)
        if match is not None:
            again.remove(match)
        if isinstance(was, m.RoundSettled | m.RoundVoided) and isinstance(match, type(was)):
            yield from _stakes(seq, was.results, match.results)
        else:
            yield f"entry {seq}: recorded {_fact(was)}, recomputed {_fact(match)}"
    for fact in again:
        yield f"entry {seq}: recorded nothing, recomputed {_fact(fact)}"


def _fact(fact: m.Fact | None) -> str:
    return "nothing" if fact is None else message_words(fact)


def _stakes(
    seq: int, recorded: tuple[m.SeatResult, ...], recomputed: tuple[m.SeatResult, ...]
) -> Iterator[str]:
    was, now = ({one.seat: msgspec.to_builtins(one) for one in each} for each in (recorded, recomputed))
    for seat in sorted({*was, *now}):
        for stake in ("ante", "raise", "bonus", "coin"):
            texts = [each.get(seat, {}).get(stake, "no result") for each in (was, now)]
            if texts[0] != texts[1]:
                yield f"entry {seq}: seat {seat} {stake}: recorded {texts[0]}, recomputed {texts[1]}"


# -------------------------------------------------------------------------------------- cards


def card_rows(
    rules: HouseRules, state: TableState, faces: Faces | None
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Every card in the order in which it left the shoe, and what is to be said of some.

    A cell is number, face and place, a row one or more turns of the deal. `faces` are those to show,
    None is all.
    """
    places = len(active_places(state))
    columns = 5 if rules.deal_order == "packets" else places * max(1, 8 // places)
    stated = {face: place for place, hand in state.hands.items() for face in hand}
    cells: list[str] = []
    notes: list[str] = []
    for number, card in enumerate(state.cards, start=1):
        up = faces is None or card.card in (faces.get(card.laid or card.place) or ())
        face = (card.card or "??") if up else HIDDEN
        cells.append(f"{number} {face} {_where(state, card, stated if up else {})}")
        if card.fate != "due":
            notes.append(f"Card {number} {face}: {_fate(card)}.")
    if state.doubt:
        notes.append("The order was in doubt: a place with ? is the order's alone, one with ! was stated.")
    elif stated:
        notes.append("A place with ! was stated.")
    rows = tuple(tuple(cells[start : start + columns]) for start in range(0, len(cells), columns))
    return rows, tuple(notes)


def _where(state: TableState, card: CardOut, stated: Mapping[str, str]) -> str:
    if card.card in stated:
        return f"{stated[card.card]}!"
    if card.laid:
        return f"{card.laid}!"
    if not card.on_felt:
        return "X"
    return card.place + "?" if state.doubt else card.place or "?"


def _fate(card: CardOut) -> str:
    if card.fate == "extra":
        return (
            f"extra, laid at {place_words(card.laid)}"
            if card.laid
            else "extra, nobody has said where it lies"
        )
    said = {
        "boxed": "lay face up in the shoe, to the rack",
        "burned": "burned",
        "before_lock": "left the shoe before LOCK, nobody's",
        "late": "left the shoe when none was due, nobody's",
    }
    return said.get(card.fate, card.fate)


# -------------------------------------------------------------------------------- house rules

_ALWAYS: Final = {"deal_order", "upcard", "raise", "nonqualify_ante", "settle_order"}
_COIN: Final = {"progressive", "coin_value", "meter_share", "reset", "fold_keeps_coin"}
_AWARD: Final = {
    *("percent_base", "fixed_awards_from", "straight_flush_first", "royal_split", "royal_minimum"),
    *("odd_cent", "jackpot_hold_from", "jackpot_verify"),
}
_VOID: Final = {"coin_on_void", "void_contribution", "jackpot_hand_in_void_round"}
_OF_ALARM: Final[Mapping[str, set[str]]] = {
    "claim": {"light_off_claim"},
    "coin_without_ante": {"coin_without_ante"},
    "decision_time_over": {"decision_ms"},
    "display_down": {"progressive_fault_before_lock", "progressive_fault_after_lock"},
    "late_coin": {"late_coin"},
    "meter_down": {"progressive_fault_before_lock", "progressive_fault_after_lock"},
    "raise_not_twice": {"raise_mismatch", "short_raise"},
    "second_coin": {"second_coin"},
}


def _options(rules: HouseRules, state: TableState) -> set[str]:
    """The options that this round came upon, by the names that the house-rule file gives them."""
    wanted = set(_ALWAYS)
    if rules.nonqualify_ante != "pay_all":
        wanted.add("unpaid_ante")
    wanted |= {"nonqualify_odds"} if rules.nonqualify_odds != 1 else set()
    wanted |= {"aggregate_limit", "limit_scope"} if rules.aggregate_limit_cents else set()
    wanted |= {"bonus", "fold_keeps_bonus"} if any(seat.bonus_cents for seat in state.seats) else set()
    wanted |= _COIN if any(seat.coin != "none" for seat in state.seats) else set()
    wanted |= _AWARD if state.awards else set()
    wanted |= _VOID if state.result == "void" else set()
    for seat in state.seats:
        if seat.dead is not None:
            miscount = {"player_miscount", "dead_hand_bonus", "dead_hand_coin"}
            wanted |= miscount if seat.dead == "count" else {"conduct"}
    for alarm in state.alarms:
        wanted |= _OF_ALARM.get(alarm.alarm, set())
        if alarm.alarm in RULINGS:
            wanted.add(RULINGS[alarm.alarm].paragraph.rpartition(", ")[2])
    return wanted


def rules_sentence(house: m.House, rules: HouseRules, state: TableState) -> str:
    """The options that mattered and the limits of the table, as the house-rule file writes them."""
    wanted = _options(rules, state)
    mattered = {
        field: value for field, value in msgspec.structs.asdict(rules).items() if _option(field) in wanted
    }
    limits = {
        field: value
        for field, value in msgspec.structs.asdict(house).items()
        if field.endswith("_cents") and value
    }
    values = {**mattered, **limits}
    return "; ".join(f"{_option(field)} {_value(field, value)}" for field, value in values.items()) + "."


_UNITS: Final = ("_cents", "_ppm", "_pays")


def _option(field: str) -> str:
    for unit in _UNITS:
        field = field.removesuffix(unit)
    return field


def _value(field: str, value: Any) -> str:
    """A value as the house-rule file writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if field.endswith("_cents"):
        return " ".join(map(money_text, value if isinstance(value, tuple) else (value,)))
    if field.endswith("_ppm"):
        return f"{value // 1_000_000}.{value % 1_000_000:06}".rstrip("0").rstrip(".")
    if field.endswith("_pays"):
        return " ".join(one.text if isinstance(one, Prize) else str(one) for one in value)
    return str(value)
