"""Simulated players and their dealer, at a table that is a fake: it keeps phases and settles nothing."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hw_sim.dealer import Dealer, Stuck
from hw_sim.demo import summary, table_toml
from hw_sim.players import (
    DECK,
    Bets,
    House,
    Player,
    UnknownHouse,
    deal_out,
    order_of_places,
    pair_or_better,
    seated,
    shuffled,
    stacked,
    strong_hand,
    worth_a_raise,
)
from hw_sim.table import Hands

Json = dict[str, Any]
SEATS = 3


class FakeTable(Hands):
    """Wires and messages of a table in one: it goes from phase to phase and pays nothing."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.dealt: list[str] = []
        self.said: list[tuple[str, str, str]] = []
        self.awards: list[Json] = []
        self.restart_at_card = 0
        self.deaf_keys = 0
        self.facts: list[Json] = []
        self.order = (1, 1)
        spot: Json = {"chips": False, "cents": 0}
        self.state: Json = {
            "round": "", "phase": "idle", "result": "", "holds": [], "alarms": [], "cards_out": 0,
            "awards": [],
            "meter": {"cents": 5000000}, "deck_due": False, "stub_due": False, "shoe": True,
            "coin_accept": [True] * SEATS,
            "seats": [
                {"seat": seat, "ante": dict(spot), "raise": dict(spot), "bonus": dict(spot), "coin": "none",
                 "folded": False, "dead": False,
                 "results": {"ante": "none", "raise": "none", "bonus": "none", "coin": "none"}}
                for seat in range(1, SEATS + 1)
            ],
        }  # fmt: skip

    # What a client sees.

    def pump(self, timeout_ms: int = 0, /) -> bool:
        self.now_s += 0.01
        return False

    def take_facts(self) -> list[Json]:
        facts, self.facts = self.facts, []
        return facts

    def say(self, command: Json, operator: str, role: str, reason: str = "", /) -> Json:
        self.said.append((command["type"], operator, role))
        self.order = (self.order[0], self.order[1] + 1)
        refusal = self._obey(command, role)
        return {"ok": not refusal, "seq": self.order[1], "error": refusal}

    # What hands do.

    def do(self, word: str, *args: str) -> Any:
        if word in ("ante", "bonus", "raise"):
            self._seat(args[0])[word]["chips"] = True
        elif word == "coin":
            self._seat(args[0])["coin"] = "bet"
        elif word == "deal":
            self._card(args[0])
        elif word == "key":
            self._key(args[0])
        elif word == "clear_felt":
            for seat in self.state["seats"]:
                for spot in ("ante", "raise", "bonus"):
                    seat[spot] = {"chips": False, "cents": 0}
        else:
            raise AssertionError(word)

    # What the table does.

    def _seat(self, seat: str | int) -> Json:
        found: Json = self.state["seats"][int(seat) - 1]
        return found

    def _due(self) -> int:
        return 5 * (1 + sum(bool(seat["ante"]["cents"]) for seat in self.state["seats"]))

    def _card(self, card: str) -> None:
        assert not self.state["holds"], "a card left the shoe in a hold"
        assert self.state["phase"] == "dealing", "a card left the shoe with nothing due"
        self.dealt.append(card)
        self.state["cards_out"] += 1
        if self.state["cards_out"] == self.restart_at_card:
            self.restart_at_card = 0
            self.order = (self.order[0] + 1, self.order[1] + 1)
            self.state["holds"] = ["restarted_mid_round"]
        self._end_the_deal()

    def _end_the_deal(self) -> None:
        if self.state["cards_out"] == self._due() and not self.state["holds"]:
            self.state["phase"] = "deciding"

    def _key(self, key: str) -> None:
        if self.deaf_keys:
            self.deaf_keys -= 1
            return
        before, after = {
            "open": ("idle", "betting"),
            "lock": ("betting", "dealing"),
            "close": ("deciding", "revealing"),
            "reveal": ("revealing", "settled"),
            "clear": (self.state["phase"], "idle"),
        }[key]
        if self.state["phase"] != before or self.state["holds"]:
            self.facts.append({"body": {"type": "KeyRefused", "key": key, "reason": "not now"}})
            return
        self.state["phase"] = after
        if key == "open":
            self.state.update(round="r", result="", cards_out=0, awards=[])
            for seat in self.state["seats"]:
                seat.update(coin="none", folded=False)
        if key == "reveal":
            self.state.update(result="settled", awards=self.awards)
            self.state["holds"] = ["jackpot_hold"] if self.awards else []

    def _obey(self, command: Json, role: str) -> str:
        match command["type"]:
            case "SetAmount":
                self._seat(command["seat"])[command["spot"]]["cents"] = command["cents"]
            case "Fold":
                self._seat(command["seat"])["folded"] = True
            case "Resume" if role == "supervisor":
                self.state["holds"] = []
                self._end_the_deal()
            case "VoidRound" if role == "supervisor":
                self.state.update(phase="void", result="void", holds=[])
            case "CountStub":
                self.counted = command["cards"]
            case "ConfirmAward":
                return self._confirm(command["seat"])
            case other:
                return f"{other} is not taken"
        return ""

    def _confirm(self, seat: int) -> str:
        if getattr(self, "counted", None) != 52 - self.state["cards_out"]:
            return "the deck has not been counted"
        operators = {who for what, who, _ in self.said if what == "ConfirmAward"}
        if len(operators) == 2:
            for award in self.awards:
                if award["seat"] == seat:
                    award["status"] = "paid"
            if all(award["status"] == "paid" for award in self.awards):
                self.state["holds"] = []
        return ""


def dealer_at(
    table: FakeTable,
    seed: int = 7,
    rigged: float = 0,
    speed: float = 0,
    players: Sequence[Player] | None = None,
) -> tuple[Dealer, io.StringIO]:
    log = io.StringIO()
    people = players if players is not None else seated(SEATS, Random(seed))
    return Dealer(table, table, House(), people, seed, log, speed, rigged, now_s=lambda: table.now_s), log


def evening(seed: int, rounds: int, speed: float = 0) -> tuple[str, list[str]]:
    table = FakeTable()
    dealer, log = dealer_at(table, seed, rigged=0.3, speed=speed)
    for number in range(1, rounds + 1):
        dealer.play_round(number)
    return log.getvalue(), table.dealt


# ------------------------------------------------------------------------------------ the players


@pytest.mark.parametrize("hand", ["2S 2H 7D 9C KS", "2S 3H 4D 5C AS", "9S TS JH QD KC", "2H 5H 9H JH KH"])
def test_a_pair_a_straight_and_a_flush_are_pair_or_better(hand: str) -> None:
    assert pair_or_better(hand.split())


@pytest.mark.parametrize("hand", ["2S 4H 7D 9C KS", "AS KH QD JC 9S", "AS 2H 3D 4C 6S", "KS AH 2D 3C 4S"])
def test_a_hand_without_a_pair_is_not(hand: str) -> None:
    assert not pair_or_better(hand.split())


@pytest.mark.parametrize(
    ("hand", "up", "raises"),
    [
        ("AS KH 8D 5C 3S", "8C", True),
        ("AS KH 8D 5C 3S", "7C", False),
        ("AS KH QD 5C 3S", "AD", True),
        ("AS KH TD 5C 3S", "KD", False),
        ("AS KH QD 8C 3S", "7D", True),
        ("AS KH QD 8C 3S", "9D", False),
        ("AS QH JD 8C 3S", "8D", False),
    ],
)
def test_a_sensible_player_raises_ace_king_by_the_published_rules(hand: str, up: str, raises: bool) -> None:
    assert worth_a_raise(hand.split(), up) is raises
    assert Player(1, "sensible").raises(hand.split(), up) is raises


def test_a_timid_player_folds_ace_king_and_a_bold_one_raises_nothing_at_all() -> None:
    assert not Player(1, "timid").raises(["AS", "KH", "8D", "5C", "3S"], "8C")
    assert Player(1, "timid").raises(["2S", "2H", "7D", "9C", "KS"], "8C")
    assert Player(1, "bold").raises(["2S", "4H", "7D", "9C", "TS"], "8C")


def test_a_collector_bets_the_coin_whenever_he_plays() -> None:
    bets = [Player(1, "collector").bets(Random(seed), House()) for seed in range(50)]
    assert all(bet.coin for bet in bets if bet is not None)
    assert any(bet is not None for bet in bets)


def test_nobody_bets_what_the_house_does_not_have() -> None:
    house = House(progressive=False, bonus=False)
    for seed in range(100):
        for kind in ("timid", "bold", "sensible", "collector"):
            bets = Player(1, kind).bets(Random(seed), house)
            assert bets is None or bets == Bets(bets.ante_cents)


# ------------------------------------------------------------------------------------ the house and deck


def test_the_live_house_has_a_bonus_and_shows_the_first_card_of_the_dealer() -> None:
    assert House.of({"preset": "live"}) == House(progressive=True, bonus=True, upcard="first")


def test_an_option_of_the_file_overrides_its_preset() -> None:
    rules = {"preset": "classic", "deal_order": "packets", "token_count": "required", "coin_value": "5.00"}
    assert House.of(rules) == House(progressive=False, deal_order="packets", token_count=True, coin_cents=500)


def test_a_house_that_is_no_preset_is_refused_by_its_name() -> None:
    with pytest.raises(UnknownHouse, match="'vegas' is no preset"):
        House.of({"preset": "vegas"})


def test_the_house_of_a_table_is_read_from_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(table_toml(3, "own.toml"))
    (tmp_path / "own.toml").write_text('preset = "live"\nupcard = "declared"\n')
    assert House.read(tmp_path / "table.toml").upcard == "declared"


@pytest.mark.parametrize(
    ("rules", "said"),
    [("= 3", "own.toml: Invalid"), ('coin_value = "one"', "coin_value is 'one'"), (None, "own.toml: ")],
)
def test_house_rules_that_cannot_be_read_are_refused_with_their_place(
    tmp_path: Path, rules: str | None, said: str
) -> None:
    (tmp_path / "table.toml").write_text(table_toml(3, "own.toml"))
    if rules is not None:
        (tmp_path / "own.toml").write_text(rules)
    with pytest.raises(UnknownHouse, match=said):
        House.read(tmp_path / "table.toml")


def test_cards_go_round_the_seats_with_an_ante_and_the_dealer_last() -> None:
    assert order_of_places([4, 1], House())[:4] == ["1", "4", "D", "1"]
    assert order_of_places([4, 1], House(deal_order="packets"))[4:6] == ["1", "4"]
    assert len(order_of_places([4, 1], House())) == 15


@pytest.mark.parametrize("order", ["one_at_a_time", "packets"])
def test_a_stacked_deck_is_whole_and_gives_the_strong_hand_to_its_seat(order: str) -> None:
    house = House(deal_order=order)
    for seed in range(60):
        deck = stacked(shuffled(Random(seed)), 2, [1, 2, 3], house, Random(seed))
        assert sorted(deck) == sorted(DECK)
        assert sorted(deal_out(deck, [1, 2, 3], house)["2"]) == sorted(strong_hand(Random(seed)))


# ------------------------------------------------------------------------------------ the dealer


def test_five_cards_leave_for_each_ante_and_five_for_the_dealer() -> None:
    table = FakeTable()
    dealer, _ = dealer_at(table)
    record = dealer.play_round(1)
    assert len(table.dealt) == 5 * (len(record["seats"]) + 1)
    assert record["dealer"] == table.dealt[len(record["seats"]) :: len(record["seats"]) + 1]


def test_the_same_seed_plays_the_same_evening() -> None:
    assert evening(3, 12) == evening(3, 12)
    assert evening(3, 12) != evening(4, 12)


def test_a_slow_dealer_plays_the_same_evening_as_a_fast_one() -> None:
    assert evening(3, 4, speed=1) == evening(3, 4)


def test_the_hand_log_tells_every_bet_hand_and_decision_of_a_round() -> None:
    table = FakeTable()
    players = [Player(1, "bold"), Player(3, "timid")]
    dealer, log = dealer_at(table, players=players)
    for number in range(1, 21):
        dealer.play_round(number)
    records = [json.loads(line) for line in log.getvalue().splitlines()]
    assert len(records) == 20
    for record in records:
        assert set(record["hands"]) == set(record["seats"])
        assert all(len(hand) == 5 for hand in [*record["hands"].values(), record["dealer"]])
        assert record["upcard"] == record["dealer"][4]
        for seat, bets in record["seats"].items():
            assert bets["raised"] is (seat == "1" or pair_or_better(record["hands"][seat]))


def test_an_award_is_confirmed_by_two_people_after_the_rest_of_the_deck_is_counted() -> None:
    table = FakeTable()
    table.awards = [
        {"seat": 1, "hand": "straight_flush", "cents": 100, "status": "waits"},
        {"seat": 2, "hand": "royal_flush", "cents": 900, "status": "waits"},
    ]
    dealer, _ = dealer_at(table)
    record = dealer.play_round(1)
    confirmed = [(who, role) for what, who, role in table.said if what == "ConfirmAward"]
    assert [what for what, _, _ in table.said].index("CountStub") < len(table.said) - len(confirmed)
    assert confirmed == [("sam", "supervisor"), ("dora", "dealer")] * 2
    assert [award["status"] for award in record["awards"]] == ["paid", "paid"]


def test_after_a_restart_in_the_deal_the_supervisor_resumes_and_the_deal_goes_on() -> None:
    undisturbed = FakeTable()
    dealer_at(undisturbed)[0].play_round(1)
    table = FakeTable()
    table.restart_at_card = 4
    record = dealer_at(table)[0].play_round(1)
    assert ("Resume", "sam", "supervisor") in table.said
    assert table.dealt == undisturbed.dealt
    assert record["restarted"]


def test_a_hold_that_nobody_can_resume_is_made_void() -> None:
    table = FakeTable()
    table.state["holds"] = ["duplicate_card"]
    table.state["phase"] = "dealing"
    record = dealer_at(table)[0].play_round(1)
    assert ("VoidRound", "sam", "supervisor") in table.said
    assert record["result"] == "settled", "the next round is played as if nothing had been"


def test_a_key_that_fell_into_a_power_cut_is_pressed_again() -> None:
    table = FakeTable()
    table.deaf_keys = 2
    assert dealer_at(table)[0].play_round(1)["result"] == "settled"


def test_a_key_that_never_works_ends_the_play_with_its_name() -> None:
    table = FakeTable()
    table.deaf_keys = 1_000_000
    with pytest.raises(Stuck, match="the key open does nothing"):
        dealer_at(table)[0].play_round(1)


# ------------------------------------------------------------------------------------ the demo's summary


def test_the_summary_counts_money_as_it_moves_at_the_felt() -> None:
    record = {
        "coin_cents": 100,
        "seats": {"1": {"ante": 1000, "bonus": 500, "coin": True, "raised": True},
                  "2": {"ante": 1000, "bonus": 0, "coin": False, "raised": False}},
        "results": {"1": {"ante": "win 10.00", "raise": "push 20.00", "bonus": "lose 5.00",
                          "coin": "win 50.00"},
                    "2": {"ante": "lose 10.00", "raise": "none", "bonus": "none", "coin": "none"}},
        "alarms": [{"alarm": "late_coin", "place": "2"}],
        "awards": [{"seat": 1, "hand": "flush", "cents": 5000, "status": "paid"}],
        "meter": {"cents": 1000049},
        "result": "settled",
    }  # fmt: skip
    text = summary([record, {**record, "result": "void"}], seconds=30)
    assert "2: 1 settled, 1 void, 4.0 a minute" in text
    assert "wagered   92.00, returned to players 180.00" in text
    assert "2 flush 100.00" in text
    assert "late coin 2" in text
