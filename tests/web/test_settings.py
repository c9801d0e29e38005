"""`web.toml`, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from table_controller.manifest import manifest_text
from table_controller.toml_file import ConfigError
from table_controller.web.__main__ import main
from table_controller.web.settings import Settings, load_settings

TABLE = '[tables.T1]\nstate = "inproc://state"\ncommands = "inproc://commands"\n'


def written(folder: Path, text: str) -> Settings:
    place = folder / "web.toml"
    place.write_text(text)
    return load_settings(place)


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        written(folder, text)
    return [problem.partition(": ")[2] for problem in caught.value.problems]


def test_a_table_in_the_same_process_needs_nothing_else(tmp_path: Path) -> None:
    settings = written(tmp_path, TABLE)
    assert (settings.host, settings.port, settings.language) == ("127.0.0.1", 8080, "en")
    assert settings.operators_file == str(tmp_path / "operators.toml")
    assert settings.tables["T1"].state == "inproc://state"
    assert not settings.secure


def test_paths_are_below_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "web.key").write_text("")
    text = '[tables.T1]\nstate = "ipc://s.sock"\ncommands = "tcp://table.example:5602"\nkey = "web.key"\n'
    door = written(tmp_path, text).tables["T1"]
    assert door.state == f"ipc://{tmp_path}/s.sock"
    assert door.commands == "tcp://table.example:5602"
    assert door.key_file == str(tmp_path / "web.key")


def test_every_problem_is_told_in_one_pass(tmp_path: Path) -> None:
    found = problems(
        tmp_path,
        'listen = "0.0.0.0:8080"\nlanguage = "fr"\ncurrency = "dollars"\nlocal = 1\n'
        '[tables."no good"]\nstate = "http://x"\ncommands = "tcp://x"\n[tables.T2]\nstate = "ipc://a"\n',
    )
    places = [problem.partition(":")[0] for problem in found]
    for place in ("listen", "language", "currency", "the file", "[tables]", "tables.no good.state"):
        assert place in places, found
    for place in ("tables.no good.commands", "tables.T2.commands", "tables.T2.key"):
        assert place in places, found


def test_other_machines_are_let_in_only_by_tls_or_a_named_proxy(tmp_path: Path) -> None:
    assert "an address of this machine alone" in problems(tmp_path, 'listen = "192.168.0.5:80"\n' + TABLE)[0]
    proxy = '[proxy]\norigin = "https://table.example"\naddress = "192.168.0.1"\n'
    assert written(tmp_path, 'listen = "192.168.0.5:80"\n' + proxy + TABLE).secure
    (tmp_path / "c.pem").write_text("")
    tls = '[tls]\ncertificate = "c.pem"\nkey = "c.pem"\nnames = ["table.example"]\n'
    assert written(tmp_path, 'listen = "[::]:443"\n' + tls + TABLE).host == "::"
    assert "[proxy]" in problems(tmp_path, tls + proxy + TABLE)[0]


@pytest.mark.parametrize("listen", ["127.0.0.1", "localhost:80", "127.0.0.1:70000", "1.2.3:4", 8080])
def test_listen_is_an_address_with_a_port(tmp_path: Path, listen: object) -> None:
    value = listen if isinstance(listen, int) else f'"{listen}"'
    assert problems(tmp_path, f"listen = {value}\n{TABLE}")[0].startswith("listen: ")


def test_a_file_without_tables_serves_nobody(tmp_path: Path) -> None:
    assert "there is no table" in problems(tmp_path, "")[0]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: the file cannot be read"):
        load_settings(tmp_path / "gone.toml")


# ----------------------------------------------------------------------------- the approved program


def approved(folder: Path, change: tuple[str, str] = ("", "")) -> Path:
    """Settings with a manifest of this program, in which one text may stand otherwise."""
    (folder / "approved.manifest").write_text(manifest_text("0.1.0").replace(*change, 1))
    place = folder / "web.toml"
    place.write_text('[software]\nmanifest = "approved.manifest"\n' + TABLE)
    return place


def test_the_pages_of_the_approved_program_are_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(approved(tmp_path))]) == 0
    assert "web.toml: well" in capsys.readouterr().out


@pytest.mark.parametrize("change", [("/web/papers.py", "/web/paper.py"), ("starlette-", "starlet-")])
def test_the_pages_of_another_program_are_not_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str]
) -> None:
    place = str(approved(tmp_path, change))
    assert main(["run", place]) == 1
    said = capsys.readouterr().err
    assert "The program " in said
    assert "do not play" in said
    assert main(["check", place]) == 2
    assert said in capsys.readouterr().err
