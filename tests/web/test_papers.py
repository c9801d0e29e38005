"""Papers: what a page may ask of a journal, and what it is told when there is none."""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from table_controller.web.papers import FIELDS, Papers
from table_controller.web.settings import Settings, TableDoor

JOURNALS: Final = Path(__file__).parents[1] / "journals"
ROOT: Final = Path(__file__).parents[2]
LIMIT_S: Final = 60.0


def _settings(folder: Path, file: str) -> Settings:
    doors = {"T1": TableDoor("T1", "ipc://s", "ipc://c", key_file="", table_file=file)}
    doors["T2"] = TableDoor("T2", "ipc://s", "ipc://c", key_file="", table_file="")
    return Settings(
        place=str(folder / "web.toml"),
        host="127.0.0.1",
        port=0,
        operators_file=str(folder / "operators.toml"),
        tables=doors,
    )


@pytest.fixture
def table_file(tmp_path: Path) -> str:
    """A `table.toml` beside a recorded journal with awards."""
    shutil.copy(JOURNALS / "clean.journal", tmp_path / "T1.journal")
    text = (ROOT / "deploy" / "table.example.toml").read_text("utf-8")
    (tmp_path / "table.toml").write_text(text, "utf-8")
    return str(tmp_path / "table.toml")


def _ask(papers: Papers, kind: str, table: str = "T1", **query: str) -> tuple[int, Any]:
    status, body = asyncio.run(papers.get(table, kind, query))
    return status, body.decode() if body.startswith(b"<") else msgspec.json.decode(body)


def _papers(tmp_path: Path, table_file: str) -> Papers:
    return Papers(_settings(tmp_path, table_file), limit_s=LIMIT_S)


def test_rounds_come_as_one_list_with_the_meter_of_each(tmp_path: Path, table_file: str) -> None:
    status, body = _ask(_papers(tmp_path, table_file), "rounds")
    assert status == 200
    assert [one["round"][-6:] for one in body["rounds"]] == ["000001", "000002"]
    assert all(isinstance(one["meter_cents"], int) and one["opened_ms"] for one in body["rounds"])


def test_the_record_of_a_round_is_a_text_and_a_page_that_fetches_nothing(
    tmp_path: Path, table_file: str
) -> None:
    papers = _papers(tmp_path, table_file)
    status, body = _ask(papers, "round", number="1")
    assert status == 200
    assert body["text"].startswith("RECORD OF ROUND")
    assert not body["found_wrong"]
    status, page = _ask(papers, "round", number="1", html="1")
    assert status == 200
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page


def test_report_hits_and_meters_are_what_the_command_line_says(tmp_path: Path, table_file: str) -> None:
    papers = _papers(tmp_path, table_file)
    status, report = _ask(papers, "report")
    assert status == 200
    assert report["table"] == "T1"
    assert "reconciliation" in report
    status, hits = _ask(papers, "hits", all="1")
    assert (status, hits["found"]) == (200, len(hits["hits"]))
    status, meters = _ask(papers, "meters")
    assert (status, meters["table"]) == (200, "T1")


def test_a_round_that_never_was_is_answered_with_the_sentence_of_the_command(
    tmp_path: Path, table_file: str
) -> None:
    status, body = _ask(_papers(tmp_path, table_file), "round", number="999999")
    assert status == 404
    assert "999999" in body["error"]
    assert "Traceback" not in body["error"]


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("round", {"number": "--journal=/etc/passwd"}),
        ("round", {"number": "../../x"}),
        ("round", {"number": "1", "table": "/etc/passwd"}),
        ("round", {}),
        ("report", {"shift": "-h"}),
        ("report", {"shift": "a\nb"}),
        ("report", {"rounds": "1..2..3"}),
        ("report", {"day": "1", "rounds": "1..2"}),
        ("hits", {"from": "1e9"}),
        ("hits", {"csv": "1"}),
        ("slip", {"document": "--html"}),
        ("round", {"number": "1", "html": "/tmp/x"}),
    ],
)
def test_what_is_not_on_the_list_is_refused_before_anything_is_started(
    tmp_path: Path, kind: str, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("a process was started")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", never)
    status, body = asyncio.run(_papers(tmp_path, "/nowhere/table.toml").get("T1", kind, query))
    assert status == 400
    assert msgspec.json.decode(body)["error"].endswith(".")


def test_another_kind_or_a_table_without_files_has_no_papers(tmp_path: Path) -> None:
    papers = _papers(tmp_path, "/nowhere/table.toml")
    assert _ask(papers, "run")[0] == 404
    assert _ask(papers, "report", table="T9")[0] == 404
    status, body = _ask(papers, "report", table="T2")
    assert status == 404
    assert "not kept on this machine" in body["error"]
    assert set(FIELDS) == {"report", "hits", "rounds", "round", "slip", "meters"}


def _instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A program that stands in for the command line and leaves the number of its process."""
    pid = tmp_path / "pid"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $$ > {pid}\n{script}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    return pid


def _is_over(pid: Path) -> bool:
    """Whether a process has ended or ends now.

    A killed process lets go of its pipes before it counts as ended, and on a busy machine whoever read the
    end of the pipe may run in between; the kernel tells when it is through.
    """
    try:
        process = os.pidfd_open(int(pid.read_text("utf-8")))
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], LIMIT_S)[0])
    finally:
        os.close(process)


def test_a_paper_that_takes_too_long_is_ended_with_all_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid = _instead(
        tmp_path, monkeypatch, "cat /dev/zero > /dev/null & echo $! > " + str(tmp_path / "child") + "\nwait"
    )
    papers = Papers(_settings(tmp_path, str(tmp_path / "table.toml")), limit_s=0.5)
    status, body = _ask(papers, "meters")
    assert status == 504
    assert "not ready" in body["error"]
    assert _is_over(pid)
    assert _is_over(tmp_path / "child")


@pytest.mark.parametrize("where", ["", ">&2"])
def test_a_paper_or_a_complaint_without_end_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    pid = _instead(tmp_path, monkeypatch, f"cat /dev/zero {where}")
    papers = Papers(_settings(tmp_path, str(tmp_path / "table.toml")), limit_s=LIMIT_S, max_bytes=100_000)
    status, body = _ask(papers, "meters")
    assert status == 413
    assert "too long" in body["error"]
    assert _is_over(pid)


def test_one_paper_of_a_table_at_a_time_and_a_queue_with_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "running"
    _instead(tmp_path, monkeypatch, f"mkdir {mark} || exit 3\necho '{{}}'\nrmdir {mark}")
    papers = Papers(_settings(tmp_path, str(tmp_path / "table.toml")), limit_s=LIMIT_S)

    async def many() -> list[tuple[int, bytes]]:
        return await asyncio.gather(*(papers.get("T1", "meters", {}) for _ in range(6)))

    answers = [status for status, _ in asyncio.run(many())]
    assert answers.count(200) == 4
    assert answers.count(429) == 2


def test_words_of_a_command_that_fails_become_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _instead(tmp_path, monkeypatch, "echo 'the journal is damaged at entry 7' >&2\nexit 1")
    status, body = _ask(Papers(_settings(tmp_path, str(tmp_path / "table.toml"))), "meters")
    assert (status, body["error"]) == (404, "the journal is damaged at entry 7")
