"""Rounds in the words of the plays, by the hands that are dealt in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ROYAL = "TH JH QH KH AH"
ROYAL_OF_SPADES = "TS JS QS KS AS"
STRAIGHT_FLUSH = "5C 6C 7C 8C 9C"
FOUR = "7C 7D 7S 7H 3H"
FULL_HOUSE = "4H 4S 4D 3C 3S"
FLUSH = "2D 5D 8D JD KD"
NOTHING = "2C 3D 7H 9S QC"
DEALER = "2H 4C 6H 8S TD"


def locked(hands: Mapping[int, str], coins: Iterable[int] | None = None) -> str:
    """As far as LOCK: an ante at each of these seats, a coin at each of `coins`, by default at all."""
    bets = [f"ante {seat} 10.00" for seat in hands]
    bets += [f"coin {seat}" for seat in (hands if coins is None else coins)]
    return "\n".join([*bets, "lock"]) + "\n"


def dealt(hands: Mapping[int, str]) -> str:
    """The deal, one card at a time from the lowest seat up and the dealer last."""
    rows = zip(*(hands[seat].split() for seat in sorted(hands)), DEALER.split(), strict=True)
    places = [*map(str, sorted(hands)), "D"]
    return (
        "deal "
        + " ".join(f"{card}>{place}" for row in rows for card, place in zip(row, places, strict=True))
        + "\n"
    )


def revealed(hands: Mapping[int, str], coins: Iterable[int] | None = None) -> str:
    """A whole round up to REVEAL in which every seat raises."""
    raises = [f"raise {seat}" for seat in hands]
    return locked(hands, coins) + dealt(hands) + "\n".join([*raises, "close", "reveal"]) + "\n"


def counted(hands: Mapping[int, str]) -> str:
    """The rest of the deck is counted complete."""
    return f"stub {52 - 5 * (len(hands) + 1)}\n"
