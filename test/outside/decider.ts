/**
 * Somebody who decides for an agent by MCP over standard input and output, in the protocol's era of 2025: the process that is started
 * holds the key. Prints one line of JSON for each thing that happens, and ends when the agent was paid or slashed.
 * usage: node decider.ts <1 | 2: which of the MCP SDKs> <service> <command> <argument>…
 */
// biome-ignore lint/suspicious/noExplicitAny: whatever a city sends; its own schemas are in tools/list
type Json = any;
const [sdk = "", service = "", command = "", ...args] = process.argv.slice(2);
const report = (happened: string, facts: Json = {}) => console.log(JSON.stringify({ happened, ...facts }));
const [ofClient, ofTransport] =
  sdk === "1"
    ? ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js"]
    : ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"];
const { Client }: Json = await import(ofClient);
const { StdioClientTransport }: Json = await import(ofTransport);
// The first SDK knows no other era.
const client = new Client({ name: "decider", version: "1.0.0" }, sdk === "1" ? {} : { versionNegotiation: { mode: "legacy" } });
const transport = new StdioClientTransport({ command, args, stderr: "inherit", env: process.env as Record<string, string> });
let era = "";
transport.setProtocolVersion = (agreed: string) => {
  era = agreed;
};
await client.connect(transport);

async function use(tool: string, fields: Json): Promise<Json> {
  const answer: Json = await client.callTool({ name: tool, arguments: fields });
  if (answer.isError) throw new Error(answer.content[0].text);
  return answer.structuredContent;
}

function decisionOn({ kind, question }: Json): Json {
  if (kind === "bid") {
    const fitting = question.nodes.filter(({ services }: Json) => services.includes(service));
    return fitting.map(({ node, slotBudget }: Json) => ({ node, service, price: String((BigInt(slotBudget) * 4n) / 10n) }));
  }
  return {
    items: question.items.map(({ id, name, values }: Json) => {
      const guesses = Object.values(values ?? {}).sort((a: Json, b: Json) => a - b);
      return { id, name: name ?? id, value: guesses[(guesses.length - 1) / 2] ?? 0 };
    }),
  };
}

report("connected", { era });
for (let isOver = false, isRegistered = false; !isOver; ) {
  const { agent, decisions, said } = await use("next_decisions", { wait: 5 });
  if (!isRegistered && said.some((line: string) => line.startsWith("answering as"))) {
    isRegistered = true;
    report("registered", { agent });
  }
  for (const { id, kind, question } of decisions) {
    await use("decide", { id, decision: decisionOn({ kind, question }) });
    report("decided", { kind });
  }
  // The city may be too busy to tell; decisions come from this machine.
  const work = await use("list_work", { agent }).catch(() => ({ slots: [] }));
  isOver = decisions.length === 0 && work.slots.some(({ result }: Json) => result !== "open") && work.isSettled;
  if (isOver) report("over", work);
}
await client.close();
