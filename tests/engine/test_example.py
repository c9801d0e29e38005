"""The example of the README, as it stands there."""

from __future__ import annotations

from table_controller.engine.cards import parse_card, parse_hand
from table_controller.engine.hands import hand_name, strength
from table_controller.engine.settlement import SeatBets, settle
from table_controller.presets import load_preset


def test_the_example_of_the_readme_says_what_it_prints() -> None:
    rules = load_preset("live")
    dealer = parse_hand("KD AC 6S 3D TC")
    player = parse_hand("2H 6H 9H JH KH")
    bets = SeatBets(seat=1, ante_cents=1000, raise_cents=2000, bonus_cents=500, folded=False, hand=player)
    result = settle(rules, dealer, parse_card("KD"), [bets])[1]
    assert hand_name(strength(player)) == "king-high flush"
    assert [result.ante.text, result.raise_.text, result.bonus.text] == [
        "win 10.00",
        "win 140.00",
        "win 75.00",
    ]
