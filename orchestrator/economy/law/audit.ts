/** Verifies a run's mission as an outsider would: from the chain and the documents it references. */
import { replayLimits } from "../../chain/replay-limits.ts";
import { ReplayedRecord } from "../../city/audit/chain-record.ts";
import { chainChecks } from "../../city/audit/checks.ts";
import type { ChainContext } from "../../city/audit/context.ts";
import { MissionHistory } from "../../city/audit/history.ts";
import { Inspection } from "../../city/audit/inspection.ts";
import { Roles } from "../../city/audit/roles.ts";
import { blockFile } from "../../city/bundle/bundle-layout.ts";
import { parseJsonBytes } from "../../primitives/json.ts";
import { decodeLaw } from "../../rules/law-codec.ts";
import type { Task } from "../milestone.ts";
import type { GovernedCity } from "./city.ts";
import { type Enacted, inputOf } from "./session.ts";

/** Number of verified facts by check, and the failures. */
export interface Audited {
  readonly verified: Readonly<Record<string, number>>;
  readonly findings: readonly string[];
}

/** A run has many missions on one chain; the usual limits are for one mission. */
const EFFORT = 100;

/** Throws TooHeavy if the chain has more events than a hundred missions. */
export async function auditMission(
  { chain, client, kept, agentAt }: Pick<GovernedCity, "chain" | "client" | "kept" | "agentAt">,
  { mission, session, law }: Pick<Enacted, "mission" | "session" | "law">,
  tasks: readonly Task[],
): Promise<Audited> {
  const record = await ReplayedRecord.read(chain, client.addresses, mission, replayLimits(EFFORT).events);
  const carried = await client.mission(mission).law();
  const hash = await client.mission(mission).lawHash();
  const blocks = new Map([...kept].map(([id, bytes]) => [blockFile(id), bytes]));
  const bytesAt = (path: string): Uint8Array => {
    const bytes = blocks.get(path);
    if (bytes === undefined) throw new RangeError(`nothing is kept as ${path}`);
    return bytes;
  };
  const context: ChainContext = {
    mission,
    session,
    name: law.document.name,
    chain,
    client,
    record,
    history: new MissionHistory(record, { chainId: BigInt(chain.id), mission, lawHash: hash }),
    roles: new Roles(record),
    document: law,
    documentBytes: law.bytes,
    items: inputOf(tasks),
    law: { ...decodeLaw(carried), hash },
    label: (node) => law.document.nodes[node]?.label ?? `node ${node}`,
    nameOf: (address) => {
      if (client.sender?.relayers.includes(address) === true) return "relayer-1";
      const agent = agentAt(address);
      return agent === undefined ? address : `agent ${agent.id}`;
    },
    bundle: { bytes: bytesAt },
    block: (id) => parseJsonBytes(bytesAt(blockFile(id))),
    hasBlock: (id) => blocks.has(blockFile(id)),
    log: [],
  };
  const verified: Record<string, number> = {};
  const findings: string[] = [];
  for (const check of chainChecks) {
    const seen = new Inspection(check);
    await seen.part("this check", () => check.run(context, seen));
    const found = seen.result();
    verified[check.name] = found.verified;
    findings.push(...found.findings.map(({ check: name, subject, problem }) => `${name}: ${subject} ${problem}`));
  }
  return { verified, findings };
}
