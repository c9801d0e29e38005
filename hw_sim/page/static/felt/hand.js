// What five cards make, as a player calls it.
const RANKS = '23456789TJQKA';

/** The kind of hand of five cards: `royal_flush` down to `high_card`. */
export function combination(cards) {
  const ranks = cards.map((card) => RANKS.indexOf(card[0])).sort((one, other) => one - other);
  const counts = RANKS.split('').map((_, rank) => ranks.filter((own) => own === rank).length)
    .filter((count) => count > 0).sort((one, other) => other - one);
  const flush = new Set(cards.map((card) => card[1])).size === 1;
  const wheel = ranks.join() === '0,1,2,3,12';
  const straight = counts.length === 5 && (wheel || ranks[4] - ranks[0] === 4);
  if (flush && straight) return ranks[0] === 8 ? 'royal_flush' : 'straight_flush';
  if (counts[0] === 4) return 'four_of_a_kind';
  if (counts[0] === 3 && counts[1] === 2) return 'full_house';
  if (flush) return 'flush';
  if (straight) return 'straight';
  if (counts[0] === 3) return 'three_of_a_kind';
  if (counts[0] === 2) return counts[1] === 2 ? 'two_pair' : 'pair';
  return 'high_card';
}
