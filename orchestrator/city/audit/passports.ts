import { zeroHash } from "viem";
import type { Passport } from "../../clearing/passport.ts";
import { type ClearingRecord, cityDeployment, clearingRecordSchema } from "../../execution/clearing-record.ts";
import { exitSchema } from "../../execution/exits.ts";
import { factsOf } from "../../execution/judging.ts";
import {
  type Concluded,
  indexAfter,
  indexDigest,
  type Judged,
  nextWeight,
  type Passports,
  passportAmong,
  passportsAfter,
  passportsSchema,
  slotsIn,
} from "../../execution/passports.ts";
import { type ServiceSchemas, serviceSchemasSchema } from "../../execution/sandbox/run.ts";
import { finalitySchema, settlementSchema } from "../../execution/settlement-record.ts";
import { composeInput, hashesOf, resultSchema, sealedSchema, workSchema } from "../../execution/work.ts";
import { keccak256, parseContentId } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject } from "../../primitives/json.ts";
import { TIER } from "../../primitives/tier.ts";
import type { MissionNode } from "../../protocol/mission-document.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import { catalogSchemas } from "../founding/services.ts";
import type { AuditContext } from "./context.ts";
import { standingsAt } from "./decisions.ts";
import type { Check, Inspection } from "./inspection.ts";
import { END } from "./settlements.ts";
import { overridesIn, recordOf } from "./works.ts";

/** What the mission's final clearings mean for passports, folded again; what the Regulator posted of it, and whose weight it moved. */
export const passports: Check = {
  name: "PASSPORTS",
  what: "what final clearings change in passports, basis audits included, folded again; what was posted of it, and every weight that moved",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const { record, log, mission } = context;
    const posts = record.events("EvidenceRegistry", "PassportsPosted");
    const previous: readonly Hash[] = [zeroHash, ...posts.map(({ args }) => args.passports)];
    const written = log.filter(({ kind, subjects }) => kind === "execution.passports" && subjects[0] === mission);
    for (const [place, { args, at }] of posts.entries()) {
      const from = previous[place] ?? zeroHash;
      const found = recordOf(context, "execution.passports", [mission, from], passportsSchema);
      if (found === undefined || indexDigest(indexAfter(found.value)) !== args.passports) continue;
      await seen.part(`passports after ${mission}`, async () => {
        await folded(context, seen, { from, file: blockFile(found.id), said: found.value });
        moved(seen, found.value, { ...args, file: blockFile(found.id) }, context.roles.before(at).verifiers);
      });
      return;
    }
    // A Regulator elsewhere posts nothing, and nothing says that it must.
    seen.holds(written.length === 0 || posts.length === 0, "passports of this mission", "are in the log, and were never posted");
  },
};

interface Found {
  readonly from: Hash;
  readonly file: string;
  readonly said: Passports;
}

async function folded(context: AuditContext, seen: Inspection, { from, file, said }: Found): Promise<void> {
  const start = Object.keys(said.before).length === 0 ? zeroHash : indexDigest(said.before);
  seen.same(start, from, "the passports that were posted before", file);
  const known: readonly Passport[] = said.changed.map(({ before }) => before);
  const again = passportsAfter(said.before, await finalClearings(context), (subject, digest) => passportAmong(known, subject, digest));
  seen.same(said.verdicts, again.verdicts, "verdicts against what was decided, and audits of their bases", file);
  seen.same(said.changed, again.changed, "passports, folded again", file);
}

/** Each weight that moved went a step towards what its passport is worth. That others stay, and how often they move, is the contract's to see to. */
function moved(
  seen: Inspection,
  { changed }: Passports,
  post: {
    readonly verifiers: readonly string[];
    readonly weights: readonly number[];
    readonly before: readonly number[];
    readonly file: string;
  },
  known: readonly { readonly address: string; readonly weight: number }[],
): void {
  for (const [place, verifier] of post.verifiers.entries()) {
    const passport = changed.find(({ after }) => after.subject === verifier)?.after;
    const name = `weight of ${verifier}`;
    const had = known.find(({ address }) => address === verifier)?.weight;
    if (!seen.holds(passport !== undefined, name, "was moved, and its passport did not change", post.file) || passport === undefined)
      continue;
    seen.same(post.before[place], had, `${name} before`, post.file);
    seen.same(post.weights[place], nextWeight(had ?? 0, passport), name, post.file);
  }
}

/** From the log alone, in the order of nodes and attempts. */
export async function finalClearings(context: AuditContext): Promise<readonly Concluded[]> {
  const { document, history, mission } = context;
  const found: Concluded[] = [];
  for (const law of document.document.nodes) {
    if (law.mission !== undefined) continue;
    for (let attempt = 0; attempt <= history.attemptAt(law.number, END); attempt += 1) {
      const place = [mission, law.number, attempt];
      const final = recordOf(context, "execution.finality", place, finalitySchema)?.value;
      const last = lastOf(context, place);
      const left = recordOf(context, "execution.exit", place, exitSchema)?.value;
      const isFinal = final?.evaluation.phi_result === true && last !== undefined;
      if (left === undefined && !isFinal) continue;
      const { standings } = await standingsAt(context, { at: END, node: law.number, attempt });
      if (left !== undefined)
        found.push({ exit: left.exit, world: cityDeployment({ [left.exit.clearing_engine]: left.engine }, standings) });
      if (!isFinal) continue;
      const record = recordOf(context, "execution.clearing", [...place, last.drawBlock], clearingRecordSchema)?.value;
      const { evaluation, deltas, engine } = final;
      const world = cityDeployment({ ...record?.keys, [evaluation.clearing_engine]: engine }, standings);
      const isOverruled = overridesIn(context, place).some(({ override }) => override.exonerated !== undefined);
      if (record === undefined || last.instruction.override_id !== undefined || isOverruled) {
        if (deltas.length > 0) found.push({ evaluation, deltas, world, judged: undefined });
        continue;
      }
      found.push({ evaluation, deltas, world, judged: await judgedIn(context, law, attempt, record, world) });
    }
  }
  return found;
}

/** What a panel judged, as far as the log holds it. */
async function judgedIn(
  context: AuditContext,
  law: MissionNode,
  attempt: number,
  record: ClearingRecord,
  world: Judged["world"],
): Promise<Judged> {
  const { document, history, mission, block } = context;
  const place = [mission, law.number, attempt];
  const works = slotsIn(record).map((slot) => {
    const work = recordOf(context, "execution.work", [...place, slot], workSchema)?.value;
    const sealed = recordOf(context, "execution.sealed", [...place, slot], sealedSchema)?.value;
    const output = work?.ok === true ? block(parseContentId(work.outputId)) : undefined;
    return { slot, ...hashesOf(work, sealed), output: isObject(output) ? output : undefined };
  });
  const terms = law.tier !== TIER.CONSENSUS || law.agree === null ? undefined : { ...law.agree, threshold: law.threshold };
  const isRuled = law.verifiers?.includes("constraint") === true || law.questions.includes("POLICY");
  const by = {
    schemasOf: async (slot: number) => schemasOf(context, history.slot(law.number, attempt, slot)?.service),
    input: async () => inputOf(context, law),
  };
  const facts = isRuled ? await factsOf({ document: document.document, items: inputItems(context) }, { law }, works, by) : undefined;
  return { record, world, works, terms, facts };
}

function inputItems({ items }: AuditContext): (JsonObject & { readonly id: string })[] {
  return items.flatMap((item) => (isObject(item) && typeof item["id"] === "string" ? [{ ...item, id: item["id"] }] : []));
}

/** What a node was given, from the mission's input and its predecessors' results. */
function inputOf(context: AuditContext, law: MissionNode): JsonObject {
  const results = law.after.map((number) => {
    const result = recordOf(context, "execution.result", [context.mission, number], resultSchema)?.value;
    const output = result && context.block(parseContentId(result.outputId));
    return { number, dissent: result?.dissent ?? [], output: isObject(output) ? output : {} };
  });
  return composeInput({ document: context.document.document, items: inputItems(context) }, law, results);
}

/** The schemas that a service was registered with: those in the log if they are these, else the catalogue's. */
export function schemasOf(context: AuditContext, service: Hash | undefined): ServiceSchemas | undefined {
  const registered = context.record.events("ServiceContract", "ServiceRegistered").find(({ args }) => args.service === service)?.args;
  if (registered === undefined) return undefined;
  const kept = recordOf(context, "execution.schemas", [context.mission, registered.service], serviceSchemasSchema)?.value;
  const isThis = kept !== undefined && keccak256(canonicalBytes(kept)) === registered.schemaHash;
  return isThis ? kept : catalogSchemas(registered.endpoint, registered.schemaHash);
}

function lastOf(context: AuditContext, place: readonly (string | number)[]) {
  for (let number = 0, last: ReturnType<typeof settlementSchema.parse> | undefined; ; number += 1) {
    const next = recordOf(context, "execution.settlement", [...place, number], settlementSchema);
    if (next === undefined) return last;
    last = next.value;
  }
}
