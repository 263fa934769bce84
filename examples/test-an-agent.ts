/**
 * Tests an agent in a city of its own, and then asks another version of it everything that the first one was asked.
 *
 * usage: AGENTCITY_CHECKOUT=<the repository> node test-an-agent.ts <mission file>
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createTestCity, type Handlers, replay } from "agentcity/agent";
import { generatePrivateKey } from "viem/accounts";

const folder = mkdtempSync(join(tmpdir(), "agent-"));
const city = await createTestCity(); // its time jumps to the next deadline when everybody waits

const bid: Handlers["bid"] = async ({ nodes }) =>
  nodes.map(({ node, services: [service = ""], slotBudget }) => ({ node, service, price: slotBudget / 4n }));
let answers = () => {};
const ready = new Promise<void>((resolve) => {
  answers = resolve;
});
const agent = createAgent({
  city: city.url,
  key: generatePrivateKey(),
  principal: generatePrivateKey(),
  folder,
  mind: { bid },
  progress: (line) => line.startsWith("answering as") && answers(),
});
const stop = new AbortController();
const running = agent.run(stop.signal);
await Promise.race([ready, running]);

const { status, audited, slots } = await city.mission(process.argv[2] ?? "mission.yaml");
const own = slots.filter((slot) => slot.agent === agent.address);
console.log(
  `${status}, ${audited ? "audited" : "not audited"}, ${own.length} slots, ${own.reduce((sum, { paid }) => sum + paid, 0n)} units earned`,
);
stop.abort();
await running;
await city.close();

const same = await replay(folder, { bid });
console.log(`the same version: ${same.differences.length} of ${same.compared} decisions differ`);
const dearer = await replay(folder, { bid: async (asked) => (await bid(asked)).map((offer) => ({ ...offer, price: offer.price * 2n })) });
console.log(`another version: ${dearer.differences.length} of ${dearer.compared} decisions differ`);
