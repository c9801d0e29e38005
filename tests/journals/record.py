"""Makes recorded journals: `python -m tests.journals.record`, for groups of plays that have none yet.

One journal for each group, of its play with the most lines, as the unchanged service wrote it. What is
recorded is replayed for ever; a journal that is there is never made anew, because a change that reads
it otherwise is a change of the past.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hw_sim.plays import Job, run_jumping
from hw_sim.script import Play, parse_play
from tests.shared import SHARED

HERE = Path(__file__).resolve().parent


def longest(group: Path) -> Play:
    """The play of that group with the most lines."""
    plays = [parse_play(path.read_text("utf-8"), path.name) for path in sorted(group.glob("*.toml"))]
    return max(plays, key=lambda play: len(play.lines))


def record(group: Path) -> None:
    """Play it and keep its journal."""
    kept = HERE / f"{group.name}.journal"
    if kept.exists():
        return
    play = longest(group)
    with tempfile.TemporaryDirectory() as folder:
        job = Job(play, Path(folder) / "run")
        differences = run_jumping(job)
        if differences:
            raise SystemExit(f"{play.id}: {differences}")
        shutil.copy(job.folder / "T1.journal", kept)


if __name__ == "__main__":
    for place in sorted(path for path in (SHARED / "scenarios").iterdir() if path.is_dir()):
        record(place)
