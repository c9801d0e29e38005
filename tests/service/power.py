"""A disk that can lose its power: every write is recorded, and an image of any moment can be built.

What was synced is there. Of what was written since, any part may be there, torn at sectors. Removing a file
counts as durable at once, which SQLite's write-ahead log does not depend on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import apsw

SECTOR_BYTES = 512


class Happening(NamedTuple):
    """One thing that was done to a file."""

    kind: str
    name: str
    offset: int = 0
    data: bytes = b""


class RecordingDisk(apsw.VFS):
    """SQLite's own disk, made the default one, with a record of what was done to it."""

    def __init__(self) -> None:
        self.happenings: list[Happening] = []
        self.reads = 0
        self.broken = False
        self.normal = apsw.vfs_names()[0]
        super().__init__("recording", self.normal, makedefault=True)

    def __enter__(self) -> RecordingDisk:
        return self

    def __exit__(self, *_: object) -> None:
        apsw.set_default_vfs(self.normal)
        self.unregister()

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _RecordedFile(self, name, flags)

    def xDelete(self, name: str, syncdir: bool) -> None:  # noqa: N802
        self.happenings.append(Happening("delete", os.path.basename(name)))
        super().xDelete(name, syncdir)


class _RecordedFile(apsw.VFSFile):
    def __init__(self, disk: RecordingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._name = os.path.basename(path)
        super().__init__(disk.normal, name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._disk.reads += 1
        return super().xRead(amount, offset)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        self._disk.happenings.append(Happening("write", self._name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.happenings.append(Happening("truncate", self._name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._disk.broken:
            raise apsw.IOError("the disk does not answer")
        self._disk.happenings.append(Happening("sync", self._name))
        super().xSync(flags)


class _File:
    def __init__(self, content: bytes = b"") -> None:
        self.durable = bytearray(content)
        self.loose: list[Happening] = []

    def sync(self) -> None:
        for happening in self.loose:
            _apply(self.durable, happening)
        self.loose.clear()

    def torn(self, random: Random) -> bytes:
        content = bytearray(self.durable)
        for happening in self.loose:
            if happening.kind == "truncate":
                if random.random() < 0.5:
                    _apply(content, happening)
                continue
            survives = random.choice((0.0, 0.5, 1.0))
            data = happening.data
            for start in range(0, len(data), SECTOR_BYTES):
                if random.random() < survives:
                    part = data[start : start + SECTOR_BYTES]
                    _apply(content, Happening("write", happening.name, happening.offset + start, part))
        return bytes(content)


def _apply(content: bytearray, happening: Happening) -> None:
    end = happening.offset + len(happening.data)
    if happening.kind == "truncate":
        del content[happening.offset :]
        return
    content.extend(bytes(max(0, end - len(content))))
    content[happening.offset : end] = happening.data


def power_cuts(
    before: dict[str, bytes], happenings: list[Happening], each: int, random: Random
) -> Iterator[tuple[int, dict[str, bytes]]]:
    """After every happening, `each` images of the files as a power cut could leave them."""
    files = {name: _File(content) for name, content in before.items()}
    for count, happening in enumerate(happenings, start=1):
        if happening.kind == "delete":
            files.pop(happening.name, None)
            continue
        file = files.setdefault(happening.name, _File())
        if happening.kind == "sync":
            file.sync()
        else:
            file.loose.append(happening)
        for _ in range(each):
            yield count, {name: file.torn(random) for name, file in files.items()}


def lay_out(folder: Path, image: dict[str, bytes]) -> None:
    """Put an image where a journal can be opened; the shared memory of SQLite goes with the power."""
    folder.mkdir()
    for name, content in image.items():
        if not name.endswith("-shm"):
            (folder / name).write_bytes(content)
