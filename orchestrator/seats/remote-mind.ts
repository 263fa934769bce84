import type { z } from "zod";
import { SeatAbsent } from "../minds/absence.ts";
import type { Goal } from "../minds/goal.ts";
import { goalText } from "../minds/goal-text.ts";
import { layOut } from "../minds/layout.ts";
import { type DebateView, type DraftRequest, isBarred, type Mind, requirePermutation, requirePublished } from "../minds/mind.ts";
import { messageOf } from "../primitives/errors.ts";
import type { Address, ContentId } from "../primitives/hex.ts";
import { CALLS, type CallName, type CallRequest } from "../protocol/calls.ts";
import type { LawShape } from "../protocol/law-shape.ts";
import type { LawText, SESSION_CALLS } from "../protocol/session-calls.ts";
import type { Mailbox } from "./mailbox.ts";

/** A session's decisions, made by calls. Every question may fail with SeatAbsent; invalid answers are refused and asked for again. */
export function sessionMind(
  who: { readonly name: string; readonly address: Address },
  mailbox: Mailbox,
): Pick<Mind, keyof typeof SESSION_CALLS> {
  /** A question with its documents. Throws SeatAbsent for one that is too large to send. */
  function written<Kind extends CallName>(kind: Kind, question: unknown, documents: readonly (ContentId | undefined)[]) {
    const request = CALLS[kind].request.safeParse(question);
    if (!request.success) throw new SeatAbsent(who.name, kind, messageOf(request.error).slice(0, 500));
    mailbox.grant(
      who.address,
      documents.filter((id) => id !== undefined),
    );
    return request.data as CallRequest<Kind>;
  }

  function common(kind: CallName, { place, goal, facts, failed }: DraftRequest) {
    if (place === undefined) throw new SeatAbsent(who.name, kind, "agents elsewhere are asked in sessions only");
    const { session, stage, round } = place;
    const { producers } = facts;
    return { session: String(session), stage, round, goal: goalText(goal), producers, ...(failed === undefined ? {} : { failed }) };
  }

  return {
    async draft(request) {
      const { goal, barred } = request;
      const asked = written("draft", { ...common("draft", request), ...(barred === undefined ? {} : { barred }) }, []);
      return mailbox.ask(who, "draft", asked, async (shape) => draftProblem(goal, shape, barred));
    },
    async speak(request) {
      const { about: shape, candidate: number = null, document, debate } = request;
      const law = { number, document: document ?? null, shape };
      const asked = written("speak", { ...common("speak", request), law, ...debateText(debate) }, [document]);
      return mailbox.ask(who, "speak", asked, async (speech) => problemIn(() => requirePublished(speech, debate?.evidence ?? [])));
    },
    async rank(request) {
      const { candidates, debate } = request;
      const laws = candidates.map(({ number, document, shape, goal, failed }) => ({
        ...({ number, document: document ?? null, shape } satisfies LawText),
        ...(goal === undefined ? {} : { goal: goalText(goal) }),
        ...(failed === undefined ? {} : { failed }),
      }));
      const documents = candidates.map(({ document }) => document);
      const asked = written("rank", { ...common("rank", request), laws, ...debateText(debate) }, documents);
      const numbers = candidates.map(({ number }) => number);
      return mailbox.ask(who, "rank", asked, async (ranking) => problemIn(() => requirePermutation(ranking, numbers)));
    },
  };
}

function debateText(debate: DebateView | undefined) {
  if (debate === undefined) return {};
  const { evidence, heard } = debate;
  return {
    debate: {
      evidence: evidence.map(({ id, kind, agent, candidate, facts }) => ({ id, kind, agent, candidate, facts })),
      heard: heard.map(({ speaker, round, about, text, ground, evidence: cited }) => ({
        ...{ speaker, round, about, text, ground },
        evidence: cited,
      })),
    },
  };
}

function draftProblem(goal: Goal, shape: z.output<typeof CALLS.draft.answer>, barred: readonly LawShape[] | undefined): string | undefined {
  if (isBarred(shape, barred)) return "this structure was tried before and failed";
  return problemIn(() => layOut(goal, shape));
}

/** The message of a failed check; undefined if it passes. */
function problemIn(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
