import { maskOf } from "../../../orchestrator/adjudication/rule-on-appeal.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { amountIn, onMission, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

export interface ResolveOptions extends OrderOptions {
  /** Appealed attempt, from 1. Default: the first. */
  readonly attempt?: string;
  /** Number of appeals on that attempt that were read. Default: all filed; the chain refuses a different number. */
  readonly filed?: string;
  /** Appeals to uphold, by position from 0. */
  readonly uphold?: readonly string[];
  /** Percent of the price that is earned. */
  readonly share?: string;
  readonly slash?: string;
  /** Slots of the executors to slash. */
  readonly culprits?: readonly string[];
}

/** Decides every open appeal on an attempt of a node; without `--uphold` all are rejected and their bonds are forfeited. */
export async function resolve(mission: string, node: string, options: ResolveOptions): Promise<void> {
  const attempt = wholeIn(options.attempt ?? "1", "attempt", 1, 255) - 1;
  await give(options, async (office) => {
    const draft = await onMission(office, "RESOLVE_APPEAL", mission, node);
    const onNode = await office.client.mission(draft.mission ?? "0x").history("AppealFiled", { node: draft.node ?? 0 });
    const filed = onNode.filter(({ args }) => args.attempt === attempt);
    const resolution = {
      attempt,
      filed: options.filed === undefined ? filed.length : wholeIn(options.filed, "filed", 1, 16),
      upheld: bitsOf(options.uphold, "appeal", 15),
      share: wholeIn(options.share ?? "0", "share", 0, 100) * 100,
      slash: amountIn(options.slash ?? "0"),
      culprits: bitsOf(options.culprits, "culprit", 4),
    };
    return { ...draft, data: encodeActionData("RESOLVE_APPEAL", [resolution]) };
  });
}

function bitsOf(positions: readonly string[] | undefined, what: string, most: number): number {
  return maskOf((positions ?? []).map((position) => wholeIn(position, what, 0, most)));
}
