import { type Account, createPublicClient, createWalletClient, erc20Abi, type Hex, zeroAddress } from "viem";
import { readArtifact } from "../../deploy/artifacts.ts";
import {
  type Agreement,
  type AgreementEvent,
  type AgreementState,
  advance,
  agreementHash,
  contentHash,
  type Evaluator,
  evaluateDelivery,
  type Grounds,
  type KeyOf,
  lifecycleTerms,
  negotiate,
  openNegotiation,
  type Party,
  proposalFrom,
  readResult,
  readSigned,
  resultHash,
  say,
  settle,
  signAgreement,
  signerOf,
  templateOf,
} from "../../orchestrator/agreements/index.ts";
import { cityTokenAbi } from "../../orchestrator/chain/abi/CityToken.ts";
import { transportOf } from "../../orchestrator/chain/chain.ts";
import { devnetAccount, devnetSigner } from "../../orchestrator/chain/devnet.ts";
import type { DrivenChain } from "../../orchestrator/chain/driven.ts";
import {
  connectEscrow,
  escrowTerms,
  jobOf,
  type Outcome,
  shareOf,
  signCancellation,
  signEscrowTerms,
} from "../../orchestrator/escrow/index.ts";

/** Courses that an agreement may take: fulfilled, disputed, cancelled, and silence at each step. */
export const CASES = ["graduated", "disputed", "cancelled", "no-funds", "no-delivery", "no-evaluator", "backup", "no-ruling"] as const;
export type Case = (typeof CASES)[number];

export interface Played {
  readonly name: Case;
  readonly agreementHash: Hex;
  readonly steps: readonly { readonly step: string; readonly outcome: Outcome }[];
  readonly status: string;
  /** Amounts owed by the library's calculation, and paid by the chain, in smallest units. */
  readonly owed: { readonly provider: bigint; readonly client: bigint };
  readonly paid: { readonly provider: bigint; readonly client: bigint };
}

/** Devnet accounts that pay their own gas. */
const [CLIENT, PROVIDER, EVALUATOR, BACKUP, ARBITER, DEPLOYER] = [1, 2, 3, 4, 5, 6];
const account = (index = 0) => devnetAccount(index);
const PURSE = 100_000_000n;
const CANCELLED_PERCENT = 20;
const RULED_PERCENT = 40;

const documentSigner = { client: signerOf("ed25519", new Uint8Array(32).fill(7)), provider: devnetSigner(PROVIDER ?? 0) };
/** The evaluator and its backup. */
const judges = { gamma: signerOf("ed25519", new Uint8Array(32).fill(9)), delta: signerOf("ed25519", new Uint8Array(32).fill(11)) };
const keyOf: KeyOf = ({ value }) => ({ alpha: documentSigner.client, beta: documentSigner.provider, ...judges })[value]?.publicKey;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** Scores of a scripted judge; their composite is 88.00. */
const SCORES: Readonly<Record<string, number>> = { accuracy: 88, completeness: 82, relevance: 91, sources: 5, writing: 82 };
const judgeNamed = (value: keyof typeof judges): Evaluator => ({
  identity: { scheme: "uri", value },
  evaluate: ({ dimension }) =>
    Promise.resolve({ value: SCORES[dimension] ?? 0, evidence: `${dimension} read against the sources`, confidence: 0.9, cost_usd: 0.02 }),
});

/** Negotiates and signs: the provider asks for more, the client counters, the provider accepts. */
function agree(now: number): { readonly agreement: Agreement; readonly state: AgreementState } {
  const proposal = proposalFrom(templateOf("research"), {
    agreement_id: "asa-devnet-1",
    created_at: iso(now),
    expires_at: iso(now + 30 * 86_400),
    parties: {
      client: { identity: { scheme: "uri", value: "alpha" } },
      provider: { identity: { scheme: "uri", value: "beta" } },
      evaluator: { identity: judgeNamed("gamma").identity, type: "agent_as_judge" },
    },
    description: "Recent literature on privacy guarantees of federated learning",
    deliverable_format: "markdown",
    verification: { strategy: "optimistic", depth: "semantic", challenge_window_seconds: 7200, evaluator_timeout_seconds: 600 },
    escrow: {
      enabled: true,
      binding: { type: "erc8183" },
      payment: { amount: "4.00", currency: "USDC", graduated_release: { enabled: true } },
      dead_mans_switch: { client_timeout_seconds: 3600, provider_timeout_seconds: 86_400, timeout_action: "split_50_50" },
    },
  });
  const options = { keyOf, medianPrice: "4.50" };
  let at = openNegotiation(proposal, options);
  const turn = (by: Party, changes?: Record<string, string>) => {
    const body = { by, rationale_code: "capacity", timestamp: iso(now) } as const;
    const message =
      changes === undefined
        ? say(at, documentSigner[by], { ...body, action: "accept" })
        : say(at, documentSigner[by], { ...body, action: "counter", changes });
    at = negotiate(at, JSON.parse(JSON.stringify(message)), options);
  };
  turn("provider", { "/escrow/payment/amount": "5.00" });
  turn("client", { "/escrow/payment/amount": "4.75" });
  turn("provider", { "/escrow/payment/amount": "5.00" });
  turn("client");
  const once = signAgreement(at.offer, "client", documentSigner.client, keyOf);
  const twice = signAgreement(once, "provider", documentSigner.provider, keyOf);
  return { agreement: readSigned(JSON.parse(JSON.stringify(twice)), keyOf), state: at.state };
}

/** An agreement from proposal to payment on a devnet: the real contract holds the money, the library computes what is owed, and both are compared. */
export async function play(chain: DrivenChain, name: Case): Promise<Played> {
  const { publicClient } = chain;
  const on = { chain: publicClient.chain, transport: transportOf(chain) };
  const reader = createPublicClient({ ...on, cacheTime: 0 });
  const deploy = async (path: string) => {
    const { abi, bytecode } = readArtifact(path);
    const hash = await createWalletClient({ ...on, account: account(DEPLOYER) }).deployContract({ abi, bytecode, args: [] });
    const { contractAddress } = await chain.receipt(hash);
    if (contractAddress === undefined || contractAddress === null) throw new Error(`${path} was not deployed`);
    return contractAddress;
  };
  const [token, address] = [await deploy("interop/CityToken"), await deploy("agreements/AgreementEscrow")];
  const pay = async (by: Account, functionName: "mint" | "approve", args: readonly [Hex, bigint]) => {
    const hash = await createWalletClient({ ...on, account: by }).writeContract({ abi: cityTokenAbi, address: token, functionName, args });
    await chain.receipt(hash);
  };
  const client = account(CLIENT);
  const provider = account(PROVIDER);
  await pay(account(DEPLOYER), "mint", [client.address, PURSE]);
  await pay(client, "approve", [address, PURSE]);

  const now = async () => Number((await reader.getBlock()).timestamp);
  const { agreement, state: agreed } = agree(await now());
  const people = { client: client.address, provider: provider.address, evaluator: account(EVALUATOR).address, token };
  const parties = { ...people, backup: name === "backup" ? account(BACKUP).address : zeroAddress, arbiter: account(ARBITER).address };
  const terms = escrowTerms(agreement, parties, { now: await now() });
  const domain = { chainId: chain.id, escrow: address };
  const job = jobOf(domain, terms);
  const escrow = connectEscrow({ ...on, address });

  const steps: { step: string; outcome: Outcome }[] = [];
  const step = async (what: string, outcome: Promise<Outcome>) => {
    const done = await outcome;
    steps.push({ step: what, outcome: done });
    if (done.kind !== "settled") throw new Error(`${what}: ${done.kind === "rejected" ? done.reason : "nobody knows"}`);
  };
  const silence = async (seconds: number) => chain.advanceTo(BigInt((await now()) + seconds + 1));
  const life: AgreementEvent[] = [
    { name: "sign", by: "client" },
    { name: "sign", by: "provider" },
  ];
  const lifeTerms = { ...lifecycleTerms(agreement), maxBackups: 0 };
  let grounds: Grounds = {};

  const signatures = [await signEscrowTerms(client, domain, terms), await signEscrowTerms(provider, domain, terms)] as const;
  await step("open", escrow.call(account(DEPLOYER), "open", [terms, ...signatures]));
  const script: Readonly<Record<string, () => Promise<void>>> = {
    fund: async () => {
      await step("fund", escrow.call(client, "fund", [job, terms.amount, "0x"]));
      life.push({ name: "fund" });
    },
    deliver: async () => {
      await step("submit", escrow.call(provider, "submit", [job, contentHash(work), "0x"]));
      life.push({ name: "deliver" });
    },
    judge: async () => {
      const standIn = name === "backup";
      const judge = judgeNamed(standIn ? "delta" : "gamma");
      const verifying = {
        verification_id: `ver-${agreement.agreement_id}`,
        timestamp: iso(await now()),
        startedAt: agreement.created_at,
        deliverableHash: contentHash(work),
        signer: standIn ? judges.delta : judges.gamma,
        identity: judge.identity,
      };
      const result = await evaluateDelivery(agreement, { ...work, delivered_at: iso(await now()) }, verifying, { evaluator: judge });
      const checks = { keyOf, assigned: judge.identity, deliverableHash: contentHash(work) };
      grounds = { determination: readResult(agreement, JSON.parse(JSON.stringify(result)), checks) };
      const share = shareOf(grounds.determination?.release_percent ?? 0);
      const by = account(standIn ? BACKUP : EVALUATOR);
      await step("settle", escrow.call(by, "settle", [job, share, resultHash(result)]));
      life.push({ name: "result" });
    },
    challenge: async () => {
      await step("challenge", escrow.call(client, "challenge", [job, agreementHash(agreement)]));
      life.push({ name: "challenge" });
    },
    rule: async () => {
      await step("rule", escrow.call(account(ARBITER), "rule", [job, shareOf(RULED_PERCENT), agreementHash(agreement)]));
      grounds = { ...grounds, ruling: RULED_PERCENT };
      life.push({ name: "ruling" });
    },
    cancel: async () => {
      const message = { jobId: job, share: shareOf(CANCELLED_PERCENT), deadline: (await now()) + 600 };
      const both = [await signCancellation(client, domain, message), await signCancellation(provider, domain, message)] as const;
      await step("cancel", escrow.call(account(DEPLOYER), "cancel", [job, message.share, message.deadline, ...both]));
      grounds = { agreed: CANCELLED_PERCENT };
      life.push({ name: "cancel" });
    },
    overtime: () => silence(terms.evaluatorTimeout),
    silence: async () => {
      await silence(SILENCES[name] ?? terms.challengeWindow);
      await step("finalise", escrow.call(account(DEPLOYER), "finalise", [job]));
      life.push({ name: "timeout" });
    },
  };
  for (const what of SCRIPTS[name]) await script[what]?.();

  const state = life.reduce<AgreementState>((at, event) => advance(at, event, lifeTerms), agreed);
  const held = async (whose: Hex) => reader.readContract({ abi: erc20Abi, address: token, functionName: "balanceOf", args: [whose] });
  const left = await held(client.address);
  for (const whose of [provider, client])
    if ((await escrow.creditOf(token, whose.address)) > 0n)
      await step("withdraw", escrow.call(account(DEPLOYER), "withdraw", [token, whose.address]));
  return {
    name,
    agreementHash: terms.agreementHash,
    steps,
    status: await escrow.statusOf(job),
    owed: settle(agreement, state, grounds),
    paid: { provider: await held(provider.address), client: (await held(client.address)) - left },
  };
}

const work = { content: new TextEncoder().encode("# Federated learning\n\nFive sources, read.\n") };

const SCRIPTS: Readonly<Record<Case, readonly string[]>> = {
  graduated: ["fund", "deliver", "judge", "silence"],
  disputed: ["fund", "deliver", "judge", "challenge", "rule"],
  cancelled: ["fund", "cancel"],
  "no-funds": ["silence"],
  "no-delivery": ["fund", "silence"],
  "no-evaluator": ["fund", "deliver", "silence"],
  backup: ["fund", "deliver", "overtime", "judge", "silence"],
  "no-ruling": ["fund", "deliver", "judge", "challenge", "silence"],
};
/** Seconds until the timeout may be invoked; otherwise the challenge window's. */
const SILENCES: Readonly<Partial<Record<Case, number>>> = {
  "no-funds": 3600,
  "no-delivery": 90_000,
  "no-evaluator": 600,
  "no-ruling": 604_800,
};
