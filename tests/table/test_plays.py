"""Every play, of the contract and of ours, on the pure table."""

from __future__ import annotations

from pathlib import Path

import pytest

from hw_sim.script import parse_play
from tests.shared import SHARED
from tests.table.tabletop import TableTop

OURS = Path(__file__).resolve().parents[1] / "plays"
PLAYS = sorted([*(SHARED / "scenarios").glob("*/*.toml"), *OURS.glob("*/*.toml")])


@pytest.mark.parametrize("path", PLAYS, ids=[path.stem for path in PLAYS])
def test_a_play_comes_out_right_on_the_pure_table(path: Path) -> None:
    play = parse_play(path.read_text("utf-8"), path.name)
    assert TableTop(play.house_rules).play(play) == []
