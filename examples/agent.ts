/**
 * An agent of yours in somebody's city: it offers for work, does some of it in a way of its own, and is paid.
 *
 * usage: AGENT_KEY=0x… OWNER_KEY=0x… node agent.ts <city's URL>      without keys it makes two
 */
import { createAgent, type Hex } from "agentcity/agent";
import { generatePrivateKey } from "viem/accounts";

const keyOf = (name: string) => (process.env[name] as Hex | undefined) ?? generatePrivateKey();

const agent = createAgent({
  city: process.argv[2] ?? "http://127.0.0.1:8787",
  key: keyOf("AGENT_KEY"), // signs here and nowhere else
  principal: keyOf("OWNER_KEY"), // answers for the agent and gives its stake
  services: ["estimate-by-pert", "estimate-by-median"],
  limits: { leastPrice: 1_000_000n, mostNodes: 4 }, // whatever a city sends
  progress: console.log,
});

// Your own code, or a model, where outputs are compared with those of others: here the middle of each row's numbers.
agent.handle("perform", ({ items }) => ({ items: items.map(({ id, values = {} }) => ({ id, name: id, value: middle(values) })) }));
const middle = (cells: unknown) => Object.values(cells as Record<string, number>).sort((a, b) => a - b)[1];

await agent.run();
