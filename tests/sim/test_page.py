"""The virtual table without its page: every act moves the right wire of the unchanged service."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hw_sim.dealer import Dealer
from hw_sim.page import acts
from hw_sim.page.acts import Acts
from hw_sim.page.cards import Shoe
from hw_sim.page.croupier import undecided
from hw_sim.page.layout import chips_of
from hw_sim.page.picture import picture_of
from hw_sim.page.purse import START_CENTS, Purses
from hw_sim.page.room import SILENT_S, Room
from hw_sim.players import DECK, House, Player
from hw_sim.plays import JumpStage, build_service

Json = dict[str, Any]
LIMITS = """
[limits]
minimum = "5.00"
maximum = "50.00"
bonus_minimum = "1.00"
bonus_maximum = "10.00"
chips = ["1.00", "5.00", "25.00", "100.00"]
"""


class Heard:
    """The stage's client for a room: waiting lets the time of the stage pass."""

    def __init__(self, stage: JumpStage) -> None:
        self._stage = stage
        for name in ("take_facts", "send", "send_ask", "answer", "resend", "forget"):
            setattr(self, name, getattr(stage.client, name))

    @property
    def snapshot(self) -> Json | None:
        return self._stage.client.snapshot

    @property
    def order(self) -> tuple[int, int]:
        return self._stage.client.order

    def pump(self, timeout_ms: int = 0) -> bool:
        self._stage.until(lambda: False, timeout_ms)
        return self._stage.powered


class Felt:
    """A room with a person at it."""

    def __init__(self, folder: Path, house: str, seed: int = 1) -> None:
        def build(table: Path, *rest: Any) -> Any:
            table.write_text(table.read_text() + LIMITS)
            return build_service(table, *rest)

        self.folder = folder
        self.stage = JumpStage(folder, house, lambda state: None, build)
        rules = House.read(folder / "table.toml")
        table: Any = Heard(self.stage)
        self.room = Room(folder, table, self.stage.hands, rules, 7, Random(seed), self.now_s)
        self.acts = Acts(self.room)
        self.until(lambda: self.room.rules is not None)
        self.until(lambda: self.state["phase"] == "betting")

    def now_s(self) -> float:
        return self.stage._clock.now_us() / 1_000_000

    @property
    def state(self) -> Json:
        return self.room.state

    def do(self, act: str, /, **what: Any) -> Json:
        return self.acts.do({"do": act, **what})

    def must(self, act: str, /, **what: Any) -> Json:
        answer = self.do(act, **what)
        assert answer["ok"], answer
        return answer

    def refused(self, act: str, /, **what: Any) -> str:
        answer = self.do(act, **what)
        assert not answer["ok"], f"{act} {what} was done"
        return str(answer["word"])

    def until(self, condition: Callable[[], bool], seconds: float = 30) -> None:
        def stepped() -> bool:
            self.acts.croupier.step()
            return condition()

        assert self.room.until(stepped, seconds), self.state

    def seat(self, number: int) -> Json:
        return self.room.seat(number)

    def cents(self, number: int) -> int:
        return self.room.purses.cents(number)

    def wire(self, name: str) -> bool:
        return bool(self.stage.hands.look()["lines"][name])

    def round(self, *seats: int, fold: tuple[int, ...] = ()) -> None:
        """From the deal to the settlement, the named seats raising."""
        self.must("deal")
        self.until(lambda: self.state["phase"] == "deciding")
        for number in seats:
            self.must("raise", seat=number)
        for number in fold:
            self.must("fold", seat=number)
        self.until(lambda: self.state["phase"] == "settled")


MakeFelt = Callable[..., Felt]


@pytest.fixture
def felt_of(tmp_path: Path) -> Iterator[MakeFelt]:
    made: list[Felt] = []

    def make(house: str = 'preset = "live"\n', seed: int = 1) -> Felt:
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(Felt(folder, house, seed))
        return made[-1]

    yield make
    for felt in made:
        felt.stage.close()


@pytest.fixture
def felt(felt_of: MakeFelt) -> Felt:
    return felt_of()


# ------------------------------------------------------------------------------ chips


def test_a_chip_covers_the_sensor_and_its_amount_is_keyed(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=500)
    assert felt.wire("ante.3")
    assert felt.seat(3)["ante"] == {"chips": True, "cents": 500}
    felt.must("chip", seat=3, spot="ante", cents=100)
    assert felt.seat(3)["ante"]["cents"] == 600
    assert felt.cents(3) == START_CENTS - 600


def test_a_click_on_a_chip_takes_it_off_and_the_last_one_frees_the_sensor(felt: Felt) -> None:
    felt.must("chip", seat=2, spot="ante", cents=500)
    felt.must("chip", seat=2, spot="ante", cents=2_500)
    felt.must("take", seat=2, spot="ante")
    assert felt.seat(2)["ante"]["cents"] == 500
    felt.must("take", seat=2, spot="ante")
    assert not felt.wire("ante.2")
    assert felt.seat(2)["ante"] == {"chips": False, "cents": None}
    assert felt.cents(2) == START_CENTS
    assert felt.refused("take", seat=2, spot="ante") == "nothing_lies"


def test_an_ante_below_the_minimum_lies_there_unkeyed_and_no_deal_begins(felt: Felt) -> None:
    felt.must("chip", seat=1, spot="ante", cents=100)
    assert felt.seat(1)["ante"] == {"chips": True, "cents": None}
    assert felt.refused("deal") == "below_minimum"
    assert felt.refused("chip", seat=1, spot="bonus", cents=100) == "ante_first"


def test_an_ante_that_shrinks_below_the_minimum_is_wiped_at_the_table_too(felt: Felt) -> None:
    felt.must("chip", seat=1, spot="ante", cents=100)
    felt.must("chip", seat=1, spot="ante", cents=500)
    felt.must("chip", seat=1, spot="bonus", cents=500)
    felt.must("take", seat=1, spot="ante")
    assert felt.seat(1)["ante"] == {"chips": True, "cents": None}
    assert felt.seat(1)["bonus"]["cents"] == 500


def test_a_bet_grows_to_the_maximum_and_no_further(felt: Felt) -> None:
    felt.must("chip", seat=4, spot="ante", cents=2_500)
    felt.must("chip", seat=4, spot="ante", cents=10_000)
    assert felt.seat(4)["ante"]["cents"] == 5_000
    assert felt.cents(4) == START_CENTS - 5_000
    assert felt.refused("chip", seat=4, spot="ante", cents=100) == "at_maximum"


def test_nobody_bets_more_than_he_has_and_a_buy_in_helps(felt: Felt) -> None:
    felt.room.purses.take(6, START_CENTS - 300)
    assert felt.refused("chip", seat=6, spot="ante", cents=500) == "no_money"
    assert not felt.wire("ante.6")
    felt.must("buy_in", seat=6, cents=10_000)
    felt.must("chip", seat=6, spot="ante", cents=500)
    assert felt.cents(6) == 9_800


def test_double_doubles_ante_and_bonus_once_a_round_up_to_the_maximum(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=2_500)
    felt.must("chip", seat=3, spot="bonus", cents=500)
    felt.must("double", seat=3)
    assert (felt.seat(3)["ante"]["cents"], felt.seat(3)["bonus"]["cents"]) == (5_000, 1_000)
    assert felt.room.layout.cents(3, "ante") == 5_000
    assert felt.refused("double", seat=3) == "doubled_already"


def test_undo_takes_back_one_act_after_the_other(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("chip", seat=5, spot="ante", cents=2_500)
    felt.must("clear", seat=3)
    felt.must("undo")
    assert felt.seat(3)["ante"] == {"chips": True, "cents": 500}
    felt.must("undo")
    assert felt.seat(5)["ante"]["chips"] is False
    felt.must("undo")
    assert felt.refused("undo") == "nothing_to_undo"
    assert (felt.cents(3), felt.cents(5)) == (START_CENTS, START_CENTS)
    assert not felt.wire("ante.3")


def test_rebet_lays_the_bets_of_the_round_before_again(felt: Felt) -> None:
    assert felt.refused("repeat", seat=3) == "nothing_to_repeat"
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("chip", seat=3, spot="bonus", cents=100)
    felt.round(3)
    felt.must("repeat", seat=3)
    assert felt.state["phase"] == "betting"
    assert (felt.seat(3)["ante"]["cents"], felt.seat(3)["bonus"]["cents"]) == (500, 100)
    assert felt.refused("repeat", seat=3) == "bets_lie_already"


# ------------------------------------------------------------------------------ no cent comes or goes


def test_chips_that_a_void_has_paid_back_are_nobodys_bet(felt: Felt) -> None:
    felt.must("mode", solo=False)
    felt.must("chip", seat=3, spot="ante", cents=2_500)
    felt.must("key", key="lock")
    felt.must("say", text="sup void", reason="a try")
    assert felt.cents(3) == START_CENTS
    felt.must("key", key="clear")
    felt.must("key", key="open")
    assert picture_of(felt.room)["left_over"] == ["3 ante"]
    assert felt.refused("chip", seat=3, spot="ante", cents=500) == "sweep_first"
    assert felt.refused("repeat", seat=3) == "sweep_first"
    felt.must("chip", seat=5, spot="ante", cents=500)
    felt.must("clear", seat=3)
    assert felt.cents(3) == START_CENTS
    assert felt.refused("undo") == "nothing_to_undo"
    assert not felt.wire("ante.3")
    felt.must("chip", seat=3, spot="ante", cents=500)
    assert felt.seat(3)["ante"]["cents"] == 500


def test_at_open_the_chips_of_the_round_before_can_still_be_swept(felt: Felt) -> None:
    felt.must("mode", solo=False)
    felt.must("chip", seat=3, spot="ante", cents=2_500)
    felt.must("key", key="lock")
    felt.must("say", text="sup void", reason="a try")
    felt.must("key", key="clear")
    felt.must("chip", seat=6, spot="ante", cents=500)
    felt.must("key", key="open")
    felt.must("chip", seat=5, spot="ante", cents=500)
    felt.must("sweep")
    assert (felt.wire("ante.3"), felt.wire("ante.6"), felt.wire("ante.5")) == (False, False, True)
    assert (felt.cents(3), felt.cents(6)) == (START_CENTS, START_CENTS)
    assert felt.cents(5) == START_CENTS - 500
    assert felt.refused("sweep") == "bets_lie_already"


def test_chips_that_were_no_bet_come_back_when_the_felt_is_swept(felt: Felt) -> None:
    felt.must("mode", solo=False)
    felt.must("chip", seat=1, spot="ante", cents=100)
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("key", key="lock")
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("say", text="sup void", reason="a try")
    felt.must("key", key="clear")
    felt.must("sweep")
    assert felt.room.purses.all() == {str(seat): START_CENTS for seat in range(1, 8)}


@pytest.mark.parametrize("seed", range(3))
def test_purses_and_felt_hold_what_the_results_say_whatever_is_done(felt_of: MakeFelt, seed: int) -> None:
    felt, chance = felt_of(seed=seed), Random(seed)
    start = sum(felt.room.purses.all().values())
    won = 0
    for number in range(6):
        felt.must("mode", solo=False)
        for seat in (2, 3, 5):
            felt.must("chip", seat=seat, spot="ante", cents=2_500)
            felt.must("coin", seat=seat)
            felt.do("chip", seat=seat, spot="bonus", cents=chance.choice([100, 500]))
            for _ in range(3):
                act = chance.choice(["take", "undo", "double", "clear", "chip", "coin", "repeat"])
                felt.do(act, seat=seat, spot=chance.choice(["ante", "bonus"]), cents=500)
        felt.must("chip", seat=6, spot="ante", cents=100)
        felt.must("chip", seat=7, spot="ante", cents=500)
        if chance.random() < 0.3:
            felt.stage.power_off()
            felt.room.until(lambda: felt.room.silent, SILENT_S + 1)
            felt.do("coin", seat=2, force=True)
            felt.do("take", seat=7, spot="ante")
            felt.do("chip", seat=7, spot="ante", cents=2_500)
            felt.stage.power_on()
            felt.until(lambda: not felt.room.silent and not felt.room._unkeyed)
            felt.do("say", text="sup resume")
        felt.do("coin", seat=3, force=True)
        felt.must("key", key="lock")
        felt.do("take", seat=7, spot="ante")
        felt.do("chip", seat=7, spot="raise", cents=100)
        felt.do("take", seat=7, spot="raise")
        if chance.random() < 0.5:
            felt.must("say", text="sup void", reason="a try")
        else:
            felt.must("mode", solo=True)
            felt.until(lambda: felt.state["phase"] == "deciding" or bool(felt.state["holds"]))
            for seat in undecided(felt.state):
                felt.must(chance.choice(["raise", "fold"]), seat=seat)
            felt.until(lambda: felt.state["phase"] == "settled" or bool(felt.state["holds"]))
            if felt.state["phase"] != "settled":
                felt.must("say", text="sup void", reason="a try")
            felt.must("mode", solo=False)
        won += sum(outcome(seat) for seat in felt.state["seats"])
        if felt.state["stub_due"]:
            felt.must("say", text=f"stub {52 - felt.state['cards_out']}")
        felt.must("key", key="clear")
        if number % 2:
            felt.must("sweep")
        felt.must("key", key="open")
        felt.do("sweep")
        assert felt.room.layout.piles == {}
        assert sum(felt.room.purses.all().values()) == start + won, number


def outcome(seat: Json) -> int:
    """What the results of a round have moved at a seat: won or lost, and nothing else."""
    moved = 0
    for text in seat["results"].values():
        verb, _, amount = str(text).partition(" ")
        cents = int(amount.replace(".", "")) if amount else 0
        moved += {"win": cents, "lose": -cents}.get(verb, 0)
    # A coin that wins is not returned itself.
    return moved - (100 if str(seat["results"].get("coin")).startswith("win") else 0)


def test_a_coin_for_a_jammed_slot_comes_back_with_a_word(felt: Felt) -> None:
    felt.must("chip", seat=2, spot="ante", cents=500)
    felt.must("fault", name="coin_stuck", args=[2])
    before = felt.cents(2)
    assert felt.refused("coin", seat=2) == "slot_jammed"
    assert felt.refused("coin", seat=2, force=True) == "slot_jammed"
    assert felt.cents(2) == before
    felt.must("mend", name="coin_stuck", args=[2])
    felt.must("coin", seat=2)
    assert felt.cents(2) == before - 100


def test_a_second_coin_comes_back_and_the_first_can_be_asked_back_after_it(felt: Felt) -> None:
    felt.must("chip", seat=2, spot="ante", cents=500)
    before = felt.cents(2)
    felt.must("coin", seat=2)
    felt.must("coin", seat=2, force=True)
    felt.until(lambda: felt.cents(2) == before - 100)
    felt.must("coin", seat=2)
    assert felt.cents(2) == before


def test_undo_takes_the_coin_back_where_it_was_the_last_bet(felt: Felt) -> None:
    felt.must("chip", seat=2, spot="ante", cents=500)
    felt.must("coin", seat=2)
    felt.must("chip", seat=2, spot="ante", cents=500)
    felt.must("undo")
    assert felt.seat(2)["coin"] == "bet"
    felt.must("undo")
    assert felt.seat(2)["coin"] == "none"
    assert felt.seat(2)["ante"]["cents"] == 500
    felt.must("coin", seat=2)
    felt.must("coin", seat=2)
    felt.must("undo")
    assert felt.cents(2) == START_CENTS
    assert felt.refused("undo") == "nothing_to_undo"


def test_rebet_drops_the_coin_again_where_the_slot_is_open(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("coin", seat=3)
    felt.round(3)
    before = felt.cents(3)
    felt.must("repeat", seat=3)
    assert felt.seat(3)["coin"] == "bet"
    assert felt.cents(3) == before - 600
    felt.must("undo")
    assert felt.seat(3)["coin"] == "none"
    assert felt.seat(3)["ante"]["cents"] == 500


# ------------------------------------------------------------------------------ coins


def test_a_coin_lights_the_lamp_and_a_second_click_asks_it_back(felt: Felt) -> None:
    felt.must("chip", seat=2, spot="ante", cents=500)
    before = felt.cents(2)
    felt.must("coin", seat=2)
    assert felt.stage.hands.lamp_lit(2)
    assert felt.cents(2) == before - 100
    felt.must("coin", seat=2)
    assert felt.seat(2)["coin"] == "none"
    assert felt.cents(2) == before
    assert not felt.wire("lamp.2")


def test_a_coin_after_lock_is_refused_by_the_page_and_comes_back_from_the_table(felt: Felt) -> None:
    felt.must("chip", seat=2, spot="ante", cents=500)
    felt.must("deal")
    felt.until(lambda: felt.state["phase"] == "deciding")
    before = felt.cents(2)
    assert felt.refused("coin", seat=2) == "bets_closed"
    felt.must("coin", seat=2, force=True)
    felt.until(lambda: felt.cents(2) == before)
    assert any(alarm["alarm"] == "late_coin" for alarm in felt.state["alarms"])


def test_a_house_without_a_jackpot_takes_no_coin(felt_of: MakeFelt) -> None:
    felt = felt_of('preset = "classic"\n')
    assert felt.refused("coin", seat=1) == "no_progressive"
    assert felt.refused("chip", seat=1, spot="bonus", cents=100) == "no_bonus"


# ------------------------------------------------------------------------------ a round


def test_a_player_alone_bets_and_the_rest_is_done_for_him(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("chip", seat=6, spot="ante", cents=500)
    felt.must("coin", seat=3)
    felt.round(3, fold=(6,))
    for number, staked in ((3, 500 + 1_000 + 100), (6, 500)):
        assert felt.cents(number) == START_CENTS - staked + felt.room.purses.returned(number)
    assert felt.seat(6)["folded"]
    assert felt.state["cards_out"] == 15
    felt.must("next")
    assert felt.state["phase"] == "betting"
    assert not felt.wire("ante.3")
    (game,) = felt.room.games()
    assert [seat["seat"] for seat in game["seats"]] == [3, 6]
    assert felt.cents(3) == START_CENTS - 1_600 + game["seats"][0]["returned"]


def test_what_a_void_gives_back_is_given_once(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("coin", seat=3)
    felt.must("deal")
    felt.until(lambda: felt.state["phase"] == "deciding")
    felt.must("say", text="sup void", reason="a try")
    assert felt.state["phase"] == "void"
    assert felt.cents(3) == START_CENTS
    felt.room.purses.follow(felt.state, True)
    assert felt.cents(3) == START_CENTS


def test_when_the_decision_time_ends_the_seat_is_auto_folded(felt_of: MakeFelt) -> None:
    felt = felt_of('preset = "live"\ndecision_ms = 20000\n')
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("deal")
    felt.until(lambda: felt.state["phase"] == "settled", 60)
    assert felt.room.by_time == {3}
    assert any(note["word"] == "auto_folded" for note in felt.room.notes)


def test_when_the_betting_time_ends_the_dealer_deals_by_himself(felt_of: MakeFelt) -> None:
    felt = felt_of('preset = "live"\nbetting_ms = 20000\nbetting_warning_ms = 5000\n')
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.until(lambda: felt.stage.hands.light() == "yellow")
    felt.until(lambda: felt.state["phase"] == "deciding")
    assert undecided(felt.state) == [3]


def test_an_award_that_waits_is_confirmed_by_two_people(felt: Felt) -> None:
    felt.must("luck", seat=3, hand="royal_flush")
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("coin", seat=3)
    felt.round(3)
    assert felt.state["holds"] == ["jackpot_hold"]
    before = felt.cents(3)
    felt.must("decide")
    assert felt.state["holds"] == []
    (award,) = felt.state["awards"]
    assert award["hand"] == "royal_flush"
    assert felt.cents(3) == before + award["cents"]
    assert felt.refused("decide") == "no_award"


# ------------------------------------------------------------------------------ by hand


def test_by_hand_every_key_and_card_is_the_persons(felt: Felt) -> None:
    assert felt.refused("key", key="lock") == "no_act"
    felt.must("mode", solo=False)
    assert felt.refused("key", key="lock") == "table_says"
    felt.must("chip", seat=1, spot="ante", cents=500)
    felt.must("key", key="lock")
    felt.must("card", card="KD")
    assert picture_of(felt.room)["next_place"] == "D"
    felt.must("card", count=9)
    assert felt.state["phase"] == "deciding"
    assert felt.seat(1)["cards"][0] == "KD"
    felt.must("fold", seat=1)
    felt.must("key", key="close")
    felt.must("key", key="reveal")
    felt.must("key", key="clear")
    felt.must("sweep")
    assert felt.state["phase"] == "idle"
    assert not felt.wire("ante.1")


def test_a_card_that_has_left_already_is_a_duplicate_for_the_table(felt: Felt) -> None:
    felt.must("mode", solo=False)
    felt.must("chip", seat=1, spot="ante", cents=500)
    felt.must("key", key="lock")
    felt.must("card", card="KD")
    felt.must("card", card="KD")
    assert "duplicate_card" in felt.state["holds"]


def test_amounts_are_left_to_the_panel_where_the_person_wants_that(felt: Felt) -> None:
    felt.must("mode", keying=False)
    felt.must("chip", seat=1, spot="ante", cents=500)
    assert felt.seat(1)["ante"] == {"chips": True, "cents": None}


# ------------------------------------------------------------------------------ nothing hidden


def test_a_player_sees_his_own_cards_when_he_looks_and_nobody_sees_more(felt_of: MakeFelt) -> None:
    pictures = []
    for seed in (1, 2):
        felt = felt_of('preset = "us"\n', seed)
        assert felt.refused("look", seat=3) == "cards_unknown"
        felt.must("chip", seat=3, spot="ante", cents=500)
        felt.room.shoe.stack(["2S", "AS"])
        felt.must("deal")
        felt.until(lambda felt=felt: felt.state["phase"] == "deciding")  # type: ignore[misc]
        own = felt.must("look", seat=3)["cards"]
        assert len(own) == 5
        assert own[0] == "2S"
        assert felt.must("look", seat=5)["cards"] == []
        picture = picture_of(felt.room)
        assert felt.refused("look", seat=0) == "no_seat"
        pictures.append(picture)
    shown = [json.dumps(hidden_apart(picture), sort_keys=True) for picture in pictures]
    assert shown[0] == shown[1]
    for card in set(DECK) - {str(pictures[0]["state"]["dealer"]["cards"][4])}:
        assert f'"{card}"' not in shown[0]


def hidden_apart(picture: Json) -> Json:
    """A picture without the dealer's up card, which everybody sees and which differs from deal to deal."""
    copy: Json = json.loads(json.dumps(picture))
    copy["state"]["dealer"]["cards"][4] = "up"
    return copy


# ------------------------------------------------------------------------------ breaking things


def test_a_power_cut_in_the_deal_loses_nothing(felt: Felt) -> None:
    felt.must("chip", seat=3, spot="ante", cents=500)
    felt.must("coin", seat=3)
    felt.must("deal")
    felt.until(lambda: felt.state["cards_out"] == 4)
    felt.stage.power_off()
    felt.room.until(lambda: felt.room.silent, SILENT_S + 1)
    assert picture_of(felt.room)["silent"]
    assert felt.refused("say", text="sup resume") == "silent"
    assert felt.wire("ante.3"), "chips lie where they lay"
    assert not felt.wire("lamp.3")
    felt.stage.power_on()
    felt.until(lambda: not felt.room.silent and "restarted_mid_round" in felt.state["holds"])
    felt.must("say", text="sup resume")
    felt.until(lambda: felt.state["phase"] == "deciding")
    assert felt.state["cards_out"] == 10
    assert felt.stage.hands.lamp_lit(3)


def test_chips_that_are_laid_without_power_are_keyed_when_it_is_back(felt: Felt) -> None:
    felt.stage.power_off()
    felt.room.until(lambda: felt.room.silent, SILENT_S + 1)
    felt.must("chip", seat=3, spot="ante", cents=2_500)
    felt.stage.power_on()
    felt.until(lambda: not felt.room.silent and felt.seat(3)["ante"] == {"chips": True, "cents": 2_500})


def test_the_shoe_is_unplugged_and_plugged_in_again(felt: Felt) -> None:
    felt.must("fault", name="shoe_unplugged", args=[])
    assert not felt.stage.hands.look()["shoe"]["plugged"]
    assert felt.room.broken == {"shoe_unplugged"}
    felt.must("mend", name="shoe_unplugged", args=[])
    assert felt.stage.hands.look()["shoe"]["plugged"]
    assert felt.room.broken == set()


def test_a_jammed_slot_a_dead_lamp_and_a_stuck_sensor_are_faults_of_their_wires(felt: Felt) -> None:
    felt.must("fault", name="coin_stuck", args=[2])
    assert felt.wire("coin_a.2")
    felt.must("fault", name="sensor_stuck", args=["ante", 4])
    felt.must("chip", seat=4, spot="ante", cents=500)
    assert not felt.wire("ante.4")
    felt.until(lambda: any(alarm["alarm"] == "sensor_stuck" for alarm in felt.state["alarms"]))
    felt.must("fault", name="lamp_dead", args=[1])
    felt.must("chip", seat=1, spot="ante", cents=500)
    felt.must("coin", seat=1)
    felt.until(lambda: felt.seat(1)["lamp_dead"])
    assert felt.refused("fault", name="flood", args=[]) == "table_says"


def test_the_power_switch_kills_nothing_but_a_table_controller(felt: Felt) -> None:
    assert felt.refused("power") == "no_power_switch"
    (felt.folder / "service.pid").write_text("1")
    assert felt.refused("power") == "no_power_switch"


NONSENSE: list[Json] = [
    {},
    {"do": "dance"},
    {"do": ["chip"]},
    {"do": "chip", "seat": 8, "spot": "ante", "cents": 500},
    {"do": "chip", "seat": True, "spot": "ante", "cents": 500},
    {"do": "chip", "seat": 1, "spot": "rack", "cents": 500},
    {"do": "chip", "seat": 1, "spot": "ante", "cents": 300},
    {"do": "chip", "seat": 1, "spot": "raise", "cents": 500},
    {"do": "card", "card": "1X"},
    {"do": "card", "count": 99},
    {"do": "buy_in", "seat": 1, "cents": -500},
    {"do": "buy_in", "seat": 1, "cents": 10**12},
    {"do": "fault", "name": "shoe_unplugged", "args": "all"},
    {"do": "fault", "name": "coin_stuck", "args": [{}]},
    {"do": "luck", "seat": 1, "hand": "five aces"},
    {"do": "say", "text": "abracadabra"},
    {"do": "say", "text": ""},
    {"do": "raise", "seat": 1},
    {"do": "play", "on": True},
    {"do": "card", "count": 5.0},
    {"do": "coin", "seat": 1, "force": 1},
    {"do": "decide", "reject": "yes"},
    {"do": "say", "text": 5},
    {"do": "say", "text": "sup void", "reason": 5},
    {"do": "key", "key": ["lock"]},
    {"do": "fault", "name": "coin_stuck", "args": [True]},
    {"do": "fault", "name": "coin_stuck", "args": [1.0]},
    {"do": "fault", "name": "coin_stuck", "args": ["1" * 4_000]},
    {"do": "fault", "name": "x" * 4_000, "args": []},
    {"do": "mend", "name": 5, "args": []},
]


def test_what_makes_no_sense_is_refused_and_moves_nothing(felt: Felt) -> None:
    before = felt.stage.hands.look()["lines"], felt.room.purses.all()
    for act in NONSENSE:
        answer = felt.acts.do(act)
        assert answer["ok"] is False, act
        assert answer["word"]
        assert (felt.stage.hands.look()["lines"], felt.room.purses.all()) == before, act


WHOLE: list[tuple[Json, str]] = [
    *(
        ({"do": name, "seat": 1}, "seat")
        for name in ("clear", "repeat", "double", "coin", "raise", "fold", "look")
    ),
    *(({"do": name, "seat": 1, "spot": "ante", "cents": 500}, "seat") for name in ("chip", "take")),
    ({"do": "chip", "seat": 1, "spot": "ante", "cents": 500}, "cents"),
    ({"do": "buy_in", "seat": 1, "cents": 500}, "seat"),
    ({"do": "buy_in", "seat": 1, "cents": 500}, "cents"),
    ({"do": "luck", "seat": 1, "hand": "flush"}, "seat"),
    ({"do": "card", "count": 1}, "count"),
]
NO_WHOLE: tuple[Any, ...] = (
    1.0,
    500.0,
    True,
    False,
    "1",
    "500",
    [1],
    {},
    None,
    10**30,
    -(10**30),
    math.inf,
    math.nan,
    0.5,
)


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_number_of_an_act_is_exactly_a_whole_one_or_is_refused_with_a_sentence(
    felt: Felt, by_hand: bool
) -> None:
    felt.must("mode", solo=not by_hand)
    felt.must("chip", seat=2, spot="ante", cents=500)
    before = felt.stage.hands.look()["lines"], felt.room.purses.all(), dict(felt.room.layout.piles)
    for act, name in WHOLE:
        for value in NO_WHOLE:
            answer = felt.acts.do({**act, name: value})
            assert answer["ok"] is False, (act, name, value)
            found = "nothing" if value is None else json.dumps(value)
            assert f"$.{name}: {found} was found; allowed: 1" in answer["values"]["text"]
    after = felt.stage.hands.look()["lines"], felt.room.purses.all(), dict(felt.room.layout.piles)
    assert after == before


def test_a_flag_is_true_or_false_and_nothing_else(felt: Felt) -> None:
    for name in ("solo", "keying"):
        for value in (1, 0, "true", None, 1.0):
            answer = felt.do("mode", **{name: value})
            assert answer["ok"] is False
            assert f"$.{name}: " in answer["values"]["text"]
    assert felt.room.solo
    assert felt.room.keying


def test_a_seat_of_a_fault_is_the_same_one_however_it_is_written(felt: Felt) -> None:
    for seat in (2, "2", "02"):
        felt.must("fault", name="coin_stuck", args=[seat])
        assert felt.room.broken == {"coin_stuck 2"}
        felt.must("mend", name="coin_stuck", args=[seat])
        assert felt.room.broken == set()


def test_every_sentence_of_the_page_is_there_in_both_languages() -> None:
    static = Path(acts.__file__).parent / "static"
    keys = [
        set(
            re.findall(
                r"^  '(felt[^']*)'", (static / "words" / language / "felt.js").read_text(), re.MULTILINE
            )
        )
        for language in ("en", "de")
    ]
    assert keys[0] == keys[1]
    python = "".join(path.read_text() for path in Path(acts.__file__).parent.glob("*.py"))
    script = "".join(path.read_text() for path in (static / "felt.js", *(static / "felt").glob("*.js")))
    wanted = {f"felt.no.{word}" for word in re.findall(r'No\("(\w+)"', python)}
    wanted |= {f"felt.note.{word}" for word in re.findall(r'note\("(\w+)"', python)}
    wanted |= set(re.findall(r"'(felt\.[a-z_. ]+?)'", script))
    assert len(wanted) > 100
    assert wanted - keys[0] == set()


# ------------------------------------------------------------------------------ others at the table


def test_simulated_players_are_waited_for_before_a_person_plays(felt: Felt) -> None:
    felt.room.alone = False
    assert felt.refused("chip", seat=1, spot="ante", cents=500) == "others_play"
    felt.must("play", on=True)
    assert (felt.folder / "hands_off").exists()
    assert felt.refused("chip", seat=1, spot="ante", cents=500) == "others_play"
    (felt.folder / "players_wait").touch()
    felt.must("chip", seat=1, spot="ante", cents=500)
    felt.must("play", on=False)
    assert not (felt.folder / "hands_off").exists()
    assert not felt.wire("ante.1"), "the felt is left empty"
    assert felt.cents(1) == START_CENTS


def test_the_players_wait_between_rounds_as_long_as_a_person_plays(tmp_path: Path) -> None:
    hands_off, waiting = tmp_path / "hands_off", tmp_path / "players_wait"
    pumped: list[bool] = []

    class Quiet:
        def pump(self, timeout_ms: int) -> None:
            pumped.append(waiting.exists())
            if len(pumped) == 3:
                hands_off.unlink()

        def take_facts(self) -> list[Json]:
            return []

    table: Any = Quiet()
    nobody: Any = None
    dealer = Dealer(table, nobody, House(), [Player(1, "bold")], 1, io.StringIO())
    dealer.wait_while(hands_off, waiting)
    assert pumped == []
    hands_off.touch()
    dealer.wait_while(hands_off, waiting)
    assert pumped == [True, True, True]
    assert not waiting.exists()


# ------------------------------------------------------------------------------ purses, cards, chips


def test_purses_survive_a_restart_and_a_result_is_booked_once(tmp_path: Path) -> None:
    spot = {"cents": 500}
    results = {"ante": "win 5.00", "raise": "none", "bonus": "none", "coin": "waits"}
    seat = {"seat": 1, "ante": spot, "raise": {"cents": None}, "bonus": {"cents": None}, "results": {}}
    state: Json = {"round": "1", "seats": [seat]}
    purses = Purses(tmp_path / "purses.json", 1)
    purses.follow(state, False)
    purses.take(1, 500)
    seat["results"] = results
    assert purses.follow(state, False) == {1: 1_000}
    again = Purses(tmp_path / "purses.json", 1)
    assert again.cents(1) == START_CENTS + 500
    assert again.follow(state, False) == {}
    results["coin"] = "win 50.00"
    assert again.follow(state, False) == {1: 5_000}
    assert again.cents(1) == START_CENTS + 5_500
    results["ante"] = "push 5.00"
    assert again.follow(state, False) == {1: -500}, "a supervisor has changed the result"
    assert again.cents(1) == START_CENTS + 5_000


def test_results_of_bets_that_others_have_laid_move_nothing(tmp_path: Path) -> None:
    results = {"ante": "win 5.00", "raise": "none", "bonus": "none", "coin": "none"}
    seat = {"seat": 1, "ante": {"cents": 500}, "raise": {"cents": None}, "bonus": {"cents": None}}
    purses = Purses(tmp_path / "purses.json", 1)
    assert purses.follow({"round": "7", "seats": [seat | {"results": results}]}, False) == {}
    assert purses.cents(1) == START_CENTS


def test_a_file_of_purses_that_cannot_be_read_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "purses.json").write_text('{"balances": ')
    assert Purses(tmp_path / "purses.json", 2).all() == {"1": START_CENTS, "2": START_CENTS}


def test_a_shoe_deals_each_card_of_its_deck_once() -> None:
    shoe = Shoe(Random(3), House())
    assert sorted(shoe.take() for _ in range(52)) == sorted(DECK)
    assert shoe.take() == "??", "an empty shoe has nothing to read"


def test_an_amount_is_paid_in_as_few_chips_as_there_are() -> None:
    assert chips_of(13_100, (100, 500, 2_500, 10_000)) == (10_000, 2_500, 500, 100)
    assert chips_of(750, (500, 2_500)) == (500, 250), "what the table's chips cannot make is one odd chip"
