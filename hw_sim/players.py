"""Simulated players: what they bet, and what they decide from what they may see.

A player looks at his own cards and at the dealer's up card, at nothing else. Everything that is left to
chance comes from a `random.Random` that the caller seeds: the same seed plays the same way.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "SHDC"
DECK: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
ACE, KING, QUEEN, JACK = (RANKS.index(rank) for rank in "AKQJ")

TEMPERAMENTS: Final = ("timid", "bold", "sensible", "collector")
CHIPS_CENTS: Final = (500, 1000, 1500, 2500, 5000, 10000)


class UnknownHouse(Exception):
    """The house rules cannot be read well enough to play by them; the sentence says why."""


@dataclass(frozen=True)
class House:
    """What dealer and players must know of the rules of the house (HOUSE_RULES.md, Options)."""

    progressive: bool = True
    bonus: bool = False
    deal_order: str = "one_at_a_time"
    upcard: str = "last"
    token_count: bool = False
    coin_cents: int = 100

    @classmethod
    def read(cls, table_toml: Path) -> House:
        """Reads the house that a `table.toml` names: a preset, or a house-rule file beside it.

        Raises `UnknownHouse`.
        """
        named = _read_toml(table_toml).get("house_rules")
        if not isinstance(named, str):
            raise UnknownHouse(f"{table_toml}: house_rules is {named!r}; a name or a file is needed")
        return cls.of(_read_toml(table_toml.parent / named) if named.endswith(".toml") else {"preset": named})

    @classmethod
    def of(cls, rules: Mapping[str, Any]) -> House:
        """The house of a house-rule file's content; an option that it does not name is the preset's."""
        preset = rules.get("preset", "")
        if preset not in ("", "us", "us_standard", "live", "video_1", "video_2", "video_3", "classic"):
            raise UnknownHouse(f"preset {preset!r} is no preset of HOUSE_RULES.md")
        return cls(
            progressive=bool(rules["progressive"])
            if "progressive" in rules
            else preset not in ("", "classic"),
            bonus=bool(rules["bonus"]) if "bonus" in rules else preset == "live",
            deal_order=rules.get("deal_order", "one_at_a_time"),
            upcard=rules.get("upcard", "first" if preset == "live" else "last"),
            token_count=rules.get("token_count", "off") == "required",
            coin_cents=_cents(rules.get("coin_value", "1.00")),
        )


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, ValueError) as problem:
        raise UnknownHouse(f"{path}: {problem}") from problem


def _cents(amount: object) -> int:
    """Whole cents of an amount with two decimals."""
    whole, _, part = str(amount).partition(".")
    if not (whole.isdecimal() and part.isdecimal() and len(part) == 2):
        raise UnknownHouse(f"coin_value is {amount!r}; an amount such as '1.00' is needed")
    return int(whole + part)


@dataclass(frozen=True)
class Bets:
    """What one player lays down before LOCK, in cents; a coin is a token in the slot."""

    ante_cents: int
    bonus_cents: int = 0
    coin: bool = False


@dataclass(frozen=True)
class Player:
    """One player at one seat, with one temperament of `TEMPERAMENTS`."""

    seat: int
    temperament: str

    def bets(self, chance: Random, house: House) -> Bets | None:
        """What he bets this round; None if he sits it out."""
        plays, stack, likes_bonus, likes_coin = (chance.random() for _ in range(4))
        if plays < 0.08:
            return None
        reach = {"timid": 2, "bold": 6}.get(self.temperament, 4)
        coin_share = {"collector": 1.0, "bold": 0.7, "timid": 0.2}.get(self.temperament, 0.5)
        return Bets(
            ante_cents=CHIPS_CENTS[int(stack * reach)],
            bonus_cents=500 if house.bonus and likes_bonus < 0.5 else 0,
            coin=house.progressive and likes_coin < coin_share,
        )

    def raises(self, own: Sequence[str], up: str) -> bool:
        """Whether he raises, seeing his five cards and the dealer's up card."""
        if self.temperament == "bold" or pair_or_better(own):
            return True
        return self.temperament != "timid" and worth_a_raise(own, up)


def seated(seats: int, chance: Random) -> list[Player]:
    """One player for each seat; every temperament sits at a table of four seats or more."""
    kinds = list(TEMPERAMENTS)
    chance.shuffle(kinds)
    return [Player(seat, kinds[(seat - 1) % len(kinds)]) for seat in range(1, seats + 1)]


def rank_of(card: str) -> int:
    """0 for a two up to 12 for an ace."""
    return RANKS.index(card[0])


def pair_or_better(cards: Sequence[str]) -> bool:
    """Whether five cards are at least a pair."""
    ranks = sorted(rank_of(card) for card in cards)
    if len(set(ranks)) < 5 or len({card[1] for card in cards}) == 1:
        return True
    return ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, ACE]


def worth_a_raise(cards: Sequence[str], up: str) -> bool:
    """The three published rules of thumb for ace-king; everything below ace-king folds.

    Raise if the up card is a two to a queen and one of ours; if it is an ace or king and we hold a queen
    or jack; if it is none of ours, we hold a queen, and it is lower than our fourth highest card.
    """
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    if ranks[:2] != [ACE, KING]:
        return False
    seen = rank_of(up)
    if seen in (ACE, KING):
        return QUEEN in ranks or JACK in ranks
    return seen in ranks or (QUEEN in ranks and seen < ranks[3])


def order_of_places(antes: Sequence[int], house: House) -> list[str]:
    """Whose each card is, in the order in which cards leave the shoe; `D` is the dealer."""
    places = [str(seat) for seat in sorted(antes)] + ["D"]
    if house.deal_order == "packets":
        return [place for place in places for _ in range(5)]
    return places * 5


def deal_out(deck: Sequence[str], antes: Sequence[int], house: House) -> dict[str, list[str]]:
    """Who gets which cards of a deck, by place, in dealing order."""
    hands: dict[str, list[str]] = {}
    for card, place in zip(deck, order_of_places(antes, house), strict=False):
        hands.setdefault(place, []).append(card)
    return hands


def shuffled(chance: Random) -> list[str]:
    """A fair deck."""
    deck = list(DECK)
    chance.shuffle(deck)
    return deck


def stacked(deck: Sequence[str], seat: int, antes: Sequence[int], house: House, chance: Random) -> list[str]:
    """The same deck with a hand from a flush to a royal put where it will fall to a seat.

    Awards are so rare that a fair deck shows none in an evening; a test of them cannot wait.
    """
    wanted = strong_hand(chance)
    deck = list(deck)
    spots = [at for at, place in enumerate(order_of_places(antes, house)) if place == str(seat)]
    for spot, card in zip(spots, wanted, strict=True):
        other = deck.index(card)
        deck[spot], deck[other] = deck[other], deck[spot]
    return deck


def strong_hand(chance: Random) -> list[str]:
    """Five cards that are a royal flush, straight flush, four of a kind, full house, flush or trips."""
    suit = chance.choice(SUITS)
    kind = chance.choice(("royal", "straight_flush", "four", "full_house", "flush", "three"))
    high, low = chance.sample(RANKS, 2)
    fewer, more = chance.sample(SUITS, 3), chance.sample(SUITS, 2)
    match kind:
        case "royal":
            hand = [rank + suit for rank in "TJQKA"]
        case "straight_flush":
            lowest = chance.randrange(8)
            hand = [rank + suit for rank in RANKS[lowest : lowest + 5]]
        case "four":
            hand = [high + each for each in SUITS] + [low + suit]
        case "full_house":
            hand = [high + each for each in fewer] + [low + each for each in more]
        case "flush":
            hand = [rank + suit for rank in chance.choice(("24689", "3579K", "468JA", "25TQK"))]
        case _:
            kickers = [rank for rank in RANKS if rank != high]
            hand = [high + each for each in fewer] + [rank + suit for rank in chance.sample(kickers, 2)]
    chance.shuffle(hand)
    return hand


def main_players(argv: Sequence[str]) -> int:
    """`hw-sim players`: joins the table of a run folder and plays; 0 when all rounds are played."""
    parser = argparse.ArgumentParser(prog="hw-sim players", description="Simulated players and dealer.")
    parser.add_argument("--dir", type=Path, required=True, help="run folder of the table")
    parser.add_argument("--seats", type=int, choices=range(1, 8), default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=0, help="0: until stopped")
    parser.add_argument("--speed", type=float, default=0, help="1: a person's pace, 0: as fast as it goes")
    parser.add_argument("--rigged", type=float, default=0, help="share of rounds (0 to 1) with a strong hand")
    wanted = parser.parse_args(argv)
    if not (math.isfinite(wanted.speed) and wanted.speed >= 0):
        parser.error(f"--speed {wanted.speed}: a number of 0 or more is allowed")
    signal.signal(signal.SIGTERM, _interrupt)

    # Only the process needs them; the demo, the tests and an auditor take the players alone.
    from hw_sim.client import TableClient, TableSilent
    from hw_sim.dealer import PATIENCE_S, Dealer, Stuck
    from hw_sim.stages import SIMULATOR_KEY
    from hw_sim.table import BoardClient

    table = TableClient(
        f"ipc://{wanted.dir}/state.sock",
        f"ipc://{wanted.dir}/commands.sock",
        key=wanted.dir / SIMULATOR_KEY,
    )
    board = None
    try:
        if not table.wait_for(lambda state: True, int(PATIENCE_S * 1000)):
            raise Stuck(f"no table speaks in {wanted.dir}")
        board = BoardClient(wanted.dir / "board.sock")
        house = House.read(wanted.dir / "table.toml")
        with (wanted.dir / "hands.jsonl").open("a") as log:
            people = seated(wanted.seats, Random(f"{wanted.seed}/people"))
            dealer = Dealer(table, board, house, people, wanted.seed, log, wanted.speed, wanted.rigged)
            number = 0
            while not wanted.rounds or number < wanted.rounds:
                dealer.wait_while(wanted.dir / "hands_off", wanted.dir / "players_wait")
                number += 1
                dealer.play_round(number)
    except (Stuck, TableSilent, UnknownHouse, OSError) as problem:
        print(f"players: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        table.close()
        if board is not None:
            board.close()
    return 0


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
