/** A legislative session with everything real but its home: ports in memory, the default mission, heuristic minds. */
import { MemorySaver } from "@langchain/langgraph";
import type { CityClient } from "../../orchestrator/client/client.ts";
import type { LegislatedService, LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import type { EnactedLaw, LegislatureResult } from "../../orchestrator/legislature/result.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { Mind } from "../../orchestrator/minds/mind.ts";
import { personaNames } from "../../orchestrator/minds/personas.ts";
import { canonicalJson, parseCanonicalJson } from "../../orchestrator/primitives/json.ts";
import type { LegislatureBoundary } from "../../orchestrator/protocol/boundaries.ts";
import type { MissionFile } from "../../orchestrator/protocol/mission-file.ts";
import { memoryBlocks } from "../../orchestrator/records/blocks.ts";
import { CATALOG } from "../../services/catalog.ts";
import { levels } from "./goals.ts";
import { hashOf, type LivingCity, tokens } from "./living-city.ts";

/** The default mission, as its file says it. */
export const mission: MissionFile = {
  mission: "dependency-licences",
  goal: "Audit licences and topics of the packages installed here.",
  budget: tokens(1_200),
  deadline: 1_800,
  risk: "MEDIUM",
  mode: "onchain",
  input: { kind: "packages", path: "node_modules" },
  tasks: [
    task("parse", 1, ["fetch-and-parse"], []),
    task("classify", 2, ["licence-by-spdx", "licence-by-text", "licence-by-headings"], ["parse"]),
    task("report", 3, ["aggregate"], ["classify"]),
  ],
  output: { task: "report", format: "markdown" },
  predicates: ["every-input-covered"],
  seed: null,
  visibility: "public",
  services: null,
};

export function task(name: string, tier: 1 | 2 | 3, services: string[], after: string[]): MissionFile["tasks"][number] {
  const agree = tier === 2 ? { on: "label", atLeastBps: 8_500 } : null;
  return { name, tier, services, after, overInput: after.length === 0, agree, budget: null, timeout: null, floor: null, plan: null };
}

/** The catalogue, as if everything asked for the same capabilities. */
const services = legislated(CATALOG.map((entry) => ({ ...entry, capabilities: levels({ 1: 110, 7: 60 }) })));

/** Services with hashes of their own: what is bundled here runs nowhere. */
export function legislated(catalog: readonly Omit<LegislatedService, "code" | "schema">[]): readonly LegislatedService[] {
  return catalog.map((entry) => ({ ...entry, code: hashOf(`code of ${entry.id}`), schema: hashOf(`schemas of ${entry.id}`) }));
}

/** Ports that live as long as the test. */
export function memoryPorts(): LegislaturePorts & { crossed: LegislatureBoundary[]; asked: string[] } {
  const answers = new Map<string, string>();
  const crossed: LegislatureBoundary[] = [];
  const asked: string[] = [];
  return {
    crossed,
    asked,
    records: memoryBlocks(),
    checkpointer: new MemorySaver(),
    answers: {
      async remember(key, schema, compute) {
        const name = canonicalJson(key);
        if (!answers.has(name)) {
          asked.push(name);
          answers.set(name, canonicalJson(await compute()));
        }
        return schema.parse(parseCanonicalJson(answers.get(name)!));
      },
    },
    boundary: async (name) => {
      crossed.push(name);
    },
  };
}

/** A session of the whole city with heuristic minds. */
export function sessionOptions(city: LivingCity, ports: LegislaturePorts, seed: number): LegislatureOptions {
  const { client, clerks, sponsor } = city;
  const producers = city.producers.map((producer, index) => ({
    ...producer,
    mind: new HeuristicMind({ persona: personaNames[index % 4]!, seed }),
  }));
  return {
    client,
    clerks,
    sponsor,
    producers,
    mission,
    inputs: { count: 675, digest: hashOf("inputs") },
    services,
    ports,
    id: `test-${seed}`,
  };
}

/** A mind whose answers some function replaces. */
export function changed(mind: Mind, by: Partial<Mind>): Mind {
  return {
    plan: (request) => mind.plan(request),
    draft: (request) => mind.draft(request),
    speak: (request) => mind.speak(request),
    rank: (request) => mind.rank(request),
    bid: (request) => mind.bid(request),
    ...by,
  };
}

/** A mind that answers no ballot as long as its city has held no more sessions than these. */
export function asleepFor(sessions: bigint, mind: Mind, { legislation }: CityClient): Mind {
  return changed(mind, {
    rank: async (request) => {
      const isBallot = request.candidates.some(({ shape }) => shape === null);
      return isBallot && (await legislation.sessionCount()) <= sessions ? [] : mind.rank(request);
    },
  });
}

/** A result that has to be a law. */
export function deployed(result: LegislatureResult): EnactedLaw {
  if (result.status !== "deployed") throw new Error(result.reason);
  return result;
}
