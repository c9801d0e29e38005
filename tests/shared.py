"""Where the reference figures and the plays lie: beside the project, and only for tests.

A clone without them is tested all the same: what needs them is skipped with a reason. Where the
environment says `CI`, they have to be there.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared(name: str) -> Path:
    """A file or folder of the reference figures; skips the test, or fails it under `CI`, without them."""
    place = SHARED / name
    if not place.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{name} is missing beside the project, and under CI it has to be there")
        pytest.skip(f"{name} is not beside the project")
    return place
