"""The pin factory that was named, or an error with a sentence; never another one."""

import importlib
import sys
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.pins import PinFactoryError, make_factory


def test_an_unknown_factory_is_refused_with_the_allowed_names() -> None:
    with pytest.raises(PinFactoryError, match=r"'pigpio' is not known; allowed: lgpio, rpigpio, sim"):
        make_factory("pigpio")


def test_a_factory_that_nobody_installed_is_refused(mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.pins.entry_points", return_value=[])
    with pytest.raises(PinFactoryError, match=r"'sim' is not installed"):
        make_factory("sim")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(PinFactoryError, match=r"'lgpio' cannot be used: .*lgpio.*LG_WD"):
        make_factory("lgpio")


def test_rpi_gpio_that_refuses_this_computer_is_a_sentence_and_no_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "RPi"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "GPIO.py").write_text("raise RuntimeError('This module can only be run on a Raspberry Pi!')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("RPi", "RPi.GPIO", "gpiozero.pins.rpigpio"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(
        PinFactoryError, match=r"'rpigpio' cannot be used: RuntimeError: This module can only"
    ):
        make_factory("rpigpio")


def test_a_simulated_board_that_does_not_run_is_a_sentence(
    mocker: MockerFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HW_SIM_BOARD", raising=False)
    entry = mocker.Mock()
    entry.load.return_value = importlib.import_module("hw_sim.pins").SimFactory
    mocker.patch("firmware_bridge.pins.entry_points", return_value=[entry])
    with pytest.raises(PinFactoryError, match=r"'sim' cannot be used: PinError: .*HW_SIM_BOARD"):
        make_factory("sim")


def test_a_factory_is_never_replaced_by_another_one(mocker: MockerFixture) -> None:
    found = mocker.patch("firmware_bridge.pins.entry_points", return_value=[])
    with pytest.raises(PinFactoryError):
        make_factory("rpigpio")
    assert [call.kwargs["name"] for call in found.call_args_list] == ["rpigpio"]
