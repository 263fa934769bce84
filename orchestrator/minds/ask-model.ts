import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { messageOf } from "../primitives/errors.ts";
import { GoalNotFeasible, MindAnswerInvalid } from "./errors.ts";
import type { TokenBudget } from "./token-budget.ts";

/** The model to ask, and the one to ask when it fails. */
export interface ChatModels {
  readonly primary: BaseChatModel;
  readonly fallback?: BaseChatModel | undefined;
  /** Milliseconds that one answer may take. */
  readonly timeoutMs: number;
}

export interface Question<Answer extends Record<string, unknown>, Value> {
  /** "draft", "ranking": for errors, and the name of the structure asked for. */
  readonly name: string;
  readonly messages: readonly BaseMessage[];
  readonly schema: z.ZodType<Answer>;
  /** What the answer means; throws `MindAnswerInvalid` for one that has the right form and the wrong content. */
  readonly read: (answer: Answer) => Value;
}

/** The part of an error that is returned to a model: short, whatever the model wrote. */
const COMPLAINT = 600;
/** A provider that does not count tokens is counted by characters. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Structured output or nothing: asked once, once more with what was wrong, then the fallback model once. A model that does not answer
 * at all is not asked again. Every other part of an answer, tool calls included, is dropped here.
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
    const again = complaint === undefined ? [] : [new HumanMessage(`Your last answer could not be used: ${complaint}\nAnswer again.`)];
    const messages = [...question.messages, ...again];
    const structured = model.withStructuredOutput(z.toJSONSchema(question.schema), { name: question.name, includeRaw: true });
    let answer: { readonly raw: BaseMessage; readonly parsed: unknown };
    try {
      answer = await structured.invoke(messages, { timeout: timeoutMs });
    } catch (error) {
      budget.charge(lengthOf(messages));
      problems.push(messageOf(error).slice(0, COMPLAINT));
      // Some clients parse what they receive, and throw: that was an answer.
      return error instanceof SyntaxError ? "unusable" : "silent";
    }
    budget.charge(tokensOf(answer.raw) ?? lengthOf([...messages, answer.raw]));
    try {
      if (answer.parsed === null) throw new MindAnswerInvalid(question.name, "it is not one JSON object of the form asked for");
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
