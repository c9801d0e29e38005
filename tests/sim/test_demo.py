"""The demo's care for its three processes, with small scripts in their places."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hw_sim import demo as demo_module
from hw_sim import pages
from hw_sim.demo import Demo, DemoFailed, Part, demo_of, main_demo, table_toml
from hw_sim.summary import summary
from table_controller.config import load_table
from table_controller.web.clock import SystemClock
from table_controller.web.operators import Operators
from table_controller.web.settings import load_settings
from tests.model import Model

FOREVER = "import signal; signal.pause()"


class Stage:
    """A demo of scripts; everything that was started is ended after the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "board.sock").touch()

    def play(self, board: str = FOREVER, service: str = FOREVER, players: str = FOREVER) -> Demo:
        self.parts = [
            Part(name, [sys.executable, "-c", script], self.folder / f"{name}.log", {})
            for name, script in (("board", board), ("service", service), ("players", players))
        ]
        first, second, third = self.parts
        self.demo = Demo(first, second, third, ready=self.folder / "board.sock")
        self.demo.start()
        return self.demo

    def wait_for_the_end_of(self, name: str) -> None:
        part = next(part for part in self.parts if part.name == name)
        assert part.process is not None
        part.process.wait(10)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder near the root: the name of a socket in it has room for about a hundred letters."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        yield Path(folder)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path)
    yield stage
    stage.demo.stop()
    assert all(part.ended is not None for part in stage.parts)


def test_the_demo_is_over_when_the_players_have_played(stage: Stage) -> None:
    demo = stage.play(players="pass")
    stage.wait_for_the_end_of("players")
    assert demo.attend()


def test_a_service_that_ends_is_started_again(stage: Stage) -> None:
    demo = stage.play(service="raise SystemExit(1)")
    stage.wait_for_the_end_of("service")
    assert not demo.attend()
    assert demo.restarts == 1


def test_a_service_that_always_ends_stays_down_and_its_last_words_are_told(stage: Stage) -> None:
    demo = stage.play(service="raise SystemExit('no journal here')")
    with pytest.raises(DemoFailed, match=r"ended 5 times(.|\n)*no journal here"):  # noqa: PT012
        for _ in range(5):
            stage.wait_for_the_end_of("service")
            demo.attend()
    assert demo.restarts == 4


def test_a_table_that_the_service_does_not_accept_ends_the_demo_at_once_with_its_words(stage: Stage) -> None:
    refuse = "import sys; print('foo: unknown', file=sys.stderr); raise SystemExit(2)"
    demo = stage.play(service=refuse, players="raise SystemExit('no table speaks')")
    stage.wait_for_the_end_of("service")
    stage.wait_for_the_end_of("players")
    with pytest.raises(DemoFailed, match=r"does not accept this table(.|\n)*foo: unknown"):
        demo.attend()
    assert demo.restarts == 0


@pytest.mark.parametrize("name", ["board", "players"])
def test_the_death_of_the_board_or_the_players_ends_the_demo_with_their_last_words(
    stage: Stage, name: str
) -> None:
    demo = stage.play(**{name: "raise SystemExit('my last words')"})
    stage.wait_for_the_end_of(name)
    with pytest.raises(DemoFailed, match=rf"the {name} ended with code 1(.|\n)*my last words"):
        demo.attend()


def test_a_board_that_does_not_come_up_is_told(tmp_path: Path) -> None:
    board = Part("board", [sys.executable, "-c", "raise SystemExit('no socket')"], tmp_path / "b", {})
    other = Part("other", [sys.executable, "-c", FOREVER], tmp_path / "o", {})
    demo = Demo(board, other, other, ready=tmp_path / "never")
    with pytest.raises(DemoFailed, match=r"did not come up(.|\n)*no socket"):
        demo.start()
    demo.stop()
    assert other.ended == -signal.SIGTERM


def test_nothing_is_left_behind_not_even_the_stubborn_child_of_a_child(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_module, "KILL_AFTER_S", 0.1)
    pipe = stage.folder / "pipe"
    os.mkfifo(pipe)
    shell = f"trap '' TERM; exec 3>{pipe}; sleep 600 3>&3 & echo ready >&3; wait"
    demo = stage.play(service=f"import os; os.execv('/bin/sh', ['sh', '-c', {shell!r}])")
    with pipe.open() as held_open:
        assert held_open.readline() == "ready\n"
        demo.stop()
        assert held_open.read() == "", "the pipe ends when the last process that holds it has ended"


def test_the_pages_come_up_last_and_end_with_the_demo(tmp_path: Path) -> None:
    (tmp_path / "board.sock").touch()
    # The list is there already, so nobody has to be entered and the web process starts at once.
    (tmp_path / "operators.toml").touch()
    parts = {
        name: Part(name, [sys.executable, "-c", FOREVER], tmp_path / f"{name}.log", {})
        for name in ("board", "service", "web", "felt")
    }
    pid = tmp_path / "service.pid"
    demo = Demo(**parts, players=None, ready=tmp_path / "board.sock", pid=pid)
    demo.start()
    try:
        assert demo.service.process is not None
        assert pid.read_text() == str(demo.service.process.pid)
        assert not demo.attend(), "without players it is over when a person says so"
        parts["felt"].signal(signal.SIGKILL)
        assert parts["felt"].process is not None
        parts["felt"].process.wait(10)
        with pytest.raises(DemoFailed, match="the felt ended with code -9"):
            demo.attend()
    finally:
        demo.stop()
    assert all(part.ended is not None for part in parts.values())


def test_a_port_that_is_taken_is_left_to_whoever_has_it() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert pages.free_port(port) != port
    assert pages.free_port(0) > 0


def test_the_people_of_the_demo_can_log_in_and_are_told_with_their_pins(tmp_path: Path) -> None:
    (tmp_path / "web.toml").write_text(pages.web_toml("T1", 8080))
    (tmp_path / "table.toml").write_text(table_toml(7, "us"))
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys/web.key").touch()
    settings = load_settings(str(tmp_path / "web.toml"))
    assert settings.port == 8080
    assert settings.tables["T1"].key_file == str(tmp_path / "keys/web.key")
    started: list[bool] = []
    opening = pages.Opening(tmp_path, lambda: started.append(True))
    opening.begin()
    opening.wait()
    assert started == [True]
    found = Operators(settings.operators_file, SystemClock()).all()
    assert {name: one.role for name, one in found.items()} == {
        person.name: person.role for person in pages.PEOPLE
    }
    for person in pages.PEOPLE:
        assert person.pin in pages.told(8080, 8081)


@pytest.mark.parametrize("options", [["--by-hand", "--rounds", "3"], ["--by-hand", "--no-web"]])
def test_a_table_without_players_needs_a_person_at_a_page(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        demo_module.wanted_of(options)
    assert "--by-hand" in capsys.readouterr().err


@pytest.mark.parametrize("preset", demo_module.PRESETS)
def test_the_table_of_the_demo_is_a_table_that_the_service_accepts(tmp_path: Path, preset: str) -> None:
    for seats in (1, 7):
        (tmp_path / "table.toml").write_text(table_toml(seats, preset))
        config = load_table(tmp_path / "table.toml")
        assert config.seats == seats
        assert config.state_endpoint == f"ipc://{tmp_path}/state.sock"


def test_a_folder_too_deep_for_a_socket_is_refused_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], signals_as_before: None
) -> None:
    assert main_demo(["--dir", str(tmp_path / ("d" * 120))]) == 1
    assert "a socket's name may have 107 bytes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--dir", "/proc/foo"], "demo: /proc/foo: No such file or directory"),
        (["--dir", "/dev/null"], "demo: /dev/null: File exists"),
        (["--house-rules", "/proc/foo"], "demo: --house-rules /proc/foo: there is no such file"),
    ],
)
def test_a_path_that_cannot_be_used_is_told_in_one_line(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], signals_as_before: None
) -> None:
    assert main_demo(options) == 1
    assert capsys.readouterr() == ("", said + "\n")


def test_a_table_file_that_cannot_be_written_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], signals_as_before: None
) -> None:
    (tmp_path / "table.toml").mkdir()
    assert main_demo(["--dir", str(tmp_path)]) == 1
    assert capsys.readouterr() == ("", f"demo: {tmp_path}/table.toml: Is a directory\n")


def test_a_hand_log_of_something_else_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], signals_as_before: None
) -> None:
    (tmp_path / "hands.jsonl").write_text("hands\n")
    assert main_demo(["--dir", str(tmp_path)]) == 1
    assert "hands.jsonl: this is no hand log of a demo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("speed", "nan"),
        ("speed", "inf"),
        ("speed", "-1"),
        ("rigged", "nan"),
        ("rigged", "2"),
        ("rounds", "-1"),
        ("web", "65536"),
    ],
)
def test_a_number_that_no_demo_can_be_played_with_is_refused_by_name(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        demo_module.wanted_of([f"--{option}={value}"])
    assert f"--{option} {value}" in capsys.readouterr().err


def test_without_a_finished_round_the_summary_says_that_and_nothing_else() -> None:
    assert summary([], 3.0) == "no round was finished"


def in_a_temporary_folder(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A demo without --dir, whose temporary folders are made in `tmp_path`."""
    return subprocess.run(
        [sys.executable, "-m", "hw_sim", "demo", *"--rounds 1 --seats 1 --speed 0".split(), *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )


def test_a_temporary_folder_is_removed_when_the_demo_went_well(tmp_path: Path) -> None:
    demo = in_a_temporary_folder(tmp_path, "--preset", "classic")
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "removed at the end" in demo.stdout
    assert "meter" not in demo.stdout, "a classic table has none"
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_is_kept_when_something_went_wrong_and_it_is_said_where(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text('preset = "us"\nfoo = 3\n')
    demo = in_a_temporary_folder(tmp_path, "--house-rules", str(tmp_path / "bad.toml"))
    assert demo.returncode == 1
    (folder,) = tmp_path.glob("table-demo-*")
    assert "foo" in demo.stderr
    assert f"what happened is kept in {folder}" in demo.stderr
    assert "rounds " not in demo.stdout, "no summary without a round"


@pytest.fixture
def signals_as_before() -> Iterator[None]:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def test_the_players_are_told_everything_that_was_wanted(tmp_path: Path) -> None:
    wanted = demo_module.wanted_of(["--seats", "3", "--seed", "9", "--rounds", "4", "--speed", "0"])
    players = demo_of(tmp_path, wanted).players
    assert players is not None
    command = " ".join(players.command)
    assert "--seats 3 --seed 9 --rounds 4 --speed 0.0 --rigged 0.1" in command


def test_a_whole_demo_plays_rounds_that_the_auditor_agrees_with(tmp_path: Path) -> None:
    options = "--rounds 3 --seats 3 --seed 4 --speed 0 --preset live --rigged 1"
    demo = subprocess.run(
        [sys.executable, "-m", "hw_sim", "demo", *options.split(), "--dir", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "3 settled, 0 void" in demo.stdout
    model = Model("live")
    for line in (tmp_path / "hands.jsonl").read_text().splitlines():
        played = json.loads(line)
        predicted = model.play_round(
            {int(seat): bets for seat, bets in played["seats"].items()},
            {int(seat): hand for seat, hand in played["hands"].items()},
            played["dealer"],
            played["upcard"],
        )
        assert {seat: played["results"][str(seat)] for seat in predicted} == predicted
        assert played["meter"]["cents"] == model.meter_cents
