"""The site: which address answers what, who may ask it, and how a word comes to the table."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from table_controller.daemon import software_version
from table_controller.table.roles import ROLES, SUPERVISOR
from table_controller.web.asked import (
    Alive,
    Ask,
    Effect,
    Login,
    Nothing,
    Refused,
    Say,
    address_of,
    body_of,
    body_refusal,
    not_found,
    only_get,
    refusal,
)
from table_controller.web.clock import Clock
from table_controller.web.effects import effect_lines
from table_controller.web.feeds import Feeds, Heard
from table_controller.web.guard import BodyRefused, Guard
from table_controller.web.operators import Operator, Operators, OperatorsRefused
from table_controller.web.papers import Papers
from table_controller.web.screens import Screens
from table_controller.web.sessions import Allowance, Session, Sessions, same_token
from table_controller.web.settings import Settings
from table_controller.web.static_files import StaticFiles
from table_controller.web.streams import Streams

_log = logging.getLogger(__name__)

STREAMS_A_SESSION: Final = 20
SIGNS_MAX: Final = 300
LOGINS_A_MINUTE: Final = 10
WORDS_A_SECOND: Final = 20
PINS_A_MINUTE: Final = 30
IDS_KEPT: Final = 4_000
HEARD_MS: Final = 2_000
_WORDS: Final = {kind.__name__: kind for kind in ROLES}
_SPEAKERS: Final = ("dealer", "supervisor")
# Two people decide these, so each of them says who he is.
_BY_TWO: Final = frozenset({"ConfirmAward", "RejectAward", "CorrectMeter"})
_ID: Final = re.compile(r"[A-Za-z0-9-]{8,64}")
_SIGN: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_HASH: Final = re.compile(rb"\b[0-9a-f]{64}\b")
_SILENT: Final = "the table is silent; say it again with the same id"
_CONFLICT: Final = re.compile(r"^\$\.id: .* was another command's")


def make_site(settings: Settings, feeds: Feeds, operators: Operators, clock: Clock) -> Starlette:
    """The whole site over these tables; `app.state.streams` lets all streams end at once."""
    return Site(settings, feeds, operators, clock).app


class Site:
    """What the addresses have in common."""

    def __init__(self, settings: Settings, feeds: Feeds, operators: Operators, clock: Clock) -> None:
        self._settings, self._feeds, self._operators, self._clock = settings, feeds, operators, clock
        self._sessions = Sessions(operators, clock)
        self._streams = Streams(feeds, clock)
        self._papers = Papers(settings)
        self._static = StaticFiles()
        self._version = software_version()
        self._cookie = "__Host-session" if settings.secure else "session"
        self._logins = Allowance(LOGINS_A_MINUTE, 60_000, clock.now_ms)
        self._words = Allowance(WORDS_A_SECOND, 1_000, clock.now_ms)
        self._pins = Allowance(PINS_A_MINUTE, 60_000, clock.now_ms)
        self._screens = Screens(clock)
        self._notes: set[asyncio.Future[Any]] = set()
        # What was said under an id lately, so that a page that uses one twice is told so.
        self._said: OrderedDict[str, bytes] = OrderedDict()
        self.app = Starlette(
            routes=self._routes(),
            middleware=[Middleware(Guard, settings)],
            lifespan=self._lifespan,
            exception_handlers={
                Refused: refusal,
                BodyRefused: body_refusal,
                404: not_found,
                405: not_found,
            },
        )
        self.app.state.streams = self._streams

    def _routes(self) -> list[Route]:
        table = "/api/tables/{table}"
        return [
            Route("/", self.root),
            Route("/favicon.ico", self.icon),
            Route("/{page:str}", self.page),
            Route("/static/{path:path}", self.static_file),
            Route("/api/config", self.config),
            Route("/api/login", self.login, methods=["POST"]),
            Route("/api/logout", self.logout, methods=["POST"]),
            Route("/api/sessions", self.sessions),
            Route("/api/events", self.events),
            Route("/api/signs/{table}/events", self.sign_events),
            Route("/api/signs/{table}/alive", self.alive, methods=["POST"]),
            Route(f"{table}/say", self.say, methods=["POST"]),
            Route(f"{table}/ask", self.ask, methods=["POST"]),
            Route(f"{table}/effect", self.effect, methods=["POST"]),
            Route(f"{table}/papers/{{kind}}", self.paper),
        ]

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._feeds.start(self._told)
        try:
            yield
        finally:
            self._streams.close()
            await self._feeds.stop()
            self._operators.close()

    def _told(self, table: str, facts: tuple[Heard, ...]) -> None:
        self._streams.told(table, facts, self._feeds.picture(table))

    # ------------------------------------------------------------------------- pages and files

    async def root(self, _request: Request) -> Response:
        """The first page is the dealer's panel."""
        return RedirectResponse("/panel", 303)

    async def icon(self, _request: Request) -> Response:
        """Browsers ask for one; the pages have none."""
        return Response(status_code=204, headers={"cache-control": "max-age=86400"})

    async def page(self, request: Request) -> Response:
        """One of the pages; panel and console belong to those who are logged in."""
        name = request.path_params["page"]
        if name not in ("sign", "panel", "console", "login"):
            raise Refused(404, "there is no such page")
        if name in ("panel", "console"):
            session = self._session_of(request, touch=True)
            if session is None:
                query = f"?{request.url.query}" if request.url.query else ""
                then = quote(f"/{name}{query}", safe="/")
                return RedirectResponse(f"/login?then={then}", 303)
            session.page = name
        return self._static.answer(f"{name}.html", request)

    async def static_file(self, request: Request) -> Response:
        """A file of the pages."""
        return self._static.answer(request.path_params["path"], request)

    # ------------------------------------------------------------------------- who is there

    async def config(self, request: Request) -> Response:
        """What a page needs first."""
        session = self._session_of(request)
        settings = self._settings
        operator = {"name": session.operator, "role": session.role} if session else None
        return _json(
            {
                "language": settings.language,
                "locale": settings.locale,
                "currency": settings.currency,
                "version": self._version,
                "tables": list(self._feeds.tables),
                "operator": operator,
                "csrf": session.csrf if session else None,
            }
        )

    async def login(self, request: Request) -> Response:
        """A name and a PIN become a session."""
        body = await body_of(request, Login)
        address = address_of(request)
        # A refused address uses nothing up that others need.
        if wait_ms := self._logins.take(address):
            _log.warning("too many tries to log in from %s", address)
            raise Refused(429, "too many tries; wait a moment", wait_s=_seconds(wait_ms))
        operator = await self._with_pin(body.operator.strip(), body.pin, address)
        if old := self._session_of(request):
            self._sessions.end(old)
        session = self._sessions.begin(operator)
        _log.info("%s (%s) has logged in from %s", operator.name, operator.role, address)
        answer = _json({"operator": operator.name, "role": operator.role, "csrf": session.csrf})
        answer.set_cookie(
            self._cookie, session.id, path="/", secure=self._settings.secure, httponly=True, samesite="strict"
        )
        return answer

    async def logout(self, request: Request) -> Response:
        """The session is over."""
        session = self._session_with_token(request)
        await body_of(request, Nothing)
        self._sessions.end(session)
        _log.info("%s has logged out", session.operator)
        answer = _json({"ok": True})
        answer.delete_cookie(
            self._cookie, path="/", secure=self._settings.secure, httponly=True, samesite="strict"
        )
        return answer

    async def sessions(self, request: Request) -> Response:
        """Who is logged in, for a supervisor."""
        self._session_needed(request, "supervisor")
        return _json(
            [
                {"operator": one.operator, "role": one.role, "since_ms": one.since_wall_ms, "page": one.page}
                for one in self._sessions.all()
            ]
        )

    # ------------------------------------------------------------------------------- streams

    async def events(self, request: Request) -> ASGIApp:
        """All tables, live."""
        session = self._session_needed(request)
        only_get(request)
        if session.streams >= STREAMS_A_SESSION:
            raise Refused(429, f"{STREAMS_A_SESSION} streams of this log-in are open already")
        session.streams += 1

        def ended() -> None:
            session.streams -= 1

        return self._streams.everything(lambda: self._sessions.good(session), ended)

    async def sign_events(self, request: Request) -> ASGIApp:
        """One table as a sign shows it, for anybody."""
        table = self._table_of(request)
        only_get(request)
        if self._streams.signs() >= SIGNS_MAX:
            raise Refused(429, f"{SIGNS_MAX} signs are open already")
        return self._streams.sign(table)

    async def alive(self, request: Request) -> Response:
        """A sign shows the meter, or says that it is taken away."""
        table = self._table_of(request)
        body = await body_of(request, Alive)
        named = self._settings.tables[table].signs
        # Where others than this machine come in, a sign that falls silent must be one that is known.
        unknown = body.sign not in named if named else self._settings.secure
        if unknown or not _SIGN.fullmatch(body.sign):
            raise Refused(404, "there is no sign of that name")
        self._screens.take(f"{table} {body.sign}", address_of(request), body.gone)
        ask = "gone" if body.gone else "here"
        question = {"v": 1, "id": _own_id(), "ask": ask, "sign": body.sign}
        answer = await self._feeds.request(table, question)
        if answer is None:
            raise Refused(503, _SILENT)
        return _json({"ok": bool(answer.get("ok")), "error": answer.get("error", "")})

    # --------------------------------------------------------------------------- the tables

    async def say(self, request: Request) -> Response:
        """A word for the table, by the one who is logged in or by another with his own PIN."""
        session = self._session_with_token(request)
        table = self._table_of(request)
        if wait_ms := self._words.take(session.id):
            raise Refused(429, "too many words at once; wait a moment", wait_s=_seconds(wait_ms))
        request_id = request.headers.get("idempotency-key", "")
        if not _ID.fullmatch(request_id):
            raise Refused(400, "Idempotency-Key: 8 to 64 letters, digits and - are needed")
        body = await body_of(request, Say)
        word = str(body.command.get("type", ""))
        allowed = ROLES.get(_WORDS[word]) if word in _WORDS else None
        if allowed is None:
            raise Refused(400, f"{word[:40]!r} is no word that can be said to a table")
        operator, role = await self._speaker(session, body, word, allowed, address_of(request))
        said = {
            "v": 1,
            "id": request_id,
            "command": body.command,
            "operator": operator,
            "role": role,
            "reason": body.reason,
            "round": body.round,
        }
        self._same_as_before(table, request_id, said)
        try:
            answer = await self._feeds.request(table, said)
        except ValueError:
            raise Refused(409, "this id was used for something else") from None
        if answer is None:
            raise Refused(503, _SILENT)
        error = str(answer.get("error", ""))
        if not answer.get("ok") and _CONFLICT.match(error):
            raise Refused(409, error)
        return _json({"ok": bool(answer.get("ok")), "seq": answer.get("seq", 0), "error": error})

    async def ask(self, request: Request) -> Response:
        """A question to the table, answered as it answers."""
        # Pages ask by themselves at each change, so that a question is no sign of a person.
        session = self._session_with_token(request, touch=False)
        table = self._table_of(request)
        if wait_ms := self._words.take(f"ask {session.id}"):
            raise Refused(429, "too many questions at once; wait a moment", wait_s=_seconds(wait_ms))
        body = await body_of(request, Ask)
        answer = await self._feeds.request(table, {"v": 1, "id": _own_id(), "ask": body.ask})
        if answer is None:
            raise Refused(503, _SILENT)
        return _json(answer)

    async def effect(self, request: Request) -> Response:
        """The second look: what a word would do, from what everybody may see."""
        # An open sheet looks again by itself, as the list of what is possible does.
        session = self._session_with_token(request, touch=False)
        table = self._table_of(request)
        if wait_ms := self._words.take(f"ask {session.id}"):
            raise Refused(429, "too many questions at once; wait a moment", wait_s=_seconds(wait_ms))
        body = await body_of(request, Effect)
        shown, house = self._streams.state(table), self._streams.house(table)
        return _json({"lines": effect_lines(body.command, shown, house)})

    async def paper(self, request: Request) -> Response:
        """A report or a record, made by a process of its own."""
        self._session_needed(request, "supervisor", "auditor", touch=True)
        table = self._table_of(request)
        kind = str(request.path_params["kind"])
        hidden = self._cards_lie_hidden(table)
        status, body = await self._papers.get(table, kind, dict(request.query_params))
        if hidden or self._cards_lie_hidden(table):
            # Whoever knows all but one card of what went into a hash could try the cards that are left.
            body = _HASH.sub(b"(told after CLOSE)", body)
        if body.lstrip()[:1] == b"<":
            # A page of a journal is read as a file and never as a part of this site.
            headers = {"content-disposition": f'attachment; filename="{table}-{kind}.html"'}
            return Response(body, status, headers, media_type="text/html; charset=utf-8")
        return Response(body, status, media_type="application/json")

    def _cards_lie_hidden(self, table: str) -> bool:
        """Also where the table has not been heard just now: it may deal meanwhile."""
        picture, shown = self._feeds.picture(table), self._streams.state(table)
        fresh = self._clock.now_ms() - picture.heard_ms < HEARD_MS and not picture.refused
        return not fresh or not shown or shown["phase"] in ("dealing", "deciding")

    # ------------------------------------------------------------------------------- checks

    async def _speaker(
        self, session: Session, body: Say, word: str, allowed: frozenset[str], address: str
    ) -> tuple[str, str]:
        """Who says it and in which role; a decision or another's word needs the PIN of the speaker."""
        name = body.operator or session.operator
        role: str = session.role
        if name != session.operator or allowed == SUPERVISOR or word in _BY_TWO:
            if session.role == "auditor" and name == session.operator:
                raise Refused(403, "an auditor says nothing to a table")
            if not body.pin:
                raise Refused(403, "this needs the PIN of the person who says it", pin=True)
            if wait_ms := self._pins.take(session.id):
                raise Refused(429, "too many PINs; wait a moment", wait_s=_seconds(wait_ms))
            role = (await self._with_pin(name, body.pin, address)).role
        if role not in _SPEAKERS:
            _log.warning("%s (%s) may not say %s", name, role, word)
            raise Refused(403, f"{word} may be said by: {', '.join(sorted(allowed))}")
        # What only another role may say is refused by the table, so that the try is in the journal.
        return name, role

    async def _with_pin(self, name: str, pin: str, address: str) -> Operator:
        try:
            verdict = await self._operators.check(name, pin)
        except OperatorsRefused as error:
            _log.error("nobody can log in: %s", error)
            raise Refused(
                503, "nobody can log in now; whoever keeps this machine finds why in its log"
            ) from error
        if verdict.busy:
            raise Refused(429, "too many people log in at once; try again", wait_s=1)
        if verdict.operator is None:
            # A name that nobody has may be a PIN that was typed into the wrong field.
            who = name if self._operators.find(name) else ""
            why = "locked_out" if verdict.wait_ms else "wrong_pin"
            _log.warning("a wrong PIN for %s from %s (%s)", who or "an unknown name", address, why)
            self._note({"ask": why, "operator": who, "address": address})
            if verdict.wait_ms:
                wait_s = _seconds(verdict.wait_ms)
                raise Refused(429, "locked out after too many wrong PINs", wait_s=wait_s, locked=True)
            raise Refused(403, "the name or the PIN is wrong", pin=True)
        return verdict.operator

    def _note(self, turned_away: dict[str, str]) -> None:
        """Who was not let in here is in the journal of every table; nobody waits for that."""
        for table in self._feeds.tables:
            body = {"v": 1, "id": _own_id(), **turned_away}
            noting = asyncio.ensure_future(self._feeds.request(table, body))
            self._notes.add(noting)
            noting.add_done_callback(self._notes.discard)

    def _same_as_before(self, table: str, request_id: str, said: dict[str, Any]) -> None:
        key, text = f"{table} {request_id}", msgspec.json.encode(said)
        before = self._said.pop(key, text)
        self._said[key] = before
        while len(self._said) > IDS_KEPT:
            self._said.popitem(last=False)
        if before != text:
            raise Refused(409, "this id was used for something else")

    def _session_of(self, request: Request, touch: bool = False) -> Session | None:
        return self._sessions.find(request.cookies.get(self._cookie, ""), touch)

    def _session_needed(self, request: Request, *roles: str, touch: bool = False) -> Session:
        session = self._session_of(request, touch)
        if session is None:
            raise Refused(401, "you are not logged in")
        if roles and session.role not in roles:
            raise Refused(403, f"this may be seen by: {', '.join(roles)}")
        return session

    def _session_with_token(self, request: Request, touch: bool = True) -> Session:
        session = self._session_needed(request, touch=touch)
        if not same_token(session, request.headers.get("x-csrf-token", "")):
            raise Refused(403, "this request does not come from the page of this log-in", session=True)
        return session

    def _table_of(self, request: Request) -> str:
        table = str(request.path_params["table"])
        if table not in self._feeds.tables:
            raise Refused(404, "there is no such table")
        return table


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _own_id() -> str:
    return f"ask:{secrets.token_hex(12)}"


def _seconds(ms: int) -> int:
    return -(-ms // 1000)
