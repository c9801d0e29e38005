/** Pay tables and rules in words, made from the house rules in force. */
import * as page from "./table.js";

/** The kinds of hand from the best downwards, in the order of every pay table. */
export const HANDS = [
  "royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush",
  "straight", "three_of_a_kind", "two_pair", "pair", "high_card",
];

/** Millionths as a text in hundredths: 1000000 is "100", 125000 is "12.5". Whole numbers only, so nothing is rounded. */
function hundredths(ppm) {
  const whole = Math.floor(ppm / 10000);
  const rest = String(ppm % 10000).padStart(4, "0").replace(/0+$/, "");
  return rest ? `${whole}.${rest}` : String(whole);
}

function percent(ppm, { word, count }) {
  return word("rules.percent", { n: count(hundredths(ppm)) });
}

function odds(n, { word, count }) {
  return word("rules.odds", { n: count(n) });
}

function seconds(ms, { word, count }) {
  const whole = Math.floor(ms / 1000);
  const rest = String(ms % 1000).padStart(3, "0").replace(/0+$/, "");
  return word("rules.seconds", { n: count(rest ? `${whole}.${rest}` : String(whole)) });
}

/** The name of a kind of hand, "Royal flush" for "royal_flush". */
export function handName(label, speech = page) {
  return speech.word(`hand.${label}`);
}

/** Whether a royal flush is shared by everybody with a jackpot bet, whoever holds it. */
function shared({ rules }) {
  return rules.royal_split === "shared_by_bettors";
}

function sharedPercent(ppm, { word, count }) {
  return word("rules.percent_shared", { n: count(hundredths(ppm)) });
}

/** Whether the house has a progressive. */
export function hasProgressive(house) {
  return house.rules.progressive_pays.length > 0;
}

function raiseLines(pays, speech) {
  // The last two lines are one where they pay the same, as the printed tables of most houses have it.
  const joined = pays.length === HANDS.length && pays[8] === pays[9];
  const shown = joined ? pays.slice(0, 9) : pays;
  return shown.map((n, line) => {
    const hand = joined && line === 8 ? "pair_or_less" : HANDS[line];
    return { hand, name: handName(hand, speech), pays: odds(n, speech) };
  });
}

/** The pay tables that the house has, each a list of hands with what they pay. */
export function payTables(house, speech = page) {
  const { rules } = house;
  const tables = [];
  const add = (id, lines, note = "note") => tables.push({
    id, title: speech.word(`rules.table.${id}`), note: speech.word(`rules.table.${id}.${note}`), lines,
  });
  if (hasProgressive(house)) {
    add("progressive", rules.progressive_pays.map(({ ppm = 0, cents = 0 }, line) => ({
      hand: HANDS[line],
      name: handName(HANDS[line], speech),
      pays: !ppm ? speech.money(cents) : line === 0 && shared(house) ? sharedPercent(ppm, speech) : percent(ppm, speech),
    })), shared(house) ? "note_shared" : "note");
  }
  if (rules.bonus_pays.length > 0) {
    add("bonus", rules.bonus_pays.map((n, line) => ({
      hand: HANDS[line], name: handName(HANDS[line], speech), pays: odds(n, speech),
    })));
  }
  add("raise", raiseLines(rules.raise_pays, speech));
  return tables;
}

// Each topic is a list of [key, values]; a key that is false says nothing.

function dealing({ rules }, speech) {
  const bets = { time: seconds(rules.betting_ms, speech), warning: seconds(rules.betting_warning_ms, speech) };
  return [
    ["deal.deck"],
    ["deal.ante"],
    [rules.betting_ms > 0 && (rules.betting_warning_ms > 0 ? "deal.betting" : "deal.betting_plain"), bets],
    [`deal.order.${rules.deal_order}`],
    [`deal.upcard.${rules.upcard}`],
    [`deal.cards.${rules.player_cards}`],
    // Where all cards lie open there is nothing that a player could show.
    [rules.player_cards === "face_down" && "deal.conduct"],
  ];
}

function deciding({ rules }, speech) {
  return [
    ["decide.raise"],
    [rules.decision_ms > 0 && "decide.time", { time: seconds(rules.decision_ms, speech) }],
    ["decide.final"],
    [`decide.short.${rules.short_raise}`],
  ];
}

function comparing({ rules }, speech) {
  const paid = rules.nonqualify_ante === "pay_all" ? "dealer.pay_all" : `dealer.pay_if.${rules.unpaid_ante}`;
  return [
    ["dealer.qualify"],
    [paid, { odds: odds(rules.nonqualify_odds, speech) }],
    ["dealer.better"],
    ["dealer.equal"],
    [`dealer.order.${rules.settle_order}`],
  ];
}

function bonus({ rules }) {
  if (rules.bonus_pays.length === 0) return [];
  return [
    ["bonus.hand"],
    [`bonus.fold.${rules.fold_keeps_bonus}`],
    [`bonus.dead.${rules.dead_hand_bonus}`],
  ];
}

function jackpot(house, speech) {
  if (!hasProgressive(house)) return [];
  const { rules } = house;
  const lines = rules.progressive_pays;
  const { money } = speech;
  const held = rules.jackpot_verify === "deck_count" ? "jackpot.hold_count" : "jackpot.hold";
  return [
    ["jackpot.coin", { coin: money(rules.coin_value_cents) }],
    [`jackpot.lamp.${rules.lamp_before_lock}`],
    [shared(house) ? "jackpot.own_hand_shared" : "jackpot.own_hand"],
    [`jackpot.fold.${rules.fold_keeps_coin}`],
    ["jackpot.share", { percent: percent(rules.meter_share_ppm, speech) }],
    [rules.reserve_share_ppm > 0 && "jackpot.reserve", { percent: percent(rules.reserve_share_ppm, speech) }],
    [rules.meter_limit_cents > 0 && "jackpot.limit", { limit: money(rules.meter_limit_cents) }],
    [rules.reserve_share_ppm > 0 ? "jackpot.reset_reserve" : "jackpot.reset", { reset: money(rules.reset_cents) }],
    [lines.some((line) => line.ppm) && `jackpot.percent.${rules.percent_base}`],
    [lines.some((line) => !line.ppm) && `jackpot.fixed.${rules.fixed_awards_from}`],
    [rules.straight_flush_first && "jackpot.straight_flush_first"],
    [`jackpot.royal.${rules.royal_split}`],
    [rules.royal_minimum_cents > 0 && "jackpot.royal_minimum", { amount: money(rules.royal_minimum_cents) }],
    [held, { amount: money(rules.jackpot_hold_from_cents) }],
    ["jackpot.returned"],
    [`jackpot.dead.${rules.dead_hand_coin}`],
    [`jackpot.void.${rules.coin_on_void}`],
    [`jackpot.void_award.${rules.jackpot_hand_in_void_round}`],
    [`jackpot.fault_before.${rules.progressive_fault_before_lock}`],
    [`jackpot.fault_after.${rules.progressive_fault_after_lock}`],
  ];
}

function irregular({ rules }) {
  return [
    [`irregular.dealer_short.${rules.dealer_short}`],
    [`irregular.dealer_long.${rules.dealer_long}`],
    [`irregular.hole.${rules.hole_exposed_before_close}`],
    [`irregular.miscount.${rules.player_miscount}`],
    // Cards that are dealt face up are seen by everybody anyway.
    [rules.player_cards === "face_down" && `irregular.exposed.${rules.card_exposed_in_deal}`],
    [`irregular.misplaced.${rules.misplaced_card}`],
    [`irregular.boxed.${rules.boxed_card}`],
    [`irregular.extra_hand.${rules.extra_hand}`],
    [`irregular.scanner.${rules.scanner_fault}`],
    ["irregular.deck"],
    ["irregular.void"],
    [`irregular.power.${rules.power_loss_mid_round}`],
    ["irregular.final"],
  ];
}

function limit(key, low, high, { money }) {
  if (low > 0 && high > 0) return [key, { low: money(low), high: money(high) }];
  if (low > 0) return [`${key}_from`, { low: money(low) }];
  return [high > 0 && `${key}_to`, { high: money(high) }];
}

function limits(house, speech) {
  const { rules } = house;
  const hasBonus = rules.bonus_pays.length > 0;
  return [
    limit("limits.ante", house.minimum_cents, house.maximum_cents, speech),
    hasBonus ? limit("limits.bonus", house.bonus_minimum_cents, house.bonus_maximum_cents, speech) : [false],
    [rules.aggregate_limit_cents > 0 && `limits.aggregate.${rules.limit_scope}`,
      { amount: speech.money(rules.aggregate_limit_cents) }],
  ];
}

const TOPICS = { deal: dealing, decide: deciding, dealer: comparing, bonus, jackpot, irregular, limits };

/** Every house rule that a player can feel, a sentence each, by topic; a topic that has none is left out. */
export function ruleSentences(house, speech = page) {
  const told = Object.entries(TOPICS).map(([topic, lines]) => ({
    topic,
    title: speech.word(`rules.topic.${topic}`),
    sentences: lines(house, speech)
      .filter(([key]) => key)
      .map(([key, values]) => speech.word(`rules.${key}`, values ?? {})),
  }));
  return told.filter(({ sentences }) => sentences.length > 0);
}
