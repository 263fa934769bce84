import { zeroAddress } from "viem";
import { TransactionReverted } from "../chain/errors.ts";
import { type CompiledLaw, compileLaw } from "../client/compile-law.ts";
import { plainestOf } from "../minds/options.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { digestOf } from "../primitives/hash.ts";
import type { Address } from "../primitives/hex.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";
import { isPlanned } from "../protocol/mission-file.ts";
import { planRecord } from "../protocol/mission-plan.ts";
import type { LegislatureContext, LegislatureOptions } from "./context.ts";
import { documentOf } from "./document.ts";
import { missionWith } from "./plan.ts";
import { draftsOf, formerLaws, isLawful, requestFor, tableOf } from "./propose.ts";
import { draftKey, type SessionState } from "./state.ts";

/** The reason stated in the office's draft. */
const REASON = "no producer's draft found its sponsors; this is the plainest law that goal and constitution allow";

/**
 * If no producer's draft found its sponsors, the Speaker drafts the plainest law (decision 75). No mind is asked: it follows from goal and
 * parameters alone, and the audit derives it again.
 */
export function officeDraft(context: LegislatureContext) {
  const { client, clerks, options } = context;
  const { speaker } = clerks;

  return {
    /**
     * Thinks: the plainest law, provided that anyone could derive it, and that the chain accepts a draft of the office and would validate
     * it.
     */
    async draftPlainest(state: SessionState): Promise<Partial<SessionState>> {
      if (!isDerivable(options)) return {};
      const house = await client.agents.principalOf(speaker.address);
      if (!(await mayDraft(context, BigInt(state.session), house))) return {};
      const { goal, facts } = requestFor(context, state.survey, speaker.address);
      const mission = missionWith(context, null);
      const shape = plainestOf(goal, facts.limits);
      const compiled = lawOrNone(() => documentOf(mission, options.inputs, goal, facts, shape));
      if (compiled === undefined) return {};
      if (formerLaws(context, state.barred).some(({ specHash }) => specHash === compiled.specHash)) return {};
      if (!(await isLawful(context, compiled, apartFrom(house, facts), house))) return {};
      for (const { plan } of mission.tasks) if (plan !== null) context.save(planRecord(plan));
      const { specHash } = compiled;
      const draft = context.save({ agent: speaker.address, shape, document: context.save(compiled.document), specHash, reason: REASON });
      const table = [...tableOf(context, state.table).filter((law) => law.specHash !== specHash), { shape, specHash }];
      return {
        drafts: { [draftKey(state.reading, speaker.address)]: draft },
        table: context.save(table.toSorted((a, b) => (a.specHash < b.specHash ? -1 : 1))),
      };
    },

    /** Sends: the Speaker's draft. It is void if a producer's draft finds its sponsors after all. */
    async sendDraft(state: SessionState): Promise<Partial<SessionState>> {
      const draft = draftsOf(context, state).find(({ agent }) => agent === speaker.address);
      if (draft === undefined) return {};
      const note = context.note("office-draft", [state.session, speaker.address], draft.document);
      try {
        await speaker.draft(BigInt(state.session), draft.specHash, digestOf(draft.document), context.step("draft", state.session, note));
      } catch (error) {
        if (!(error instanceof TransactionReverted) || error.errorName !== "NotNeeded") throw error;
      }
      await context.cross("legislature:office-drafted");
      return {};
    },
  };
}

/** The law of a document; undefined if the goal's budget cannot be divided so, or the law would be invalid. */
function lawOrNone(document: () => MissionDocument): CompiledLaw | undefined {
  try {
    return compileLaw(document());
  } catch (error) {
    if (error instanceof AgentCityError) return undefined;
    throw error;
  }
}

/** Whether the law follows from public facts: tasks named in the file, services of the city's catalogue, no parent mission. */
function isDerivable({ mission, child }: LegislatureOptions): boolean {
  return isPlanned(mission) && mission.services === null && child === undefined;
}

/** Facts without the producers of a principal: they neither bid under its law nor count as witnesses for it. */
export function apartFrom<Facts extends { readonly producers: readonly { readonly principal: Address }[] }>(
  house: Address,
  facts: Facts,
): Facts {
  return { ...facts, producers: facts.producers.filter(({ principal }) => principal !== house) };
}

/** The principal of the Speaker that drafted this candidate. */
export async function houseOf({ client }: LegislatureContext, session: bigint, candidate: number): Promise<Address> {
  return (await client.legislation.candidateOf(session, candidate)).principal;
}

/** Whether the chain accepts a draft of the office: the deposit is paid, its envelope permits drafting, and its principal (`house`) does not verify. */
async function mayDraft({ client, clerks: { speaker } }: LegislatureContext, session: bigint, house: Address): Promise<boolean> {
  const { sponsor, drafted } = await client.legislation.sessionOf(session);
  if (sponsor === zeroAddress || drafted !== 0 || !(await speaker.mayDraft())) return false;
  return !(await client.evidence.judges(house));
}
