"""`table-controller keys`: make, give, take back and list the keys of a table; and find the one to use."""

from __future__ import annotations

import argparse
import os
import time

from table_controller.keys import (
    ROLES,
    ClientKey,
    KeysRefused,
    add,
    init,
    load_client_key,
    read_register,
    revoke,
)

WHAT = f"""the keys of a table's sockets

  keys init TABLE.toml [NAME:ROLE …]     once: the table's own key and the register; and the first clients
  keys add TABLE.toml NAME:ROLE …        a key file for each, to be carried to its machine
  keys add TABLE.toml NAME:ROLE --public KEY     a client that made its own pair
  keys revoke TABLE.toml NAME …          out of force at once, also for who is connected
  keys list TABLE.toml

roles: {", ".join(ROLES)}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What stands behind `table-controller keys`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = WHAT
    parser.add_argument("what", choices=("init", "add", "revoke", "list"))
    parser.add_argument("table", metavar="table.toml")
    parser.add_argument("names", nargs="*", metavar="NAME:ROLE")
    parser.add_argument("--public", default="", metavar="KEY", help="the public half, 40 letters of Z85")


def work(folder: str, what: str, names: list[str], public: str = "") -> list[str]:
    """Do one of them; what is to be told. Raises `KeysRefused`, with what was done before it still done."""
    today = time.strftime("%Y-%m-%d", time.gmtime())
    if what == "list":
        keys = sorted(read_register(folder).keys.values(), key=lambda key: key.name)
        return [
            f"{key.name:<20} {key.role:<11} {key.public}  since {key.added}"
            + (f", REVOKED {key.revoked}" if key.revoked else "")
            for key in keys
        ] or [f"{folder}: there is no key yet"]
    if public and (what != "add" or len(names) != 1):
        raise KeysRefused("--public goes with `add` and one NAME:ROLE")
    if what != "init" and not names:
        raise KeysRefused(f"{what}: which key? A name is missing")
    if what == "revoke":
        for name in names:
            revoke(folder, name, today)
        return [f"{name} is revoked" for name in names]
    wanted = [_pair(name) for name in names]
    told = []
    if what == "init":
        init(folder)
        told.append(f"the keys of the table are in {folder}; keep its secret there")
    for name, role in wanted:
        path = add(folder, name, role, today, public)
        told.append(f"{name} may speak as {role}" + (f": {path}" if path else ""))
    return told


def _pair(text: str) -> tuple[str, str]:
    name, colon, role = text.partition(":")
    if not colon:
        raise KeysRefused(f"{text!r}: NAME:ROLE is needed, like MAIN:display")
    return name, role


def find_key(folder: str, wanted: str, endpoint: str) -> ClientKey | None:
    """The key that a program of this machine uses: the file it was given, or the only one in the folder.

    Raises `KeysRefused`.
    """
    if endpoint.startswith("inproc://"):
        return None
    if wanted:
        return load_client_key(wanted)
    try:
        found = sorted(name for name in os.listdir(folder) if name.endswith(".key"))
    except OSError as error:
        raise KeysRefused(f"{folder}: no keys are there ({error.strerror}); say --key FILE") from error
    if len(found) != 1:
        there = ", ".join(found) or "none"
        raise KeysRefused(f"{folder}: which key? Say --key FILE; there are: {there}")
    return load_client_key(os.path.join(folder, found[0]))
