"""The conversation with the shoe, as a value: bytes and times in, events and bytes out.

No port and no clock (PROTOCOL.md, The shoe: rules). What it promises: every card of one memory of the shoe
is told exactly once and in order, or is told as lost by its number; nothing is acknowledged
before the service says that it is on disk.
"""

from __future__ import annotations

from typing import Final

from firmware_bridge.lines import ShoeState
from firmware_bridge.shoe.frames import ACK, RESUME, Damaged, Decoder, Frame, Position, Scan, encode
from table_controller.table.messages import (
    BadFrame,
    CardScanned,
    CardUnreadable,
    Event,
    FrameLost,
    ShoeFound,
    ShoeLost,
)

FIRST_ANSWER_US: Final = 2_000_000
SILENCE_US: Final = 1_500_000
SEEK_US: Final = 500_000
GAP_US: Final = 200_000
GAP_GIVEN_UP_US: Final = 2_000_000
GAP_RESUMES: Final = 10
NOISE_WINDOW_US: Final = 1_000_000
NOISE_TOLD: Final = 8
QUIET_US: Final = 10_000_000
MEMORY: Final = 416
LARGEST_STEP: Final = MEMORY + 8


class Gap:
    """Numbers that the shoe has given away and the link has not seen."""

    def __init__(self, seen: int, now_us: int) -> None:
        self.since_us: Final = now_us
        self.lowest_seen = seen
        self.resumes = 0


class Link:
    """One end of the line to the shoe.

    `boot_id` and `next_seq` are what the journal holds: the memory of the shoe and the number of
    the first card that is not on disk; (0, 0) if there never was a shoe. Times are microseconds of a clock
    that never runs backwards.
    """

    def __init__(self, boot_id: int, next_seq: int, now_us: int) -> None:
        self.boot_id = boot_id
        self.next_seq = next_seq
        self.sound_frames = 0
        self.damaged_frames = 0
        self._damage = ""
        self._damage_old_at_us = now_us
        self._broken = ""
        # What was taken under each number: a number that comes again as another card is no duplicate.
        self._taken: dict[int, Scan] = {}
        self._committed = next_seq
        self._decoder: Final = Decoder()
        self._open = False
        self._rest_of_a_frame_may_come = False
        self._found = False
        self._lost_told = False
        self._silent_at_us = now_us + FIRST_ANSWER_US
        self._gap: Gap | None = None
        self._resume_at_us = now_us
        self._resume_due = False
        self._ack_due = False
        self._greeting = b""
        self._noise_since_us = now_us - NOISE_WINDOW_US
        self._noise_told = 0

    # ------------------------------------------------------------------------------ the port says

    def opened(self, now_us: int) -> None:
        """The port is open: end whatever rest lies in the shoe, and ask where it stands."""
        self._open = True
        self._decoder.reset()
        self._rest_of_a_frame_may_come = True
        self._greeting = b"\0"
        self._damage_old_at_us = now_us
        self._ask(now_us)

    def closed(self) -> list[Event]:
        """The port is gone. A shoe that had answered is lost at once; one that never did has its time."""
        self._open = False
        self._decoder.reset()
        self._gap = None
        self._resume_due = self._ack_due = False
        self._greeting = b""
        return self._lose() if self._found else []

    def received(self, data: bytes, now_us: int) -> list[Event]:
        """What these bytes say."""
        events: list[Event] = []
        for frame in self._decoder.feed(data):
            events += self._take(frame, now_us)
        return events

    def passed(self, now_us: int) -> list[Event]:
        """What has fallen due without a byte: silence, a question to repeat, a gap to give up."""
        events: list[Event] = []
        if not self._lost_told and now_us >= self._silent_at_us:
            events += self._lose()
        if self._open and now_us >= self._resume_at_us and (self._gap or not self._found):
            if self._gap and self._is_hopeless(self._gap, now_us):
                events += self._give_up(self._gap.lowest_seen)
            else:
                self._ask(now_us)
        return events

    @property
    def state(self) -> ShoeState:
        """How it stands with the shoe."""
        if self._broken:
            return "broken"
        if self._found:
            return "found"
        return "lost" if self._lost_told else "sought"

    def trouble(self, now_us: int) -> str:
        """What is wrong with the shoe or its line, as a sentence for the log that tells no card's face.

        Empty when all is well: another memory is believed, or no frame was damaged for 10 s.
        """
        return self._broken or (self._damage if now_us < self._damage_old_at_us else "")

    def due_at_us(self) -> int | None:
        """When `passed` has something to say if nothing arrives; None: never."""
        due = [] if self._lost_told else [self._silent_at_us]
        if self._open and (self._gap or not self._found):
            due.append(self._resume_at_us)
        return min(due, default=None)

    def to_send(self) -> bytes:
        """The bytes for the shoe, taken out.

        Never more than one question and one acknowledgement: what the line loses is asked or
        acknowledged again, so nothing has to wait in a queue.
        """
        out, self._greeting = self._greeting, b""
        if self._resume_due:
            out += encode(RESUME, self.boot_id, self.next_seq)
        if self._ack_due:
            out += encode(ACK, self.boot_id, self._committed)
        self._resume_due = self._ack_due = False
        return out

    # --------------------------------------------------------------------------- the service says

    def acknowledge(self, boot_id: int, next_seq: int) -> None:
        """Every number below `next_seq` is on disk. An earlier memory of the shoe is past."""
        if boot_id != self.boot_id:
            return
        if next_seq > self.next_seq:
            raise ValueError(f"number {next_seq} cannot be acknowledged: {self.next_seq} has not come yet")
        if next_seq > self._committed:
            self._committed = next_seq
            self._ack_due = self._open and not self._broken

    # ------------------------------------------------------------------------------ the shoe says

    def _take(self, frame: Frame, now_us: int) -> list[Event]:
        rest_may_come, self._rest_of_a_frame_may_come = self._rest_of_a_frame_may_come, False
        if isinstance(frame, Damaged):
            return [] if rest_may_come else self._count_damage(frame, now_us)
        self.sound_frames += 1
        if isinstance(frame, Position):
            return self._take_position(frame, now_us)
        return self._take_scan(frame, now_us)

    def _count_damage(self, frame: Damaged, now_us: int) -> list[Event]:
        """A noisy line must not fill the journal: all are counted, so many a second are told, and none
        while the shoe is lost, for then more is amiss than a frame.
        """
        self.damaged_frames += 1
        if now_us >= self._damage_old_at_us or self.damaged_frames.bit_count() == 1:
            # The log gets a new sentence when trouble begins and when the count has doubled.
            self._damage = f"damaged frames: {self.damaged_frames}; the last: {frame.why}"
        self._damage_old_at_us = now_us + QUIET_US
        if now_us - self._noise_since_us >= NOISE_WINDOW_US:
            self._noise_since_us = now_us
            self._noise_told = 0
        self._noise_told += 1
        return [BadFrame()] if self._found and self._noise_told <= NOISE_TOLD else []

    def _take_position(self, position: Position, now_us: int) -> list[Event]:
        events: list[Event] = []
        is_known = position.boot_id == self.boot_id
        if is_known and self._broken:
            return events
        if is_known and position.next_seq < self.next_seq:
            # The line keeps the order of what it carries, so this cannot be an old frame.
            return self._break(f"its next number is {position.next_seq}, and {self.next_seq - 1} is past")
        if is_known and position.first_held - self.next_seq > LARGEST_STEP:
            return self._break_by_step(position.first_held)
        if not is_known:
            self.boot_id = position.boot_id
            self.next_seq = self._committed = position.first_held
            self._gap = None
            self._broken = ""
            self._taken.clear()
        self._hear(now_us)
        if not is_known or not self._found:
            self._found = True
            self._lost_told = False
            events.append(ShoeFound(self.boot_id, self.next_seq))
        if position.first_held > self.next_seq:
            events += self._give_up(position.first_held)
        if position.next_seq > self.next_seq:
            self._miss(position.next_seq, now_us)
        return events

    def _take_scan(self, scan: Scan, now_us: int) -> list[Event]:
        if not self._found or scan.boot_id != self.boot_id:
            if self._found and now_us >= self._resume_at_us:
                self._ask(now_us)
            return []
        if scan.seq < self.next_seq:
            if self._taken.get(scan.seq, scan) != scan:
                return self._break(f"number {scan.seq} came again as another card")
            self._ack_due = self._ack_due or scan.seq < self._committed
            return []
        self._hear(now_us)
        if scan.seq > self.next_seq:
            self._miss(scan.seq, now_us)
            return []
        self.next_seq += 1
        self._taken[scan.seq] = scan
        if len(self._taken) > MEMORY:
            del self._taken[next(iter(self._taken))]
        self._gap = None
        self._resume_due = False
        return [CardScanned(scan.card, scan.boxed, scan.seq) if scan.readable else CardUnreadable(scan.seq)]

    def _hear(self, now_us: int) -> None:
        self._silent_at_us = now_us + SILENCE_US

    def _lose(self) -> list[Event]:
        self._found = False
        self._lost_told = True
        self._gap = None
        return [ShoeLost()]

    def _break(self, why: str) -> list[Event]:
        """The memory contradicts itself: nobody knows which of its cards are true, so none is taken.

        It is not acknowledged either: that would make it forget what may be needed to find the truth.
        """
        self._broken = (
            f"memory {self.boot_id:08X} of the shoe is broken: {why}; "
            "nothing of it is believed until another boot id comes"
        )
        self._resume_due = self._ack_due = False
        return [] if self._lost_told else self._lose()

    def _break_by_step(self, next_seq: int) -> list[Event]:
        missing = next_seq - self.next_seq
        return self._break(f"{missing} numbers are missing at {self.next_seq}; {LARGEST_STEP} is the most")

    # ------------------------------------------------------------------------------------- gaps

    def _ask(self, now_us: int) -> None:
        self._resume_due = True
        self._resume_at_us = now_us + (GAP_US if self._found else SEEK_US)
        if self._gap:
            self._gap.resumes += 1

    def _miss(self, seen: int, now_us: int) -> None:
        if self._gap is None:
            self._gap = Gap(seen, now_us)
            self._ask(now_us)
        else:
            self._gap.lowest_seen = min(self._gap.lowest_seen, seen)

    def _is_hopeless(self, gap: Gap, now_us: int) -> bool:
        return gap.resumes >= GAP_RESUMES and now_us - gap.since_us >= GAP_GIVEN_UP_US

    def _give_up(self, next_seq: int) -> list[Event]:
        """Numbers below `next_seq` will never come; their want is told, and the cards behind it are taken."""
        if next_seq - self.next_seq > LARGEST_STEP:
            return self._break_by_step(next_seq)
        lost = FrameLost(next_seq - self.next_seq, self.next_seq)
        self.next_seq = next_seq
        self._gap = None
        return [lost]
