"""The files of the pages: read when they change, packed once, and asked for again by their hash."""

from __future__ import annotations

import gzip
import os
import re
from hashlib import sha256
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from table_controller.web.guard import error_body

FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
_PACKED: Final = (".html", ".js", ".css", ".svg", ".webmanifest")
# Names without a dot at their start, so that no path leads out of the folder.
_PATH: Final = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/){0,4}[A-Za-z0-9_-][A-Za-z0-9_.-]*")


class _File(msgspec.Struct, frozen=True):
    seen: tuple[int, int]
    etag: str
    plain: bytes
    packed: bytes


class StaticFiles:
    """The folder of static files."""

    def __init__(self, folder: str = FOLDER) -> None:
        self._folder = folder
        self._files: dict[str, _File] = {}

    def answer(self, path: str, request: Request) -> Response:
        """The file, or that the browser has it already."""
        kind = os.path.splitext(path)[1]
        file = self._file(path) if kind in _TYPES and _PATH.fullmatch(path) else None
        if file is None:
            return Response(error_body("there is no such file"), 404, media_type="application/json")
        headers = {"etag": file.etag, "cache-control": "no-cache", "vary": "accept-encoding"}
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        body = file.plain
        if file.packed and "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            body = file.packed
        return Response(body, headers=headers, media_type=_TYPES[kind])

    def _file(self, path: str) -> _File | None:
        place = os.path.join(self._folder, path)
        try:
            found = os.stat(place)
            known = self._files.get(path)
            if known is not None and known.seen == (found.st_mtime_ns, found.st_size):
                return known
            with open(place, "rb") as file:
                plain = file.read()
        except OSError:
            self._files.pop(path, None)
            return None
        packed = b""
        if os.path.splitext(path)[1] in _PACKED:
            packed = gzip.compress(plain, 9, mtime=0)
        etag = f'"{sha256(plain).hexdigest()[:24]}"'
        self._files[path] = _File((found.st_mtime_ns, found.st_size), etag, plain, packed)
        return self._files[path]
