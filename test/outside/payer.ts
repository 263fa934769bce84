/**
 * Somebody who pays for a command by x402, or what is owed under an agreement, and has nothing of AgentCity's: `@x402/fetch` and a wallet of
 * viem. Prints one line of JSON for each thing that happens.
 * usage: PAYER_KEY=<private key with play money> node payer.ts <url of the city> [<what pay_agreement takes, as JSON>]
 */
import { privateKeyToAccount } from "viem/accounts";

// biome-ignore lint/suspicious/noExplicitAny: packages that the city does not depend on, and whatever a city sends
type Json = any;
const [url = "", agreement] = process.argv.slice(2);
const report = (happened: string, facts: Json = {}) => console.log(JSON.stringify({ happened, ...facts }));
const [ofFetch, ofEvm] = ["@x402/fetch", "@x402/evm"];
const [{ wrapFetchWithPaymentFromConfig, decodePaymentResponseHeader }, { ExactEvmScheme }]: Json = await Promise.all([
  import(ofFetch),
  import(ofEvm),
]);
const client = new ExactEvmScheme(privateKeyToAccount(process.env["PAYER_KEY"] as `0x${string}`));
const { document }: Json = await (await fetch(new URL("/v1/city", url))).json();
const network = `eip155:${document.chainId}`;
/** This client pays in no token but those that its owner allowed. */
const spendControls = { allowedAssets: [{ network, asset: document.addresses.CityToken, maxAmountPerPayment: "5000000" }] };
const config = { schemes: [{ network, client }], spendControls };
const place = new URL(agreement === undefined ? "/v1/verifications" : "/v1/agreement-payments", url);
const work = { content: '{"title":"A study"}', format: "json", required: ["title"] };
const body = agreement ?? JSON.stringify(work);
const asked = { method: "POST", headers: { "content-type": "application/json" }, body };

let header = "";
async function listening(request: Request): Promise<Response> {
  header = request.headers.get("payment-signature") ?? header;
  return fetch(request);
}
async function facts(answer: Response): Promise<Json> {
  const receipt = answer.headers.get("payment-response");
  const paid = receipt === null ? null : decodePaymentResponseHeader(receipt);
  return { status: answer.status, paid, answer: answer.status === 200 ? await answer.json() : null };
}

report("unpaid", await facts(await fetch(place, asked)));
report("paid", await facts(await wrapFetchWithPaymentFromConfig(listening, config)(place, asked)));
report("again", await facts(await fetch(place, { ...asked, headers: { ...asked.headers, "payment-signature": header } })));
const cheap = (_: number, [first]: Json) => ({ ...first, amount: "1" });
const cheaply = wrapFetchWithPaymentFromConfig(fetch, { ...config, paymentRequirementsSelector: cheap });
report("too little", await facts(await cheaply(place, asked)));
