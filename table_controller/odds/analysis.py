"""Everything that is known about one set of house rules under best play, and its tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from table_controller.engine.cards import Card, card_text
from table_controller.engine.hands import Category, hand_name, strength
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text
from table_controller.odds.bonus import Bonus, bonus
from table_controller.odds.counts import PAIRS, Counts, Flags
from table_controller.odds.decimals import decimal_text, grouped, one_in_text, percent_text
from table_controller.odds.main_game import Hand, MainGame, analyse, best
from table_controller.odds.progressive import UNIT_CENTS, Progressive, progressive
from table_controller.odds.scope import not_in_the_figure, not_in_the_progressive
from table_controller.odds.sheet import Table, printable, rules_hash
from table_controller.odds.strategy import Cost, Rule

_OUTCOMES: Final = {
    "fold": "fold",
    "not_qualified_beat": "dealer not qualified, hand better",
    "not_qualified_tie": "dealer not qualified, hands equal",
    "not_qualified_lose": "dealer not qualified, hand worse",
    "push": "dealer qualified, hands equal",
    "lose": "dealer qualified, hand worse",
}
_HANDS: Final = tuple(sorted(Category, reverse=True))
FULL_TABLE: Final = 7
"""Seats of a full table, each with a coin."""

Row = tuple[str, ...]


class Analysis(msgspec.Struct, frozen=True):
    """The figures of one house; `raises` are its best decisions, one for each row of the counts."""

    name: str
    rules: HouseRules
    software: str
    coins_per_hour: int
    raises: Flags
    main: MainGame
    bonus: Bonus | None
    progressive: Progressive | None

    @property
    def not_in_the_figure(self) -> tuple[str, ...]:
        """What matters under these rules and is in no figure."""
        own = [side.not_in_the_figure for side in (self.bonus, self.progressive) if side is not None]
        beside = (text for texts in own for text in texts)
        return (*not_in_the_figure(self.rules), *not_in_the_progressive(self.rules), *beside)


def analysis(name: str, rules: HouseRules, counts: Counts, coins_per_hour: int, software: str) -> Analysis:
    """Analyse the house rules that are known by that name."""
    raises = best(rules, counts)
    main = analyse(rules, counts, raises)
    return Analysis(
        printable(name), rules, software, coins_per_hour, raises, main, bonus(rules), progressive(rules)
    )


def hand_words(kind: Category) -> str:
    """A kind of hand in words."""
    return kind.label.replace("_", " ")


# ------------------------------------------------------------------------------ what it is about


def about_table(of: Analysis) -> Table:
    """Which rules and which program the figures belong to."""
    rows = (
        ("house rules", of.name),
        ("their hash (SHA-256)", rules_hash(of.rules)),
        ("software", f"table-controller {of.software}"),
    )
    return Table("about", "House rules", rows=rows)


def key_tables(of: Analysis) -> Iterator[Table]:
    """Everything but pay tables and decisions, in the order of `odds`."""
    yield main_table(of.main)
    yield outcomes_table(of.main)
    if of.bonus is not None:
        yield bonus_table(of.bonus)
        yield bonus_hands_table(of.bonus)
    if of.progressive is not None:
        yield progressive_table(of.progressive, of.coins_per_hour)
        yield progressive_hands_table(of.progressive)
    yield hold_table(of)


def notes_table(notes: tuple[str, ...]) -> Table:
    """What is left out, by the names of its options."""
    return Table("notes", "Not in these figures", lines=notes)


# ----------------------------------------------------------------------------- the main game


def _share(name: str, value: Fraction) -> Row:
    return name, percent_text(value), decimal_text(value)


def main_table(main: MainGame, title: str = "Main game, best play, per ante") -> Table:
    """The figures of the main game: as a rounded percentage, and with fourteen digits."""
    deviation = main.standard_deviation
    rows = (
        _share("return per ante", main.return_per_ante),
        _share("house edge per ante", main.house_edge),
        _share("return on total wager", main.return_on_total_wager),
        _share("element of risk", main.element_of_risk),
        _share("probability of raising", main.raise_probability),
        (
            "average wager, antes",
            decimal_text(main.average_wager, 2),
            decimal_text(main.average_wager),
        ),
        ("standard deviation, antes", decimal_text(Fraction(deviation), 2), deviation),
    )
    total = f"The player's result over all {grouped(main.deals)} deals is {grouped(main.total)} antes."
    return Table("main", title, ("", "", "14 digits"), rows, (total,))


def outcome_words(name: str) -> str:
    """An outcome of the main game in words."""
    return _OUTCOMES.get(name, f"won with {name.removeprefix('win_').replace('_', ' ')}")


def outcomes_table(main: MainGame) -> Table:
    """Every outcome with its result and its exact count; winning hands from the royal downwards."""
    wins = [f"win_{kind.label}" for kind in _HANDS]
    names = [name for name in main.outcomes if name not in wins] + wins
    rows = tuple(
        (
            outcome_words(name),
            signed(main.results[name]),
            grouped(main.outcomes[name]),
            decimal_text(Fraction(main.outcomes[name], main.deals)),
            one_in_text(Fraction(main.outcomes[name], main.deals)),
        )
        for name in names
    )
    heads = ("outcome", "antes", "deals", "probability", "frequency")
    return Table("outcomes", "Outcomes of the main game", heads, rows)


def signed(antes: int) -> str:
    """A result of the player in antes, `+201` or `-3`."""
    return f"{antes:+,}" if antes else "0"


# ---------------------------------------------------------------------------------- side bets


def bonus_table(side: Bonus) -> Table:
    """The figures of the 5+1 bonus."""
    rows = (
        _share("return per bet", side.return_per_bet),
        _share("house edge", side.house_edge),
        _share("hit frequency", side.hit_frequency),
        (
            "standard deviation, in bets",
            decimal_text(Fraction(side.standard_deviation), 2),
            side.standard_deviation,
        ),
    )
    return Table("bonus", "5+1 bonus, per bet", ("", "", "14 digits"), rows)


def bonus_hands_table(side: Bonus) -> Table:
    """Every hand of six cards: what it pays, how often it comes, what it gives back."""
    heads = ("best hand of six cards", "pays", "sets", "probability", "frequency", "return")
    rows = []
    for kind in _HANDS:
        count, odds = side.counts[kind.label], side.pays.get(kind.label)
        chance = Fraction(count, side.total)
        back = decimal_text(side.contributions[kind.label], 8) if odds is not None else "-"
        pays = f"{odds} to 1" if odds is not None else "-"
        rows.append(
            (hand_words(kind), pays, grouped(count), decimal_text(chance, 12), one_in_text(chance), back)
        )
    rows.append(("all", "", grouped(side.total), "", "", decimal_text(side.return_per_bet, 8)))
    return Table("bonus-hands", "Hands of the 5+1 bonus", heads, tuple(rows))


def progressive_table(side: Progressive, coins_per_hour: int) -> Table:
    """The figures of the progressive, per coin."""
    reset = money_text(side.reset_cents)
    per_ten_thousand = side.return_per_unit * 10_000
    rows = [
        _share("fixed prizes", side.fixed_return),
        _share("fixed prizes and share of the coin, without the house's seed", side.fixed_plus_share),
        _share(f"long run{_doubt(side)}, with the house's reset of {reset}", side.long_run),
        *_bounds(side),
        _share(f"kept by the house in the long run{_doubt(side)}", side.house_hold),
        _share(f"return at the reset, {reset}", side.return_at(side.reset_cents)),
        ("value of each 1.00 of the meter", "", decimal_text(side.return_per_unit)),
        (
            "value of each 10,000.00 of the meter",
            percent_text(per_ten_thousand),
            decimal_text(per_ten_thousand),
        ),
        ("break-even meter", *_break_even(side)),
        (
            "mean of the meter in the long run",
            amount_text(side.run.mean_meter_cents),
            decimal_text(side.run.mean_meter_cents / UNIT_CENTS, 6),
        ),
        _share("hit frequency", side.hit_frequency),
        ("coins to a royal, mean", count_text(side.coins_to_royal), ""),
        (
            f"rounds to a royal with {FULL_TABLE} coins a round, mean",
            count_text(side.rounds_to_royal(FULL_TABLE)),
            "",
        ),
        (
            f"hours to a royal at {grouped(coins_per_hour)} coins an hour, mean",
            count_text(side.hours_to_royal(coins_per_hour)),
            "",
        ),
    ]
    title = f"Progressive, per coin of {money_text(side.coin_cents)}"
    lines = () if breaks_even(side) else ("A coin gives back more than it costs at any meter.",)
    return Table("progressive", title, ("", "", "14 digits"), tuple(rows), lines)


def breaks_even(side: Progressive) -> bool:
    """Whether there is a meter at which a coin gives back just what it costs."""
    return side.return_at(0) <= 1


def _break_even(side: Progressive) -> tuple[str, str]:
    return (amount_text(side.break_even_cents), side.break_even_text) if breaks_even(side) else ("-", "-")


def _doubt(side: Progressive) -> str:
    """What is said of a long run that is not exact."""
    return "" if side.run.least == side.run.most else " (by balance, not exact)"


def _bounds(side: Progressive) -> Iterator[Row]:
    if _doubt(side):
        yield _share("long run, at least", side.run.least)
        yield _share("long run, at most", side.run.most)


def amount_text(cents: Fraction) -> str:
    """An amount in groups of three digits, rounded half up to a cent: `218,047.37`."""
    whole, _, part = decimal_text(cents / UNIT_CENTS, 2).partition(".")
    return f"{grouped(int(whole))}.{part}"


def count_text(mean: Fraction) -> str:
    """The mean of a count: two digits after the point where it is no whole number."""
    if mean.denominator == 1:
        return grouped(mean.numerator)
    whole, _, part = decimal_text(mean, 2).partition(".")
    return f"{grouped(int(whole))}.{part}"


def progressive_hands_table(side: Progressive) -> Table:
    """Every hand with a prize: how often it comes and what it gives back at the reset."""
    heads = ("hand", "prize", "hands", "probability", "frequency", "return, fixed", "per 1.00 of meter")
    rows = [
        (
            line.hand.replace("_", " "),
            line.prize.text,
            grouped(line.hands),
            decimal_text(line.frequency, 12),
            one_in_text(line.frequency),
            decimal_text(line.fixed_return, 8) if line.fixed_return else "-",
            decimal_text(line.return_per_unit, 12) if line.return_per_unit else "-",
        )
        for line in side.lines
    ]
    hit = side.hit_frequency
    rows.append(
        (
            "any of them",
            "",
            grouped(sum(line.hands for line in side.lines)),
            decimal_text(hit, 12),
            one_in_text(hit),
            decimal_text(side.fixed_return, 8),
            decimal_text(side.return_per_unit, 12),
        )
    )
    return Table("progressive-hands", "Hands of the progressive", heads, tuple(rows))


def hold_table(of: Analysis) -> Table:
    """What the house expects to keep of what is staked."""
    rows = [
        _share("of antes", of.main.house_edge),
        _share("of antes and raises", of.main.element_of_risk),
    ]
    if of.bonus is not None:
        rows.append(_share("of 5+1 bonus bets", of.bonus.house_edge))
    if of.progressive is not None:
        rows += [
            _share(f"of coins, long run{_doubt(of.progressive)}", of.progressive.house_hold),
            _share("of coins, without the seed", 1 - of.progressive.fixed_plus_share),
        ]
    return Table("hold", "Hold that the house expects", ("", "", "14 digits"), tuple(rows))


# ------------------------------------------------------------------------- a hand, a strategy


def hand_tables(house: str, cards: Sequence[Card], up: Card, found: Hand) -> Iterator[Table]:
    """What to do with a hand, what both ways are worth, and the six counts behind it."""
    six = found.counts
    shown = f"{' '.join(map(card_text, cards))} against {card_text(up)}"
    rows: tuple[Row, ...] = (
        ("house rules", printable(house)),
        ("hand", f"{shown}, {hand_name(strength(cards))}"),
        ("best", found.best.upper()),
        ("better by", f"{decimal_text(found.by, 12)} antes"),
        ("raise is worth", f"{decimal_text(found.ev_raise, 12)} antes"),
        ("fold is worth", f"{decimal_text(found.ev_fold, 12)} antes"),
    )
    yield Table("hand", "What to do", rows=rows)
    counted = (
        ("dealer does not qualify", *map(grouped, (six.nq_beat, six.nq_tie, six.nq_lose))),
        ("dealer qualifies", *map(grouped, (six.q_win, six.q_tie, six.q_lose))),
    )
    heads = ("the dealer's hidden cards", "hand better", "hands equal", "hand worse")
    yield Table("six", "Counts of the dealer's hands", heads, counted)


def strategy_tables(house: str, name: str, found: Cost, played: MainGame) -> Iterator[Table]:
    """What a strategy costs against the best decisions, and the game as it plays it."""
    best_edge = Fraction(-found.best_total, found.deals)
    pairs = [
        ("raised, and a fold is better", found.pairs_raised),
        ("folded, and a raise is better", found.pairs_folded),
        ("together", found.pairs),
    ]
    rows = (
        _share("house edge with this strategy", played.house_edge),
        _share("house edge with best play", best_edge),
        ("cost, in antes", percent_text(found.loss, 4), decimal_text(found.loss)),
    )
    lines = [
        f"{printable(name)} under {printable(house)}",
        f"The player's result over all {grouped(found.deals)} deals is {grouped(found.total)} antes; "
        f"with best play {grouped(found.best_total)}.",
    ]
    if found.worst is not None:
        done, instead = ("raise", "fold") if found.worst.raised else ("fold", "raise")
        lines.append(
            f"The worst mistake is to {done} {found.worst.hand} against {found.worst.up}: "
            f"to {instead} is better by {decimal_text(found.worst.by, 12)} antes."
        )
    yield Table("cost", "What the strategy costs", ("", "", "14 digits"), rows, tuple(lines))
    shares = tuple((text, grouped(count), percent_text(Fraction(count, PAIRS), 4)) for text, count in pairs)
    heads = ("hands with an up card", f"of {grouped(PAIRS)}", "share")
    yield Table("mistakes", "Where it costs", heads, shares)
    yield main_table(played, "Main game with this strategy, per ante")
    yield outcomes_table(played)


def rules_table(rules: Sequence[Rule], pairs: Sequence[int]) -> Table:
    """The rules of a file in their order, and how many hands with an up card each of them decides."""
    rows = tuple(
        (str(rule.line), rule.text, grouped(count), percent_text(Fraction(count, PAIRS), 4))
        for rule, count in zip(rules, pairs, strict=True)
    )
    return Table("rules", "What each rule decides", ("line", "rule", "hands with an up card", "share"), rows)
