import { agreementOf } from "../../clearing/judgement.ts";
import { joinedOutput, outputNodes } from "../../execution/branches.ts";
import { nodeStates } from "../../execution/chain-view.ts";
import { resultSchema, workSchema } from "../../execution/work.ts";
import { contentIdOfJson, keccak256, parseContentId } from "../../primitives/hash.ts";
import type { ContentId } from "../../primitives/hex.ts";
import { isObject, type JsonObject, type JsonValue } from "../../primitives/json.ts";
import { TIER } from "../../primitives/tier.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import { renderReport } from "../report/render-report.ts";
import type { AuditContext } from "./context.ts";
import type { Check, Inspection } from "./inspection.ts";
import { keptSchemas } from "./kept-schemas.ts";
import { recordOf } from "./works.ts";

/** Each completed node's result is what was committed, and the report follows from outcome and output nodes. */
export const results: Check = {
  name: "RESULTS",
  what: "every node's result against its executors' committed outputs, those that were stated to keep a schema against it, and the report written again from outcome and output",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const { document, client, mission, label } = context;
    const contract = client.mission(mission);
    const outputs: JsonObject[] = [];
    for (const own of document.document.nodes) {
      const node = await contract.nodeOf(own.number);
      if (nodeStates[node.state] !== "COMPLETED") continue;
      await seen.part(`result of ${label(own.number)}`, () => {
        const output = resultOf(context, seen, own, node);
        if (own.task === document.document.output.task && output !== undefined) outputs.push(output);
      });
    }
    await keptSchemas(context, seen);
    if (context.path !== "") return;
    const { outcome, report } = context;
    const again = renderReport(outcome, outcome.released ? outputs : []);
    seen.same(report, again, "report written again from outcome and output", BUNDLE_FILES.report);
  },
};

function resultOf(
  context: AuditContext,
  seen: Inspection,
  own: AuditContext["document"]["document"]["nodes"][number],
  node: { readonly attempt: number; readonly agreeing: number },
): JsonObject | undefined {
  const { mission, history, bundle, hasBlock, block } = context;
  const subject = `result of ${own.label}`;
  const record = recordOf(context, "execution.result", [mission, own.number], resultSchema);
  if (!seen.holds(record !== undefined, subject, "has no record in the log") || record === undefined) return undefined;
  const id = parseContentId(record.value.outputId);
  const file = blockFile(id);
  if (!seen.holds(hasBlock(id), subject, "is missing", file)) return undefined;
  seen.same(keccak256(bundle.bytes(file)), record.value.outputHash, `${subject}: hash`, blockFile(record.id));
  if (own.mission !== undefined) return handedUp(context, seen, own, id);
  const works = history.executors(own.number, node.attempt).flatMap(({ attempt, slot, revealed }) => {
    const work = recordOf(context, "execution.work", [mission, own.number, attempt, slot], workSchema)?.value;
    if (revealed === undefined || work === undefined || !work.ok) return [];
    const output = block(parseContentId(work.outputId));
    const { outputHash } = revealed;
    return [{ slot, outputHash, handed: outputHash, output: isObject(output) ? output : undefined, exhibits: [] }];
  });
  const agreeing = works.filter(({ slot }) => ((node.agreeing >> slot) & 1) === 1);
  const [first = works[0]] = agreeing;
  if (first?.output === undefined) return undefined;
  const merged =
    own.tier !== TIER.CONSENSUS || own.agree === null
      ? first.output
      : { ...first.output, items: plainItems(agreementOf(works, { ...own.agree, threshold: own.threshold }).items) };
  seen.same(id, contentIdOfJson(merged), `${subject}: against what the executors committed`, file);
  const result = block(id);
  return isObject(result) ? result : undefined;
}

/** What a mission below handed up: the items of its output nodes, as their results hold them. */
function handedUp(
  context: AuditContext,
  seen: Inspection,
  { number, label }: { number: number; label: string },
  id: ContentId,
): JsonObject | undefined {
  const { mission, family, block } = context;
  const child = family.findLast((each) => each.parent === mission && each.node === number)?.enacted;
  if (!seen.holds(child !== undefined && child !== null, `result of ${label}`, "is of a mission that made no law") || !child)
    return undefined;
  const outputs = outputNodes(child.law).map((node) => {
    const record = recordOf(context, "execution.result", [child.mission, node.number], resultSchema);
    const output = record === undefined ? undefined : block(parseContentId(record.value.outputId));
    return output !== undefined && isObject(output) ? output : {};
  });
  const joined = contentIdOfJson(joinedOutput(outputs));
  seen.same(id, joined, `result of ${label}: against what its mission's nodes handed on`, blockFile(id));
  const result = block(id);
  return isObject(result) ? result : undefined;
}

function plainItems(items: readonly object[]): JsonValue {
  return items.map((item) => Object.fromEntries(Object.entries(item)));
}
