"""Two beams to a coin, or to one named fault (PROTOCOL.md, Coin slots). Pure.

A coin is money: only the one right pattern, within its times, is one. Everything from the first dark beam to
both bright again is one passage and has one outcome.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from table_controller.table.messages import CoinFault

Outcome = Literal["coin"] | CoinFault
State = Literal["upper", "both", "lower"]
"""Which beams are dark."""

BEAM_A: Final = 0b01
BEAM_B: Final = 0b10
BRIGHT: Final = 0b00

STEP_SHORTEST_US: Final = 1_000
STEP_LONGEST_US: Final = 100_000
PASSAGE_SHORTEST_US: Final = 8_000
PASSAGE_LONGEST_US: Final = 250_000
PAUSE_SHORTEST_US: Final = 30_000
STUCK_US: Final = 500_000
# A coin has three states. A beam that flickers has thousands, and the first ones tell as much as all.
STATES_KEPT: Final = 16

_NEXT: Final = {BRIGHT: BEAM_A, BEAM_A: BEAM_A | BEAM_B, BEAM_A | BEAM_B: BEAM_B, BEAM_B: BRIGHT}
_STATES: Final[dict[int, State]] = {BEAM_A: "upper", BEAM_A | BEAM_B: "both", BEAM_B: "lower"}


class Passage(NamedTuple):
    """What was told of a passage at `at_us`, and how long each state of its beams lasted as far as seen.

    `beams_us` are microseconds, one for each of `beams`; a passage whose edges were lost may have none.
    """

    outcome: Outcome
    at_us: int
    beams: tuple[State, ...]
    beams_us: tuple[int, ...]


class CoinSlot:
    """The slot of one seat. `dark` holds the dark beams as bits; times are microseconds.

    A beam that is dark when the host starts is a fault from the start: nobody saw what made it dark.
    `last` is the passage of the outcome that was told last.
    """

    def __init__(self, dark: int = BRIGHT, now_us: int = 0) -> None:
        self.dark = dark
        self.last: Passage | None = None
        self._states: list[tuple[int, int]] = []
        self._fault: CoinFault | None = None
        self._stuck_told = False
        self._began_us = now_us - STUCK_US
        self._changed_us = now_us
        self._changed_beam = 0
        self._ended_us: int | None = None
        self._suspects = 0

    def edge(self, beam: int, is_dark: bool, at_us: int) -> Outcome | None:
        """A beam became dark or bright."""
        self._suspects = 0
        before = self.dark
        if bool(before & beam) == is_dark:
            # The same said twice: an edge between them was lost, so nothing that follows can be trusted.
            if before != BRIGHT:
                self._spoil("sequence")
            return None
        told = self.settle(at_us)
        self._leave(before, at_us)
        self.dark ^= beam
        if before == BRIGHT:
            self._begin(at_us)
        else:
            self._judge_step(beam, at_us)
        if self.dark != _NEXT[before]:
            self._spoil("reverse")
        self._changed_us = at_us
        self._changed_beam = beam
        if self.dark == BRIGHT:
            told = self._end(at_us) or told
        return told

    def settle(self, now_us: int) -> Outcome | None:
        """`stuck`, once, when the slot has not been bright for too long."""
        if self.dark == BRIGHT or self._stuck_told or now_us - self._began_us < STUCK_US:
            return None
        self._stuck_told = True
        return self._tell("stuck", now_us)

    def due_at_us(self) -> int | None:
        """When `settle` will have something to tell if no edge comes; None: never."""
        return None if self.dark == BRIGHT or self._stuck_told else self._began_us + STUCK_US

    def reread(self, beam: int, is_dark: bool, now_us: int) -> Outcome | None:
        """A beam was read, not told by an edge.

        A difference may be an edge that is still on its way: only the second look in a row takes it
        for an edge that was lost.
        """
        if bool(self.dark & beam) == is_dark:
            self._suspects &= ~beam
            return None
        if not self._suspects & beam:
            self._suspects |= beam
            return None
        return self.lose_edges(beam, is_dark, now_us)

    def lose_edges(self, beam: int, is_dark: bool, now_us: int) -> Outcome | None:
        """Edges of a beam were lost, and it is as `is_dark` says: no coin can be judged by them."""
        told = self.settle(now_us)
        if self.dark == BRIGHT:
            self._begin(now_us)
            self._fault = "sequence"
        self._spoil("sequence")
        self._leave(self.dark, now_us)
        self.dark = self.dark | beam if is_dark else self.dark & ~beam
        self._suspects = 0
        self._changed_us = now_us
        self._changed_beam = 0
        if self.dark == BRIGHT:
            told = self._end(now_us) or told
        return told

    def _begin(self, at_us: int) -> None:
        self._began_us = at_us
        self._states.clear()
        self._stuck_told = False
        self._fault = None
        if self._ended_us is not None and at_us - self._ended_us < PAUSE_SHORTEST_US:
            self._fault = "close_coin"

    def _judge_step(self, beam: int, at_us: int) -> None:
        step_us = at_us - self._changed_us
        if step_us < STEP_SHORTEST_US:
            if self._changed_beam not in (0, beam):
                self._fault = "light"
            self._spoil("too_fast")
        elif step_us > STEP_LONGEST_US:
            self._spoil("too_slow")

    def _spoil(self, fault: CoinFault) -> None:
        """The first rule that a passage breaks names its fault."""
        self._fault = self._fault or fault

    def _end(self, at_us: int) -> Outcome | None:
        self._ended_us = at_us
        passage_us = at_us - self._began_us
        if passage_us < PASSAGE_SHORTEST_US:
            self._spoil("too_fast")
        elif passage_us > PASSAGE_LONGEST_US:
            self._spoil("too_slow")
        fault, self._fault = self._fault, None
        if self._stuck_told:
            return None
        return self._tell(fault or "coin", at_us)

    def _leave(self, dark: int, at_us: int) -> None:
        """A state of the beams is over."""
        if dark != BRIGHT and len(self._states) < STATES_KEPT:
            self._states.append((dark, at_us - self._changed_us))

    def _tell(self, outcome: Outcome, at_us: int) -> Outcome:
        self._leave(self.dark, at_us)
        self.last = Passage(
            outcome,
            at_us,
            tuple(_STATES[dark] for dark, _ in self._states),
            tuple(lasted_us for _, lasted_us in self._states),
        )
        return outcome
