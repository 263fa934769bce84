import type { z } from "zod";
import type { Hearings } from "../city/hearings/hearings.ts";
import type { PostedMissions } from "../city/missions/posted-missions.ts";
import type { RelayBudget } from "../city/missions/relay-budget.ts";
import type { CityClient } from "../client/client.ts";
import type { HubReads } from "../hub/view.ts";
import type { Address, Hex } from "../primitives/hex.ts";
import type { JsonObject, JsonValue } from "../primitives/json.ts";
import type { Shown } from "../protocol/call-records.ts";
import type { Blocks } from "../records/blocks.ts";
import type { LogHead } from "../records/log.ts";
import type { AgreementDesk } from "./agreement-desk.ts";
import type { AgreementStops } from "./agreement-stops.ts";
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
  /** Documents of missions' laws, which say whose eyes a mission is for. */
  readonly laws: Laws;
  /** Where the city's own log of records stands. */
  readonly recordsHead: () => Promise<LogHead>;
  /** The network's folder, where cases and orders wait. */
  readonly dir: string;
  /** The machine's clock, milliseconds. */
  readonly millis: () => number;
}

/** What commands of the front ask: they only read. */
export interface FrontWorld extends World {
  /** What was read of missions, kept until an event touches it. */
  readonly missions: MissionMemory;
  /** How long nodes stay in each state here. */
  readonly phases: PhaseTimes;
  /** What this city says of itself, signed by its operator. */
  readonly about: () => Promise<CityDocument>;
  /** Where campaigns of the economy lie, if this city shows any. */
  readonly campaigns?: CampaignFolders | undefined;
  /** The folder of finished missions' bundles, if this city hands them out. */
  readonly bundles?: string | undefined;
  /** Copies of them, each for whoever asks. */
  readonly exports: BundleExports;
  /** Gas that a mission may use before its metric alerts; none is set by default. */
  readonly gasBudget?: number | undefined;
  /** An ERC-8004 identity registry of this city's chain, if its operator names one. */
  readonly identities?: Address | undefined;
  /** Opens a session of fifteen minutes for a key that has shown itself. */
  readonly openSession: (key: Address) => { readonly bearer: string; readonly expires: number };
}

/** What commands of the city ask: its sender, and what waits in its process. */
export interface CityWorld extends World {
  /** The operator's signature (EIP-191) over a text. */
  readonly attest: (text: string) => Promise<{ readonly key: Address; readonly signature: Hex }>;
  /** Endpoints of adjudicators to which critical events are pushed. */
  readonly webhooks: Webhooks;
  /** What strangers' acts may cost this city. */
  readonly relays: RelayBudget;
  /** The seats of agents elsewhere, while they are open. */
  readonly seats?: SeatDoor | undefined;
  /** Missions of sponsors elsewhere, if this city takes any. */
  readonly posted?: PostedMissions | undefined;
  /** Jobs of escrows anywhere before panels of this city. */
  readonly hearings?: Hearings | undefined;
  /** Agreements of parties anywhere. */
  readonly agreements?: AgreementDesk | undefined;
  /** Claims of members, and their checks. */
  readonly claims?: ClaimDesk | undefined;
  /** Tests of evaluators. */
  readonly canaries?: Canaries | undefined;
  /** By which adjudicators have no agreements begun. */
  readonly stops?: AgreementStops | undefined;
}

/** Who asks. */
export interface Caller {
  /** The key that signed the request, or that the bearer stands for. */
  readonly key?: Address | undefined;
  /** The party (`partyOf`) that the request came from. */
  readonly from?: string | undefined;
  /** What the key signed, for commands that keep it. */
  readonly shown?: Shown | undefined;
  /** What the thing that it asks about has to be still, for commands that look at it (`isTagged`). */
  readonly conditions?: Conditions | undefined;
}

/**
 * `open`: anybody. `reader`: anybody, and a signature or a session shows more to who may read it (`protocol/read-access.ts`). `bearer`: a signature, or a session that one opened. `signed`: a signature over this very request, for all that changes
 * something. `order`: anybody, since what the body holds (an order of the panel, a registration) is worth what its own signatures are.
 */
export type Access = "open" | "reader" | "bearer" | "signed" | "order";

/** One thing that the gateway does: every face (HTTP, OpenAPI, the reference, MCP) is made from the table of these. */
interface Row<Input extends z.ZodObject, Output extends z.ZodType> {
  /** The name in every face: `get_mission`. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** `/v1/missions/{mission}`: fields in braces come from the path, the others from the query or the body. */
  readonly path: string;
  /** Under what the reference lists it. */
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
  /** What it answers changes without the chain or the log: files of the city's folder. Such an answer is not kept. */
  readonly isOfFiles?: true;
  /** By HTTP its answer has an entity tag: who reads is spared what it has, who writes names what it acts upon and may name its request by a key. */
  readonly isTagged?: true;
  /** Claims that its answer is about: where a face has a place for them (Pramana), they go beside it. */
  readonly claims?: (answer: JsonObject) => readonly JsonValue[];
  /** It keeps what its caller signed. */
  readonly keeps?: true;
  /** It may wait for something to happen: it takes no hand from those that answer at once. */
  readonly waits?: true;
  /** It is answered for a payment alone (x402): where the operator set a price, or always, since it settles a debt. The city's sender takes it. */
  readonly paid?: "toll" | "debt";
  /** What it takes from its caller's allowance; 1 is a plain read. */
  readonly cost: number;
  /** What it takes besides from who shows a key: what that may read is looked up for it alone. */
  readonly costOfKey?: number;
  /** Bytes of its body at most, where they are more than others'. */
  readonly body?: number;
  readonly input: Input;
  readonly output: Output;
}

type Run<In, Input extends z.ZodObject, Output extends z.ZodType> = (
  world: In,
  input: z.infer<Input>,
  caller: Caller,
) => Promise<z.input<Output>>;

/** A command that is answered where requests arrive: it reads, and no more. */
interface FrontCommand<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> extends Row<Input, Output> {
  readonly at: "front";
  readonly run: Run<FrontWorld, Input, Output>;
}

/** A command that is handed on to the city's own thread. */
interface CityCommand<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> extends Row<Input, Output> {
  readonly at: "city";
  readonly debt?: Debt<Input>;
  readonly run: Run<CityWorld, Input, Output>;
}

export type Command = FrontCommand | CityCommand;

/** Whether a command is answered for a payment alone where the operator set a price (`hasToll`), or set none. */
export const isCharged = ({ paid }: Command, hasToll: boolean): boolean => paid === "debt" || (paid === "toll" && hasToll);

/** What a command takes from an allowance, for people. */
export const costInWords = ({ cost, costOfKey }: Command): string =>
  costOfKey === undefined ? `${cost}` : `${cost}, ${cost + costOfKey} with a key`;

/** What is owed, and paid by one payment. */
interface Debt<Input extends z.ZodObject> {
  readonly name: (input: z.infer<Input>) => string;
  /** Throws where nothing is owed. */
  readonly price: (world: CityWorld, input: z.infer<Input>, caller: Caller) => Promise<Toll>;
}

/** A row of the table, with its types checked against each other and then forgotten. */
export function command<Input extends z.ZodObject, Output extends z.ZodType>(row: Omit<FrontCommand<Input, Output>, "at">): Command {
  return { ...row, at: "front", run: (world, input, caller) => row.run(world, row.input.parse(input), caller) };
}

/** A row that needs what only the city's thread has. */
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
