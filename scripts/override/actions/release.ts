import { caseNamed } from "../../../orchestrator/city/humans/case-queue.ts";
import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { decodeActionData, encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

export interface ReleaseOptions extends OrderOptions {
  /** Executor slot of the output. Default: the first in agreement. */
  readonly slot?: string;
}

/** Releases a vetoed output that passed on evidence, unchanged: the panel's decision stands. */
export async function release(name: string, options: ReleaseOptions): Promise<void> {
  await give(options, async (office) => {
    const { subject } = await caseNamed(office, name);
    if (subject.kind !== "review" || subject.reason === "frozen") throw new InvalidValue(name, "was not vetoed");
    const { mission, node, caseHash } = subject;
    const { agreeing } = await office.client.mission(mission).nodeOf(node);
    const [, , openings] = decodeActionData("APPROVE_POP", subject.approval);
    const slot =
      options.slot === undefined
        ? openings.findIndex((_, position) => ((agreeing >> position) & 1) === 1)
        : wholeIn(options.slot, "slot", 0, openings.length - 1);
    const opening = openings[slot];
    if (opening === undefined) throw new InvalidValue(name, "its executors did not agree: no output passed");
    return { action: "RELEASE_OUTPUT", mission, node, caseHash, data: encodeActionData("RELEASE_OUTPUT", [slot, opening]) };
  });
}
