"""The counts in the user's cache folder: made once, read after that, and never believed when in doubt."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from pytest_mock import MockerFixture

from table_controller.engine import cards
from table_controller.odds import cache
from table_controller.odds.counts import TYPES, Counts
from tests.odds.rows import counts

ROWS = 1_000


def first_rows(number: int) -> Counts:
    return Counts(**{name: getattr(counts(), name)[:number] for name in TYPES})


@pytest.fixture
def computed(mocker: MockerFixture) -> Mock:
    """Stands for the computation; the first rows are enough of it."""
    return mocker.patch.object(cache, "count", return_value=first_rows(ROWS))


def same(one: Counts, other: Counts) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in TYPES)


def test_the_counts_are_computed_once_and_read_after_that(tmp_path: Path, computed: Mock) -> None:
    first = cache.load(tmp_path)
    again = cache.load(tmp_path)
    assert computed.call_count == 1
    assert same(first, again)
    assert all(getattr(again, name).dtype == kind for name, kind in TYPES.items())
    assert not any(getattr(again, name).flags.writeable for name in TYPES)


def test_all_rows_go_through_the_file(tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch.object(cache, "count", side_effect=[counts()])
    cache.load(tmp_path)
    assert same(cache.load(tmp_path), counts())


def test_the_folder_is_made_and_holds_one_file(tmp_path: Path, computed: Mock) -> None:
    folder = tmp_path / "not" / "yet"
    cache.load(folder)
    assert [path.name for path in folder.iterdir()] == [cache.FILE]
    assert computed.call_count == 1


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut short": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "another first letter": lambda data: b"x" + data[1:],
    "only its first line": lambda data: data[: data.index(b"\n") + 1],
    "a bit of the checksum": lambda data: flipped(data, data.index(b"\n") + 1),
    "a bit of the first count": lambda data: flipped(data, data.index(b"\n") + 33),
    "a bit in the middle": lambda data: flipped(data, len(data) // 2),
    "the last bit": lambda data: flipped(data, len(data) - 1),
}


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_computed_anew_and_mended(tmp_path: Path, computed: Mock, damage: str) -> None:
    cache.load(tmp_path)
    file = tmp_path / cache.FILE
    whole = file.read_bytes()
    file.write_bytes(DAMAGES[damage](whole))
    assert same(cache.load(tmp_path), first_rows(ROWS))
    assert computed.call_count == 2
    assert file.read_bytes() == whole


def test_a_file_of_an_older_form_is_replaced(
    tmp_path: Path, computed: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.load(tmp_path)
    monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
    cache.load(tmp_path)
    cache.load(tmp_path)
    assert computed.call_count == 2


def test_a_file_made_by_another_program_is_replaced(
    tmp_path: Path, computed: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.load(tmp_path)
    source = tmp_path / "cards.py"
    source.write_bytes(Path(str(cards.__file__)).read_bytes() + b"\n")
    monkeypatch.setattr(cards, "__file__", str(source))
    cache.load(tmp_path)
    cache.load(tmp_path)
    assert computed.call_count == 2


def test_without_its_sources_the_program_believes_no_file(
    tmp_path: Path, computed: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.load(tmp_path)
    monkeypatch.setattr(cards, "__file__", str(tmp_path / "missing.py"))
    assert same(cache.load(tmp_path), first_rows(ROWS))
    assert computed.call_count == 2


def test_where_no_folder_can_be_the_counts_are_computed_all_the_same(tmp_path: Path, computed: Mock) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert same(cache.load(in_the_way / "folder"), first_rows(ROWS))
    assert computed.call_count == 1


def test_a_folder_in_the_place_of_the_file_is_left_alone(tmp_path: Path, computed: Mock) -> None:
    (tmp_path / cache.FILE).mkdir()
    (tmp_path / cache.FILE / "something").write_text("")
    assert same(cache.load(tmp_path), first_rows(ROWS))
    assert [path.name for path in tmp_path.iterdir()] == [cache.FILE]
    assert computed.call_count == 1


def test_a_disk_that_fills_up_leaves_nothing_behind(
    tmp_path: Path, computed: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert same(cache.load(tmp_path), first_rows(ROWS))
    assert list(tmp_path.iterdir()) == []
    assert computed.call_count == 1


def test_the_folder_is_the_one_that_the_user_s_programs_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computed: Mock
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.load()
    assert (tmp_path / "table-controller" / cache.FILE).is_file()
    assert computed.call_count == 1


@pytest.mark.parametrize("stated", ["", "relative/folder"])
def test_without_a_stated_folder_it_is_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", stated)
    assert cache.cache_folder() == tmp_path / ".cache" / "table-controller"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache.cache_folder() == tmp_path / ".cache" / "table-controller"


def test_without_a_home_the_counts_are_computed(mocker: MockerFixture, computed: Mock) -> None:
    mocker.patch.object(cache, "cache_folder", side_effect=RuntimeError("no home"))
    assert same(cache.load(), first_rows(ROWS))
    assert computed.call_count == 1
