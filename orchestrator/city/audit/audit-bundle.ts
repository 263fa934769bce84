import { isTooHeavy } from "../../chain/errors.ts";
import { type ReplayLimits, replayLimits } from "../../chain/replay-limits.ts";
import { messageOf } from "../../primitives/errors.ts";
import type { Hash } from "../../primitives/hex.ts";
import { type AuditFinding, type AuditReport, NOBODY_ELSEWHERE } from "../../protocol/audit-report.ts";
import { openBundle } from "../../records/bundle.ts";
import { BundleDamaged } from "../../records/errors.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import { AuditFailed, AuditTooHeavy } from "./audit-failed.ts";
import { absentOnChain, callSource } from "./calls.ts";
import { checks } from "./checks.ts";
import { type AuditContext, openContext, treeOf, Unreadable } from "./context.ts";
import { withheldIn } from "./documents.ts";
import { dealFindings, forkedFrom, originOf } from "./forked.ts";
import { type Check, Inspection, inspect } from "./inspection.ts";
import { externalSeats, recordedCalls } from "./recorded-calls.ts";

type CheckResult = AuditReport["checks"][number];

export const FILES = { name: "FILES", what: "every byte against the manifest, every block against its name", file: "manifest.json" };
/** Of a chain that lives elsewhere. */
export const WITNESSED =
  "every block since the city's founding: its header against its hash, its parent, its transactions, receipts and senders against the header";
export const CHAIN = {
  name: "CHAIN",
  what: "every transaction of the transcript mined again, every block's hash",
  file: BUNDLE_FILES.chain,
};

export interface AuditOptions {
  /** Hash of the chain's last block as another witness has it. */
  readonly head?: Hash;
  /** How many times the usual limits replaying may take. Default: 1. */
  readonly effort?: number | undefined;
  /** A node of the live chain that the mission was on. */
  readonly rpcUrl?: string | undefined;
}

/**
 * Verifies a mission from its bundle alone, without network: replays the chain in this process, then compares everything that was
 * signed, hashed, counted or paid with it (decisions 35, 39); of a live chain it asks the node at `rpcUrl`. Returns the report, or throws AuditFailed with it. Throws AuditTooHeavy when
 * replaying takes more than an audit may.
 *
 * It rests on the chain's last block, which the report names: to check that the transcript is the city's own, give
 * the hash that another witness has.
 */
export async function auditBundle(dir: string, { head: known, effort, rpcUrl }: AuditOptions = {}): Promise<AuditReport> {
  const opened = await open(dir, replayLimits(effort), rpcUrl);
  if ("failed" in opened) throw new AuditFailed(opened.failed);
  const { context, files } = opened;
  try {
    const { isLive, firstBlock } = context.chain;
    const head = context.chain.head();
    const results: CheckResult[] = [
      { ...headOf(FILES), verified: files, findings: [] },
      {
        ...headOf(CHAIN),
        ...(isLive ? { what: WITNESSED } : {}),
        verified: Number(head.number - firstBlock) + 1,
        findings: [...(known === undefined ? [] : witnessed(head.hash, known)), ...(await dealFindings(context, rpcUrl))],
      },
    ];
    const tree = await treeOf(context);
    for (const check of checks) results.push({ ...headOf(check), ...(await inspect(check, tree)) });
    const report: AuditReport = {
      passed: results.every(({ findings }) => findings.length === 0),
      mission: context.mission,
      name: context.name,
      head: { number: Number(head.number), hash: head.hash },
      root: context.log.at(-1)?.hash ?? null,
      trusts: isLive
        ? [
            `the node at ${originOf(rpcUrl)} for whether the last block is on chain ${context.chain.id}: compare its hash with another witness`,
            "that node for what contracts hold at the last block; their events and calls are proven by the headers",
          ]
        : ["that the last block is the city's own: compare its hash with another witness", ...forkedFrom(context, rpcUrl)],
      elsewhere: await elsewhereIn(context, tree),
      ...withheldIn(context.bundle.manifest.withheld ?? []),
      checks: results,
    };
    if (!report.passed) throw new AuditFailed(report);
    return report;
  } finally {
    await context.chain.close();
  }
}

/** What seats elsewhere did not sign or do; a record of them that cannot be read was found by the CALLS check. */
async function elsewhereIn(context: AuditContext, tree: readonly AuditContext[]): Promise<AuditReport["elsewhere"]> {
  try {
    const { absent, ...said } = externalSeats(recordedCalls(callSource(context))?.recorded);
    const onChain = await Promise.all(tree.map(absentOnChain));
    return { ...said, absent: [...onChain.flat(), ...absent] };
  } catch {
    return NOBODY_ELSEWHERE;
  }
}

export function witnessed(hash: Hash, known: Hash): AuditFinding[] {
  const seen = new Inspection(CHAIN);
  seen.same(hash, known, "last block against the witness's");
  return seen.result().findings;
}

async function open(
  dir: string,
  limits: ReplayLimits,
  rpcUrl: string | undefined,
): Promise<{ readonly context: AuditContext; readonly files: number } | { readonly failed: AuditReport }> {
  try {
    const bundle = openBundle(dir);
    return { context: await openContext(bundle, limits, rpcUrl), files: bundle.files.size };
  } catch (error) {
    if (isTooHeavy(error)) throw new AuditTooHeavy(messageOf(error), limits, error);
    if (error instanceof BundleDamaged) return { failed: broken(FILES, error.file, error) };
    if (error instanceof Unreadable) return { failed: broken(error.file === BUNDLE_FILES.chain ? CHAIN : FILES, error.file, error) };
    throw error;
  }
}

export function broken(check: Omit<Check, "run">, file: string, error: Error): AuditReport {
  const finding = { check: check.name, file, subject: file, problem: messageOf(error) };
  return {
    passed: false,
    mission: null,
    name: null,
    head: null,
    root: null,
    trusts: [],
    elsewhere: NOBODY_ELSEWHERE,
    checks: [{ ...headOf(check), verified: 1, findings: [finding] }],
  };
}

export function headOf({ name, what }: Pick<Check, "name" | "what">): { name: string; what: string } {
  return { name, what };
}
