"""Key files and the register: made once, safe modes only, a name is one person's for ever."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
import zmq

from table_controller import keys as keys_module
from table_controller.keys import (
    KeysRefused,
    add,
    init,
    load_client_key,
    read_register,
    read_table_key,
    register_path,
    revoke,
)
from table_controller.locksmith import find_key, work

TODAY = "2026-11-30"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    made = str(tmp_path / "keys")
    init(made)
    return made


def test_every_secret_is_its_owners_alone(folder: str) -> None:
    path = add(folder, "ann", "supervisor", TODAY)
    assert [os.stat(file).st_mode & 0o777 for file in (path, f"{folder}/table.secret", folder)] == [
        0o600,
        0o600,
        0o700,
    ]


def test_a_client_gets_all_that_it_needs_in_one_file(folder: str) -> None:
    key = load_client_key(add(folder, "ann", "supervisor", TODAY))
    assert (key.name, key.role, key.server) == ("ann", "supervisor", read_table_key(folder).public)
    entry = read_register(folder).find(key.public)
    assert entry is not None
    assert (entry.name, entry.role, entry.added) == ("ann", "supervisor", TODAY)


def test_no_secret_stands_in_the_register(folder: str) -> None:
    key = load_client_key(add(folder, "ann", "supervisor", TODAY))
    text = Path(register_path(folder)).read_text("ascii")
    assert key.public in text
    assert key.secret not in text
    assert read_table_key(folder).secret not in text


def test_the_tables_key_is_made_once(folder: str) -> None:
    before = read_table_key(folder)
    with pytest.raises(KeysRefused, match="would lock every client out"):
        init(folder)
    assert read_table_key(folder) == before


def test_a_revoked_key_stays_known_and_its_name_is_not_given_again(folder: str) -> None:
    key = load_client_key(add(folder, "cy", "dealer", TODAY))
    revoke(folder, "cy", "2026-12-01")
    register = read_register(folder)
    assert register.in_force(key.public) is None
    known = register.find(key.public)
    assert known is not None
    assert (known.name, known.revoked) == ("cy", "2026-12-01")
    with pytest.raises(KeysRefused, match="a revoked name is not given again"):
        add(folder, "cy", "dealer", TODAY)
    with pytest.raises(KeysRefused, match="is revoked since 2026-12-01"):
        revoke(folder, "cy", TODAY)


@pytest.mark.parametrize(
    ("name", "role", "complaint"),
    [
        ("", "dealer", "a key's name is 1 to 32 letters"),
        ("../ann", "dealer", "a key's name is 1 to 32 letters"),
        ("ann\n", "dealer", "a key's name is 1 to 32 letters"),
        ("n" * 33, "dealer", "a key's name is 1 to 32 letters"),
        ("ann", "boss", "allowed: display, dealer, supervisor, auditor, gateway"),
    ],
)
def test_a_wrong_name_or_role_is_refused_with_what_is_allowed(
    folder: str, name: str, role: str, complaint: str
) -> None:
    with pytest.raises(KeysRefused, match=complaint):
        add(folder, name, role, TODAY)
    assert read_register(folder).keys == {}


def test_a_client_that_made_its_own_pair_gives_only_the_public_half(folder: str) -> None:
    public = zmq.curve_keypair()[0].decode()
    assert add(folder, "MAIN", "display", TODAY, public) == ""
    entry = read_register(folder).find(public)
    assert entry is not None
    assert entry.name == "MAIN"
    for wrong in ("short", "x" * 40 + "y", public[:-1] + '"'):
        with pytest.raises(KeysRefused, match="40 letters of Z85"):
            add(folder, "OTHER", "display", TODAY, wrong)
    with pytest.raises(KeysRefused, match="in the register already"):
        add(folder, "OTHER", "display", TODAY, public)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_secret_that_others_may_read_is_refused_with_the_remedy(folder: str, mode: int) -> None:
    path = add(folder, "ann", "supervisor", TODAY)
    for file in (path, f"{folder}/table.secret"):
        os.chmod(file, mode)
    with pytest.raises(KeysRefused, match=rf"its mode is {mode:04o}, .*chmod 0600"):
        load_client_key(path)
    with pytest.raises(KeysRefused, match=rf"its mode is {mode:04o}, .*chmod 0600"):
        read_table_key(folder)


def test_what_is_no_file_of_ones_own_is_no_register(folder: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.toml"
    elsewhere.write_text("")
    for make in (lambda place: os.symlink(elsewhere, place), os.mkfifo):
        Path(register_path(folder)).unlink()
        make(register_path(folder))
        with pytest.raises(KeysRefused, match="register"):
            read_register(folder)


def test_a_file_of_another_user_is_no_register_and_no_secret(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner could change it whenever he likes, whatever its mode is."""
    of_this_user = os.fstat

    def of_another(number: int) -> os.stat_result:
        found = list(of_this_user(number))
        found[stat.ST_UID] = os.geteuid() + 4242
        return os.stat_result(found)

    monkeypatch.setattr(os, "fstat", of_another)
    for read in (read_register, read_table_key):
        with pytest.raises(KeysRefused, match="no file of this user"):
            read(folder)


def test_a_register_holds_only_so_many_keys(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys_module, "KEYS_MAX", 2)
    add(folder, "ann", "supervisor", TODAY)
    add(folder, "MAIN", "display", TODAY)
    with pytest.raises(KeysRefused, match="there are 2 keys already"):
        add(folder, "cy", "dealer", TODAY)
    assert not os.path.exists(f"{folder}/cy.key")


def test_a_register_that_others_may_write_is_refused(folder: str) -> None:
    os.chmod(register_path(folder), 0o666)
    with pytest.raises(KeysRefused, match="can be changed by others"):
        read_register(folder)


@pytest.mark.parametrize(
    "text",
    [
        "no toml",
        '[ann]\nrole = "boss"\npublic = "x"\nadded = "x"\n',
        '[ann]\nrole = "dealer"\npublic = "short"\nadded = "x"\n',
        'ann = "dealer"\n',
    ],
)
def test_a_damaged_register_is_refused_by_its_place(folder: str, text: str) -> None:
    Path(register_path(folder)).write_text(text, "ascii")
    with pytest.raises(KeysRefused, match=r"register\.toml"):
        read_register(folder)


def test_halves_that_do_not_belong_together_are_refused_and_the_secret_is_not_said(folder: str) -> None:
    path = Path(add(folder, "ann", "supervisor", TODAY))
    secret = load_client_key(path).secret
    public = zmq.curve_keypair()[0].decode()
    path.write_text(path.read_text("ascii").replace(load_client_key(path).public, public), "ascii")
    with pytest.raises(KeysRefused, match="do not belong together") as refusal:
        load_client_key(path)
    assert secret not in str(refusal.value)


def test_a_key_file_is_never_written_over(folder: str) -> None:
    Path(folder, "ann.key").write_text("something else", "ascii")
    with pytest.raises(KeysRefused, match="no secret is written over"):
        add(folder, "ann", "supervisor", TODAY)
    assert Path(folder, "ann.key").read_text("ascii") == "something else"
    assert read_register(folder).keys == {}


def test_the_command_lists_who_may_speak_and_who_may_not_any_more(folder: str) -> None:
    told = work(folder, "add", ["ann:supervisor", "MAIN:display"])
    assert told[0].startswith("ann may speak as supervisor")
    work(folder, "revoke", ["MAIN"])
    listed = work(folder, "list", [])
    assert listed[0].startswith("MAIN")
    assert "REVOKED" in listed[0]
    assert "REVOKED" not in listed[1]
    for wrong in (["ann"], [":dealer"], []):
        with pytest.raises(KeysRefused):
            work(folder, "add", wrong)


def test_a_program_takes_the_only_key_there_is_and_asks_where_there_are_more(folder: str) -> None:
    with pytest.raises(KeysRefused, match="there are: none"):
        find_key(folder, "", "ipc://x")
    add(folder, "ann", "supervisor", TODAY)
    found = find_key(folder, "", "ipc://x")
    assert found is not None
    assert found.name == "ann"
    add(folder, "cy", "dealer", TODAY)
    with pytest.raises(KeysRefused, match=r"there are: ann\.key, cy\.key"):
        find_key(folder, "", "ipc://x")
    named = find_key(folder, f"{folder}/cy.key", "ipc://x")
    assert named is not None
    assert named.name == "cy"
    assert find_key(folder, "", "inproc://x") is None
