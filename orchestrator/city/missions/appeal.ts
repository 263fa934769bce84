import { encodeFunctionData, isAddressEqual } from "viem";
import { TransactionReverted } from "../../chain/errors.ts";
import { readSignedCall, relay } from "../../chain/relay.ts";
import { decodeRevert, revertOf } from "../../chain/revert.ts";
import type { CityClient } from "../../client/client.ts";
import { contractAbis } from "../../client/contracts.ts";
import { allErrors } from "../../client/errors.ts";
import { BASIS_POINTS, TOKEN_DECIMALS } from "../../primitives/amounts.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { contentIdOf, digestOf } from "../../primitives/hash.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import type { Blocks } from "../../records/blocks.ts";

/** An appeal of a party against the outcome of an attempt. */
export interface AppealTerms {
  readonly mission: Address;
  readonly node: number;
  readonly attempt: number;
  /** Digest of its text. */
  readonly evidence: Hash;
}

/** A call that the appellant makes itself: on chain an appeal is of whoever pays its bond. */
export interface AppealCall {
  readonly what: "approve" | "appeal";
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
}

/** The calls to sign, and what they cost. */
export interface PreparedAppeal {
  readonly calls: readonly AppealCall[];
  /** Smallest unit; lost if the appeal is rejected. */
  readonly bond: bigint;
  readonly chainId: number;
  /** Of the first call. */
  readonly nonce: number;
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };
}

/** An appeal as it is on chain. */
export interface FiledAppeal {
  readonly evidence: Hash;
  /** Who filed one with this text, in order. */
  readonly filed: readonly { readonly appellant: Address; readonly bond: bigint }[];
}

/** More than each call takes. */
const GAS = { approve: 100_000n, appeal: 400_000n } as const;

/** Errors of the token's transfer, which comes last: everything else about the appeal is in order. The third value is the bond. */
const UNPAID: readonly (string | undefined)[] = ["ERC20InsufficientAllowance", "ERC20InsufficientBalance"];

const refused = (why: string) =>
  new AgentCityError("AppealRefused", `This is not the appeal: ${why}`, {
    action: "sign what prepare_appeal gives, with the appellant's own key, and send the same text",
  });

/** The digest by which an appeal names its text. */
export function appealDigest(text: string): Hash {
  return digestOf(contentIdOf(new TextEncoder().encode(text)));
}

function appealCall({ mission, node, attempt, evidence }: AppealTerms): AppealCall {
  const data = encodeFunctionData({
    abi: contractAbis.CollaborationContract,
    functionName: "appeal",
    args: [node, attempt, evidence],
  });
  return { what: "appeal", to: mission, data, gas: GAS.appeal };
}

/** The mission pulls the bond: it may have no more than that. */
function approveCall({ addresses }: CityClient, { mission }: AppealTerms, bond: bigint): AppealCall {
  const data = encodeFunctionData({ abi: contractAbis.CityToken, functionName: "approve", args: [mission, bond] });
  return { what: "approve", to: addresses.CityToken, data, gas: GAS.approve };
}

/** The calls by which a party appeals. Throws TransactionReverted if the mission would refuse: no party, too late, filed already. */
export async function prepareAppeal(client: CityClient, appellant: Address, terms: AppealTerms): Promise<PreparedAppeal> {
  const { chain } = client;
  const call = appealCall(terms);
  const due = await chain.publicClient.call({ account: appellant, to: call.to, data: call.data }).then(
    () => undefined,
    (thrown: unknown) => {
      const revert = revertOf(thrown);
      if (revert === undefined) throw thrown;
      const decoded = decodeRevert(revert.data, allErrors);
      if (!UNPAID.includes(decoded.errorName))
        throw new TransactionReverted({ phase: "simulated", what: "the appeal", ...decoded, cause: thrown });
      return decoded;
    },
  );
  const [, , needed] = due?.args ?? [];
  const bond = typeof needed === "bigint" ? needed : await bondOf(client, terms);
  const [nonce, fees] = await Promise.all([
    chain.publicClient.getTransactionCount({ address: appellant, blockTag: "pending" }),
    chain.fees(),
  ]);
  const mayPull = due === undefined || due.errorName === "ERC20InsufficientBalance";
  return { calls: mayPull ? [call] : [approveCall(client, terms, bond), call], bond, chainId: chain.id, nonce, fees };
}

/** By the constitution as it is; a mission keeps the parameters with which it began. */
async function bondOf(client: CityClient, { mission, node, attempt }: AppealTerms): Promise<bigint> {
  const bound = await client.mission(mission).history("ExecutorBound", { node });
  const price = bound.reduce((sum, { args }) => (args.attempt === attempt ? sum + args.price : sum), 0n);
  const [share, least] = await Promise.all([
    client.constitution.param(parameterIndex("APPEAL_BOND_SHARE")),
    client.constitution.param(parameterIndex("APPEAL_BOND_MIN")),
  ]);
  const [byShare, floor] = [(price * share) / BigInt(BASIS_POINTS), least * 10n ** BigInt(TOKEN_DECIMALS)];
  return byShare > floor ? byShare : floor;
}

/**
 * Sends a party's signed transactions on, if they are its appeal with this text and nothing else, and keeps the text for the human who
 * rules. Without transactions: the appeal was sent otherwise. Idempotent. Throws AppealRefused, TransactionReverted.
 */
export async function fileAppeal(
  client: CityClient,
  blocks: Pick<Blocks, "put">,
  { text, ...place }: Omit<AppealTerms, "evidence"> & { readonly text: string },
  signed: readonly Hex[],
): Promise<FiledAppeal> {
  const terms = { ...place, evidence: appealDigest(text) };
  const appeal = appealCall(terms);
  // Of an approval the amount is the appellant's own business.
  const approval = approveCall(client, terms, 0n);
  const known = await Promise.all(
    signed.map(async (raw) => {
      const call = await readSignedCall(raw, client.chain.id, refused);
      const isAppeal = isAddressEqual(call.to, appeal.to) && call.data === appeal.data;
      const approves = isAddressEqual(call.to, approval.to) && call.data.slice(0, -64) === approval.data.slice(0, -64);
      if (!isAppeal && !approves) throw refused("a transaction does something else than approving its bond, or files another");
      return { ...call, what: isAppeal ? "appeal" : "approve" };
    }),
  );
  if (known.length > 0 && known.at(-1)?.what !== "appeal") throw refused("the last transaction does not file it");
  if (new Set(known.map(({ from }) => from)).size > 1) throw refused("its transactions are of different accounts");
  await relay(client.chain, known, allErrors, refused);
  const filed = (await client.mission(terms.mission).history("AppealFiled", { node: terms.node })).filter(
    ({ args }) => args.attempt === terms.attempt && args.evidence === terms.evidence,
  );
  // Nobody fills these records with texts for nothing: each cost a bond.
  if (filed.length === 0) throw refused("none with this text was filed on chain");
  blocks.put(new TextEncoder().encode(text));
  return { evidence: terms.evidence, filed: filed.map(({ args: { appellant, bond } }) => ({ appellant, bond })) };
}
