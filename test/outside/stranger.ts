/**
 * An agent by somebody who has nothing of AgentCity's: the MCP SDK's own client, viem, and two random keys. It joins the city at a URL,
 * sells one service, does the work in its own way, and ends when it was paid or slashed. Prints one line of JSON for each thing that happens.
 * usage: node stranger.ts <url of the city> <service> <honest | garbage | wrong-key> <1 | 2: which of the MCP SDKs>
 */
import { randomBytes } from "node:crypto";
import { concat, encodeAbiParameters, type Hex, hexToBytes, keccak256, parseAbiParameters, sha256, stringToHex, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

// biome-ignore lint/suspicious/noExplicitAny: whatever a city sends; its own schemas are in tools/list
type Json = any;
const [url = "", service = "", manner = "", sdk = ""] = process.argv.slice(2);
const [agent, owner, other] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()].map((key) => privateKeyToAccount(key));
if (agent === undefined || owner === undefined || other === undefined) throw new Error("no keys");
const tell = (happened: string, facts: Json = {}) => console.log(JSON.stringify({ happened, ...facts }));
const SIGNED_TYPES = ["Bid", "Commits", "HeldOutput", "Withdrawal"];
const NO_VOTE = "it works, and does not vote";
const COMMITMENT = parseAbiParameters("address, bytes32, bytes32, bytes32, bytes32, uint8, uint96, bytes32");
/** Of each obligation: what only this program knows until all have committed. */
const secrets = new Map<string, { salt: Hex; outputHash?: Hex; trailRoot?: Hex }>();

const [ofClient, ofTransport] =
  sdk === "1"
    ? ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"]
    : ["@modelcontextprotocol/client", "@modelcontextprotocol/client"];
const [{ Client }, { StreamableHTTPClientTransport }]: Json = await Promise.all([import(ofClient), import(ofTransport)]);
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

async function signed(tool: string, fields: Json, by = agent): Promise<Json> {
  const [nonce, expires] = [randomBytes(16).toString("hex"), Math.floor(Date.now() / 1_000) + 30];
  const hash = sha256(stringToHex(canonical(fields)));
  const message = [`AgentCity tool ${tool}`, new URL(url).host, chainId, hash, nonce, expires].join("\n");
  const signature = await by?.signMessage({ message });
  return use(tool, { ...fields, signature: { key: agent?.address, nonce, expires, signature } });
}

/** The middle one of a row's numbers; or nonsense. */
function workOn({ items = [], upstream = [] }: Json): Json {
  const rows = new Map([...items, ...upstream.flatMap((before: Json) => before.items)].toReversed().map((row: Json) => [row.id, row]));
  const estimates = [...rows.values()].toReversed().map(({ id, name, values }: Json) => {
    const guesses = Object.values(values ?? {}).sort((a: Json, b: Json) => a - b) as number[];
    const median = guesses.length % 2 === 1 ? guesses[(guesses.length - 1) / 2] : 0;
    return { id, name: name ?? id, ...(manner === "garbage" ? { kind: "nonsense" } : { value: median }) };
  });
  return { items: estimates };
}

/** Work as it is handed in where outputs are compared: AES-256-GCM under HKDF-SHA-256 of the salt, filled up with spaces. */
async function seal(work: Json, salt: Hex, obligation: Hex, slot: number): Promise<Hex> {
  const text = Buffer.from(canonical(work));
  const filled = Buffer.concat([text, Buffer.alloc(-text.length & 1_023, " ")]);
  const secret = await crypto.subtle.importKey("raw", hexToBytes(salt), "HKDF", false, ["deriveBits"]);
  const info = hexToBytes(concat([obligation, toHex(slot, { size: 1 })]));
  const bits = await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }, secret, 8 * 44);
  const key = await crypto.subtle.importKey("raw", bits.slice(0, 32), "AES-GCM", false, ["encrypt"]);
  return toHex(new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: bits.slice(32) }, key, filled)));
}

async function performed(id: string, { inputHash, slot }: Json, { input, obligation }: Json): Promise<Json> {
  const output = workOn(input);
  if (obligation === undefined) {
    const handed = await signed("deliver", { call: id, output });
    return { status: "ok", output: handed.output, trail: [inputHash, handed.outputHash], tools: 0, messages: 0 };
  }
  const outputHash = keccak256(stringToHex(canonical(output)));
  const trail = [inputHash, outputHash];
  const salt = secrets.get(obligation)?.salt ?? toHex(randomBytes(32));
  const trailRoot = keccak256(concat(["0x01", ...trail.map((each) => keccak256(concat(["0x00", each])))]));
  secrets.set(obligation, { salt, outputHash, trailRoot });
  const handed = await signed("deliver", { call: id, sealed: await seal({ output, trail }, salt, obligation, slot) });
  return { status: "sealed", work: handed.output, tools: 0, messages: 0 };
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
    if (typed.primaryType === "IdentityAttestation") throw new Error(NO_VOTE);
    if (!SIGNED_TYPES.includes(typed.primaryType)) throw new Error(`will not sign ${typed.primaryType}`);
    return { signature: await agent?.signTypedData(typed) };
  }
  if (kind === "seal") return { signature: (await agent?.sign({ hash: help.sha256 }))?.slice(0, 130) };
  const secret = secrets.get(help.obligation) ?? { salt: toHex(randomBytes(32)) };
  secrets.set(help.obligation, secret);
  const { obligation, salt, outputHash, trailRoot, envelopeRoot, items, classes } = { ...help, ...secret };
  if (kind === "open") return { salt, outputHash, trailRoot, envelopeRoot, items, classes };
  const hidden = [agent?.address as Hex, salt, outputHash, trailRoot, envelopeRoot, items, BigInt(classes), obligation] as const;
  return { commitment: keccak256(encodeAbiParameters(COMMITMENT, hidden)) };
}

const { chainId } = (await use("get_city", {})).document;
await signed("faucet", { principal: owner.address });
const joining = await use("prepare_registration", { agent: agent.address, principal: owner.address });
const { binding, did, permitDeadline } = joining;
const byPrincipal = await owner.signTypedData(JSON.parse(joining.typedData));
const byAgent = await (manner === "wrong-key" ? other : agent).signTypedData(JSON.parse(joining.typedData));
const permit = await owner.signTypedData(JSON.parse(joining.permit));
await use("register_agent", { binding, did, byPrincipal, byAgent, permit, permitDeadline });
const { offer, typedData } = await use("prepare_service", { agent: agent.address, service });
await use("register_service", { owner: agent.address, offer, signature: await agent.signTypedData(JSON.parse(typedData)) });
const { bearer } = await signed("open_session", {});
tell("registered", { agent: agent.address, owner: owner.address });

for (let isOver = false; !isOver; ) {
  const { calls } = await use("list_calls", { wait: 5, bearer });
  for (const call of calls) {
    const answered = answerTo(call).then((answer) => signed("answer_call", { call: call.id, answer }));
    await answered.then(
      () => tell("answered", { kind: call.kind }),
      async ({ message: why }) => {
        tell(why === NO_VOTE ? "declined" : "refused", { kind: call.kind, why });
        // Else the city asks again.
        await signed("decline_call", { call: call.id, why: why.slice(0, 200) }).catch(() => undefined);
      },
    );
  }
  if (calls.length > 0) continue;
  const work = await use("list_work", { agent: agent.address });
  isOver = work.slots.some(({ result }: Json) => result !== "open") && work.isSettled;
  if (isOver) tell("over", work);
}
await client.close();
