import { z } from "zod";
import { claimFileSchema } from "../../execution/claims.ts";
import { clearingRecordSchema } from "../../execution/clearing-record.ts";
import { assessmentSchema, FREEZE_REASONS } from "../../execution/guardian/assess.ts";
import { watchLimits } from "../../execution/guardian/terms.ts";
import { claimInWords, clearingInWords } from "../../execution/work-in-words.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import { type Command, command, type World } from "../command.ts";
import { Refused } from "../errors.ts";
import { mayReadOf } from "../reading.ts";
import { address, count, hash } from "../wire.ts";
import { missionNamed } from "./missions.ts";
import { adjudicatorOf } from "./panel.ts";

const share = z.number().min(0).max(1);
const id = z.string();

export const clearingsOutput = z.strictObject({
  /** What each executor claimed of its output, and how an issuer's check of it ended. */
  claims: z.array(
    z.strictObject({ attempt: count, slot: count, by: id, says: z.string(), status: z.string(), method: z.string(), checkedBy: id }),
  ),
  /** What the Guardian measured of each run, in order; no scores while it knew too little of the service's own past. */
  watched: z.array(
    z.strictObject({
      service: hash,
      agent: address,
      /** Completed tasks that it was compared with. */
      tasks: count,
      /** Standard deviations beyond the middle of these, by scorer. */
      scores: z.array(z.strictObject({ scorer: z.string(), z: z.number() })),
      reason: z.enum(FREEZE_REASONS).nullable(),
      /** An issuer that ran the same code on the same input got the same; null where nothing stood out. */
      repeated: z.boolean().nullable(),
    }),
  ),
  /** What the constitution allows this mission: standard deviations by both scorers, tools and messages of a run. */
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
          /** What it found by each kind of judging that the law asks for. */
          kinds: z.array(z.strictObject({ kind: z.string(), verdict: z.string(), score: share, model: z.string().nullable() })),
        }),
      ),
      /** What the panel found by each of them, in verifiers; `human` is a person's act, and stands with the node. */
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

/** Documents about a node, in the order in which they were recorded; what this city does not keep is left out. */
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
  const [claims, records, assessments, terms] = await Promise.all([
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

export const clearingCommands: readonly Command[] = [
  command({
    name: "get_clearings",
    method: "GET",
    path: "/v1/missions/{mission}/nodes/{node}/clearings",
    group: "Missions",
    doc: "Why a node cleared or not: claims, what the Guardian measured, evidence with its classes, verdicts, decision. While the mission runs, for those who have a part in the node.",
    access: "reader",
    cost: 5,
    input,
    output: clearingsOutput,
    async run(world, { mission: named, node }, caller) {
      const found = await missionNamed(world, named);
      if (!(await mayReadOf(world, caller, "verdict", { ...found, node })))
        throw new Refused("NotAllowed", "Work of a mission that runs is withheld", {
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
    doc: "The same while the mission runs, for adjudicators who have a seat.",
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
