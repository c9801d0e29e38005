"""The deck across rounds: what chance cannot do is a finding, and each deck has a book of its own."""

from __future__ import annotations

import random

import pytest

from hw_sim.words import parse_line
from table_controller.engine.cards import DECK, card_text
from table_controller.table import messages as m
from table_controller.table.deck import is_new_pack_order, is_unlikely_away
from tests.table.tabletop import TableTop

FACES = [card_text(card) for card in DECK]


def table() -> TableTop:
    return TableTop('preset = "us_standard"\n')


def run(top: TableTop, script: str) -> None:
    for number, text in enumerate(script.strip().splitlines(), start=1):
        top.do(parse_line(text, number))


def play(top: TableTop, cards: list[str], opened: bool = True) -> None:
    """One round of one seat with these ten cards, settled and cleared."""
    dealt = " ".join(f"{card}>1" for card in cards)
    run(top, f"ante 1 10.00\nlock\ndeal {dealt}\nfold 1\nclose\nreveal\nclear" + ("\nopen" if opened else ""))


def findings(top: TableTop) -> list[tuple[str, str, str]]:
    return [(one.deck, one.finding, one.card) for one in top.facts if isinstance(one, m.DeckFinding)]


def test_a_card_that_stays_away_for_too_many_rounds_is_found_once() -> None:
    top = table()
    chance = random.Random(7)
    for _ in range(90):
        play(top, chance.sample([face for face in FACES if face != "QH"], 10))
    assert findings(top) == [("deck-1", "card_not_seen", "QH")]
    found = next(one for one in top.facts if isinstance(one, m.DeckFinding))
    # Ten of 52 cards a round: 42/52 to the power of 65 is the first below one in a million.
    assert (found.rounds_since_count, found.counted_in) == (65, "")


@pytest.mark.parametrize(("rounds", "size", "unlikely"), [(64, 10, False), (65, 10, True), (1, 52, True)])
def test_chance_is_reckoned_in_whole_numbers(rounds: int, size: int, unlikely: bool) -> None:
    assert is_unlikely_away([size] * rounds) is unlikely


def test_the_order_of_the_round_before_is_found() -> None:
    top = table()
    cards = random.Random(3).sample(FACES, 10)
    play(top, cards)
    play(top, cards)
    assert findings(top) == [("deck-1", "same_order_as_last_round", "")]


@pytest.mark.parametrize(
    ("cards", "new"),
    [
        ("2S 3S 4S 5S 6S 7S 8S 9S TS JS", True),
        ("KC QC JC TC 9C 8C 7C 6C 5C 4C", True),
        ("JD QD KD AD AC KC QC JC TC 9C", True),
        ("2S 3S 4S 5S 6S 7S 8S 9S TS QS", False),
        ("2S 2H 2D 2C 3S 3H 3D 3C 4S 4H", False),
        ("2S 3S 4S 5S 6S 7S 8S 9S TS", False),
    ],
)
def test_the_order_of_a_new_pack_is_suit_after_suit_and_rank_beside_rank(cards: str, new: bool) -> None:
    assert is_new_pack_order(cards.split()) is new


def test_a_new_pack_that_was_not_shuffled_is_found() -> None:
    top = table()
    play(top, "AS KS QS JS TS 9S 8S 7S 6S 5S".split())
    assert findings(top) == [("deck-1", "order_of_a_new_pack", "")]


def test_two_decks_that_alternate_have_a_book_each() -> None:
    top = table()
    first, second = random.Random(1).sample(FACES, 10), random.Random(2).sample(FACES, 10)
    for deck, cards in (("red", first), ("blue", second), ("red", first)):
        top.say({"type": "UseDeck", "deck": deck})
        assert top.refused == ""
        play(top, cards)
    assert findings(top) == [("red", "same_order_as_last_round", "")]


def test_a_finding_names_the_rounds_since_the_last_good_count() -> None:
    top = table()
    cards = random.Random(3).sample(FACES, 10)
    run(
        top,
        "ante 1 10.00\nlock\ndeal " + " ".join(f"{card}>1" for card in random.Random(9).sample(FACES, 10)),
    )
    run(top, "fold 1\nclose\nreveal\nstub 42\nclear\nopen")
    play(top, cards)
    play(top, cards)
    found = next(one for one in top.facts if isinstance(one, m.DeckFinding))
    # The round in which it was counted is covered by the count; two were played after it.
    assert (found.finding, found.rounds_since_count) == ("same_order_as_last_round", 2)
    assert found.counted_in.endswith("-000001")


def test_a_defective_deck_is_never_used_again_and_only_a_supervisor_replaces_it() -> None:
    top = table()
    run(top, "ante 1 10.00\nlock\ndeal 9H>1 9H>1\nsup void\nclear\nopen")
    assert findings(top) == [("deck-1", "duplicate_card", "")]
    top.say({"type": "UseDeck", "deck": "blue"})
    assert "supervisor" in top.refused
    top.say({"type": "NewDeck", "deck": "blue"}, "supervisor")
    assert top.refused == ""
    top.say({"type": "NewDeck", "deck": "deck-1"}, "supervisor")
    assert "defective" in top.refused


def test_a_deck_is_changed_only_between_rounds() -> None:
    top = table()
    run(top, "ante 1 10.00\nlock")
    top.say({"type": "UseDeck", "deck": "blue"})
    assert top.refused == "a deck is changed only between rounds"


def test_a_finding_in_the_deal_names_no_face() -> None:
    top = table()
    run(top, "ante 1 10.00\nlock\ndeal 9H>1 JK>D")
    assert findings(top) == [("deck-1", "foreign_card", "")]


def test_a_deck_found_defective_is_refused_by_its_name_even_when_another_is_in_use() -> None:
    top = table()
    run(top, "ante 1 10.00\nlock\ndeal 9H>1 9H>1\nsup void\nclear\nopen\nsup new_deck")
    top.say({"type": "UseDeck", "deck": "deck-1"})
    assert top.refused == "deck-1 was found defective and is not used again"


def test_a_deck_needs_a_name_and_is_not_changed_for_itself() -> None:
    top = table()
    top.say({"type": "UseDeck", "deck": ""})
    assert top.refused == "the deck has no name"
    top.say({"type": "UseDeck", "deck": "deck-1"})
    assert top.refused == "deck-1 is the deck in use"


def test_a_made_up_name_is_one_that_no_deck_has() -> None:
    top = table()
    top.say({"type": "NewDeck", "deck": "deck-2"}, "supervisor")
    top.say({"type": "NewDeck"}, "supervisor")
    assert (top.refused, top.state.deck) == ("", "deck-3")


def test_eight_decks_are_remembered_and_a_defective_one_longest() -> None:
    top = table()
    run(top, "ante 1 10.00\nlock\ndeal 9H>1 9H>1\nsup void\nclear\nopen\nsup new_deck")
    for _ in range(9):
        top.say({"type": "NewDeck"}, "supervisor")
    assert len(top.state.decks) == 8
    assert top.state.decks["deck-1"].defective
    assert top.state.deck == "deck-11"


def test_no_award_is_decided_over_a_defective_deck_while_the_round_can_be_void() -> None:
    top = table()
    run(top, "ante 1 10.00\ncoin 1\nlock\ndeal TH>1 KD>D JH>1 AC>D QH>1 6S>D KH>1 3H>D AH>1 4D>D")
    run(top, "raise 1\nclose\nreveal\ndeal JK>X\nsee hold foreign_card\nstub 41\nsup confirm 1\nsee refused")
    assert "defective" in top.refused
    run(top, "sup void\nsee hold jackpot_hand_in_void_round")


def test_a_card_nobody_can_read_before_lock_holds_nothing_where_only_a_void_could_end_it() -> None:
    top = TableTop('preset = "us_standard"\nscanner_fault = "void_round"\n')
    run(top, "deal ??>X\nsee alarm unreadable_card\nsee phase betting")


def test_a_boxed_card_before_lock_holds_nothing_for_there_is_no_round_to_void() -> None:
    top = TableTop('preset = "us_standard"\nboxed_card = "void"\n')
    run(top, "deal JH^>X\nsee alarm boxed_card\nsee phase betting")
