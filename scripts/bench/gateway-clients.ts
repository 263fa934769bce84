/**
 * Many clients of one gateway, in a separate process, each with one request at a time. Prints response times, and the processor time
 * of a request in this process, as one JSON document.
 *
 * reads: four of five requests are those of any watching client, one is for a page that was not requested before.
 * signed: POST /v1/session, each with its own nonce. They are signed in advance, since a real client signs on its own machine.
 *
 * usage: node scripts/bench/gateway-clients.ts <url> <reads | signed> <clients> <seconds> <milliseconds between two requests of a client>
 */
import { randomBytes } from "node:crypto";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { signRequest } from "../../orchestrator/gateway/http-signature.ts";
import { processorSeconds } from "./measure.ts";

const [url = "", kind = "", clients = "", seconds = "", pause = ""] = process.argv.slice(2);
const READS = ["/v1/missions", "/v1/events?limit=50", "/v1/events?limit=50&newest=true", "/v1/agents?limit=20", "/v1/panel", "/v1/city"];
/** One request in so many is for a new page. */
const OWN = 5;
/** Signed requests of a client: more than it can send. A signature is valid for a minute. */
const SIGNED = 40;
const CHAIN_ID = 31337;
const SESSION = new URL("/v1/session", url);
const body = new TextEncoder().encode("{}");

const times: number[] = [];
const statuses = new Map<number, number>();
let pages = 0;

/** A key's request for a session: the gateway verifies its signature and records its nonce. */
async function signed(key: ReturnType<typeof privateKeyToAccount>): Promise<RequestInit> {
  const headers = new Headers({ "content-type": "application/json" });
  const nonce = randomBytes(16).toString("base64url");
  const facts = { chainId: CHAIN_ID, key: key.address, nonce, now: Math.floor(Date.now() / 1_000) };
  const added = await signRequest({ method: "POST", url: SESSION, headers, body }, facts, (message) => key.signMessage({ message }));
  for (const [name, value] of Object.entries(added)) headers.set(name, value);
  return { method: "POST", headers, body: "{}" };
}

function read(at: number): string {
  if (at % OWN > 0) return READS[at % READS.length] ?? "";
  pages += 1;
  return `/v1/events?limit=${1 + (pages % 50)}&cursor=s${Math.floor(pages / 50)}`;
}

/** Sends requests until the time is over or none is left. */
async function client(next: (at: number) => { readonly to: string | URL; readonly init: RequestInit } | undefined, until: number) {
  for (let at = 0; performance.now() < until; at += 1) {
    const asked = next(at);
    if (asked === undefined) return;
    const began = performance.now();
    const answer = await fetch(asked.to, asked.init);
    await answer.arrayBuffer();
    times.push(performance.now() - began);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pause)));
  }
}

async function signer() {
  const key = privateKeyToAccount(generatePrivateKey());
  const requests = await Promise.all(Array.from({ length: SIGNED }, () => signed(key)));
  return (at: number) => {
    const init = requests[at];
    return init === undefined ? undefined : { to: SESSION, init };
  };
}

const reader = async (number: number) => (at: number) => ({ to: new URL(read(number + at), url), init: {} });
const askers = await Promise.all(Array.from({ length: Number(clients) }, (_, number) => (kind === "signed" ? signer() : reader(number))));
const [began, before] = [performance.now(), process.cpuUsage()];
await Promise.all(askers.map((next) => client(next, began + 1_000 * Number(seconds))));
const lasted = (performance.now() - began) / 1_000;
const processor = processorSeconds(before);
times.sort((a, b) => a - b);
const at = (share: number) => Number((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1));
const each = (total: number) => Number((total / times.length).toFixed(2));
console.log(
  JSON.stringify({
    requests: times.length,
    perSecond: Number((times.length / lasted).toFixed(1)),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    clientCpuMs: each(1_000 * processor),
    statuses: Object.fromEntries(statuses),
  }),
);
