/**
 * An agent by somebody who has nothing of AgentCity's: the MCP SDK's own client, viem, and random keys. Sells one service, and ends when it was
 * paid or slashed. Prints a line of JSON for each thing that happens. usage: node stranger.ts <url> <service> <manner> <1 | 2: which MCP SDK>
 */
import { createCipheriv, hkdfSync, randomBytes } from "node:crypto";
import { concat, encodeAbiParameters, type Hex, hexToBytes, keccak256, parseAbiParameters, sha256, stringToHex, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

// biome-ignore lint/suspicious/noExplicitAny: whatever a city sends; its own schemas are in tools/list
type Json = any;
const [url = "", service = "", manner = "", sdk = ""] = process.argv.slice(2);
const keys = { agent: generatePrivateKey(), owner: generatePrivateKey(), other: generatePrivateKey() };
const [agent, owner, other] = [privateKeyToAccount(keys.agent), privateKeyToAccount(keys.owner), privateKeyToAccount(keys.other)] as const;
const report = (happened: string, facts: Json = {}) => console.log(JSON.stringify({ happened, ...facts }));
const COMMITMENT = parseAbiParameters("address, bytes32, bytes32, bytes32, bytes32, uint8, uint96, bytes32");
/** By obligation: what only this program knows until all have committed. */
const secrets = new Map<string, Json>();
const secretOf = (of: string) => secrets.set(of, secrets.get(of) ?? { salt: toHex(randomBytes(32)) }).get(of);
const counts = { tools: 0, messages: 0 };

const module = (name: string) => (sdk === "1" ? `@modelcontextprotocol/sdk/client/${name}.js` : "@modelcontextprotocol/client");
const [{ Client }, { StreamableHTTPClientTransport }]: Json[] = [await import(module("index")), await import(module("streamableHttp"))];
// The first SDK knows no era but that of 2025.
const era = sdk === "1" ? {} : { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const client = new Client({ name: "stranger", version: "1.0.0" }, era);
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));

async function use(tool: string, fields: Json): Promise<Json> {
  const answer: Json = await client.callTool({ name: tool, arguments: fields });
  if (answer.isError) throw new Error(answer.content[0].text);
  return answer.structuredContent;
}

/** RFC 8785, as far as it is needed here. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

async function signed(tool: string, fields: Json): Promise<Json> {
  const [nonce, expires] = [randomBytes(16).toString("hex"), Math.floor(Date.now() / 1_000) + 30];
  const message = [`AgentCity tool ${tool}`, new URL(url).host, chainId, sha256(stringToHex(canonical(fields))), nonce, expires].join("\n");
  return use(tool, { ...fields, signature: { key: agent.address, nonce, expires, signature: await agent.signMessage({ message }) } });
}

/** The middle one of a row's numbers; or nonsense. */
function workOn({ items = [], upstream = [] }: Json): Json {
  const rows = new Map([...items, ...upstream.flatMap((before: Json) => before.items)].toReversed().map((row: Json) => [row.id, row]));
  const estimates = [...rows.values()].toReversed().map(({ id, name, values }: Json) => {
    const guesses = Object.values(values ?? {}).sort((a: Json, b: Json) => a - b) as number[];
    return { id, name: name ?? id, ...(manner === "garbage" ? { kind: "nonsense" } : { value: guesses[(guesses.length - 1) / 2] ?? 0 }) };
  });
  return { items: estimates };
}

/** Work as it is handed in where outputs are compared: AES-256-GCM under HKDF-SHA-256 of the salt, filled up with spaces. */
function seal(work: Json, salt: Hex, place: Hex): Hex {
  const text = Buffer.from(canonical(work));
  const secret = Buffer.from(hkdfSync("sha256", hexToBytes(salt), new Uint8Array(), hexToBytes(place), 44));
  const cipher = createCipheriv("aes-256-gcm", secret.subarray(0, 32), secret.subarray(32));
  const sealed = cipher.update(Buffer.concat([text, Buffer.alloc(-text.length & 1_023, " ")]));
  return toHex(Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]));
}

async function performed(call: string, { inputHash, slot }: Json, { input, obligation }: Json): Promise<Json> {
  const output = workOn(input);
  const trail = [inputHash, keccak256(stringToHex(canonical(output)))];
  if (obligation === undefined) return { status: "ok", trail, ...counts, output: (await signed("deliver", { call, output })).output };
  const trailRoot = keccak256(concat(["0x01", ...trail.map((each) => keccak256(concat(["0x00", each])))]));
  const { salt } = Object.assign(secretOf(obligation), { outputHash: trail[1], trailRoot });
  const sealed = seal({ output, trail }, salt, concat<Hex>([obligation, toHex(slot, { size: 1 })]));
  return { status: "sealed", ...counts, work: (await signed("deliver", { call, sealed })).output };
}

async function answerTo({ id, kind, payload }: Json): Promise<Json> {
  if (kind === "bid") {
    const fitting = payload.nodes.filter(({ services }: Json) => services.includes(service));
    return fitting.map(({ node, slotBudget }: Json) => ({ node, service, price: String((BigInt(slotBudget) * 4n) / 10n) }));
  }
  const { help } = await use("prepare_answer", { call: id, bearer });
  if (kind === "perform") return performed(id, payload, help);
  if (kind === "sign") {
    const typed = JSON.parse(help.typedData);
    if (!["Bid", "Commits", "HeldOutput", "Withdrawal"].includes(typed.primaryType)) throw new Error(`does not sign ${typed.primaryType}`);
    return { signature: await agent.signTypedData(typed) };
  }
  if (kind === "seal") return { signature: (await agent.sign({ hash: help.sha256 })).slice(0, 130) };
  const { obligation, salt, outputHash, trailRoot, envelopeRoot, items, classes } = { ...help, ...secretOf(help.obligation) };
  if (kind === "open") return { salt, outputHash, trailRoot, envelopeRoot, items, classes };
  const hidden = [agent.address, salt, outputHash, trailRoot, envelopeRoot, items, BigInt(classes), obligation] as const;
  return { commitment: keccak256(encodeAbiParameters(COMMITMENT, hidden)) };
}

const { chainId } = (await use("get_city", {})).document;
await signed("faucet", { principal: owner.address });
const { binding, did, permitDeadline, ...asked } = await use("prepare_registration", { agent: agent.address, principal: owner.address });
const byAgent = await (manner === "wrong-key" ? other : agent).signTypedData(JSON.parse(asked.typedData));
const [byPrincipal, permit] = await Promise.all([asked.typedData, asked.permit].map((text) => owner.signTypedData(JSON.parse(text))));
await use("register_agent", { binding, did, byPrincipal, byAgent, permit, permitDeadline });
const { offer, typedData } = await use("prepare_service", { agent: agent.address, service });
await use("register_service", { owner: agent.address, offer, signature: await agent.signTypedData(JSON.parse(typedData)) });
const { bearer } = await signed("open_session", {});
report("registered", { agent: agent.address, owner: owner.address, keys });
for (let isOver = false; !isOver; ) {
  const { calls } = await use("list_calls", { wait: 5, bearer });
  for (const call of calls) {
    const answered = answerTo(call).then((answer) => signed("answer_call", { call: call.id, answer }));
    const why: string = await answered.then(() => "", String);
    report(why === "" ? "answered" : why.includes("IdentityAttestation") ? "declined" : "refused", { kind: call.kind, why });
    // Else the city asks again.
    if (why !== "") await signed("decline_call", { call: call.id, why: why.slice(0, 200) }).catch(() => undefined);
  }
  if (calls.length > 0) continue;
  const work = await use("list_work", { agent: agent.address });
  isOver = work.slots.some(({ result }: Json) => result !== "open") && work.isSettled;
  if (isOver) report("over", work);
}
await client.close();
