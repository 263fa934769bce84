/** Client and provider of a job, each with a key and the package alone: the typed client for the chain, HTTP for the city. */
import { createWalletClient, http, zeroAddress, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { z } from "zod";
import {
  type CityAddresses,
  type Commission,
  commissionHash,
  createAgentCityClient,
  deliverableOf,
  type EnclosedItem,
  type EscrowTerms,
  escrowTypedData,
  type HearingTerms,
  type Hex,
  hearingKey,
  hearingObligation,
  hearingTypedData,
  JOB_LAYOUTS,
  jobOf,
  openingUnder,
  termsOnChain,
} from "../../orchestrator/client/index.ts";
import { type JsonObject, parseJson } from "../../orchestrator/primitives/json.ts";
import { peerContract } from "../support/peer-contract.ts";

export const HEARING = 900;
export const AMOUNT = 5_000_000n;
/** Number of the class REC. */
const REC = 3;
const DAY = 86_400;

export const COMMISSION: Commission = {
  version: 1,
  kinds: ["constraint", "receipt"],
  schema: { type: "object", required: ["answer"], properties: { answer: { type: "integer" } } },
};
export const WORK = { answer: 42 };

/** An item of evidence under its issuer's signature. */
export type Receipt = EnclosedItem & { readonly signature: Hex };

/** Where the city is, as its public description says. */
export interface CityAt {
  readonly url: string;
  readonly rpcUrl: string;
  readonly addresses: CityAddresses;
}

/** A new key, its client of the city, and what it asks the city by HTTP. */
function partyOf({ rpcUrl, addresses }: CityAt) {
  const account = privateKeyToAccount(generatePrivateKey());
  return { account, city: createAgentCityClient({ chain: hardhat, transport: http(rpcUrl), account, city: addresses }) };
}

/** Answers of the city's gateway; an error of it is thrown by its code. */
export async function ask(url: string, path: string, body?: object): Promise<JsonObject> {
  const sent = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(new URL(path, url), sent);
  const answer = parseJson(await response.text()) as JsonObject;
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

export interface JobOptions {
  /** Gives a new party tokens, and gas. */
  readonly endow: (party: Hex) => Promise<void>;
  /** Chain time, unix seconds. */
  readonly now: number;
  readonly commission?: Commission;
  readonly change?: Partial<HearingTerms>;
  /** What both agree on for the escrow. */
  readonly agreed?: Partial<EscrowTerms>;
  /** Whose house a party is of; by default its own. */
  readonly houses?: { readonly client?: Hex; readonly provider?: Hex };
}

async function partiesOf(at: CityAt, { endow }: Pick<JobOptions, "endow">) {
  const [client, provider, arbiter] = [partyOf(at), partyOf(at), partyOf(at)];
  for (const { account } of [client, provider, arbiter]) await endow(account.address);
  return { client, provider, arbiter };
}
type Parties = Awaited<ReturnType<typeof partiesOf>>;

/** A job that is paid in. */
interface Paid {
  readonly escrow: Hex;
  readonly jobId: bigint;
  readonly layout: number;
  readonly graduated: boolean;
  readonly submit: (deliverable: Hex) => Promise<unknown>;
}

/** A job in the city's escrow that is paid in, and before the city's panel; the provider has delivered nothing yet. */
export async function openJob(at: CityAt, options: JobOptions) {
  const { AgreementEscrow: escrow, ClearingEvaluator: evaluator, CityToken: token } = at.addresses;
  const { now, commission = COMMISSION } = options;
  const parties = await partiesOf(at, options);
  const { client, provider, arbiter } = parties;
  const agreed: EscrowTerms = {
    ...{ client: client.account.address, provider: provider.account.address, evaluator, backup: zeroAddress },
    ...{ arbiter: arbiter.account.address, token, amount: AMOUNT, agreementHash: commissionHash(commission) },
    ...{ fundBy: now + DAY, deliverBy: now + 2 * DAY, evaluatorTimeout: 4 * DAY, challengeWindow: 0, arbiterTimeout: DAY },
    ...{ silenceShare: 0, nonce: 0n, deadline: now + DAY },
    ...options.agreed,
  };
  const domain = { chainId: hardhat.id, escrow };
  const jobId = jobOf(domain, agreed);
  await client.city.escrow.open([agreed, "0x", await provider.account.signTypedData(escrowTypedData(domain, agreed))]);
  await client.city.token.approve([escrow, AMOUNT]);
  await client.city.escrow.fund([jobId, AMOUNT, "0x"]);
  const submit = (deliverable: Hex) => provider.city.escrow.submit([jobId, deliverable, "0x"]);
  return heard(at, options, parties, { escrow, jobId, layout: JOB_LAYOUTS.agreement, graduated: true, submit });
}

/** An escrow that is not the city's, deployed by one of the parties. */
async function deployed(at: CityAt, by: Parties["client"], name: string, args: readonly unknown[]) {
  const { abi, bytecode } = peerContract(`${name}.sol`, name);
  const walletOf = ({ account }: Parties["client"]) => createWalletClient({ account, chain: hardhat, transport: http(at.rpcUrl) });
  const mined = (transaction: Hex) => by.city.publicClient.waitForTransactionReceipt({ hash: transaction });
  const { contractAddress: escrow } = await mined(await walletOf(by).deployContract({ abi, bytecode, args }));
  if (escrow === null || escrow === undefined) throw new Error("no escrow");
  const call = async (from: Parties["client"], functionName: string, values: readonly unknown[]) =>
    mined(await walletOf(from).writeContract({ address: escrow, abi, functionName, args: values }));
  return { escrow, call };
}

/** Jobs of an escrow that holds no money: as many as two keys like, for the price of their transactions. `become`: what it costs a city. */
export async function greedyJobs(at: CityAt, options: JobOptions) {
  const parties = await partiesOf(at, options);
  const { client, provider } = parties;
  const args = [client.account.address, provider.account.address, at.addresses.ClearingEvaluator];
  const { escrow, call } = await deployed(at, client, "GreedyJobs", args);
  return {
    become: (greed: "NONE" | "ASKED" | "ENDED" | "MINED") => call(client, "become", [["NONE", "ASKED", "ENDED", "MINED"].indexOf(greed)]),
    job(jobId: bigint) {
      const submit = (deliverable: Hex) => call(provider, "submit", [jobId, deliverable]);
      return heard(at, options, parties, { escrow, jobId, layout: 0x00_01_02_03, graduated: false, submit });
    },
  };
}

/** The same as `openJob` in an escrow of somebody else, which knows `complete` and `reject` alone. */
export async function foreignJob(at: CityAt, options: JobOptions) {
  const parties = await partiesOf(at, options);
  const { client, provider } = parties;
  const { CityToken: token, ClearingEvaluator: evaluator } = at.addresses;
  const { escrow, call } = await deployed(at, client, "DraftJobs", [token, 0n]);
  const jobId = 1n;
  await call(client, "createJob", [provider.account.address, evaluator, BigInt(options.now + 30 * DAY), "a study"]);
  await call(provider, "setBudget", [jobId, AMOUNT]);
  const before = {
    client: await client.city.token.balanceOf(client.account.address),
    provider: await client.city.token.balanceOf(provider.account.address),
  };
  await client.city.token.approve([escrow, AMOUNT]);
  await call(client, "fund", [jobId, AMOUNT, "0x"]);
  const submit = (deliverable: Hex) => call(provider, "submit", [jobId, deliverable, "0x"]);
  const job = await heard(at, options, parties, { escrow, jobId, layout: JOB_LAYOUTS.draft, graduated: false, submit });
  return { ...job, before };
}

async function heard(
  at: CityAt,
  { now, commission = COMMISSION, change = {}, houses = {} }: JobOptions,
  { client, provider, arbiter }: Parties,
  { submit, jobId, ...place }: Paid,
) {
  const { ClearingEvaluator: evaluator, CityToken: token } = at.addresses;
  const parties = { client: client.account.address, provider: provider.account.address };
  const terms: HearingTerms = {
    ...{ ...place, ...parties, jobId: String(jobId), agreementHash: commissionHash(commission) },
    ...{ floor: REC, questions: 1, minConfidence: 5_000, passScore: 6_000, panelSize: 3 },
    clientPrincipal: houses.client ?? parties.client,
    providerPrincipal: houses.provider ?? parties.provider,
    ...{ deliverBy: now + DAY, hearing: HEARING, deadline: now + DAY, bond: "0" },
    ...change,
  };
  const city = { chainId: hardhat.id, evaluator };
  const signed = (party: typeof client) => party.account.signTypedData(hearingTypedData(city, terms));
  const opening = { terms, commission, client: await signed(client), provider: await signed(provider) };
  const hearing = hearingKey(terms.escrow, jobId);
  const obligation = hearingObligation(city, terms);

  const handed = (work: JsonObject, items: readonly Receipt[]) => ({ hearing, work, salt: zeroHash, trailRoot: zeroHash, items });

  return {
    ...{ client, provider, arbiter, terms, jobId, hearing, obligation, opening, handed },
    /** Once one of the parties has registered it by itself, no signature is needed. */
    open: (change: object = {}) => ask(at.url, "/v1/hearings", { ...opening, ...change }),
    registerByProvider: () => provider.city.evaluator.register([termsOnChain(terms), opening.client, "0x"]),
    get: () => ask(at.url, `/v1/hearings/${hearing}`),
    list: () => ask(at.url, "/v1/hearings"),
    prepare: () => ask(at.url, "/v1/hearing-terms", { terms }),
    /** What the city's issuers sign for this work. */
    async receipts(work: JsonObject): Promise<readonly Receipt[]> {
      const { items } = await ask(at.url, "/v1/hearing-receipts", { hearing, work });
      return z.array(z.custom<Receipt>()).parse(items);
    },
    /** The first of the provider's two transactions by itself: `deliver` then takes null for what is submitted. */
    submit: (work: JsonObject) => submit(deliverableOf(work)),
    /** The provider's two transactions: to the escrow, and to the panel. */
    async deliver(work: JsonObject, items: readonly Receipt[], submitted: JsonObject | null = work): Promise<void> {
      if (submitted !== null) await submit(deliverableOf(submitted));
      const hidden = { obligation, outputHash: deliverableOf(work), trailRoot: zeroHash, items };
      await provider.city.evaluator.deliver([termsOnChain(terms), openingUnder(hidden, zeroHash)]);
    },
    handIn: (work: JsonObject, items: readonly Receipt[]) => ask(at.url, "/v1/hearing-work", handed(work, items)),
    async challenge(party: "client" | "provider", bond: bigint): Promise<void> {
      const { city: its } = { client, provider }[party];
      await its.token.approve([evaluator, bond]);
      await its.evaluator.challenge([termsOnChain(terms)]);
    },
    /** What each is owed in the escrow, and is paid by this. */
    async withdrawn(party: "client" | "provider"): Promise<bigint> {
      const { account, city: its } = { client, provider }[party];
      const owed = await its.escrow.creditOf(token, account.address);
      if (owed > 0n) await its.escrow.withdraw([token, account.address]);
      return owed;
    },
  };
}
export type Job = Awaited<ReturnType<typeof openJob>>;
