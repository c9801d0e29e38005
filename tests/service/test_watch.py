"""The terminal view: what a tired dealer reads, and what a log keeps."""

import io
import itertools
import json
import re
from copy import deepcopy
from string import Formatter
from typing import Any, get_args

import pytest
import zmq

from table_controller.picture import large, render
from table_controller.table.messages import AnyFact, Command
from table_controller.table.rulings import RULINGS
from table_controller.view_words import block, describe, next_step, result_words, to_move
from table_controller.watch import Feed, Screen
from table_controller.wording import COMMANDS, FACTS, HOLDS, fact_words

Json = dict[str, Any]


def seat(number: int, **changes: Any) -> Json:
    spot = {"chips": False, "cents": 0}
    return {
        "seat": number, "ante": spot, "raise": spot, "bonus": spot, "coin": "none", "lamp": "off",
        "folded": False, "dead": False, "cards": [],
        "results": {"ante": "", "raise": "", "bonus": "", "coin": ""}, **changes,
    }  # fmt: skip


def snapshot(count: int = 7, /, **changes: Any) -> Json:
    return {
        "round": "T1-20261130-004912-000001", "phase": "betting", "shown": "betting", "result": "",
        "holds": [], "hold_ends": {}, "alarms": [], "light": "green", "left_ms": None,
        "seats": [seat(n) for n in range(1, count + 1)],
        "dealer": {"cards": [], "hand": "", "qualifies": None}, "cards_out": 0, "rack": 0,
        "meter": {"cents": 5000049, "reserve_cents": 0, "overflow_cents": 0, "house_added_cents": 0},
        "awards": [], "coin_accept": [True] * count, "deck_due": False, "stub_due": False, "rounds": 12,
        "shoe": True, "health": dict.fromkeys(("meter", "display", "door", "mains"), True), "day": None,
        "owed": [], "trial": None, **changes,
    }  # fmt: skip


def stack(cents: int) -> Json:
    return {"chips": True, "cents": cents}


def a_full_settled_table() -> Json:
    state = snapshot(phase="settled", shown="settled", result="settled", light="red", cards_out=40)
    for each in state["seats"]:
        each.update(
            ante=stack(100000), bonus=stack(500), coin="bet", lamp="on", cards=["KD", "AC", None, "TS", "9H"],
            results={"ante": "win 1000.00", "raise": "win 200000.00",
                     "bonus": "lose 5.00", "coin": "lose 1.00"},
        )  # fmt: skip
        each["raise"] = stack(200000)
    state["dealer"] = {"cards": "AH KC 4D 3S 2C".split(), "hand": "ace-king high", "qualifies": True}
    return state


def held(*holds: str, **changes: Any) -> Json:
    ends = {hold: RULINGS[hold].ends for hold in holds}
    return snapshot(
        **{"shown": "hold", "phase": "dealing", "holds": list(holds), "hold_ends": ends, **changes}
    )


def row(text: str, label: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(label))


# ------------------------------------------------------------------------------------- the picture


def test_a_hold_is_told_in_words_with_who_is_waited_for() -> None:
    text = render(held("dealer_short"), [])
    assert "HOLD: dealer has four cards - waiting for a supervisor; what ends it is a void" in text


def test_a_card_that_the_dealer_may_rescan_waits_for_him_too() -> None:
    may_rescan = describe(held("unreadable_card"))["notice 1"]
    assert may_rescan.endswith("waiting for the dealer or a supervisor; what ends it is a rescan or a void")
    void_only = describe(held("unreadable_card", hold_ends={"unreadable_card": "a void"}))["notice 1"]
    assert void_only.endswith("waiting for a supervisor; what ends it is a void")


@pytest.mark.parametrize("hold", RULINGS)
def test_every_hold_fits_the_smallest_terminal_with_its_end(hold: str) -> None:
    lines = render(held(hold), []).splitlines()
    assert max(map(len, lines)) <= 80
    told = " ".join(" ".join(lines[4:7]).split())
    assert HOLDS[hold] in told
    assert f"what ends it is {RULINGS[hold].ends}" in told


def test_more_holds_than_there_is_room_for_are_counted() -> None:
    lines = render(held(*RULINGS), []).splitlines()
    assert len(lines) <= 24
    assert re.search(r"and \d+ more to decide or to do", "\n".join(lines))
    assert any(line.startswith("DEALER") for line in lines)


def test_two_holds_are_told_one_a_row_each_with_its_end() -> None:
    text = render(held("restarted_mid_round", "dealer_short"), [])
    assert "HOLD: the table was restarted inside a round; what ends it is resume or a void\n" in text
    assert "HOLD: dealer has four cards; what ends it is a void\n" in text


@pytest.mark.parametrize("colour", [False, True])
def test_the_fullest_table_loses_neither_meter_nor_award_nor_alarm(colour: bool) -> None:
    """A jackpot hold over a full table: the large letters give way before a row of the table does."""
    state = held("jackpot_hold", phase="settled", stub_due=True, result="settled")
    state["seats"] = a_full_settled_table()["seats"]
    award = {"seat": 1, "hand": "flush", "cents": 5000, "kind": "own", "status": "waits"}
    state["awards"] = [award, {**award, "seat": 2}, {**award, "seat": 3}]
    state["alarms"] = [{"alarm": "late_coin", "place": str(place)} for place in range(1, 8)]
    text = render(state, [], colour=colour)
    assert len(text.splitlines()) <= 24
    for told in ("HOLD", "what ends it is", "to pay", "DEALER", "seat 2 flush", "and 1 more", "METER"):
        assert told in text
    assert "ALARMS" in text.splitlines()[-1]


def test_alarms_that_do_not_fit_are_cut_visibly() -> None:
    alarms = [{"alarm": "late_coin", "place": str(place % 7 + 1)} for place in range(30)]
    text = render(snapshot(alarms=alarms), [])
    assert any(line.endswith(" ...") for line in text.splitlines())


def test_a_long_fact_is_wrapped_and_not_cut() -> None:
    reason = "this can be said only between LOCK and the settlement of a round that is open"
    lines = render(snapshot(), [{"type": "CommandRefused", "command": "Fold", "reason": reason}]).splitlines()
    assert " ".join(f"{lines[-2]} {lines[-1]}".split()) == f"a fold refused: {reason}"


@pytest.mark.parametrize(
    ("phase", "step"),
    [
        ("idle", "press OPEN"),
        ("betting", "wait for an ante"),
        ("dealing", "deal"),
        ("deciding", "press CLOSE when all have decided"),
        ("revealing", "turn the dealer's cards and press REVEAL"),
        ("settled", "pay and collect, then CLEAR"),
        ("void", "pay and collect, then CLEAR"),
    ],
)
def test_every_phase_tells_the_next_step(phase: str, step: str) -> None:
    assert row(render(snapshot(phase=phase, shown=phase), []), "NEXT") == f"NEXT    {step}"


def test_with_an_ante_the_next_step_of_betting_is_lock() -> None:
    assert next_step(snapshot(1, seats=[seat(1, ante=stack(1000))])) == "key the bets, then press LOCK"


def test_while_seats_decide_those_still_to_decide_are_named() -> None:
    seats = [
        seat(1, ante=stack(1000)),
        seat(2, ante=stack(1000), **{"raise": stack(2000)}),
        seat(3, ante=stack(1000), folded=True),
        seat(4),
        seat(5, ante=stack(1000)),
    ]
    state = snapshot(5, phase="deciding", shown="deciding", seats=seats)
    assert next_step(state) == "press CLOSE when all have decided (still to decide: 1, 5)"


def test_in_a_hold_no_key_is_the_next_step() -> None:
    assert "NEXT" not in render(held("dealer_long"), [])
    assert "check hand, lamp and the rest of the deck" in next_step(held("jackpot_hold", phase="settled"))


def test_a_table_that_is_not_heard_asks_for_no_key() -> None:
    assert row(render(snapshot(), [], age_ms=10000), "NEXT") == "NEXT    do nothing: the table is not heard"


def test_a_new_deck_and_a_count_that_are_due_say_so() -> None:
    text = render(snapshot(deck_due=True, stub_due=True, shoe=False), [])
    assert "A NEW DECK IS DUE (supervisor: new deck)" in text
    assert "COUNT THE REST OF THE DECK before CLEAR" in text
    assert "THE SHOE DOES NOT ANSWER: plug it in" in text


def test_a_coin_without_an_ante_is_warned_of_while_bets_are_open() -> None:
    coin = seat(1, coin="bet")
    assert "no ante" in row(render(snapshot(1, seats=[coin]), []), "jackpot")
    keyed = seat(1, coin="bet", ante=stack(1000))
    assert "no light" in row(render(snapshot(1, seats=[keyed]), []), "jackpot")
    assert describe(snapshot(1, seats=[coin]))["seat 1 jackpot"] == "no ante"


def test_after_reveal_the_dealers_hand_is_told_and_whether_it_qualifies() -> None:
    dealer = {"cards": "AH QC 4D 3S 2C".split(), "hand": "ace-queen high", "qualifies": False}
    state = snapshot(phase="settled", shown="settled", result="settled", dealer=dealer)
    assert row(render(state, []), "DEALER") == "DEALER  AH QC 4D 3S 2C   ace-queen high - DOES NOT QUALIFY"
    assert describe(state)["dealer"].endswith("DOES NOT QUALIFY")
    dealer["qualifies"] = True
    assert row(render(state, []), "DEALER").endswith("- qualifies")


@pytest.mark.parametrize(
    ("results", "pays_cents", "takes_cents"),
    [
        ({"ante": "win 10.00", "raise": "win 20.00", "bonus": "none", "coin": "none"}, 3000, 0),
        (
            {"ante": "lose 10.00", "raise": "lose 20.00", "bonus": "win 35.00", "coin": "lose 1.00"},
            3500,
            3000,
        ),
        ({"ante": "push 10.00", "raise": "refund 20.00", "bonus": "", "coin": "refund 1.00"}, 100, 0),
        ({"ante": "win 10.00", "raise": "push 20.00", "bonus": "none", "coin": "waits"}, 1000, 0),
    ],
)
def test_what_is_paid_and_taken_is_what_crosses_the_felt(
    results: dict[str, str], pays_cents: int, takes_cents: int
) -> None:
    assert to_move(results) == (pays_cents, takes_cents)


def test_after_the_settlement_each_seat_has_its_total() -> None:
    text = render(a_full_settled_table(), [])
    assert row(text, "to pay").split() == ["to", "pay", *["201000.00"] * 7]
    assert row(text, "to take").split() == ["to", "take", *["5.00"] * 7]
    assert describe(a_full_settled_table())["seat 1 result"].endswith("= to pay 201,000.00, to take 5.00")
    assert "to pay" not in render(snapshot(), [])


def test_between_rounds_the_last_one_is_dim_and_called_the_last() -> None:
    state = {**a_full_settled_table(), "phase": "idle", "shown": "idle"}
    assert "LAST ROUND T1-" in render(state, [])
    lines = render(state, [], colour=True).splitlines()
    assert all(line.startswith("\x1b[2m") for line in lines if "DEALER" in line)
    codes = {code for line in lines[5:17] for code in re.findall(r"\x1b\[([\d;]+)m", line)}
    assert codes == {"2", "0"}, "seats and results in nothing but the dim colour"
    assert not row(render(snapshot(phase="idle", shown="idle", round=""), []), "TABLE").count("LAST")


@pytest.mark.parametrize(("width", "height"), [(79, 24), (80, 23), (20, 5)])
def test_a_window_that_is_too_small_says_how_large_it_must_be(width: int, height: int) -> None:
    assert render(snapshot(), [], width=width, height=height) == "make the window at least 80 x 24"


def test_an_award_too_large_for_its_column_is_not_cut_but_points_to_its_row() -> None:
    state = a_full_settled_table()
    state["seats"][0]["results"]["coin"] = "win 1234567.89"
    state["awards"] = [
        {"seat": 1, "hand": "royal_flush", "cents": 123456789, "kind": "own", "status": "paid"}
    ]
    text = render(state, [])
    assert "1234567.8" not in text
    assert "see award" in row(text, "to pay")
    assert "AWARD   won seat 1 royal flush 1,234,567.89" in text


@pytest.mark.parametrize("width", range(80, 200))
def test_no_width_cuts_a_word_or_an_amount(width: int) -> None:
    text = render(a_full_settled_table(), [], width=width)
    assert text.count("200000.00") == 7
    assert "see award" not in text


def test_the_phase_stands_in_letters_three_rows_high() -> None:
    rows = render(snapshot(phase="deciding", shown="deciding"), []).splitlines()
    assert [line.rstrip() for line in large("DECIDING")] == [line[:58].rstrip() for line in rows[1:4]]


@pytest.mark.parametrize(
    "phase",
    "idle betting dealing deciding revealing settled void hold closed trial offline".split(),
)
def test_every_phase_can_be_written_large(phase: str) -> None:
    assert all(len(line) <= 58 for line in large(phase.upper()))
    assert "█" in large(phase.upper())[0]


def test_the_traffic_light_is_a_word_with_the_time_left() -> None:
    assert "YELLOW 12 s left" in render(snapshot(light="yellow", left_ms=11001), [])


def test_a_lamp_is_a_sign_and_a_word() -> None:
    state = snapshot(3)
    for each, lamp in zip(state["seats"], ("on", "off", "blink"), strict=True):
        each["lamp"] = lamp
    assert re.search(r"jackpot +\(O\) lit +\( \) dark +\(\*\) blink", render(state, []))


def test_seat_one_stands_at_the_dealers_left() -> None:
    heads = next(line for line in render(snapshot(), []).splitlines() if "SEAT 1" in line)
    assert re.findall(r"SEAT (\d)", heads) == list("1234567")


def test_a_hidden_card_is_a_back() -> None:
    state = snapshot(2)
    state["seats"][0]["cards"] = [None, None, "QS"]
    state["dealer"]["cards"] = ["AH", None]
    text = render(state, [])
    assert "## ## QS" in row(text, "cards")
    assert "AH ##" in row(text, "DEALER")


def test_chips_without_an_amount_are_not_keyed_yet() -> None:
    state = snapshot(2)
    state["seats"][0]["ante"] = {"chips": True, "cents": 0}
    assert "not keyed" in row(render(state, []), "ante")


def test_a_folded_and_a_dead_seat_say_so() -> None:
    text = render(snapshot(2, seats=[seat(1, folded=True), seat(2, dead=True)]), [])
    assert "1 FOLDED" in text
    assert "2 DEAD" in text


def test_a_seat_reads_its_results_as_it_settles() -> None:
    state = snapshot(3)
    state["seats"][0].update(
        ante=stack(2000), results={"ante": "win 20.00", "raise": "", "bonus": "", "coin": ""}
    )
    assert "wins 20.00" in render(state, [])


@pytest.mark.parametrize("width", [80, 81, 100, 132, 200])
def test_a_full_table_fits_the_terminal_and_cuts_no_amount(width: int) -> None:
    text = render(a_full_settled_table(), [{"type": "BetsLocked"}] * 50, width=width)
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= width
    assert len(re.findall(r"\b1000\.00\b", text)) == 7
    assert text.count("200000.00") == 7
    assert text.count("wins") == 14
    assert text.count("loses") == 14


def test_colours_change_no_character() -> None:
    state = a_full_settled_table()
    coloured = render(state, [], colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(state, [])


@pytest.mark.parametrize(
    ("age_ms", "said"), [(2999, "cards out"), (3000, "last update 3 s ago"), (10000, "last update 10 s ago")]
)
def test_old_data_says_how_old_it_is(age_ms: int, said: str) -> None:
    assert said in render(snapshot(), [], age_ms=age_ms).splitlines()[0]


def test_after_ten_seconds_of_silence_the_table_is_offline_and_shows_no_light() -> None:
    text = render(snapshot(), [], age_ms=10000)
    assert text.splitlines()[1].startswith(large("OFFLINE")[0])
    assert "GREEN" not in text


def test_a_house_without_a_progressive_has_neither_meter_nor_jackpot() -> None:
    text = render(snapshot(meter=None), [])
    assert "METER" not in text
    assert "jackpot" not in text
    assert "meter" not in describe(snapshot(meter=None))


def test_the_last_facts_stand_below_the_newest_last() -> None:
    facts: list[Json] = [
        {"type": "KeyTaken", "key": "close"},
        {"type": "SeatFolded", "seat": 3, "by": "dealer"},
    ]
    lines = render(snapshot(), facts).splitlines()
    assert lines[-2:] == ["  key CLOSE", "  seat 3 folds (by dealer)"]


# ----------------------------------------------------------------- awards, days, trials, wires


def with_an_award(status: str, **changes: Any) -> Json:
    award = {"seat": 6, "hand": "straight_flush", "cents": 500004, "kind": "own", "status": status}
    return snapshot(
        phase="settled",
        shown="settled",
        result="settled",
        awards=[award | {"document": "T1-A000001"}],
        **changes,
    )


def owed(number: int, hold: str = "") -> Json:
    document = f"T1-A{number:06}"
    return {"document": document, "round": "T1-1", "seat": number, "cents": 100 * number, "hold": hold}


def test_item_23_a_pending_award_stands_with_seat_amount_and_document_beside_the_value() -> None:
    text = render(with_an_award("waits"), [], table="T1")
    assert row(text, "TABLE").startswith("TABLE T1 ")
    assert row(text, "AWARD") == "AWARD   pending seat 6 straight flush 5,000.04 T1-A000001"
    assert row(text, "METER") == "METER   50,000.49   PENDING 5,000.04"
    assert describe(with_an_award("waits"))["awards"] == "pending seat 6 straight flush 5,000.04 T1-A000001"


def test_item_20_a_won_award_stands_with_table_seat_amount_and_the_new_running_value() -> None:
    after = {"cents": 4500045, "reserve_cents": 0, "overflow_cents": 0, "house_added_cents": 0}
    text = render(with_an_award("paid", meter=after, owed=[owed(6) | {"cents": 500004}]), [], table="T1")
    assert row(text, "TABLE").startswith("TABLE T1 ")
    assert row(text, "AWARD") == "AWARD   won seat 6 straight flush 5,000.04 T1-A000001"
    assert row(text, "METER") == "METER   45,000.45   owed 5,000.04"
    assert row(text, "OWED") == "OWED    T1-A000006 seat 6 5,000.04"


def test_a_withheld_award_says_what_withholds_it() -> None:
    text = render(snapshot(owed=[owed(1, "tax"), owed(2)]), [])
    assert "OWED    T1-A000001 seat 1 1.00 WITHHELD (tax)\nOWED    T1-A000002 seat 2 2.00" in text
    assert describe(snapshot(owed=[owed(1, "tax")]))["owed"] == "T1-A000001 seat 1 1.00 WITHHELD (tax)"


def test_what_is_owed_is_not_for_the_dealer_to_pay() -> None:
    state = with_an_award("paid")
    state["seats"][5]["results"] = {"ante": "win 10.00", "raise": "", "bonus": "", "coin": "win 5000.04"}
    assert row(render(state, []), "to pay").split()[-1] == "5010.04"
    state["awards"] = [one | {"confirmed": True} for one in state["awards"]]
    assert row(render(state, []), "to pay").split()[-1] == "10.00"
    assert describe(state)["seat 6 result"].endswith("= to pay 10.00, by document T1-A000001 5,000.04")


def test_more_owed_awards_than_there_is_room_for_are_counted_and_summed() -> None:
    text = render(snapshot(owed=[owed(number) for number in range(1, 101)]), [])
    assert len(text.splitlines()) <= 24
    assert text.splitlines()[-1].endswith("... and 96 more")
    assert row(text, "METER").endswith("owed 5,050.00")


def test_the_longest_name_of_a_table_leaves_the_document_whole() -> None:
    state = with_an_award("waits")
    state["awards"][0].update(
        document=f"{'T' * 16}-A000001", hand="royal_flush", kind="share", cents=9999999999
    )
    assert row(render(state, []), "AWARD").endswith(
        "royal flush share 99,999,999.99 TTTTTTTTTTTTTTTT-A000001"
    )


def test_no_amount_of_the_meter_is_cut() -> None:
    meter = dict.fromkeys(("cents", "reserve_cents", "overflow_cents", "house_added_cents"), 99999999999999)
    assert row(render(snapshot(meter=meter), []), "METER") == (
        "METER   999,999,999,999.99   reserve 999,999,999,999.99   overflow ..."
    )


def test_a_closed_day_is_written_large_and_says_who_opens_the_next_one() -> None:
    state = snapshot(phase="idle", shown="closed", day={"number": 3, "open": False, "shift": "night"})
    text = render(state, [])
    assert text.splitlines()[1].startswith(large("CLOSED")[0])
    assert "day 3 closed" in text.splitlines()[3]
    assert row(text, "NEXT") == "NEXT    a supervisor opens the gaming day (sup open day)"
    assert describe(state)["phase"] == "CLOSED, light green"


def test_before_the_first_day_there_is_none() -> None:
    assert describe(snapshot(day={"number": 0, "open": False, "shift": ""}))["day"] == "no day yet"


def test_the_gaming_day_and_its_shift_stand_beside_the_phase() -> None:
    state = snapshot(day={"number": 12, "open": True, "shift": "night"})
    assert render(state, []).splitlines()[3].endswith("day 12 night ")
    assert describe(state)["day"] == "day 12 night"
    assert "day" not in describe(snapshot())


def test_the_day_stays_when_the_large_letters_give_way() -> None:
    state = held("jackpot_hold", phase="settled", stub_due=True, result="settled")
    state["seats"] = a_full_settled_table()["seats"]
    state["awards"] = with_an_award("waits")["awards"] * 3
    state["day"] = {"number": 12, "open": True, "shift": "night"}
    assert render(state, []).splitlines()[1].startswith("HOLD   day 12 night  ")


def test_item_56_a_trial_says_what_works_what_failed_and_what_is_still_to_try() -> None:
    trial = {"operator": "ann", "seat": 2, "tried": ["key.open", "key.lock", "lamp.1"], "failed": ["lamp.3"]}
    state = snapshot(3, phase="idle", shown="trial", trial=trial)
    text = render(state, [])
    assert text.splitlines()[1].startswith(large("TRIAL")[0])
    assert (
        "TRIAL by ann, nothing is a bet, seat 2 is lit: FAILED lamp 3; tried key OPEN LOCK, lamp 1; "
        "to try key CLOSE REVEAL CLEAR, lamp 2" in " ".join(text.split())
    )
    assert row(text, "NEXT").endswith("then sup end trial")
    assert describe(state)["phase"].startswith("TRIAL")


def test_an_open_door_stands_before_every_other_notice_but_a_hold() -> None:
    well = snapshot()["health"]
    assert describe(snapshot(health=well | {"door": False}))["notice 1"] == "THE DOOR IS OPEN"
    assert describe(held("dealer_short", health=well | {"door": False}))["notice 2"] == "THE DOOR IS OPEN"


def test_what_is_down_is_told_in_whole_words() -> None:
    health = dict.fromkeys(("meter", "display", "door", "mains"), False)
    told = describe(snapshot(health=health))["notice 1"]
    assert told == (
        "THE JACKPOT METER IS DOWN; THE JACKPOT DISPLAY IS DOWN; THE DOOR IS OPEN; THE MAINS HAVE FAILED"
    )
    without = describe(snapshot(health=health, meter=None))["notice 1"]
    assert without == "THE DOOR IS OPEN; THE MAINS HAVE FAILED"


def test_the_fullest_table_keeps_its_sizes_with_everything_at_once() -> None:
    state = held(*list(RULINGS)[:3], phase="settled", result="settled", stub_due=True)
    state["seats"] = a_full_settled_table()["seats"]
    state["awards"] = with_an_award("waits")["awards"] * 3
    state["owed"] = [owed(number, "identity") for number in range(1, 8)]
    state["health"] = dict.fromkeys(("meter", "display", "door", "mains"), False)
    state["day"] = {"number": 365, "open": True, "shift": "s" * 40}
    state["alarms"] = [{"alarm": "late_coin", "place": "3"}]
    lines = render(state, []).splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "owed 28.00" in row("\n".join(lines), "METER")


# ---------------------------------------------------------------------------------------- words


def test_every_fact_of_the_table_has_a_sentence_that_fits_its_fields() -> None:
    facts = {kind.__name__: kind for kind in get_args(AnyFact)}
    said = {"where": "place", "withholding": "hold", "KEY": "key"}
    assert set(facts) - set(FACTS) == {"CardDealt"}, "a card that is dealt lies on the felt"
    for name, sentence in FACTS.items():
        fields = {field for _, field, _, _ in Formatter().parse(sentence) if field}
        assert {said.get(field, field) for field in fields} <= set(facts[name].__struct_fields__), name


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        (
            {"type": "HitDecided", "document": "T_1-A000001", "decision": "confirm",
             "operators": ["ann_b", "ben"], "reason": "", "camera": ""},
            "document T_1-A000001: confirmed by ann_b and ben",
        ),
        (
            {"type": "HitWithheld", "document": "T1-A000001", "hold": "tax", "operator": "ann",
             "reason": "form W-2G"},
            "document T1-A000001 is WITHHELD by ann (tax): form W-2G",
        ),
        (
            {"type": "HouseChanged", "place": "limits.bonus_minimum", "before": "5.00", "after": "10.00",
             "approval": "A-7"},
            "the files now say limits.bonus_minimum: 5.00 -> 10.00, approval A-7",
        ),
        ({"type": "ClockWasSet", "by_ms": -3600500}, "the clock was set by -3600.500 s"),
        (
            {"type": "WalkRecorded", "passed": False, "missing": ["key.lock"], "failed": ["lamp.3"],
             "operator": "ann"},
            "keys and lamps DO NOT ALL WORK; not tried: key LOCK; failed: lamp 3",
        ),
        (
            {"type": "WalkRecorded", "passed": True, "missing": [], "failed": [], "operator": "ann"},
            "keys and lamps all work; not tried: none; failed: none",
        ),
        ({"type": "ShiftChanged", "before": "", "after": "night_2", "operator": "ann"},
         "shift: - -> night_2 (ann)"),
        ({"type": "LineTried", "line": "coin.2"}, "works: coin 2"),
    ],
)  # fmt: skip
def test_a_fact_of_the_jackpots_books_reads_as_a_sentence(fact: Json, told: str) -> None:
    assert fact_words(fact) == told


def test_a_correction_is_told_once_with_those_who_made_it() -> None:
    moved: Json = {"type": "MeterChanged", "before_cents": 900, "after_cents": 800, "why": "correction"}
    corrected: Json = {
        "type": "MeterCorrected", "pot": "meter", "before_cents": 900, "after_cents": 800,
        "why": "display_wrong", "approval": "A-1", "operators": ["ann", "ben"], "reason": "sign showed 8.00",
    }  # fmt: skip
    assert block({}, {}, [moved, corrected]) == [
        "the meter is corrected 9.00 -> 8.00 by ann and ben (display wrong)"
    ]


def test_money_in_a_fact_is_written_as_money() -> None:
    fact = {"type": "AwardPaid", "seat": 2, "hand": "royal_flush", "cents": 5000049}
    assert fact_words(fact) == "AWARD seat 2: royal flush pays 50,000.49"


def test_an_alarm_names_its_place() -> None:
    assert (
        fact_words({"type": "AlarmRaised", "alarm": "late_coin", "place": "3"}) == "ALARM late coin at seat 3"
    )
    assert fact_words({"type": "AlarmRaised", "alarm": "dealer_short", "place": "D"}).endswith(
        "at the dealer"
    )
    assert fact_words({"type": "AlarmRaised", "alarm": "shoe_lost", "place": ""}) == "ALARM shoe lost"
    stuck = {"type": "AlarmRaised", "alarm": "sensor_stuck", "place": "ante 1"}
    assert fact_words(stuck) == "ALARM sensor stuck at the ante of seat 1"


def test_a_command_is_told_by_what_a_person_said() -> None:
    refused = {"type": "CommandRefused", "command": "StateCount", "reason": "bets are open"}
    assert fact_words(refused) == "a count of cards refused: bets are open"
    assert fact_words({"type": "Withdrawn", "statement": "StateHand"}) == "taken back: a hand"


def test_every_command_of_the_table_has_its_words() -> None:
    assert {command.__name__ for command in Command.__subclasses__()} - set(COMMANDS) == set()


def test_whoever_deals_keeps_his_own_spelling() -> None:
    change = {"type": "DealerChanged", "before": "", "after": "ann_b", "round": ""}
    assert fact_words(change) == "dealer: - -> ann_b"


def test_a_finding_about_a_deck_names_it() -> None:
    finding = {"type": "DeckFinding", "deck": "blue_1", "finding": "same_order_as_last_round", "card": ""}
    assert fact_words(finding) == "look at blue_1: same order as last round"


def test_a_coin_that_falls_is_not_called_a_bet() -> None:
    assert fact_words({"type": "CoinAccepted", "seat": 2}) == "coin in the slot of seat 2"


def test_the_key_lock_and_no_more_bets_are_one_line() -> None:
    facts: list[Json] = [{"type": "KeyTaken", "key": "lock"}, {"type": "BetsLocked", "bets": []}]
    assert block({}, {}, facts) == ["NO MORE BETS"]
    assert (
        fact_words({"type": "KeyRefused", "key": "lock", "reason": "no ante"}) == "key LOCK refused: no ante"
    )


def test_a_round_number_keeps_its_own_spelling() -> None:
    assert "T_1-x" in fact_words({"type": "RoundOpened", "round": "T_1-x"})


def test_a_fact_of_a_newer_table_is_shown_by_its_name() -> None:
    assert fact_words({"type": "SunRose", "over": "sea"}) == "SunRose over sea"
    assert fact_words({"type": "SeatFolded"}) == "SeatFolded"


def test_results_are_said_as_the_dealer_says_them() -> None:
    assert [result_words(text) for text in ("win 20.00", "lose 1.00", "push 5.00", "none", "", "waits")] == [
        "wins 20.00", "loses 1.00", "push 5.00", "", "", "waits",
    ]  # fmt: skip


def test_every_hold_of_the_house_has_its_words() -> None:
    assert all(" " in words and "_" not in words for words in HOLDS.values())


# ------------------------------------------------------------------------------------------ the log


def test_a_log_block_holds_only_what_has_changed() -> None:
    before = snapshot(3)
    after = deepcopy(before)
    after["seats"][1]["ante"] = stack(1000)
    assert block(describe(before), describe(after), []) == ["seat 2 ante: 10.00"]


def test_time_that_runs_is_no_change() -> None:
    assert describe(snapshot(left_ms=5000)) == describe(snapshot(left_ms=4000))


def test_a_new_round_does_not_tell_that_the_felt_is_empty() -> None:
    played = snapshot(2, round="one")
    played["seats"][0].update(ante=stack(1000), cards=["AS"] * 5)
    assert block(describe(played), describe(snapshot(2, round="two")), []) == ["round: two"]


def test_lamps_that_go_out_at_clear_are_not_told_one_by_one() -> None:
    lit, cleared = snapshot(1, phase="settled", shown="settled"), snapshot(1, phase="idle", shown="idle")
    lit["seats"][0]["lamp"] = "on"
    assert block(describe(lit), describe(cleared), []) == ["phase: IDLE after the last round, light green"]


def test_a_share_of_a_royal_is_not_called_a_royal() -> None:
    award = {"seat": 2, "hand": "royal_flush", "cents": 5000, "kind": "share", "status": "waits"}
    assert "AWARD   pending seat 2 royal flush share 50.00\n" in render(snapshot(awards=[award]), [])


def test_the_log_tells_no_backs_while_cards_are_dealt() -> None:
    dealing, deciding = snapshot(1, phase="dealing"), snapshot(1, phase="deciding")
    for state in (dealing, deciding):
        state["seats"][0]["cards"] = [None] * 5
    assert "seat 1 hand" not in describe(dealing)
    assert describe(deciding)["seat 1 hand"] == "## ## ## ## ##"


def test_facts_that_the_view_shows_anyway_are_not_said_again() -> None:
    shares: Json = {"type": "MeterChanged", "before_cents": 1, "after_cents": 2, "why": "contribution"}
    hit: Json = {"type": "MeterChanged", "before_cents": 900, "after_cents": 100, "why": "award"}
    keyed: Json = {"type": "Stated", "statement": "SetAmount"}
    counted: Json = {"type": "Stated", "statement": "StateCount"}
    assert block({}, {}, [shares, hit, keyed, counted]) == [
        "meter 9.00 -> 1.00 (award)",
        "stated: a count of cards",
    ]


def test_an_ended_hold_is_told_too() -> None:
    stopped, free = describe(held("dealer_long")), describe(snapshot(phase="dealing", shown="dealing"))
    assert block(stopped, free, []) == ["phase: DEALING, light green", "notice 1: no more"]


# ------------------------------------------------------------------------------------- what is heard


class FakeTable:
    """A publisher and an answerer on in-process sockets."""

    names = itertools.count()

    def __init__(self) -> None:
        number = next(self.names)
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.state, self.commands = f"inproc://state{number}", f"inproc://commands{number}"
        self.publisher, self.router = self.context.socket(zmq.XPUB), self.context.socket(zmq.ROUTER)
        self.publisher.bind(self.state)
        self.router.bind(self.commands)
        self.now_ms = 0
        self.feed = Feed(self.state, self.commands, self.context, now_ms=lambda: self.now_ms)
        for _ in range(3):
            assert self.publisher.poll(1000)
            self.publisher.recv()

    def envelope(self, kind: str, body: Json, seq: int, boot: int = 1) -> Json:
        return {"v": 1, "type": kind, "table": "T1", "boot": boot, "seq": seq, "at_ms": 61500, "synced": True,
                "body": body}  # fmt: skip

    def publish(self, kind: str, body: Json, seq: int, boot: int = 1) -> None:
        self.publisher.send_multipart(
            [kind.encode(), json.dumps(self.envelope(kind, body, seq, boot)).encode()]
        )
        assert self.feed.pump(1000)

    def asked(self) -> bool:
        return bool(self.router.poll(0))

    def answer(self, body: Json, seq: int) -> None:
        assert self.router.poll(1000)
        sender, raw = self.router.recv_multipart()
        request = json.loads(raw)
        assert request["ask"] == "snapshot"
        answer = {"v": 1, "id": request["id"], "ok": True, "state": self.envelope("state", body, seq)}
        self.router.send_multipart([sender, json.dumps(answer).encode()])
        assert self.feed.pump(1000)

    def close(self) -> None:
        self.feed.close()
        self.publisher.close(linger=0)
        self.router.close(linger=0)
        self.context.term()


@pytest.fixture
def table() -> Any:
    fake = FakeTable()
    yield fake
    fake.close()


def test_a_late_comer_asks_for_the_snapshot(table: FakeTable) -> None:
    table.feed.pump(0)
    table.answer(snapshot(rounds=77), seq=5)
    assert table.feed.state is not None
    assert table.feed.state["rounds"] == 77


def test_an_older_snapshot_never_replaces_a_newer_one(table: FakeTable) -> None:
    table.publish("state", snapshot(rounds=2), seq=9)
    table.publish("state", snapshot(rounds=1), seq=8)
    assert table.feed.state is not None
    assert table.feed.state["rounds"] == 2
    table.publish("state", snapshot(rounds=3), seq=1, boot=2)
    assert table.feed.state["rounds"] == 3


def test_a_heartbeat_ahead_of_the_snapshot_makes_the_view_ask(table: FakeTable) -> None:
    table.publish("state", snapshot(), seq=9)
    table.answer(snapshot(), seq=9)
    table.now_ms = 5000
    table.feed.pump(0)
    assert not table.asked()
    table.publish("heartbeat", {"head": "00"}, seq=10)
    table.feed.pump(0)
    assert table.asked()


def test_the_age_is_counted_from_the_last_word_of_the_table(table: FakeTable) -> None:
    table.publish("state", snapshot(), seq=1)
    table.now_ms = 4000
    assert table.feed.age_ms == 4000
    table.publish("heartbeat", {"head": "00"}, seq=1)
    assert table.feed.age_ms == 0


def test_a_log_gets_one_block_per_change_without_colours(table: FakeTable) -> None:
    out = io.StringIO()
    with Screen(out, wall_s=lambda: 1764461410.9) as screen:
        table.publish("state", snapshot(2), seq=1)
        screen.show(table.feed)
        out.seek(0), out.truncate()
        screen.show(table.feed)
        assert out.getvalue() == ""
        table.publish("fact", {"type": "CoinAccepted", "seat": 2}, seq=2)
        table.publish("state", snapshot(2, seats=[seat(1), seat(2, coin="bet", lamp="on")]), seq=2)
        screen.show(table.feed)
        assert out.getvalue() == ("00:10:10  coin in the slot of seat 2\n00:10:10  seat 2 jackpot: (O) lit\n")


def test_a_log_says_once_that_the_table_is_silent_and_once_that_it_is_back(table: FakeTable) -> None:
    out = io.StringIO()
    screen = Screen(out)
    table.publish("state", snapshot(2), seq=1)
    screen.show(table.feed)
    for table.now_ms in (4000, 5000, 10000, 11000):
        screen.show(table.feed)
    table.publish("heartbeat", {"head": "00"}, seq=1)
    screen.show(table.feed)
    assert [line[10:] for line in out.getvalue().splitlines()[-3:]] == [
        "no news: last update 4 s ago",
        "OFFLINE, nothing is confirmed: last update 10 s ago",
        "the table is heard again",
    ]


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_left_as_it_was_found(table: FakeTable) -> None:
    out = FakeTerminal()
    table.publish("state", snapshot(), seq=1)
    with Screen(out) as screen:
        screen.show(table.feed)
        drawn = out.tell()
        screen.show(table.feed)
        assert out.tell() == drawn, "nothing changed, nothing is written"
    assert out.getvalue().startswith("\x1b[?1049h")
    assert out.getvalue().endswith("\x1b[?1049l")
