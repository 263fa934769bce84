import { caseNamed } from "../../../orchestrator/city/humans/case-queue.ts";
import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { decodeActionData, encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

export interface ReleaseOptions extends OrderOptions {
  /** Whose output it is. Default: the first of those who agreed. */
  readonly slot?: string;
}

/** Releases an output that passed on evidence and was vetoed, as it is: what the panel found stands. */
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
    if (opening === undefined) throw new InvalidValue(name, "its executors did not agree: nothing passed that could be released");
    return { action: "RELEASE_OUTPUT", mission, node, caseHash, data: encodeActionData("RELEASE_OUTPUT", [slot, opening]) };
  });
}
