"""What a page may show of a room, complete in itself: there is no backlog, and no hidden card."""

from __future__ import annotations

from hw_sim.page.room import Json, Room


def picture_of(room: Room) -> Json:
    """All that a page shows; no card that lies face down is in it."""
    lines = room.wires.get("lines", {})
    numbers = range(1, room.seats + 1)
    snapshot = room.table.snapshot
    return {
        "order": list(room.table.order),
        "silent": room.silent,
        "state": None if snapshot is None else snapshot["body"],
        "house": room.rules,
        "chips": room.chips(),
        "wires": {
            "lamps": room.wires.get("lamps", []),
            "light": room.wires.get("light", "off"),
            "call": bool(lines.get("call")),
            "accept": [bool(lines.get(f"coin_accept.{seat}")) for seat in numbers],
            "health": {
                name: bool(lines.get(name, 1))
                for name in ("meter_well", "display_well", "door", "mains_well")
            },
            "shoe": bool((room.wires.get("shoe") or {}).get("plugged")),
        },
        "piles": {f"{seat} {spot}": list(chips) for (seat, spot), chips in room.layout.piles.items()},
        "doubled": sorted(room.layout.doubled),
        "left_over": [f"{seat} {spot}" for seat, spot in sorted(room.layout.settled | room.layout.stale)],
        "undo": len(room.layout.before),
        "repeat": sorted({seat for seat, _ in room.layout.last}),
        "purses": room.purses.all(),
        "returned": {str(seat): room.purses.returned(seat) for seat in numbers},
        "playing": room.playing,
        "hands_off": room.hands_off,
        "alone": room.alone,
        "solo": room.solo,
        "keying": room.keying,
        "lucky": room.lucky[0] if room.lucky else 0,
        "by_time": sorted(room.by_time),
        "antes": room.antes,
        "cards_left": len(room.shoe.left),
        "next_place": room.shoe.place_of_next(room.antes),
        "broken": sorted(room.broken),
        "notes": list(room.notes)[-12:],
        "coin_cents": room.house.coin_cents,
    }
