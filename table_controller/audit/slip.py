"""The slip of an award: what is signed by those who verified and paid it, and by the player.

It is made from the log of hits alone, as plain text and as one page for A4 that needs no other file
(STANDARDS.md, items 40, 41 and 45).
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from textwrap import wrap
from typing import Final

from table_controller.audit.hits import Hit
from table_controller.audit.paper import utc_text
from table_controller.engine.money import money_text
from table_controller.record import plain

WIDTH: Final = 102
SIGNATURES: Final = ("Verified by, first", "Verified by, second", "Paid by", "Received by the player")
TO_FILL_IN: Final = (
    "Name of the player",
    "Identity document, number",
    "Address",
    "Tax number or exemption",
    "Tax withheld",
    "Paid out",
)
_ONES: Final = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_THOUSANDS: Final = ("", " thousand", " million", " billion")

Row = tuple[str, str]


def number_words(number: int) -> str:
    """A whole number below a million million in English words; 0 is `no`."""
    if number == 0:
        return _ONES[0]
    words = []
    for power, name in reversed(list(enumerate(_THOUSANDS))):
        part = number // 1000**power % 1000
        if part:
            words.append(_hundreds(part) + name)
    return " ".join(words)


def _hundreds(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = [f"{_ONES[hundreds]} hundred"] if hundreds else []
    if rest >= 20:
        tens, ones = divmod(rest, 10)
        words.append(_TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else ""))
    elif rest:
        words.append(_ONES[rest])
    return " and ".join(words)


def amount_words(cents: int) -> str:
    """An amount in words: `one thousand units and four cents`; the currency is the table's."""
    units, part = divmod(cents, 100)
    of_units = f"{number_words(units)} unit{'' if units == 1 else 's'}"
    return f"{of_units} and {number_words(part)} cent{'' if part == 1 else 's'}"


def _loud(hit: Hit) -> str:
    """What must be read before everything else; empty for an award that may be paid or was."""
    why = f": {hit.reason}" if hit.reason else ""
    if hit.status == "rejected":
        return f"REJECTED{why}"
    if hit.status == "withdrawn":
        return f"WITHDRAWN, the round is void{why}"
    if hit.status == "waits":
        return "NOT DECIDED: nothing may be paid on this slip"
    if hit.status == "withheld":
        return f"PAYMENT WITHHELD ({hit.checks[-1].hold})"
    return ""


def _award(hit: Hit) -> Iterator[Row]:
    yield "Document", hit.document
    yield "Table", hit.table
    yield "Date and time (UTC)", utc_text(hit.wall_ms)
    yield "Round", hit.round
    yield "Seat", str(hit.seat)
    yield "Hand", hit.hand.replace("_", " ") + (", share of another seat's" if hit.kind == "share" else "")
    yield "Cards", " ".join(hit.cards) or "-"
    counted = "not counted"
    if hit.stub_cards is not None:
        whole = "complete" if hit.deck_complete else "NOT FOUND COMPLETE"
        counted = f"{hit.stub_cards} cards in the rest of the deck: {whole}"
    yield "Deck count", counted
    yield "Camera", hit.camera or "-"


def _money(hit: Hit) -> Iterator[Row]:
    yield "Value of the meter at the hit", money_text(hit.meter_cents)
    yield "AMOUNT", money_text(hit.cents)
    yield "In words", amount_words(hit.cents)
    yield "From the meter", money_text(hit.take_cents)
    yield "Missing part, added by the house", money_text(hit.house_cents)
    yield "Fixed prize, paid by the house", money_text(hit.cents - hit.take_cents - hit.house_cents)
    yield "Meter reset to", "no reset" if hit.reset_cents is None else money_text(hit.reset_cents)
    if hit.meter_after_cents is not None:
        yield "Meter after the reset", money_text(hit.meter_after_cents)


def _people(hit: Hit) -> Iterator[Row]:
    verb = "Rejected" if hit.status == "rejected" else "Confirmed"
    for name, who, at_ms in zip(
        ("first", "second"), hit.decided_by, (hit.seconded_ms, hit.decided_ms), strict=False
    ):
        yield f"{verb} by, {name}", who + (f", {utc_text(at_ms)} UTC" if at_ms is not None else "")
    if hit.status == "withdrawn" and hit.paid_by:
        yield "TAKE BACK", f"{money_text(hit.cents)}, paid at once by {hit.paid_by} before the round was void"
    if not hit.decided_by and hit.status == "paid":
        yield "Confirmed by", "nobody: below the amount that waits for two people"
    for check in hit.checks:
        words = f"{check.hold}, {check.operator}, {utc_text(check.wall_ms)} UTC: {check.reason}"
        yield check.what.capitalize(), words
    if hit.known_until:
        yield "NOT PAID", f"when {hit.known_until}: ask the later files before you pay"
    if hit.status == "paid":
        yield "Paid by", f"{hit.paid_by}, {hit.paid_at}, {utc_text(hit.paid_ms or 0)} UTC"


def _evidence(hit: Hit) -> Iterator[Row]:
    yield "Journal", f"{hit.file}, entry {hit.entry}"
    yield "Hash over it and all before it", hit.chain


def _parts(hit: Hit) -> Iterator[tuple[str, list[Row]]]:
    parts = {"Award": _award, "Money": _money, "Decision and payment": _people, "Evidence": _evidence}
    for title, rows in parts.items():
        yield title, [(name, plain(text)) for name, text in rows(hit)]


def _blanks(hit: Hit) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is filled in and signed by hand; nobody is paid on the slip of an award that is none."""
    if hit.status in ("rejected", "withdrawn"):
        return (), SIGNATURES[:2]
    return TO_FILL_IN, SIGNATURES


def slip_text(hit: Hit) -> str:
    """The slip as plain text, with lines to sign on."""
    lines = [f"AWARD SLIP {plain(hit.document)}", ""]
    if _loud(hit):
        lines += [f"*** {plain(_loud(hit))} ***", ""]
    for title, rows in _parts(hit):
        lines.append(title.upper())
        for name, text in rows:
            body = wrap(text, WIDTH - 36, break_on_hyphens=False) or [""]
            lines += [f"  {name:<32}  {body[0]}", *(f"{'':36}{more}" for more in body[1:])]
        lines.append("")
    fields, signatures = _blanks(hit)
    if fields:
        lines += ["TO FILL IN", *(f"  {name:<32}  {'_' * 40}" for name in fields), ""]
    lines += ["SIGNATURES", *(f"  {name:<32}  {'_' * 40}  {'_' * 16}" for name in signatures), ""]
    return "\n".join(lines)


# No script and nothing from elsewhere, as on every page that is kept for years.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
@page { size: A4; margin: 11mm 16mm; }
* { box-sizing: border-box; }
body { font: 9pt/1.25 "Liberation Sans", Arial, Helvetica, sans-serif; color: #000; background: #fff;
  max-width: 186mm; margin: 6mm auto; padding: 0 4mm; }
h1 { font-size: 16pt; margin: 0 0 2mm; }
h2 { font-size: 10pt; margin: 4mm 0 1mm; padding-bottom: 0.4mm; border-bottom: 0.35mm solid #000; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
tr { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: 0.4mm 2mm 0.4mm 0; }
th { width: 62mm; font-weight: 400; }
td { font-weight: 600; overflow-wrap: anywhere; }
.amount th, .amount td { font-size: 14pt; font-weight: 700; padding: 1mm 2mm 1mm 0; }
.evidence td { font: 8pt "Liberation Mono", "DejaVu Sans Mono", monospace; }
.fill th, .sign th { vertical-align: bottom; }
.fill td, .sign td { border-bottom: 0.2mm solid #000; height: 6mm; }
.sign td { height: 9.5mm; }
.sign td + td { width: 42mm; border-left: 4mm solid #fff; }
.loud { border: 1.2mm solid #000; padding: 3mm; margin: 3mm 0; font-size: 15pt; font-weight: 700; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def slip_html(hit: Hit) -> str:
    """The slip as one HTML page for A4, without script and without any other file; all text escaped."""
    title = escape(f"Award slip {plain(hit.document)}")
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
    ]
    if _loud(hit):
        parts.append(f'<div class="loud" role="alert">{escape(plain(_loud(hit)))}</div>')
    for name, rows in _parts(hit):
        parts += [f'<section class="{name.partition(" ")[0].lower()}">', f"<h2>{name}</h2>", "<table>"]
        parts += map(_row, rows)
        parts += ["</table>", "</section>"]
    fields, signatures = _blanks(hit)
    for kind, name, empty, cells in (
        ("fill", "To fill in", fields, "<td></td>"),
        ("sign", "Signatures: name and signature, date and time", signatures, "<td></td><td></td>"),
    ):
        if not empty:
            continue
        parts += [f'<section class="{kind}">', f"<h2>{name}</h2>", "<table>"]
        parts += [f'<tr><th scope="row">{escape(line)}</th>{cells}</tr>' for line in empty]
        parts += ["</table>", "</section>"]
    return "\n".join([*parts, "</body>\n</html>\n"])


def _row(row: Row) -> str:
    name, text = row
    kind = ' class="amount"' if name == "AMOUNT" else ""
    return f'<tr{kind}><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>'
