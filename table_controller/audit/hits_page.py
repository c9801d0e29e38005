"""The log of hits as text for a terminal, as a table for a spreadsheet, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from table_controller.audit.hits import Hit, HitLog
from table_controller.audit.paper import columns, csv_text, utc_text
from table_controller.engine.money import money_text
from table_controller.record import plain

READ_ONLY: Final = "This log is read from files that only grow: there is no way to change a line of it."
HEADS: Final = (
    *("document", "utc", "table", "round", "seat", "hand", "kind", "cards", "meter", "award"),
    *("from_meter", "added_by_house", "fixed_by_house", "reset", "meter_after", "status"),
    *("stub_cards", "first", "first_utc", "second", "decided_utc", "reason", "camera", "checks"),
    *("paid_by", "paid_at", "paid_utc", "withdrawn_utc", "file", "entry", "hash"),
)


def hits_json(log: HitLog) -> str:
    """The log as one JSON object; the fields are those of `HitLog`."""
    return msgspec.json.encode(log).decode()


def hits_csv(log: HitLog) -> str:
    """One line a hit, with every field there is (RFC 4180)."""
    return csv_text(HEADS, map(_cells, log.hits))


def check_words(hit: Hit) -> str:
    """What payment was withheld for and who released it, in one line."""
    return "; ".join(
        f"{utc_text(one.wall_ms)} {one.what} ({one.hold}) by {one.operator}: {one.reason}"
        for one in hit.checks
    )


def decision_words(hit: Hit) -> str:
    """Where an award stands, in one line."""
    if hit.status == "waits":
        return "waits for a decision"
    words = []
    if hit.decided_by:
        decision = "rejected" if hit.status == "rejected" else "confirmed"
        words.append(f"{decision} by {' and '.join(hit.decided_by)} at {_utc(hit.decided_ms)}")
    if hit.withdrawn_ms is not None:
        words.append(f"withdrawn with a void at {_utc(hit.withdrawn_ms)}")
        if hit.paid_by:
            words.append(f"TO BE TAKEN BACK: paid at once by {hit.paid_by}")
    if hit.reason:
        words.append(hit.reason)
    if hit.status == "owed":
        words.append(f"NOT PAID when {hit.known_until}")
    elif hit.status == "withheld":
        words.append(f"PAYMENT WITHHELD ({hit.checks[-1].hold}) when {hit.known_until}")
    elif hit.status == "paid":
        words.append(f"paid by {hit.paid_by} ({hit.paid_at}) at {_utc(hit.paid_ms)}")
    return ", ".join(words)


def _utc(wall_ms: int | None) -> str:
    return utc_text(wall_ms) if wall_ms is not None else ""


def _money(cents: int | None) -> str:
    return money_text(cents) if cents is not None else ""


def _cells(hit: Hit) -> tuple[str, ...]:
    first, second = (*hit.decided_by, "", "")[:2]
    fixed_cents = hit.cents - hit.take_cents - hit.house_cents
    return (
        *(hit.document, utc_text(hit.wall_ms), hit.table, hit.round, str(hit.seat), hit.hand, hit.kind),
        *(" ".join(hit.cards), money_text(hit.meter_cents), money_text(hit.cents)),
        *map(money_text, (hit.take_cents, hit.house_cents, fixed_cents)),
        *(_money(hit.reset_cents), _money(hit.meter_after_cents), hit.status),
        *("" if hit.stub_cards is None else str(hit.stub_cards), first, _utc(hit.seconded_ms)),
        *(second, _utc(hit.decided_ms), hit.reason, hit.camera, check_words(hit)),
        *(hit.paid_by, hit.paid_at, _utc(hit.paid_ms), _utc(hit.withdrawn_ms)),
        *(hit.file, str(hit.entry), hit.chain),
    )


def hits_text(log: HitLog) -> str:
    """The log for a terminal: a line of figures for each hit, what proves it and what became of it below."""
    lines = ["LOG OF HITS", "", READ_ONLY, ""]
    lines += columns(
        ("file", "entries", "hash over them"), [(one.name, str(one.entries), one.head) for one in log.files]
    )
    lines += [f"  MISSING: {plain(gap)}" for gap in log.gaps]
    shown = "all" if len(log.hits) == log.found else f"{len(log.hits)} of"
    lines += ["", f"{shown} {log.found} hits, the newest last" if log.found else "no hit", ""]
    heads = ("document", "UTC", "seat", "hand", "meter", "award", "from meter", "house", "reset", "status")
    table = list(columns(heads, map(_row, log.hits)))
    lines += table[:1]
    for hit, line in zip(log.hits, table[1:], strict=True):
        lines.append(line)
        lines += [f"      {plain(words)}" for words in _below(hit)]
    return "\n".join([*lines, ""])


def _row(hit: Hit) -> tuple[str, ...]:
    hand = hit.hand.replace("_", " ") + (" (share)" if hit.kind == "share" else "")
    house_cents = hit.cents - hit.take_cents
    amounts = map(money_text, (hit.meter_cents, hit.cents, hit.take_cents, house_cents))
    return (
        *(hit.document, utc_text(hit.wall_ms), str(hit.seat), hand),
        *amounts,
        *(_money(hit.reset_cents) or "-", hit.status),
    )


def _below(hit: Hit) -> Iterator[str]:
    cards = f", cards {' '.join(hit.cards)}" if hit.cards else ""
    yield f"table {hit.table}, round {hit.round}{cards}"
    yield decision_words(hit)
    proof = [f"camera {hit.camera}"] if hit.camera else []
    whole = "complete" if hit.deck_complete else "not found complete"
    proof += (
        [f"{hit.stub_cards} cards in the rest of the deck, {whole}"] if hit.stub_cards is not None else []
    )
    if proof:
        yield ", ".join(proof)
    if hit.checks:
        yield check_words(hit)
