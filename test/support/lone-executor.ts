import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { signMessage } from "../../orchestrator/client/sign/sign-message.ts";
import { nodeStates } from "../../orchestrator/execution/chain-view.ts";
import { openingOf } from "../../orchestrator/execution/evidence.ts";
import type { Sandbox } from "../../orchestrator/execution/sandbox/run.ts";
import { SeatAbsent } from "../../orchestrator/minds/absence.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import type { Address } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { evidenceKinds } from "../../orchestrator/protocol/evidence.ts";
import { commitmentOf } from "../../orchestrator/rules/commitments.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

export interface LoneExecutor {
  readonly commits: "garbage" | "the truth";
  /** Afterwards it hands in what its service gave, or is gone. */
  readonly handsIn: boolean;
}

/** A city's sandbox, in which the first executor commits on chain by itself in the middle of its work, to evidence that nobody signed. */
export function committingAlone(city: City, { commits, handsIn }: LoneExecutor): Sandbox {
  let isFirst = true;
  return {
    async run(request) {
      const run = await city.sandbox.run(request);
      if (!isFirst || request.soldAs === undefined) return run;
      isFirst = false;
      if (run.status !== "ok") throw new Error("it ran nothing");
      const [sold] = await city.client.services.history("ServiceRegistered", { service: request.soldAs.id });
      await commitAlone(city, sold?.args.owner ?? "0x", commits === "garbage" ? bytes("garbage") : canonicalBytes(run.output));
      if (!handsIn) throw new SeatAbsent("the executor", "perform", "it is gone");
      return run;
    },
  };
}

async function commitAlone({ client, society }: City, agent: Address, output: Uint8Array): Promise<void> {
  const approved = await client.legislation.history("Approved");
  const mission = client.mission(approved.at(-1)?.args.mission ?? "0x");
  const awarded = (await mission.history("ExecutorBound")).filter(({ args }) => args.agent === agent);
  const states = await Promise.all(awarded.map(({ args }) => mission.nodeOf(args.node)));
  const bound = awarded.find((_, place) => nodeStates[states[place]?.state ?? 0] === "EXECUTING");
  const account = society.find((member) => member.account.address === agent)?.account;
  if (bound === undefined || account === undefined) throw new Error("it has no work, or is not of this city");
  const { node, slot, attempt } = bound.args;
  const obligation = await mission.obligationOf(node);
  const claimed = { slot, index: 0, kind: evidenceKinds.REEXECUTION, payload: keccak256(output), issuer: agent, class: "ATT" } as const;
  const items = [{ ...claimed, signature: "0x" as const }];
  const hidden = { obligation, outputHash: keccak256(output), trail: [keccak256(bytes("a step"))], items };
  const opening = openingOf(hidden, keccak256(bytes("salt")));
  const deadline = Number(client.chain.clock.now()) + 3_600;
  const message = { agent, node, slot, attempt, commitment: commitmentOf(agent, opening, obligation), deadline };
  const signature = await signMessage(client, account, "Commit", message, mission.address);
  await mission.commitOpen([node, slot, opening, deadline, signature], { intent: intentKey("alone", mission.address, node) });
}
