import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { type Judge, opinionSchema } from "../clearing/mesh.ts";
import { canonicalJson } from "../primitives/json.ts";
import { askModel } from "./ask-model.ts";
import { TokenBudget } from "./token-budget.ts";

/** Tokens for one question and its repetition. */
const TOKENS = 40_000;
const ANSWER_TIMEOUT_MS = 40_000;

/** Environment variable with the comma-separated models that a city's own verifiers use for semantic checks. */
export const JUDGE_VARIABLE = "AGENTCITY_JUDGE";

/** A chat model as a verifier's judge. Only a structured answer counts; everything else is dropped here. */
export function chatJudge(name: string, open: () => Promise<BaseChatModel>): Judge {
  let opened: Promise<BaseChatModel> | undefined;
  return {
    model: name,
    async ask({ rules, text }) {
      opened ??= open();
      return askModel({ primary: await opened, timeoutMs: ANSWER_TIMEOUT_MS }, new TokenBudget(TOKENS), {
        name: "opinion",
        messages: [new SystemMessage(rules), new HumanMessage(text)],
        schema: opinionSchema,
        read: (answer) => canonicalJson({ ...answer, because: answer.because.toWellFormed() }),
      });
    },
  };
}
