/**
 * A job for money between two strangers: its payment in the city's escrow, its work judged by a panel of the city's verifiers, and paid.
 *
 * usage: CLIENT_KEY=0x… PROVIDER_KEY=0x… node job.ts <city.json>
 * Without keys it makes two. On a devnet (chain 31337) the city's deployer, whose key everybody knows, gives them gas and test tokens.
 */
import { readFileSync } from "node:fs";
import {
  type Commission,
  commissionHash,
  createAgentCityClient,
  deliverableOf,
  type EnclosedItem,
  escrowTypedData,
  type Hash,
  type HearingTerms,
  type Hex,
  hearingKey,
  hearingObligation,
  hearingTypedData,
  JOB_LAYOUTS,
  jobOf,
  openingUnder,
  termsOnChain,
} from "agentcity";
import { createWalletClient, parseEther, zeroAddress, zeroHash } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { connect } from "./connect.ts";

const [, , file = ".agentcity/anvil/city.json"] = process.argv;
const connection = connect(file);
const { chain, transport, city: addresses } = connection;
const { apiUrl } = JSON.parse(readFileSync(file, "utf8")) as { apiUrl: string };
const keyOf = (name: string) => privateKeyToAccount((process.env[name] as Hex | undefined) ?? generatePrivateKey());
const [client, provider, arbiter] = [keyOf("CLIENT_KEY"), keyOf("PROVIDER_KEY"), keyOf("ARBITER_KEY")];
const as = (account: typeof client) => createAgentCityClient({ ...connection, account });
const { publicClient } = as(client);

/** Answers of the city's gateway, by HTTP. */
async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const sent = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(new URL(path, apiUrl), sent);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

const amount = 5_000_000n; // five tokens
if (chain.id === 31337) {
  const deployer = mnemonicToAccount("test test test test test test test test test test test junk");
  const wallet = createWalletClient({ account: deployer, chain, transport });
  for (const { address } of [client, provider])
    await publicClient.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to: address, value: parseEther("1") }) });
  await createAgentCityClient({ ...connection, account: deployer }).token.mint([client.address, amount]);
}

// What is ordered: work of this form, which somebody besides the provider has seen.
const schema = { type: "object", required: ["answer"], properties: { answer: { type: "integer" } } };
const commission: Commission = { version: 1, kinds: ["constraint", "receipt"], schema };
const agreementHash = commissionHash(commission);
const now = Number((await publicClient.getBlock()).timestamp); // chain time, not this machine's
const day = 86_400;

// The money: in the escrow under terms that both sign; its evaluator is the city's panel.
const { AgreementEscrow: escrow, ClearingEvaluator: evaluator, CityToken: token } = addresses;
const parties = { client: client.address, provider: provider.address };
const agreed = {
  ...{ ...parties, evaluator, backup: zeroAddress, arbiter: arbiter.address, token, amount, agreementHash },
  ...{ fundBy: now + day, deliverBy: now + day, evaluatorTimeout: 2 * day, challengeWindow: 0, arbiterTimeout: day, silenceShare: 0 },
  ...{ nonce: 0n, deadline: now + day },
} as const;
const domain = { chainId: chain.id, escrow };
const jobId = jobOf(domain, agreed);
await as(client).escrow.open([agreed, "0x", await provider.signTypedData(escrowTypedData(domain, agreed))]);
await as(client).token.approve([escrow, amount]);
await as(client).escrow.fund([jobId, amount, "0x"]);

// The panel: three verifiers, drawn once the work is there, who count receipts (class REC, number 3) and nothing weaker.
const terms: HearingTerms = {
  ...{ escrow, jobId: String(jobId), ...parties, clientPrincipal: client.address, providerPrincipal: provider.address, agreementHash },
  ...{ floor: 3, questions: 1, minConfidence: 5_000, passScore: 6_000, panelSize: 3, graduated: true, layout: JOB_LAYOUTS.agreement },
  ...{ deliverBy: now + day, hearing: 3_600, deadline: now + day, bond: "0" },
};
const place = { chainId: chain.id, evaluator };
const [byClient, byProvider] = await Promise.all([client, provider].map((party) => party.signTypedData(hearingTypedData(place, terms))));
await ask("/v1/hearings", { terms, commission, client: byClient, provider: byProvider });

// The work: received by the city's issuers, submitted to the escrow, delivered to the panel.
const work = { answer: 42 };
const [hearing, obligation] = [hearingKey(escrow, jobId), hearingObligation(place, terms)];
const { items } = await ask<{ items: (EnclosedItem & { signature: Hash })[] }>("/v1/hearing-receipts", { hearing, work });
const outputHash = deliverableOf(work);
await as(provider).escrow.submit([jobId, outputHash, "0x"]);
await as(provider).evaluator.deliver([termsOnChain(terms), openingUnder({ obligation, outputHash, trailRoot: zeroHash, items }, zeroHash)]);
await ask("/v1/hearing-work", { hearing, work, salt: zeroHash, trailRoot: zeroHash, items });

// The city's verifiers judge, and the city ends the job.
let state: { isClosed: boolean; outcome: string; score: number };
do {
  await new Promise((resolve) => setTimeout(resolve, 500));
  state = await ask(`/v1/hearings/${hearing}`);
} while (!state.isClosed);
await as(provider).escrow.withdraw([token, provider.address]);
console.log(
  `${state.outcome} with ${state.score / 100}: the provider has ${(await as(provider).token.balanceOf(provider.address)) / 1_000_000n} tokens`,
);
