"""The files of the program and their hashes: what was approved, and whether that is what runs here.

A manifest is a text of ASCII lines, sorted by path:

    table-controller 0.1.0
    SHA256  CRC32  SIZE  configuration/table.toml          only if a configuration was given
    SHA256  CRC32  SIZE  distributions/msgspec-0.23.0
    SHA256  CRC32  SIZE  firmware_bridge/PROTOCOL.md
    SHA256  CRC32  SIZE  table_controller/__main__.py
    program SHA256

The lines of our own packages and the last one are the same on every machine that has the same files,
wherever they lie. A distribution's line is the same where the same wheel was installed: pure ones
everywhere, compiled ones on the same platform and Python.

No program can vouch for itself, so everything here can be had without it. In the folder above the
packages `awk '$4 ~ /^(table_controller|firmware_bridge)/ {print $1 "  " $4}' MANIFEST | sha256sum --check`
checks the files, and `grep -E ' (table_controller|firmware_bridge)/' MANIFEST | sha256sum` is the hash of
the program. A distribution's line is made of the lines of its files, in the same form and order.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import cache_from_source, find_spec
from urllib.parse import quote
from zlib import crc32

import msgspec

from table_controller.presets import PRESETS

PACKAGES = ("firmware_bridge", "table_controller")
# A distribution that is not installed has no line: a Raspberry Pi has one of the two for pins, and not every
# machine serves pages.
DISTRIBUTIONS = (
    "apsw", "colorzero", "gpiozero", "msgspec", "pyserial", "pyzmq", "lgpio", "RPi.GPIO",
    "anyio", "click", "h11", "idna", "starlette", "typing_extensions", "uvicorn",
)  # fmt: skip
CONFIGURATION = "configuration/"
_DISTRIBUTION = "distributions/"
# What an installer writes about this machine; the wheel has none of it.
_OF_THE_INSTALLER = {
    "INSTALLER",
    "RECORD",
    "REQUESTED",
    "direct_url.json",
    "provenance_url.json",
    "uv_cache.json",
}
_HEAD = re.compile(r"table-controller \S+")
_LINE = re.compile(r"([0-9a-f]{64})  ([0-9a-f]{8})  ([0-9]{1,15})  (\S+)")
_LAST = re.compile(r"program ([0-9a-f]{64})")
_NAMED_AT_START = 3
_NO_PLAY = "do not play, follow RECOVERY.md."


class ManifestError(Exception):
    """A manifest cannot be made or used; `problems` has a sentence for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class ProgramFile(msgspec.Struct, frozen=True, order=True):
    """One line of a manifest; `path` has forward slashes, and `%` for what is no plain character."""

    path: str
    size_bytes: int
    sha256: str
    crc32: str

    @property
    def line(self) -> str:
        """The line as it stands in the manifest, its end included."""
        return f"{self.sha256}  {self.crc32}  {self.size_bytes}  {self.path}\n"

    @property
    def hashes(self) -> str:
        """Both hashes and the size, for a sentence."""
        return f"{self.sha256}, crc32 {self.crc32}, {self.size_bytes} bytes"


class _Difference(msgspec.Struct, frozen=True):
    said: str
    hashes: str

    @property
    def sentence(self) -> str:
        return f"{self.said}: {self.hashes}"


# ------------------------------------------------------------------------------------- the files here


def program_files(roots: Sequence[str | os.PathLike[str]] = ()) -> list[ProgramFile]:
    """Every file of our packages and one line for each distribution they run on, sorted by path.

    `roots` are the folders of the packages; without them, those that Python imports. Raises
    `ManifestError` for a file that cannot be read.
    """
    return sorted([*_own_files(roots), *_distributions()])


def program_hash(roots: Sequence[str | os.PathLike[str]] = ()) -> str:
    """The hash over our own files as 64 hex digits. Raises `ManifestError` for one that cannot be read."""
    return _hash_over(_own_files(roots))


def manifest_text(version: str, configuration: str = "", roots: Sequence[str | os.PathLike[str]] = ()) -> str:
    """The manifest of what is here; `configuration` is the path of a `table.toml` to take in as well.

    Raises `ManifestError` for a file that cannot be read.
    """
    own = _own_files(roots)
    files = sorted([*own, *_distributions(), *_configuration_files(configuration)])
    lines = "".join(file.line for file in files)
    return f"table-controller {version}\n{lines}program {_hash_over(own)}\n"


def _own_files(roots: Sequence[str | os.PathLike[str]]) -> list[ProgramFile]:
    return sorted(
        _program_file(path, place)
        for root in _folders(roots)
        for path, place in _walk(root, os.path.basename(root))
    )


def _hash_over(files: Iterable[ProgramFile]) -> str:
    return sha256("".join(file.line for file in files).encode()).hexdigest()


def _folders(roots: Sequence[str | os.PathLike[str]]) -> list[str]:
    if roots:
        return [os.path.normpath(root) for root in roots]
    specs = [find_spec(package) for package in PACKAGES]
    return [folder for spec in specs if spec for folder in spec.submodule_search_locations or ()]


def _walk(root: str, path: str) -> Iterator[tuple[str, str]]:
    """Each regular file below a folder, links followed as Python follows them: its path and its place."""
    for folder, folders, names in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        below = os.path.join(path, os.path.relpath(folder, root))
        for name in names:
            place = os.path.join(folder, name)
            if os.path.isfile(place):
                yield os.path.normpath(os.path.join(below, name)), place


def _program_file(path: str, place: str) -> ProgramFile:
    return _fingerprint(path, _content(place))


def _content(place: str) -> bytes:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError as error:
        raise ManifestError([f"{place}: the file cannot be read: {error.strerror}"]) from error


def _fingerprint(path: str, content: bytes) -> ProgramFile:
    plain = quote(os.fsencode(path.replace(os.sep, "/")))
    return ProgramFile(plain, len(content), sha256(content).hexdigest(), f"{crc32(content):08x}")


def _distributions() -> Iterator[ProgramFile]:
    """A line for each distribution that is installed: the hashes of the lines of its files."""
    for path, places in _installed():
        lines = "".join(file.line for file in sorted(_program_file(*each) for each in places))
        yield _fingerprint(path, lines.encode())


def _installed() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The path of each installed distribution in a manifest, and its files: their paths and places.

    Its folders are read as they are, so that a file is found that nobody installed. Its programs lie
    elsewhere, hold the path of this environment, and are not run by the table.
    """
    for name in DISTRIBUTIONS:
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        if not found.files:
            text = f"{name} {found.version} does not say which files are its own: install it with pip"
            raise ManifestError([text])
        places: list[tuple[str, str]] = []
        for top in sorted({file.parts[0] for file in found.files} - {os.pardir, os.sep, "__pycache__"}):
            place = str(found.locate_file(top))
            noise = _OF_THE_INSTALLER if top.endswith(".dist-info") else ()
            here = _walk(place, top) if os.path.isdir(place) else [(top, place)]
            places += [each for each in here if os.path.basename(each[0]) not in noise]
        yield f"{_DISTRIBUTION}{name}-{found.version}", [each for each in places if os.path.isfile(each[1])]


def _configuration_files(configuration: str) -> list[ProgramFile]:
    """The `table.toml` and the house-rule file that it names; a preset is among our own files."""
    if not configuration:
        return []
    content = _content(configuration)
    try:
        rules = tomllib.loads(content.decode()).get("house_rules")
    except (ValueError, RecursionError) as error:
        raise ManifestError([f"{configuration}: the file cannot be read: {error}"]) from error
    files = [_fingerprint(CONFIGURATION + os.path.basename(configuration), content)]
    if isinstance(rules, str) and rules not in PRESETS:
        place = os.path.join(os.path.dirname(os.path.realpath(configuration)), rules)
        files.append(_program_file(CONFIGURATION + rules, place))
    return files


# ------------------------------------------------------------------------------------- against a manifest


def differences(
    manifest: str, configuration: str = "", roots: Sequence[str | os.PathLike[str]] = ()
) -> list[str]:
    """A sentence for each file that is changed, missing, not in the manifest, or not run as it is written.

    `manifest` is the text of one. What cannot be read, here or there, is a sentence too, with its line.
    """
    try:
        return [found.sentence for found in _compare(_read(manifest), configuration, roots)]
    except ManifestError as error:
        return error.problems


def verify_software(
    manifest_path: str, configuration: str = "", roots: Sequence[str | os.PathLike[str]] = ()
) -> list[str]:
    """The `differences` from the manifest in a file; empty if the program is the approved one."""
    try:
        return differences(_text(manifest_path), configuration, roots)
    except ManifestError as error:
        return error.problems


def self_check(
    manifest_path: str, configuration: str = "", roots: Sequence[str | os.PathLike[str]] = ()
) -> str:
    """Why the program may not start, in a sentence; empty if it may, or if no manifest is given.

    The configuration is compared if the manifest has it; a manifest that has it needs it here.
    """
    if not manifest_path:
        return ""
    try:
        approved = _read(_text(manifest_path))
        listed = any(path.startswith(CONFIGURATION) for path in approved)
        found = _compare(approved, configuration if listed else "", roots)
    except ManifestError as error:
        return f"The program cannot be compared with the approved one: {_some(error.problems)}; {_NO_PLAY}"
    if not found:
        return ""
    count = "1 file differs" if len(found) == 1 else f"{len(found)} files differ"
    said = _some([difference.said for difference in found])
    return f"The program is not the approved one: {count}: {said}; {_NO_PLAY}"


def _some(said: list[str]) -> str:
    named, more = said[:_NAMED_AT_START], len(said) - _NAMED_AT_START
    return "; ".join([*named, f"and {more} more, which verify-software names"] if more > 0 else named)


def _text(manifest_path: str) -> str:
    try:
        with open(manifest_path, encoding="ascii", errors="backslashreplace") as file:
            return file.read()
    except OSError as error:
        raise ManifestError([f"{manifest_path}: the manifest cannot be read: {error.strerror}"]) from error


def _read(manifest: str) -> dict[str, ProgramFile]:
    """The files of a manifest by their paths; its last line proves that nobody cut or mended it by hand."""
    lines = manifest.splitlines() or [""]
    files: dict[str, ProgramFile] = {}
    problems: list[str] = []

    def problem(number: int, allowed: str) -> None:
        found = lines[number - 1]
        problems.append(f"line {number} of the manifest: {found[:200]!r} was found; needed is {allowed}")

    if not _HEAD.fullmatch(lines[0]):
        problem(1, "table-controller and a version")
    for number, text in enumerate(lines[1:-1], start=2):
        match = _LINE.fullmatch(text)
        if match is None:
            problem(number, "sha256, crc32, size in bytes and path, with two spaces between them")
        elif match[4] in files:
            problem(number, "each path once")
        else:
            files[match[4]] = ProgramFile(match[4], int(match[3]), match[1], match[2])
    last = _LAST.fullmatch(lines[-1])
    own = [file for path, file in files.items() if not path.startswith((CONFIGURATION, _DISTRIBUTION))]
    if last is None:
        problem(len(lines), "program and the hash over its files: the end of the manifest is missing")
    elif last[1] != _hash_over(own) and not problems:
        problem(len(lines), f"program {_hash_over(own)}, the hash over the lines above")
    if problems:
        raise ManifestError(problems)
    return files


def _compare(
    approved: dict[str, ProgramFile], configuration: str, roots: Sequence[str | os.PathLike[str]]
) -> list[_Difference]:
    files = [*program_files(roots), *_configuration_files(configuration)]
    here = {file.path: file for file in files}
    found: list[_Difference] = []
    for path in sorted(approved.keys() | here.keys()):
        before, now = approved.get(path), here.get(path)
        if before is None and now is not None:
            found.append(_Difference(f"{path} is not in the manifest", f"{now.hashes} here"))
        elif before is not None and now is None:
            said = (
                "is missing"
                if configuration or not path.startswith(CONFIGURATION)
                else "was not given to compare"
            )
            found.append(_Difference(f"{path} {said}", f"{before.hashes} in the manifest"))
        elif before is not None and now is not None and before != now:
            hashes = f"{before.hashes} in the manifest; {now.hashes} here"
            found.append(_Difference(f"{path} is changed", hashes))
    return found + _run_otherwise(roots)


# ------------------------------------------------------------------------------------- compiled files


class _Loader(SourceFileLoader):
    """Finds what Python runs of a source, and leaves the compiled file as it is."""

    def set_data(self, path: str, data: object, *, _mode: int = 0) -> None:
        """A check writes nothing."""


def _run_otherwise(roots: Sequence[str | os.PathLike[str]]) -> list[_Difference]:
    """The sources whose compiled file says something else.

    Python runs the file in `__pycache__` if that carries the time and size of the source, and never
    looks whether it was made from it. Compiled files differ from machine to machine and are in no manifest.
    """
    places = [each for root in _folders(roots) for each in _walk(root, os.path.basename(root))]
    places += [(f"{path}/{below}", place) for path, files in _installed() for below, place in files]
    found: list[_Difference] = []
    for path, place in sorted(places):
        compiled = cache_from_source(place) if place.endswith(".py") else ""
        if os.path.isfile(compiled) and not _runs_as_written(place, *map(_changed_ns, (place, compiled))):
            found.append(
                _Difference(f"{path} is not run as it is written", f"its compiled file is {compiled}")
            )
    return found


def _changed_ns(place: str) -> int:
    """When a file was last written or given another time of writing; that it was cannot be hidden here."""
    return os.stat(place).st_ctime_ns


@cache
def _runs_as_written(place: str, _source_ns: int, _compiled_ns: int) -> bool:
    """Compiling takes most of a check; a second one in the same process does it for new files only."""
    loader = _Loader(place, place)
    try:
        return loader.get_code(place) == loader.source_to_code(loader.get_data(place), place)
    except (SyntaxError, ValueError, TypeError, EOFError, OSError):
        return False
