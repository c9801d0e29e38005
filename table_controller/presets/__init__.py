"""The seven presets of HOUSE_RULES.md, each a house-rule file beside this one."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from table_controller.engine.house_rules import HouseRules, parse_house_rules

PRESETS: Final = ("us", "us_standard", "live", "video_1", "video_2", "video_3", "classic")


def preset_text(name: str) -> str:
    """The text of a preset. Raises `KeyError` with a sentence that says which there are."""
    if name not in PRESETS:
        raise KeyError(f"found {name!r}, allowed is {', '.join(PRESETS)}")
    return files(__name__).joinpath(f"{name}.toml").read_text("utf-8")


def load_preset(name: str) -> HouseRules:
    """The house rules of a preset as they stand. Raises `KeyError` like `preset_text`."""
    return parse_house_rules(preset_text(name), preset_text, f"preset {name}")
