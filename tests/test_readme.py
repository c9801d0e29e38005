"""The README tells the truth: the names in its tour exist, and its example runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def names_in_the_code() -> set[str]:
    names: set[str] = set()
    for package in ("table_controller", "firmware_bridge", "hw_sim"):
        for path in (ROOT / package).rglob("*.py"):
            names.add(path.stem)
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    names.add(node.name)
                elif isinstance(node, ast.AnnAssign | ast.Assign):
                    targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
                    names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def test_every_name_in_the_tour_is_a_name_in_the_code() -> None:
    tour = README[README.index("## Three paths") : README.index("## The phases")]
    told = {part for name in re.findall(r"`([A-Za-z_.]+)`", tour) for part in name.split(".")}
    assert len(told) > 30
    assert told - names_in_the_code() == set()


def test_every_file_in_the_tree_of_the_readme_exists() -> None:
    tree = README[README.index("## Where things are") : README.index("`DECISIONS.md` says")]
    told = set(re.findall(r"\b([a-z_.]+\.(?:py|md|toml))\b", tree))
    assert len(told) > 15
    assert told - {path.name for path in ROOT.rglob("*.*") if ".venv" not in path.parts} == set()


def test_the_example_of_the_engine_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    expected = re.search(r"# (king-high flush .*)", code[1])
    assert expected is not None
    exec(compile(code[1], "README.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.strip() == expected[1]
