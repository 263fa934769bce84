/**
 * Many clients of one gateway, in a process of their own. Asks in turn, prints how long each answer took as one JSON document.
 *
 * usage: node scripts/bench/gateway-clients.ts <url> <reads | signed> <clients> <seconds> <milliseconds between two questions of a client>
 */
import { randomBytes } from "node:crypto";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { signRequest } from "../../orchestrator/gateway/http-signature.ts";

const [url = "", kind = "", clients = "", seconds = "", pause = ""] = process.argv.slice(2);
const READS = ["/v1/missions", "/v1/events?limit=50", "/v1/events?limit=50&newest=true", "/v1/agents?limit=20", "/v1/panel", "/v1/city"];
const CHAIN_ID = 31337;
const SESSION = new URL("/v1/session", url);
const body = new TextEncoder().encode("{}");

const until = performance.now() + 1_000 * Number(seconds);
const times: number[] = [];
const statuses = new Map<number, number>();

/** A key's request for a session: it is signed, and its nonce is written down. */
async function signed(key: ReturnType<typeof privateKeyToAccount>): Promise<RequestInit> {
  const headers = new Headers({ "content-type": "application/json" });
  const nonce = randomBytes(16).toString("base64url");
  const facts = { chainId: CHAIN_ID, key: key.address, nonce, now: Math.floor(Date.now() / 1_000) };
  const added = await signRequest({ method: "POST", url: SESSION, headers, body }, facts, (message) => key.signMessage({ message }));
  for (const [name, value] of Object.entries(added)) headers.set(name, value);
  return { method: "POST", headers, body: "{}" };
}

async function client(number: number): Promise<void> {
  const key = privateKeyToAccount(generatePrivateKey());
  for (let at = number; performance.now() < until; at += 1) {
    const init = kind === "signed" ? await signed(key) : {};
    const to = kind === "signed" ? SESSION : new URL(READS[at % READS.length] ?? "", url);
    const began = performance.now();
    const answer = await fetch(to, init);
    await answer.arrayBuffer();
    times.push(performance.now() - began);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (Number(pause) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pause)));
  }
}

const began = performance.now();
await Promise.all(Array.from({ length: Number(clients) }, (_, number) => client(number)));
const lasted = (performance.now() - began) / 1_000;
times.sort((a, b) => a - b);
const at = (share: number) => Number((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(1));
const perSecond = Number((times.length / lasted).toFixed(1));
console.log(JSON.stringify({ requests: times.length, perSecond, p50Ms: at(0.5), p99Ms: at(0.99), statuses: Object.fromEntries(statuses) }));
