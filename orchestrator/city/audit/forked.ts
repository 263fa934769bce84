import { numberToHex } from "viem";
import { dealtIn } from "../../chain/dealt.ts";
import { isUnreachable } from "../../chain/errors.ts";
import { requestOver } from "../../chain/rpc.ts";
import { messageOf } from "../../primitives/errors.ts";
import type { AuditFinding } from "../../protocol/audit-report.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import { devnetSociety, memberOf } from "../founding/society.ts";
import { type AuditContext, genesisIn } from "./context.ts";
import { Inspection } from "./inspection.ts";

const REQUEST_TIMEOUT = 30_000;

/** What an audit of a fork takes a node's word for. */
export function forkedFrom({ chain }: Pick<AuditContext, "chain">, rpcUrl: string | undefined): readonly string[] {
  const fork = genesisIn(chain)?.fork;
  return fork === undefined
    ? []
    : [`the node at ${originOf(rpcUrl)} for what chain ${fork.chainId} held at block ${fork.number}, where the fork began`];
}

/** A fork differs from its chain in one word of storage: the one that is its founder's balance of the settlement token, and no other. */
export async function dealtOtherwise(
  { chain, client }: Pick<AuditContext, "chain" | "client">,
  rpcUrl: string | undefined,
): Promise<readonly AuditFinding[]> {
  const { fork, mnemonic } = genesisIn(chain) ?? {};
  if (fork?.dealt === undefined || rpcUrl === undefined) return [];
  const { dealt, number } = fork;
  const { address: to } = memberOf(devnetSociety(mnemonic), "deployer").account;
  const deal = { token: client.token.address, to, units: BigInt(dealt.value) };
  const found = await dealtIn(requestOver(rpcUrl, REQUEST_TIMEOUT), deal, numberToHex(number)).catch((error: unknown) => {
    if (isUnreachable(error)) throw error;
    return messageOf(error);
  });
  const seen = new Inspection({ name: "CHAIN", file: BUNDLE_FILES.chain });
  seen.same(dealt, found, "what the founder was given");
  return seen.result().findings;
}

/** A URL may hold a key in its path. */
export function originOf(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).origin;
}
