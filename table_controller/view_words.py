"""What a snapshot of a table says to the person at it, in lines: notices, the next step, awards (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from table_controller.table.messages import Key
from table_controller.wording import hold_words, line_words, money, place_words, worth_saying

# Holds that somebody else than a supervisor alone may end, as far as the house lets him.
ENDED_BY: Final[Mapping[str, str]] = {
    "rescan": "the dealer or a supervisor", "count": "the dealer or a supervisor", "people": "two people",
}  # fmt: skip
# An award as a player is told of it; what is won is owed until it is paid.
AWARDS: Final[Mapping[str, str]] = {"waits": "pending", "paid": "won", "rejected": "rejected"}
LAMPS: Final[Mapping[str, str]] = {"on": "(O) lit", "off": "( ) dark", "blink": "(*) blink"}
GIVE_BACK: Final = "give back"
NO_ANTE: Final = "no ante"
NO_LIGHT: Final = "no light"
NOT_KEYED: Final = "not keyed"
WARNINGS: Final = (GIVE_BACK, NO_ANTE, NO_LIGHT, NOT_KEYED)
VERBS: Final[Mapping[str, str]] = {"win": "wins", "lose": "loses", "push": "push", "refund": "refund"}
HEALTH: Final[Mapping[str, str]] = {
    "meter": "THE JACKPOT METER IS DOWN", "display": "THE JACKPOT DISPLAY IS DOWN",
    "door": "THE DOOR IS OPEN", "mains": "THE MAINS HAVE FAILED",
}  # fmt: skip


def result_words(result: str) -> str:
    """A result in table words as it is said aloud: `win 20.00` is `wins 20.00`; `none` is nothing."""
    verb, _, amount = result.partition(" ")
    return "" if verb == "none" else f"{VERBS.get(verb, verb)} {amount}".strip()


def card_words(cards: Sequence[str | None]) -> str:
    """Cards as far as they lie face up; a hidden one is its back, `##`."""
    return " ".join(card or "##" for card in cards)


def is_over(state: Mapping[str, Any]) -> bool:
    """Whether what is known of the felt is of a round that has been cleared."""
    return bool(state["phase"] == "idle" and state["round"])


def stake_words(spot: Mapping[str, Any]) -> str:
    """What lies on a spot: an amount, or that none was keyed."""
    if spot["cents"]:
        return money(spot["cents"])
    return NOT_KEYED if spot["chips"] else ""


def standing(seat: Mapping[str, Any]) -> str:
    """Whether a hand is out of the play."""
    return "DEAD" if seat["dead"] else "FOLDED" if seat["folded"] else ""


def coin_words(state: Mapping[str, Any], seat: Mapping[str, Any]) -> str:
    """The lamp of a seat; before LOCK also why a coin in the slot is no bet yet."""
    if seat["coin"] == "returned":
        return GIVE_BACK
    if state["phase"] == "betting" and seat["coin"] == "bet" and seat["lamp"] == "off":
        return NO_LIGHT if seat["ante"]["cents"] else NO_ANTE
    if seat["lamp"] != "off" and seat.get("lamp_dead"):
        return "( ) DEAD, the bet stands"
    return LAMPS.get(seat["lamp"], str(seat["lamp"]))


def _hold_notice(state: Mapping[str, Any], hold: str) -> str:
    ends = state["hold_ends"][hold]
    who = next((who for word, who in ENDED_BY.items() if word in ends), "a supervisor")
    # Where several holds stand, the room is for what each of them is.
    waiting = f" - waiting for {who}" if len(state["holds"]) == 1 else ""
    return f"HOLD: {hold_words(hold)}{waiting}; what ends it is {ends}"


def notices(state: Mapping[str, Any]) -> list[str]:
    """What the dealer must know before he presses the next key, the most pressing first."""
    lines = [_hold_notice(state, hold) for hold in state["holds"]]
    if failing := health_words(state):
        lines.append(failing)
    if trial := trial_words(state):
        lines.append(trial)
    if not state["shoe"] and "shoe_lost" not in state["holds"]:
        lines.append("THE SHOE DOES NOT ANSWER: plug it in")
    if state["deck_due"]:
        lines.append("A NEW DECK IS DUE (supervisor: new deck)")
    if state["stub_due"]:
        lines.append("COUNT THE REST OF THE DECK before CLEAR")
    return lines


def health_words(state: Mapping[str, Any]) -> str:
    """The health lines that are not well; those of the jackpot only where there is one."""
    health = state.get("health") or {}
    asked = [line for line in HEALTH if state["meter"] is not None or line not in ("meter", "display")]
    return "; ".join(HEALTH[line] for line in asked if not health.get(line, True))


def trial_words(state: Mapping[str, Any]) -> str:
    """A trial with what it has found so far and what is still to try; empty while there is none."""
    trial = state.get("trial")
    if trial is None:
        return ""
    lamps = [f"lamp.{seat['seat']}" for seat in state["seats"]] if state["meter"] is not None else []
    needed = [*(f"key.{key}" for key in get_args(Key)), *lamps]
    parts = [("FAILED", trial["failed"]), ("tried", trial["tried"])]
    parts.append(("to try", [line for line in needed if line not in (*trial["tried"], *trial["failed"])]))
    said = "; ".join(f"{word} {_lines_words(lines)}" for word, lines in parts if lines)
    lit = f", seat {trial['seat']} is lit" if trial["seat"] else ""
    return f"TRIAL by {trial['operator']}, nothing is a bet{lit}: {said}"


def _lines_words(lines: Sequence[str]) -> str:
    """Lines by their kind: `key LOCK OPEN, lamp 1 2 3`."""
    kinds: dict[str, list[str]] = {}
    for line in lines:
        kind, _, name = line_words(line).partition(" ")
        kinds.setdefault(kind, []).append(name)
    return ", ".join(f"{kind} {' '.join(names)}" for kind, names in kinds.items())


def day_words(state: Mapping[str, Any]) -> str:
    """The gaming day and its shift; empty at a table without days."""
    day = state.get("day")
    if day is None:
        return ""
    shift = f" {day['shift']}" if day["shift"] else ""
    if day["open"]:
        return f"day {day['number']}{shift}"
    return f"day {day['number']} closed" if day["number"] else "no day yet"


def next_step(state: Mapping[str, Any]) -> str:
    """What the dealer does next (DETAILS.md, Keys and phases); in a hold its end is told apart."""
    if state["shown"] == "trial":
        return "press each key; try seat, lamp seen for each seat; then sup end trial"
    if state["shown"] == "closed":
        return "a supervisor opens the gaming day (sup open day)"
    if "jackpot_hold" in state["holds"]:
        return "check hand, lamp and the rest of the deck before anybody confirms"
    if state["holds"]:
        return ""
    match state["phase"]:
        case "idle":
            return "press OPEN"
        case "betting":
            laid = any(seat["ante"]["chips"] or seat["ante"]["cents"] for seat in state["seats"])
            return "key the bets, then press LOCK" if laid else "wait for an ante"
        case "dealing":
            return "deal"
        case "deciding":
            undecided = [
                str(seat["seat"])
                for seat in state["seats"]
                if seat["ante"]["cents"] and not (standing(seat) or seat["raise"]["chips"])
            ]
            still = f" (still to decide: {', '.join(undecided)})" if undecided else ""
            return f"press CLOSE when all have decided{still}"
        case "revealing":
            return "turn the dealer's cards and press REVEAL"
        case "settled" | "void":
            return "pay and collect, then CLEAR"
    return ""


def to_move(results: Mapping[str, str]) -> tuple[int, int]:
    """What the dealer pays to a seat and what he takes from it, in cents (HOUSE_RULES.md, Words).

    A stake that stays with the player does not move, and a lost token lies in the chute already; a
    token that goes back is paid out.
    """
    pays = takes = 0
    for spot, result in results.items():
        verb, _, amount = result.partition(" ")
        cents = int(amount.replace(".", "")) if amount else 0
        if verb == "win" or (spot == "coin" and verb == "refund"):
            pays += cents
        elif verb == "lose" and spot != "coin":
            takes += cents
    return pays, takes


def seat_moves(state: Mapping[str, Any], seat: Mapping[str, Any]) -> tuple[int, int]:
    """What the dealer pays and takes at a seat, in cents; what is owed there a supervisor pays."""
    pays, takes = to_move(seat["results"])
    if not seat["results"].get("coin", "").startswith("win"):
        # While another award of the seat waits, nothing of the coin is among what is paid.
        return pays, takes
    owed = [one for one in state.get("awards", ()) if one.get("confirmed")]
    return pays - sum(one["cents"] for one in owed if one["seat"] == seat["seat"]), takes


def dealer_words(state: Mapping[str, Any]) -> str:
    """The dealer's cards; after REVEAL also what they make."""
    dealer = state["dealer"]
    said = card_words(dealer["cards"])
    if dealer["hand"]:
        said += f"   {dealer['hand']}"
    if dealer["qualifies"] is not None:
        said += " - qualifies" if dealer["qualifies"] else " - DOES NOT QUALIFY"
    return said


def awards_words(state: Mapping[str, Any]) -> list[str]:
    """The awards of the round, those that wait for people first: who won how much, and the document.

    A document begins with the name of the table; the new running value stands in the row of the meter.
    """
    waiting_first = sorted(state["awards"], key=lambda award: str(award["status"]) != "waits")
    return [_award_words(award) for award in waiting_first]


def _award_words(award: Mapping[str, Any]) -> str:
    status = AWARDS.get(award["status"], award["status"])
    hand = award["hand"].replace("_", " ") + (" share" if award.get("kind") == "share" else "")
    said = f"{status} seat {award['seat']} {hand} {money(award['cents'])}"
    return f"{said} {award.get('document', '')}".rstrip()


def owed_words(state: Mapping[str, Any]) -> list[str]:
    """Confirmed awards that are not paid yet, with what withholds them."""
    return [
        f"{owed['document']} seat {owed['seat']} {money(owed['cents'])}"
        + (f" WITHHELD ({owed['hold']})" if owed["hold"] else "")
        for owed in state.get("owed", ())
    ]


def alarms_words(state: Mapping[str, Any]) -> str:
    """The alarms of the round with their places."""
    return "; ".join(
        alarm["alarm"].replace("_", " ") + place_words(alarm["place"]) for alarm in state["alarms"]
    )


def meter_words(state: Mapping[str, Any]) -> str:
    """The meter as a row: the running value first, then what waits to be decided and to be paid."""
    meter = state["meter"]
    if meter is None:
        return ""
    waiting = [award["cents"] for award in state["awards"] if award["status"] == "waits"]
    amounts = {
        "PENDING": sum(waiting),
        "owed": sum(one["cents"] for one in state.get("owed", ())),
        "reserve": meter["reserve_cents"],
        "overflow": meter["overflow_cents"],
        "added by the house": meter["house_added_cents"],
    }
    said = [f"{name} {money(cents)}" for name, cents in amounts.items() if cents]
    return "   ".join([money(meter["cents"]), *said])


# -------------------------------------------------------------------------------- for a log file


def describe(state: Mapping[str, Any]) -> dict[str, str]:
    """The table in labelled lines, without what changes by itself (the time left) and what is empty.

    Cards appear when the deal is complete: a log does not gain by forty lines of backs.
    """
    phase = "IDLE after the last round" if is_over(state) else state["phase"].upper()
    phase = state["shown"].upper() if state["shown"] in ("hold", "closed", "trial") else phase
    lines = {"day": day_words(state), "round": state["round"], "phase": f"{phase}, light {state['light']}"}
    for number, notice in enumerate(notices(state), 1):
        lines[f"notice {number}"] = notice
    dealt = state["phase"] != "dealing"
    for seat in state["seats"]:
        results = [
            f"{spot} {words}" for spot, text in seat["results"].items() if (words := result_words(text))
        ]
        pays, takes = seat_moves(state, seat)
        moves = [f"{name} {money(cents)}" for name, cents in (("to pay", pays), ("to take", takes)) if cents]
        apart = [
            one for one in state.get("awards", ()) if one.get("confirmed") and one["seat"] == seat["seat"]
        ]
        moves += [f"by document {one['document']} {money(one['cents'])}" for one in apart]
        total = f" = {', '.join(moves)}" if moves and state["result"] else ""
        parts = {spot: stake_words(seat[spot]) for spot in ("ante", "raise", "bonus")}
        coin = coin_words(state, seat)
        parts["jackpot"] = "" if coin == LAMPS["off"] else coin
        parts["hand"] = f"{card_words(seat['cards'])} {standing(seat)}".strip() if dealt else standing(seat)
        parts["result"] = ", ".join(results) + total
        lines |= {f"seat {seat['seat']} {label}": words for label, words in parts.items()}
    lines["dealer"] = dealer_words(state) if dealt else ""
    lines["meter"] = meter_words(state)
    lines["awards"] = "; ".join(awards_words(state))
    lines["owed"] = "; ".join(owed_words(state))
    lines["alarms"] = alarms_words(state)
    return {label: words for label, words in lines.items() if words}


def block(before: Mapping[str, str], now: Mapping[str, str], facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """What has changed between two descriptions, and what was decided meanwhile; empty if nothing.

    That felt and lamps are empty after CLEAR and in a new round goes without saying.
    """
    changed = [f"{label}: {words}" for label, words in now.items() if before.get(label) != words]
    cleared = before.get("round") != now.get("round") or now.get("phase", "").startswith("IDLE")
    gone = [] if cleared else [f"{label}: no more" for label in before if label not in now]
    return [*worth_saying(facts), *changed, *gone]
