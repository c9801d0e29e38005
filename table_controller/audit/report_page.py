"""A report as text for a terminal, as one long table for a spreadsheet, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from table_controller.audit.accounts import Report
from table_controller.audit.paper import columns, csv_text, exact_text, utc_text
from table_controller.audit.tally import Check
from table_controller.engine.money import money_text
from table_controller.record import plain

HEADS: Final = ("section", "item", "who", "number", "amount", "text")
Line = tuple[str, str, str, str, str, str]


def report_json(report: Report) -> str:
    """The report as one JSON object; the fields are those of `Report`."""
    return msgspec.json.encode(report).decode()


def _check_cells(check: Check) -> tuple[str, str, str]:
    text = exact_text if check.unit == "exact" else str
    return text(check.books), text(check.rounds), text(check.off) if check.off else ""


def _verdict(report: Report) -> str:
    if report.reconciles:
        return (
            "RECONCILES: the books of the meter and the rounds come to the same, to the last fraction.\n"
            "That the entries are what the rules give, and the answers those that were given, verify says."
        )
    off = [check for check in report.reconciliation if check.off]
    words = "; ".join(f"{check.item} by {_check_cells(check)[2]}" for check in off)
    return f"DOES NOT RECONCILE: the books of the meter are other than the rounds: {words}"


# ---------------------------------------------------------------------------------------- text


def report_text(report: Report) -> str:
    """The report for a terminal: aligned, amounts with two decimals and every part of a cent there is."""
    lines = [f"REPORT OF TABLE {plain(report.table)}: {plain(report.title)}".upper(), ""]
    lines += [line for line in columns(("", ""), _head(report)) if line]
    for title, heads, rows in _sections(report):
        body = list(columns(heads, rows))
        if body:
            lines += ["", title.upper(), *(line for line in body if line)]
    lines += ["", _verdict(report), ""]
    return "\n".join(lines)


def _head(report: Report) -> Iterator[tuple[str, str]]:
    yield "entries", f"{report.first_entry} to {report.last_entry}"
    yield "UTC", f"{utc_text(report.from_ms)} to {utc_text(report.until_ms)}"
    yield "lasted", f"{_duration(report.lasted_ms)} of table time"
    yield "software", report.software or "not told"
    if report.carried is not None:
        yield "goes on from", f"{report.carried.file}, {report.carried.entries} entries"
        yield "", report.carried.head
    yield "hash", report.head
    yield "rounds", f"{report.rounds_settled} settled, {report.rounds_void} void"
    if report.in_play:
        yield "in play", f"{report.in_play}: what is not decided in it is not in this report"


def _sections(report: Report) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """Titles, heads and rows, in the order of the paper."""
    if any(one.meter_exact or one.together_exact for one in report.custody):
        pots = ("", "meter", "reserve", "overflow", "together")
        yield "Custody of the players' money", pots, list(_custody(report))
        yield "Coins", ("", "number", "amount"), list(_coins(report))
        yield "Awards", ("", "number", "amount"), list(_payouts(report))
    by_hand = ("hand", "by dealer", "amount", "confirmed", "amount")
    yield "Awards by hand", by_hand, list(_hands(report))
    yield (
        "Corrections of a pot",
        ("entry", "UTC", "pot", "from", "to", "why", "approval", "by", "reason"),
        [
            (
                str(one.entry),
                utc_text(one.wall_ms),
                one.pot,
                money_text(one.before_cents),
                money_text(one.after_cents),
                one.why,
                one.approval,
                one.who,
                one.reason,
            )
            for one in report.corrections
        ],
    )
    yield "Wagers by seat", ("seat", *_SEAT_HEADS), list(_seats(report))
    yield (
        "Dealers",
        ("dealer", "rounds", "on duty", "rounds an hour"),
        [
            (one.dealer or "nobody", str(one.rounds), _duration(one.on_duty_ms), f"{one.rounds_an_hour:.1f}")
            for one in report.dealers
        ],
    )
    yield "Alarms", ("alarm", "number"), [(one.what, str(one.number)) for one in report.alarms]
    yield (
        "Refused",
        ("by", "word or key", "number"),
        [(one.who or "nobody", one.what, str(one.number)) for one in report.refused],
    )
    heads = ("entry", "UTC", "what", "place", "before", "after", "by", "approval", "reason")
    yield (
        "Changes",
        heads,
        [
            (
                *(str(one.entry), utc_text(one.wall_ms), one.kind, one.place),
                *(one.before, one.after, one.who, one.approval, one.reason),
            )
            for one in report.changes
        ],
    )
    yield (
        "Happenings",
        ("entry", "UTC", "what", "by", "words"),
        [(str(one.entry), utc_text(one.wall_ms), one.kind, one.who, one.words) for one in report.happenings],
    )
    if len(report.reconciliation):
        yield (
            "Reconciliation",
            ("", "by the books", "by the rounds", "off by"),
            [(check.item, *_check_cells(check)) for check in report.reconciliation],
        )


def _custody(report: Report) -> Iterator[tuple[str, ...]]:
    for one in report.custody:
        pots = (one.meter_exact, one.reserve_exact, one.overflow_exact, one.together_exact)
        if any(pots) or one.cause in ("opening", "closing"):
            yield one.cause, *map(exact_text, pots)


def _coins(report: Report) -> Iterator[tuple[str, str, str]]:
    coins = report.coins
    yield "in action", str(coins.bet), money_text(coins.bet_cents)
    yield "of these to the meter", "", exact_text(report.to_meter_exact)
    yield "of these to the reserve", "", exact_text(report.to_reserve_exact)
    yield "of these to the overflow", "", exact_text(report.to_overflow_exact)
    yield "of these the house's", "", exact_text(report.to_house_exact)
    yield "refunded after LOCK", str(coins.refunded), money_text(coins.refunded_cents)
    yield "of these left their share, paid by the house", str(coins.kept), exact_text(report.kept_exact)
    yield "given back, never a bet", str(coins.never_bet), ""


def _payouts(report: Report) -> Iterator[tuple[str, str, str]]:
    paid = report.payouts
    numbers = {"dealer": paid.by_dealer, "confirmed": paid.confirmed, "rejected": paid.rejected}
    yield "paid at once by the dealer", str(numbers["dealer"]), money_text(paid.by_dealer_cents)
    yield "confirmed by two people", str(numbers["confirmed"]), money_text(paid.confirmed_cents)
    yield "rejected by two people", str(numbers["rejected"]), money_text(paid.rejected_cents)
    yield "withdrawn with a void", str(paid.withdrawn), ""
    yield "waits for a decision", "", money_text(paid.waiting_cents)
    yield "owed from before", "", money_text(paid.owed_before_cents)
    yield "paid at the table", "", money_text(paid.at_table_cents)
    yield "paid at the cage", "", money_text(paid.at_cage_cents)
    yield "owed still", "", money_text(paid.owed_cents)
    yield "of these withheld", "", money_text(paid.withheld_cents)
    yield "from the meter", "", money_text(paid.of_meter_cents)
    yield "missing parts, added by the house", "", money_text(paid.house_added_cents)
    yield "fixed prizes of the house", "", money_text(paid.fixed_by_house_cents)
    yield "resets put on by the house", str(report.resets), money_text(report.seeded_cents)


def _hands(report: Report) -> Iterator[tuple[str, ...]]:
    for one in report.hands:
        dealer = (str(one.dealer_hits), money_text(one.dealer_cents))
        yield one.hand.replace("_", " "), *dealer, str(one.confirmed_hits), money_text(one.confirmed_cents)


_SEAT_FIELDS: Final = (
    "ante_cents",
    "ante_back_cents",
    "raise_cents",
    "raise_back_cents",
    "bonus_cents",
    "bonus_back_cents",
    "refunded_cents",
    "result_cents",
    "coins_cents",
    "awards_cents",
)
_SEAT_HEADS: Final = (
    "hands",
    *("ante", "back", "raise", "back", "bonus", "back", "refunded", "house's", "coins", "awards"),
)


def _seats(report: Report) -> Iterator[tuple[str, ...]]:
    for one in report.seats:
        yield str(one.seat), str(one.hands), *(money_text(getattr(one, field)) for field in _SEAT_FIELDS)
    if report.seats:
        sums = (sum(getattr(one, field) for one in report.seats) for field in _SEAT_FIELDS)
        yield "all", str(sum(one.hands for one in report.seats)), *map(money_text, sums)


def _duration(ms: int) -> str:
    seconds = ms // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


# ----------------------------------------------------------------------------------------- CSV


def report_csv(report: Report) -> str:
    """The report as one long table: section, item, who, number, amount, text (RFC 4180).

    `number` is a count, `amount` money with two decimals or more, `text` what is neither; a column that
    means nothing in a line is empty. Lines only ever come to be added, so that a spreadsheet stays right.
    """
    return csv_text(HEADS, _lines(report))


def _lines(report: Report) -> Iterator[Line]:
    yield "report", "table", "", "", "", report.table
    yield "report", "range", "", "", "", report.title
    for item, text in _head(report):
        yield "report", item or "head of that file", "", "", "", text
    yield "report", "reconciles", "", "", "", "true" if report.reconciles else "false"
    for one in report.custody:
        for pot, exact in (
            ("meter", one.meter_exact),
            ("reserve", one.reserve_exact),
            ("overflow", one.overflow_exact),
        ):
            yield "custody", one.cause, pot, "", exact_text(exact), ""
    for section, rows in (("coins", _coins(report)), ("awards", _payouts(report))):
        for item, number, amount in rows:
            yield section, item, "", number, amount, ""
    for hand in report.hands:
        dealer, confirmed = money_text(hand.dealer_cents), money_text(hand.confirmed_cents)
        yield "awards by hand", hand.hand, "dealer", str(hand.dealer_hits), dealer, ""
        yield "awards by hand", hand.hand, "confirmed", str(hand.confirmed_hits), confirmed, ""
    yield from _people(report)
    yield from _events(report)
    for check in report.reconciliation:
        books, rounds, _ = _check_cells(check)
        off = exact_text(check.off) if check.unit == "exact" else str(check.off)
        for who, text in (("books", books), ("rounds", rounds), ("off", off)):
            number, amount = ("", text) if check.unit == "exact" else (text, "")
            yield "reconciliation", check.item, who, number, amount, ""


def _people(report: Report) -> Iterator[Line]:
    for seat in report.seats:
        yield "wagers", "hands", f"seat {seat.seat}", str(seat.hands), "", ""
        for field in _SEAT_FIELDS:
            item = field.removesuffix("_cents").replace("_", " ")
            yield "wagers", item, f"seat {seat.seat}", "", money_text(getattr(seat, field)), ""
    for dealer_account in report.dealers:
        who = dealer_account.dealer or "nobody"
        yield "dealers", "rounds", who, str(dealer_account.rounds), "", ""
        yield "dealers", "on duty", who, str(dealer_account.on_duty_ms // 1000), "", "seconds"
        yield "dealers", "rounds an hour", who, f"{dealer_account.rounds_an_hour:.1f}", "", ""
    for count in report.alarms:
        yield "alarms", count.what, "", str(count.number), "", ""
    for count in report.refused:
        yield "refused", count.what, count.who, str(count.number), "", ""


def _events(report: Report) -> Iterator[Line]:
    for one in report.corrections:
        moved = money_text(one.after_cents - one.before_cents)
        words = f"{utc_text(one.wall_ms)}: {one.why}, approval {one.approval}, {one.reason}"
        yield "corrections", one.pot, one.who, str(one.entry), moved, words
    for change in report.changes:
        words = f"{utc_text(change.wall_ms)}: {change.kind}, from {change.before} to {change.after}"
        if change.approval or change.reason:
            words += f", approval {change.approval}, {change.reason}"
        yield "changes", change.place, change.who, str(change.entry), "", words
    for happening in report.happenings:
        words = f"{utc_text(happening.wall_ms)}: {happening.words}"
        yield "happenings", happening.kind, happening.who, str(happening.entry), "", words
