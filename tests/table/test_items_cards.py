"""What an inspector asks of the cards and the deck (STANDARDS.md, G), at the table as a pure value."""

from __future__ import annotations

import pytest

from table_controller.table import messages as m
from tests.table.rounds import NOTHING, locked, revealed
from tests.table.tabletop import TableTop

US = 'preset = "us"\n'


@pytest.mark.parametrize("cards", [41, 43, 0])
def test_item_62_a_wrong_number_of_cards_takes_the_deck_out(cards: int) -> None:
    table = TableTop(US).run(revealed({1: NOTHING}) + f"stub {cards}")
    assert table.alarms == ["deck_short"]
    (finding,) = table.told(m.DeckFinding)
    assert (finding.deck, finding.finding) == ("deck-1", "deck_short")
    table.run("see hold deck_short\nclear\nsee refused\nopen\nsee refused\nsup resume\nsee refused")
    table.run("sup new_deck\nclear\nopen\n" + locked({1: NOTHING}) + "see phase dealing")
    assert table.told(m.DeckChanged) == [m.DeckChanged("deck-2")]


def test_item_62_the_same_deck_stays_after_a_right_count_only() -> None:
    table = TableTop(US).run(
        revealed({1: NOTHING}) + "stub 41\nstub 42\nclear\nopen\n" + locked({1: NOTHING})
    )
    assert table.state.phase == "dealing"
    assert table.state.deck == "deck-1"


def test_item_65_after_five_rounds_the_rest_of_the_deck_must_be_counted() -> None:
    table = TableTop(US + "stub_count_every = 5\n")
    for number in range(1, 6):
        table.run(revealed({1: NOTHING}))
        assert table.state.stub_due == (number == 5)
        if number < 5:
            table.run("clear\nopen")
    table.run("clear\nsee refused")
    assert table.refused == "the rest of the deck must be counted"
    table.run("stub 42\nclear\nopen\nsee phase betting")
