"""Every item of the standards has its test, or says what it waits for; and the command tells the truth."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from deploy import dev
from tests.standards import ITEMS, proofs, report

HAVE_A_TEST = {
    *range(1, 11), 12, 13, 15, 16, 20, 23, 24, *range(26, 32), 34, *range(36, 43), 44, 45,
    *range(47, 54), *range(56, 60),
}  # fmt: skip
NUMBERS = {item.number for item in ITEMS}


def test_the_items_are_the_67_of_the_standards_in_their_order() -> None:
    assert [item.number for item in ITEMS] == list(range(1, 68))
    assert len({item.title for item in ITEMS}) == len(ITEMS)


def test_every_item_that_this_table_answers_for_has_a_test() -> None:
    assert HAVE_A_TEST - proofs().keys() == set()


def test_no_test_names_an_item_that_does_not_exist() -> None:
    assert proofs().keys() - NUMBERS == set()


def test_an_item_without_a_test_says_what_it_waits_for() -> None:
    found = proofs()
    assert [item.number for item in ITEMS if item.number not in found and not item.later] == []


def test_a_name_may_carry_several_items_and_a_number_in_its_words_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "table"
    folder.mkdir(parents=True)
    names = ("test_item_08_41_a_hit_is_paid", "test_item_14_10000_coins_are_exact", "test_of_item_05_nothing")
    text = "\n".join(f"def {name}() -> None: ..." for name in names)
    (folder / "test_hits.py").write_text(text, encoding="utf-8")
    assert proofs(tmp_path / "tests") == {
        8: ["tests/table/test_hits.py::test_item_08_41_a_hit_is_paid"],
        41: ["tests/table/test_hits.py::test_item_08_41_a_hit_is_paid"],
        14: ["tests/table/test_hits.py::test_item_14_10000_coins_are_exact"],
    }


def test_an_item_without_a_test_and_without_a_reason_is_told() -> None:
    text = report({number: ["tests/a.py::test"] for number in NUMBERS - {5, 18}})
    lines = text.splitlines()
    told = lines[lines.index(" 5  there is no way for a meter to zero itself") + 1]
    assert told == "        NOT COVERED, and nothing says why"
    assert "        not covered: linked tables" in lines
    assert lines[-1] == "65 of 67 covered"


def test_the_command_prints_every_item_and_counts_those_with_a_test() -> None:
    # The interpreter outside the environment has none of the packages.
    command = [dev.Machine().python(), dev.__file__, "standards"]
    run = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    assert [line[4:] for line in lines if line[:4].strip().isdigit()] == [item.title for item in ITEMS]
    assert lines[-1] == f"{len(proofs())} of 67 covered"
