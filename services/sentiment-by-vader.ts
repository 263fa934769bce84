import { SentimentIntensityAnalyzer } from "vader-sentiment";
import type { ServiceAbout } from "./shared/contract.ts";
import { ABOUT_SENTIMENT, sentimentBy } from "./shared/sentiment.ts";

export const about: ServiceAbout = {
  id: "sentiment-by-vader",
  title: "Sentiment of each English text by VADER's rules",
  description:
    "Says whether an English text, review, comment or message is positive, negative or neutral, by VADER: word scores with rules for negation, emphasis, capitals, exclamation marks and but. Sentiment analysis, mood, opinion, satisfaction.",
  ...ABOUT_SENTIMENT,
};

/** Sentences of a long text are judged one by one: the whole is their mean. */
export default sentimentBy((text) => {
  const sentences = text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
  const scores = sentences.map((sentence) => SentimentIntensityAnalyzer.polarity_scores(sentence.slice(0, 2_000)).compound);
  return scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
}, 0.05);
