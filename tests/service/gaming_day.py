"""A table that plays whole gaming days and leaves the journal of them, as the service writes one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from hw_sim.words import parse_line
from table_controller.journal import Entry, Journal
from table_controller.journal_file import chain_hash
from table_controller.replay import Snapshot, digest_of, encode_facts, encode_message
from table_controller.table import messages as m
from table_controller.table.state import TableState, encode_state, new_state
from table_controller.table.step import step
from tests.table.tabletop import TableTop

RULES = 'preset = "us_standard"\nmeter_share = "0.333"\nreserve_share = "0.005"\n'
DEALER = "2S 3S 4S 7D 9C"
HANDS = {
    "nothing": "2D 5D 8C TC QC",
    "flush": "2H 6H 9H JH KH",
    "straight flush": "5H 6H 7H 8H 9H",
    "royal": "TH JH QH KH AH",
}
KEPT = (
    m.RoundOpened,
    m.RoundCleared,
    m.DayOpened,
    m.DayClosed,
    m.ShiftChanged,
    m.MeterCorrected,
    m.TableInstalled,
)


class GamingDay(TableTop):
    """A table top with gaming days that remembers what it was told, and when."""

    def __init__(self, house_rules: str = RULES, gaming_day: bool = True) -> None:
        self.heard: list[tuple[int, int, m.AnyMessage]] = []
        super().__init__(house_rules, gaming_day=gaming_day)

    def send(self, message: m.AnyMessage) -> None:
        self.heard.append((self.at_ms, self.wall_ms + self.at_ms, message))
        super().send(message)

    def said(
        self, command: m.AnyCommand, operator: str = "sue", role: m.Role = "supervisor", reason: str = ""
    ) -> GamingDay:
        """Somebody says something half a minute later, and it is not refused."""
        self.at_ms += 30_000
        self.send(m.Said(command, operator, role, reason))
        assert not self.refused, self.refused
        return self

    def words(self, text: str) -> GamingDay:
        """Lines of a play, blank ones left out."""
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                self.refused = ""
                self.do(parse_line(line.strip(), number))
                assert not self.refused, f"{line}: {self.refused}"
        return self

    def to_reveal(self, hand: str, seat: int = 1) -> GamingDay:
        """One seat bets 10.00 and a coin, gets that hand, raises, and the round is settled."""
        cards = " ".join(
            f"{own}>{seat} {other}>D" for own, other in zip(HANDS[hand].split(), DEALER.split(), strict=True)
        )
        self.at_ms += 40_000
        return self.words(
            f"open\nante {seat} 10.00\ncoin {seat}\nlock\ndeal {cards}\nraise {seat}\nclose\nreveal"
        )

    def played(self, hand: str, seat: int = 1) -> GamingDay:
        """The same, with an award that waits confirmed by sue and ben, and CLEAR."""
        self.to_reveal(hand, seat)
        if self.state.held:
            self.words("stub 42")
            self.both_say(m.ConfirmAward(seat, "cam 4, tape 17"), "cards seen")
        return self.words("clear")

    def both_say(self, command: m.AnyCommand, reason: str) -> GamingDay:
        """A supervisor says it, and a dealer after her."""
        return self.said(command, reason=reason).said(command, "ben", "dealer", reason)

    def carried_on(self, file: str, head: str) -> GamingDay:
        """The next file, which goes on with this table as the closed day left it."""
        after = GamingDay()
        after.house, after.state = self.house, new_state(self.house)
        after.at_ms, after.wall_ms, after.heard = self.at_ms, self.wall_ms, []
        kept = msgspec.Raw(encode_state(self.state))
        after.send(m.Carried(self.house, file, len(self.heard), head, kept))
        return after

    def entries(self) -> list[Entry]:
        """The journal of it."""
        state: TableState = new_state(self.house)
        chain, entries = b"genesis", list[Entry]()
        for seq, (at_ms, wall_ms, message) in enumerate(self.heard, start=1):
            state, facts = step(self.house, state, m.Stamp(at_ms, wall_ms), message)
            keeps = isinstance(message, m.Carried) or any(isinstance(fact, KEPT) for fact in facts)
            kept = msgspec.json.encode(Snapshot(self.house, state)) if keeps else None
            body = (encode_message(message), encode_facts(facts), digest_of(encode_state(state)))
            stamp, dealer = (seq, 1, at_ms, wall_ms), state.dealer.encode()
            chain = chain_hash(chain, *stamp, *body, kept, dealer)
            entries.append(Entry(*stamp, *body, chain, kept, dealer))
        return entries

    def write(self, path: Path) -> str:
        """The journal of it as a file; its name."""
        return write(path, self.entries())


def write(path: Path, entries: Iterable[Entry]) -> str:
    """These entries as the file of a journal, closed in good order; its name."""
    journal = Journal.open(str(path), "T1")
    for one in entries:
        stamp = (one.boot, one.at_ms, one.wall_ms)
        journal.append(*stamp, one.message, one.facts, one.digest, one.snapshot, one.dealer)
    journal.commit()
    journal.close()
    return str(path)


def forged(entries: list[Entry], seq: int, part: str, old: bytes, new: bytes) -> list[Entry]:
    """The same journal with one figure changed in one entry, and a chain that fits it."""
    chain, again = b"genesis", list[Entry]()
    for one in entries:
        if one.seq == seq:
            whole = getattr(one, part)
            assert old in whole, whole
            one = msgspec.structs.replace(one, **{part: whole.replace(old, new, 1)})
        stamp = (one.seq, one.boot, one.at_ms, one.wall_ms)
        body = (one.message, one.facts, one.digest)
        chain = chain_hash(chain, *stamp, *body, one.snapshot, one.dealer)
        again.append(msgspec.structs.replace(one, chain=chain))
    return again


def a_day() -> GamingDay:
    """A day of two shifts: awards at once, confirmed and rejected, a void, a royal, a correction."""
    table = GamingDay()
    table.said(m.OpenDay(), "sue")
    table.said(m.LogOn(), "ann", "dealer").said(m.ChangeShift("early"))
    table.played("flush")
    table.played("straight flush", seat=2)
    table.said(m.WithholdHit("T1-A000002", "tax"), reason="no tax number")
    table.said(m.ReleaseHit("T1-A000002"), reason="form filled in")
    table.said(m.PayHit("T1-A000002", "cage"), "cara")
    table.to_reveal("straight flush").words("stub 42")
    table.both_say(m.RejectAward(1), "seven cards in the hand").words("clear")
    table.send(m.ClockSet(-3_600_000))
    table.wall_ms -= 3_600_000
    table.said(m.ChangeShift("late"), "tom").said(m.LogOn(), "bob", "dealer")
    table.words("open\nante 1 10.00\ncoin 1\nante 2 10.00\ncoin 2\nlock\nsup void\nclear")
    table.played("royal", seat=3)
    table.said(m.PayHit("T1-A000004", "table"), "tom")
    table.both_say(m.CorrectMeter("meter", 1_234_567, "display_wrong", "B-7"), "the sign was misread")
    table.played("nothing")
    table.said(m.CloseDay(), "tom")
    table.said(m.SetParameter("meter_share", "0.40", "B-8"), "tom", reason="new rate")
    return table
