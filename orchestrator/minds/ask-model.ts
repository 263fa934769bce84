import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { messageOf } from "../primitives/errors.ts";
import { GoalNotFeasible, MindAnswerInvalid } from "./errors.ts";
import type { TokenBudget } from "./token-budget.ts";

/** The model to ask, and a fallback. */
export interface ChatModels {
  readonly primary: BaseChatModel;
  readonly fallback?: BaseChatModel | undefined;
  /** Time limit of one answer, milliseconds. */
  readonly timeoutMs: number;
}

export interface Question<Answer extends Record<string, unknown>, Value> {
  /** "draft", "ranking": name of the requested structure, also used in errors. */
  readonly name: string;
  readonly messages: readonly BaseMessage[];
  readonly schema: z.ZodType<Answer>;
  /** Parses an answer. Throws MindAnswerInvalid for one of valid form and invalid content. */
  readonly read: (answer: Answer) => Value;
}

/** Longest part of an error that is returned to a model, characters. */
const COMPLAINT = 600;
/** Estimate for providers that do not count tokens. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Obtains a structured output: asks once, repeats once with the problem, then asks the fallback model once. A model that does not answer at
 * all is not asked again. Everything else in an answer, tool calls included, is dropped here.
 */
export async function askModel<Answer extends Record<string, unknown>, Value>(
  { primary, fallback, timeoutMs }: ChatModels,
  budget: TokenBudget,
  question: Question<Answer, Value>,
): Promise<Value> {
  const problems: string[] = [];
  const ask = async (model: BaseChatModel): Promise<{ value: Value } | "silent" | "unusable"> => {
    budget.requireLeft(question.name);
    const complaint = problems.at(-1);
    const again = complaint === undefined ? [] : [new HumanMessage(`Your last answer was invalid: ${complaint}\nAnswer again.`)];
    const messages = [...question.messages, ...again];
    const structured = model.withStructuredOutput(z.toJSONSchema(question.schema), { name: question.name, includeRaw: true });
    let answer: { readonly raw: BaseMessage; readonly parsed: unknown };
    try {
      answer = await structured.invoke(messages, { timeout: timeoutMs });
    } catch (error) {
      budget.charge(lengthOf(messages));
      problems.push(messageOf(error).slice(0, COMPLAINT));
      // Some clients parse the response themselves and throw: it was an answer.
      return error instanceof SyntaxError ? "unusable" : "silent";
    }
    budget.charge(tokensOf(answer.raw) ?? lengthOf([...messages, answer.raw]));
    try {
      if (answer.parsed === null) throw new MindAnswerInvalid(question.name, "it is not one JSON object of the requested form");
      return { value: question.read(question.schema.parse(answer.parsed)) };
    } catch (error) {
      problems.push(complaintAbout(error).slice(0, COMPLAINT));
      return "unusable";
    }
  };

  const first = await ask(primary);
  if (typeof first === "object") return first.value;
  const second = first === "silent" ? first : await ask(primary);
  if (typeof second === "object") return second.value;
  const third = fallback === undefined ? second : await ask(fallback);
  if (typeof third === "object") return third.value;
  throw new MindAnswerInvalid(question.name, problems.join("; then "));
}

function complaintAbout(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  if (error instanceof MindAnswerInvalid || error instanceof GoalNotFeasible) return error.shortMessage;
  throw error;
}

const usageSchema = z.object({ usage_metadata: z.object({ total_tokens: z.int().nonnegative() }) });

function tokensOf(message: BaseMessage): number | undefined {
  return usageSchema.safeParse(message).data?.usage_metadata.total_tokens;
}

function lengthOf(messages: readonly BaseMessage[]): number {
  return Math.ceil(messages.reduce((sum, { text }) => sum + text.length, 0) / CHARACTERS_PER_TOKEN);
}
