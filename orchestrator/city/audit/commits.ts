import { signedItemSchema } from "../../execution/evidence.ts";
import { takesReceipts } from "../../execution/obligation.ts";
import { openWork } from "../../execution/sealed-work.ts";
import { type SealedWork, sealedSchema, workSchema } from "../../execution/work.ts";
import { keccak256, parseContentId } from "../../primitives/hash.ts";
import type { Hash, Hex } from "../../primitives/hex.ts";
import { EvidenceClass } from "../../rules/admissibility.ts";
import { commitmentOf, evidenceLeafOf, type Opening } from "../../rules/commitments.ts";
import { merkleRoot } from "../../rules/ordered-merkle.ts";
import { decodeCommitWave, decodeRevealWave, placeKey } from "../../rules/wire.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import type { ChainContext } from "./context.ts";
import { passedOver } from "./handed-in.ts";
import type { SlotHistory } from "./history.ts";
import type { ChainCheck, Inspection } from "./inspection.ts";
import { isAuthorised, isSignedBy } from "./signatures.ts";
import { strayCommitments } from "./stray.ts";
import { recordOf } from "./works.ts";

/** Every executor signed what it committed and opened exactly that (decision 19). */
export const pledges: ChainCheck = {
  name: "COMMITS",
  what: "signature of every commitment, its opening",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, history } = context;
    await alone(context, seen);
    for (const { hash, args } of record.calls("CollaborationContract", "commitWave")) await signedWave(context, seen, hash, args[0]);
    for (const { hash, args } of record.calls("CollaborationContract", "revealWave")) {
      for (const { node, slot, attempt, opening } of decodeRevealWave(args[0])) {
        if (!skipped(context, hash, { node, slot, attempt })) opened(context, seen, history.slot(node, attempt, slot), opening);
      }
    }
    for (const { at, hash, from, args } of record.calls("CollaborationContract", "checkpoint")) {
      const [{ pledges, deadline }] = args;
      for (const { node, openings, signatures } of pledges.filter((order) => !passedOver(context, hash, order.node))) {
        const executors = history.executors(node, history.attemptAt(node, at));
        for (const [slot, opening] of openings.entries()) {
          const executor = executors[slot];
          const [commitment, signature] = [
            executor === undefined ? undefined : commitmentFor(context, executor, opening),
            signatures[slot],
          ];
          if (commitment !== undefined && signature !== undefined)
            await signedCommit(context, seen, { at, from, node, slot, commitment, deadline, signature });
          opened(context, seen, executor, opening);
        }
      }
    }
  },
};

/** The same, and the opened hash is that of the output here. */
export const commits: ChainCheck = {
  name: "COMMITS",
  what: "signature of every commitment, its opening, and the output and trail behind it",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    await pledges.run(context, seen);
    const isStray = await strayCommitments(context);
    for (const executor of context.history.slots) {
      if (executor.revealed !== undefined && !isStray(executor))
        await seen.part(nameOf(context, executor), () => output(context, seen, executor));
    }
  },
};

/** Commitments that an executor sent by itself, or had sent one by one. */
async function alone(context: ChainContext, seen: Inspection): Promise<void> {
  const { record, history } = context;
  for (const { at, from, args } of record.calls("CollaborationContract", "commit")) {
    const [node, slot, commitment, deadline, signature] = args;
    await signedCommit(context, seen, { at, from, node, slot, commitment, deadline, signature });
  }
  for (const { at, from, args } of record.calls("CollaborationContract", "commitOpen")) {
    const [node, slot, opening, deadline, signature] = args;
    const executor = history.slot(node, history.attemptAt(node, at), slot);
    const commitment = executor === undefined ? undefined : commitmentFor(context, executor, opening);
    if (commitment !== undefined) await signedCommit(context, seen, { at, from, node, slot, commitment, deadline, signature });
    opened(context, seen, executor, opening);
  }
  for (const { at, args } of record.calls("CollaborationContract", "reveal")) {
    const [node, slot, opening] = args;
    opened(context, seen, history.slot(node, history.attemptAt(node, at), slot), opening);
  }
}

/** What the chain took of a wave is under one signature of each executor; what it passed over counts for nothing. */
async function signedWave(context: ChainContext, seen: Inspection, hash: Hash, bytes: Hex): Promise<void> {
  const { signers, pledges } = decodeCommitWave(bytes);
  const all = pledges.map((pledge) => {
    const { node, slot, attempt, signer } = pledge;
    const executor = context.history.slot(node, attempt, slot);
    const made = "opening" in pledge && executor !== undefined ? commitmentFor(context, executor, pledge.opening) : undefined;
    return { pledge, executor, signer, commitment: "commitment" in pledge ? pledge.commitment : made };
  });
  for (const { pledge, executor, commitment } of all) {
    if (skipped(context, hash, pledge)) continue;
    if (
      !seen.holds(executor !== undefined, `commitment at ${context.label(pledge.node)}, slot ${pledge.slot}`, "is by nobody who was bound")
    )
      continue;
    if (executor !== undefined) seen.same(executor.commitment, commitment, `commitment of ${nameOf(context, executor)}: recorded`);
    if ("opening" in pledge) opened(context, seen, executor, pledge.opening);
  }
  for (const [signer, { agent, deadline, signature }] of signers.entries()) {
    const own = all.filter((each) => each.signer === signer);
    if (own.every(({ pledge }) => skipped(context, hash, pledge))) continue;
    const message = {
      agent,
      slots: own.map(({ pledge }) => placeKey(pledge)),
      commitments: own.flatMap(({ commitment }) => commitment ?? []),
      deadline,
    };
    const subject = `commitments of ${agent} in one wave`;
    seen.holds(await isSignedBy(context, agent, "Commits", message, signature), subject, "are not signed by their executor");
    const strangers = own.filter(
      ({ pledge, executor }) => !skipped(context, hash, pledge) && executor?.agent.toLowerCase() !== agent.toLowerCase(),
    );
    seen.holds(strangers.length === 0, subject, "are for slots of another executor");
  }
}

/** Whether the chain passed over this entry of a wave. */
function skipped({ record }: ChainContext, hash: Hash, { node, slot, attempt }: Place): boolean {
  return record
    .events("CollaborationContract", "Skipped")
    .some(({ hash: of, args }) => of === hash && args.node === node && args.slot === slot && args.attempt === attempt);
}

type Place = Pick<SlotHistory, "node" | "slot" | "attempt">;

async function signedCommit(
  context: ChainContext,
  seen: Inspection,
  call: {
    readonly at: bigint;
    readonly from: `0x${string}`;
    readonly node: number;
    readonly slot: number;
    readonly commitment: `0x${string}`;
    readonly deadline: number;
    readonly signature: `0x${string}`;
  },
): Promise<void> {
  const { at, from, node, slot, commitment, deadline, signature } = call;
  const attempt = context.history.attemptAt(node, at);
  const executor = context.history.slot(node, attempt, slot);
  if (
    !seen.holds(executor !== undefined, `commitment at ${context.label(node)}, slot ${slot}`, "is by nobody who was bound") ||
    executor === undefined
  )
    return;
  const subject = `commitment of ${nameOf(context, executor)}`;
  const message = { agent: executor.agent, node, slot, attempt, commitment, deadline };
  seen.holds(await isAuthorised(context, executor.agent, from, "Commit", message, signature), subject, "is not signed by its executor");
  seen.same(executor.commitment, commitment, `${subject}: recorded`);
}

function opened(context: ChainContext, seen: Inspection, executor: SlotHistory | undefined, opening: Opening): void {
  if (!seen.holds(executor !== undefined, "opening", "is of nobody who was bound") || executor === undefined) return;
  const subject = `opening of ${nameOf(context, executor)}`;
  seen.same(commitmentFor(context, executor, opening), executor.commitment, subject);
  const { outputHash, trailRoot, envelopeRoot, classes, salt } = opening;
  const { at: _, ...revealed } = executor.revealed ?? { at: 0n };
  seen.same(pick(revealed), pick({ outputHash, trailRoot, envelopeRoot, classes, salt }), `${subject}: recorded`);
}

function pick(values: object): readonly unknown[] {
  return ["outputHash", "trailRoot", "envelopeRoot", "classes", "salt"].map((name) => Reflect.get(values, name));
}

/** The record of the work leads to bytes whose keccak was committed on chain. */
function output(context: ChainContext, seen: Inspection, executor: SlotHistory): void {
  const { mission, bundle, hasBlock } = context;
  const { node, attempt, slot, revealed } = executor;
  const subject = `output of ${nameOf(context, executor)}`;
  const place = [mission, node, attempt, slot];
  const work = recordOf(context, "execution.work", place, workSchema);
  const seal = recordOf(context, "execution.sealed", place, sealedSchema);
  const law = context.document.document.nodes[node];
  seen.holds(seal !== undefined || law === undefined || !takesReceipts(law), subject, "was handed in open, where others could copy it");
  const isRead = seal === undefined || revealed === undefined || unsealed(context, seen, executor, seal.value, subject) !== undefined;
  if (!isRead) {
    seen.holds(
      work?.value.ok === false,
      subject,
      "is in the records, though what opened the commitment does not open it",
      blockFile(seal.id),
    );
    return;
  }
  if (work === undefined || !work.value.ok) {
    seen.holds(false, subject, "has no record in the log", BUNDLE_FILES.log);
    return;
  }
  const { outputId, trail } = work.value;
  const file = blockFile(parseContentId(outputId));
  if (seen.holds(hasBlock(parseContentId(outputId)), subject, "is missing", file))
    seen.same(keccak256(bundle.bytes(file)), revealed?.outputHash, subject, file);
  seen.same(merkleRoot(trail), revealed?.trailRoot, `trail of ${nameOf(context, executor)}`, blockFile(work.id));
}

/** What the salt on chain makes of the sealed bytes: anybody can do the same from then on (decision 92). */
function unsealed(
  context: ChainContext,
  seen: Inspection,
  { node, attempt, slot, revealed }: SlotHistory,
  seal: SealedWork,
  subject: string,
) {
  const id = parseContentId(seal.sealedId);
  if (!seen.holds(context.hasBlock(id), subject, "is missing as it was handed in", blockFile(id)) || revealed === undefined)
    return undefined;
  const bytes = context.bundle.bytes(blockFile(id));
  seen.same(keccak256(bytes), seal.sealedHash, `${subject}, sealed`, blockFile(id));
  return openWork(bytes, { obligation: context.history.obligation(node, attempt), slot }, revealed);
}

/** Every item of every envelope: signed by an issuer who may, bound to the envelope that was committed (decision 20). */
export const evidence: ChainCheck = {
  name: "EVIDENCE",
  what: "every envelope's root over its items, each item signed by an issuer registered for its class and of another principal",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { history } = context;
    const isStray = await strayCommitments(context);
    for (const executor of history.slots) {
      if (executor.revealed !== undefined && !isStray(executor))
        await seen.part(nameOf(context, executor), () => envelope(context, seen, executor));
    }
  },
};

async function envelope(context: ChainContext, seen: Inspection, executor: SlotHistory): Promise<void> {
  const { mission, history, roles, client } = context;
  const { node, attempt, slot, revealed } = executor;
  const subject = `evidence of ${nameOf(context, executor)}`;
  const items = recordOf(context, "execution.evidence", [mission, node, attempt, slot], signedItemSchema.array());
  if (items === undefined || revealed === undefined) {
    seen.holds(false, subject, "has no record in the log", BUNDLE_FILES.log);
    return;
  }
  const file = blockFile(items.id);
  const obligation = history.obligation(node, attempt);
  const entries = items.value.map((item) => evidenceLeafOf(obligation, { ...item, class: EvidenceClass[item.class] }));
  seen.same(merkleRoot(entries), revealed.envelopeRoot, `${subject}: envelope`, file);
  const { sponsor } = await client.mission(mission).context();
  const parties = [sponsor, ...history.executors(node, attempt).map(({ agent }) => roles.principalOf(agent))];
  for (const { signature, ...item } of items.value) {
    const code = EvidenceClass[item.class];
    const list = { issuer: item.issuer, items: [{ ...item, obligation, class: code }] };
    const signed = await isSignedBy(context, item.issuer, "Evidences", list, signature);
    seen.holds(signed, `${subject}, item ${item.index}`, "is not signed by its issuer", file);
    const issuer = roles.before(revealed.at).issuers.get(item.issuer);
    seen.holds(
      ((issuer?.classes ?? 0) >> code) % 2 === 1,
      `${subject}, item ${item.index}`,
      `is by nobody registered for ${item.class}`,
      file,
    );
    seen.holds(
      issuer !== undefined && !parties.includes(issuer.principal),
      `${subject}, item ${item.index}`,
      "is by a party to the work",
      file,
    );
  }
}

/** What an executor commits to by opening this. */
export function commitmentFor({ history }: ChainContext, executor: SlotHistory, opening: Opening) {
  return commitmentOf(executor.agent, opening, history.obligation(executor.node, executor.attempt));
}

function nameOf(context: ChainContext, { node, attempt, slot, agent }: SlotHistory): string {
  return `${context.nameOf(agent)} at ${context.label(node)}, slot ${slot}${attempt === 0 ? "" : `, attempt ${attempt + 1}`}`;
}
