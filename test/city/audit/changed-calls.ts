import { expect } from "chai";
import { callSource, calls } from "../../../orchestrator/city/audit/calls.ts";
import { type AuditContext, openContext } from "../../../orchestrator/city/audit/context.ts";
import { Inspection, inspect } from "../../../orchestrator/city/audit/inspection.ts";
import { callsHold, recordedCalls } from "../../../orchestrator/city/audit/recorded-calls.ts";
import { blockFile } from "../../../orchestrator/city/bundle/bundle-layout.ts";
import { isObject, type JsonValue } from "../../../orchestrator/primitives/json.ts";
import type { RecordedCall, RecordedCalls } from "../../../orchestrator/protocol/call-records.ts";
import type { CallName } from "../../../orchestrator/protocol/calls.ts";
import { openBundle } from "../../../orchestrator/records/bundle.ts";

/** Times of the operator's clock, and its word for a silence: nobody signs them, and the audit says so. */
const UNVOUCHED = [/^answerBy$/, /^silence\b/];

/** The same value with one leaf changed, for each leaf, by its path. */
function* changes(value: JsonValue, path: readonly string[] = []): Generator<{ readonly path: string; readonly changed: JsonValue }> {
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries())
      for (const { path: of, changed } of changes(member, [...path, String(at)])) yield { path: of, changed: value.with(at, changed) };
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value))
      for (const { path: of, changed } of changes(member, [...path, name])) yield { path: of, changed: { ...value, [name]: changed } };
  } else yield { path: path.join("."), changed: changedLeaf(value) };
}

function changedLeaf(leaf: JsonValue): JsonValue {
  if (typeof leaf === "number") return leaf + 1;
  if (typeof leaf === "boolean") return !leaf;
  if (typeof leaf !== "string") return "something";
  // In the middle, since the last characters of a signature say little.
  const at = Math.floor(leaf.length / 2);
  return `${leaf.slice(0, at)}${leaf[at] === "1" ? "2" : "1"}${leaf.slice(at + 1)}`;
}

/**
 * That an audit finds every change of what seats elsewhere were asked and answered for a mission, and what is withheld of it. `withheld`: kinds
 * whose answers led to something on its chain. Returns the kinds that were asked.
 */
export async function expectChangesFound(bundle: string, withheld: readonly CallName[]): Promise<ReadonlySet<CallName>> {
  const context = await openContext(openBundle(bundle));
  try {
    const found = recordedCalls(callSource(context));
    if (found === undefined) throw new Error("nobody elsewhere was asked anything");
    const { file, recorded } = found;
    const holding = (changed: JsonValue): AuditContext => ({
      ...context,
      block: (id) => (blockFile(id) === file ? changed : context.block(id)),
    });
    const asJson = (of: RecordedCalls): JsonValue => JSON.parse(JSON.stringify(of));
    const findings = async (of: RecordedCalls) => (await inspect(calls, [holding(asJson(of))])).findings;
    expect(await findings(recorded)).to.deep.equal([]);

    const first = new Map<CallName, RecordedCall>();
    for (const call of recorded.calls) if (call.answered !== undefined && !first.has(call.kind)) first.set(call.kind, call);
    for (const [kind, call] of first) {
      for (const { path, changed } of changes(asJson({ ...recorded, calls: [call] }))) {
        const name = path.replace(/^calls\.0\./, "");
        if (UNVOUCHED.some((known) => known.test(name))) continue;
        const seen = new Inspection(calls);
        await seen.part("all", () => callsHold(callSource(holding(changed)), seen).then(() => {}));
        expect(seen.result().findings, `${kind}: ${name} changed`).to.not.deep.equal([]);
      }
      for (const [name, id] of Object.entries(call.large)) {
        const seen = new Inspection(calls);
        const without = {
          ...context,
          hasBlock: (other: Parameters<AuditContext["hasBlock"]>[0]) => other !== id && context.hasBlock(other),
        };
        await callsHold(callSource(without), seen);
        expect(
          seen.result().findings.map(({ problem }) => problem),
          `${kind}: ${name} left out`,
        ).to.include("is missing");
      }
    }

    const named = { sign: /follows from no recorded call/, bid: /none of its recorded offers/ };
    for (const kind of withheld) {
      const left = await findings({ ...recorded, calls: recorded.calls.filter((call) => call.kind !== kind) });
      const expected = kind === "sign" || kind === "bid" ? named[kind] : /is none that it answered/;
      expect(
        left.some(({ problem }) => expected.test(problem)),
        `${kind} withheld`,
      ).to.equal(true);
    }
    const nothing = await findings({ ...recorded, calls: [] });
    expect(
      nothing.some(({ problem }) => named.sign.test(problem)),
      "all of them withheld",
    ).to.equal(true);
    return new Set(first.keys());
  } finally {
    await context.chain.close();
  }
}
