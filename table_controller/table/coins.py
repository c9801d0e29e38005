"""The coins of the progressive: tokens that fell, and which of them are jackpot bets."""

from __future__ import annotations

from table_controller.engine.progressive import contribute
from table_controller.engine.settlement import refund
from table_controller.table.bets import amount_lying
from table_controller.table.messages import (
    CoinAccepted,
    CoinDropped,
    CoinFaulted,
    CoinReturned,
    ReturnCoin,
)
from table_controller.table.turn import Refused, Turn


def coin_dropped(turn: Turn, event: CoinDropped) -> None:
    """A token fell: a bet while bets are open, else it goes back and never counts for another round."""
    state = turn.state
    seat = state.seat(event.seat)
    if not turn.rules.has_progressive:
        turn.tell(CoinReturned(event.seat, "no progressive"))
    elif state.phase != "betting":
        turn.alarm("late_coin", str(event.seat))
        turn.tell(CoinReturned(event.seat, "late"))
        if seat.coin == "none" and state.phase != "idle":
            seat.coin = "refunded"
            seat.results.coin = refund(turn.rules.coin_value_cents)
    elif seat.coin == "placed":
        turn.alarm("second_coin", str(event.seat))
        turn.tell(CoinReturned(event.seat, "second"))
    else:
        seat.coin = "placed"
        stops = turn.rules.progressive_fault_before_lock == "stop_table"
        seat.coin_fell_in_fault = not stops and not state.progressive_well
        seat.results.coin = None
        turn.tell(CoinAccepted(event.seat))


def coin_faulted(turn: Turn, event: CoinFaulted) -> None:
    """The beams of a slot showed no coin; only an endless one is an alarm."""
    if event.fault == "stuck":
        turn.alarm("coin_stuck", str(event.seat))
    else:
        turn.notice(f"coin_{event.fault}", str(event.seat))


def return_coin(turn: Turn, command: ReturnCoin) -> None:
    """The token is given back before LOCK: no bet (DETAILS.md; mission text S1, Progressive Coin Slot)."""
    state = turn.state
    if state.phase != "betting":
        raise Refused("a coin is given back only before LOCK")
    if not 1 <= command.seat <= len(state.seats) or state.seat(command.seat).coin != "placed":
        raise Refused(f"no coin lies in the slot of seat {command.seat}")
    seat = state.seat(command.seat)
    seat.coin = "none"
    seat.coin_fell_in_fault = False
    turn.tell(CoinReturned(command.seat, "given back"))


def coins_that_count(turn: Turn) -> list[int]:
    """Seats whose coin becomes a bet at LOCK."""
    state = turn.state
    return [
        number
        for number, seat in state.numbered()
        if seat.coin == "placed"
        and not seat.coin_fell_in_fault
        and state.progressive_well
        and amount_lying(turn.house, seat.ante, "ante") > 0
    ]


def contributions_exact(turn: Turn) -> int:
    """What the coins of this LOCK would put on meter, overflow and reserve, in millionths of a cent."""
    rules = turn.rules
    each = rules.coin_value_cents * (rules.meter_share_ppm + rules.reserve_share_ppm)
    return each * len(coins_that_count(turn))


def lock_coin(turn: Turn, number: int, counts: bool) -> None:
    """A placed coin becomes a bet and its share goes to the meter, or it goes back."""
    seat = turn.state.seat(number)
    meter = turn.state.meter
    if counts and meter is not None:
        meter, seat.share = contribute(turn.rules, meter)
        turn.set_meter(meter, "contribution")
        seat.coin = "bet"
        return
    if not seat.ante_cents:
        turn.alarm("coin_without_ante", str(number))
    turn.refund_coin(number, "coin_refunded")
    turn.tell(CoinReturned(number, "no ante" if not seat.ante_cents else "progressive down"))
