"""Dealt hands, settled by the engine, beside the exact distribution of the main game.

    python -m tests.odds.deals [--deals N] [--preset NAME] [--seed N] [--workers N]

Each deal is nine cards and an up card off a fresh deck; the decision is the best one, looked up in the
rows of `odds.counts`; `engine.settlement.settle` pays. What it paid names the outcome, and each outcome
has to come to what the analysis says it is worth. Then the counts of the outcomes are compared with the
exact ones by chi-square.

Exit code 0 if chance alone would bring as much in one of 10,000 runs or more, and 1 if not.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import erfc, exp, gamma, sqrt
from multiprocessing import Pool
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from table_controller.engine.cards import DECK, RANK_MASK, RANK_WEIGHTS, SUIT_SHIFT, SUIT_WEIGHTS
from table_controller.engine.hands import Category, category, qualifies, strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.settlement import SeatBets, settle
from table_controller.odds.counts import DEALS, Counts, count
from table_controller.odds.main_game import analyse, best, results_of
from table_controller.odds.patterns import PATTERNS, Flags
from table_controller.presets import PRESETS, load_preset

DEALS_DEALT: Final = 10_000_000
DEALS_OF_A_STRETCH: Final = 50_000
PRESETS_DEALT: Final = ("us_standard", "live")
ANTE_CENTS: Final = 1000
SEAT: Final = 1
LEAST_EXPECTED: Final = 5
"""Outcomes that are expected less often are counted together: chi-square is no good for them."""
TOO_UNLIKELY: Final = 1e-4

Cards = NDArray[np.int64]


class Rows(NamedTuple):
    """The rows by what tells them apart, in growing order of that key; `rows` are their numbers."""

    keys: NDArray[np.int64]
    rows: NDArray[np.intp]

    def of(self, hands: Cards, ups: Cards) -> NDArray[np.intp]:
        """The row of each five cards and up card."""
        totals = hands.sum(axis=1)
        flush = np.isin(totals >> SUIT_SHIFT, [5 * suit for suit in SUIT_WEIGHTS])
        ranks = _RANK_BY_WEIGHT[hands & RANK_MASK]
        same = hands >> SUIT_SHIFT == (ups >> SUIT_SHIFT)[:, None]
        same_suit = (same << (ranks - 2)).sum(axis=1)
        patterns = _PATTERN_BY_WEIGHT[totals & RANK_MASK]
        wanted = key(patterns, _RANK_BY_WEIGHT[ups & RANK_MASK], same_suit, flush)
        places = np.searchsorted(self.keys, wanted)
        if (self.keys.take(places, mode="clip") != wanted).any():
            raise LookupError("a hand and an up card are in no row")
        return self.rows[places]


def key(patterns: Cards, up_ranks: Cards, same_suit: Cards, flush: Flags) -> Cards:
    """One number for what makes a row."""
    return ((patterns << 4 | up_ranks) << 13 | same_suit) << 1 | flush


def rows_of(counts: Counts) -> Rows:
    """The rows, to look up hands in."""
    keys = key(
        counts.pattern.astype(np.int64),
        counts.up_rank.astype(np.int64),
        counts.same_suit.astype(np.int64),
        counts.flush,
    )
    order = np.argsort(keys)
    return Rows(keys[order], order)


def _by_weight() -> tuple[Cards, Cards]:
    """The rank of a card by the weight of its rank, and the pattern of a hand by the sum of them."""
    ranks, patterns = np.zeros(RANK_MASK + 1, np.int64), np.full(RANK_MASK + 1, -1, np.int64)
    ranks[list(RANK_WEIGHTS)] = range(2, 15)
    for number, pattern in enumerate(PATTERNS):
        patterns[sum(RANK_WEIGHTS[rank - 2] for rank in pattern)] = number
    return ranks, patterns


_RANK_BY_WEIGHT, _PATTERN_BY_WEIGHT = _by_weight()
_CARD: Final = np.asarray(DECK, np.int64)


def dice(seed: Sequence[int]) -> np.random.Generator:
    """Dice that hang on these numbers alone."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def dealt(dice_: np.random.Generator, deals: int) -> Cards:
    """So many times ten cards off a fresh deck: five of the player, five of the dealer, his first is up."""
    decks = np.tile(np.arange(52, dtype=np.int8), (deals, 1))
    every = np.arange(deals)
    for place in range(10):
        other = dice_.integers(place, 52, deals)
        decks[every, other], decks[:, place] = decks[:, place].copy(), decks[every, other]
    return _CARD[decks[:, :10]]


class Seen(NamedTuple):
    """What the engine paid on ante and raise, in cents; how the hands stood to each other (1, 0, -1)."""

    ante: str
    ante_cents: int
    raise_: str
    raise_cents: int
    own: Category
    sign: int
    dealer_plays: bool


def settled(
    rules: HouseRules, rows: Rows, raises_of: Flags, seed: Sequence[int], deals: int
) -> Counter[Seen]:
    """Deal, decide by row and settle; how often each was seen. The dice hang on the seed alone."""
    cards = dealt(dice(seed), deals)
    counted: Counter[Seen] = Counter()
    decisions = raises_of[rows.of(cards[:, :5], cards[:, 5])]
    for ten, raises in zip(map(tuple, cards.tolist()), decisions.tolist(), strict=True):
        hand, dealer = ten[:5], ten[5:]
        bets = SeatBets(SEAT, ANTE_CENTS, 2 * ANTE_CENTS if raises else 0, 0, not raises, hand)
        _, ante, raise_, _ = msgspec.structs.astuple(settle(rules, dealer, dealer[0], [bets])[SEAT])
        own, other = strength(hand), strength(dealer)
        sign = (own > other) - (own < other)
        seen = Seen(ante.kind, ante.cents, raise_.kind, raise_.cents, category(own), sign, qualifies(other))
        counted[seen] += 1
    return counted


_IN_HAND: Final = {"none": 0, "push": 0, "win": 1, "lose": -1}
_UNQUALIFIED: Final = {1: "not_qualified_beat", 0: "not_qualified_tie", -1: "not_qualified_lose"}


def outcome(seen: Seen) -> str:
    """Its name in the exact distribution, from what was paid."""
    if seen.raise_ == "none":
        return "fold"
    if seen.raise_ == "win":
        return f"win_{seen.own.label}"
    if seen.raise_ == "lose":
        return "lose"
    return "push" if seen.dealer_plays else _UNQUALIFIED[seen.sign]


def outcomes(worth: Mapping[str, int], counted: Mapping[Seen, int]) -> Counter[str]:
    """How often each outcome was seen; `worth` is what the analysis counts for each, in antes.

    Raises `ArithmeticError` where the engine paid anything else.
    """
    named: Counter[str] = Counter()
    for seen, times in counted.items():
        name = outcome(seen)
        paid_cents = _IN_HAND[seen.ante] * seen.ante_cents + _IN_HAND[seen.raise_] * seen.raise_cents
        if paid_cents != worth[name] * ANTE_CENTS:
            raise ArithmeticError(f"{name} is worth {worth[name]} antes, and the engine paid {seen}")
        named[name] += times
    return named


# ------------------------------------------------------------------------------ the comparison


class Line(NamedTuple):
    """One outcome, or rare ones together: how often it was expected and seen."""

    name: str
    expected: Fraction
    seen: int

    @property
    def part(self) -> Fraction:
        """What it adds to chi-square."""
        return (self.seen - self.expected) ** 2 / self.expected


class Comparison(NamedTuple):
    """The outcomes seen beside the exact ones; `impossible` were seen and have no deal at all."""

    lines: tuple[Line, ...]
    impossible: tuple[str, ...]

    @property
    def chi_square(self) -> float:
        """The sum over the outcomes."""
        return float(sum(line.part for line in self.lines))

    @property
    def freedom(self) -> int:
        """Degrees of freedom: the outcomes, less one as they add up to the deals."""
        return len(self.lines) - 1

    @property
    def chance(self) -> float:
        """How likely chance alone brings a chi-square as large as that or larger."""
        return chance_of(self.chi_square, self.freedom)

    @property
    def agrees(self) -> bool:
        """Whether chance alone can have brought it."""
        return not self.impossible and self.chance >= TOO_UNLIKELY

    def texts(self) -> Iterator[str]:
        """A line for each outcome and the verdict."""
        for line in self.lines:
            off = float(line.seen - line.expected) / sqrt(line.expected)
            exact = f"exact {float(line.expected):>14,.1f}   residual {off:+.2f}"
            yield f"    {line.name:<44} {line.seen:>11,}   {exact}"
        for name in self.impossible:
            yield f"    {name}: no deal comes to it, and it was seen"
        found = f"chi-square {self.chi_square:.2f} on {self.freedom} degrees of freedom"
        yield f"    {found}, p = {self.chance:.4f}{'' if self.agrees else '   OFF'}"


def compared(exact: Mapping[str, int], seen: Mapping[str, int]) -> Comparison:
    """Outcomes seen beside exact ones, the rarest together until each line is expected often enough."""
    deals = sum(seen.values())
    rising = sorted((Fraction(ways * deals, DEALS), name) for name, ways in exact.items() if ways)
    lines: list[Line] = []
    names: list[str] = []
    expected, found = Fraction(0), 0
    for often, name in rising:
        names.append(name)
        expected, found = expected + often, found + seen.get(name, 0)
        if expected >= LEAST_EXPECTED:
            lines.append(Line(" + ".join(names), expected, found))
            names, expected, found = [], Fraction(0), 0
    if names:
        # So few deals that even the most frequent are too rare.
        before = lines.pop() if lines else Line("", Fraction(0), 0)
        together = " + ".join(filter(None, (before.name, *names)))
        lines.append(Line(together, before.expected + expected, before.seen + found))
    impossible = tuple(sorted(name for name, times in seen.items() if times and not exact.get(name)))
    return Comparison(tuple(reversed(lines)), impossible)


def chance_of(chi_square: float, freedom: int) -> float:
    """The upper tail of the chi-square distribution, a finite sum for whole degrees of freedom."""
    if not freedom:
        return 1.0
    half = chi_square / 2
    odd = freedom % 2
    rest = erfc(sqrt(half)) if odd else 0.0
    for place in range(freedom // 2):
        power = place + odd / 2
        term: float = half**power
        rest += exp(-half) * term / gamma(power + 1)
    return rest


# ------------------------------------------------------------------------------ on all processors


class Stretch(NamedTuple):
    """Some deals of a preset; with the same seed and number they are the same deals."""

    preset: str
    seed: int
    number: int
    deals: int


def stretches(preset: str, deals: int, seed: int) -> list[Stretch]:
    """The deals of a preset in stretches, the last as long as what is left."""
    firsts = range(0, deals, DEALS_OF_A_STRETCH)
    return [
        Stretch(preset, seed, number, min(DEALS_OF_A_STRETCH, deals - first))
        for number, first in enumerate(firsts)
    ]


def play(stretch: Stretch, rows: Rows, raises: Flags) -> Counter[str]:
    """Deal and settle a stretch with these decisions by row; how often each outcome was seen."""
    rules = load_preset(stretch.preset)
    seed = (stretch.seed, PRESETS.index(stretch.preset), stretch.number)
    return outcomes(results_of(rules), settled(rules, rows, raises, seed, stretch.deals))


_given: list[tuple[Rows, dict[str, Flags]]] = []


def _give(rows: Rows, raises: dict[str, Flags]) -> None:
    """What every worker needs once."""
    _given.append((rows, raises))


def _played(stretch: Stretch) -> tuple[Stretch, Counter[str]]:
    rows, raises = _given[0]
    return stretch, play(stretch, rows, raises[stretch.preset])


def run(presets: Sequence[str], deals: int, seed: int, workers: int) -> int:
    """So many deals of each preset; the exit code."""
    began_s = time.monotonic()
    counts = count()
    raises = {preset: best(load_preset(preset), counts) for preset in presets}
    exact = {preset: analyse(load_preset(preset), counts, raises[preset]).outcomes for preset in presets}
    rows = rows_of(counts)
    wanted = [stretch for preset in presets for stretch in stretches(preset, deals, seed)]
    seen: dict[str, Counter[str]] = {preset: Counter() for preset in presets}
    done, of = 0, deals * len(presets)
    with Pool(workers, _give, (rows, raises)) as pool:
        for stretch, counted in pool.imap_unordered(_played, wanted):
            seen[stretch.preset] += counted
            done += stretch.deals
            took_s = time.monotonic() - began_s
            print(f"\r{done:,} of {of:,} deals, {took_s:.0f} s", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    agree = True
    for preset in presets:
        comparison = compared(exact[preset], seen[preset])
        agree &= comparison.agrees
        print(f"{preset}: {deals:,} deals, seed {seed}")
        for text in comparison.texts():
            print(text)
    print(f"{of:,} deals in {time.monotonic() - began_s:.0f} s on {workers} processors")
    return 0 if agree else 1


def _many(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"found {text}, allowed is 1 or more")
    return number


def main() -> int:
    """Read the command line and run what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.odds.deals")
    parser.add_argument("--deals", type=_many, default=DEALS_DEALT, help=f"of each preset ({DEALS_DEALT:,})")
    parser.add_argument("--preset", choices=PRESETS, action="append", help="more than once for several")
    parser.add_argument("--seed", type=_many, default=1)
    parser.add_argument("--workers", type=_many, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    return run(asked.preset or PRESETS_DEALT, asked.deals, asked.seed, asked.workers)


if __name__ == "__main__":
    sys.exit(main())
