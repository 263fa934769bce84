import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { ContentId } from "../../primitives/hex.ts";
import { isForEverybody, objectOfRecord } from "../../protocol/read-access.ts";
import { BUNDLE_FILES, blockFile, blockIdOf, reachableBlocks } from "../bundle/bundle-layout.ts";
import { treeOf } from "../missions/family.ts";
import type { AuditContext } from "./context.ts";
import { closing } from "./documents.ts";
import { exposed, visible } from "./exposed.ts";
import type { Check, Inspection } from "./inspection.ts";
import { officeDraft } from "./office-draft.ts";
import { isSignedBy } from "./signatures.ts";

/** The log's head is what a registered runner anchored on chain; every other file of the bundle hangs on it or on the chain. */
export const roots: Check = {
  name: "ROOTS",
  scope: "bundle",
  what: "the log's hash chain, its head anchored on chain by a registered runner, every block and file that hangs on it; a law of the Speaker's office derived again",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    for (const { seq } of context.log) seen.holds(true, `entry ${seq}`, "");
    await anchor(context, seen);
    await seen.part("closing entry", () => closing(context, seen));
    await seen.part("mission file", async () => {
      const text = new TextDecoder().decode(context.bundle.bytes(BUNDLE_FILES.mission));
      exposed(context.document.document, text, seen);
      visible(context.document.document, text, seen);
      await officeDraft(context, text, seen);
    });
    await blocks(context, seen);
  },
};

async function anchor(context: AuditContext, seen: Inspection): Promise<void> {
  const { record, roles, log } = context;
  const [anchored, ...more] = record.events("CollaborationContract", "Anchored");
  seen.same(more.length, 0, "second anchors on chain");
  const { root, runner } = anchored?.args ?? {};
  seen.same(log.at(-1)?.hash, root, "head of the log against the chain's root");
  const [call] = record.calls("CollaborationContract", "anchor");
  const [given, by, deadline, signature] = call?.args ?? [];
  if (call === undefined || root === undefined || runner === undefined || deadline === undefined || signature === undefined) {
    seen.holds(false, "anchor", "nobody put a root of the records on chain", BUNDLE_FILES.chain);
    return;
  }
  seen.same([given, by], [root, runner], "anchored root and runner", BUNDLE_FILES.chain);
  seen.holds(roles.before(call.at).runners.has(runner), `anchor by ${runner}`, "is by nobody registered as a runner", BUNDLE_FILES.chain);
  seen.holds(
    await isSignedBy(context, runner, "Anchor", { runner, root, deadline }, signature),
    `anchor by ${runner}`,
    "is not signed by the runner",
    BUNDLE_FILES.chain,
  );
}

/** What the log or the chain names is here, and nothing is here that they do not lead to. */
async function blocks(context: AuditContext, seen: Inspection): Promise<void> {
  const { bundle, log, record, recordAbout, session, mission, family, hasBlock } = context;
  const { sessions, missions } = treeOf([session], mission, family);
  const named = log.flatMap(({ seq, content }) => (content === null ? [] : [{ id: content, by: `log entry ${seq}` }]));
  const proposed = record.events("LegislativeProcedure", "Proposed").filter(({ args }) => sessions.includes(args.session));
  const ruled = record.events("AdjudicationProcedure", "OverrideExecuted").filter(({ args }) => missions.includes(args.mission));
  const appealed = missions.flatMap((each) => recordAbout(each).events("CollaborationContract", "AppealFiled"));
  const onChain = [
    ...proposed.map(({ args }) => args.cid),
    ...ruled.map(({ args }) => args.justification),
    ...appealed.map(({ args }) => args.evidence),
  ].map(contentIdFromDigest);
  for (const { id, by } of named)
    await seen.part(`block of ${by}`, () => {
      seen.holds(hasBlock(id), `block of ${by}`, "is missing", blockFile(id));
    });
  withheldRightly(context, missions, seen);
  const read = (id: ContentId) => bundle.files.get(blockFile(id));
  const reachable = new Set(reachableBlocks([...named.map(({ id }) => id), ...onChain], read));
  for (const file of bundle.files.keys()) {
    const id = blockIdOf(file);
    if (id !== undefined) seen.holds(reachable.has(id), "block", "is named by nothing that hangs on the chain", file);
    else seen.holds(KNOWN.has(file), "file", "is none that a bundle has", file);
  }
}

/** What is withheld of these missions is what their laws keep for their parties, and nothing that is everybody's. */
function withheldRightly({ bundle, log, document, mission }: AuditContext, missions: readonly string[], seen: Inspection): void {
  const { withheld = [] } = bundle.manifest;
  const gone = new Set(withheld.map(({ path }) => path));
  if (gone.size === 0) return;
  const visibility = document.document.visibility ?? "public";
  for (const { seq, kind, subjects, content } of log) {
    if (content === null || !gone.has(blockFile(content))) continue;
    const object = objectOfRecord(kind);
    const isOwn = missions.some((each) => subjects.includes(each));
    const isEverybodys = object === "law" || (isOwn && isForEverybody(object, visibility, { isOver: true, isRevealed: true }));
    seen.holds(!isEverybodys, `block of log entry ${seq}`, "is withheld, and is everybody's to read", blockFile(content));
  }
  for (const path of gone)
    if (blockIdOf(path) === undefined) seen.holds(visibility === "parties", mission, "is public, and this file of it is withheld", path);
}

const KNOWN = new Set<string>(Object.values(BUNDLE_FILES));
