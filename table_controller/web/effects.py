"""The second look: what a word would do at a table, in sentences, from what everybody may see (pure).

Nothing is tried on the real state, because a trial would answer with what cards decide that lie face
down. Where such a card decides, the sentence names the rule and the two ways it can go. Every sentence
holds if the table takes the word; whether it does, only the table says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from table_controller.table import messages as m
from table_controller.web import effects_books as books
from table_controller.web import effects_round as rounds
from table_controller.web.effects_round import Look, Shown, plural
from table_controller.wording import money, place_words

NOT_KNOWN: Final = "The table has not shown itself yet, so nothing can be said about the effect."
_KEYS: Final[Mapping[str, str]] = {
    "open": "A new round begins and bets are open.",
    "lock": "Bets are final, and the share of every jackpot coin goes to the meter.",
    "close": "No seat decides any more: raises are final.",
    "reveal": "The round is settled with the dealer's hand.",
    "clear": "Everybody has been paid or collected, and the round is over.",
}


def effect_lines(command: m.AnyCommand, snapshot: Shown, house: Shown) -> list[str]:
    """What the command does if the table takes it, a sentence each; from public data alone."""
    if not snapshot:
        return [NOT_KNOWN]
    say = _SAID.get(type(command))
    if say is None:
        return [f"{type(command).__name__} is judged by the table itself."]
    return say(Look(snapshot, house or {}), command)


def _amount(verb: str) -> Callable[[Look, Any], list[str]]:
    def say(look: Look, command: Any) -> list[str]:
        seat = look.seat(command.seat)
        known = seat[command.spot]["cents"] if seat else None
        before = f" So far {money(known)} counts." if known else ""
        return [f"{money(command.cents)} {verb} on the {command.spot} of seat {command.seat}.{before}"]

    return say


def _for_seats(sentence: str) -> Callable[[Look, Any], list[str]]:
    return lambda _, command: [sentence.format(who=f"seat {command.seat}" if command.seat else "every seat")]


def _simple(sentence: str) -> Callable[[Look, Any], list[str]]:
    """A sentence with the fields of the command in it."""
    return lambda _, command: [sentence.format(it=command)]


def _place(look: Look, command: Any) -> list[str]:
    where = place_words(command.place).strip() or "at the table"
    if isinstance(command, m.StateCount):
        return [
            f"The place {where} is stated to have {plural(command.cards, 'card', 'cards')} instead of five."
        ]
    if isinstance(command, m.StateHand):
        return [
            f"The hand {where} is stated as {' '.join(command.cards)}, and it is settled with these cards."
        ]
    return [f"The card {command.card} is stated to lie {where}."]


_SAID: Final[Mapping[type[m.Command], Callable[[Look, Any], list[str]]]] = {
    m.SetAmount: _amount("count"),
    m.AddAmount: _amount("are added"),
    m.RepeatAmounts: _for_seats("Ante and bonus of the round before are keyed for {who}."),
    m.DoubleAmounts: _for_seats("Ante and bonus are doubled for {who}, once a round."),
    m.UndoAmount: _simple("The last amount that was keyed is taken back."),
    m.ClearAmounts: _for_seats("The keyed amounts of {who} are wiped."),
    m.PressKey: lambda _, command: [_KEYS[command.key]],
    m.Fold: lambda look, command: [
        f"Seat {command.seat} is folded, and its ante is lost.",
        *(rounds.side_bets_of_a_fold(look, seat) if (seat := look.seat(command.seat)) else ()),
    ],
    m.StateCount: _place,
    m.StateHand: _place,
    m.MoveCard: _place,
    m.DiscardCard: _simple("The card {it.card} goes to the discard rack and plays for nobody."),
    m.StateUpcard: _simple("The dealer's up card is stated as {it.card}."),
    m.StateExposed: _simple(
        "The card {it.card} is stated to have been seen; the rule of the house decides what follows."
    ),
    m.RescanCard: _simple("The first card that could not be read is entered as {it.card}."),
    m.CountTokens: _simple(
        "The tokens in the chute are stated as {it.tokens}; the table compares them with the jackpot bets."
    ),
    m.CountStub: books.count_stub,
    m.ReturnCoin: _simple("The coin of seat {it.seat} is given back and is no bet."),
    m.Claim: _simple(
        "It is recorded that the player at seat {it.seat} says a coin was dropped; no bet comes of it."
    ),
    m.VoidRound: rounds.void,
    m.DeadHand: rounds.dead_hand,
    m.Withdraw: rounds.withdraw,
    m.KillHand: rounds.kill_hand,
    m.Resume: rounds.resume,
    m.FoldShort: rounds.fold_short,
    m.ReturnExcess: rounds.return_excess,
    m.NewDeck: books.new_deck,
    m.UseDeck: _simple("The deck {it.deck} is in use; its book goes on where it was left."),
    m.LogOn: _simple("You deal from now on; whoever dealt before is relieved."),
    m.LogOff: lambda look, _: [f"{look.shown['on_duty'] or 'Nobody'} is no longer on duty."],
    m.ClearAlarm: books.clear_alarm,
    m.ConfirmAward: books.confirm,
    m.RejectAward: books.reject,
    m.SetParameter: books.parameter,
    m.CorrectMeter: books.correct,
    m.PayHit: books.pay_hit,
    m.WithholdHit: books.withhold_hit,
    m.ReleaseHit: books.release_hit,
    m.OpenDay: books.open_day,
    m.CloseDay: books.close_day,
    m.ChangeShift: books.shift,
    m.BeginTrial: books.begin_trial,
    m.EndTrial: books.end_trial,
    m.TrySeat: books.try_seat,
    m.LampSeen: _simple("It is recorded that the lamp of seat {it.seat} was seen lit, and no other."),
}
