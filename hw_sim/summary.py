"""What the rounds of a demo came to, in the words of a person at the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def summary(records: Sequence[Mapping[str, Any]], seconds: float) -> str:
    """What the played rounds came to, from the hand log; money as it moved at the felt."""
    if not records:
        return "no round was finished"
    wagered = returned = 0
    alarms: dict[str, int] = {}
    awards: dict[str, list[int]] = {}
    for record in records:
        for seat, bets in record["seats"].items():
            stakes = {
                "ante": bets["ante"],
                "raise": 2 * bets["ante"] if bets["raised"] else 0,
                "bonus": bets["bonus"],
                "coin": record["coin_cents"] if bets["coin"] else 0,
            }
            wagered += sum(stakes.values())
            returned += sum(
                returned_cents(record["results"][seat].get(spot, ""), spot, stake)
                for spot, stake in stakes.items()
            )
        for alarm in record["alarms"]:
            alarms[alarm["alarm"]] = alarms.get(alarm["alarm"], 0) + 1
        for award in record["awards"]:
            if award["status"] == "paid":
                share = "share of a " if award.get("kind") == "share" else ""
                awards.setdefault(share + award["hand"], []).append(award["cents"])
    void = sum(record["result"] == "void" for record in records)
    pace = 60 * len(records) / seconds if seconds > 0 else 0
    meters = [record["meter"]["cents"] for record in records if record["meter"] is not None]
    paid = [f"{len(cents)} {hand.replace('_', ' ')} {_money(sum(cents))}" for hand, cents in awards.items()]
    lines = [
        f"rounds    {len(records)}: {len(records) - void} settled, {void} void, {pace:.1f} a minute",
        f"wagered   {_money(wagered)}, returned to players {_money(returned)}",
    ]
    if meters:
        lines.append(f"meter     {_money(meters[0])} after the first round, {_money(meters[-1])} at the end")
    named = [f"{name.replace('_', ' ')} {times}" for name, times in sorted(alarms.items())]
    lines += [f"awards    {'; '.join(paid) or 'none'}", f"alarms    {', '.join(named) or 'none'}"]
    return "\n".join(lines)


def returned_cents(result: str, spot: str, stake_cents: int) -> int:
    """What a player takes from the felt for one stake: a win brings the stake back too, a coin's does not."""
    verb, _, amount = result.partition(" ")
    cents = int(amount.replace(".", "")) if amount else 0
    if verb == "win":
        return cents + (0 if spot == "coin" else stake_cents)
    return cents if verb in ("push", "refund") else 0


def _money(cents: int) -> str:
    return f"{cents // 100:,}.{cents % 100:02d}"
