import { z } from "zod";
import { agreementOf } from "../../agreements/index.ts";
import { type Obligation, obligationSchema } from "../../clearing/obligation.ts";
import { claimFileSchema } from "../../execution/claims.ts";
import { clearingRecordSchema } from "../../execution/clearing-record.ts";
import { assessmentSchema, FREEZE_REASONS } from "../../execution/guardian/assess.ts";
import { watchLimits } from "../../execution/guardian/terms.ts";
import { claimInWords, clearingInWords } from "../../execution/work-in-words.ts";
import { canonicalJson, parseJsonBytes } from "../../primitives/json.ts";
import { type Command, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { mayReadOf } from "../reading.ts";
import { address, count, hash } from "../wire.ts";
import { missionNamed } from "./missions.ts";
import { adjudicatorOf } from "./panel.ts";

/** The settlement token's, in agreements: its decimals are those of the token. */
const CURRENCY = "USDC";

const share = z.number().min(0).max(1);
const id = z.string();

export const clearingsOutput = z.strictObject({
  /** Each awarded slot as an agreement: by attempt, then by slot. */
  agreements: z.array(z.strictObject({ attempt: count, slot: count, obligationHash: hash, document: z.record(z.string(), z.json()) })),
  /** Each executor's claim about its output, and the result of an issuer's check. */
  claims: z.array(
    z.strictObject({ attempt: count, slot: count, by: id, says: z.string(), status: z.string(), method: z.string(), checkedBy: id }),
  ),
  /** The Guardian's measurements of each run, in order; no scores while the service's history was too short. */
  watched: z.array(
    z.strictObject({
      service: hash,
      agent: address,
      /** Completed tasks that it was compared with. */
      tasks: count,
      /** Standard deviations beyond the mean of these, by scorer. */
      scores: z.array(z.strictObject({ scorer: z.string(), z: z.number() })),
      reason: z.enum(FREEZE_REASONS).nullable(),
      /** Whether re-execution by an issuer gave the same; null if there was no anomaly. */
      repeated: z.boolean().nullable(),
    }),
  ),
  /** The constitution's limits for this mission: standard deviations by both scorers, tools and messages of a run. */
  limits: z.strictObject({ deviation: z.number(), tools: count, messages: count }),
  /** How each attempt was decided, from the evidence to the decision. */
  clearings: z.array(
    z.strictObject({
      attempt: count,
      floor: z.string(),
      items: z.array(z.strictObject({ id, type: z.string(), evidenceClass: z.string(), by: id, counted: z.boolean() })),
      verdicts: z.array(
        z.strictObject({
          ...{ by: id, question: z.string(), verdict: z.string(), confidence: share },
          /** Findings by each kind of check that the law requires. */
          kinds: z.array(z.strictObject({ kind: z.string(), verdict: z.string(), score: share, model: z.string().nullable() })),
        }),
      ),
      /** The panel's findings by kind, in number of verifiers; `human` is a person's act, shown with the node. */
      kinds: z.array(z.strictObject({ kind: z.string(), passed: count, failed: count, silent: count })),
      minConfidence: share,
      performance: z.string(),
      policy: z.string(),
      confidence: z.strictObject({ performance: share, policy: share }),
      basis: z.string(),
      floorMet: z.boolean(),
      missing: z.array(z.string()),
    }),
  ),
});

type Named = Awaited<ReturnType<typeof missionNamed>>;
const input = z.strictObject({ mission: address, node: count.max(255) });

/** Documents about a node, in the order recorded; those that this city does not store are left out. */
async function recordsOf<Content>(world: World, missionId: `0x${string}`, nodeId: number, name: string, schema: z.ZodType<Content>) {
  const found: Content[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await world.hub.query({ missionId, nodeId, name, limit: 200, cursor });
    for (const { payloadCid, isCorrected } of page.events)
      if (!isCorrected && world.blocks.has(payloadCid)) found.push(schema.parse(parseJsonBytes(world.blocks.get(payloadCid))));
    cursor = page.next;
  }
  return found;
}

async function clearingsOf(world: World, { mission, missionId }: Named, node: number): Promise<z.input<typeof clearingsOutput>> {
  const [undertaken, claims, records, assessments, terms] = await Promise.all([
    recordsOf(world, missionId, node, "execution.obligation", obligationSchema),
    recordsOf(world, missionId, node, "execution.claim", claimFileSchema),
    recordsOf(world, missionId, node, "execution.clearing", clearingRecordSchema),
    recordsOf(world, missionId, node, "execution.watch", assessmentSchema),
    watchLimits(world.client, mission),
  ]);
  const watched = await Promise.all(
    assessments.map(async ({ service, window, scores, anomaly, repeated }) => ({
      ...{ service, agent: await world.client.services.ownerOf(service), tasks: window.tasks, repeated },
      scores: scores.map(({ scorer, z: deviations }) => ({ scorer, z: deviations })),
      reason: anomaly?.reason ?? null,
    })),
  );
  /** An id begins with its account. */
  const accountOf = (named: string) => named.split("/")[0] ?? named;
  const clearings = records.map((record) => clearingInWords(record, accountOf));
  return {
    agreements: undertaken.flatMap((each) => awardedUnder(each, world.client.chain.id)),
    claims: claims.map((claim) => claimInWords(claim, accountOf)),
    watched,
    limits: { deviation: terms.deviation / 100, tools: terms.tools, messages: terms.messages },
    clearings: clearings.map((each) => ({
      ...each,
      items: [...each.items],
      verdicts: each.verdicts.map((verdict) => ({ ...verdict, kinds: [...verdict.kinds] })),
      kinds: [...each.kinds],
      missing: [...each.missing],
    })),
  };
}

function awardedUnder(obligation: Obligation, chain: number): z.input<typeof clearingsOutput>["agreements"] {
  const { attempt } = z.object({ attempt: z.int() }).parse(obligation.task);
  return (obligation.settlement_policy?.release?.promises ?? []).map((_, slot) => {
    const document = agreementOf(obligation, { slot, chain: `eip155:${chain}`, currency: CURRENCY });
    return { attempt: attempt + 1, slot, obligationHash: obligation.obligation_hash, document: JSON.parse(canonicalJson(document)) };
  });
}

export const clearingCommands: readonly Command[] = [
  command({
    name: "get_clearings",
    method: "GET",
    path: "/v1/missions/{mission}/nodes/{node}/clearings",
    group: "Missions",
    doc: "Why a node was cleared or not: its awarded slots as agreements, claims, the Guardian's measurements, evidence with its classes, verdicts, decision. While the mission is running, only for those with a part in the node.",
    access: "reader",
    cost: 5,
    input,
    output: clearingsOutput,
    async run(world, { mission: named, node }, caller) {
      const found = await missionNamed(world, named);
      if (!(await mayReadOf(world, caller, "verdict", { ...found, node })))
        throw new Refused("NotAllowed", "The work of a running mission is withheld", {
          action: "ask again when it is over; adjudicators may ask get_sealed_clearings",
        });
      return clearingsOf(world, found, node);
    },
  }),
  command({
    name: "get_sealed_clearings",
    method: "GET",
    path: "/v1/missions/{mission}/nodes/{node}/sealed-clearings",
    group: "Panel",
    doc: "The same while the mission is running, for seated adjudicators.",
    access: "bearer",
    cost: 5,
    input,
    output: clearingsOutput,
    async run(world, { mission, node }, caller) {
      await adjudicatorOf(world, caller);
      return clearingsOf(world, await missionNamed(world, mission), node);
    },
  }),
];
