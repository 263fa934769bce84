declare module "spdx-expression-parse" {
  type License = { readonly license: string; readonly plus?: true; readonly exception?: string; readonly conjunction?: undefined };
  type Conjunction = { readonly left: Expression; readonly conjunction: "and" | "or"; readonly right: Expression };
  type Expression = License | Conjunction;
  /** Throws for what is no SPDX expression. */
  export default function parse(expression: string): Expression;
}

declare module "spdx-satisfies" {
  /** Whether the terms of `expression` can be met with the listed licences alone. Throws for what SPDX does not know. */
  export default function satisfies(expression: string, licences: readonly string[]): boolean;
}

declare module "vader-sentiment" {
  export const SentimentIntensityAnalyzer: {
    /** Shares of negative, neutral and positive words, and `compound` from −1 to 1. */
    polarity_scores(text: string): { readonly neg: number; readonly neu: number; readonly pos: number; readonly compound: number };
  };
}

declare module "stopword" {
  type Words = readonly string[];
  export const ces: Words;
  export const dan: Words;
  export const deu: Words;
  export const eng: Words;
  export const fin: Words;
  export const fra: Words;
  export const hun: Words;
  export const ita: Words;
  export const nld: Words;
  export const pol: Words;
  export const por: Words;
  export const ron: Words;
  export const rus: Words;
  export const spa: Words;
  export const swe: Words;
  export const tur: Words;
  export const ukr: Words;
}
