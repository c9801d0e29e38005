"""The progressive reckoned from its rounds: coins, awards, resets and corrections, to the last fraction.

The meter keeps books of its own. This tally looks at none of them after the opening: it adds up what
each coin put where, each award and each fact about the meter. Where both come to the same, no part of a
cent is lost; where not, the difference has a name and an amount (STANDARDS.md, items 1, 3 and 13).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, get_args

import msgspec

from table_controller.engine.progressive import EXACT, Award, Meter, Share
from table_controller.table import messages as m
from table_controller.table.hits import level_of
from table_controller.table.state import LevelBook, TableState, Waiting, rules_now

Row = Literal[
    "opening",
    "coins",
    "shares of refunded coins kept",
    "resets put on by the house",
    "reserve put on the meter",
    "corrections",
    "awards",
]
ROWS: Final[tuple[Row, ...]] = get_args(Row)
POTS: Final[tuple[m.Pot, ...]] = get_args(m.Pot)


class Movement(msgspec.Struct, frozen=True):
    """What one cause put on the three pots or took off them, in millionths of a cent."""

    cause: str
    meter_exact: int
    reserve_exact: int
    overflow_exact: int

    @property
    def together_exact(self) -> int:
        """All three pots."""
        return self.meter_exact + self.reserve_exact + self.overflow_exact


class Check(msgspec.Struct, frozen=True):
    """One line of the reconciliation: by the books of the meter, by the rounds, and by how much it is off.

    `unit` says what is counted: millionths of a cent, or things.
    """

    item: str
    unit: Literal["exact", "number"]
    books: int
    rounds: int
    off: int


class Coins(msgspec.Struct):
    """The coins of a range: `bet` stayed in action, `refunded` went back after LOCK, `kept` of those left
    their share; `never_bet` went back without having been a bet.
    """

    bet: int = 0
    bet_cents: int = 0
    refunded: int = 0
    refunded_cents: int = 0
    kept: int = 0
    never_bet: int = 0


def posted(state: TableState) -> list[Waiting]:
    """The awards that the meter has paid; what people confirm is posted when the last one is decided."""
    waits = any(one.status == "waits" for one in state.awards)
    return [one for one in state.awards if one.status == "paid" and not (waits and one.first_operator)]


def _pots(meter: Meter | None) -> dict[m.Pot, int]:
    if meter is None:
        return {"meter": 0, "overflow": 0, "reserve": 0}
    return {"meter": meter.exact, "overflow": meter.overflow, "reserve": meter.reserve}


class Tally:
    """What the rounds of a range come to; `opening` is the table as the range begins."""

    def __init__(self, opening: TableState) -> None:
        self.opening = opening
        self.moved: dict[Row, dict[m.Pot, int]] = {row: dict.fromkeys(POTS, 0) for row in ROWS}
        self.moved["opening"] = _pots(opening.meter)
        self.coins = Coins()
        self.levels: dict[str, LevelBook] = {}
        self.house_exact = 0
        self.kept_exact = 0
        self.wins_cents = 0
        self.paid_of_meter_or_house_cents = 0
        self.resets = 0
        self.documents = 0
        self.owed_cents = sum(one.cents for one in opening.books.owed.values()) if opening.books else 0
        self.found: dict[str, int] = {}
        self.shown_cents = opening.meter.cents if opening.meter else 0
        self._new_round()

    def _new_round(self) -> None:
        self._locked: set[int] = set()
        self._kept: list[Share] = []
        self._void_again()

    def _void_again(self) -> None:
        """What was paid and put on in this round is taken back."""
        self._taken_cents = 0
        self._seeds_cents: list[int] = []

    # ------------------------------------------------------------------------- what happens

    def take(self, message: m.AnyMessage, facts: list[m.AnyFact], before: TableState | None) -> None:
        """One entry; `before` is the table ahead of it, needed where a share is kept."""
        void = isinstance(message, m.Said) and isinstance(message.command, m.VoidRound)
        if void and not any(isinstance(fact, m.CommandRefused) for fact in facts):
            self._void_again()
        for fact in facts:
            self._money(fact)
            if isinstance(fact, m.RoundOpened):
                self._new_round()
            elif isinstance(fact, m.BetsLocked):
                self._locked = {bet.seat for bet in fact.bets if bet.coin}
            elif isinstance(fact, m.CoinReturned):
                self.coins.never_bet += 1
            elif isinstance(fact, m.Noticed) and fact.notice == "share_kept" and before is not None:
                share = before.seat(int(fact.place)).share
                self._kept += [share] if share is not None else []

    def _money(self, fact: m.AnyFact) -> None:
        if isinstance(fact, m.MeterChanged):
            moved_cents = fact.after_cents - fact.before_cents
            self.shown_cents += moved_cents
            self._taken_cents -= moved_cents if fact.why == "award" else 0
        elif isinstance(fact, m.MeterReset):
            # The meter moved by all of it at once: what came on is no part of what was taken.
            self._taken_cents += fact.reset_cents + fact.reserve_cents
            self._seeds_cents.append(fact.reset_cents)
        elif isinstance(fact, m.MeterCorrected):
            self.moved["corrections"][fact.pot] += (fact.after_cents - fact.before_cents) * EXACT
        elif isinstance(fact, m.ShareWon):
            self._kept.append(Share(coin_cents=0, meter=fact.exact, overflow=0, reserve=0))
        elif isinstance(fact, m.TableRecovered):
            self.documents += fact.documents_skipped
        elif isinstance(fact, m.HitRecorded):
            self.documents += 1
            self.found[fact.document] = fact.cents
        elif isinstance(fact, m.HitDecided) and fact.decision == "confirm":
            self.owed_cents += self.found.get(fact.document, 0)
        elif isinstance(fact, m.HitPaid):
            self.owed_cents -= fact.cents

    def round_over(self, house: m.House, state: TableState) -> None:
        """The round is cleared, or the range ends inside it: its coins and awards as they stand."""
        for number, seat in state.numbered():
            if seat.share is not None:
                self._coin("coins", seat.share)
                self.coins.bet += 1
                self.coins.bet_cents += seat.share.coin_cents
                self.house_exact += seat.share.coin_cents * EXACT - _together(seat.share)
            elif number in self._locked:
                self.coins.refunded += 1
                self.coins.refunded_cents += seat.results.coin.cents if seat.results.coin else 0
        for share in self._kept:
            self._coin("shares of refunded coins kept", share)
            self.coins.kept += 1
            self.kept_exact += _together(share)
        awards = posted(state)
        self._reset(house, state, any(one.award.kind == "royal" for one in awards))
        for one in awards:
            self._award(one.award, bool(one.first_operator))
        self.moved["awards"]["meter"] -= self._taken_cents * EXACT
        self._new_round()

    def close(self, house: m.House, closing: TableState) -> None:
        """The range ends here, perhaps inside a round; a meter that began inside it opens at its start."""
        if closing.phase != "idle":
            self.round_over(house, closing)
        if self.opening.meter is None and closing.meter is not None:
            self.shown_cents += closing.meter.start_cents
            self.moved["opening"]["meter"] = closing.meter.start_cents * EXACT

    def _coin(self, row: Row, share: Share) -> None:
        for pot in POTS:
            self.moved[row][pot] += getattr(share, pot)

    def _reset(self, house: m.House, state: TableState, royal: bool) -> None:
        """A royal was paid: the house puts the reset on, and everything in the reserve comes to the meter."""
        if royal and state.books is None and state.before_awards is not None:
            # Journals from before there were books do not tell a reset; the awards do.
            reset_cents = rules_now(house, state).reset_cents
            self._seeds_cents = [reset_cents]
            self._taken_cents += reset_cents + state.before_awards.meter.reserve_rise_cents
        for cents in self._seeds_cents:
            self.resets += 1
            reserve = self.pot("reserve")
            self.moved["resets put on by the house"]["meter"] += cents * EXACT
            self.moved["reserve put on the meter"]["meter"] += reserve
            self.moved["reserve put on the meter"]["reserve"] -= reserve

    def _award(self, award: Award, confirmed: bool) -> None:
        self.wins_cents += award.cents
        self.paid_of_meter_or_house_cents += award.take_cents + award.house_cents
        level = level_of(award)
        book = self.levels.get(level, LevelBook())
        hits, cents = ("confirmed_hits", "confirmed_cents") if confirmed else ("dealer_hits", "dealer_cents")
        more = {hits: getattr(book, hits) + 1, cents: getattr(book, cents) + award.cents}
        self.levels[level] = msgspec.structs.replace(book, **more)

    # -------------------------------------------------------------------------- what it comes to

    def pot(self, pot: m.Pot) -> int:
        """What stands on a pot now by the rounds, in millionths of a cent."""
        return sum(moved[pot] for moved in self.moved.values())

    @property
    def seeded_cents(self) -> int:
        """Resets put on by the house."""
        return self.moved["resets put on by the house"]["meter"] // EXACT

    @property
    def taken_cents(self) -> int:
        """Prizes that came off the meter."""
        return -self.moved["awards"]["meter"] // EXACT

    @property
    def house_added_cents(self) -> int:
        """Parts of awards that the meter should have given and the house added."""
        return self.paid_of_meter_or_house_cents - self.taken_cents

    def custody(self) -> tuple[Movement, ...]:
        """From the opening to the closing, by cause (STANDARDS.md, item 13)."""
        rows = [(str(row), moved) for row, moved in self.moved.items()]
        rows.append(("closing", {pot: self.pot(pot) for pot in POTS}))
        return tuple(
            Movement(row, moved["meter"], moved["reserve"], moved["overflow"]) for row, moved in rows
        )

    def checks(self, closing: TableState) -> tuple[Check, ...]:
        """Every line of the books of the meter against the rounds."""
        return tuple(
            Check(item, unit, books, rounds, books - rounds)
            for item, unit, books, rounds in (*self._meter_lines(closing), *self._book_lines(closing))
        )

    def _meter_lines(self, closing: TableState) -> Iterator[tuple[str, Literal["exact", "number"], int, int]]:
        meter = closing.meter
        if meter is None:
            return
        before = self.opening.meter or Meter.starting_at(meter.start_cents)

        def rise(field: str) -> int:
            return int(getattr(meter, field) or 0) - int(getattr(before, field) or 0)

        pots = _pots(meter)
        for pot in POTS:
            yield f"{pot} at the closing", "exact", pots[pot], self.pot(pot)
        yield "shown, change by change", "exact", meter.cents * EXACT, self.shown_cents * EXACT
        corrected_exact = sum(self.moved["corrections"].values())
        for item, field, cents in (
            ("coins in action", "wagers_cents", self.coins.bet_cents),
            ("resets put on", "seeded_cents", self.seeded_cents),
            ("taken off by awards", "taken_cents", self.taken_cents),
            ("awards paid", "wins_cents", self.wins_cents),
            ("added by the house to awards", "house_added_cents", self.house_added_cents),
            ("corrected by people", "corrected_cents", corrected_exact // EXACT),
        ):
            yield item, "exact", rise(field) * EXACT, cents * EXACT
        yield "the house's part of coins", "exact", rise("house_rest"), self.house_exact
        yield "shares kept, paid by the house", "exact", rise("kept_shares"), self.kept_exact
        hits = sum(one.dealer_hits + one.confirmed_hits for one in self.levels.values())
        yield "number of awards paid", "number", rise("hits"), hits
        # What came to the meter and what went from it, by its own books: an invariant of every meter.
        put_on_cents = (
            meter.start_cents + meter.wagers_cents + meter.seeded_cents + (meter.corrected_cents or 0)
        )
        went = meter.exact + meter.reserve + meter.overflow + meter.house_rest + meter.taken_cents * EXACT
        yield "the books by themselves", "exact", put_on_cents * EXACT + meter.kept_shares, went

    def _book_lines(self, closing: TableState) -> Iterator[tuple[str, Literal["exact", "number"], int, int]]:
        books, before = closing.books, self.opening.books
        if books is None or before is None:
            return
        for hand in sorted({*books.levels, *self.levels}):
            now, then = books.levels.get(hand, LevelBook()), before.levels.get(hand, LevelBook())
            mine = self.levels.get(hand, LevelBook())
            for who, field in (("dealer", "dealer_cents"), ("confirmed", "confirmed_cents")):
                moved_cents = getattr(now, field) - getattr(then, field)
                if moved_cents or getattr(mine, field):
                    words = f"{hand.replace('_', ' ')}, {who}"
                    yield words, "exact", moved_cents * EXACT, getattr(mine, field) * EXACT
        owed_cents = sum(one.cents for one in books.owed.values())
        yield "owed at the closing", "exact", owed_cents * EXACT, self.owed_cents * EXACT
        yield "number of documents", "number", books.documents - before.documents, self.documents


def _together(share: Share) -> int:
    return share.meter + share.overflow + share.reserve
