"""Two beams to a coin, or to one named fault."""

import random
from itertools import pairwise

import pytest

from firmware_bridge.coin_slot import BEAM_A, BEAM_B, BRIGHT, CoinSlot, Outcome, Passage

MS = 1_000
BEAMS = {"A": BEAM_A, "B": BEAM_B}

Trace = list[tuple[int, str]]
Told = list[tuple[int, str]]


def play(trace: Trace, until_us: int) -> Told:
    """What a slot tells of a trace: (time, beam that turns over). `stuck` is told by the clock."""
    slot = CoinSlot()
    told: Told = []

    def tell(at_us: int, outcome: Outcome | None) -> None:
        if outcome is not None:
            told.append((at_us, outcome))

    for at_us, beam in [*trace, (until_us, "")]:
        due_us = slot.due_at_us()
        if due_us is not None and due_us <= at_us:
            tell(due_us, slot.settle(due_us))
        if beam:
            tell(at_us, slot.edge(BEAMS[beam], not slot.dark & BEAMS[beam], at_us))
    return told


def coin_at(at_us: int, step_us: int = 10 * MS) -> Trace:
    return [(at_us, "A"), (at_us + step_us, "B"), (at_us + 2 * step_us, "A"), (at_us + 3 * step_us, "B")]


def outcome_of(*trace: tuple[float, str]) -> list[str]:
    """What is told of beams that turn over at these milliseconds."""
    return [outcome for _, outcome in play([(round(at_ms * MS), beam) for at_ms, beam in trace], 10_000 * MS)]


def test_a_token_past_both_beams_is_a_coin_at_its_last_edge() -> None:
    assert play(coin_at(0), 1_000 * MS) == [(30 * MS, "coin")]


@pytest.mark.parametrize(
    ("steps_ms", "expected"),
    [
        ((1, 6, 1), "coin"),
        ((0.999, 6.1, 1), "light"),
        ((1, 6, 0.999), "light"),
        ((2, 4, 1.999), "too_fast"),
        ((2, 4, 2), "coin"),
        ((100, 50, 100), "coin"),
        ((100.001, 50, 50), "too_slow"),
        ((100, 100, 50), "coin"),
        ((100, 100, 50.001), "too_slow"),
    ],
)
def test_each_limit_belongs_to_what_is_allowed(steps_ms: tuple[float, float, float], expected: str) -> None:
    first, second, third = steps_ms
    trace = [(0.0, "A"), (first, "B"), (first + second, "A"), (first + second + third, "B")]
    assert outcome_of(*trace) == [expected]


def test_a_coin_on_a_string_is_one_fault_and_no_coin() -> None:
    assert outcome_of((0, "A"), (10, "B"), (20, "A"), (30, "A"), (40, "B"), (50, "A")) == ["reverse"]


def test_a_coin_pulled_back_from_the_first_beam_is_reverse() -> None:
    assert outcome_of((0, "A"), (20, "A")) == ["reverse"]


def test_a_coin_that_comes_from_below_is_reverse() -> None:
    assert outcome_of((0, "B"), (10, "A"), (20, "B"), (30, "A")) == ["reverse"]


def test_a_coin_pulled_back_from_the_second_beam_and_dropped_again_is_one_fault() -> None:
    trace = [(0, "A"), (10, "B"), (20, "B"), (30, "B"), (40, "A"), (50, "B")]
    assert outcome_of(*trace) == ["reverse"]


def test_a_blip_of_one_beam_is_too_fast() -> None:
    assert outcome_of((0, "A"), (0.2, "A")) == ["too_fast"]


def test_both_beams_at_once_are_strange_light() -> None:
    assert outcome_of((0, "B"), (0.3, "A"), (100, "A"), (100.2, "B")) == ["light"]


def test_a_bouncing_edge_costs_the_coin_but_never_makes_two() -> None:
    trace = [(0, "A"), (2, "A"), (4, "A"), (14, "B"), (24, "A"), (34, "B")]
    assert outcome_of(*trace) == ["reverse", "close_coin"]


def test_a_second_coin_needs_30_ms_after_the_first() -> None:
    assert [told for _, told in play(coin_at(0) + coin_at(60 * MS), 10**6)] == ["coin", "coin"]
    assert [told for _, told in play(coin_at(0) + coin_at(59_999), 10**6)] == ["coin", "close_coin"]


def test_a_slot_dark_for_half_a_second_is_stuck_once_and_no_coin_follows_from_it() -> None:
    trace = [(0, "A"), (10 * MS, "B"), (900 * MS, "A"), (910 * MS, "B")]
    assert play(trace, 2_000 * MS) == [(500 * MS, "stuck")]


def test_a_stuck_slot_that_is_freed_takes_coins_again() -> None:
    assert play([(0, "A"), (900 * MS, "A"), *coin_at(1_000 * MS)], 2_000 * MS) == [
        (500 * MS, "stuck"),
        (1_030 * MS, "coin"),
    ]


def test_an_edge_that_is_read_late_tells_that_the_slot_was_stuck_before_it() -> None:
    slot = CoinSlot()
    assert slot.edge(BEAM_A, True, 0) is None
    assert slot.edge(BEAM_A, False, 900 * MS) == "stuck"
    assert slot.due_at_us() is None


def test_a_beam_dark_at_the_start_is_a_fault_at_once_and_no_coin() -> None:
    slot = CoinSlot(BEAM_A | BEAM_B, 5 * MS)
    assert slot.due_at_us() == 5 * MS
    assert slot.settle(5 * MS) == "stuck"
    assert slot.edge(BEAM_A, False, 15 * MS) is None
    assert slot.edge(BEAM_B, False, 25 * MS) is None
    assert slot.dark == BRIGHT


def test_an_edge_said_twice_in_a_passage_makes_it_worthless() -> None:
    slot = CoinSlot()
    slot.edge(BEAM_A, True, 0)
    slot.edge(BEAM_A, True, 5 * MS)
    slot.edge(BEAM_B, True, 10 * MS)
    slot.edge(BEAM_A, False, 20 * MS)
    assert slot.edge(BEAM_B, False, 30 * MS) == "sequence"


def test_a_bright_beam_that_says_so_again_is_nothing() -> None:
    slot = CoinSlot()
    assert slot.edge(BEAM_A, False, 0) is None
    outcomes = [slot.edge(beam, dark, at * MS) for beam, dark, at in FALLING]
    assert outcomes == [None, None, None, "coin"]


FALLING = [(BEAM_A, True, 100), (BEAM_B, True, 110), (BEAM_A, False, 120), (BEAM_B, False, 130)]


def test_a_beam_read_dark_twice_without_an_edge_is_a_lost_edge() -> None:
    slot = CoinSlot()
    assert slot.reread(BEAM_A, True, 0) is None
    assert slot.reread(BEAM_A, True, 1_000 * MS) is None
    assert slot.settle(1_500 * MS) == "stuck"


def test_a_beam_read_while_its_edge_is_still_on_the_way_spoils_no_coin() -> None:
    slot = CoinSlot()
    assert slot.reread(BEAM_A, True, 100 * MS) is None
    assert [slot.edge(beam, dark, at * MS) for beam, dark, at in FALLING][-1] == "coin"


def test_a_beam_read_bright_twice_ends_a_passage_whose_last_edge_was_lost() -> None:
    slot = CoinSlot()
    for beam, dark, at_ms in FALLING[:3]:
        slot.edge(beam, dark, at_ms * MS)
    assert slot.reread(BEAM_B, False, 131 * MS) is None
    assert slot.reread(BEAM_B, False, 132 * MS) == "sequence"


def test_lost_edges_of_a_bright_slot_are_told() -> None:
    assert CoinSlot().lose_edges(BEAM_A, False, 0) == "sequence"


# --------------------------------------------------------------------------- the times of the beams


def passage_of(*trace: tuple[float, str]) -> Passage:
    """The last passage that is told of beams that turn over at these milliseconds."""
    slot = CoinSlot()
    for at_ms, beam in trace:
        slot.edge(BEAMS[beam], not slot.dark & BEAMS[beam], round(at_ms * MS))
    slot.settle(10_000 * MS)
    assert slot.last is not None
    return slot.last


def test_the_three_times_of_a_coin_are_those_of_its_edges() -> None:
    told = passage_of((0, "A"), (4.5, "B"), (13, "A"), (20.25, "B"))
    assert told == ("coin", 20_250, ("upper", "both", "lower"), (4_500, 8_500, 7_250))


def test_a_fault_tells_every_state_until_it_was_told() -> None:
    told = passage_of((0, "A"), (10, "B"), (20, "B"), (25, "A"))
    assert told == ("reverse", 25 * MS, ("upper", "both", "upper"), (10 * MS, 10 * MS, 5 * MS))


def test_item_56_a_jam_tells_the_beam_it_stands_before_and_since_when() -> None:
    slot = CoinSlot()
    slot.edge(BEAM_A, True, 0)
    slot.edge(BEAM_B, True, 12 * MS)
    assert slot.settle(500 * MS) == "stuck"
    assert slot.last == ("stuck", 500 * MS, ("upper", "both"), (12 * MS, 488 * MS))
    slot.edge(BEAM_A, False, 900 * MS)
    slot.edge(BEAM_B, False, 910 * MS)
    assert slot.last == ("stuck", 500 * MS, ("upper", "both"), (12 * MS, 488 * MS))


def test_a_coin_after_a_fault_has_its_own_times_only() -> None:
    told = passage_of((0, "A"), (20, "A"), (100, "A"), (110, "B"), (120, "A"), (130, "B"))
    assert (told.outcome, told.beams_us) == ("coin", (10 * MS, 10 * MS, 10 * MS))


def test_a_beam_that_flickers_tells_only_its_first_states() -> None:
    told = passage_of((0, "A"), *((2 * n, "B") for n in range(1, 100)), (200, "A"), (202, "B"))
    assert told.outcome == "reverse"
    assert told.beams_us == (2 * MS,) * 16


def test_lost_edges_of_a_bright_slot_have_no_times() -> None:
    slot = CoinSlot()
    slot.lose_edges(BEAM_A, False, 5 * MS)
    assert slot.last == ("sequence", 5 * MS, (), ())


def test_the_times_of_every_random_passage_add_up_to_it() -> None:
    chance = random.Random(56)
    coins = 0
    for _ in range(300):
        slot = CoinSlot()
        for at_us, beam in random_trace(chance)[0]:
            before = slot.dark
            if slot.edge(BEAMS[beam], not before & BEAMS[beam], at_us) == "coin":
                coins += 1
                assert slot.last is not None
                assert slot.last.beams == ("upper", "both", "lower")
                assert 8 * MS <= sum(slot.last.beams_us) <= 250 * MS
    assert coins > 100


# ------------------------------------------------------------------ against a reference automaton


def reference(trace: Trace, until_us: int) -> Told:
    """The same rules, judged afterwards from the whole passage, as a person with a chart recorder would."""
    told: Told = []
    ended_us = -(10**9)
    passage: Trace = []
    for at_us, beam in [*trace, (until_us, "")]:
        if (
            passage
            and at_us - passage[0][0] >= 500 * MS
            and told[-1:] != [(passage[0][0] + 500 * MS, "stuck")]
        ):
            told.append((passage[0][0] + 500 * MS, "stuck"))
        if not beam:
            break
        passage.append((at_us, beam))
        if all(sum(b == which for _, b in passage) % 2 == 0 for which in "AB"):
            if told[-1:] != [(passage[0][0] + 500 * MS, "stuck")]:
                told.append((at_us, judge(passage, passage[0][0] - ended_us)))
            ended_us = at_us
            passage = []
    return told


def judge(passage: Trace, pause_us: int) -> str:
    times = [at_us for at_us, _ in passage]
    order = "".join(beam for _, beam in passage)
    steps = [later - earlier for earlier, later in pairwise(times)]
    if any(step < MS and one != other for step, (one, other) in zip(steps, pairwise(order), strict=True)):
        return "light"
    # The right order of edges is A B A B; the first place where it is left names the first broken rule.
    right = next((n for n, (is_, shall) in enumerate(zip(order, "ABAB", strict=False)) if is_ != shall), 4)
    broken = [(right, 1, "reverse")] if right < len(order) else []
    broken += [(n + 1, 0, "too_fast") for n, step in enumerate(steps) if step < MS]
    broken += [(n + 1, 0, "too_slow") for n, step in enumerate(steps) if step > 100 * MS]
    broken += [(0, 0, "close_coin")] if pause_us < 30 * MS else []
    broken += [(len(order), 2, "too_fast")] if times[-1] - times[0] < 8 * MS else []
    broken += [(len(order), 2, "too_slow")] if times[-1] - times[0] > 250 * MS else []
    return min(broken)[2] if broken else "coin"


def random_trace(chance: random.Random) -> tuple[Trace, int]:
    """Coins, mostly, with steps around every limit, and wild edges between them."""
    trace: Trace = []
    at_us = 0
    pauses_us = [30 * MS, 29_999, 31 * MS, 5 * MS, 80 * MS, 600 * MS]
    steps_us = [
        10 * MS,
        10 * MS,
        12 * MS,
        999,
        1_000,
        100 * MS,
        100_001,
        2 * MS,
        3 * MS,
        83 * MS,
        200 * MS,
        260 * MS,
    ]
    for _ in range(chance.randint(1, 12)):
        at_us += chance.choice(pauses_us)
        beams = "ABAB" if chance.random() < 0.6 else "".join(chance.choices("AB", k=chance.randint(1, 7)))
        step_us = chance.choice(steps_us)
        for beam in beams:
            trace.append((at_us, beam))
            at_us += step_us if chance.random() < 0.8 else chance.choice(steps_us)
    return trace, at_us + chance.choice([0, 10 * MS, 700 * MS])


def test_a_thousand_random_traces_are_judged_as_by_the_reference() -> None:
    chance = random.Random(20261130)
    seen: set[str] = set()
    for number in range(1_000):
        trace, until_us = random_trace(chance)
        told = play(trace, until_us)
        assert told == reference(trace, until_us), f"trace {number}: {trace}"
        seen |= {outcome for _, outcome in told}
    assert seen == {"coin", "reverse", "light", "too_fast", "too_slow", "close_coin", "stuck"}
