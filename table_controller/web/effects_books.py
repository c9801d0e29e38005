"""The second look at words about awards, meters, days, trials and decks (pure)."""

from __future__ import annotations

from typing import Any, Final

from table_controller.table import messages as m
from table_controller.table.state import CARDS_IN_THE_DECK
from table_controller.web.effects_round import Look, Shown, award_words, plural
from table_controller.wording import line_words, money, place_words

ONE_OF_TWO: Final = (
    "One person's word decides nothing: a second one must say the same, and one of the two is a supervisor."
)
MAYBE_SECOND: Final = (
    "Two people must say the same, one of them a supervisor: the first word decides nothing, the second one "
    "corrects the pot."
)


# ------------------------------------------------------------------------------ awards, money


def _decided_with(look: Look, seat: int) -> list[Shown]:
    """The awards that a word about that seat decides: a shared royal is decided as a whole."""
    mine, waiting = look.waiting(seat), look.waiting()
    royal = any(one.get("kind") == "royal" for one in mine)
    shared = look.rules.get("royal_split") == "shared_by_bettors"
    if royal and (shared or any(one.get("kind") == "share" for one in look.shown["awards"])):
        return [one for one in waiting if one.get("kind") in ("royal", "share")]
    return [one for one in mine if one.get("kind") != "share"]


def _who_has_spoken(chosen: list[Shown], decision: str) -> str:
    """What this word is after what was said already: the first of two, or the one that decides."""
    said = {"confirm": "confirmed", "reject": "rejected"}
    first, before = str(chosen[0].get("first_operator", "")), str(chosen[0].get("first_decision", ""))
    if not first:
        return ONE_OF_TWO
    if before == decision:
        return (
            f"{first} has {said[decision]} it already: if another person says so now, it is decided; "
            "one of the two must be a supervisor."
        )
    return (
        f"{first} has {said[before]} it: after this word that counts no more, and a second person must "
        "say the same as this one."
    )


def confirm(look: Look, command: m.ConfirmAward) -> list[str]:
    """One of two people confirms."""
    chosen = _decided_with(look, command.seat)
    if not chosen:
        return [f"No award waits for a decision at seat {command.seat}."]
    lines = [f"{award_words(one)} is owed to the player once two people have confirmed it." for one in chosen]
    lines.append(_who_has_spoken(chosen, "confirm"))
    # Who has confirmed already could do so only after the count.
    counted = chosen[0].get("first_decision") == "confirm"
    if look.rules.get("jackpot_verify") == "deck_count" and not counted:
        lines.append("Confirming is possible once the rest of the deck has been counted complete.")
    if any(one.get("kind") == "royal" for one in chosen):
        reset = money(int(look.rules.get("reset_cents", 0)))
        lines.append(f"The meter pays the royal and begins anew with what is left of it and {reset}.")
    else:
        lines.append(
            "What the meter gives to the award is taken off it then; what is fixed the house may pay."
        )
    lines.append("It is paid by its document, not with the bets of the round.")
    return lines


def reject(look: Look, command: m.RejectAward) -> list[str]:
    """One of two people rejects."""
    chosen = _decided_with(look, command.seat)
    if not chosen:
        return [f"No award waits for a decision at seat {command.seat}."]
    lines = [f"{award_words(one)} is not paid once two people have rejected it." for one in chosen]
    return [
        *lines,
        _who_has_spoken(chosen, "reject"),
        "The meter gives nothing for it. The award stays in the log of hits with the reason.",
    ]


def parameter(look: Look, command: m.SetParameter) -> list[str]:
    """A parameter of the progressive changes."""
    if look.rules.get("parameter_change") == "after_next_hit":
        when = "It is in force from the reset after the next royal on; until then nothing changes."
    else:
        day = look.shown["day"]
        closed = day is not None and not day["open"]
        when = (
            "It is in force at once."
            if closed
            else "The table refuses it now: this house changes parameters only while the day is closed."
        )
    name = command.option.replace("_", " ")
    now = (look.house.get("options") or {}).get(command.option)
    before = f" goes from {now} to " if now else " becomes "
    return [
        f"The parameter {name}{before}{command.value}, under approval {command.approval or 'not stated'}.",
        when,
        "The house-rule file still says what it said; the change is in the journal.",
    ]


def correct(look: Look, command: m.CorrectMeter) -> list[str]:
    """One of two people corrects a pot."""
    meter = look.shown["meter"]
    if meter is None:
        return ["This table has no meter."]
    pots = {"meter": "cents", "reserve": "reserve_cents", "overflow": "overflow_cents"}
    before = int(meter[pots[command.pot]])
    difference = command.cents - before
    way = (
        f"{money(abs(difference))} {'more' if difference > 0 else 'less'}" if difference else "no difference"
    )
    return [
        f"The {command.pot} goes from {money(before)} to {money(command.cents)}: {way}.",
        f"Cause: {command.why.replace('_', ' ')}; approval: {command.approval or 'not stated'}.",
        MAYBE_SECOND,
        "Until the second person has said it no round may be opened: OPEN forgets what the first one said.",
    ]


def pay_hit(look: Look, command: m.PayHit) -> list[str]:
    """A confirmed award is paid."""
    owed = look.owed(command.document)
    if owed is None:
        return [f"No confirmed award with the document {command.document} is unpaid."]
    if owed["hold"]:
        return [f"{command.document} is withheld ({owed['hold']}): it must be released before it is paid."]
    return [
        f"{command.document}: {money(owed['cents'])} for seat {owed['seat']} is recorded as paid at the "
        f"{command.at}, and is owed no longer. This cannot be taken back.",
        "The meter does not move: it has given its part already.",
    ]


def withhold_hit(look: Look, command: m.WithholdHit) -> list[str]:
    """A payment waits for a check."""
    owed = look.owed(command.document)
    if owed is None:
        return [f"No confirmed award with the document {command.document} is unpaid."]
    return [
        f"{command.document}, {money(owed['cents'])}, is not paid until it is released ({command.hold}).",
        "It stays owed to the player, and the table goes on.",
    ]


def release_hit(look: Look, command: m.ReleaseHit) -> list[str]:
    """The check is done."""
    owed = look.owed(command.document)
    if owed is None:
        return [f"No confirmed award with the document {command.document} is unpaid."]
    return [
        f"The check of {command.document} is done: {money(owed['cents'])} can be paid. Nothing is paid yet."
    ]


# ---------------------------------------------------------------------- days, trials, decks


def open_day(look: Look, _: Any) -> list[str]:
    """A gaming day begins."""
    day = look.shown["day"]
    number = f" {day['number'] + 1}" if day else ""
    lines = [f"Gaming day{number} begins, without the name of a shift. Rounds can be opened from then on."]
    if look.house.get("walk"):
        lines.append("This house opens a day only after a trial has found every key and every lamp well.")
    return lines


def close_day(look: Look, _: Any) -> list[str]:
    """A gaming day ends."""
    day = look.shown["day"]
    number = f" {day['number']}" if day else ""
    lines = [f"Gaming day{number} ends: no round is opened until the next day is."]
    if look.shown["on_duty"]:
        lines.append(f"{look.shown['on_duty']} is no longer on duty.")
    lines.append("The file of the day is hashed and archived, and the next one goes on where it ends.")
    if look.shown["owed"]:
        cents = sum(one["cents"] for one in look.shown["owed"])
        number = plural(len(look.shown["owed"]), "award", "awards")
        lines.append(f"{number} of together {money(cents)} stay owed to players.")
    if look.house.get("walk"):
        lines.append("Keys and lamps must be tried again before the next day.")
    return lines


def shift(look: Look, command: m.ChangeShift) -> list[str]:
    """Another shift has the table."""
    day = look.shown["day"]
    before = f" after {day['shift']}" if day and day["shift"] else ""
    return [
        f"Shift {command.shift} has the table{before}, from the next round on.",
        "Dealer, meter and bets stay as they are.",
    ]


def begin_trial(look: Look, command: m.BeginTrial) -> list[str]:
    """The table is tried."""
    return [
        "The table is tried: coins, keys and chips are no bets, and no meter moves until the trial is ended.",
        f'Recorded ahead of it: who was notified, "{command.notified}".',
    ]


def end_trial(look: Look, _: Any) -> list[str]:
    """The trial ends."""
    trial = look.shown["trial"]
    if trial is None:
        return ["The table is not being tried."]
    lines = ["The trial ends and the table is what it was before."]
    for what, names in (("Found well", trial["tried"]), ("Failed", trial["failed"])):
        if names:
            lines.append(f"{what}: {', '.join(map(line_words, names))}.")
    lines.append("Keys and lamps that were not tried are recorded as missing.")
    return lines


def try_seat(look: Look, command: m.TrySeat) -> list[str]:
    """One lamp and one slot are tried."""
    if not command.seat:
        return ["No lamp is lit and no slot is open."]
    return [f"The jackpot lamp of seat {command.seat} alone is lit, and its slot alone is open."]


def new_deck(look: Look, command: m.NewDeck) -> list[str]:
    """Another deck is in use."""
    name = command.deck or "with a name made up by the table"
    return [
        f"Another deck is in use: {name}. Its book begins, or goes on where it was left.",
        "Counts that were due for the deck before are due no more, and a hold over its count ends.",
        "A new deck does not confirm an award: a waiting award still needs its own count.",
    ]


def clear_alarm(look: Look, command: m.ClearAlarm) -> list[str]:
    """An alarm has been seen to."""
    return [
        f"The alarm {command.alarm.replace('_', ' ')}{place_words(command.place)} is recorded as seen to.",
        "It stays in the list of its round; it moves no money and lifts no hold.",
    ]


def count_stub(look: Look, command: m.CountStub) -> list[str]:
    """The rest of the deck was counted."""
    out = int(look.shown["cards_out"])
    total = command.cards + out
    return [
        f"The rest of the deck is stated to have {plural(command.cards, 'card', 'cards')}; "
        f"{plural(out, 'card has', 'cards have')} left the shoe: {total} together.",
        "That is the whole deck."
        if total == CARDS_IN_THE_DECK
        else f"THAT IS NOT {CARDS_IN_THE_DECK}: the deck counts as incomplete, which is an alarm.",
    ]
