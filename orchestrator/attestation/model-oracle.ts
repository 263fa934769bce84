/**
 * A chat model as an oracle for inferences. A hosted model is not reproducible, so it leaves a transcript: an auditor reads question and
 * answer, by which model and when, repeats the question, and compares (Pramana 2.5). Never evidence of class ATT or PROOF.
 */
import { z } from "zod";
import { InvalidValue } from "../primitives/errors.ts";
import { canonicalBytes, parseJsonBytes } from "../primitives/json.ts";
import type { InferenceOracle } from "./ports.ts";

const askedSchema = z.strictObject({ method: z.string(), premises: z.array(z.string()).readonly(), conclusion: z.string() });
export type Asked = z.infer<typeof askedSchema>;

/** The source of such a check: the outcome carries its digest. */
export const transcriptSchema = z.strictObject({
  transcript: z.literal("agentcity/model-oracle@1"),
  /** The provider's name for it. */
  model: z.string().min(1).max(200),
  inputs: askedSchema,
  /** Verbatim. */
  output: z.string().max(20_000),
  asked_at: z.iso.datetime(),
});
export type Transcript = z.infer<typeof transcriptSchema>;

/** Parses a transcript; undefined for other bytes. */
export function readTranscript(bytes: Uint8Array): Transcript | undefined {
  try {
    return transcriptSchema.parse(parseJsonBytes(bytes));
  } catch {
    return undefined;
  }
}

/** A model, however served. The premises are data: the implementation must keep them apart from the question. */
export interface Model {
  readonly id: string;
  ask(inputs: Asked): Promise<string>;
}

/** Only the first word of an answer counts. Throws InvalidValue unless it is yes or no. */
function verdictIn(output: string): boolean {
  const [word = ""] = /^\W*(\w+)/.exec(output)?.slice(1) ?? [];
  const said = word.toLowerCase();
  if (said !== "yes" && said !== "no")
    throw new InvalidValue("model's answer", "it begins with yes or no", { details: output.slice(0, 80) });
  return said === "yes";
}

/** An oracle that asks a model whether a conclusion follows. `now`: unix milliseconds. */
export function modelInference(model: Model, now: () => number): InferenceOracle {
  return {
    id: `model/v1:${model.id}`,
    determinism: "replayable",
    async entails({ method, premises, conclusion }) {
      const inputs = { method, premises: [...premises], conclusion };
      const output = await model.ask(inputs);
      const said: Transcript = {
        transcript: "agentcity/model-oracle@1",
        model: model.id,
        inputs,
        output,
        asked_at: new Date(now()).toISOString(),
      };
      return { holds: verdictIn(output), source: canonicalBytes(transcriptSchema.parse(said)) };
    },
  };
}

/** Result of repeating a question. */
export interface AskedAgain {
  readonly model: string;
  readonly first: string;
  readonly again: string;
  /** Whether both answers agree. */
  readonly agrees: boolean;
}

/** Repeats a transcript's question. Throws if the bytes are not a transcript, or belong to another model. */
export async function askAgain(transcript: Uint8Array, model: Model): Promise<AskedAgain> {
  const { model: id, inputs, output } = transcriptSchema.parse(parseJsonBytes(transcript));
  if (id !== model.id) throw new InvalidValue("model", `the transcript is of ${id}`, { details: model.id });
  const again = await model.ask(inputs);
  return { model: id, first: output, again, agrees: verdictIn(output) === verdictIn(again) };
}
