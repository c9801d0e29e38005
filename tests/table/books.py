"""The books of a table: what was at stake when bets were locked, and what must have become of it.

They are kept from the facts, beside the table's own, and a round in which nothing went wrong is handed
to the auditor (`tests.model`) as well.
"""

from __future__ import annotations

from collections import Counter

from table_controller.engine.progressive import EXACT
from table_controller.table import messages as m
from table_controller.table.state import PHASES_IN_PLAY, Seat, TableState, rules_now
from table_controller.table.views import Snapshot
from tests import model
from tests.table.houses import Table


class Books:
    """What lay on the table when it was locked, and what must have become of it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rules = table.known.rules
        self._locked: dict[int, m.LockedBet] = {}
        self._raised_cents: dict[int, int] = {}
        self._dead: dict[int, dict[str, str]] = {}
        self._paid_cents: Counter[int] = Counter()
        self._parameters: dict[str, str] = {}
        self._wins_cents = self._wagers_cents = 0
        self._model: model.Model | None = None
        self._in_step = False
        self._overflow_cents = self._added_cents = 0
        self.clean_rounds = 0
        self._compared = ""

    def watch(
        self,
        before: TableState,
        after: TableState,
        message: m.AnyMessage,
        facts: tuple[m.Fact, ...],
        view: Snapshot,
        dealt: list[tuple[str, str]],
    ) -> None:
        """Follow the money through one message."""
        self._watch_meter(before, after, facts)
        action = message.command if isinstance(message, m.Said) else message
        if isinstance(action, m.VoidRound) and after is not before:
            self._paid_cents.clear()
            royal = any(isinstance(fact, m.AwardPaid) and fact.hand == "royal_flush" for fact in facts)
            assert royal or after.parameters == self._parameters, "in force without a royal's reset"
            if not self._raised_cents and before.phase in PHASES_IN_PLAY:
                self._raised_cents = {
                    number: seat.raise_lying_cents
                    for number, seat in before.numbered()
                    if seat.live and not seat.folded and seat.raise_lying_cents
                }
        for fact in facts:
            if isinstance(fact, m.BetsLocked):
                self._lock(before, after, fact)
            elif isinstance(fact, m.KeyTaken) and fact.key == "close":
                self._raised_cents = {
                    number: 2 * seat.ante_cents
                    for number, seat in after.numbered()
                    if seat.live and not seat.folded
                }
            elif isinstance(fact, m.MeterCorrected):
                # What people put on or took off, the auditor does not know.
                self._in_step = False
            elif isinstance(fact, m.AwardPaid):
                self._paid_cents[fact.seat] += fact.cents
            elif isinstance(fact, m.HandDead):
                self._bury(before.seat(fact.seat), after, fact)
        waits = any(one.status == "waits" for one in after.awards)
        if after.phase in ("settled", "void") and not waits and after.round != self._compared:
            self._settle(after, view)
            self._audit(after, view, dealt)
        if after.phase == "idle":
            self._compared = ""

    def _watch_meter(self, before: TableState, after: TableState, facts: tuple[m.Fact, ...]) -> None:
        if after.meter is None or before.meter is None:
            return
        assert after.meter.balances, f"the meter's books do not balance: {after.meter}"
        cents = before.meter.cents
        for fact in facts:
            if isinstance(fact, m.MeterChanged):
                assert fact.before_cents == cents
                cents = fact.after_cents
        assert after.meter.cents == cents, "the meter moved and no fact says so"

    def _lock(self, before: TableState, after: TableState, fact: m.BetsLocked) -> None:
        self._rules = rules_now(self._table.known, after)
        self._locked = {bet.seat: bet for bet in fact.bets}
        self._raised_cents, self._dead = {}, {}
        self._parameters = dict(after.parameters)
        self._paid_cents.clear()
        assert self._locked, "locked without an ante"
        meter = before.meter
        if meter is not None:
            self._wins_cents, self._wagers_cents = meter.wins_cents, meter.wagers_cents
        if meter is None or not any(part % EXACT for part in (meter.exact, meter.overflow)) | meter.reserve:
            known = {*model.CHOICES, *model.FIGURES, "meter_share"}
            house = self._table.house
            overrides = {name: value for name, value in house.overrides.items() if name in known}
            cents = meter.cents if meter is not None else 0
            self._model = model.Model(house.preset, overrides, house.pay_tables, cents)
            self._overflow_cents = meter.overflow_cents if meter is not None else 0
            self._added_cents = meter.house_added_cents if meter is not None else 0
        elif not self._in_step:
            self._model = None
        self._in_step = False

    def _bury(self, before: Seat, after: TableState, fact: m.HandDead) -> None:
        """The stakes of a dead hand are decided at once and stay as they are."""
        rules, bet = self._rules, self._locked[fact.seat]
        by_count = fact.cause == "count"
        seat = after.seat(fact.seat)
        self._raised_cents.pop(fact.seat, None)
        if not after.main_void:
            kind = "refund" if by_count and rules.player_miscount == "dead_push" else "lose"
            raised = 0 if before.folded else before.raise_cents or before.raise_lying_cents
            assert stake(seat, "ante") == (kind, bet.ante_cents)
            if raised:
                assert stake(seat, "raise") == (kind, raised)
            kind = "refund" if by_count and rules.dead_hand_bonus == "refund" else "lose"
            if bet.bonus_cents:
                assert stake(seat, "bonus") == (kind, bet.bonus_cents)
        if before.coin == "bet":
            kind = "refund" if by_count and rules.dead_hand_coin == "refund" else "lose"
            assert stake(seat, "coin")[0] == kind
        self._dead[fact.seat] = results_of(after, fact.seat)

    # ------------------------------------------------------------------------------ the end

    def _settle(self, state: TableState, view: Snapshot) -> None:
        """Every stake that was locked ended in exactly one way, with the right amount."""
        rules = self._rules
        void = state.result == "void"
        coins = 0
        for number, seat in state.numbered():
            bet = self._locked.get(number)
            if bet is None:
                for spot in ("ante", "raise", "bonus", "coin"):
                    assert stake(seat, spot)[0] in ("none", "refund"), f"seat {number} had no bet"
                continue
            if number in self._dead:
                self._settle_dead(number, self._dead[number], results_of(state, number))
            else:
                self._settle_main(number, seat, bet, void)
            kind, cents = stake(seat, "coin")
            if bet.coin:
                assert kind in ("win", "lose", "refund"), f"the coin at {number} came to {kind}"
                if kind == "win":
                    assert cents == self._paid_cents[number] > 0
                else:
                    assert cents == rules.coin_value_cents, f"the coin at {number}: {kind} {cents}"
                    assert not self._paid_cents[number], f"seat {number} was paid and has no win"
                coins += kind != "refund"
            else:
                assert kind in ("none", "refund"), f"no coin was bet at {number}: {kind}"
        meter = state.meter
        if meter is not None:
            assert meter.wins_cents - self._wins_cents == self._paid_cents.total(), "wins in the books"
            changed = rules.coin_value_cents * coins
            assert meter.wagers_cents - self._wagers_cents == changed, "coins in the books"

    def _settle_dead(self, number: int, dead: dict[str, str], now: dict[str, str]) -> None:
        """What became of a dead hand's stakes stays; chips and coins that came after it went back."""
        for spot, text in dead.items():
            late = text == "none 0" and now[spot].startswith("refund")
            assert late or now[spot] == text, f"the {spot} of the dead hand at {number} changed"

    def _settle_main(self, number: int, seat: Seat, bet: m.LockedBet, void: bool) -> None:
        rules = self._rules
        raised_cents = self._raised_cents.get(number, 0)
        ante, raise_, bonus = (stake(seat, spot) for spot in ("ante", "raise", "bonus"))
        odds = {1, rules.nonqualify_odds}
        if void:
            assert ante == ("refund", bet.ante_cents)
            if raised_cents:
                assert raise_ == ("refund", raised_cents), f"raise at {number}"
            assert raise_[0] in ("none", "refund")
            assert bonus == ("refund", bet.bonus_cents) or (not bet.bonus_cents and bonus[0] != "win")
            return
        if seat.folded:
            assert ante == ("lose", bet.ante_cents)
            assert raise_[0] in ("none", "refund"), f"a folded seat {number} has a raise: {raise_}"
        else:
            assert raised_cents == 2 * bet.ante_cents
            wins = {bet.ante_cents * each for each in odds}
            assert ante in {("push", bet.ante_cents), ("lose", bet.ante_cents), *(("win", w) for w in wins)}
            if raise_[0] == "win":
                full = {raised_cents * pays for pays in rules.raise_pays}
                assert raise_[1] in full or 0 <= raise_[1] <= rules.aggregate_limit_cents
            else:
                assert raise_ in {("push", raised_cents), ("lose", raised_cents)}, f"raise at {number}"
        if bet.bonus_cents:
            wins = {bet.bonus_cents * pays for pays in rules.bonus_pays}
            assert bonus == ("lose", bet.bonus_cents) or (bonus[0] == "win" and bonus[1] in wins)
        else:
            assert bonus[0] in ("none", "refund")

    def _audit(self, state: TableState, view: Snapshot, dealt: list[tuple[str, str]]) -> None:
        """A round in which nothing went wrong comes out as the auditor says."""
        self._compared = state.round
        clean = (
            {alarm.alarm for alarm in state.alarms} <= {"jackpot_hold"}
            and state.result == "settled"
            and not state.doubt
            and not self._dead
            and not any(one.status == "rejected" for one in state.awards)
            and not (state.parameters or state.parameters_pending)
        )
        if not clean or self._model is None:
            return
        places = [*sorted(self._locked), 0]
        due = [card for card, place in dealt if place]
        packets = self._rules.deal_order == "packets"
        hands = {
            seat: due[5 * index : 5 * index + 5] if packets else due[index :: len(places)]
            for index, seat in enumerate(places)
        }
        dealer = hands.pop(0)
        bets: dict[int, model.Bets] = {
            seat: {
                "ante": bet.ante_cents,
                "bonus": bet.bonus_cents,
                "coin": bet.coin,
                "raised": not state.seat(seat).folded,
            }
            for seat, bet in self._locked.items()
        }
        needs_upcard = self._rules.upcard == "declared" and any(bet["bonus"] for bet in bets.values())
        upcard = state.upcard or (dealer[0] if not needs_upcard else None)
        said = self._model.play_round(bets, hands, dealer, upcard)
        got = {seat: dict(view.seats[seat - 1].results) for seat in said}
        for seat, results in got.items():
            if not bets[seat]["coin"] and results["coin"].startswith("refund"):
                results["coin"] = "none"  # It fell while the meter or its display was down, and went back.
        assert got == said, "the auditor differs"
        if state.meter is not None:
            assert (
                state.meter.cents,
                state.meter.reserve_cents,
                state.meter.overflow_cents - self._overflow_cents,
                state.meter.house_added_cents - self._added_cents,
            ) == (
                self._model.meter_cents,
                self._model.reserve_cents,
                self._model.overflow_cents,
                self._model.house_added_cents,
            ), "the auditor's meter differs"
        self._in_step = True
        self.clean_rounds += 1


def stake(seat: Seat, spot: str) -> tuple[str, int]:
    """What became of one stake of a seat: how it ended, and the cents."""
    results = seat.results
    of = {"ante": results.ante, "raise": results.raise_, "bonus": results.bonus, "coin": results.coin}
    outcome = of[spot]
    return ("none", 0) if outcome is None else (outcome.kind, outcome.cents)


def results_of(state: TableState, number: int) -> dict[str, str]:
    """The four results of a seat."""
    seat = state.seat(number)
    return {spot: "{} {}".format(*stake(seat, spot)) for spot in ("ante", "raise", "bonus", "coin")}
