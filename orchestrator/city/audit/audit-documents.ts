/** The audit without a chain: the part that a browser can run, and which of the whole audit's checks it leaves to a replay. */
import { z } from "zod";
import { saidSchema } from "../../clearing/findings.ts";
import { obligationSchema } from "../../clearing/obligation.ts";
import { recompileLaw } from "../../client/compile-law.ts";
import { claimFileSchema } from "../../execution/claims.ts";
import { clearingRecordSchema, standingsSaid } from "../../execution/clearing-record.ts";
import { branchSchema } from "../../execution/delegation.ts";
import { signedItemSchema } from "../../execution/evidence.ts";
import { exitSchema } from "../../execution/exits.ts";
import { finalitySchema, overrideSchema, settlementSchema } from "../../execution/settlement-record.ts";
import { handedIn, resultSchema, sealedSchema, workSchema } from "../../execution/work.ts";
import { messageOf } from "../../primitives/errors.ts";
import { keccak256, parseContentId, sha256 } from "../../primitives/hash.ts";
import type { ContentId } from "../../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonValue, parseCanonicalJson, parseJsonBytes } from "../../primitives/json.ts";
import { type AuditFinding, type AuditReport, NOBODY_ELSEWHERE } from "../../protocol/audit-report.ts";
import { balances, type Outcome, outcomeSchema } from "../../protocol/outcome.ts";
import { type BundleManifest, damagesOf, fileReads, MANIFEST, missing, parseManifest } from "../../records/bundle-manifest.ts";
import { BundleDamaged, Withheld } from "../../records/errors.ts";
import { type LogEntry, parseLog } from "../../records/log.ts";
import { packRanking, tally } from "../../rules/condorcet.ts";
import { BUNDLE_FILES, blockFile, bundledCitySchema } from "../bundle/bundle-layout.ts";
import { renderReport } from "../report/render-report.ts";
import { recomputeBranches } from "./delegations.ts";
import { claimOutcome, closing, recomputeClearing, withheldIn } from "./documents.ts";
import { findingsAgain, workIn } from "./findings.ts";
import { Inspection } from "./inspection.ts";
import { type CallSource, callsHold, externalSeats, recordedCalls } from "./recorded-calls.ts";
import { recomputeSettlement } from "./settled-again.ts";

/** Files by their path with `/`, the manifest among them. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

/** A bundle's documents, read as far as they can be. */
export interface Documents {
  readonly bundle: { bytes(path: string): Uint8Array; text(path: string): string };
  readonly city: z.output<typeof bundledCitySchema>;
  readonly mission: z.output<typeof bundledCitySchema>["mission"];
  readonly outcome: Outcome;
  readonly document: ReturnType<typeof recompileLaw>;
  readonly log: readonly LogEntry[];
  readonly block: (id: ContentId) => JsonValue;
  readonly hasBlock: (id: ContentId) => boolean;
}

interface DocumentCheck {
  readonly name: string;
  readonly what: string;
  readonly file: string;
  readonly run: (documents: Documents, seen: Inspection) => Promise<void> | void;
}

const FILES = { name: "FILES", what: "every byte against the manifest, every block against its name", file: MANIFEST };

/** What only the chain can tell, in the words of a person who asks. */
export const LEFT_TO_REPLAY: readonly string[] = [
  "that the transactions ran as written: no block was executed here",
  "that the log's last entry is the one anchored on chain",
  "that voters, executors, verifiers, issuers and adjudicators were registered, and who answers for whom",
  "that nothing stands on chain in the name of a seat elsewhere which it was not asked for, and who was absent by the chain's clock",
  "that ballots, bids, commitments and verdicts on chain carry these signatures",
  "that balances, entitlements, slashes and reputations moved as the outcome says",
  "whether this is the chain: compare the last block's hash with another witness",
];

const itemsSchema = z.array(z.json());

/** In the order of a mission's life. */
const documentChecks: readonly DocumentCheck[] = [
  {
    name: "RECORDS",
    what: "the log's chain of hashes, the block behind every entry, the closing entry",
    file: BUNDLE_FILES.log,
    async run(documents, seen) {
      for (const { seq, content } of documents.log) {
        const subject = `block of log entry ${seq}`;
        await seen.part(subject, () => {
          const isThere = content === null || documents.hasBlock(content);
          seen.holds(isThere, subject, "is missing", content === null ? BUNDLE_FILES.log : blockFile(content));
        });
      }
      closing(documents, seen);
    },
  },
  {
    name: "CALLS",
    what: "every question to a seat elsewhere: what it says, its answer, receipt and signatures; the works and claims that followed",
    file: BUNDLE_FILES.log,
    run: async (documents, seen) => void (await callsHold(callSource(documents), seen)),
  },
  {
    name: "LAW",
    what: "the law compiled again from its words, and the input that it names",
    file: BUNDLE_FILES.document,
    run({ bundle, city, outcome, document }, seen) {
      seen.same(document.lawHash, outcome.law.lawHash, "compiled law against the outcome's");
      seen.same(document.document.name, city.name, "mission's name", BUNDLE_FILES.city);
      seen.same(city.mission, outcome.mission, "mission's address", BUNDLE_FILES.outcome);
      const winner = outcome.law.candidates.find(({ entry }) => entry === outcome.winner?.entry);
      seen.same(document.specHash, winner?.specHash, "law against the candidate that won", BUNDLE_FILES.outcome);
      const items = itemsSchema.parse(parseCanonicalJson(bundle.text(BUNDLE_FILES.input)));
      const { digest, count } = document.document.input;
      seen.same(sha256(canonicalBytes(items)), digest, "digest of the input against the law's", BUNDLE_FILES.input);
      seen.same(items.length, count, "number of items", BUNDLE_FILES.input);
    },
  },
  {
    name: "BALLOTS",
    what: "the ballots counted again: every duel between two laws",
    file: BUNDLE_FILES.outcome,
    run({ outcome }, seen) {
      const rankings = outcome.ballots.map(({ ranking }) => packRanking(ranking));
      // Which of two equals wins is decided by a seed that stands on the chain; no duel depends on it.
      const { pairwise } = tally(rankings, outcome.law.candidates.length, keccak256("0x"));
      seen.same(outcome.pairwise, pairwise, "duels counted again");
    },
  },
  {
    name: "CLAIMS",
    what: "every output's claim: how its check ended, the issuer's signature, the trail of its life",
    file: BUNDLE_FILES.log,
    async run(documents, seen) {
      for (const { subjects, content } of latest(documents.log, "execution.claim")) {
        await seen.part(`claim of ${subjects.slice(1).join("/")}`, () => claim(documents, subjects, content, seen), blockFile(content));
      }
    },
  },
  {
    name: "DECISIONS",
    what: "every clearing again from its documents: obligation, evidence, verdicts, what each found by which kind of judging, all signatures",
    file: BUNDLE_FILES.log,
    async run({ log, block, hasBlock, mission, document }, seen) {
      for (const { subjects, content } of latest(log, "execution.clearing")) {
        const [, node, attempt] = subjects;
        const file = blockFile(content);
        const subject = `clearing of node ${node}, attempt ${Number(attempt) + 1}`;
        await seen.part(
          subject,
          () => {
            const record = clearingRecordSchema.parse(block(content));
            const standings = standingsSaid(record, record.decision.clearing_engine);
            // Who bid on these terms is on chain, and left to the replay.
            recomputeClearing(seen, { subject, file, record, standings, undertook: () => true });
            const of = (kind: string, place: readonly string[]) =>
              latest(log, kind).find(({ subjects: each }) => each.join("/") === place.join("/"))?.content;
            const law = subjects[0] === mission ? document.document.nodes.find(({ number }) => String(number) === node) : undefined;
            if (law === undefined) return;
            findingsAgain(seen, {
              ...{ subject, file, record, law },
              workOf: (slot) => workIn({ of, block, hasBlock }, subjects.slice(0, 3), slot),
              saidOf: (verifier) => {
                const content = of("execution.semantic", [...subjects, verifier]);
                return content === undefined ? undefined : saidSchema.parse(block(content));
              },
            });
          },
          file,
        );
      }
    },
  },
  {
    name: "SETTLEMENTS",
    what: "every instruction derived again from obligation, evidence, verdicts and human acts; every end without one; where every unit went, against the outcome's money",
    file: BUNDLE_FILES.log,
    async run(documents, seen) {
      const { log, block, mission, outcome } = documents;
      const of = (kind: string, place: readonly string[]) =>
        latest(log, kind).filter(({ subjects }) => place.every((part, at) => subjects[at] === part));
      const totals = { paid: 0n, fees: 0n, insurance: 0n, discount: 0n };
      for (const { subjects: place, content } of latest(log, "execution.obligation")) {
        const [about, node, attempt] = place;
        const subject = `settlement of node ${node}, attempt ${Number(attempt) + 1}`;
        const file = blockFile(content);
        await seen.part(
          subject,
          () => {
            const [final] = of("execution.finality", place);
            const [left] = of("execution.exit", place);
            const lines = recomputeSettlement(seen, {
              subject,
              file,
              obligation: obligationSchema.parse(block(content)),
              recordOf: (drawBlock) => {
                const [found] = of("execution.clearing", [...place, String(drawBlock)]);
                return found === undefined ? undefined : clearingRecordSchema.parse(block(found.content));
              },
              overrides: of("execution.override", place).map((entry) => overrideSchema.parse(block(entry.content))),
              settlements: of("execution.settlement", place)
                .toSorted((a, b) => Number(a.subjects[3]) - Number(b.subjects[3]))
                .map((entry) => settlementSchema.parse(block(entry.content))),
              finality: final === undefined ? undefined : finalitySchema.parse(block(final.content)),
              exit: left === undefined ? undefined : exitSchema.parse(block(left.content)),
              standings: (record, keys, engine) =>
                standingsSaid({ keys, obligation: obligationSchema.parse(block(content)), envelope: record?.envelope }, engine),
              // Who bid on these terms is on chain, and left to the replay.
              undertook: () => true,
            });
            for (const line of about === mission ? (lines ?? []) : []) {
              totals.paid += BigInt(line.paid);
              totals.fees += BigInt(line.fee);
              totals.insurance += BigInt(line.insurance);
              totals.discount += BigInt(line.discount);
            }
          },
          file,
        );
      }
      for (const [name, total] of Object.entries(totals))
        seen.same(Reflect.get(outcome.money, name), String(total), `${name} in the outcome against the documents`, BUNDLE_FILES.outcome);
    },
  },
  {
    name: "BRANCHES",
    what: "every mission below: that those who work there serve its obligation, how it ended, and whose fault that is, derived again",
    file: BUNDLE_FILES.log,
    async run(documents, seen) {
      const { mission, outcome, log, block } = documents;
      await recomputeBranches(documents, seen, mission);
      const ends = new Map(
        latest(log, "execution.branch").map(({ content }) => {
          const { ended, performance } = branchSchema.parse(block(content)).delegation;
          return [ended, performance === "cleared"] as const;
        }),
      );
      for (const { path, mission: below, status } of outcome.children)
        if (below !== null)
          seen.same(ends.get(below), status === "completed", `${path}: how it ended, against the outcome`, BUNDLE_FILES.outcome);
    },
  },
  {
    name: "MONEY",
    what: "deposit = paid + fees + insurance + discount + refunded + missions below, of every law, to the unit",
    file: BUNDLE_FILES.outcome,
    run({ outcome }, seen) {
      const accounts = [
        { of: "this law", money: outcome.money },
        { of: "all laws together", money: outcome.total },
        ...outcome.epochs.map(({ epoch, money }) => ({ of: `epoch ${epoch}`, money })),
        ...outcome.children.map(({ path, money }) => ({ of: path, money })),
      ];
      for (const { of, money } of accounts) seen.holds(balances(money), `money of ${of}`, "does not add up to the deposit");
    },
  },
  {
    name: "RESULTS",
    what: "every result against its bytes, and the report written again from outcome and output",
    file: BUNDLE_FILES.log,
    async run(documents, seen) {
      const { bundle, block, log, mission, outcome, document } = documents;
      const outputs = new Map<number, JsonValue>();
      for (const { subjects, content } of latest(log, "execution.result")) {
        const subject = `result of ${subjects.slice(1).join("/")}`;
        await seen.part(subject, () => {
          const { outputId, outputHash } = resultSchema.parse(block(content));
          const id = parseContentId(outputId);
          const file = blockFile(id);
          seen.same(keccak256(bundle.bytes(file)), outputHash, `${subject}: hash`, file);
          if (subjects[0] === mission) outputs.set(Number(subjects[1]), block(id));
        });
      }
      const asked = document.document.nodes.filter(({ task }) => task === document.document.output.task);
      const released = outcome.released ? asked.map(({ number }) => outputs.get(number)).filter(isObject) : [];
      const again = renderReport(outcome, released);
      seen.same(bundle.text(BUNDLE_FILES.report), again, "report written again from outcome and output", BUNDLE_FILES.report);
    },
  },
];

/** Reads the documents of a bundle. Throws with the first file that cannot be read. */
export function readDocuments(files: BundleFiles): Documents {
  const { has, bytes } = fileReads(files, withheldOf(files));
  const text = (path: string) => new TextDecoder("utf-8", { fatal: true }).decode(bytes(path));
  const city = reading(BUNDLE_FILES.city, () => bundledCitySchema.parse(parseCanonicalJson(text(BUNDLE_FILES.city))));
  return {
    bundle: { bytes, text },
    city,
    mission: city.mission,
    outcome: reading(BUNDLE_FILES.outcome, () => outcomeSchema.parse(parseCanonicalJson(text(BUNDLE_FILES.outcome)))),
    document: reading(BUNDLE_FILES.document, () => recompileLaw(bytes(BUNDLE_FILES.document))),
    log: reading(BUNDLE_FILES.log, () => parseLog(text(BUNDLE_FILES.log))),
    block: (id) => parseJsonBytes(bytes(blockFile(id))),
    hasBlock: (id) => has(blockFile(id)),
  };
}

/** Verifies what can be verified without a chain; whatever it stumbles over is a finding. `head` is the last block that the outcome names. */
export async function auditDocuments(files: BundleFiles): Promise<AuditReport> {
  const { name, what } = FILES;
  const whole: AuditReport["checks"][number] = { name, what, ...filesOf(files) };
  let documents: Documents;
  try {
    documents = readDocuments(files);
  } catch (error) {
    // A public copy has no outcome: nothing in it is wrong for that, and nothing more can be seen here.
    if (error instanceof Withheld)
      return {
        ...{ passed: whole.findings.length === 0, mission: null, name: null, head: null, root: null, ...withheldIn(withheldOf(files)) },
        trusts: ["this is the public copy of a mission that is for its parties: npm run audit verifies what it holds"],
        elsewhere: NOBODY_ELSEWHERE,
        checks: [whole],
      };
    const file = error instanceof BundleDamaged ? error.file : MANIFEST;
    const finding = { check: name, file, subject: file, problem: messageOf(error) };
    const known = whole.findings.some((each) => each.file === file);
    const findings = known ? whole.findings : [...whole.findings, finding];
    const nothing = { mission: null, name: null, head: null, root: null, trusts: [], elsewhere: NOBODY_ELSEWHERE };
    return { passed: false, ...nothing, checks: [{ ...whole, findings }] };
  }
  const checks = [whole];
  for (const check of documentChecks) {
    const seen = new Inspection(check);
    await seen.part("this check", () => check.run(documents, seen));
    checks.push({ name: check.name, what: check.what, ...seen.result() });
  }
  return {
    passed: checks.every(({ findings }) => findings.length === 0),
    mission: documents.mission,
    name: documents.city.name,
    head: documents.outcome.finalBlock,
    root: documents.log.at(-1)?.hash ?? null,
    trusts: ["the chain for what happened on it: here the documents alone are compared with each other"],
    elsewhere: elsewhereIn(documents),
    ...withheldIn(withheldOf(files)),
    checks,
  };
}

function callSource({ log, block, hasBlock, mission, city }: Documents): CallSource {
  return { log, block, hasBlock, root: mission, city: { chain: { id: city.chainId }, addresses: city.addresses } };
}

/** Who was absent by the chain's clock, a replay says. A record that cannot be read was found by the CALLS check. */
function elsewhereIn(documents: Documents): AuditReport["elsewhere"] {
  try {
    return externalSeats(recordedCalls(callSource(documents))?.recorded);
  } catch {
    return NOBODY_ELSEWHERE;
  }
}

/** What the manifest says is not in this copy; nothing where it cannot be read. */
function withheldOf(files: BundleFiles): NonNullable<BundleManifest["withheld"]> {
  const bytes = files.get(MANIFEST);
  try {
    return (bytes === undefined ? undefined : parseManifest(bytes).withheld) ?? [];
  } catch (error) {
    if (error instanceof BundleDamaged) return [];
    throw error;
  }
}

function filesOf(files: BundleFiles): { readonly verified: number; readonly findings: AuditFinding[] } {
  const finding = (error: BundleDamaged) => ({ check: FILES.name, file: error.file, subject: error.file, problem: messageOf(error) });
  let manifest: BundleManifest;
  try {
    const bytes = files.get(MANIFEST);
    if (bytes === undefined) throw missing(MANIFEST);
    manifest = parseManifest(bytes);
  } catch (error) {
    if (error instanceof BundleDamaged) return { verified: 1, findings: [finding(error)] };
    throw error;
  }
  return { verified: manifest.files.length, findings: damagesOf(manifest, files).map(finding) };
}

function claim({ log, block, hasBlock, bundle }: Documents, place: readonly string[], content: ContentId, seen: Inspection): void {
  const subject = `claim of ${place.slice(1).join("/")}`;
  const file = blockFile(content);
  const claimed = claimFileSchema.parse(block(content));
  const of = (kind: string) => latest(log, kind).find(({ subjects }) => subjects.join("/") === place.join("/"))?.content;
  const [evidence, done, sealed] = [of("execution.evidence"), of("execution.work"), of("execution.sealed")];
  const [item] = evidence === undefined ? [] : signedItemSchema.array().parse(block(evidence));
  const open = done === undefined ? undefined : workSchema.parse(block(done));
  const work = sealed === undefined ? open : sealedSchema.parse(block(sealed));
  if (item === undefined || work?.ok !== true) {
    seen.holds(false, subject, "is about work that has no record in the log", file);
    return;
  }
  const { id: text, hash: handed } = handedIn(work);
  const id = parseContentId(text);
  const source = hasBlock(id) ? bundle.bytes(blockFile(id)) : undefined;
  claimOutcome(seen, { subject, file, claimed, item, handed, source });
}

/** The records of one kind, of each subject the last, oldest first. */
export function latest(log: readonly LogEntry[], kind: string): readonly (LogEntry & { readonly content: ContentId })[] {
  const found = new Map<string, LogEntry & { readonly content: ContentId }>();
  for (const entry of log) {
    const { content } = entry;
    if (entry.kind === kind && content !== null) found.set(entry.subjects.join("/"), { ...entry, content });
  }
  return [...found.values()];
}

function reading<Value>(file: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Withheld) throw cause;
    throw cause instanceof BundleDamaged ? cause : new BundleDamaged(file, `cannot be read: ${messageOf(cause)}`, cause);
  }
}
