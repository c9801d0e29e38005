"""The record of a round on paper: plain text for a terminal, and one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import Final

from table_controller.record import Record, Section

WIDTH: Final = 100
GAP: Final = "  "
LOUD: Final = "THE RECOMPUTATION COMES TO SOMETHING ELSE THAN THE JOURNAL HAS RECORDED"
UNFINISHED: Final = "This round is not finished: cards that lie face down are shown as ##."


def record_text(record: Record) -> str:
    """The record as plain text, at most 100 columns."""
    lines = [f"RECORD OF ROUND {record.round}", ""]
    if record.differences:
        lines += [f"!!! {LOUD} !!!", *_sentences(record.differences), ""]
    if record.unfinished:
        lines += [UNFINISHED, ""]
    for section in record.sections:
        lines += [section.title.upper(), *_table(section), *_sentences(section.lines), ""]
    return "\n".join(lines)


def _sentences(sentences: Sequence[str]) -> Iterator[str]:
    for sentence in sentences:
        yield from wrap(
            sentence, WIDTH, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False
        )


def _table(section: Section) -> Iterator[str]:
    """The rows in columns; a cell that is too wide goes on below."""
    rows = [section.heads, *section.rows] if section.heads else list(section.rows)
    if not rows:
        return
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(map(len, column)) for column in columns]
    room = WIDTH - len(GAP) * len(widths)
    while sum(widths) > room:
        widths[widths.index(max(widths))] -= 1
    for row in rows:
        cells = [wrap(cell, width) or [""] for cell, width in zip(row, widths, strict=False)]
        for line in zip_longest(*cells, fillvalue=""):
            padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=False))
            yield (GAP + GAP.join(padded)).rstrip()


# No script and nothing from elsewhere: the page is as readable in twenty years, and cannot be made to
# fetch anything by what somebody typed.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
@page { size: A4; margin: 11mm 12mm; }
* { box-sizing: border-box; }
body { font: 8pt/1.27 "Liberation Sans", Arial, Helvetica, sans-serif; color: #000; background: #fff;
  max-width: 194mm; margin: 6mm auto; padding: 0 4mm;
  display: grid; grid-template-columns: 2fr 3fr; grid-auto-flow: dense; column-gap: 5mm;
  align-content: start; }
body > * { grid-column: 1 / -1; min-width: 0; }
.round, .bets { grid-column: 1; }
.times, .meter { grid-column: 2; }
h1 { font-size: 14pt; margin: 0; }
h2 { font-size: 9pt; margin: 2.6mm 0 0.6mm; padding-bottom: 0.3mm; border-bottom: 0.35mm solid #000;
  break-after: avoid; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
thead { display: table-header-group; }
section { break-inside: auto; }
tr { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: 0.2mm 2mm 0.2mm 0; }
th { font-weight: 600; white-space: nowrap; }
td:last-child, .statements td:nth-child(4) { overflow-wrap: anywhere; }
tr + tr > * { border-top: 0.1mm solid #bbb; }
td:first-child { white-space: nowrap; }
.round td:first-child { width: 15mm; font-weight: 600; }
.times td:nth-child(-n+4) { white-space: nowrap; }
.cards td { font-family: "Liberation Mono", "DejaVu Sans Mono", monospace;
  white-space: nowrap; }
.statements td:nth-child(-n+3) { white-space: nowrap; width: 1%; }
.statements td:nth-child(4) { width: 17%; }
.statements td:last-child { width: 58%; }
p { margin: 0.5mm 0; overflow-wrap: anywhere; break-inside: avoid; padding-left: 4mm; text-indent: -4mm; }
.loud { border: 1mm solid #000; padding: 2mm 3mm; margin: 2mm 0; font-weight: 700; }
.open { border: 0.4mm dashed #000; padding: 1mm 3mm; margin: 2mm 0; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def record_html(record: Record) -> str:
    """The record as one HTML page for A4, without script and without any other file; all text escaped."""
    title = escape(f"Record of round {record.round}")
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
    ]
    if record.differences:
        paragraphs = "".join(f"<p>{escape(one)}</p>" for one in record.differences)
        parts.append(f'<div class="loud" role="alert">{LOUD}{paragraphs}</div>')
    if record.unfinished:
        parts.append(f'<div class="open">{UNFINISHED}</div>')
    parts += map(_section, record.sections)
    return "\n".join([*parts, "</body>\n</html>\n"])


def _section(section: Section) -> str:
    kind = section.title.partition(" ")[0].strip(",").lower()
    parts = [f'<section class="{escape(kind)}">\n<h2>{escape(section.title)}</h2>']
    if section.rows:
        heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in section.heads)
        head = f"<thead><tr>{heads}</tr></thead>\n" if heads else ""
        body = "\n".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in section.rows
        )
        parts.append(f"<table>\n{head}<tbody>\n{body}\n</tbody>\n</table>")
    parts += [f"<p>{escape(line)}</p>" for line in section.lines]
    return "\n".join([*parts, "</section>"])
