"""What comes up from a page: the forms of requests, and how one is refused."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from table_controller.table.messages import AnyCommand
from table_controller.web.guard import BodyRefused, error_body, read_body

T = TypeVar("T")


class Refused(Exception):
    """A request that is not answered with what it asked for."""

    def __init__(self, status: int, text: str, **more: Any) -> None:
        super().__init__(text)
        self.status, self.more = status, more


class Login(msgspec.Struct, forbid_unknown_fields=True):
    """Who logs in."""

    operator: str
    pin: str


class Say(msgspec.Struct, forbid_unknown_fields=True):
    """A word for a table; `operator` and `pin` are of the person who says it."""

    command: dict[str, Any]
    round: str = ""
    reason: str = ""
    operator: str = ""
    pin: str = ""


class Ask(msgspec.Struct, forbid_unknown_fields=True):
    """A question to a table."""

    ask: Literal["offers", "lines"]


class Effect(msgspec.Struct, forbid_unknown_fields=True):
    """A word whose effect is asked for."""

    command: AnyCommand


class Alive(msgspec.Struct, forbid_unknown_fields=True):
    """A sign that shows, or is `gone`."""

    sign: str
    gone: bool = False


class Nothing(msgspec.Struct):
    """A request that says nothing but its address."""


async def body_of(request: Request, model: type[T]) -> T:
    """What a request brings. Raises `Refused`, `BodyRefused`."""
    try:
        return msgspec.json.decode(await read_body(request.receive) or b"{}", type=model)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        # The place alone: what stands there may be a PIN.
        place = re.search(r"at `(\$[^`]*)`$", str(error))
        raise Refused(400, f"the request is not understood{f' at {place[1]}' if place else ''}") from None


async def refusal(_request: Request, error: Exception) -> Response:
    """Answer a request that was refused."""
    assert isinstance(error, Refused)
    body = error_body(str(error), **error.more)
    return Response(body, error.status, media_type="application/json")


async def body_refusal(_request: Request, error: Exception) -> Response:
    """Answer a request whose body was not taken."""
    assert isinstance(error, BodyRefused)
    headers = {"connection": "close"}
    return Response(error_body(str(error)), error.status, headers, media_type="application/json")


async def not_found(_request: Request, error: Exception) -> Response:
    """Answer an address that leads nowhere."""
    status = getattr(error, "status_code", 404)
    text = "there is nothing here" if status == 404 else "this address is not asked like that"
    return Response(error_body(text), status, media_type="application/json")


def address_of(request: Request) -> str:
    """From where a browser speaks, as the guard has seen it."""
    return str(request.scope.get("address", ""))


def only_get(request: Request) -> None:
    """Raises `Refused` for whoever asks for a stream in another way."""
    if request.method != "GET":
        raise Refused(405, "a stream is read with GET")
