"""The rules of the house for the code, where neither the linter nor the import contracts can keep them.

Docstrings, prints and names are ruff's; who may import whom is import-linter's; both are in pyproject.toml.
A rule that finds nothing proves nothing, so each one is also shown a breach that it must find.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("table_controller", "firmware_bridge", "hw_sim")
PURE = ("table_controller/engine", "table_controller/table")
LINES_OF_A_FILE = 450
# The vocabulary is a list: it is read by looking a word up, and a split would only hide where to look.
LONG_FILES = {"table_controller/table/messages.py"}
PRESETS = {"us", "us_standard", "live", "video_1", "video_2", "video_3", "classic"}

PURE_IMPORTS = {
    "__future__", "abc", "array", "bisect", "collections", "dataclasses", "difflib", "enum",
    "fractions", "functools", "hashlib", "itertools", "math", "msgspec", "operator", "re",
    "table_controller", "tomllib", "types", "typing", "unicodedata",
}  # fmt: skip
IMPURE_CALLS = {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}
WHOLE_NUMBER_MATHS = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm", "prod"}

# Spelt in parts, so that this file does not hold what it looks for.
SHARED_PATH = "shar" + "ed/"
WORKPLACE = ("/" + "work/", "/" + "tmp/brief", "." + "library/", "." + "mirror/")
REGISTRIES = ("pypi" + ".org", "python" + "hosted", "pi" + "wheels.org", "npm" + "js.org", "debian" + ".org")
UNREAD = {".git", ".venv", ".hypothesis", "build", "dist"}

Rule = Callable[[str], list[str]]


def python_files(*folders: str) -> list[Path]:
    """Every Python file below these folders of the project."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def texts() -> Iterator[tuple[str, str]]:
    """The name and the words of every text file of the project."""
    tops = [top for top in ROOT.iterdir() if top.name not in UNREAD and not top.name.endswith("_cache")]
    for path in sorted(path for top in tops for path in (top, *top.rglob("*")) if path.is_file()):
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def floats(source: str) -> list[str]:
    """Where a float could come from: a literal, the type, a true division, most of `math`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=float() | complex() as value):
                found.append(f"line {node.lineno}: {value}")
            case ast.Name(id="float" | "complex" as name):
                found.append(f"line {node.lineno}: {name}")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                found.append(f"line {node.lineno}: true division")
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name not in WHOLE_NUMBER_MATHS:
                found.append(f"line {node.lineno}: math.{name}")
            case ast.ImportFrom(module="math"):
                found.append(f"line {node.lineno}: say math.NAME where it is used")
    return found


def impurities(source: str) -> list[str]:
    """What a pure part may not touch: modules not on the list, files, the terminal, code made of text."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules = [name.name for name in names]
            case ast.ImportFrom(module=str(module)):
                modules = [module]
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_CALLS:
                found.append(f"line {node.lineno}: {name}()")
                continue
            case _:
                continue
        found += [f"line {node.lineno}: import {m}" for m in modules if m.split(".")[0] not in PURE_IMPORTS]
    return found


def workplaces(source: str) -> list[str]:
    """Paths of the place where this was written: they mean nothing anywhere else."""
    found = [word for word in WORKPLACE if word in source]
    return found + re.findall(rf"(?<![\w-]){SHARED_PATH}", source)


def registries(source: str) -> list[str]:
    """Hosts of package registries: a site has its own."""
    return [host for host in REGISTRIES if host in source]


def breaches(rule: Rule, files: list[Path]) -> list[str]:
    """Every breach of a rule, with its file."""
    return [
        f"{path.relative_to(ROOT)} {breach}"
        for path in files
        for breach in rule(path.read_text(encoding="utf-8"))
    ]


def test_no_float_comes_near_money() -> None:
    assert breaches(floats, python_files(*PURE)) == []


def test_the_game_and_the_table_touch_nothing_but_their_arguments() -> None:
    assert breaches(impurities, python_files(*PURE)) == []


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    long = {
        path.relative_to(ROOT).as_posix()
        for path in python_files(*PACKAGES)
        if len(path.read_text(encoding="utf-8").splitlines()) > LINES_OF_A_FILE
    }
    assert long == LONG_FILES


def test_no_file_names_the_place_where_it_was_written() -> None:
    found = [
        f"{name}: {word}" for name, text in texts() if name != "tests/shared.py" for word in workplaces(text)
    ]
    assert found == []


def test_no_file_names_a_package_registry() -> None:
    assert [f"{name}: {host}" for name, text in texts() for host in registries(text)] == []


@pytest.mark.parametrize(
    ("rule", "breach"),
    [
        (floats, "share = 0.49"),
        (floats, "cents = total / 7"),
        (floats, "total /= 7"),
        (floats, "cents = float(text)"),
        (floats, "share = math.sqrt(cents)"),
        (floats, "from math import sqrt"),
        (floats, "def share() -> float: ..."),
        (impurities, "import time"),
        (impurities, "from os import environ"),
        (impurities, "def late():\n    import random"),
        (impurities, "open('table.toml')"),
        (impurities, "print(cents)"),
        (workplaces, "SHARED = '" + WORKPLACE[0] + "x'"),
        (workplaces, f"../{SHARED_PATH}rules"),
        (registries, "index-url = https://" + REGISTRIES[0]),
    ],
)
def test_each_rule_finds_a_breach(rule: Rule, breach: str) -> None:
    assert len(rule(breach)) == 1


BROKEN_CONTRACTS = {
    "table_controller/journal.py": "import table_controller.service",
    "table_controller/table/state.py": "import time",
    "firmware_bridge/debounce.py": "import table_controller.table.state",
    "table_controller/clock.py": "import firmware_bridge.debounce",
    "table_controller/service.py": "import hw_sim.board",
    "table_controller/app.py": "import table_controller.odds.counts",
    "table_controller/lines.py": "import numpy",
    "table_controller/web/dues.py": "import table_controller.journal",
    "hw_sim/board.py": "import table_controller.engine.cards",
}


def test_each_import_contract_finds_a_breach(tmp_path: Path) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, breach in BROKEN_CONTRACTS.items():
        with (tmp_path / file).open("a", encoding="utf-8") as source:
            source.write(f"\n{breach}\n")
    lint = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]
    run = subprocess.run(lint, cwd=tmp_path, capture_output=True, text=True, check=False)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert f"Contracts: 0 kept, {len(contracts)} broken." in run.stdout


def test_the_presets_are_those_of_the_house_rules() -> None:
    assert {path.stem for path in (ROOT / "table_controller" / "presets").glob("*.toml")} == PRESETS


def locked() -> dict[str, list[str]]:
    """The locked packages by name, each with its hashes."""
    text = (ROOT / "requirements.lock").read_text(encoding="ascii")
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    return {package.split("==")[0]: re.findall(r"sha256:[0-9a-f]{64}", package) for package in packages}


def test_every_package_is_locked_by_hash_and_by_no_address() -> None:
    assert all(locked().values())
    assert "://" not in (ROOT / "requirements.lock").read_text(encoding="ascii")


def test_every_dependency_of_the_project_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {re.split(r"[^\w-]", text)[0] for text in asked} <= locked().keys()
