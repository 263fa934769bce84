/**
 * A sponsor by somebody who has nothing of AgentCity's: a URL, a key and viem. It asks for a mission by HTTP, pays for it by its own
 * transactions, and waits for the end. Prints one line of JSON for each thing that happens.
 * usage: node sponsor.ts <url of the city> <mission file> <items, a JSON file> [unpaid | paid | wrong-key | foreign-payer]
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

// biome-ignore lint/suspicious/noExplicitAny: whatever a city sends; its own schemas are in /openapi.json
type Json = any;
const [url = "", file = "", items = "", manner = "honest"] = process.argv.slice(2);
const [account, other] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())];
const report = (happened: string, facts: Json = {}) => console.log(JSON.stringify({ happened, ...facts }));
const { document }: Json = await (await fetch(new URL("/v1/city", url))).json();

/** A request signed as RFC 9421 and ERC-8128 say. */
async function post(path: string, given: Json, by = account): Promise<Json> {
  const body = JSON.stringify(given);
  const digest = `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
  const [created, nonce] = [Math.floor(Date.now() / 1_000), randomBytes(16).toString("base64url")];
  const names = '("@method" "@authority" "@path" "content-digest" "content-type")';
  const keyid = `erc8128:${document.chainId}:${account.address.toLowerCase()}`;
  const parameters = `${names};created=${created};expires=${created + 30};nonce="${nonce}";keyid="${keyid}"`;
  const said = [`"@method": POST`, `"@authority": ${new URL(url).host}`, `"@path": ${path}`, `"content-digest": ${digest}`];
  const base = [...said, `"content-type": application/json`, `"@signature-params": ${parameters}`].join("\n");
  const signature = Buffer.from((await by.signMessage({ message: base })).slice(2), "hex").toString("base64");
  const headers = { "content-type": "application/json", "content-digest": digest };
  const proof = { "signature-input": `eth=${parameters}`, signature: `eth=:${signature}:` };
  const answer = await fetch(new URL(path, url), { method: "POST", headers: { ...headers, ...proof }, body });
  return answer.json();
}
const get = async (path: string, headers = {}): Promise<Json> => (await fetch(new URL(path, url), { headers })).json();

/** What came out of the last node, from the mission's bundle; without its sponsor's bearer the city gives the public copy, which has no outcome. */
async function outputOf(mission: string, headers: Json): Promise<Json> {
  const files = new Map<string, string>();
  for (let after: string | null = ""; after !== null; ) {
    const page = await get(`/v1/missions/${mission}/bundle${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`, headers);
    for (const { path, base64 } of page.files) files.set(path, Buffer.from(base64, "base64").toString());
    after = page.next;
  }
  if (!files.has("outcome.json")) return { withheld: JSON.parse(files.get("manifest.json") ?? "{}").withheld };
  const { nodes } = JSON.parse(files.get("outcome.json") ?? "{}");
  return JSON.parse(files.get(nodes.findLast(({ output }: Json) => output !== null).output.file) ?? "null");
}

const asked = { file: readFileSync(file, "utf8"), items: JSON.parse(readFileSync(items, "utf8")) };
const posted = await post("/v1/posted", asked, manner === "wrong-key" ? other : account);
if (posted.error) {
  report("refused", posted.error);
  process.exit(0);
}
report("posted", posted);
const same = await post("/v1/posted", asked);
report("posted again", { isSame: same.id === posted.id });
if (manner === "unpaid") process.exit(0);
const payer = manner === "foreign-payer" ? other : account;
await post("/v1/faucet", { principal: account.address });
const { transactions, balance } = await get(`/v1/posted/${posted.id}/deposit`);
const signed = transactions.map(({ what: _, gas, maxFeePerGas, maxPriorityFeePerGas, ...call }: Json) =>
  payer.signTransaction({
    ...{ type: "eip1559", ...call, gas: BigInt(gas) },
    ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
  }),
);
const body = { posted: posted.id, transactions: await Promise.all(signed) };
const paid = await post("/v1/deposits", body);
if (paid.error) {
  report("refused", paid.error);
  report("still", await get(`/v1/posted/${posted.id}`));
  process.exit(0);
}
report("paid", { ...paid, balance });
if (manner === "paid") process.exit(0);
report("paid again", await post("/v1/deposits", body));
for (let now = paid; ; now = await get(`/v1/posted/${posted.id}`)) {
  if (["completed", "failed", "aborted", "no-law"].includes(now.state)) {
    report("over", { ...now, left: (await get(`/v1/posted/${posted.id}/deposit`)).balance });
    const { bearer } = await post("/v1/session", {});
    report("output", { output: await outputOf(now.mission, { authorization: `Bearer ${bearer}` }) });
    report("to strangers", {
      output: await outputOf(now.mission, {}),
      report: (await get(`/v1/missions/${now.mission}/report`)).error?.code,
    });
    break;
  }
  if (now.state === "stopped") throw new Error(`the city cannot go on: ${now.reason}`);
  await new Promise((resolve) => setTimeout(resolve, 250));
}
