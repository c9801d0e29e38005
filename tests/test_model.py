"""The model is proved before it judges: by the comparisons of the contract and by its clean plays."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.model import HANDS, Bets, Model, cents, qualifies, rank_hand, row_of
from tests.shared import SHARED, shared

Results = dict[int, dict[str, str]]
Play = dict[str, Any]

NOTHING = {"ante": "none", "raise": "none", "bonus": "none", "coin": "none"}
# Lines that only look, count or confirm: a clean round is worth the same without them.
OF_NO_WORTH = ("see", "stub", "tokens", "claim")


class NotClean(Exception):
    """The play holds something that the model does not judge."""


def taken_lines(play: Play) -> Iterator[list[str]]:
    """Every line that was not refused, in words."""
    lines = [line.split() for line in play["script"].splitlines() if line.strip()]
    for line, following in zip(lines, [*lines[1:], []], strict=True):
        if following != ["see", "refused"] and line != ["see", "refused"]:
            yield line


class Round:
    """What lies on the felt, as far as a clean round goes."""

    def __init__(self) -> None:
        self.bets: dict[int, Bets] = {}
        self.hands: dict[str, list[str]] = {}
        self.upcard: str | None = None
        self.locked = False
        self.decided: set[int] = set()

    def hear(self, line: list[str]) -> None:
        """Take one line of the script."""
        if self.complete():
            self.hear_a_decision(line)
            return
        match line:
            case ["ante" | "bonus" as spot, seat, amount] if not self.locked:
                self.seat(seat)[spot] = cents(amount)
            case ["coin", seat] if not self.locked and not self.seat(seat)["coin"]:
                self.seat(seat)["coin"] = True
            case ["lock"]:
                self.locked = True
            case ["deal", *cards] if self.locked:
                for card, place in (text.split(">") for text in cards):
                    self.hands.setdefault(place, []).append(card)
            case [word, *_] if word not in OF_NO_WORTH:
                raise NotClean(line)

    def hear_a_decision(self, line: list[str]) -> None:
        """Take one line after the deal."""
        match line:
            case ["raise" | "fold" as word, seat, *amount] if int(seat) not in self.decided:
                if amount and cents(amount[0]) != 2 * self.seat(seat)["ante"]:
                    raise NotClean(line)
                self.seat(seat)["raised"] = word == "raise"
                self.decided.add(int(seat))
            case ["upcard", card]:
                self.upcard = card
            case ["close"] | ["reveal"] | ["sup", "confirm", _]:
                pass
            case [word, *_] if word not in OF_NO_WORTH:
                raise NotClean(line)

    def seat(self, seat: str) -> Bets:
        """The bets of a seat."""
        return self.bets.setdefault(int(seat), Bets(ante=0, bonus=0, coin=False, raised=False))

    def complete(self) -> bool:
        """Whether every seat with an ante and the dealer, and nobody else, have five cards."""
        places = {str(seat) for seat in self.bets} | {"D"}
        return set(self.hands) == places and all(len(hand) == 5 for hand in self.hands.values())


def judged(play: Play) -> tuple[Model, Results]:
    """Play a clean play with the model alone; the results are those of the last round."""
    if set(play["expect"].get("alarms", [])) - {"jackpot_hold"} or play["expect"]["round"] != "settled":
        raise NotClean(play["id"])
    meter_cents = cents(play["meter"]) if "meter" in play else None
    try:
        model = Model(play["preset"], play.get("house_rules"), play.get("pay_tables"), meter_cents)
    except ValueError as unknown:
        raise NotClean(play["id"]) from unknown
    results: Results = {}
    now = Round()
    for line in taken_lines(play):
        if line == ["open"]:
            now = Round()
        elif line == ["clear"]:
            continue
        else:
            now.hear(line)
        if line == ["reveal"]:
            if now.decided != set(now.bets) or not all(bets["ante"] for bets in now.bets.values()):
                raise NotClean(play["id"])
            hands = {seat: now.hands[str(seat)] for seat in now.bets}
            results = model.play_round(now.bets, hands, now.hands["D"], now.upcard)
    return model, results


def clean_plays() -> list[Play]:
    """Every play of the contract that the model can judge."""
    plays = []
    for file in sorted((SHARED / "scenarios").rglob("*.toml")):
        play = tomllib.loads(file.read_text(encoding="utf-8"))
        try:
            judged(play)
        except NotClean:
            continue
        plays.append(play)
    return plays


PLAYS = clean_plays()


@pytest.mark.parametrize("play", PLAYS, ids=[play["id"] for play in PLAYS])
def test_the_model_agrees_with_a_clean_play(play: Play) -> None:
    model, results = judged(play)
    expect = play["expect"]
    for seat, expected in expect.get("seat", {}).items():
        assert results.get(int(seat), NOTHING) | expected == results.get(int(seat), NOTHING), f"seat {seat}"
    for name in ("meter", "reserve", "overflow", "house_added"):
        if name in expect:
            assert getattr(model, f"{name}_cents") == cents(expect[name]), name


def test_the_plays_that_prove_the_model_are_many() -> None:
    shared("scenarios")
    assert len(PLAYS) >= 61


def test_the_model_ranks_as_the_golden_comparisons_do() -> None:
    with shared("golden/compare100.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 100
    for row in rows:
        first, second = (rank_hand(row[hand].upper().split()) for hand in ("hand1", "hand2"))
        assert (first > second) - (first < second) == int(row["result"]), row["note"]
        assert [HANDS[row_of(rank)] for rank in (first, second)] == [row["category1"], row["category2"]], row
        for hand in ("1", "2"):
            assert qualifies(row[f"hand{hand}"].upper().split()) == (row[f"qualifies{hand}"] == "1"), row


ROYAL_IN_SPADES, ROYAL_IN_HEARTS = ([rank + suit for rank in "AKQJT"] for suit in "SH")
STRAIGHT_FLUSH = [rank + "D" for rank in "56789"]
NOTHING_SPECIAL = ["3C", "4D", "9H", "TD", "JC"]
DEALER = ["AD", "KD", "7C", "5C", "2D"]
COIN_AND_RAISE = Bets(ante=1000, bonus=0, coin=True, raised=True)


def test_two_royals_after_a_straight_flush_at_lock_leave_their_odd_cent_to_the_reset() -> None:
    # At LOCK 1001.47: 10 % is 100.14, both royals together 1001.47, of which 901.33 is there.
    rules = {"percent_base": "meter_at_lock", "odd_cent": "reserve", "reset": "500.00"}
    model = Model("us", rules, meter_cents=1000_00)
    hands = {3: STRAIGHT_FLUSH, 2: ROYAL_IN_SPADES, 1: ROYAL_IN_HEARTS}
    results = model.play_round(dict.fromkeys((1, 2, 3), COIN_AND_RAISE), hands, DEALER)
    assert [results[seat]["coin"] for seat in (3, 2, 1)] == ["win 100.14", "win 500.73", "win 500.73"]
    assert (model.meter_cents, model.reserve_cents, model.house_added_cents) == (500_01, 0, 100_14)


def test_parts_of_a_cent_outlive_a_royal() -> None:
    # A coin of 0.33 puts 0.1617 on the meter and 0.0033 into the reserve: 0.0050 stays beside 500.00.
    rules = {"coin_value": "0.33", "reserve_share": "0.01", "reset": "500.00"}
    model = Model("us", rules, meter_cents=1000_00)
    assert model.play_round({1: COIN_AND_RAISE}, {1: ROYAL_IN_SPADES}, DEALER)[1]["coin"] == "win 1000.16"
    assert (model.meter_cents, model.reserve_cents) == (500_00, 0)
    for _ in range(3):
        model.play_round({1: COIN_AND_RAISE}, {1: NOTHING_SPECIAL}, DEALER)
    assert (model.meter_cents, model.reserve_cents) == (500_49, 0)
