"""The par sheet: one document about a set of house rules, as text and as one page for A4 paper.

The page has no script and needs no other file. It is stamped with the hash of the house rules and the
version of the software; the same rules and the same software give the same page to the last byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape
from typing import Final

from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules, option_texts
from table_controller.odds.analysis import (
    Analysis,
    about_table,
    amount_text,
    bonus_hands_table,
    bonus_table,
    breaks_even,
    hand_words,
    hold_table,
    main_table,
    notes_table,
    outcomes_table,
    progressive_hands_table,
    progressive_table,
    signed,
)
from table_controller.odds.counts import Counts
from table_controller.odds.decimals import decimal_text, grouped, percent_text
from table_controller.odds.decisions import ACE, Cell, Share, ace_king_cells, rank_letter, shares_by_hand
from table_controller.odds.plots import (
    Mark,
    ace_king_plot,
    results_plot,
    return_plot,
    share_word,
    shown_range,
    ticks,
)
from table_controller.odds.progressive import UNIT_CENTS, Progressive
from table_controller.odds.results import Results, results
from table_controller.odds.sheet import Table, is_number, right_columns, rules_hash, tables_text

ROUNDS: Final = 100
"""After so many rounds the result is drawn."""
_FARTHEST: Final = 3 * ROUNDS
"""Results above this are only said, in antes: nothing of any use could be seen there."""
_ENOUGH: Final = Fraction(9, 10)
"""So many of all courses have to be in a drawing of them."""
_QUANTILES: Final = ("0.01", "0.05", "0.25", "0.50", "0.75", "0.95", "0.99")


def sheet(of: Analysis, counts: Counts) -> list[Table]:
    """The document, from what it is about to what it leaves out."""
    shares, ace_king = decision_tables(of, counts)
    tables = [about_table(of), main_table(of.main), hold_table(of), pay_tables(of.rules), shares]
    tables += [outcomes_table(of.main), ace_king]
    tables.append(results_table(results(of_a_round(of), ROUNDS, _FARTHEST)))
    if of.bonus is not None:
        tables += [bonus_table(of.bonus), bonus_hands_table(of.bonus)]
    if of.progressive is not None:
        tables += [
            progressive_table(of.progressive, of.coins_per_hour),
            progressive_hands_table(of.progressive),
            meter_table(of.progressive),
        ]
    return [*tables, options_table(of.rules), notes_table(of.not_in_the_figure)]


def parsheet_text(of: Analysis, counts: Counts) -> str:
    """The document for a terminal; what the page draws stands here in rows."""
    return "\n".join([f"PAR SHEET OF {of.name}".upper(), "", tables_text(sheet(of, counts))])


# ----------------------------------------------------------------------------------- its tables


def pay_tables(rules: HouseRules) -> Table:
    """What every hand is paid, by the raise and by the side bets that the house offers."""
    heads = ["hand", "raise"]
    if rules.has_bonus:
        heads.append("5+1 bonus")
    if rules.has_progressive:
        heads.append("progressive")
    rows = []
    for kind in sorted(Category, reverse=True):
        row = [hand_words(kind), f"{rules.raise_odds(kind)} to 1"]
        if rules.has_bonus:
            row.append(f"{rules.bonus_odds(kind)} to 1" if rules.bonus_odds(kind) else "-")
        if rules.has_progressive:
            prize = rules.prize(kind)
            row.append("-" if prize is None else prize.text)
        rows.append(tuple(row))
    return Table("pays", "Pay tables", tuple(heads), tuple(rows))


def decision_tables(of: Analysis, counts: Counts) -> Iterator[Table]:
    """The share of every kind of hand that raises, and the ace-king hands by third card and up card."""
    rows = tuple(
        (name, grouped(share.pairs), grouped(share.raised), percent_text(share.fraction))
        for name, share in shares_by_hand(counts, of.raises)
    )
    heads = ("hand", "hands", "raise", "share")
    counted = ("Counted with every up card. The last three have no pair.",)
    yield Table("shares", "Which hands raise", heads, rows, counted)
    cells = ace_king_cells(counts, of.raises)
    lines = (
        "R: every hand of the cell raises; F: every hand folds; a number: so many hundredths of them raise. "
        "A blank cell cannot be. The third card is the highest beside ace and king.",
    )
    yield Table(
        "ace-king",
        "Decisions with ace and king, no pair",
        ("third card, up card",),
        tuple(_ace_king_rows(cells)),
        lines,
        ace_king_plot(cells),
        drawing_says_all=True,
    )


def _ace_king_rows(cells: Mapping[Cell, Share]) -> Iterator[tuple[str, ...]]:
    ups = range(ACE, 1, -1)
    for matches, name in (
        (True, "up card has a rank of the hand"),
        (False, "up card has no rank of the hand"),
    ):
        yield (name, *map(rank_letter, ups))
        for third in sorted({cell.third for cell in cells}, reverse=True):
            of_row = [cells.get(Cell(matches, third, up)) for up in ups]
            words = ("" if share is None else share_word(share) for share in of_row)
            yield (f"A K {rank_letter(third)}", *words)


def of_a_round(of: Analysis) -> dict[int, int]:
    """How many deals end with each result, in antes."""
    found: dict[int, int] = {}
    for name, count in of.main.outcomes.items():
        antes = of.main.results[name]
        found[antes] = found.get(antes, 0) + count
    return found


def results_table(found: Results) -> Table:
    """The result after many rounds of one ante: win, even, loss, and what so many courses stay below."""
    loss, even = found.below(0), found.of(0)
    rows = [
        ("loss", percent_text(loss), decimal_text(loss)),
        ("even", percent_text(even), decimal_text(even)),
        ("win", percent_text(1 - loss - even), decimal_text(1 - loss - even)),
    ]
    reached = [(Fraction(share), found.quantile(Fraction(share))) for share in _QUANTILES]
    below = ", ".join(
        f"{percent_text(share, 0)}: {f'above {_FARTHEST:+d}' if result is None else signed(result)}"
        for share, result in reached
    )
    lines = [f"So many of all courses end at this result or lower: {below}."]
    drawing = ""
    if found.below(_FARTHEST + 1) >= _ENOUGH:
        lowest, highest = shown_range(found)
        beyond = found.below(lowest) + 1 - found.below(highest + 1)
        drawing = results_plot(found)
        lines.append(
            f"Drawn from {lowest:+d} to {highest:+d}; {percent_text(beyond)} of all courses end beyond. "
            "Only positions on the paper are rounded."
        )
    else:
        lines.append(f"No drawing: too many courses end above {_FARTHEST:+d}.")
    lines.append(f"Exact: {found.rounds} rounds of one ante with best play, side bets left out.")
    title = f"Result after {found.rounds} rounds, in antes"
    return Table("results", title, ("", "", "14 digits"), tuple(rows), tuple(lines), drawing)


def meter_table(side: Progressive) -> Table:
    """The return of a coin at round meters, and at those that mean something."""
    break_even = side.break_even_cents / UNIT_CENTS
    marks = _marks(side)
    until = max(
        [break_even * Fraction(5, 4), *(mark.meter * Fraction(11, 10) for mark in marks), Fraction(1)]
    )
    # A coin that gives back more than it costs at any meter breaks even nowhere.
    named = [*marks, Mark(break_even, "break-even")] if breaks_even(side) else marks
    known = {mark.meter for mark in named}
    round_meters = [Mark(meter, "") for meter in ticks(Fraction(0), until, 8) if meter not in known]
    rows = []
    for mark in sorted([*named, *round_meters]):
        at = side.return_at(mark.meter * UNIT_CENTS)
        rows.append((amount_text(mark.meter * UNIT_CENTS), percent_text(at), decimal_text(at), mark.name))
    drawing = return_plot(
        lambda meter: side.return_at(meter * UNIT_CENTS),
        until,
        marks,
        break_even if breaks_even(side) else None,
    )
    heads = ("meter", "return", "14 digits", "")
    return Table("meter", "Return against the meter", heads, tuple(rows), (), drawing)


def _marks(side: Progressive) -> list[Mark]:
    return [
        Mark(Fraction(side.reset_cents, UNIT_CENTS), "reset"),
        Mark(side.run.mean_meter_cents / UNIT_CENTS, "long-run mean"),
    ]


def options_table(rules: HouseRules) -> Table:
    """Every option with its value: what the hash is over."""
    rows = tuple(option_texts(rules).items())
    return Table("options", "House rules, every option", (), rows, (f"SHA-256 {rules_hash(rules)}",))


# ------------------------------------------------------------------------------------ the page

# No script and nothing from elsewhere, as on every page that is kept for years.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
@page { size: A4; margin: 11mm 12mm 14mm;
  @bottom-left { content: "%(stamp)s"; font: 7pt "Liberation Sans", Arial, sans-serif; }
  @bottom-right { content: counter(page) " / " counter(pages);
    font: 7pt "Liberation Sans", Arial, sans-serif; } }
* { box-sizing: border-box; }
body { font: 8.5pt/1.3 "Liberation Sans", Arial, Helvetica, sans-serif; color: #000; background: #fff;
  width: 186mm; margin: 6mm auto; display: grid; grid-template-columns: 1fr 1fr; column-gap: 8mm;
  align-content: start; }
body > * { grid-column: 1 / -1; min-width: 0; }
.main, .pays { grid-column: 1; }
.hold, .shares { grid-column: 2; }
h1 { font-size: 16pt; margin: 0 0 1mm; overflow-wrap: anywhere; }
h2 { font-size: 10.5pt; margin: 4mm 0 1mm; padding-bottom: 0.4mm; border-bottom: 0.35mm solid #000;
  break-after: avoid; }
table { border-collapse: collapse; width: 100%%; font-variant-numeric: tabular-nums; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
section { break-inside: avoid; }
th, td { text-align: left; vertical-align: top; padding: 0.35mm 3mm 0.35mm 0; }
th { font-weight: 600; }
thead th { vertical-align: bottom; border-bottom: 0.2mm solid #000; }
tbody tr + tr > * { border-top: 0.1mm solid #999; }
tbody th { font-weight: 400; }
.main th, .pays th, .shares th { white-space: nowrap; }
.n { text-align: right; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.about table, .bonus table, .progressive table, .results table, .meter table { width: auto; }
.bonus td.n, .progressive td.n, .results td.n, .meter td.n { padding-left: 8mm; }
.about td { font-weight: 600; overflow-wrap: anywhere; }
.main td:nth-child(2), .hold td:nth-child(2), .bonus td:nth-child(2), .progressive td:nth-child(2) {
  font-weight: 600; }
.options table, .options tbody { display: block; font-size: 7.5pt; }
.options tbody { columns: 3; column-gap: 5mm; }
.options tr { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: 3mm; }
.options tr > * { border: 0; padding-right: 0; }
.options tbody tr { border-top: 0.1mm solid #999; }
.options td { overflow-wrap: anywhere; text-align: right; margin-left: auto; }
p { margin: 0.8mm 0; break-inside: avoid; overflow-wrap: anywhere; }
.notes p { padding-left: 4mm; text-indent: -4mm; }
svg { display: block; max-width: 100%%; height: auto; }
svg text { font-family: "Liberation Sans", Arial, Helvetica, sans-serif; fill: #000; }
svg .free { stroke: #fff; stroke-width: 0.6; paint-order: stroke; }
@media print { body { margin: 0; width: auto; } }
"""


def parsheet_html(of: Analysis, counts: Counts) -> str:
    """The document as one HTML page for A4, black on white, without script and without any other file."""
    title = escape(f"Par sheet: Caribbean Stud Poker, {of.name}")
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{title}</title>\n<style>{_STYLE % {'stamp': _stamp(of)}}</style>\n</head>",
        f"<body>\n<h1>{title}</h1>",
        *map(_section, sheet(of, counts)),
    ]
    return "\n".join([*parts, "</body>\n</html>\n"])


def _stamp(of: Analysis) -> str:
    """What stands at the foot of every page; nothing in it can end a text of the style."""
    software = "".join(char if char.isalnum() or char in ".+-" else "_" for char in of.software)
    return f"house rules {rules_hash(of.rules)}, table-controller {software}"


def _section(table: Table) -> str:
    parts = [f'<section class="{escape(table.kind)}">\n<h2>{escape(table.title)}</h2>']
    if table.drawing:
        parts.append(table.drawing)
    if table.rows and not table.drawing_says_all:
        right = right_columns(table.rows)
        head = ""
        if table.heads:
            cells = "".join(
                f'<th scope="col"{_side(at_right)}>{escape(cell)}</th>'
                for cell, at_right in zip(table.heads, right, strict=True)
            )
            head = f"<thead><tr>{cells}</tr></thead>\n"
        body = "\n".join(map(_row, table.rows))
        parts.append(f"<table>\n{head}<tbody>\n{body}\n</tbody>\n</table>")
    parts += [f"<p>{escape(line)}</p>" for line in table.lines]
    return "\n".join([*parts, "</section>"])


def _row(row: tuple[str, ...]) -> str:
    name, *cells = row
    body = "".join(f"<td{_side(is_number(cell))}>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th scope="row"{_side(is_number(name))}>{escape(name)}</th>{body}</tr>'


def _side(at_right: bool) -> str:
    return ' class="n"' if at_right else ""
