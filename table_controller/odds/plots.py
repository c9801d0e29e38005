"""Three drawings for paper, as SVG inside the page: black on white, lengths in millimetres.

Nothing is told by a colour alone: what is filled is also written. Exact values come in; they become
decimals only as positions on the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Final, NamedTuple

from table_controller.odds.decimals import decimal_text, grouped, percent_text
from table_controller.odds.decisions import Cell, Share, rank_letter
from table_controller.odds.results import Results

Length = Fraction | int

WIDTH_MM: Final = 186
_TEXT_MM: Final = Fraction("2.8")  # 8 points
_SMALL_MM: Final = Fraction("2.5")  # 7 points
_LEFT_MM: Final = 14
_RIGHT_MM: Final = 182
_LABEL_MM: Final = 45
_GREY: Final = "#d4d4d4"
_SAMPLES: Final = 200


class Mark(NamedTuple):
    """A value of the meter that is pointed out, in units of money."""

    meter: Fraction
    name: str


# ------------------------------------------------------------------------------------ strokes


def _at(value: Length) -> str:
    """A position, to a hundredth of a millimetre."""
    return decimal_text(value, 2).rstrip("0").rstrip(".")


_THIN: Final = 'stroke="#000" stroke-width="0.2"'
_GRID: Final = 'stroke="#bbb" stroke-width="0.12"'
_DASHED: Final = 'stroke="#000" stroke-width="0.25" stroke-dasharray="2 1"'
_DOTTED: Final = 'stroke="#000" stroke-width="0.2" stroke-dasharray="0.8 0.8"'


def _line(x1: Length, y1: Length, x2: Length, y2: Length, stroke: str = _THIN) -> str:
    return f'<line x1="{_at(x1)}" y1="{_at(y1)}" x2="{_at(x2)}" y2="{_at(y2)}" {stroke}/>'


def _box(x: Length, y: Length, w: Length, h: Length, fill: str) -> str:
    return f'<rect x="{_at(x)}" y="{_at(y)}" width="{_at(w)}" height="{_at(h)}" {fill}/>'


def _words(
    x: Length, y: Length, text: str, anchor: str = "start", size: Fraction = _TEXT_MM, kind: str = "axis"
) -> str:
    return (
        f'<text class="{kind}" x="{_at(x)}" y="{_at(y)}" text-anchor="{anchor}" '
        f'font-size="{_at(size)}">{escape(text)}</text>'
    )


def _drawing(title: str, height: Length, parts: Iterator[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH_MM}mm" height="{_at(height)}mm" '
        f'viewBox="0 0 {WIDTH_MM} {_at(height)}">\n<title>{escape(title)}</title>\n{body}\n</svg>'
    )


def ticks(low: Fraction, high: Fraction, most: int) -> Iterator[Fraction]:
    """Round values from `low` to `high`, about as many: a step is 1, 2 or 5 times a power of ten."""
    step = step_of(high - low, most)
    tick = step * -(-low // step)
    while tick <= high:
        yield tick
        tick += step


def step_of(span: Fraction, most: int) -> Fraction:
    """The least round step, 1, 2 or 5 times a power of ten, that cuts the span into at most so many."""
    power = Fraction(1)
    while power * most >= span:
        power /= 10
    while True:
        for digit in (1, 2, 5):
            if power * digit * most >= span:
                return power * digit
        power *= 10


# ------------------------------------------------------------------ the progressive by its meter


def return_plot(
    return_at: Callable[[Fraction], Fraction],
    until: Fraction,
    marks: Sequence[Mark],
    break_even: Fraction | None,
) -> str:
    """The return of a coin against the meter, up to `until`, with marks and the break-even, if any."""
    parts = _return_parts(return_at, until, marks, break_even)
    return _drawing("Return of the progressive against the meter", 68, parts)


def _return_parts(
    return_at: Callable[[Fraction], Fraction],
    until: Fraction,
    marks: Sequence[Mark],
    break_even: Fraction | None,
) -> Iterator[str]:
    top, bottom = 3, 57
    ceiling = max(return_at(until), Fraction(11, 10)) * Fraction(21, 20)

    def x_of(meter: Fraction) -> Fraction:
        return _LEFT_MM + (_RIGHT_MM - _LEFT_MM) * meter / until

    def y_of(share: Fraction) -> Fraction:
        return bottom - (bottom - top) * share / ceiling

    for share in ticks(Fraction(0), ceiling, 7):
        yield _line(_LEFT_MM, y_of(share), _RIGHT_MM, y_of(share), _GRID)
        yield _words(_LEFT_MM - 1, y_of(share) + 1, percent_text(share, 0), "end")
    for meter in ticks(Fraction(0), until, 8):
        yield _line(x_of(meter), bottom, x_of(meter), bottom + 1)
        yield _words(x_of(meter), bottom + 4, grouped(int(meter)), "middle")
    yield _words((_LEFT_MM + _RIGHT_MM) // 2, bottom + 9, "meter", "middle")
    yield _line(_LEFT_MM, top, _LEFT_MM, bottom)
    yield _line(_LEFT_MM, bottom, _RIGHT_MM, bottom)
    yield _line(_LEFT_MM, y_of(Fraction(1)), _RIGHT_MM, y_of(Fraction(1)), _DASHED)
    every = [until * sample / _SAMPLES for sample in range(_SAMPLES + 1)]
    points = " ".join(f"{_at(x_of(meter))},{_at(y_of(return_at(meter)))}" for meter in every)
    yield f'<polyline points="{points}" fill="none" stroke="#000" stroke-width="0.6"/>'
    shown = [(mark, False) for mark in marks if mark.meter <= until]
    shown += (
        [(Mark(break_even, "break-even"), True)] if break_even is not None and break_even <= until else []
    )
    for mark, filled in shown:
        x, y = x_of(mark.meter), y_of(return_at(mark.meter))
        fill = "#000" if filled else "#fff"
        yield _line(x, y, x, bottom, _DOTTED)
        circle = f'cx="{_at(x)}" cy="{_at(y)}" r="1"'
        yield f'<circle {circle} fill="{fill}" stroke="#000" stroke-width="0.35"/>'
    # Words come last, so that no line crosses them: above the line where there is room to the left,
    # else below it, the leftmost lowest.
    below = 4
    for mark, filled in sorted(shown, reverse=True):
        x, y = x_of(mark.meter), y_of(return_at(mark.meter))
        text = f"{mark.name} {grouped(int(decimal_text(mark.meter, 0)))}"
        # Beside the break-even the line of a mark may be crossed: it is the one that is looked for.
        others = [] if filled else [x_of(other.meter) for other, _ in shown if other.meter < mark.meter]
        if x - max([Fraction(_LEFT_MM), *others]) > _LABEL_MM:
            yield _words(x - 2, y - 2, text, "end", kind="free")
        else:
            yield _words(x + 2, y + below, text, kind="free")
            below += 4


# ----------------------------------------------------------------------- the result of many rounds


def results_plot(results: Results) -> str:
    """How likely each result is after so many rounds, between the outermost thousandths."""
    return _drawing(f"Result after {results.rounds} rounds, in antes", 68, _results_parts(results))


def _results_parts(results: Results) -> Iterator[str]:
    top, bottom = 8, 57
    first, last = shown_range(results)
    ceiling = max(results.of(result) for result in range(first, last + 1)) * Fraction(21, 20)
    width = Fraction(_RIGHT_MM - _LEFT_MM, last - first + 1)

    def x_of(result: int) -> Fraction:
        return _LEFT_MM + (result - first) * width

    def y_of(share: Fraction) -> Fraction:
        return bottom - (bottom - top) * share / ceiling

    for share in ticks(Fraction(0), ceiling, 6):
        yield _line(_LEFT_MM, y_of(share), _RIGHT_MM, y_of(share), _GRID)
        yield _words(_LEFT_MM - 1, y_of(share) + 1, percent_text(share, 1), "end")
    for span, fill in (
        (range(first, 0), 'fill="#999" stroke="#000" stroke-width="0.12"'),
        (range(1), 'fill="#000" stroke="#000" stroke-width="0.12"'),
        (range(1, last + 1), 'fill="#fff" stroke="#000" stroke-width="0.12"'),
    ):
        bars = []
        for result in span:
            y = _at(y_of(results.of(result)))
            # A bar too low to be drawn would only thicken the axis.
            if y != _at(bottom):
                bars.append(f"M{_at(x_of(result))} {bottom}V{y}H{_at(x_of(result + 1))}V{bottom}Z")
        yield f'<path d="{"".join(bars)}" {fill}/>'
    for tick in ticks(Fraction(first), Fraction(last), 12):
        x = x_of(int(tick)) + width / 2
        yield _line(x, bottom, x, bottom + 1)
        yield _words(x, bottom + 4, f"{int(tick):+d}" if tick else "0", "middle")
    yield _line(_LEFT_MM, top, _LEFT_MM, bottom)
    yield _line(_LEFT_MM, bottom, _RIGHT_MM, bottom)
    loss, even = results.below(0), results.of(0)
    middle = x_of(0) + width / 2
    yield _line(middle, top, middle, y_of(even), _DOTTED)
    told = (
        f"grey, left: loss {percent_text(loss)}; black: even {percent_text(even)}; "
        f"white, right: win {percent_text(1 - loss - even)}"
    )
    yield _words((_LEFT_MM + _RIGHT_MM) // 2, 5, told, "middle")
    axis = f"result after {results.rounds} rounds, in antes; a bar is one result"
    yield _words((_LEFT_MM + _RIGHT_MM) // 2, bottom + 9, axis, "middle")


def shown_range(results: Results) -> tuple[int, int]:
    """The results between the outermost thousandths, as far as they are counted; 0 is among them."""
    last_counted = results.lowest + len(results.counts) - 1
    first = results.quantile(Fraction(1, 1000))
    last = results.quantile(Fraction(999, 1000))
    ends = [last_counted if end is None else end for end in (first, last)]
    return min(ends[0], 0), max(ends[1], 0)


# ------------------------------------------------------------------------- ace and king, no pair

_SIDE_MM: Final = Fraction("5.9")
_HEAD_MM: Final = 10


def ace_king_plot(cells: Mapping[Cell, Share]) -> str:
    """The ace-king decisions: third card by up card, the share of hands that raise in each cell."""
    thirds = sorted({cell.third for cell in cells}, reverse=True)
    height = _HEAD_MM + len(thirds) * _SIDE_MM + 1
    return _drawing("Decisions with ace and king", height, _ace_king_parts(cells, thirds))


def _ace_king_parts(cells: Mapping[Cell, Share], thirds: Sequence[int]) -> Iterator[str]:
    for matches, left, name in (
        (True, 13, "Up card of a rank that the hand has"),
        (False, 117, "Up card of a rank that the hand has not"),
    ):
        yield _words(left, 4, name)
        ups = sorted({cell.up for cell in cells if cell.matches is matches}, reverse=True)
        for column, up in enumerate(ups):
            yield _words(left + column * _SIDE_MM + _SIDE_MM / 2, _HEAD_MM - 1, rank_letter(up), "middle")
        for row, third in enumerate(thirds):
            y = _HEAD_MM + row * _SIDE_MM
            yield _words(left - 1, y + 4, f"A K {rank_letter(third)}", "end", _SMALL_MM)
            for column, up in enumerate(ups):
                share = cells.get(Cell(matches, third, up))
                if share is not None:
                    yield from _cell(left + column * _SIDE_MM, y, share)


def _cell(x: Length, y: Length, share: Share) -> Iterator[str]:
    filled = _SIDE_MM * share.fraction
    yield _box(x, y + _SIDE_MM - filled, _SIDE_MM, filled, f'fill="{_GREY}"')
    yield _box(x, y, _SIDE_MM, _SIDE_MM, 'fill="none" stroke="#000" stroke-width="0.15"')
    yield _words(x + _SIDE_MM / 2, y + 4, share_word(share), "middle", _SMALL_MM)


def share_word(share: Share) -> str:
    """`R` where all hands raise, `F` where all fold, else the share that raises in hundredths."""
    if share.raised in (0, share.pairs):
        return "R" if share.raised else "F"
    # A share that is not all and not nothing is not written as 100 or 0.
    return str(min(99, max(1, int(decimal_text(share.fraction * 100, 0)))))
