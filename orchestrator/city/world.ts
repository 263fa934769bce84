import { z } from "zod";
import type { Judge } from "../clearing/mesh.ts";
import { scorersBy } from "../execution/guardian/scorers.ts";
import { traceSchema } from "../execution/guardian/traces.ts";
import type { Issuer, Verifier } from "../execution/seat.ts";
import { nothingRecent } from "../execution/work.ts";
import type { RegisteredService, World } from "../execution/world.ts";
import { chatJudge, JUDGE_VARIABLE } from "../minds/chat-judge.ts";
import { openChatModel } from "../minds/chat-model.ts";
import type { Mind } from "../minds/mind.ts";
import { parseContentId } from "../primitives/hash.ts";
import type { Hash } from "../primitives/hex.ts";
import { type JsonObject, parseJsonBytes } from "../primitives/json.ts";
import type { AnswerKey } from "../records/answers.ts";
import { localIssuer, localSeat, localVerifier, type SeatHolder, type Tamper } from "../seats/local.ts";
import type { City } from "./city.ts";
import { issuedBy, type Member, memberOf, membersOf } from "./founding/society.ts";

/** Fills execution's ports from a city. `tamper` is for demonstrations and tests of a lying executor. */
export function worldOf(
  city: City,
  minds: ReadonlyMap<string, Mind>,
  services: readonly RegisteredService[],
  tamper: Tamper | undefined,
): World {
  const { client, society, answers, blocks, log } = city;
  return {
    client,
    workers: membersOf(society, "producer").map((member) => {
      const mind = minds.get(member.name);
      if (mind === undefined) throw new RangeError(`${member.name} has no mind`);
      const { pool } = member;
      const manager = pool === undefined ? {} : { manager: memberOf(society, "manager", pool.manager).account };
      const resident = { ...holderOf(society, member), mind, ...manager };
      return localSeat(resident, { sandbox: city.sandbox, seed: city.seed, tamper });
    }),
    sponsor: memberOf(society, "sponsor"),
    verifiers: verifiersIn(city),
    issuers: issuersIn(city),
    runner: memberOf(society, "runner"),
    monitor: memberOf(society, "monitor"),
    services,
    strangers: new Map(),
    embedder: scorersBy(city.environment),
    traces: (service, most) => tracesOf(city, service, most),
    sandbox: city.sandbox,
    store: { put: async (bytes) => blocks.put(bytes), get: async (id) => blocks.get(parseContentId(id)) },
    // The record's content enters the log before anything depends on it.
    recent: nothingRecent(),
    remember: singleFlight((key, schema, compute) =>
      answers.remember(answerKey(key), schema, async () => {
        const answer = await compute();
        await log.append([{ kind: `execution.${key[0]}`, subjects: key.slice(1).map(String), content: blocks.putJson(answer) }]);
        return answer;
      }),
    ),
    recall: (key, schema) => answers.recall(answerKey(key), schema),
    logHead: async () => (await log.head()).hash,
    fetchPage: city.fetchPage,
    openModel: (name) => openChatModel(name, city.environment),
    asking: new Map(),
    bidding: city.bidding,
    nodesPerTransaction: city.nodesPerTransaction,
    boundary: city.boundary,
    progress: city.progress,
  };
}

/** The city's own verifiers. */
export function verifiersIn(city: Pick<City, "society" | "environment">): readonly Verifier[] {
  const judges = judgesOf(city);
  return membersOf(city.society, "verifier").map((member, place) =>
    localVerifier(holderOf(city.society, member), judges[place % Math.max(1, judges.length)]),
  );
}

/** The city's own issuers. */
export function issuersIn({ society, client }: Pick<City, "society" | "client">): readonly Issuer[] {
  return membersOf(society, "issuer").map((member, place) =>
    localIssuer({ ...holderOf(society, member), issues: [issuedBy(place)] }, client),
  );
}

/** The models by which this city's own verifiers judge what no rule can, seat by seat and again from the first; none where its operator names none. */
export function judgesOf({ environment }: Pick<City, "environment">): readonly Judge[] {
  const names = (environment[JUDGE_VARIABLE] ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "").map((name) => chatJudge(name, () => openChatModel(name, environment)));
}

/** Concurrent requests for the same record share one computation, so that it is done and logged once. */
function singleFlight(remember: World["remember"]): World["remember"] {
  const flights = new Map<string, Promise<unknown>>();
  return async (key, schema, compute) => {
    const name = key.join("/");
    const before = flights.get(name);
    if (before !== undefined) {
      await before;
      return remember(key, schema, compute);
    }
    const flight = remember(key, schema, compute);
    flights.set(name, flight);
    try {
      return await flight;
    } finally {
      flights.delete(name);
    }
  };
}

/** Key of execution's records: the mission comes second in every key. */
export function answerKey(key: readonly (string | number)[]): AnswerKey {
  return { session: String(key[1]), agent: "", step: key.join("/"), round: 0 };
}

function holderOf(society: readonly Member[], member: Member): SeatHolder {
  const { name, account, seal } = member;
  return { name, account, seal, principal: principalOf(society, member).account.address };
}

/** The human behind an agent. */
export function principalOf(society: readonly Member[], { principal, account, name, role, seal }: Member): Member {
  return principal === undefined ? { name, role, account, seal } : memberOf(society, "principal", principal);
}

/** A lie that saves work: the first item is left out; an output without items claims something else. */
export function lieAbout(output: JsonObject): JsonObject {
  const items = z.array(z.record(z.string(), z.json())).safeParse(output["items"]);
  if (!items.success || items.data.length === 0) return { ...output, forged: true };
  return { ...output, items: items.data.slice(1) };
}

/** A crash between log and answer leaves an entry twice: one task counts once. */
async function tracesOf({ log, blocks }: City, service: Hash, most: number): Promise<readonly string[]> {
  const entries = await log.read({ kind: "execution.trace", subject: service, newest: true, limit: 2 * most });
  const tasks = new Map(entries.flatMap(({ subjects, content }) => (content === null ? [] : [[subjects.join("/"), content] as const])));
  return [...tasks.values()].slice(0, most).map((content) => traceSchema.parse(parseJsonBytes(blocks.get(content))).outputId);
}
