"""A sign of your own in some thirty lines, with pyzmq only: the meter, awards that wait, how old that is.

    python sign.py MAIN.key ipc:///run/table/state.sock ipc:///run/table/commands.sock MAIN

The key file is made at the table with `table-controller keys add table.toml MAIN:display`; deploy/messages
describes every message. Four rules make a sign honest: the newest complete state replaces everything; what is
older in (boot, seq) is dropped; a heartbeat ahead of the state shows that one was lost, and the answer to the
next `here` mends it; and whoever has heard nothing for three seconds says so. A sign that says `here` is
watched by the table: when it falls silent, the display is down, unless it has said `gone` before.
"""

import json
import sys
import time
import tomllib
from contextlib import suppress
from pathlib import Path

import zmq

key_file, state, commands, name = sys.argv[1:]
key = {half: text.encode() for half, text in tomllib.loads(Path(key_file).read_text("ascii")).items()}
context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
news, asker = context.socket(zmq.SUB), context.socket(zmq.DEALER)
for socket, endpoint in ((news, state), (asker, commands)):
    socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = (
        key[half] for half in ("server", "public", "secret")
    )
    socket.connect(endpoint)
news.subscribe("state")
news.subscribe("heartbeat")
newest, table, body, heard_s, said_s, shown = (0, 0), "", {}, time.monotonic(), 0.0, ""
while True:
    for socket in zmq.select([news, asker], [], [], 0.2)[0]:
        message = json.loads(socket.recv_multipart()[-1])
        message = message.get("state", message)  # The answer to `here` brings the newest state along.
        order = (message.get("boot", 0), message.get("seq", 0))
        if message.get("type") == "state" and order >= newest:
            newest, table, body = order, message["table"], message["body"]
        if order == newest:
            heard_s = time.monotonic()
    if time.monotonic() - said_s >= 1:
        said_s = time.monotonic()
        with suppress(zmq.Again):
            asker.send_json({"v": 1, "id": f"{name}-{said_s}", "ask": "here", "sign": name}, zmq.NOBLOCK)
    waits = [award for award in body.get("awards", ()) if award["status"] == "waits"]
    cents = [body["meter"]["cents"] if body.get("meter") else 0, *(award["cents"] for award in waits)]
    meter, *prizes = [f"{amount // 100:,}.{amount % 100:02}" for amount in cents]
    pending = [
        f"PENDING seat {a['seat']}, {a['hand']}, {prize}" for a, prize in zip(waits, prizes, strict=True)
    ]
    age_s = int(time.monotonic() - heard_s)
    old = ["OFFLINE, amount not confirmed"] if age_s >= 10 else [f"{age_s} s old"] if age_s >= 3 else []
    if (line := " | ".join([table, meter, *pending, *old])) != shown:
        print(shown := line, flush=True)
