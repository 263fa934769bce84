import { keyOf } from "../../minds/chat-model.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { charNgrams } from "./char-ngrams.ts";
import type { Embedder } from "./embedder.ts";
import { keepingVectors } from "./kept-vectors.ts";
import { langChainEmbedder } from "./langchain-embedder.ts";
import { wordProjection } from "./word-projection.ts";

/** Two scorers of different families, which cannot be deceived, or fail, together (TA-7). */
export type ScorerPair = readonly [Embedder, Embedder];

export type Environment = Readonly<Record<string, string | undefined>>;

/** EMBEDDING_SCORERS, or a command's option, does not name a pair of scorers. */
export class ScorerUnknown extends AgentCityError {
  constructor(asked: string) {
    super("ScorerUnknown", `No scorer is called ${asked}`, {
      action: `name two different scorers of ${SCORERS.map(({ number, name }) => `${number} ${name}`).join(", ")}`,
    });
  }
}

interface ScorerEntry {
  /** Eight bits of EMBEDDING_SCORERS; never reassigned. */
  readonly number: number;
  readonly name: string;
  open(environment: Environment): Promise<Embedder>;
}

/** Characters that stay below the hosted models' limit of 8,191 tokens in any language. */
const MODEL_CHARACTERS = 8_000;

/** Scorers that a constitution may name. Hosted ones load their package and read their key only when used. */
export const SCORERS: readonly ScorerEntry[] = [
  { number: 1, name: "char-ngrams", open: async () => charNgrams },
  { number: 2, name: "word-projection", open: async () => wordProjection },
  {
    number: 3,
    name: "openai",
    open: (environment) =>
      served({
        model: "text-embedding-3-large",
        dimensions: 3_072,
        apiKey: keyOf(environment, "OPENAI_API_KEY"),
        baseURL: environment["OPENAI_BASE_URL"],
      }),
  },
  {
    number: 4,
    name: "ollama",
    open: (environment) =>
      served({
        model: "bge-large",
        dimensions: 1_024,
        apiKey: "none",
        baseURL: environment["OLLAMA_BASE_URL"] ?? "http://127.0.0.1:11434/v1",
      }),
  },
];

/** Opens scorers by number, each once. */
export function scorersBy(environment: Environment): (number: number) => Promise<Embedder> {
  const open = new Map<number, Promise<Embedder>>();
  return (number) => {
    const known = open.get(number) ?? entryOf(number).open(environment).then(keepingVectors);
    open.set(number, known);
    return known;
  };
}

function entryOf(number: number): ScorerEntry {
  return SCORERS.find((entry) => entry.number === number) ?? unknown(String(number));
}

/** Two scorers by name. The same one twice would not be independent. */
export async function openScorerPair(names: readonly string[], environment: Environment): Promise<ScorerPair> {
  const entries = names.map((name) => SCORERS.find((entry) => entry.name === name) ?? unknown(JSON.stringify(name)));
  const [first, second] = entries;
  if (first === undefined || second === undefined || first === second || entries.length > 2)
    return unknown(JSON.stringify(names.join(",")));
  return [await first.open(environment), await second.open(environment)];
}

function unknown(asked: string): never {
  throw new ScorerUnknown(asked);
}

async function served(options: {
  readonly model: string;
  readonly dimensions: number;
  readonly apiKey: string;
  readonly baseURL: string | undefined;
}): Promise<Embedder> {
  const { model, dimensions, apiKey, baseURL } = options;
  const { OpenAIEmbeddings } = await import("@langchain/openai");
  const client = new OpenAIEmbeddings({
    model,
    apiKey,
    encodingFormat: "float",
    stripNewLines: false,
    ...(baseURL === undefined ? {} : { configuration: { baseURL } }),
  });
  return langChainEmbedder(client, { id: model, dimensions, maxCharacters: MODEL_CHARACTERS });
}
