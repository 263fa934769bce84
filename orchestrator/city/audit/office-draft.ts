import { zeroHash } from "viem";
import { CATALOG } from "../../../services/catalog.ts";
import { readLimits } from "../../client/law-limits.ts";
import { documentOf } from "../../legislature/document.ts";
import { goalOf } from "../../legislature/goal.ts";
import { plainestOf } from "../../minds/options.ts";
import { TOKEN_DECIMALS } from "../../primitives/amounts.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { canonicalBytes, isObject, type JsonObject, parseJsonBytes } from "../../primitives/json.ts";
import type { MissionDocument } from "../../protocol/mission-document.ts";
import { isPlanned, type PlannedMission, parseMissionFile, servicesPathOf } from "../../protocol/mission-file.ts";
import { parameter } from "../../protocol/parameters.ts";
import { soldAs } from "../../protocol/sold-as.ts";
import { unpackMissionParams } from "../../rules/mission-params-codec.ts";
import { isOfficeLaw } from "../../rules/office-law.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import type { Inspection } from "./inspection.ts";

const DRAFTED = "law drafted in office";

/**
 * What the Speaker's office drafted is, byte for byte, the plainest law that goal and constitution allow: the mission file, the parameters of the
 * session's edition and the levels of the city's catalogue give it again (decision 75). The code that it admits is sold by others than the
 * Speaker's house.
 */
export async function officeDraft(context: AuditContext, missionFile: string, seen: Inspection): Promise<void> {
  const { client, session, document, family } = context;
  for (const child of family) {
    const below = await client.legislation.sessionOf(child.session);
    seen.holds(!isOfficeLaw(below), DRAFTED, `is that of ${child.path}, where the office drafts nothing`);
  }
  const held = await client.legislation.sessionOf(session);
  if (!isOfficeLaw(held)) return;
  const given = missionIn(missionFile, document.document);
  if (given === undefined) return void seen.holds(false, DRAFTED, "is for tasks or code that the mission file does not name");
  // Another session about the same goal has what the mission before it left.
  const opened = context.record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
  const mission = { ...given, budget: opened?.args.deposit ?? given.budget };
  const { edition } = unpackMissionParams(held.params);
  const limits = await readLimits(client, edition);
  const { input, nodes } = document.document;
  const services = CATALOG.map((entry) => ({ ...entry, ...admittedAs(entry.id, nodes) }));
  const goal = goalOf(mission, services, limits, input.count);
  const shape = plainestOf(goal, limits);
  const expected = documentOf(mission, input, goal, { limits }, shape);
  seen.same(nodes.length, expected.nodes.length, `${DRAFTED}: number of nodes`);
  alike(plain({ ...document.document, nodes: [] }), plain({ ...expected, nodes: [] }), DRAFTED, seen);
  for (const [node, law] of nodes.entries()) {
    const other = expected.nodes[node];
    if (other !== undefined) alike(plain(law), plain(other), `${DRAFTED}: ${law.label}`, seen);
  }
  const { principal: house } = await client.legislation.candidateOf(session, held.drafted);
  await soldByOthers(context, house, seen);
}

/** The mission as the office could know it; undefined where it had tasks or services to choose. */
function missionIn(text: string, document: MissionDocument): PlannedMission | undefined {
  const fileName = BUNDLE_FILES.mission;
  if (servicesPathOf(text, fileName) !== null) return undefined;
  const mission = parseMissionFile(text, {
    ...{ fileName, catalog: CATALOG, budgetCap: parameter("MISSION_BUDGET_CAP").max * 10n ** BigInt(TOKEN_DECIMALS) },
    // What the command that gave the mission said instead, or where the file does not.
    mode: document.anchorInterval === undefined ? "onchain" : "hybrid",
    visibility: document.visibility ?? "public",
  });
  return isPlanned(mission) ? mission : undefined;
}

/** Code and schemas as the law admits them under a name. */
function admittedAs(service: string, nodes: MissionDocument["nodes"]): { readonly code: Hash; readonly schema: Hash } {
  const node = nodes.find(({ services }) => services.includes(service));
  const admitted = node?.admits[node.services.indexOf(service)];
  return { code: admitted?.code ?? zeroHash, schema: admitted?.schema ?? zeroHash };
}

async function soldByOthers({ client, document: { document }, roles }: AuditContext, house: Address, seen: Inspection): Promise<void> {
  const offers = await client.services.history("ServiceRegistered");
  for (const { services, admits, label } of document.nodes)
    for (const [place, name] of services.entries()) {
      const { code, schema } = admits[place] ?? {};
      const sold = offers.filter(
        ({ args }) => soldAs(args) === name && (code === undefined || args.codeHash === code) && args.schemaHash === schema,
      );
      const isOthers = sold.some(({ args }) => roles.principalOf(args.owner) !== house);
      seen.holds(isOthers, `${DRAFTED}: ${name} in ${label}`, "is code that nobody but the Speaker's house sells");
    }
}

/** Compares two objects key by key; what is in a list is said with its key. */
function alike(found: JsonObject, expected: JsonObject, subject: string, seen: Inspection): void {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) seen.same(found[key], expected[key], `${subject}: ${key}`);
}

/** As its bytes say it: what is undefined is not there. */
function plain(part: MissionDocument | MissionDocument["nodes"][number]): JsonObject {
  const value = parseJsonBytes(canonicalBytes(part));
  if (!isObject(value)) throw new RangeError("a part of a law is an object");
  return value;
}
