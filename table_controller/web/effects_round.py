"""The second look at words about a round: what a void, a dead hand or resuming does (pure).

Every sentence is made from what everybody may see; where a card decides that lies face down, the sentence
names the rule and the two ways it can go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from table_controller.engine.house_rules import HouseRules
from table_controller.engine.settlement import in_settle_order
from table_controller.table import messages as m
from table_controller.table.state import PHASES_IN_PLAY
from table_controller.wording import hold_words, money

Shown = Mapping[str, Any]

_PHASES: Final[Mapping[str, str]] = {
    "idle": "between rounds", "betting": "taking bets", "dealing": "dealing",
    "deciding": "letting seats decide", "revealing": "revealing the dealer's hand",
    "settled": "paying and collecting", "void": "giving stakes back",
}  # fmt: skip


class Look:
    """One table as it is shown, with the questions that the sentences ask of it."""

    def __init__(self, shown: Shown, house: Shown) -> None:
        self.shown = shown
        self.house = house
        self.rules: Shown = house.get("rules") or {}

    @property
    def phase(self) -> str:
        """The phase of the round."""
        return str(self.shown["phase"])

    @property
    def in_play(self) -> bool:
        """Bets are locked and the round is not settled."""
        return self.phase in PHASES_IN_PLAY

    def seat(self, number: int) -> Shown | None:
        """The seat with that number, if there is one."""
        return next((seat for seat in self.shown["seats"] if seat["seat"] == number), None)

    def in_order(self, seats: Iterable[Shown]) -> list[Shown]:
        """The seats in the order in which the house settles."""
        by_number = {int(seat["seat"]): seat for seat in seats}
        if not self.rules:
            return list(by_number.values())
        order = in_settle_order(msgspec.convert(self.rules, HouseRules), by_number)
        return [by_number[number] for number in order]

    def live(self) -> list[Shown]:
        """Seats with an ante in this round whose hand is not dead."""
        return self.in_order(
            seat for seat in self.shown["seats"] if seat["ante"]["cents"] and not seat["dead"]
        )

    def coins(self) -> list[Shown]:
        """Seats whose coin is in action; after LOCK the lamp says so, a lost coin has none."""
        return self.in_order(
            seat for seat in self.shown["seats"] if seat["coin"] == "bet" and seat["lamp"] != "off"
        )

    @property
    def main_is_void(self) -> bool:
        """The main game went back already and the round goes on for the progressive alone."""
        back = [str(seat["results"].get("ante", "")).startswith("refund") for seat in self.live()]
        return self.phase == "revealing" and bool(back) and all(back)

    @property
    def progressive_only(self) -> bool:
        """The holds that only a void ends leave the progressive alone, and a lamp is lit."""
        voiding = [hold for hold, ends in self.shown["hold_ends"].items() if ends == "a void"]
        spared = [
            hold in ("dealer_short", "dealer_long") and self.rules.get(hold) == "progressive_only"
            for hold in voiding
        ]
        return bool(voiding) and all(spared) and bool(self.coins())

    def waiting(self, seat: int = 0) -> list[Shown]:
        """Awards that wait for people, at that seat or at all."""
        return [one for one in self.shown["awards"] if one["status"] == "waits" and seat in (0, one["seat"])]

    def owed(self, document: str) -> Shown | None:
        """The unpaid award with that document, if there is one."""
        return next((one for one in self.shown["owed"] if one["document"] == document), None)


def plural(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many}"


def _seats(numbers: Iterable[int]) -> str:
    names = [str(number) for number in numbers]
    if len(names) < 2:
        return f"seat {''.join(names)}"
    return f"seats {', '.join(names[:-1])} and {names[-1]}"


# ---------------------------------------------------------------------------------------- void


def award_words(one: Shown) -> str:
    """An award with its document, as the subject of a sentence."""
    share = " share" if one.get("kind") == "share" else ""
    hand = f"{one['hand'].replace('_', ' ')}{share}"
    document = f", {one['document']}" if one.get("document") else ""
    return f"The award at seat {one['seat']} ({hand}, {money(one['cents'])}{document})"


def void(look: Look, _: Any) -> list[str]:
    """The round is void: which stakes go back, and what becomes of the coins."""
    waiting = look.waiting()
    if not look.in_play and not (look.phase == "settled" and waiting):
        return [
            f"The table is {_PHASES.get(look.phase, look.phase)}: a round can be void only from LOCK to the "
            "settlement, or while an award waits. Nothing is given back."
        ]
    if any(one.get("confirmed") for one in look.shown["awards"]):
        return ["An award of this round is confirmed, so the round can no longer be void."]
    again = look.main_is_void
    if look.progressive_only and not again:
        return [
            *_stakes_back(look),
            f"Jackpot coins stay in action at {_seats(_numbers(look.coins()))}: "
            "hands are turned up, and REVEAL decides the coins alone.",
        ]
    lines = [f"Round {look.shown['round']} is void: nothing more is played in it, CLEAR is next."]
    if waiting:
        lines += [f"{award_words(one)} is taken back with its document." for one in waiting]
        lines.append("The meter goes back to what it showed before the awards of this round.")
    lines += ["Ante, raise and bonus went back already."] if again else _stakes_back(look)
    return lines + _coins_of_a_void(look, again)


def _numbers(seats: Iterable[Shown]) -> list[int]:
    return [int(seat["seat"]) for seat in seats]


def _stakes_back(look: Look) -> list[str]:
    lines, together = [], 0
    for seat in look.live():
        stakes = {"ante": seat["ante"]["cents"], "bonus": seat["bonus"]["cents"] or 0}
        stakes["raise"] = 0 if seat["folded"] else seat["raise"]["cents"] or 0
        parts = [f"{name} {money(stakes[name])}" for name in ("ante", "raise", "bonus") if stakes[name]]
        sum_cents = sum(stakes.values())
        together += sum_cents
        total = f", together {money(sum_cents)}" if len(parts) > 1 else ""
        folded = " although the seat folded" if seat["folded"] else ""
        lines.append(f"Seat {seat['seat']}: {', '.join(parts)} back{folded}{total}.")
    dead = [seat["seat"] for seat in look.shown["seats"] if seat["dead"]]
    if dead:
        lines.append(f"At {_seats(dead)} the hand is dead: what was decided there stands.")
    if len(lines) > 1 and together:
        lines.append(f"All stakes that go back: {money(together)}.")
    return lines or ["No ante is in this round, so no stake goes back."]


def _coins_of_a_void(look: Look, again: bool) -> list[str]:
    seats = _numbers(look.coins())
    if not seats:
        return ["No jackpot coin is in action."]
    value = money(int(look.rules.get("coin_value_cents", 0)))
    stands = look.rules.get("coin_on_void") == "stands" and not again
    named = (
        f"the jackpot coin at {_seats(seats)}" if len(seats) == 1 else f"the jackpot coins at {_seats(seats)}"
    )
    if stands:
        lines = [
            f"{named[0].upper()}{named[1:]}: in action on a whole hand; on any other, {value} goes back."
        ]
    else:
        lines = [f"{named[0].upper()}{named[1:]}: {value} back{' each' if len(seats) > 1 else ''}."]
    lines.append(_share_of_a_coin(look))
    match look.rules.get("jackpot_hand_in_void_round"):
        case "manager_decision":
            lines.append(
                "A coin on a whole hand that wins an award does not go back: two people decide the award."
            )
        case "paid":
            lines.append("A coin on a whole hand that wins an award does not go back: the award counts.")
        case _:
            lines.append(
                "A coin on a hand that would win an award goes back like any other; no award is paid."
            )
    return lines


def _share_of_a_coin(look: Look) -> str:
    if look.rules.get("void_contribution") == "keep":
        return "The share of a coin that goes back stays on the meter, and the house pays for it."
    return "The share of a coin that goes back is taken off the meter again."


# ------------------------------------------------------------------------------ hands and holds


def dead_hand(look: Look, command: m.DeadHand) -> list[str]:
    """A hand is dead: what each of its stakes is by the rule of the house."""
    seat = look.seat(command.seat)
    if seat is None or not seat["ante"]["cents"] or seat["dead"]:
        return [f"Seat {command.seat} has no live hand, so nothing changes there."]
    by_count = command.cause == "count"
    pushes = by_count and look.rules.get("player_miscount") == "dead_push"
    keeps_bonus = by_count and look.rules.get("dead_hand_bonus") == "refund"
    keeps_coin = by_count and look.rules.get("dead_hand_coin") == "refund"
    why = "a wrong count of cards" if by_count else "conduct"
    lines = [f"The hand of seat {command.seat} is dead for {why}; no other seat is touched."]
    if look.main_is_void:
        lines.append("Ante, raise and bonus went back already.")
    else:
        raise_cents = 0 if seat["folded"] else seat["raise"]["cents"] or 0
        stakes = [("ante", seat["ante"]["cents"], pushes), ("raise", raise_cents, pushes)]
        stakes.append(("bonus", seat["bonus"]["cents"] or 0, keeps_bonus))
        for name, cents, back in stakes:
            if cents:
                lines.append(f"The {name} of {money(cents)} {'goes back' if back else 'is lost'}.")
    if seat in look.coins():
        lines.append("The jackpot coin goes back." if keeps_coin else "The jackpot coin is lost.")
        lines += [_share_of_a_coin(look)] if keeps_coin else []
    return lines


def withdraw(look: Look, _: Any) -> list[str]:
    """The last statement is taken back."""
    return [
        "The last statement counts as never said, and all that came after it is judged again without it.",
        "What rests on that statement alone goes with it; the record keeps it as taken back.",
    ]


def kill_hand(look: Look, command: m.KillHand) -> list[str]:
    """The extra hand is thrown away."""
    return [
        f"The extra hand at seat {command.seat} is thrown away unseen: it plays for nobody and wins nothing.",
        "All other hands are played as they lie.",
    ]


def resume(look: Look, _: Any) -> list[str]:
    """Which holds are lifted, and which are not."""
    holds = look.shown["hold_ends"]
    if not holds:
        return ["The table is not held: there is nothing to lift."]
    stay = {hold: ends for hold, ends in holds.items() if "resume" not in ends}
    if stay:
        return [
            f'"{hold_words(hold)}" is not lifted by resuming: what ends it is {ends}.'
            for hold, ends in stay.items()
        ]
    lines = [f'The hold "{hold_words(hold)}" is lifted.' for hold in holds]
    lines.append(
        f"The table goes on as it stands, {_PHASES.get(look.phase, look.phase)}, and time limits run again."
    )
    return lines


def fold_short(look: Look, command: m.FoldShort) -> list[str]:
    """A short raise becomes a fold."""
    seat = look.seat(command.seat)
    raise_cents = (seat["raise"]["cents"] or 0) if seat else 0
    if seat is None or not raise_cents:
        return [f"No raise lies at seat {command.seat}, so nothing changes there."]
    ante_cents = seat["ante"]["cents"] or 0
    lines = [
        f"Seat {command.seat} is folded; the {money(raise_cents)} on its raise spot go back.",
        f"A raise there is {money(2 * ante_cents)}. The ante of {money(ante_cents)} is lost with the fold.",
    ]
    return lines + side_bets_of_a_fold(look, seat)


def side_bets_of_a_fold(look: Look, seat: Shown) -> list[str]:
    """What a fold does to the bonus bet and the coin of a seat."""
    lines = []
    if seat["bonus"]["cents"]:
        stays = look.rules.get("fold_keeps_bonus", True)
        lines.append(f"Its bonus bet {'stays in action' if stays else 'is lost with the fold'}.")
    if seat["coin"] == "bet" and seat["lamp"] != "off":
        stays = look.rules.get("fold_keeps_coin", True)
        lines.append(f"Its jackpot coin {'stays in action' if stays else 'is lost with the fold'}.")
    return lines


def return_excess(look: Look, command: m.ReturnExcess) -> list[str]:
    """What is too much in a raise goes back."""
    seat = look.seat(command.seat)
    raise_cents = (seat["raise"]["cents"] or 0) if seat else 0
    stays = raise_cents - command.cents
    return [
        f"{money(command.cents)} of the raise at seat {command.seat} go back to the player.",
        f"A raise of {money(stays)} stays."
        if stays > 0
        else "The table checks the amount against what lies there.",
    ]
