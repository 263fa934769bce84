/** Client and provider of a job, each with a key and the package alone: the typed client for the chain, HTTP for the city. */
import { http, zeroAddress, zeroHash } from "viem";
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
  /** Whose house a party is of; by default its own. */
  readonly houses?: { readonly client?: Hex; readonly provider?: Hex };
}

/** A job in the city's escrow that is paid in, and before the city's panel; the provider has delivered nothing yet. */
export async function openJob(at: CityAt, { endow, now, commission = COMMISSION, change = {}, houses = {} }: JobOptions) {
  const { AgreementEscrow: escrow, ClearingEvaluator: evaluator, CityToken: token } = at.addresses;
  const [client, provider, arbiter] = [partyOf(at), partyOf(at), partyOf(at)];
  await endow(client.account.address);
  await endow(provider.account.address);
  const parties = { client: client.account.address, provider: provider.account.address };
  const agreementHash = commissionHash(commission);
  const agreed: EscrowTerms = {
    ...{ ...parties, evaluator, backup: zeroAddress, arbiter: arbiter.account.address, token, amount: AMOUNT, agreementHash },
    ...{ fundBy: now + DAY, deliverBy: now + 2 * DAY, evaluatorTimeout: 4 * DAY, challengeWindow: 0, arbiterTimeout: DAY },
    ...{ silenceShare: 0, nonce: 0n, deadline: now + DAY },
  };
  const domain = { chainId: hardhat.id, escrow };
  const jobId = jobOf(domain, agreed);
  await client.city.escrow.open([agreed, "0x", await provider.account.signTypedData(escrowTypedData(domain, agreed))]);
  const terms: HearingTerms = {
    ...{ escrow, jobId: String(jobId), ...parties, agreementHash, floor: REC, questions: 1, minConfidence: 5_000, passScore: 6_000 },
    clientPrincipal: houses.client ?? parties.client,
    providerPrincipal: houses.provider ?? parties.provider,
    ...{ panelSize: 3, graduated: true, layout: JOB_LAYOUTS.agreement, deliverBy: now + DAY, hearing: HEARING, deadline: now + DAY },
    ...change,
  };
  const place = { chainId: hardhat.id, evaluator };
  const signed = (party: typeof client) => party.account.signTypedData(hearingTypedData(place, terms));
  const opening = { terms: { ...terms }, commission: { ...commission }, client: await signed(client), provider: await signed(provider) };
  const hearing = hearingKey(escrow, jobId);
  const obligation = hearingObligation(place, terms);
  await client.city.token.approve([escrow, AMOUNT]);
  await client.city.escrow.fund([jobId, AMOUNT, "0x"]);

  return {
    ...{ client, provider, terms, jobId, hearing, obligation },
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
    /** The provider's two transactions: to the escrow, and to the panel. */
    async deliver(work: JsonObject, items: readonly Receipt[], submitted = work): Promise<void> {
      await provider.city.escrow.submit([jobId, deliverableOf(submitted), "0x"]);
      const hidden = { obligation, outputHash: deliverableOf(work), trailRoot: zeroHash, items };
      await provider.city.evaluator.deliver([termsOnChain(terms), openingUnder(hidden, zeroHash)]);
    },
    handIn: (work: JsonObject, items: readonly Receipt[]) =>
      ask(at.url, "/v1/hearing-work", { hearing, work, salt: zeroHash, trailRoot: zeroHash, items: items.map((item) => ({ ...item })) }),
    /** What each is owed in the escrow, and is paid by this. */
    async withdrawn(party: "client" | "provider"): Promise<bigint> {
      const { account, city } = { client, provider }[party];
      const owed = await city.escrow.creditOf(token, account.address);
      if (owed > 0n) await city.escrow.withdraw([token, account.address]);
      return owed;
    },
  };
}
export type Job = Awaited<ReturnType<typeof openJob>>;
