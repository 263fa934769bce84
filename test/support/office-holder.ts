import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { privateKeyToAccount } from "viem/accounts";
import { act } from "../../orchestrator/adjudication/act.ts";
import { type Agent, createAgent } from "../../orchestrator/agent/agent.ts";
import type { OfficeTerms } from "../../orchestrator/agent/enrol.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { decisionOn } from "../../orchestrator/city/humans/case-decisions.ts";
import { queueOf } from "../../orchestrator/city/humans/case-queue.ts";
import { panelOf } from "../../orchestrator/city/humans/panel.ts";
import type { Judge } from "../../orchestrator/clearing/mesh.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";

export const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
export const millis = () => performance.timeOrigin + performance.now();

/** The machine's clock, for a mailbox. */
export const wallClock = {
  millis,
  wait: (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined),
};

/** Whatever it reads, it likes. */
export const agreeable: Judge = {
  model: "test:agreeable",
  ask: async () => canonicalJson({ verdict: "PASS", score: 95, because: "It is all there." }),
};

/** A verifier or an issuer of another owner, its key named. */
export function officeHolder(
  office: OfficeTerms["office"],
  name: string,
  at: { readonly city: string; readonly directory: string; readonly progress?: (line: string) => void },
): Agent {
  return createAgent({
    city: at.city,
    key: secretOf(name),
    principal: privateKeyToAccount(secretOf(`owner of ${name}`)),
    folder: join(at.directory, name),
    office: {
      office,
      classes: office === "issuer" ? ["REC", "ATT"] : [],
      runtime: "a test",
      contact: `${name}@example.org`,
      relations: "none",
    },
    // A test of the seats, not of the machine.
    weakSandbox: true,
    ...(office === "verifier" ? { judge: agreeable } : {}),
    clock: { millis, sleep: async (time) => void (await sleep(time)) },
    ...(at.progress === undefined ? {} : { progress: at.progress }),
  });
}

/** Runs one until it waits for its office, has two adjudicators grant what waits, and returns once it answers. */
export async function seated(
  city: City,
  agent: Agent,
  heard: (words: string) => Promise<void>,
  stop: AbortSignal,
): Promise<{ readonly ended: Promise<void> }> {
  const petitioned = heard("PETITIONED");
  const ended = agent.run(stop);
  await Promise.race([petitioned, ended]);
  const answering = heard("answering as");
  const panel = panelOf(city);
  for (const { name, subject } of await queueOf(city)) {
    if (subject.kind !== "petition") continue;
    await act(panel, panel.seats.slice(0, 2), { ...decisionOn(name, subject, "approve"), because: "A test." });
  }
  await Promise.race([answering, ended]);
  return { ended };
}
