import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";

/** Longest answer in tokens. A busy provider is retried; an invalid answer is not: `askModel` decides on that. */
const COMMON = {
  maxTokens: 4_000,
  maxRetries: 2,
  onFailedAttempt: (error: unknown) => {
    if (!busySchema.safeParse(error).success) throw error;
  },
};
const busySchema = z.object({ status: z.literal(429).or(z.int().min(500)) });
const OLLAMA = "http://127.0.0.1:11434/v1";

/** Settings of a model; the provider's defaults apply to those left out. */
export interface Settings {
  readonly temperature?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Providers by name. Keys come from the environment, in each provider's own variable; `OPENAI_BASE_URL` reaches any server with OpenAI's
 * protocol, such as Ollama. A package is loaded only when needed.
 */
const PROVIDERS: Readonly<Record<string, (model: string, environment: Environment, settings: Settings) => Promise<BaseChatModel>>> = {
  openai: async (model, environment, settings) => {
    const { ChatOpenAI } = await import("@langchain/openai");
    const baseURL = environment["OPENAI_BASE_URL"];
    return new ChatOpenAI({
      model,
      apiKey: keyOf(environment, "OPENAI_API_KEY"),
      ...COMMON,
      ...settings,
      ...(baseURL === undefined ? {} : { configuration: { baseURL } }),
    });
  },
  anthropic: async (model, environment, settings) => {
    const { ChatAnthropic } = await import("@langchain/anthropic");
    return new ChatAnthropic({ model, apiKey: keyOf(environment, "ANTHROPIC_API_KEY"), ...COMMON, ...settings });
  },
  ollama: async (model, environment, settings) => {
    const { ChatOpenAI } = await import("@langchain/openai");
    const baseURL = environment["OLLAMA_BASE_URL"] ?? OLLAMA;
    return new ChatOpenAI({ model, apiKey: "none", ...COMMON, ...settings, configuration: { baseURL } });
  },
};

/** A chat model by name, "openai:gpt-5", "anthropic:claude-…", "ollama:llama3". */
export async function openChatModel(name: string, environment: Environment, settings: Settings = {}): Promise<BaseChatModel> {
  const [provider = "", ...rest] = name.split(":");
  const open = PROVIDERS[provider];
  const model = rest.join(":");
  if (open === undefined || !Object.hasOwn(PROVIDERS, provider) || model === "") {
    throw new AgentCityError("UnknownModel", `${JSON.stringify(name)} names no chat model`, {
      action: `write <provider>:<model> with one of the providers ${Object.keys(PROVIDERS).join(", ")}`,
    });
  }
  return open(model, environment, settings);
}

/** A provider's key from the environment. Throws if it is not set. */
export function keyOf(environment: Environment, variable: string): string {
  const key = environment[variable];
  if (key === undefined || key === "") {
    throw new AgentCityError("KeyMissing", `The model's key is missing: ${variable} is not set`, {
      action: `set ${variable} in the environment`,
    });
  }
  return key;
}
