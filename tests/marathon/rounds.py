"""Rounds by the thousand: a table that is played through `step`, and its ledger beside it.

A stretch is one table over many rounds, with its days, faults, rulings, corrections and changed houses.
Whatever happens is said to both, in the same order; after everything that may move money all sums are
compared, to the last part of a cent. The ledger is never shown what the table made of it, and every
refusal of the table must be one that the ledger expects.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple, get_args

from table_controller.engine.house_rules import PARAMETERS, parse_house_rules
from table_controller.engine.money import money_text
from table_controller.engine.progressive import EXACT
from table_controller.presets import preset_text
from table_controller.table import messages as m
from table_controller.table.state import TableState, encode_state, new_state
from table_controller.table.step import step
from tests.engine.test_against_the_model import DECK, FIGURES, PAY_TABLES, SUITS, House, stacked_hand
from tests.marathon.ledger import TROUBLES, Ledger, Pot
from tests.model import CHOICES, HANDS, RANKS, Bets, Model, Value, cents
from tests.model import FIGURES as MODEL_FIGURES

WALL_MS: Final = 1_790_000_000_000
ANTE_CENTS: Final = 500
BONUS_CENTS: Final = 100
ROUNDS_OF_A_HOUSE: Final = 250
LINES: Final[tuple[m.HealthLine, ...]] = ("meter", "display")
STAGES: Final = ("dealing", "deciding", "revealing")
OTHERS: Final[dict[str, tuple[Value, ...]]] = {
    "deal_order": ("one_at_a_time", "packets"),
    "token_count": ("off", "off", "required"),
    "jackpot_hold_from": ("500.00", "0.00", "50.01", "20000.00", "1000000.00"),
    "contribution_bound": ("1000.00", "1000.00", "70.00", "1.00"),
}
"""Options that ask the ledger nothing but who waits and what is refused."""
SMALL: Final[dict[str, Value]] = {
    "reset": "150.00",
    "jackpot_hold_from": "500.00",
    "jackpot_hand_in_void_round": "paid",
    "reserve_share": "0.10",
}
"""A royal is paid at once and a fixed prize beside it waits: by chance that would hardly ever be."""


class Difference(AssertionError):
    """Table and ledger differ; the text is the whole story of the round."""


class Trouble(NamedTuple):
    """What goes wrong in a round, and in which stage; empty where it does not."""

    void: str
    conduct: str
    fault: str
    dealer: str
    late_coin: str
    miscount: int
    """The seat that gets four or six cards; 0: none does."""


def some_house(dice: random.Random, preset: str, meter_cents: int) -> House:
    """Some house of that preset whose options do not contradict each other; a limit is never far."""
    overrides: dict[str, Value] = {}
    for name, values in (CHOICES | FIGURES | TROUBLES | OTHERS).items():
        if dice.random() < 0.4:
            overrides[name] = dice.choice(values)
    if dice.random() < 0.1:
        overrides |= SMALL
    reset_cents = cents(overrides.get("reset", "10000.00"))
    near_cents = max(meter_cents, reset_cents) + dice.choice((0, 1, 49, 500, 5000))
    overrides["meter_limit"] = dice.choice(("0.00", money_text(near_cents)))
    tables = {name: dice.choice(tables) for name, tables in PAY_TABLES.items() if dice.random() < 0.4}
    if preset == "classic":
        # Mission text S3 knows no side bet: no coin, no meter.
        tables.pop("progressive", None)
    return House(preset, overrides, tables, meter_cents)


class Stretch:
    """One table under a preset, round after round."""

    def __init__(
        self, preset: str, seed: str, rounds: int, misread: Mapping[str, Value] | None = None
    ) -> None:
        """`seed` names the stretch; `misread` is what the ledger takes wrongly, to see that it is noticed."""
        self.counted: Counter[str] = Counter()
        self._dice = random.Random(seed)
        self._preset = preset
        self._misread = misread
        self._rounds = rounds
        self._words: list[str] = []
        self._at_ms = 0
        self._shoe_seq = 1
        self._covered: list[tuple[m.Spot, int]] = []

    def play(self) -> Counter[str]:
        """Play all its rounds; what was counted. Raises `Difference`."""
        for number in range(self._rounds):
            if number % ROUNDS_OF_A_HOUSE == 0:
                self._another_house(first=not number)
            self._between_rounds()
            self._round(number)
            self.counted["rounds"] += 1
        return self.counted

    # ------------------------------------------------------------------------------ the table

    def _another_house(self, first: bool) -> None:
        """The files say another house; now and then a table is installed anew, with another meter."""
        dice = self._dice
        if first or dice.random() < 0.25:
            start_cents = dice.choice((0, 0, 1_000_003, 999_999_999_999, dice.randrange(10**6, 10**8)))
            self._house = some_house(dice, self._preset, start_cents)
            start_cents = max(start_cents, cents(self._house.overrides.get("reset", "10000.00")))
            self._house.overrides["meter_start"] = money_text(start_cents)
            self._known = self._as_known()
            self._state: TableState = new_state(self._known)
            self._encoded = b""
            self._ledger = Ledger(
                self._preset, self._house.overrides, self._house.pay_tables, start_cents, self._misread
            )
            self._send("install", m.Installed(self._known, ("Ann", "Bob"), "A1", "test", "hash"))
            self._send("power on", m.Started((), True, True, "test", house=self._known, manifest="hash"))
        else:
            meter_cents = self._ledger.shown_cents
            self._house = some_house(dice, self._preset, meter_cents)
            self._known = self._as_known()
            changes = tuple(m.Change(option, "", "as in the file") for option in PARAMETERS)
            started = m.Started((), True, True, "test", house=self._known, manifest="hash", changes=changes)
            self._send("another house", started)
            self._ledger.another_house(self._preset, self._house.overrides, self._house.pay_tables)
        self._send("shoe found", m.ShoeFound(7, self._shoe_seq))
        known = {*CHOICES, *MODEL_FIGURES, "meter_share"}
        overrides = {name: value for name, value in self._house.overrides.items() if name in known}
        self._model = Model(self._preset, overrides, self._house.pay_tables)
        self._hoards = dice.random() < 0.05
        self.counted["parameter sets"] += 1
        if not self._ledger.day_open:
            self._open_day()
        self._compare()

    def _as_known(self) -> m.House:
        rules = parse_house_rules(self._house.text, preset_text, "house")
        seats = self._dice.randint(3, 7)
        return m.House("T1", seats, rules, ANTE_CENTS, 0, BONUS_CENTS, 0, (), gaming_day=True)

    def _send(self, word: str, message: m.AnyMessage, refused: bool = False) -> None:
        """Something happens at the table, in words and as a message; a refusal must be expected."""
        if word:
            self._words.append(word + (", see refused" if refused else ""))
        self._at_ms += 50
        stamp = m.Stamp(self._at_ms, WALL_MS + self._at_ms)
        self._state, facts = step(self._known, self._state, stamp, message, self._encoded)
        self._encoded = encode_state(self._state)
        reason = next(
            (fact.reason for fact in facts if isinstance(fact, m.CommandRefused | m.KeyRefused)), ""
        )
        if bool(reason) != refused:
            self._differ(word, f"refused: {reason}" if reason else "done", "refused" if refused else "done")

    def _say(
        self, word: str, command: m.AnyCommand, refused: bool = False, by: str = "Sue", dealer: bool = False
    ) -> None:
        said = m.Said(command, by, "dealer" if dealer else "supervisor", "because")
        self._send(word, said, refused)

    def _differ(self, what: str, table: object, ledger: object) -> None:
        story = "\n".join(
            [
                self._house.text,
                f"# parameters {self._ledger.parameters} pending {self._ledger.pending}",
                *self._words,
            ]
        )
        raise Difference(f"{story}\n\n{what}: the table says {table}, the ledger {ledger}")

    def _compare(self) -> None:
        """Every sum of the table is the one of the ledger, to the last part of a cent."""
        state, ledger = self._state, self._ledger
        books, meter = state.books, state.meter
        if meter is None or books is None:
            if self._preset != "classic":
                self._differ("meter", "there is none", "there is one")
            return
        sums = ledger.sums
        ours: tuple[object, ...] = (
            sums.meter * EXACT, sums.reserve * EXACT, sums.overflow * EXACT,
            sums.kept_shares * EXACT, sums.house_rest * EXACT,
            sums.wagers, sums.hits, sums.wins, sums.seeded, sums.taken, sums.house_added, sums.corrected,
            sums.base, sum(ledger.owed.values()), ledger.documents,
            ledger.parameters, ledger.pending,
        )  # fmt: skip
        theirs: tuple[object, ...] = (
            meter.exact, meter.reserve, meter.overflow, meter.kept_shares, meter.house_rest,
            meter.wagers_cents, meter.hits, meter.wins_cents, meter.seeded_cents, meter.taken_cents,
            meter.house_added_cents, meter.corrected_cents or 0,
            books.base_cents, sum(owed.cents for owed in books.owed.values()), books.documents,
            state.parameters, state.parameters_pending,
        )  # fmt: skip
        if ours != theirs:
            name, table, told = next(
                each for each in zip(SUMS, theirs, ours, strict=True) if each[1] != each[2]
            )
            self._differ(name, table, told)
        levels = {
            hand: (book.dealer_hits, book.dealer_cents, book.confirmed_hits, book.confirmed_cents)
            for hand, book in books.levels.items()
        }
        if levels != sums.levels:
            self._differ("books by hand", levels, sums.levels)
        if not meter.balances:
            self._differ("balance", meter, "every part of a cent is somewhere")

    def _compare_coins(self) -> None:
        """What became of every coin."""
        for number, seat in self._state.numbered():
            outcome = seat.results.coin
            text = "none" if outcome is None else outcome.text
            if outcome is None and any(
                one.status == "waits" and one.award.seat == number for one in self._state.awards
            ):
                text = "waits"
            if text != self._ledger.results.get(number, "none"):
                self._differ(f"coin of seat {number}", text, self._ledger.results.get(number, "none"))

    # ------------------------------------------------------------------------------ between rounds

    def _open_day(self) -> None:
        self._say("open day", m.OpenDay())
        self._ledger.day_open = True
        self.counted["days"] += 1

    def _between_rounds(self) -> None:
        dice, ledger = self._dice, self._ledger
        self._words = []
        if len(ledger.owed) >= 100 or (len(ledger.owed) >= 5 and not self._hoards and dice.random() < 0.3):
            if len(ledger.owed) >= 100:
                self._send("open", m.KeyPressed("open"), refused=True)
                self.counted["days full of unpaid awards"] += 1
            for document in list(ledger.owed):
                self._say("pay", m.PayHit(f"T1-A{document:06}", "cage"))
                del ledger.owed[document]
        closes = dice.random() < 0.05
        if closes:
            self._say("close day", m.CloseDay())
            ledger.day_open = False
            if dice.random() < 0.3:
                self._send("open", m.KeyPressed("open"), refused=True)
        if self._state.meter is not None:
            for _ in range(dice.randint(0, 3) if closes else dice.random() < 0.02):
                self._parameter()
            if dice.random() < 0.04:
                self._correction()
        if closes:
            self._open_day()

    def _parameter(self) -> None:
        dice = self._dice
        option = dice.choice(PARAMETERS)
        values = FIGURES.get(option, ("1000.00", "70.00", "1000.00", "0.75"))
        if option == "meter_limit":
            shown = self._ledger.shown_cents
            values = ("0.00", money_text(shown + 1), money_text(shown + 333), money_text(max(0, shown - 1)))
        value = str(dice.choice(values))
        taken = self._ledger.parameter(option, value)
        self._say(f"sup parameter {option} {value}", m.SetParameter(option, value, "A3"), not taken)
        self.counted["parameters changed" if taken else "parameters refused"] += 1
        self._compare()

    def _correction(self) -> None:
        dice, sums = self._dice, self._ledger.sums
        pot = dice.choice(get_args(Pot))
        held_cents = getattr(sums, pot).__floor__()
        amount_cents = max(
            2000 if pot == "meter" else 0, held_cents + dice.choice((-100_000, -77, -1, 0, 1, 50, 100_000))
        )
        why = dice.choice(get_args(m.Correction))
        together = dice.random() < 0.9
        allowed = self._ledger.may_correct(pot, amount_cents, why)
        word = f"correct {pot} to {money_text(amount_cents)}, {why}"
        command = m.CorrectMeter(pot, amount_cents, why, "A4")
        self._say(word, command, refused=not allowed)
        if allowed and together:
            self._say(f"{word}, the second", command, by="Tom", dealer=dice.random() < 0.5)
            self._ledger.correct(pot, amount_cents)
        elif allowed:
            # One person alone moves nothing, however often he says it.
            self._say(f"{word}, again", command, refused=True)
        taken = allowed and together
        self.counted["corrections" if taken else "corrections refused"] += 1
        self._compare()

    # ------------------------------------------------------------------------------ a round

    def _round(self, number: int) -> None:
        self._words.append(
            f"# round {number}, meter {self._ledger.sums.meter} reserve {self._ledger.sums.reserve}"
        )
        self._send("open", m.KeyPressed("open"), refused=not self._ledger.open())
        dice = self._dice
        self._cards_out = 0
        self._doubt = False
        self._stated: set[int] = set()
        self._counted_out = 0
        players = sorted(dice.sample(range(1, self._known.seats + 1), dice.choice((1, 1, 1, 2, 2, 3))))
        self._bets = {seat: self._bet(seat) for seat in players}
        self._coins()
        self._lock()
        self._compare()
        hands = self._stacked()
        trouble = self._trouble()
        self._deal(hands, trouble)
        if self._state.phase == "deciding":
            self._decide(trouble)
        if self._state.phase == "revealing":
            self._reveal(trouble)
        self._compare_coins()
        self._awards()
        self._clear()

    def _bet(self, seat: int) -> Bets:
        """Chips alone are the minimum; sometimes the dealer keys what lies there."""
        dice = self._dice
        ante = dice.choice((ANTE_CENTS, ANTE_CENTS, ANTE_CENTS, 10_000, 2505))
        self._lay("ante", seat)
        if ante != ANTE_CENTS:
            self._say(f"ante {seat} {money_text(ante)}", m.SetAmount("ante", seat, ante))
        bonus = self._known.rules.has_bonus and dice.random() < 0.4
        if bonus:
            self._lay("bonus", seat)
        return Bets(ante=ante, bonus=BONUS_CENTS * bonus, coin=False, raised=False)

    def _lay(self, spot: m.Spot, seat: int) -> None:
        self._covered.append((spot, seat))
        self._send(f"{spot} {seat}", m.ChipsPlaced(spot, seat))

    def _coins(self) -> None:
        """Coins fall, at seats with an ante and without, one and two, some while a line is down."""
        dice, ledger = self._dice, self._ledger
        if self._state.meter is None:
            return
        empty = [seat for seat in range(1, self._known.seats + 1) if seat not in self._bets]
        falls = [seat for seat in self._bets if dice.random() < 0.8]
        falls += [seat for seat in falls if dice.random() < 0.03]
        falls += [seat for seat in empty if dice.random() < 0.02]
        dice.shuffle(falls)
        down_at = dice.randint(0, len(falls)) if dice.random() < 0.05 else -1
        line: m.HealthLine = dice.choice(LINES)
        for index, seat in enumerate([*falls, 0]):
            if index == down_at:
                self._health(line, False)
            if seat:
                self._send(f"coin {seat}", m.CoinDropped(seat))
                ledger.coin_falls(seat)
        if down_at >= 0 and dice.random() < 0.5:
            self._health(line, True)
        if falls and dice.random() < 0.03:
            self._give_back(dice.choice(sorted(set(falls))))

    def _give_back(self, seat: int) -> None:
        self._say(f"return coin {seat}", m.ReturnCoin(seat))
        self._ledger.coin_given_back(seat)

    def _health(self, line: m.HealthLine, well: bool) -> None:
        self._send(f"{'mend' if well else 'fault'} {line}_down", m.HealthChanged(line, well))
        self._ledger.health(line, well, self._state.phase in STAGES)
        if not well:
            self.counted["faults"] += 1

    def _lock(self) -> None:
        """LOCK; where it is refused the fault is mended, or coins are given back until it is not."""
        ledger = self._ledger
        while not ledger.lock(self._bets):
            self._send("lock", m.KeyPressed("lock"), refused=True)
            self.counted["LOCK refused"] += 1
            if down := [line for line in LINES if not ledger.well[line]]:
                self._health(down[0], True)
            else:
                self._give_back(self._dice.choice(ledger.coins_that_count(self._bets)))
        self._send("lock", m.KeyPressed("lock"))
        if self._known.rules.token_count == "required" and self._known.rules.has_progressive:
            self._say(f"tokens {len(ledger.coins)}", m.CountTokens(len(ledger.coins)))

    def _trouble(self) -> Trouble:
        dice = self._dice

        def somewhere(chance: float, *stages: str) -> str:
            return dice.choice(stages) if dice.random() < chance else ""

        return Trouble(
            void=somewhere(0.2 if self._rare else 0.05, *STAGES),
            conduct=somewhere(0.05, *STAGES),
            fault=somewhere(0.03, *STAGES) if self._known.rules.has_progressive else "",
            dealer=somewhere(0.05, *STAGES),
            late_coin=somewhere(0.03, "dealing", "deciding"),
            miscount=dice.choice(list(self._bets)) if dice.random() < 0.05 else 0,
        )

    def _stacked(self) -> dict[str, list[str]]:
        """What everybody is dealt: often hands that are rare at a table; a sixth card lies ready for each."""
        dice = self._dice
        places = [*map(str, self._bets), "D"]
        deck = list(DECK)
        dice.shuffle(deck)
        chance = dice.random()
        self._rare = chance < 0.05
        hands = {}
        for place in dice.sample(places, len(places)):
            suit, rank = dice.choice(SUITS), dice.choice(RANKS)
            suited = [rank + suit for rank in dice.choice(("TJQKA", "TJQKA", "9TJQK"))]
            fours = [rank + each for each in SUITS]
            wished = dice.choice((suited, suited, fours))
            if self._rare and place != "D" and set(wished) <= set(deck):
                deck = [card for card in deck if card not in wished]
                hands[place] = [*wished, *(deck.pop() for _ in range(5 - len(wished)))]
            elif chance < 0.4:
                hands[place] = stacked_hand(dice, deck, place == "D")
            else:
                hands[place] = [deck.pop() for _ in range(5)]
        self._sixth = deck.pop()
        return {place: hands[place] for place in places}

    def _deal(self, hands: dict[str, list[str]], trouble: Trouble) -> None:
        """The cards leave the shoe in the order of the house, and what goes wrong meanwhile happens."""
        dice = self._dice
        if self._known.rules.deal_order == "packets":
            order = [(place, card) for place, hand in hands.items() for card in hand]
        else:
            order = [(place, hands[place][turn]) for turn in range(5) for place in hands]
        counted_at = -1
        if trouble.miscount:
            fifth = next(
                i
                for i, one in enumerate(order)
                if one == (str(trouble.miscount), hands[str(trouble.miscount)][4])
            )
            counted_at = fifth
            self._count = dice.choice((4, 6))
            order[fifth : fifth + 1] = (
                [] if self._count == 4 else [order[fifth], (str(trouble.miscount), self._sixth)]
            )
        self._dealt: dict[str, list[str]] = {place: [] for place in hands}
        happens_at = {
            name: dice.randrange(len(order)) if getattr(trouble, name) == "dealing" else -1
            for name in ("void", "conduct", "fault", "dealer", "late_coin")
        }
        run: list[str] = []
        for index, (place, card) in enumerate(order):
            now = [name for name, at in happens_at.items() if at == index]
            if now or index == counted_at:
                self._deal_said(run)
                for name in now:
                    self._happens(name)
                    if self._state.phase != "dealing":
                        return
                if index == counted_at:
                    self._miscounted(trouble.miscount)
                    if self._state.phase != "dealing":
                        return
            run.append(f"{card}>{place}")
            self._send("", m.CardScanned(card, False, self._shoe_seq))
            self._shoe_seq += 1
            self._cards_out += 1
            self._dealt[place].append(card)
        self._deal_said(run)
        if self._state.phase != "deciding":
            self._differ("phase after the deal", self._state.phase, "deciding")

    def _deal_said(self, run: list[str]) -> None:
        if run:
            self._words.append(f"deal {' '.join(run)}")
            run.clear()

    def _miscounted(self, seat: int) -> None:
        """A seat has the wrong number of cards: it is dead, or the round is void."""
        self._say(f"count {seat} {self._count}", m.StateCount(str(seat), self._count), dealer=True)
        self._doubt = True
        self._counted_out = seat
        if seat in self._ledger.dead_seats:
            return
        if self._ledger.rule("player_miscount") == "void_all":
            self._say(f"sup dead {seat}", m.DeadHand(seat, "count"), refused=True)
            self._void()
            return
        self._dead(seat, "count")

    def _dead(self, seat: int, cause: m.DeathCause) -> None:
        self._say(f"sup dead {seat} {cause}", m.DeadHand(seat, cause))
        self._ledger.dead(seat, cause)
        self.counted[f"dead by {cause}"] += 1
        self._compare()

    def _happens(self, name: str) -> None:
        """One thing goes wrong now."""
        dice, ledger = self._dice, self._ledger
        if name == "void":
            self._void()
        elif name == "conduct":
            alive = [seat for seat in self._bets if seat not in ledger.dead_seats]
            if alive:
                self._dead(dice.choice(alive), "conduct")
        elif name == "fault":
            line: m.HealthLine = dice.choice(LINES)
            if ledger.well[line]:
                self._health(line, False)
                self._compare()
        elif name == "late_coin":
            if self._known.rules.has_progressive:
                seat = dice.randint(1, self._known.seats)
                self._send(f"coin {seat}", m.CoinDropped(seat))
                ledger.late_coin(seat)
        else:
            self._wrong_dealer()

    def _wrong_dealer(self) -> None:
        """The dealer has four or six cards, and a rule voids the round or all of it but the coins."""
        short = self._ledger.rule("dealer_short") != "complete" and self._dice.random() < 0.7
        cards = 4 if short else 6
        self._say(f"count D {cards}", m.StateCount("D", cards), dealer=True)
        self._doubt = self._doubt or self._known.rules.deal_order != "packets"
        self._ledger.dealer_counts(cards)
        incomplete = self._state.phase == "dealing"
        self._void()
        if self._ledger.main_void and incomplete:
            self._void()

    def _known_hands(self) -> dict[int, list[str]]:
        """Hands that the order makes certain or that were stated, of five cards."""
        return {
            seat: self._dealt[str(seat)]
            for seat in self._bets
            if len(self._dealt[str(seat)]) == 5
            and seat != self._counted_out
            and (not self._doubt or seat in self._stated)
        }

    def _void(self) -> None:
        settled = self._state.phase == "settled"
        taken = self._ledger.void(self._known_hands())
        self._say("sup void", m.VoidRound(), refused=not taken)
        if not taken:
            self.counted["voids refused"] += 1
        elif self._ledger.main_void:
            self.counted["voids but for the coins"] += 1
        else:
            self.counted["voids while an award waits" if settled else "voids"] += 1
        self._compare()

    def _decide(self, trouble: Trouble) -> None:
        """Every live seat raises or folds; then CLOSE."""
        dice = self._dice
        self._upcard = dice.choice(self._dealt["D"])
        rules = self._known.rules
        if rules.upcard == "declared" and any(bets["bonus"] for bets in self._bets.values()):
            self._say(f"upcard {self._upcard}", m.StateUpcard(self._upcard), dealer=True)
        now = [
            name
            for name in ("void", "conduct", "fault", "late_coin", "dealer")
            if getattr(trouble, name) == "deciding"
        ]
        early = dice.random() < 0.5
        for before_decisions in (True, False):
            if before_decisions == early:
                for name in now:
                    self._happens(name)
                    if self._state.phase != "deciding":
                        return
            if before_decisions:
                self._raises()
        self._send("close", m.KeyPressed("close"))

    def _raises(self) -> None:
        for seat, bets in self._bets.items():
            if seat in self._ledger.dead_seats:
                continue
            bets["raised"] = self._dice.random() < 0.75
            if bets["raised"]:
                self._lay("raise", seat)
            else:
                self._say(f"fold {seat}", m.Fold(seat), dealer=True)
                self._ledger.fold(seat)

    def _reveal(self, trouble: Trouble) -> None:
        """Hands in doubt are stated, the dealer turns his cards, the round is settled."""
        dice, ledger = self._dice, self._ledger
        names = ("conduct", "fault", "dealer", "void")
        now = [name for name in names if getattr(trouble, name) == "revealing"]
        # While the main game alone is void a word of the supervisor voids the coins too.
        if ledger.main_void and dice.random() < 0.2:
            now.append("void")
        early = dice.random() < 0.5
        for name in now:
            if name == "dealer" or early:
                if name != "dealer" or not ledger.main_void:
                    self._happens(name)
                if self._state.phase != "revealing":
                    return
        if self._doubt:
            self._state_hands()
        for name in now:
            if name != "dealer" and not early:
                self._happens(name)
                if self._state.phase != "revealing":
                    return
        self._send("reveal", m.KeyPressed("reveal"))
        limit_cents = cents(ledger.rule("meter_limit"))
        at_limit = 0 < limit_cents <= ledger.shown_cents
        ledger.reveal({seat: self._dealt[str(seat)] for seat in self._bets})
        self._compare()
        self._count_hits(at_limit)
        if not ledger.main_void:
            self._compare_main_game()

    def _state_hands(self) -> None:
        """Five cards at every place that may decide money, and the up card where a bonus does."""
        main_void = self._ledger.main_void
        rules = self._known.rules
        for place, cards in self._dealt.items():
            alive = place == "D" or int(place) not in self._ledger.dead_seats
            if alive and not (place == "D" and main_void):
                self._say(f"hand {place} {' '.join(cards)}", m.StateHand(place, tuple(cards)), dealer=True)
                self._stated |= {int(place)} if place != "D" else set()
        bonus = any(bets["bonus"] for bets in self._bets.values())
        if bonus and rules.upcard != "declared" and not main_void:
            upcard = self._dealt["D"][0 if rules.upcard == "first" else 4]
            self._say(f"upcard {upcard}", m.StateUpcard(upcard), dealer=True)

    def _count_hits(self, at_limit: bool) -> None:
        prizes = self._ledger.prizes
        for prize in prizes:
            self.counted[f"hit {HANDS[prize.row]}"] += 1
        royals = sum(prize.kind == "royal" for prize in prizes)
        self.counted["hits at the limit"] += bool(prizes) and at_limit
        self.counted["rounds with several hits"] += len(prizes) > 1
        self.counted["rounds with several royals"] += royals > 1
        self.counted["shared royals"] += any(prize.kind == "share" for prize in prizes)

    def _compare_main_game(self) -> None:
        """Ante, raise and bonus of every hand that lived to the settlement."""
        live = {seat: bets for seat, bets in self._bets.items() if seat not in self._ledger.dead_seats}
        if not live:
            return
        hands = {seat: self._dealt[str(seat)] for seat in live}
        said = self._model.play_round(live, hands, self._dealt["D"], self._upcard)
        for seat, told in said.items():
            results = self._state.seat(seat).results
            outcomes = {"ante": results.ante, "raise": results.raise_, "bonus": results.bonus}
            for spot, outcome in outcomes.items():
                text = "none" if outcome is None else outcome.text
                if text != told[spot]:
                    self._differ(f"{spot} of seat {seat}", text, told[spot])

    # ------------------------------------------------------------------------------ awards that wait

    def _awards(self) -> None:
        """Two people confirm or reject what waits, in any order; a supervisor may void before that."""
        dice, ledger = self._dice, self._ledger
        counted = False
        while seats := ledger.waiting():
            if dice.random() < 0.05:
                self._void()
                continue
            if dice.random() < 0.02 and self._state.meter is not None:
                self._parameter()
            seat, confirm = dice.choice(seats), dice.random() < 0.8
            command: m.AnyCommand = m.ConfirmAward(seat) if confirm else m.RejectAward(seat)
            word = f"sup {'confirm' if confirm else 'reject'} {seat}"
            if confirm and ledger.count_is_due and not counted:
                if dice.random() < 0.1:
                    self._say(word, command, refused=True)
                cards = 52 - self._cards_out
                self._say(f"stub {cards}", m.CountStub(cards), dealer=True)
                counted = True
            if dice.random() < 0.05 and not ledger.count_is_due:
                # The first one changes his mind; his word before that counts no more.
                other = m.RejectAward(seat) if confirm else m.ConfirmAward(seat)
                self._say(f"{word}, the other way", other)
            self._say(word, command)
            self._say(f"{word}, the second", command, by="Tom", dealer=True)
            ledger.decide(seat, confirm)
            self.counted["confirmed" if confirm else "rejected"] += 1
            self._compare()
        self._compare_coins()

    def _clear(self) -> None:
        self._send("clear", m.KeyPressed("clear"))
        for line in LINES:
            if not self._ledger.well[line]:
                self._health(line, True)
        for spot, seat in self._covered:
            self._send(f"lift {spot} {seat}", m.ChipsLifted(spot, seat))
        self._covered = []
        self._compare()


SUMS: Final = (
    "meter", "reserve", "overflow", "kept shares", "rest of the house",
    "wagers", "hits", "wins", "seeded", "taken", "house added", "corrected",
    "base", "owed", "documents", "parameters", "pending parameters",
)  # fmt: skip
"""The names of what is compared; the first five are millionths of a cent."""
