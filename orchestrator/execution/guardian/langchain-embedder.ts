import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { AgentCityError } from "../../primitives/errors.ts";
import { type Embedder, normalized, type Vector } from "./embedder.ts";

/** A model's vectors are not comparable. */
export class EmbeddingUnusable extends AgentCityError {
  constructor(id: string, details: string) {
    super("EmbeddingUnusable", `The embedding model ${id} returned an invalid vector`, {
      details,
      action: "check the model's name and dimensions, or name other scorers in EMBEDDING_SCORERS",
    });
  }
}

export interface LangChainEmbedderOptions {
  /** Model and version, as recorded with every score. */
  readonly id: string;
  readonly dimensions: number;
  /** Maximum number of characters per call; a longer output is embedded in parts, and averaged. */
  readonly maxCharacters: number;
}

/** Any LangChain `Embeddings` as a scorer (AgentCity B.11.2: the scorer's interface knows no model). */
export function langChainEmbedder(
  model: Pick<EmbeddingsInterface, "embedDocuments">,
  { id, dimensions, maxCharacters }: LangChainEmbedderOptions,
): Embedder {
  async function embedOne(text: string): Promise<Vector> {
    const parts = partsOf(text, maxCharacters);
    const answers = await model.embedDocuments(parts);
    if (answers.length !== parts.length) throw new EmbeddingUnusable(id, `${answers.length} vectors for ${parts.length} texts`);
    const mean = new Float64Array(dimensions);
    for (const answer of answers) {
      if (answer.length !== dimensions) throw new EmbeddingUnusable(id, `${answer.length} dimensions instead of ${dimensions}`);
      if (!answer.every(Number.isFinite)) throw new EmbeddingUnusable(id, "a component is not a finite number");
      for (const [index, value] of normalized(Float64Array.from(answer)).entries()) mean[index] = (mean[index] ?? 0) + value;
    }
    return normalized(mean);
  }

  return { id, dimensions, embed: (texts) => Promise.all(texts.map(embedOne)) };
}

/** Splits between code points; an empty text is one empty part. */
function partsOf(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + most);
    if (to < text.length && to > from + 1 && /[\ud800-\udbff]/.test(text.charAt(to - 1))) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts.length === 0 ? [""] : parts;
}
