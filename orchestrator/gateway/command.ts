import type { z } from "zod";
import type { Hearings } from "../city/hearings/hearings.ts";
import type { PostedMissions } from "../city/missions/posted-missions.ts";
import type { RelayBudget } from "../city/missions/relay-budget.ts";
import type { Signer } from "../clearing/signature.ts";
import type { CityClient } from "../client/client.ts";
import type { HubReads } from "../hub/view.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import type { Shown } from "../protocol/call-records.ts";
import type { Blocks } from "../records/blocks.ts";
import type { LogHead } from "../records/log.ts";
import type { AgreementDesk } from "./agreements/desk.ts";
import type { AgreementStops } from "./agreements/stops.ts";
import type { CampaignFolders } from "./campaigns.ts";
import type { Canaries } from "./canaries.ts";
import type { ClaimDesk } from "./claim-desk.ts";
import type { CityDocument } from "./commands/city.ts";
import type { Conditions } from "./conditions.ts";
import type { BundleExports } from "./exports.ts";
import type { Laws } from "./laws.ts";
import type { MissionMemory } from "./mission-memory.ts";
import type { PhaseTimes } from "./phase-times.ts";
import type { SeatDoor } from "./seat-door.ts";
import type { Webhooks } from "./webhooks.ts";
import type { Toll } from "./x402.ts";

/** What every command may read. */
export interface World {
  readonly client: CityClient;
  readonly hub: HubReads;
  readonly blocks: Blocks;
  /** Documents of missions' laws, which state who may read a mission's contents. */
  readonly laws: Laws;
  /** The end of the city's own log. */
  readonly recordsHead: () => Promise<LogHead>;
  /** The network's folder, with waiting cases and orders. */
  readonly dir: string;
  /** The machine's clock, milliseconds. */
  readonly millis: () => number;
}

/** The world of front commands, which only read. */
export interface FrontWorld extends World {
  /** Cached reads of missions, invalidated by events. */
  readonly missions: MissionMemory;
  /** Time that nodes spend in each state. */
  readonly phases: PhaseTimes;
  /** The city's self-description, signed by its operator. */
  readonly about: () => Promise<CityDocument>;
  /** Folders of economy campaigns, if this city shows any. */
  readonly campaigns?: CampaignFolders | undefined;
  /** The folder of finished missions' bundles, if this city serves them. */
  readonly bundles?: string | undefined;
  /** Copies of bundles, adapted to each reader. */
  readonly exports: BundleExports;
  /** Gas budget of a mission, above which its metric alerts; none by default. */
  readonly gasBudget?: number | undefined;
  /** An ERC-8004 identity registry of this city's chain, if configured. */
  readonly identities?: Address | undefined;
  /** Opens a session of fifteen minutes for an authenticated key. */
  readonly openSession: (key: Address) => { readonly bearer: string; readonly expires: number };
}

/** The world of city commands: its sender, and the state of its process. */
export interface CityWorld extends World {
  /** The operator's signature (EIP-191) over a text. */
  readonly attest: (text: string) => Promise<{ readonly key: Address; readonly signature: Hex }>;
  /** The city's clearing engine, if its key is here. */
  readonly engine?: Signer | undefined;
  /** Endpoints of adjudicators to which critical events are pushed. */
  readonly webhooks: Webhooks;
  /** Budget for strangers' acts. */
  readonly relays: RelayBudget;
  /** Seats of external agents, while they are open. */
  readonly seats?: SeatDoor | undefined;
  /** Missions of external sponsors, if accepted. */
  readonly posted?: PostedMissions | undefined;
  /** Jobs of external escrows before panels of this city. */
  readonly hearings?: Hearings | undefined;
  /** Agreements of any parties. */
  readonly agreements?: AgreementDesk | undefined;
  /** Claims of members, and their checks. */
  readonly claims?: ClaimDesk | undefined;
  /** Tests of evaluators. */
  readonly canaries?: Canaries | undefined;
  /** Adjudicators' stops of new agreements. */
  readonly stops?: AgreementStops | undefined;
}

/** The caller. */
export interface Caller {
  /** The key that signed the request, or that the bearer token stands for. */
  readonly key?: Address | undefined;
  /** The party (`partyOf`) that the request came from. */
  readonly from?: string | undefined;
  /** What the key signed, for commands that store it. */
  readonly shown?: Shown | undefined;
  /** The state that the caller expects of the resource (entity tags), for commands with `isTagged`. */
  readonly conditions?: Conditions | undefined;
}

/**
 * `open`: anyone. `reader`: anyone; authenticated callers see more (`protocol/read-access.ts`). `bearer`: a signature, or a session opened
 * with one. `signed`: a signature over this very request, for all changes. `order`: anyone, since the body (an order of the panel, a
 * registration) carries its own signatures.
 */
export type Access = "open" | "reader" | "bearer" | "signed" | "order";

/** One command of the gateway: every interface (HTTP, OpenAPI, the reference, MCP) is generated from the table. */
interface Row<Input extends z.ZodObject, Output extends z.ZodType> {
  /** Name in every interface: `get_mission`. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** `/v1/missions/{mission}`: fields in braces come from the path, the others from the query or the body. */
  readonly path: string;
  /** Its group in the reference. */
  readonly group:
    | "City"
    | "Missions"
    | "Sponsors"
    | "Agreements"
    | "Claims"
    | "Law"
    | "Members"
    | "Seats"
    | "Panel"
    | "Economy"
    | "Events"
    | "Sessions of keys";
  readonly doc: string;
  readonly access: Access;
  /** Its answer may change without chain or log events, since it depends on files of the city's folder. Not cached. */
  readonly isOfFiles?: true;
  /** Over HTTP its answer has an entity tag: readers may get 304, writers name the state they act upon and may send an Idempotency-Key. */
  readonly isTagged?: true;
  /** Claims about its answer, attached where an interface supports them (Pramana). */
  readonly claims?: (answer: JsonObject) => readonly JsonValue[];
  /** It stores what its caller signed. */
  readonly keeps?: true;
  /** It may wait for an event, so it occupies none of the workers that answer at once. */
  readonly waits?: true;
  /** Requires a payment (x402): if the operator set a price (`toll`), or always (`debt`). The city's sender relays it. */
  readonly paid?: "toll" | "debt";
  /** Cost in the caller's rate limit; 1 is a plain read. */
  readonly cost: number;
  /** Additional cost for an authenticated caller, whose access is looked up individually. */
  readonly costOfKey?: number;
  /** Maximum body size, bytes, if larger than the default. */
  readonly body?: number;
  readonly input: Input;
  readonly output: Output;
}

type Run<In, Input extends z.ZodObject, Output extends z.ZodType> = (
  world: In,
  input: z.infer<Input>,
  caller: Caller,
) => Promise<z.input<Output>>;

/** A command answered in the gateway's own thread; read-only. */
interface FrontCommand<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> extends Row<Input, Output> {
  readonly at: "front";
  readonly run: Run<FrontWorld, Input, Output>;
}

/** A command forwarded to the city's thread. */
interface CityCommand<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> extends Row<Input, Output> {
  readonly at: "city";
  readonly debt?: Debt<Input>;
  readonly run: Run<CityWorld, Input, Output>;
}

export type Command = FrontCommand | CityCommand;

/** Whether a command requires a payment, given whether the operator set a price (`hasToll`). */
export const isCharged = ({ paid }: Command, hasToll: boolean): boolean => paid === "debt" || (paid === "toll" && hasToll);

/** A command's cost for display. */
export const costInWords = ({ cost, costOfKey }: Command): string =>
  costOfKey === undefined ? `${cost}` : `${cost}, ${cost + costOfKey} with a key`;

/** A debt, settled by one payment. */
interface Debt<Input extends z.ZodObject> {
  readonly name: (input: z.infer<Input>) => string;
  /** Throws if nothing is owed. */
  readonly price: (world: CityWorld, input: z.infer<Input>, caller: Caller) => Promise<Toll>;
}

/** A row of the table; its types are checked here and then erased. */
export function command<Input extends z.ZodObject, Output extends z.ZodType>(row: Omit<FrontCommand<Input, Output>, "at">): Command {
  return { ...row, at: "front", run: (world, input, caller) => row.run(world, row.input.parse(input), caller) };
}

/** A row that needs the city's thread. */
export function cityCommand<Input extends z.ZodObject, Output extends z.ZodType>(row: Omit<CityCommand<Input, Output>, "at">): Command {
  const { debt, ...rest } = row;
  return {
    ...{ ...rest, at: "city", run: (world, input, caller) => row.run(world, row.input.parse(input), caller) },
    ...(debt === undefined
      ? {}
      : {
          debt: {
            name: (input) => debt.name(row.input.parse(input)),
            price: (world, input, caller) => debt.price(world, row.input.parse(input), caller),
          },
        }),
  };
}
