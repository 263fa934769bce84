import { erc20Abi, numberToHex } from "viem";
import { dealtIn, type TokenDeal } from "../../chain/dealt.ts";
import { isUnreachable } from "../../chain/errors.ts";
import { requestOver } from "../../chain/rpc.ts";
import { messageOf } from "../../primitives/errors.ts";
import type { Address } from "../../primitives/hex.ts";
import type { AuditFinding } from "../../protocol/audit-report.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import { foundingUnits } from "../founding/found-city.ts";
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

/**
 * A fork differs from its chain in one word of storage: the one that is its founder's balance of the settlement token, of what a founding
 * takes, and no more. What it has in the end, and what moved since, come to the same.
 */
export async function dealFindings(
  { chain, client }: Pick<AuditContext, "chain" | "client">,
  rpcUrl: string | undefined,
): Promise<readonly AuditFinding[]> {
  const { fork, mnemonic } = genesisIn(chain) ?? {};
  if (fork?.dealt === undefined || rpcUrl === undefined) return [];
  const { dealt, number } = fork;
  const society = devnetSociety(mnemonic);
  const deal = { token: client.token.address, to: memberOf(society, "deployer").account.address, units: foundingUnits(society) };
  const found = await dealtIn(requestOver(rpcUrl, REQUEST_TIMEOUT), deal, numberToHex(number)).catch((error: unknown) => {
    if (isUnreachable(error)) throw error;
    return messageOf(error);
  });
  const seen = new Inspection({ name: "CHAIN", file: BUNDLE_FILES.chain });
  seen.same(dealt, found, "what the founder was given");
  seen.same(await balanceBefore(chain, deal, BigInt(number) + 1n), deal.units, "the founder's balance before the fork's first block");
  return seen.result().findings;
}

/** An account's balance before a block: what it has in the end, without what moved since. A replay keeps no state of blocks long past. */
async function balanceBefore({ publicClient }: AuditContext["chain"], { token: address, to }: TokenDeal, block: bigint): Promise<bigint> {
  const [last, moved] = await Promise.all([
    publicClient.readContract({ address, abi: erc20Abi, functionName: "balanceOf", args: [to] }),
    publicClient.getContractEvents({ address, abi: erc20Abi, eventName: "Transfer", fromBlock: block, strict: true }),
  ]);
  const out = (account: Address, units: bigint) => (account === to ? units : 0n);
  return moved.reduce((sum, { args }) => sum + out(args.from, args.value) - out(args.to, args.value), last);
}

/** A URL may hold a key in its path. */
export function originOf(url: string | undefined): string {
  return url === undefined ? "" : new URL(url).origin;
}
