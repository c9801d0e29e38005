"""The meters and parameters that a controller keeps for each award (STANDARDS.md, items 1 and 2).

All awards that are a percentage share one pool: its value, overflow and reserve are the pool's, and so are
its parameters. A fixed prize stands for itself: its value never moves. A line of the pay table is known by
its hand, never by its position (STANDARDS.md, item 44).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from table_controller.audit.paper import columns, exact_text, utc_text
from table_controller.audit.standing import Standing
from table_controller.engine.hands import Category
from table_controller.engine.house_rules import HouseRules
from table_controller.engine.money import money_text
from table_controller.engine.progressive import Meter
from table_controller.engine.values import Prize, share_text
from table_controller.journal import Entry
from table_controller.record import plain
from table_controller.replay import ReplayError
from table_controller.table.state import Books, LevelBook, rules_now


class AwardMeters(msgspec.Struct, frozen=True):
    """One line of the pay table: six meters, then six parameters.

    `of_pool` says that value, overflow, reserve and parameters are parts of the pool that these awards
    share; shares are texts as in a house-rule file. Parts of a cent are millionths (`_exact`).
    """

    hand: str
    prize: str
    of_pool: bool
    wagers_cents: int
    value_cents: int
    hits: int
    dealer_hits: int
    confirmed_hits: int
    wins_cents: int
    dealer_cents: int
    confirmed_cents: int
    overflow_exact: int
    reserve_exact: int
    base_cents: int
    reset_cents: int
    increment: str
    limit_cents: int
    reserve_share: str
    bound_cents: int


class Meters(msgspec.Struct, frozen=True, kw_only=True):
    """The pool of a table and its awards, as they stand after an entry of the journal."""

    table: str
    entry: int
    wall_ms: int
    head: str
    meter_exact: int
    reserve_exact: int
    overflow_exact: int
    base_cents: int
    wagers_cents: int
    hits: int
    wins_cents: int
    taken_cents: int
    house_added_cents: int
    seeded_cents: int
    corrected_cents: int
    coin_cents: int
    reset_cents: int
    increment: str
    limit_cents: int
    reserve_share: str
    bound_cents: int
    pending: dict[str, str]
    awards: tuple[AwardMeters, ...]


def award_meters(entries: Iterable[Entry]) -> Meters | None:
    """Meters and parameters after the last entry; None where the house has no progressive.

    Raises `ReplayError` for entries that this version cannot decide again.
    """
    standing = Standing()
    last: Entry | None = None
    for entry in entries:
        standing.take(entry)
        last = entry
    if last is None:
        raise ReplayError("the journal has no entry")
    house, state = standing.now()
    meter, rules = state.meter, rules_now(house, state)
    if meter is None or not rules.has_progressive:
        return None
    books = state.books or Books()
    return Meters(
        table=house.table,
        entry=last.seq,
        wall_ms=last.wall_ms,
        head=last.chain.hex(),
        meter_exact=meter.exact,
        reserve_exact=meter.reserve,
        overflow_exact=meter.overflow,
        base_cents=books.base_cents,
        wagers_cents=meter.wagers_cents,
        hits=meter.hits,
        wins_cents=meter.wins_cents,
        taken_cents=meter.taken_cents,
        house_added_cents=meter.house_added_cents,
        seeded_cents=meter.seeded_cents,
        corrected_cents=meter.corrected_cents or 0,
        coin_cents=rules.coin_value_cents,
        reset_cents=rules.reset_cents,
        increment=share_text(rules.meter_share_ppm),
        limit_cents=rules.meter_limit_cents,
        reserve_share=share_text(rules.reserve_share_ppm),
        bound_cents=rules.contribution_bound_cents,
        pending=dict(state.parameters_pending),
        awards=tuple(_awards(rules, meter, books)),
    )


def _awards(rules: HouseRules, meter: Meter, books: Books) -> Iterator[AwardMeters]:
    for kind in reversed(Category):
        prize = rules.prize(kind)
        if prize is not None:
            yield _award(rules, meter, books, kind.label, prize)
    # Parts in somebody else's royal, and a hand that once had a prize, keep their meters.
    labels = {kind.label for kind in Category if rules.prize(kind) is not None}
    for level in books.levels:
        if level not in labels:
            yield _award(rules, meter, books, level, Prize())


def _award(rules: HouseRules, meter: Meter, books: Books, hand: str, prize: Prize) -> AwardMeters:
    level = books.levels.get(hand, LevelBook())
    pool = prize.ppm > 0
    return AwardMeters(
        hand=hand,
        prize=prize.text,
        of_pool=pool,
        wagers_cents=meter.wagers_cents,
        value_cents=prize.of(meter.cents),
        hits=level.dealer_hits + level.confirmed_hits,
        dealer_hits=level.dealer_hits,
        confirmed_hits=level.confirmed_hits,
        wins_cents=level.dealer_cents + level.confirmed_cents,
        dealer_cents=level.dealer_cents,
        confirmed_cents=level.confirmed_cents,
        overflow_exact=meter.overflow if pool else 0,
        reserve_exact=meter.reserve if pool else 0,
        base_cents=prize.of(books.base_cents),
        reset_cents=prize.of(rules.reset_cents),
        increment=share_text(rules.meter_share_ppm if pool else 0),
        limit_cents=prize.of(rules.meter_limit_cents) if pool else prize.cents,
        reserve_share=share_text(rules.reserve_share_ppm if pool else 0),
        bound_cents=rules.contribution_bound_cents if pool else 0,
    )


# ------------------------------------------------------------------------------------ in words


def meters_json(meters: Meters | None) -> str:
    """The meters as one JSON object, `null` where there is no progressive."""
    return msgspec.json.encode(meters).decode()


def meters_text(meters: Meters | None) -> str:
    """The meters for a terminal; what belongs to the shared pool is marked."""
    if meters is None:
        return "This house has no progressive, so there are no meters.\n"
    pool = [
        ("value", exact_text(meters.meter_exact)),
        ("overflow above the limit", exact_text(meters.overflow_exact)),
        ("reserve", exact_text(meters.reserve_exact)),
        ("wagers in", money_text(meters.wagers_cents)),
        ("awards paid", money_text(meters.wins_cents)),
        ("of these off the meter", money_text(meters.taken_cents)),
        ("missing parts, added by the house", money_text(meters.house_added_cents)),
        ("resets put on by the house", money_text(meters.seeded_cents)),
        ("corrected by people", money_text(meters.corrected_cents)),
    ]
    rules = [
        ("coin", money_text(meters.coin_cents)),
        ("base", money_text(meters.base_cents)),
        ("reset after a royal", money_text(meters.reset_cents)),
        ("increment, share of a coin", meters.increment),
        ("limit", money_text(meters.limit_cents) if meters.limit_cents else "none"),
        ("reserve, share of a coin", meters.reserve_share),
        ("bound of one LOCK", money_text(meters.bound_cents)),
        *((f"{option}, from the next reset on", value) for option, value in meters.pending.items()),
    ]
    lines = [f"METERS OF TABLE {plain(meters.table)}".upper(), ""]
    about = [("after entry", str(meters.entry)), ("UTC", utc_text(meters.wall_ms)), ("hash", meters.head)]
    for title, rows in (("", about), ("The pool", pool), ("Its parameters", rules)):
        lines += [title.upper()] if title else []
        lines += [line for line in columns(("", ""), rows) if line]
        lines.append("")
    heads = ("award", "prize", "wagers in", "value", "hits", "wins", "overflow", "reserve")
    lines += ["THE AWARDS: SIX METERS", *columns(heads, map(_meters, meters.awards)), ""]
    paid = ("award", "hits by dealer", "amount", "hits confirmed", "amount")
    lines += ["WHO PAID THEM", *columns(paid, map(_paid, meters.awards)), ""]
    six = ("award", "base", "reset", "increment", "limit", "reserve share", "bound")
    lines += ["THE AWARDS: SIX PARAMETERS", *columns(six, map(_parameters, meters.awards)), ""]
    lines.append("  * of the pool that these awards share: it is there once, not once for each of them")
    return "\n".join([*lines, ""])


def _name(one: AwardMeters) -> str:
    return one.hand.replace("_", " ") + (" *" if one.of_pool else "")


def _meters(one: AwardMeters) -> tuple[str, ...]:
    return (
        *(_name(one), one.prize, money_text(one.wagers_cents), money_text(one.value_cents), str(one.hits)),
        *(money_text(one.wins_cents), exact_text(one.overflow_exact), exact_text(one.reserve_exact)),
    )


def _paid(one: AwardMeters) -> tuple[str, ...]:
    dealer, confirmed = money_text(one.dealer_cents), money_text(one.confirmed_cents)
    return _name(one), str(one.dealer_hits), dealer, str(one.confirmed_hits), confirmed


def _parameters(one: AwardMeters) -> tuple[str, ...]:
    limit = money_text(one.limit_cents) if one.limit_cents else "none"
    return (
        *(_name(one), money_text(one.base_cents), money_text(one.reset_cents), one.increment),
        *(limit, one.reserve_share, money_text(one.bound_cents)),
    )
