import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { type Judge, opinionSchema } from "../clearing/mesh.ts";
import { canonicalJson } from "../primitives/json.ts";
import { askModel } from "./ask-model.ts";
import { TokenBudget } from "./token-budget.ts";

/** Tokens for one question with its second try. */
const TOKENS = 40_000;
const ANSWER_TIMEOUT_MS = 40_000;

/** The environment's variable that names the models, separated by commas, by which a city's own verifiers judge what no rule can. */
export const JUDGE_VARIABLE = "AGENTCITY_JUDGE";

/** A chat model by its name as a verifier's judge. It answers in a form or not at all: whatever else it writes is dropped here. */
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
