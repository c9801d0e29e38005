"""The program knows its own files: what differs from the approved one is found, named, and not started."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import zlib
from hashlib import sha256
from pathlib import Path

import pytest

import firmware_bridge
import table_controller
from table_controller.manifest import (
    ManifestError,
    differences,
    manifest_text,
    program_files,
    program_hash,
    self_check,
    verify_software,
)

PACKAGES = [Path(package.__path__[0]) for package in (table_controller, firmware_bridge)]
OWN = ("firmware_bridge/", "table_controller/")
SETTLEMENT = "table_controller/engine/settlement.py"


class Copy:
    """The program, copied to another place, with the manifest under which it was approved."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = [folder / package.name for package in PACKAGES]
        for package, root in zip(PACKAGES, self.roots, strict=True):
            shutil.copytree(package, root, ignore=shutil.ignore_patterns("__pycache__"))
        self.manifest = manifest_text("0.1.0", roots=self.roots)
        self.manifest_file = folder / "approved.manifest"
        self.manifest_file.write_text(self.manifest)

    def turn_a_byte(self, path: str) -> None:
        """Change one byte in the middle of a file."""
        content = bytearray((self.folder / path).read_bytes())
        content[len(content) // 2] ^= 1
        (self.folder / path).write_bytes(content)

    def differences(self) -> list[str]:
        return differences(self.manifest, roots=self.roots)

    def self_check(self) -> str:
        return self_check(str(self.manifest_file), roots=self.roots)


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy that nobody changes."""
    return Copy(tmp_path_factory.mktemp("approved"))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def lines_of(manifest: str) -> dict[str, str]:
    """The lines of a manifest's files by their paths."""
    return {line.split()[3]: line for line in manifest.splitlines()[1:-1]}


# ------------------------------------------------------------------------------------- what a manifest is


def test_item_53_the_manifest_of_a_copy_in_another_place_is_the_same_byte_by_byte(approved: Copy) -> None:
    assert manifest_text("0.1.0") == approved.manifest
    assert program_hash() == program_hash(approved.roots)


def test_item_53_the_manifest_has_every_file_and_no_other(approved: Copy) -> None:
    lines = lines_of(approved.manifest)
    files = {
        path.relative_to(approved.folder).as_posix()
        for root in approved.roots
        for path in root.rglob("*")
        if path.is_file()
    }
    assert {path for path in lines if path.startswith(OWN)} == files
    assert {SETTLEMENT, "table_controller/presets/us.toml", "firmware_bridge/PROTOCOL.md"} <= files
    assert list(lines) == sorted(lines)


def test_item_53_a_line_has_what_other_programs_reckon(approved: Copy) -> None:
    content = (approved.folder / SETTLEMENT).read_bytes()
    hashes = f"{sha256(content).hexdigest()}  {zlib.crc32(content):08x}"
    assert lines_of(approved.manifest)[SETTLEMENT] == f"{hashes}  {len(content)}  {SETTLEMENT}"


def test_item_53_an_inspector_checks_it_with_the_tools_of_the_system_alone(approved: Copy) -> None:
    check = """
        awk '$4 ~ /^(table_controller|firmware_bridge)/ {print $1 "  " $4}' approved.manifest \
            | sha256sum --check --quiet --strict &&
        grep -E ' (table_controller|firmware_bridge)/' approved.manifest | sha256sum
    """
    result = subprocess.run(
        ["sh", "-c", check], cwd=approved.folder, capture_output=True, text=True, check=True
    )
    assert result.stdout.split()[0] == program_hash(approved.roots)
    assert approved.manifest.endswith(f"\nprogram {program_hash(approved.roots)}\n")


def test_item_52_the_manifest_has_a_crc_beside_each_hash_and_the_version(approved: Copy) -> None:
    assert approved.manifest.splitlines()[0] == "table-controller 0.1.0"
    assert all(len(file.crc32) == 8 and len(file.sha256) == 64 for file in program_files(approved.roots))


def test_item_53_what_the_program_runs_on_is_in_the_manifest_with_its_version(approved: Copy) -> None:
    names = {path.split("/")[1].rsplit("-", 1)[0] for path in lines_of(approved.manifest) if "distr" in path}
    assert {"apsw", "colorzero", "gpiozero", "msgspec", "pyserial", "pyzmq"} <= names


def test_a_file_with_an_odd_name_has_one_line_all_the_same(copy: Copy) -> None:
    (copy.folder / "table_controller" / "a b\n%ü.py").write_text("")
    odd = [file.path for file in program_files(copy.roots) if "%" in file.path]
    assert odd == ["table_controller/a%20b%0A%25%C3%BC.py"]
    assert differences(manifest_text("0.1.0", roots=copy.roots), roots=copy.roots) == []


def test_a_file_that_is_no_file_of_the_program_is_not_read(copy: Copy) -> None:
    os.mkfifo(copy.folder / "table_controller" / "pipe.py")
    assert copy.differences() == []


# ------------------------------------------------------------------------------------- what differs


def test_the_program_that_was_approved_differs_in_nothing_and_starts(approved: Copy) -> None:
    assert verify_software(str(approved.manifest_file), roots=approved.roots) == []
    assert approved.self_check() == ""


def test_without_a_manifest_there_is_nothing_to_check() -> None:
    assert self_check("") == ""


def test_item_52_one_byte_that_changed_is_named_and_no_start(copy: Copy) -> None:
    before = lines_of(copy.manifest)[SETTLEMENT].split()[0]
    copy.turn_a_byte(SETTLEMENT)
    after = sha256((copy.folder / SETTLEMENT).read_bytes()).hexdigest()
    [sentence] = copy.differences()
    assert sentence.startswith(f"{SETTLEMENT} is changed: {before}, crc32 ")
    assert f"in the manifest; {after}, crc32 " in sentence
    assert copy.self_check() == (
        f"The program is not the approved one: 1 file differs: {SETTLEMENT} is changed; "
        "do not play, follow RECOVERY.md."
    )


@pytest.mark.parametrize("path", ["table_controller/presets/live.toml", "firmware_bridge/shoe/frames.py"])
def test_item_52_a_change_is_found_in_every_package_and_in_the_presets(copy: Copy, path: str) -> None:
    copy.turn_a_byte(path)
    assert [sentence.split(":")[0] for sentence in copy.differences()] == [f"{path} is changed"]
    assert program_hash(copy.roots) != program_hash()


def test_item_54_a_file_that_was_added_is_another_program(copy: Copy) -> None:
    (copy.folder / "table_controller" / "luck.py").write_text("LUCK = 7\n")
    [sentence] = copy.differences()
    assert sentence.startswith("table_controller/luck.py is not in the manifest: ")
    assert sha256(b"LUCK = 7\n").hexdigest() in sentence
    assert "luck.py is not in the manifest; do not play" in copy.self_check()
    assert program_hash(copy.roots) != program_hash()


def test_item_54_a_file_that_is_gone_is_another_program(copy: Copy) -> None:
    before = lines_of(copy.manifest)["firmware_bridge/PROTOCOL.md"].split()[0]
    (copy.folder / "firmware_bridge" / "PROTOCOL.md").unlink()
    [sentence] = copy.differences()
    assert sentence.startswith(f"firmware_bridge/PROTOCOL.md is missing: {before}, crc32 ")
    assert "PROTOCOL.md is missing; do not play" in copy.self_check()
    assert program_hash(copy.roots) != program_hash()


def test_item_54_the_version_that_was_approved_before_can_be_put_back(copy: Copy) -> None:
    was = (copy.folder / SETTLEMENT).read_bytes()
    copy.turn_a_byte(SETTLEMENT)
    assert copy.self_check() != ""
    (copy.folder / SETTLEMENT).write_bytes(was)
    assert copy.self_check() == ""


def test_code_behind_a_link_is_found_as_python_finds_it(copy: Copy) -> None:
    elsewhere = copy.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "luck.py").write_text("")
    (copy.folder / "table_controller" / "extra").symlink_to(elsewhere)
    [sentence] = copy.differences()
    assert sentence.startswith("table_controller/extra/luck.py is not in the manifest")


def test_many_differences_are_counted_and_the_first_are_named(copy: Copy) -> None:
    shutil.rmtree(copy.folder / "table_controller" / "presets")
    count = len(copy.differences())
    assert count > 3
    sentence = copy.self_check()
    assert sentence.startswith(f"The program is not the approved one: {count} files differ: ")
    assert sentence.count("is missing") == 3
    assert f"; and {count - 3} more, which verify-software names; do not play" in sentence


class Compiled:
    """A source of the approved program with its compiled file; both carry the same time for ever."""

    def __init__(self, copy: Copy) -> None:
        self.source = copy.folder / "table_controller" / "rate.py"
        self.place = Path(self.compile("RATE = 1\n"))
        self.manifest = manifest_text("0.1.0", roots=copy.roots)
        self.roots = copy.roots

    def write(self, text: str) -> None:
        self.source.write_text(text)
        os.utime(self.source, (1, 1))

    def compile(self, text: str) -> str:
        self.write(text)
        return str(py_compile.compile(str(self.source), doraise=True))

    def differences(self) -> list[str]:
        return differences(self.manifest, roots=self.roots)


@pytest.fixture
def compiled(copy: Copy) -> Compiled:
    return Compiled(copy)


def test_a_compiled_file_that_says_what_its_source_says_is_no_difference(compiled: Compiled) -> None:
    assert compiled.place.exists()
    assert compiled.differences() == []


def test_item_52_a_change_that_hides_in_a_compiled_file_is_found(compiled: Compiled) -> None:
    compiled.compile("RATE = 2\n")
    compiled.write("RATE = 1\n")
    assert compiled.differences() == [
        f"table_controller/rate.py is not run as it is written: its compiled file is {compiled.place}"
    ]


def test_item_52_a_compiled_file_that_cannot_be_run_is_found(compiled: Compiled) -> None:
    head_bytes = 16
    compiled.place.write_bytes(compiled.place.read_bytes()[:head_bytes])
    [sentence] = compiled.differences()
    assert sentence.startswith("table_controller/rate.py is not run as it is written")


def test_a_compiled_file_that_python_would_not_run_is_no_difference(compiled: Compiled) -> None:
    compiled.compile("RATE = 22\n")
    compiled.write("RATE = 1\n")
    before = compiled.place.read_bytes()
    assert compiled.differences() == []
    assert compiled.place.read_bytes() == before, "the check writes nothing"


# ------------------------------------------------------------------------------------- distributions


class Wheel:
    """A pin library as an installer leaves it, in a folder from which Python imports."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = folder / "lgpio.py"
        self.about = folder / "lgpio-0.9.dist-info"
        self.about.mkdir(parents=True)
        self.place.write_text("PINS = 28\n")
        (self.about / "METADATA").write_text("Metadata-Version: 2.1\nName: lgpio\nVersion: 0.9\n")
        self.record("lgpio.py,,\n../../../bin/lgpio,,\n__pycache__/lgpio.cpython-311.pyc,,\n")

    def record(self, text: str) -> None:
        (self.about / "RECORD").write_text(f"{text}lgpio-0.9.dist-info/METADATA,,\n")

    def line(self) -> str:
        [line] = [file.line for file in program_files() if file.path == "distributions/lgpio-0.9"]
        return line


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheel:
    wheel = Wheel(tmp_path / "site")
    monkeypatch.syspath_prepend(wheel.folder)
    return wheel


def test_item_52_one_byte_that_changed_in_a_library_is_found(wheel: Wheel) -> None:
    manifest = manifest_text("0.1.0")
    assert differences(manifest) == []
    wheel.place.write_text("PINS = 29\n")
    [sentence] = differences(manifest)
    assert sentence.startswith("distributions/lgpio-0.9 is changed: ")


def test_item_53_the_line_of_a_library_is_made_of_the_lines_of_its_files(wheel: Wheel) -> None:
    def line(path: str) -> str:
        content = (wheel.folder / path).read_bytes()
        return f"{sha256(content).hexdigest()}  {zlib.crc32(content):08x}  {len(content)}  {path}\n"

    listing = line("lgpio-0.9.dist-info/METADATA") + line("lgpio.py")
    assert wheel.line().startswith(sha256(listing.encode()).hexdigest())


def test_item_53_what_an_installer_writes_about_its_machine_does_not_count(wheel: Wheel) -> None:
    before = wheel.line()
    (wheel.about / "INSTALLER").write_text("another\n")
    (wheel.about / "direct_url.json").write_text("{}")
    py_compile.compile(str(wheel.place), doraise=True)
    wheel.record("lgpio.py,,10\n")
    assert wheel.line() == before


def test_item_52_a_file_that_nobody_installed_is_found_in_the_folder_of_a_library(wheel: Wheel) -> None:
    (wheel.folder / "lgpio").mkdir()
    (wheel.folder / "lgpio" / "__init__.py").write_text("")
    wheel.record("lgpio.py,,\nlgpio/__init__.py,,\n")
    before = wheel.line()
    (wheel.folder / "lgpio" / "luck.so").write_bytes(b"")
    assert wheel.line() != before


def test_item_54_a_library_of_another_version_is_another_program(wheel: Wheel) -> None:
    manifest = manifest_text("0.1.0")
    text = (wheel.about / "METADATA").read_text()
    (wheel.about / "METADATA").write_text(text.replace("0.9", "0.8"))
    before, after = differences(manifest)
    assert before.startswith("distributions/lgpio-0.8 is not in the manifest: ")
    assert after.startswith("distributions/lgpio-0.9 is missing: ")


def test_a_library_that_does_not_name_its_files_is_refused(wheel: Wheel) -> None:
    manifest = manifest_text("0.1.0")
    (wheel.about / "RECORD").unlink()
    assert differences(manifest) == [
        "lgpio 0.9 does not say which files are its own: install it with pip",
    ]


# ------------------------------------------------------------------------------------- configuration


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of a house with a house-rule file of its own."""
    folder = tmp_path / "site of T1"
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "ours.toml").write_text('preset = "us"\n')
    (folder / "table.toml").write_text('table = "T1"\nhouse_rules = "rules/ours.toml"\n')
    return folder / "table.toml"


def test_item_53_the_configuration_and_its_house_rules_are_in_the_manifest_when_asked(table: Path) -> None:
    lines = lines_of(manifest_text("0.1.0", str(table)))
    found = [path for path in lines if path.startswith("configuration/")]
    assert found == ["configuration/rules/ours.toml", "configuration/table.toml"]
    assert manifest_text("0.1.0", str(table)).splitlines()[-1] == f"program {program_hash()}"
    assert "configuration/" not in manifest_text("0.1.0")


def test_the_house_rules_of_a_preset_are_among_our_own_files(table: Path) -> None:
    table.write_text('house_rules = "us"\n')
    lines = lines_of(manifest_text("0.1.0", str(table)))
    assert [path for path in lines if path.startswith("configuration/")] == ["configuration/table.toml"]


def test_item_26_a_changed_configuration_is_found_and_no_start(table: Path) -> None:
    approved = table.parent / "approved.manifest"
    approved.write_text(manifest_text("0.1.0", str(table)))
    assert self_check(str(approved), str(table)) == ""
    (table.parent / "rules" / "ours.toml").write_text('preset = "live"\n')
    [sentence] = verify_software(str(approved), str(table))
    assert sentence.startswith("configuration/rules/ours.toml is changed: ")
    assert "1 file differs: configuration/rules/ours.toml is changed" in self_check(str(approved), str(table))


def test_a_configuration_that_is_approved_has_to_be_given(table: Path) -> None:
    manifest = manifest_text("0.1.0", str(table))
    assert [sentence.split(":")[0] for sentence in differences(manifest)] == [
        "configuration/rules/ours.toml was not given to compare",
        "configuration/table.toml was not given to compare",
    ]


def test_a_start_compares_the_configuration_only_where_it_is_approved(table: Path) -> None:
    approved = table.parent / "approved.manifest"
    approved.write_text(manifest_text("0.1.0"))
    assert self_check(str(approved), str(table)) == ""
    assert len(verify_software(str(approved), str(table))) == 2, "who asks for it is told"


def test_a_configuration_that_cannot_be_read_is_a_sentence(table: Path) -> None:
    manifest = manifest_text("0.1.0", str(table))
    table.write_text("table = \n")
    [sentence] = differences(manifest, str(table))
    assert sentence.startswith(f"{table}: the file cannot be read: ")
    table.write_text('house_rules = "rules/none.toml"\n')
    with pytest.raises(ManifestError, match=r"rules/none\.toml: the file cannot be read: No such file"):
        manifest_text("0.1.0", str(table))


# ------------------------------------------------------------------------------------- no manifest


def test_a_manifest_that_is_not_there_is_a_sentence_and_no_start(tmp_path: Path) -> None:
    place = str(tmp_path / "none.manifest")
    said = f"{place}: the manifest cannot be read: No such file or directory"
    assert verify_software(place) == [said]
    assert self_check(place) == (
        f"The program cannot be compared with the approved one: {said}; do not play, follow RECOVERY.md."
    )


def test_a_file_that_is_no_manifest_is_refused_at_the_start_in_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "picture.png"
    place.write_bytes(bytes(range(256)) * 40)
    sentence = self_check(str(place))
    assert sentence.startswith(
        "The program cannot be compared with the approved one: line 1 of the manifest: "
    )
    assert sentence.endswith("; do not play, follow RECOVERY.md.")
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("number", "line", "needed"),
    [
        (1, "table-controller", "table-controller and a version"),
        (3, "0123  4567  8  app.py", "sha256, crc32, size in bytes and path, with two spaces between them"),
        (4, "", "sha256, crc32, size in bytes and path, with two spaces between them"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_its_number(
    approved: Copy, number: int, line: str, needed: str
) -> None:
    lines = approved.manifest.splitlines()
    lines[number - 1] = line
    assert differences("\n".join(lines), roots=approved.roots) == [
        f"line {number} of the manifest: {line!r} was found; needed is {needed}"
    ]


def test_a_manifest_with_a_line_twice_is_refused(approved: Copy) -> None:
    lines = approved.manifest.splitlines()
    [sentence] = differences("\n".join([*lines[:3], *lines[2:]]))
    assert sentence.startswith("line 4 of the manifest: ")
    assert sentence.endswith("needed is each path once")


def test_a_manifest_whose_end_is_missing_is_refused(approved: Copy) -> None:
    lines = approved.manifest.splitlines()
    [sentence] = differences("\n".join(lines[:-1]))
    assert sentence.startswith(f"line {len(lines) - 1} of the manifest: ")
    assert sentence.endswith("the end of the manifest is missing")
    assert len(differences("")) == 2


def test_item_52_a_manifest_that_was_mended_by_hand_is_refused(copy: Copy) -> None:
    before = lines_of(copy.manifest)[SETTLEMENT]
    copy.turn_a_byte(SETTLEMENT)
    after = lines_of(manifest_text("0.1.0", roots=copy.roots))[SETTLEMENT]
    [sentence] = differences(copy.manifest.replace(before, after), roots=copy.roots)
    assert sentence.endswith(f"needed is program {program_hash(copy.roots)}, the hash over the lines above")


def test_a_manifest_that_came_through_another_system_is_read_all_the_same(approved: Copy) -> None:
    assert differences(approved.manifest.replace("\n", "\r\n"), roots=approved.roots) == []
