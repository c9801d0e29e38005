"""Who is logged in, and how often anybody may ask.

A session lives in this process alone: after a restart everybody logs in again. A dealer's lasts for
a shift without a touch, because a panel that asks for a PIN in the middle of a round stops a game; a
supervisor's or an auditor's ends after half an hour, because its screen stands where people pass. An
open stream is no touch. Every decision of a supervisor asks for the PIN again, so that a session alone
decides nothing; acknowledging an alarm is no decision.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec

from table_controller.web.clock import Clock
from table_controller.web.operators import Operator, OperatorRole, Operators

IDLE_MS: Final[dict[OperatorRole, int]] = {
    "dealer": 12 * 3_600_000,
    "supervisor": 30 * 60_000,
    "auditor": 30 * 60_000,
}
LONGEST_MS: Final = 16 * 3_600_000
SESSIONS_MAX: Final = 500
PER_OPERATOR_MAX: Final = 10
_KEYS_MAX: Final = 10_000


class Session(msgspec.Struct):
    """One log-in on one screen."""

    id: str
    csrf: str
    operator: str
    role: OperatorRole
    hash: str
    """That of the PIN at the log-in: with another PIN the session is over."""
    since_ms: int
    since_wall_ms: int
    touched_ms: int
    page: str = ""
    streams: int = 0


class Sessions:
    """Every session, by its id."""

    def __init__(self, operators: Operators, clock: Clock) -> None:
        self._operators = operators
        self._clock = clock
        self._open: OrderedDict[str, Session] = OrderedDict()

    def begin(self, operator: Operator) -> Session:
        """A new session; the oldest ones give way where there are too many."""
        self._sweep()
        own = [one for one in self._open.values() if one.operator == operator.name]
        for oldest in own[: max(0, len(own) - PER_OPERATOR_MAX + 1)]:
            del self._open[oldest.id]
        while len(self._open) >= SESSIONS_MAX:
            self._open.popitem(last=False)
        now_ms = self._clock.now_ms()
        session = Session(
            secrets.token_urlsafe(32),
            secrets.token_urlsafe(32),
            operator.name,
            operator.role,
            operator.hash,
            now_ms,
            self._clock.wall_ms(),
            now_ms,
        )
        self._open[session.id] = session
        return session

    def find(self, cookie: str, touch: bool = False) -> Session | None:
        """The session of a cookie if it is still good; `touch`: a person did something."""
        session = self._open.get(cookie)
        if session is None or not self.good(session):
            return None
        if touch:
            session.touched_ms = self._clock.now_ms()
        return session

    def good(self, session: Session) -> bool:
        """Whether a session may go on; one that may not is over for ever."""
        if self._open.get(session.id) is not session:
            return False
        now_ms = self._clock.now_ms()
        operator = self._operators.find(session.operator)
        well = (
            now_ms - session.touched_ms < IDLE_MS[session.role]
            and now_ms - session.since_ms < LONGEST_MS
            and operator is not None
            and operator.role == session.role
            and operator.hash == session.hash
        )
        if not well:
            del self._open[session.id]
        return well

    def end(self, session: Session) -> None:
        """Somebody logs out."""
        self._open.pop(session.id, None)

    def all(self) -> list[Session]:
        """Every session that is good now, the oldest first."""
        self._sweep()
        return list(self._open.values())

    def _sweep(self) -> None:
        for session in list(self._open.values()):
            self.good(session)


def same_token(session: Session, token: str) -> bool:
    """Whether a request carries the token of its session, compared in constant time."""
    return hmac.compare_digest(session.csrf.encode(), token.encode("utf-8", "replace"))


class Allowance:
    """How often each key may do something: so many at once, and so many again in `per_ms`."""

    def __init__(self, most: int, per_ms: int, now_ms: Callable[[], int]) -> None:
        self._most, self._per_ms, self._now_ms = most, per_ms, now_ms
        # Of each key what is used up, in units of 1 / per_ms, and when that was true.
        self._used: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def take(self, key: str) -> int:
        """Use one; 0 if it was there, else the milliseconds until it is."""
        now_ms = self._now_ms()
        used, at_ms = self._used.pop(key, (0, now_ms))
        used = max(0, used - (now_ms - at_ms) * self._most)
        over = used + self._per_ms - self._most * self._per_ms
        if over <= 0:
            used += self._per_ms
        self._used[key] = (used, now_ms)
        while len(self._used) > _KEYS_MAX:
            self._used.popitem(last=False)
        return 0 if over <= 0 else -(-over // self._most)
