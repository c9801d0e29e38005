"""The six meters and six parameters of each award, from the journal alone."""

from __future__ import annotations

import msgspec
import pytest

from table_controller.audit.meters import AwardMeters, Meters, award_meters, meters_json, meters_text
from table_controller.audit.paper import exact_text
from table_controller.replay import ReplayError
from table_controller.table import messages as m
from tests.service.gaming_day import RULES, GamingDay, a_day


def by_hand(meters: Meters | None) -> dict[str, AwardMeters]:
    assert meters is not None
    return {one.hand: one for one in meters.awards}


def test_item_01_every_award_has_its_six_meters() -> None:
    table = a_day()
    found = by_hand(award_meters(table.entries()))
    assert list(found) == ["royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush"]
    royal, straight, flush = found["royal_flush"], found["straight_flush"], found["flush"]
    assert {one.wagers_cents for one in found.values()} == {500}
    assert (royal.value_cents, straight.value_cents, flush.value_cents) == (1_234_600, 123_460, 5_000)
    assert [one.hits for one in found.values()] == [1, 1, 0, 0, 1]
    assert (royal.wins_cents, straight.wins_cents, flush.wins_cents) == (900_127, 100_006, 5_000)
    assert (flush.dealer_cents, flush.confirmed_cents, royal.confirmed_cents) == (5_000, 0, 900_127)
    assert (exact_text(royal.reserve_exact), exact_text(royal.overflow_exact)) == ("0.005", "0.00")


def test_item_01_the_overflow_is_the_pools() -> None:
    table = (
        GamingDay(RULES + 'meter_limit = "10000.50"').said(m.OpenDay()).played("nothing").played("nothing")
    )
    meters = award_meters(table.entries())
    assert exact_text(by_hand(meters)["royal_flush"].overflow_exact) == "0.166"
    assert by_hand(meters)["flush"].overflow_exact == 0
    assert "royal flush *     100%         2.00  10000.50" in meters_text(meters)


def test_item_02_every_award_has_its_six_parameters() -> None:
    rules = (
        'meter_limit = "50000.00"\nreset = "9000.00"\nmeter_start = "9500.00"\ncontribution_bound = "5.00"'
    )
    meters = award_meters(GamingDay(RULES + rules).entries())
    royal, straight, flush = (by_hand(meters)[hand] for hand in ("royal_flush", "straight_flush", "flush"))
    assert (royal.base_cents, royal.reset_cents, royal.limit_cents) == (950_000, 900_000, 5_000_000)
    assert (royal.increment, royal.reserve_share, royal.bound_cents) == ("0.333", "0.005", 500)
    assert (straight.base_cents, straight.reset_cents, straight.limit_cents) == (95_000, 90_000, 500_000)
    assert (flush.base_cents, flush.reset_cents, flush.increment, flush.limit_cents) == (
        5_000,
        5_000,
        "0",
        5_000,
    )


def test_a_parameter_that_waits_for_the_next_reset_is_shown_beside_the_one_in_force() -> None:
    table = GamingDay(RULES + 'parameter_change = "after_next_hit"').said(m.OpenDay())
    table.said(m.SetParameter("meter_share", "0.40", "B-8"))
    meters = award_meters(table.entries())
    assert meters is not None
    assert (meters.increment, meters.pending) == ("0.333", {"meter_share": "0.40"})
    assert "meter_share, from the next reset on  0.40" in meters_text(meters)


def test_the_meters_are_those_after_the_last_entry_and_name_it() -> None:
    entries = GamingDay().said(m.OpenDay()).words("open\nante 1 10.00\ncoin 1\nlock").entries()
    meters = award_meters(entries)
    assert meters is not None
    assert (meters.entry, meters.head) == (len(entries), entries[-1].chain.hex())
    assert exact_text(meters.meter_exact) == "10000.333"
    assert msgspec.json.decode(meters_json(meters), type=Meters) == meters


def test_a_house_without_a_progressive_has_no_meters() -> None:
    meters = award_meters(GamingDay('preset = "classic"').entries())
    assert (meters, meters_json(meters)) == (None, "null")
    assert "no progressive" in meters_text(meters)


def test_a_journal_without_an_entry_has_no_meters() -> None:
    with pytest.raises(ReplayError, match="no entry"):
        award_meters([])
