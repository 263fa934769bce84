import { saidSchema } from "../../clearing/findings.ts";
import { type Obligation, obligationHash } from "../../clearing/obligation.ts";
import { parametersIn } from "../../client/editions.ts";
import { claimFileSchema } from "../../execution/claims.ts";
import {
  asChainDecision,
  type ClearingRecord,
  clearingRecordSchema,
  engineOf,
  itemId,
  type Panel,
  roleOf,
  type Standing,
  seatOf,
  weightsOf,
} from "../../execution/clearing-record.ts";
import { signedItemSchema } from "../../execution/evidence.ts";
import { type NodeTerms, termsOfNode } from "../../execution/obligation.ts";
import { branchAbove, lastTimeOf, predicatesOf } from "../../execution/obligations.ts";
import { sealedSchema, workSchema } from "../../execution/work.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { parseContentId } from "../../primitives/hash.ts";
import { field } from "../../primitives/values.ts";
import { evidenceClasses, questions, verdictResults } from "../../protocol/evidence.ts";
import { REFUTATION } from "../../rules/admissibility.ts";
import { unpackMissionParams } from "../../rules/mission-params-codec.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import { claimOutcome, recomputeClearing } from "./documents.ts";
import { findingsAgain, workIn } from "./findings.ts";
import { type HandedIn, handedIn } from "./handed-in.ts";
import type { SlotHistory } from "./history.ts";
import type { Check, Inspection } from "./inspection.ts";
import { strayCommitments } from "./stray.ts";
import { panelOf } from "./verdicts.ts";
import { recordOf } from "./works.ts";

/** Every output was claimed by its executor, and an issuer signed the outcome of its check (Pramana 2). */
export const claims: Check = {
  name: "CLAIMS",
  what: "every output's claim: whose it is, what it says, how its check ended, the issuer's signature, the trail of its life",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const isStray = await strayCommitments(context);
    for (const executor of context.history.slots) {
      if (executor.revealed === undefined || isStray(executor)) continue;
      const { node, slot, attempt } = executor;
      const subject = `claim of ${context.label(node)}, slot ${slot}${attempt === 0 ? "" : `, attempt ${attempt + 1}`}`;
      await seen.part(subject, () => claim(context, seen, executor, subject));
    }
  },
};

async function claim(
  { log, block, hasBlock, mission, record, bundle }: AuditContext,
  seen: Inspection,
  executor: SlotHistory,
  subject: string,
): Promise<void> {
  const { node, attempt, slot, agent, service, revealed } = executor;
  const place = [mission, node, attempt, slot];
  const context = { log, block, hasBlock };
  const found = recordOf(context, "execution.claim", place, claimFileSchema);
  const [item] = recordOf(context, "execution.evidence", place, signedItemSchema.array())?.value ?? [];
  const sealed = recordOf(context, "execution.sealed", place, sealedSchema)?.value;
  const handed = sealed?.sealedHash ?? revealed?.outputHash;
  if (!seen.holds(found !== undefined && item !== undefined && revealed !== undefined, subject, "has no record in the log")) return;
  if (found === undefined || item === undefined || revealed === undefined || handed === undefined) return;
  const file = blockFile(found.id);
  const { claim: said } = found.value;
  seen.same([said.claim_id, said.attester_id], [["claim", ...place].join("/"), agent], `${subject}: whose it is`, file);
  const code = record.events("ServiceContract", "ServiceRegistered").find(({ args }) => args.service === service)?.args.codeHash;
  if (said.claim_type === "inference") {
    seen.same(said.conclusion, `output ${revealed.outputHash}`, `${subject}: what it concludes`, file);
    seen.same(said.premises[1], `code ${code}`, `${subject}: by which code`, file);
  } else {
    const value = said.claim_type === "measurement" ? said.measured_value : undefined;
    seen.same(value, handed, `${subject}: what was handed in`, file);
  }
  let source: Uint8Array | undefined;
  await seen.part(`${subject}: what was handed in`, () => {
    const work = sealed === undefined ? recordOf(context, "execution.work", place, workSchema)?.value : undefined;
    const bytes = sealed?.sealedId ?? (work?.ok === true ? work.outputId : undefined);
    const id = bytes === undefined ? undefined : parseContentId(bytes);
    source = id !== undefined && hasBlock(id) ? bundle.bytes(blockFile(id)) : undefined;
  });
  claimOutcome(seen, { subject, file, claimed: found.value, item, handed, source });
}

/**
 * Each clearing once more, from its documents: real signatures, the registry as the chain has it, the library's own Γ. What it decides
 * has to be what the documents say and what the chain decided.
 */
export const decisions: Check = {
  name: "DECISIONS",
  what: "every clearing again from its documents: obligation, evidence, verdicts, what each found by which kind of judging, and their signatures; against the chain's decision",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const cleared = context.record.events("CollaborationContract", "Cleared");
    const isStray = await strayCommitments(context);
    for (const order of await handedIn(context)) {
      const { at, hash } = order;
      const event = cleared.find((each) => each.hash === hash && each.args.node === order.node);
      if (event === undefined) continue;
      const { node, attempt } = event.args;
      const subject = `clearing of ${context.label(node)}${attempt === 0 ? "" : `, attempt ${attempt + 1}`}`;
      await seen.part(subject, async () => {
        const drawn = context.history.drawBlockAt(node, at) ?? 0n;
        const place = [context.mission, node, attempt, drawn];
        const found = recordOf(context, "execution.clearing", place, clearingRecordSchema);
        if (!seen.holds(found !== undefined, subject, "has no documents in the log") || found === undefined) return;
        const clearing: Clearing = { at, node, attempt, subject, file: blockFile(found.id), order, record: found.value };
        const { present, ...others } = await standingsAt(context, clearing);
        const known = { ...others, present: present.filter((executor) => !isStray(executor)) };
        documents(context, seen, clearing, known);
        const of = (kind: string, at: readonly string[]) =>
          context.log.findLast((entry) => entry.kind === kind && entry.subjects.join("/") === at.join("/"))?.content ?? undefined;
        const about = place.map(String);
        findingsAgain(seen, {
          ...{ subject, file: clearing.file, record: found.value, law: known.terms.law },
          workOf: (slot) => workIn({ of, block: context.block, hasBlock: context.hasBlock }, about.slice(0, 3), slot),
          saidOf: (verifier) => recordOf(context, "execution.semantic", [...place, verifier], saidSchema)?.value,
        });
        const has = asChainDecision(found.value);
        const { result, confidence, evidenceClass, basis, score, agreeing } = event.args;
        seen.same(
          has,
          { result, confidence, evidenceClass, basis, score, agreeing },
          `${subject}: the documents' decision against the chain's`,
          clearing.file,
        );
      });
    }
  },
};

interface Clearing {
  readonly at: bigint;
  readonly node: number;
  readonly attempt: number;
  readonly subject: string;
  readonly file: string;
  readonly order: HandedIn;
  readonly record: ClearingRecord;
}

/** What chain and law say of a clearing. */
interface Known {
  readonly terms: NodeTerms;
  readonly panel: Panel;
  readonly standings: readonly Standing[];
  /** Executors whose work was open by then. */
  readonly present: readonly SlotHistory[];
}

function documents(context: AuditContext, seen: Inspection, clearing: Clearing, { terms, panel, standings, present }: Known): void {
  const { subject, file, record, node, attempt, order } = clearing;
  const { obligation, envelope, outputs } = record;
  const undertaken = obligationHash(termsOfNode(terms));
  seen.same(obligation.obligation_hash, undertaken, `${subject}: the obligation against law and chain`, file);
  seen.same(record.weights, weightsOf(panel, terms.law.questions), `${subject}: the verifiers' weights`, file);

  const shown = present.flatMap(
    ({ slot }) => recordOf(context, "execution.evidence", [context.mission, node, attempt, slot], signedItemSchema.array())?.value ?? [],
  );
  const against = order.items.filter(({ index }) => index === REFUTATION);
  const evidence = [...shown, ...against.map((item) => ({ ...item, class: evidenceClasses[item.class] }))];
  seen.same(
    envelope.items
      .filter(({ type }) => type !== "claim")
      .map(({ id, class: own, provenance, content }) => [id, own, provenance[0]?.emitter, field(content, "payload")]),
    evidence.map(({ class: own, payload, ...item }) => [itemId(item), own, item.issuer, payload]),
    `${subject}: the envelope against the evidence on chain`,
    file,
  );
  seen.same(
    bySeat(
      outputs.map(({ verifier, verdict, confidence, score = 0, agreeing = [] }) => [
        verifier,
        verdict,
        Math.round(confidence * BASIS_POINTS),
        Math.round(score * BASIS_POINTS),
        agreeing,
      ]),
    ),
    bySeat(
      order.verdicts.map(({ verifier, question, result, confidence, score, agreeing }) => [
        seatOf(verifier, questions[question] ?? "POLICY"),
        verdictResults[result],
        confidence,
        score,
        terms.executors.flatMap(({ slot, agent }) => (((agreeing >> slot) & 1) === 1 ? [agent] : [])),
      ]),
    ),
    `${subject}: the outputs against the verdicts on chain`,
    file,
  );

  // Who bids takes the law's terms on, and who pays for the law does: nobody signs them again.
  const undertook = (one: Obligation) => one.obligation_hash === undertaken;
  recomputeClearing(seen, { subject, file, record, standings, undertook });
}

/** Parties, issuers and verifiers of a clearing, as the chain's registries had them at the time. */
export async function standingsAt(context: AuditContext, { at, node, attempt }: Pick<Clearing, "at" | "node" | "attempt">): Promise<Known> {
  const { history, roles, law, document, client, mission, session, record: chain } = context;
  const { verifiers, issuers, runners } = roles.before(at);
  const own = law.nodes[node];
  const said = document.document.nodes[node];
  const opened = chain.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  if (own === undefined || said === undefined || opened === undefined) throw new RangeError(`no law for node ${node}`);
  const params = unpackMissionParams(opened.args.params);
  const { sponsor } = await client.mission(mission).context();
  const above = await branchAbove(client, session);
  const requestor = above?.house ?? sponsor;
  const panel = await panelOf(context, { at, node, attempt });
  const awarded = history.executors(node, attempt);
  const asked = said.questions;
  const standings: Standing[] = [
    // A mission below asks with the sponsor's money: who vouches for work there is not of the sponsor's principal either.
    { id: requestor, principal: sponsor },
    ...awarded.map(({ agent }) => ({ id: agent, principal: roles.principalOf(agent) })),
    ...[...issuers].map(([id, { principal, classes }]) => ({
      id,
      principal,
      issues: evidenceClasses.filter((_, code) => (classes >> code) % 2 === 1),
    })),
    ...verifiers.flatMap(({ address, principal }) =>
      asked.map((question) => ({ id: seatOf(address, question), principal, role: roleOf(question) })),
    ),
    ...[...runners].map(([runner, principal]) => ({ id: engineOf(runner), principal, role: "engine" as const })),
  ];
  return {
    terms: {
      obligation: history.obligation(node, attempt),
      requestor,
      executors: awarded.map(({ slot, agent, price }) => ({ slot, agent, price })),
      mission,
      attempt,
      law: { ...said, floor: evidenceClasses[own.floor] ?? said.floor, timeout: own.timeout },
      predicates: predicatesOf(document.document, said),
      minConfidence: params.minConfidence[own.risk] ?? 0,
      stake: await parametersIn(client, params.edition).units(`MIN_STAKE_${said.risk}`),
      rates: params,
      appealWindow: params.appealWindows[own.band] ?? 0,
      parent: above?.obligation,
      mandate: document.document,
      boundAt: await lastTimeOf(
        client,
        awarded.map(({ bound }) => bound),
      ),
    },
    panel,
    standings,
    present: awarded.filter(({ revealed }) => revealed !== undefined && revealed.at < at),
  };
}

/** A wave lists verdicts by verifier, a document by place in the panel. */
const bySeat = <Row extends readonly [seat: string, ...unknown[]]>(rows: readonly Row[]): Row[] =>
  [...rows].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
