"""The service is killed without warning while simulated people play, and nothing that was shown is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hw_sim.client import TableClient
from hw_sim.stages import SIMULATOR_KEY
from hw_sim.table import BoardClient
from tests.model import Model

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 8
KILLS = 8
PATIENCE_MS = 20_000


def audited_rounds(folder: Path, preset: str) -> int:
    """How many rounds were played; the auditor must agree with each of them and with the meter."""
    model = Model(preset)
    played = [json.loads(line) for line in (folder / "hands.jsonl").read_text("utf-8").splitlines()]
    for one in played:
        predicted = model.play_round(
            {int(seat): bets for seat, bets in one["seats"].items()},
            {int(seat): hand for seat, hand in one["hands"].items()},
            one["dealer"],
            one["upcard"],
        )
        assert {seat: one["results"][str(seat)] for seat in predicted} == predicted
        if one["meter"] is not None:
            assert one["meter"]["cents"] == model.meter_cents
    return len(played)


def controller(*arguments: str) -> str:
    """What `table-controller` prints; it must be content."""
    command = [sys.executable, "-m", "table_controller", *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def service_of(folder: Path) -> int | None:
    """The process that runs the service of that folder."""
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().split(b"\0") if process.name.isdigit() else []
        except OSError:
            continue
        if b"table_controller" in words and b"run" in words and str(folder / "table.toml").encode() in words:
            return int(process.name)
    return None


def await_key(path: Path) -> None:
    """The demo makes its keys before it starts anything."""
    end_s = time.monotonic() + PATIENCE_MS / 1000
    while not path.exists():
        assert time.monotonic() < end_s, f"{path} was not made"
        time.sleep(0.01)


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    options = f"--rounds {ROUNDS} --seats 4 --seed 11 --speed 0 --preset us_standard --rigged 0.5"
    process = subprocess.Popen(
        [sys.executable, "-m", "hw_sim", "demo", *options.split(), "--dir", str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    yield process
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def test_a_service_that_is_killed_at_any_moment_loses_nothing(
    demo: subprocess.Popen[str], tmp_path: Path
) -> None:
    chance = random.Random(5)
    await_key(tmp_path / SIMULATOR_KEY)
    client = TableClient(
        f"ipc://{tmp_path}/state.sock", f"ipc://{tmp_path}/commands.sock", key=tmp_path / SIMULATOR_KEY
    )
    boot = kills = lamps_compared = 0
    while demo.poll() is None:
        after = boot
        if not wait(client, lambda after=after: client.order[0] > after or demo.poll() is not None):  # type: ignore[misc]
            pytest.fail("the service did not come back")
        if demo.poll() is not None or kills == KILLS:
            break
        boot, seq = client.order
        lamps_compared += lamps_agree(client, tmp_path)
        until = seq + chance.randrange(1, 40)
        wait(client, lambda until=until: client.order[1] >= until or demo.poll() is not None)  # type: ignore[misc]
        service = service_of(tmp_path)
        if demo.poll() is None and service is not None:
            os.kill(service, signal.SIGKILL)
            kills += 1
    client.close()
    output, _ = demo.communicate(timeout=120)
    assert demo.returncode == 0, output
    assert kills > KILLS // 2
    assert lamps_compared > 0
    assert audited_rounds(tmp_path, "us_standard") == ROUNDS
    assert "chain, replay and digests are right" in controller("verify", str(tmp_path / "T1.journal"))
    rounds = controller("rounds", "--json", str(tmp_path / "T1.journal")).splitlines()
    assert len({json.loads(one)["round"] for one in rounds}) == len(rounds) == ROUNDS


def wait(client: TableClient, condition: Callable[[], bool]) -> bool:
    """Hear the table until the condition holds."""
    until = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < until:
        client.pump(20)
        if client.order != (0, 0) and condition():
            return True
    return False


def lamps_agree(client: TableClient, folder: Path) -> int:
    """After a start the lamps on the table are those of the state; how many were compared."""
    hands = BoardClient(folder / "board.sock")

    def agree() -> bool:
        return all(
            hands.lamp_lit(seat["seat"]) == (seat["lamp"] != "off") for seat in client.state["seats"][:4]
        )

    assert wait(client, agree), "the lamps do not agree with the state"
    hands.close()
    return 4


@pytest.mark.parametrize("preset", ["us", "us_standard", "live", "video_1", "video_2", "video_3", "classic"])
def test_rounds_of_every_preset_end_as_the_auditor_says(tmp_path: Path, preset: str) -> None:
    options = f"--rounds 3 --seed 1 --speed 0 --preset {preset} --rigged 0.5"
    demo = subprocess.run(
        [sys.executable, "-m", "hw_sim", "demo", *options.split(), "--dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert audited_rounds(tmp_path, preset) == 3
    assert "chain, replay and digests are right" in controller("verify", str(tmp_path / "T1.journal"))
