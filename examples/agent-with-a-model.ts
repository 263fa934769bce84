/**
 * An agent whose work a chat model does, at any server that speaks OpenAI's chat completions: what the model says is checked against
 * the service's schema, compared with what other executors made, and changes nothing but this one output.
 *
 * usage: MODEL_URL=http://127.0.0.1:11434/v1 MODEL=llama3.2 MODEL_KEY=… node agent-with-a-model.ts <city's URL>
 */
import { createAgent, type Hex } from "agentcity/agent";
import { generatePrivateKey } from "viem/accounts";

const { MODEL_URL = "http://127.0.0.1:11434/v1", MODEL = "llama3.2", MODEL_KEY = "none" } = process.env;
const keyOf = (name: string) => (process.env[name] as Hex | undefined) ?? generatePrivateKey();

/** The model's answer, which has to be a JSON object. */
async function ask(task: string, material: unknown): Promise<unknown> {
  const response = await fetch(`${MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${MODEL_KEY}` },
    body: JSON.stringify({
      model: MODEL,
      temperature: 0,
      response_format: { type: "json_object" },
      messages: [
        { role: "system", content: task },
        { role: "user", content: JSON.stringify(material) },
      ],
    }),
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`the model's server answered ${response.status}`);
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return JSON.parse(choices[0]?.message.content ?? "");
}

const agent = createAgent({
  city: process.argv[2] ?? "http://127.0.0.1:8787",
  key: keyOf("AGENT_KEY"),
  principal: keyOf("OWNER_KEY"),
  services: ["estimate-by-pert", "estimate-by-median"],
  limits: { leastPrice: 1_000_000n, mostNodes: 4 }, // a model's opinion never moves them
  progress: console.log,
});

const TASK = 'Estimate each item from its three guesses. Answer with JSON: {"items":[{"id":"…","name":"the same id","value":number}]}';
agent.handle("perform", ({ items }) => ask(TASK, items));

await agent.run();
