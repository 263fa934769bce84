import type { ServiceAbout } from "./shared/contract.ts";
import { ABOUT_SENTIMENT, sentimentBy } from "./shared/sentiment.ts";
import { wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "sentiment-by-clauses",
  title: "Sentiment of each English text by its clauses",
  description:
    "Says whether an English text, review, comment or message is positive, negative or neutral, by counting clauses that praise and clauses that complain; a negation turns its clause round. Sentiment analysis, mood, opinion, satisfaction.",
  ...ABOUT_SENTIMENT,
};

const PRAISE = new Set(
  `amazing awesome beautiful best better brilliant calm clean clear comfortable convenient delicious delighted easy elegant enjoy enjoyed
  excellent fair fantastic fast favourite favorite fine flawless fresh friendly fun generous glad good great happy helpful impressed improved
  kind lovely love loved neat nice outstanding perfect perfectly pleasant pleased polite quick quickly quiet recommend reliable safe satisfied
  smooth solved stable super sturdy superb thank thanks useful warm welcoming well wonderful works worked worth`.split(/\s+/),
);
const COMPLAINT = new Set(
  `abandoned angry annoyed annoying awful bad boring broke broken bug bugs cold complaint confusing crash crashed crashes damaged dangerous
  delay delayed difficult dirty disappointed disappointing error errors expensive fail failed fails failure faulty frustrating hate hated
  horrible ignored impossible late lost mistake mistakes misleading mess missing noisy overpriced pain poor problem problems refund regret
  rude sad scratched slow sluggish stale stopped stuck terrible tired ugly unacceptable unfriendly unhappy unreliable unusable upset useless
  waste wasted weak worse worst wrong`.split(/\s+/),
);
const NEGATION = new Set(["not", "no", "never", "nothing", "nobody", "hardly", "without", "cannot", "neither", "nor"]);

/** What follows a `but` outweighs what stands before it: each clause counts once, and the last one twice. */
export default sentimentBy((text) => {
  const clauses = text
    .replace(/(\w)n['’]t\b/g, "$1 not")
    .split(/[.!?;:,\n]+|\b(?:but|however|although|though|yet)\b/i)
    .map(feelingOf)
    .filter((feeling) => feeling !== 0);
  if (clauses.length === 0) return 0;
  const sum = clauses.reduce((total, feeling) => total + feeling, clauses.at(-1) ?? 0);
  return sum / (clauses.length + 1);
}, 0.2);

/** 1, −1 or 0. */
function feelingOf(clause: string): number {
  const words = wordsOf(clause);
  const balance = words.filter((word) => PRAISE.has(word)).length - words.filter((word) => COMPLAINT.has(word)).length;
  const isNegated = words.some((word) => NEGATION.has(word));
  return Math.sign(isNegated ? -balance : balance);
}
