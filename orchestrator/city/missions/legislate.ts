import { z } from "zod";
import type { CatalogEntry } from "../../../services/catalog.ts";
import { type BlocJudge, ruleOnBloc } from "../../adjudication/rule-on-bloc.ts";
import { DEVNET_CHAIN_ID } from "../../chain/devnet.ts";
import { intentKey } from "../../chain/outbox.ts";
import { openOffices } from "../../clerks/clerks.ts";
import { electorsAmong } from "../../client/eligibility.ts";
import { writeEach } from "../../client/write.ts";
import type { LegislatedService, LegislatureOptions, PaidElsewhere } from "../../legislature/context.ts";
import type { LegislatureResult } from "../../legislature/result.ts";
import { requireLegislable, runLegislature } from "../../legislature/run-legislature.ts";
import type { Mind } from "../../minds/mind.ts";
import { type Hash, hashSchema } from "../../primitives/hex.ts";
import type { MissionFile } from "../../protocol/mission-file.ts";
import { parameterIndex } from "../../protocol/parameters.ts";
import type { City } from "../city.ts";
import { codifierServices, servicesInUse } from "../founding/codifier-services.ts";
import { serviceTerms } from "../founding/services.ts";
import { memberOf, membersOf } from "../founding/society.ts";
import { blocCaseOf } from "../humans/bloc-case.ts";
import { CodificationDesk } from "../humans/codification-desk.ts";
import { panelOf } from "../humans/panel.ts";
import { answerKey } from "../world.ts";

/** Subject and participants of a session. */
export interface SessionRequest
  extends Pick<LegislatureOptions, "inputs" | "id" | "child" | "parent" | "barred" | "ballotBatch" | "mostLaws" | "byPetition"> {
  readonly file: MissionFile;
  /** Services that a law may use. */
  readonly services: readonly CatalogEntry[];
  /** A sponsor whose key is elsewhere. Default: the city's own. */
  readonly sponsor?: PaidElsewhere | undefined;
  /** Decides if voters who ranked alike may have decided the vote. */
  readonly judge: BlocJudge;
  /** By producer's name; a producer without one does not take part. */
  readonly minds: ReadonlyMap<string, Mind>;
  /** Producers whose keys are elsewhere. */
  readonly outsiders?: LegislatureOptions["producers"] | undefined;
  /** Called at each boundary that the session crosses, before the city's own hook. */
  readonly onBoundary?: City["boundary"];
}

/** Holds one session with the city's own offices and producers. */
export async function legislate(city: City, request: SessionRequest): Promise<LegislatureResult> {
  const options = await optionsOf(city, request, await admitted(city, request));
  await vouch(city, options.producers);
  const result = await runLegislature(options);
  new CodificationDesk(city.dir).clear(result.session);
  return result;
}

/**
 * Throws a named error if no law could result from a request. Called before an external sponsor pays and thereby opens the session, in
 * which only those vote who were vouched for by then. External agents are not asked before payment.
 */
export async function requireLaw(city: City, { outsiders = [], ...request }: SessionRequest): Promise<void> {
  const options = await optionsOf(city, request, await termsNow(request.services));
  await vouch(city, [...options.producers, ...outsiders]);
  await requireLegislable(options);
}

/**
 * Votes are earned (decision 91). On a devnet, where keys cost nothing and no one is paid, the Registrar vouches for all participants if
 * there are fewer voters than a law needs sponsors, so that a city whose producers all came after its founding can start.
 */
async function vouch({ chain, client, society, progress }: City, producers: LegislatureOptions["producers"]): Promise<void> {
  const agents = producers.map(({ account }) => account.address);
  const electors = await electorsAmong(client, agents);
  const newcomers = agents.filter((agent) => !electors.has(agent));
  if (newcomers.length === 0) return;
  const needed = await client.constitution.param(parameterIndex("MIN_SPONSORS"));
  if (chain.id !== DEVNET_CHAIN_ID && (await client.agents.activeProducers()) >= needed) return;
  const { account } = memberOf(society, "registrar");
  const items = newcomers.map((agent) => ({
    agent,
    intent: client.agents.call.enfranchise([agent], { intent: intentKey("vouch", agent), account }),
  }));
  const vouched = await writeEach(client, items, ({ agent }, reason) => progress(`the Registrar cannot vouch for ${agent}: ${reason}`));
  progress(`the Registrar vouches for ${vouched.length} agents, who vote from now on`);
}

type Terms = Readonly<Record<string, { readonly code: Hash; readonly schema: Hash }>>;
const termsSchema = z.record(z.string(), z.strictObject({ code: hashSchema, schema: hashSchema }));

/** Code and schemas of services by name, as they are registered today. */
async function termsNow(services: readonly CatalogEntry[]): Promise<Terms> {
  const terms = services.map(async (entry) => {
    const { codeHash: code, schemaHash: schema } = await serviceTerms(entry);
    return [entry.id, { code, schema }] as const;
  });
  return Object.fromEntries(await Promise.all(terms));
}

/** The services as the session's laws name them: an interrupted session keeps its laws, whatever was edited since. */
function admitted({ answers }: City, { id, services }: SessionRequest): Promise<Terms> {
  return answers.remember(answerKey(["admitted", id]), termsSchema, () => termsNow(services));
}

async function optionsOf(
  city: City,
  { file, services, minds, judge, onBoundary, sponsor, outsiders = [], ...request }: SessionRequest,
  terms: Terms,
): Promise<LegislatureOptions> {
  const { client, society, boundary } = city;
  const clerk = (role: "registrar" | "speaker" | "codifier") => memberOf(society, role).account;
  const desk = new CodificationDesk(city.dir);
  const principals = new Map(membersOf(society, "principal").map(({ name, account }) => [name, account.address]));
  return {
    ...request,
    services: services.flatMap((entry): LegislatedService[] => {
      const own = terms[entry.id];
      return own === undefined ? [] : [{ ...entry, ...own }];
    }),
    client,
    clerks: openOffices(
      client,
      {
        registrar: clerk("registrar"),
        speaker: clerk("speaker"),
        regulators: membersOf(society, "regulator").map(({ account }) => account),
        codifier: clerk("codifier"),
        runner: memberOf(society, "runner").account,
      },
      servicesInUse(await codifierServices(clerk("codifier").address)),
    ),
    sponsor: sponsor ?? memberOf(society, "sponsor").account,
    producers: [
      ...membersOf(society, "producer").flatMap(({ name, account, principal }) => {
        const mind = minds.get(name);
        return mind === undefined ? [] : [{ account, mind, principal: principals.get(principal ?? "") ?? account.address }];
      }),
      ...outsiders,
    ],
    mission: file,
    ports: {
      records: city.blocks,
      answers: city.answers,
      checkpointer: city.checkpointer,
      deposits: city.deposits,
      approval: (request) => desk.ask(request),
      ruling: async (request) => {
        await ruleOnBloc(panelOf(city), judge, await blocCaseOf(city, request));
      },
      refused: ({ agent, what, reason }) => {
        const { name = agent } = membersOf(society, "producer").find(({ account }) => account.address === agent) ?? {};
        city.progress(`the chain refused an act of ${name}: ${what}, ${reason}`);
      },
      boundary: async (name) => {
        await onBoundary?.(name);
        await boundary(name);
      },
    },
  };
}
