import { encodeFunctionData, zeroAddress } from "viem";
import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { decodeRevert, revertOf } from "../../chain/revert.ts";
import type { CityClient } from "../../client/client.ts";
import { contractAbis } from "../../client/contracts.ts";
import { allErrors } from "../../client/errors.ts";
import type { Message } from "../../client/sign/sign-message.ts";
import { BASIS_POINTS, TOKEN_DECIMALS } from "../../primitives/amounts.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { contentIdOf, digestOf, keccak256 } from "../../primitives/hash.ts";
import type { Address, Hash, Hex } from "../../primitives/hex.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { type ParameterName, parameterIndex } from "../../protocol/parameters.ts";
import { typedData } from "../../protocol/typed-data.ts";
import type { Blocks } from "../../records/blocks.ts";
import { permitArguments, permitTypedData, wasPermitted } from "../founding/permit.ts";
import type { RelayBudget } from "./relay-budget.ts";

/** An appeal of a party against the outcome of an attempt. */
export interface AppealTerms {
  readonly mission: Address;
  readonly node: number;
  readonly attempt: number;
  /** Digest of its text. */
  readonly evidence: Hash;
}

/** What a party signs, and what it thereby agrees to. */
export interface PreparedAppeal {
  readonly typedData: ReturnType<typeof typedData<"Appeal">> & { readonly message: Message<"Appeal"> };
  /** The bond's allowance by signature (ERC-2612); undefined: the mission may pull it already. */
  readonly permit: Awaited<ReturnType<typeof permitTypedData>> | undefined;
  /** Smallest unit; lost if the appeal is rejected. */
  readonly bond: bigint;
  /** Of the bond. */
  readonly token: Address;
  /** Of both signatures: unix seconds, by the chain's clock. */
  readonly deadline: number;
}

/** A party's signatures, for the city to hand in. */
export interface SignedAppeal {
  readonly appellant: Address;
  readonly deadline: number;
  /** Over `Appeal`: by key; of a sponsor that is a contract wallet, by ERC-1271. */
  readonly signature: Hex;
  /** Of the same deadline. */
  readonly permit?: { readonly value: bigint; readonly signature: Hex } | undefined;
}

/** An appeal as it is on chain. */
export interface FiledAppeal {
  readonly evidence: Hash;
  /** Who filed one with this text, in order. */
  readonly filed: readonly { readonly appellant: Address; readonly bond: bigint }[];
}

/** What fileAppeal needs of a city. */
export interface AppealDesk {
  readonly client: CityClient;
  readonly blocks: Pick<Blocks, "put">;
  /** Budget for strangers' acts. */
  readonly relays: Pick<RelayBudget, "spend">;
}

/** More than an appeal takes: a sponsor's contract wallet is asked about its signature. */
const MAX_GAS = 400_000n;
/** Seconds of chain time that the signatures hold: whoever keeps them back has no longer to use them. */
const VALIDITY = 86_400;

const refused = (why: string) =>
  new AgentCityError("AppealRefused", `This appeal cannot be filed: ${why}`, {
    action: "sign what prepare_appeal gives, with the appellant's own key, and send the same text",
  });

/** The digest by which an appeal names its text. */
export function appealDigest(text: string): Hash {
  return digestOf(contentIdOf(new TextEncoder().encode(text)));
}

/** What a party signs to appeal. Throws TransactionReverted if the mission would refuse it: no party, too late, filed already. */
export async function prepareAppeal(client: CityClient, appellant: Address, terms: AppealTerms): Promise<PreparedAppeal> {
  const { chain, token } = client;
  const deadline = Number((await chain.publicClient.getBlock()).timestamp) + VALIDITY;
  const { bond, isAllowed } = await requireInOrder(client, terms, { appellant, deadline, signature: "0x" });
  const { mission, ...place } = terms;
  return {
    typedData: { ...typedData("Appeal", chain.id, mission), message: { appellant, ...place, deadline } },
    permit: isAllowed ? undefined : await permitTypedData(client, appellant, mission, bond, deadline),
    ...{ bond, token: token.address, deadline },
  };
}

/**
 * Hands a party's appeal in, within the budget for strangers, and keeps its text for the human who rules. Unsigned: it was sent otherwise.
 * Idempotent, whoever else hands it in. Throws AppealRefused, TransactionReverted, RelayQuota.
 */
export async function fileAppeal(
  { client, blocks, relays }: AppealDesk,
  { text, ...place }: Omit<AppealTerms, "evidence"> & { readonly text: string },
  signed?: SignedAppeal,
  from?: string,
): Promise<FiledAppeal> {
  const terms = { ...place, evidence: appealDigest(text) };
  const isFiled = async ({ appellant }: SignedAppeal) => (await filedOn(client, terms)).some((each) => each.appellant === appellant);
  if (signed !== undefined && !(await isFiled(signed))) {
    const { appellant } = signed;
    const { bond, isAllowed, balance } = await requireInOrder(client, terms, signed);
    if (balance < bond) throw refused(`its bond is ${bond}, and ${appellant} has ${balance}`);
    const permit = isAllowed ? undefined : signed.permit;
    if (!isAllowed && (permit?.value ?? 0n) < bond) throw refused(`its bond is ${bond}, and no permit lets the mission pull that`);
    const principal = await client.agents.principalOf(appellant);
    const payer = { principal: principal === zeroAddress ? appellant : principal, from };
    await relays.spend("appeal", payer, async (took) => {
      if (permit !== undefined) took(await allow(client, terms.mission, signed, permit));
      const { deadline, signature } = signed;
      took(
        await client.mission(terms.mission).appeal([terms.node, terms.attempt, terms.evidence, { agent: appellant, deadline, signature }], {
          intent: intentKey("appeal", keccak256(canonicalBytes({ ...terms, appellant, deadline, signature }))),
          maxGas: MAX_GAS,
          alreadyDone: () => isFiled(signed),
        }),
      );
    });
  }
  const filed = await filedOn(client, terms);
  // Nobody fills these records with texts for nothing: each cost a bond.
  if (filed.length === 0) throw refused("none with this text is on chain");
  blocks.put(new TextEncoder().encode(text));
  return { evidence: terms.evidence, filed };
}

/** Anybody may hand the permit in, also before. */
function allow(client: CityClient, mission: Address, { appellant, deadline }: SignedAppeal, permit: NonNullable<SignedAppeal["permit"]>) {
  const allowance = { owner: appellant, spender: mission, value: permit.value, deadline: BigInt(deadline) };
  const args = permitArguments(allowance, permit.signature);
  const intent = intentKey("appeal", "permit", keccak256(permit.signature));
  return client.token.permit(args, { intent, alreadyDone: () => wasPermitted(client, args) });
}

/**
 * The bond, and how its appellant can pay it. The transfer comes last, so that an appeal that only its bond holds up is otherwise in order.
 * Throws TransactionReverted if it is not.
 */
async function requireInOrder(client: CityClient, terms: AppealTerms, { appellant, deadline, signature }: SignedAppeal) {
  const { mission, node, attempt, evidence } = terms;
  const [bond, allowance, balance] = await Promise.all([
    bondOf(client, terms),
    client.token.allowance(appellant, mission),
    client.token.balanceOf(appellant),
  ]);
  const data = encodeFunctionData({
    abi: contractAbis.CollaborationContract,
    functionName: "appeal",
    args: [node, attempt, evidence, { agent: appellant, deadline, signature }],
  });
  // Nobody else can send an unsigned one.
  await client.chain.publicClient.call({ account: appellant, to: mission, data, gas: MAX_GAS }).catch((thrown: unknown) => {
    const revert = revertOf(thrown);
    if (revert === undefined) throw thrown;
    const decoded = decodeRevert(revert.data, allErrors);
    const isUnpaid = allowance < bond || balance < bond;
    if (isUnpaid && isOfToken(decoded.errorName)) return;
    throw new TransactionReverted({ phase: "simulated", what: "the appeal", ...decoded, cause: thrown });
  });
  return { bond, isAllowed: allowance >= bond, balance };
}

/** Settlement tokens have errors of their own, or texts; the city's contracts have neither. */
function isOfToken(errorName: string | undefined): boolean {
  return errorName === undefined || errorName === "Error" || errorName.startsWith("ERC20");
}

async function filedOn(client: CityClient, { mission, node, attempt, evidence }: AppealTerms): Promise<FiledAppeal["filed"]> {
  const all = await client.mission(mission).history("AppealFiled", { node });
  return all
    .filter(({ args }) => args.attempt === attempt && args.evidence === evidence)
    .map(({ args: { appellant, bond } }) => ({ appellant, bond }));
}

/** A share of the attempt's prices, by the parameters with which its mission began. */
async function bondOf(client: CityClient, { mission, node, attempt }: AppealTerms): Promise<bigint> {
  const bound = await client.mission(mission).history("ExecutorBound", { node });
  const price = bound.reduce((sum, { args }) => (args.attempt === attempt ? sum + args.price : sum), 0n);
  const [began] = await client.mission(mission).history("MissionStateChanged");
  const start = began?.blockNumber ?? 0n;
  const parameter = async (name: ParameterName) => {
    const changes = await client.constitution.history("ParameterSet", { param: parameterIndex(name) });
    return changes.find(({ blockNumber }) => blockNumber > start)?.args.previous ?? client.constitution.param(parameterIndex(name));
  };
  const [share, least] = await Promise.all([parameter("APPEAL_BOND_SHARE"), parameter("APPEAL_BOND_MIN")]);
  const [byShare, floor] = [(price * share) / BigInt(BASIS_POINTS), least * 10n ** BigInt(TOKEN_DECIMALS)];
  return byShare > floor ? byShare : floor;
}
