"""A table of few rules, for tests of the runner of plays: it speaks as the service does, and knows no poker.

It opens, locks if an ante is keyed, clears, lights a lamp for a coin, counts cards, folds a seat with an
ante, and raises `sensor_stuck` one second after an amount is keyed for an empty spot.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import zmq

from hw_sim.pins import SimFactory
from hw_sim.plays import JumpClock
from hw_sim.shoe import EVENT, LocalPort, unstuff

Json = dict[str, Any]
SPOTS = ("ante", "raise", "bonus")
STUCK_US = 1_000_000


def _seat(seat: int) -> Json:
    spots = {spot: {"chips": False, "cents": 0} for spot in SPOTS}
    results = {"ante": "", "raise": "", "bonus": "", "coin": ""}
    return {"seat": seat, **spots, "coin": "none", "folded": False, "results": results}


class FakeTable:
    """Has the four methods of `table_controller.app`; keeps its state in the folder, as a journal would."""

    def __init__(self, table: Path, clock: JumpClock, factory: SimFactory, port: LocalPort) -> None:
        config = tomllib.loads(table.read_text("utf-8"))
        rules = tomllib.loads((table.parent / config["house_rules"]).read_text("utf-8"))
        self._clock = clock
        self._port = port
        self._kept = table.parent / "kept.json"
        self._pins = {name: factory.pin(number) for name, number in config["pins"]["lines"].items()}
        for name, pin in self._pins.items():
            pin.function = "output" if name.startswith(("lamp.", "light.")) else "input"
        self._levels = {name: pin.state for name, pin in self._pins.items()}
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._sockets: list[zmq.Socket[bytes]] = [context.socket(kind) for kind in (zmq.XPUB, zmq.ROUTER)]
        for socket, name in zip(self._sockets, ("state", "commands"), strict=True):
            socket.linger = 0
            socket.bind(config["messages"][name])
        self._boot, self._seq = 1, 0
        self._shoe_seq = 0
        self._stuck_at_us: int | None = None
        self._busy = False
        self._published = False
        self._facts: list[Json] = []
        cents = int(rules.get("meter_start", "0.00").replace(".", ""))
        self.body: Json = {
            "phase": "idle",
            "shown": "idle",
            "result": "",
            "holds": [],
            "alarms": [],
            "left_ms": None,
            "seats": [_seat(seat) for seat in range(1, 8)],
            "cards_out": 0,
            "meter": {"cents": cents, "reserve_cents": 0, "overflow_cents": 0, "house_added_cents": 0},
            "shoe": False,
        }
        if self._kept.exists():
            self._boot, self._seq, self.body = json.loads(self._kept.read_text("utf-8"))
            self._boot += 1

    # ------------------------------------------------------------------- what the stage knows of it

    def turn(self, timeout_ms: int) -> None:
        """Takes in wires, shoe and commands, and publishes if anything was taken in."""
        assert timeout_ms == 0
        before = self._seq
        self._wires()
        self._shoe()
        self._time()
        self._commands()
        self._busy = self._seq > before
        if self._busy or not self._published:
            self._publish()

    def busy(self) -> bool:
        """Whether the last turn took something in."""
        return self._busy

    def due_in_ms(self) -> int | None:
        """Until the judgement of a sensor."""
        if self._stuck_at_us is None:
            return None
        return max(0, -(-(self._stuck_at_us - self._clock.now_us()) // 1000))

    def abandon(self) -> None:
        """As a power cut."""
        for socket in self._sockets:
            socket.close()

    # ------------------------------------------------------------------- what it does

    def _wires(self) -> None:
        for name, pin in self._pins.items():
            level = pin.state
            if level != self._levels[name]:
                self._levels[name] = level
                word, _, which = name.partition(".")
                if word in SPOTS:
                    self._seq += 1
                    self.body["seats"][int(which) - 1][word]["chips"] = bool(level)
                elif word == "key" and level:
                    self._seq += 1
                    self.key(which)
                elif word == "coin_a" and not level:
                    self._seq += 1
                    self._fact("CoinAccepted", seat=int(which))
                    self._pins[f"lamp.{which}"].state = 1

    def key(self, key: str) -> None:
        """A key as this table understands it."""
        phase, reason = {"open": "betting", "lock": "dealing", "clear": "idle"}.get(key, ""), ""
        if key == "lock" and not any(seat["ante"]["cents"] for seat in self.body["seats"]):
            reason = "no ante is keyed"
        elif not phase:
            reason = f"this table has no {key}"
        if reason:
            self._fact("KeyRefused", key=key, reason=reason)
            return
        self.body["phase"] = self.body["shown"] = phase
        self._fact("KeyTaken", key=key)

    def _shoe(self) -> None:
        there = True
        try:
            frames = self._port.read().split(b"\0")
        except OSError:
            there, frames = False, []
        if there != self.body["shoe"]:
            self._seq += 1
            self.body["shoe"] = there
        for frame in frames:
            content = unstuff(frame) or b"?"
            seq = int.from_bytes(content[5:9], "little")
            if content[0] == EVENT and seq > self._shoe_seq:
                self._seq += 1
                self._shoe_seq = seq
                self.body["cards_out"] += 1

    def _time(self) -> None:
        if self._stuck_at_us is not None and self._clock.now_us() >= self._stuck_at_us:
            self._seq += 1
            self._stuck_at_us = None
            self.alarm("sensor_stuck")

    def alarm(self, name: str) -> None:
        """An alarm at seat 1."""
        self.body["alarms"].append({"alarm": name, "place": "1"})
        self._fact("AlarmRaised", alarm=name, place="1")

    def _commands(self) -> None:
        while True:
            try:
                sender, raw = self._sockets[1].recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            request = json.loads(raw)
            answer: Json = {"v": 1, "id": request["id"], "ok": True}
            if "ask" in request:
                answer["state"] = self._envelope("state", self.body)
            else:
                self._seq += 1
                error = self.command(request["command"])
                answer |= {"seq": self._seq, **({"ok": False, "error": error} if error else {})}
            self._sockets[1].send_multipart([sender, json.dumps(answer).encode()])

    def command(self, command: Json) -> str:
        """A command as this table understands it; the reason if it is refused."""
        seat = self.body["seats"][command.get("seat", 1) - 1]
        if command["type"] == "SetAmount":
            seat[command["spot"]]["cents"] = command["cents"]
            if not seat[command["spot"]]["chips"]:
                self._stuck_at_us = self._clock.now_us() + STUCK_US
            return ""
        if command["type"] == "Fold" and seat["ante"]["cents"]:
            seat["folded"] = True
            return ""
        return f"seat {seat['seat']} cannot do {command['type']}"

    def _fact(self, kind: str, **fields: Any) -> None:
        self._facts.append({"type": kind, **fields})

    def _envelope(self, kind: str, body: Json) -> Json:
        return {"v": 1, "type": kind, "boot": self._boot, "seq": self._seq, "body": body}

    def _publish(self) -> None:
        self._published = True
        self._kept.write_text(json.dumps([self._boot, self._seq, self.body]), "utf-8")
        for fact in self._facts:
            self._send("fact", fact)
        self._facts.clear()
        self._send("state", self.body)

    def _send(self, topic: str, body: Json) -> None:
        self._sockets[0].send_multipart([topic.encode(), json.dumps(self._envelope(topic, body)).encode()])
