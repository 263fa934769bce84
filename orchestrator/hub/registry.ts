import { encodePacked, zeroHash } from "viem";
import { z } from "zod";
import { addressSchema } from "../primitives/address.ts";
import { keccak256 } from "../primitives/hash.ts";
import { type Address, type Hash, hashSchema } from "../primitives/hex.ts";
import type { JsonValue } from "../primitives/json.ts";
import { addressIn, type ChainEvent } from "./chain-source.ts";

export const missionRowSchema = z.object({
  id: hashSchema,
  legislature: addressSchema,
  session: z.string(),
  epoch: z.coerce.number().int().nonnegative(),
  /** Its contract, once deployed. */
  mission: addressSchema.nullable(),
});
export type MissionRow = z.infer<typeof missionRowSchema>;

/** The principal of an account. */
export const accountRowSchema = z.object({ account: addressSchema, principal: addressSchema });
export type AccountRow = z.output<typeof accountRowSchema>;

/** The paper's missionId of a session and of the mission made from its law. */
export function missionIdOf(legislature: Address, session: string): Hash {
  return keccak256(encodePacked(["address", "uint256"], [legislature, BigInt(session)]));
}

/** Arguments that name the account whose principal is the event's `principal`. */
const ACCOUNTS = ["agent", "clerk", "verifier", "issuer", "runner", "monitor", "adjudicator"] as const;

/** Session, mission and principal that an event is about, from earlier events. */
export class Registry {
  readonly #legislature: Address;
  readonly #bySession = new Map<string, MissionRow>();
  readonly #byMission = new Map<Address, MissionRow>();
  readonly #byId = new Map<Hash, MissionRow>();
  readonly #principals = new Map<Address, Address>();
  readonly #people = new Set<Address>();

  constructor(legislature: Address, missions: readonly MissionRow[], accounts: readonly AccountRow[]) {
    this.#legislature = legislature;
    this.add(missions, accounts);
  }

  /** Adds rows learnt by another registry. */
  add(missions: readonly MissionRow[], accounts: readonly AccountRow[]): void {
    for (const row of missions) this.#keep(row);
    for (const row of accounts) this.#bind(row);
  }

  missions(): readonly MissionRow[] {
    return [...this.#byId.values()];
  }

  accounts(): readonly AccountRow[] {
    return [...this.#principals].map(([account, principal]) => ({ account, principal }));
  }

  missionAt(address: Address): MissionRow | undefined {
    return this.#byMission.get(address);
  }

  withId(id: Hash): MissionRow | undefined {
    return this.#byId.get(id);
  }

  /** Of the current legislature unless another is given. */
  sessionNumbered(session: string, legislature: Address = this.#legislature): MissionRow | undefined {
    return this.#bySession.get(keyOf(legislature, session));
  }

  /** The principal of an account; a principal is its own. */
  principalOf(account: Address): Address | undefined {
    return this.#principals.get(account) ?? (this.#people.has(account) ? account : undefined);
  }

  /** New facts in an event, as rows to store with it. `epochOf` queries the chain. */
  async learn(
    event: ChainEvent,
    epochOf: (legislature: Address, session: string) => Promise<number>,
  ): Promise<{ readonly mission?: MissionRow; readonly account?: AccountRow }> {
    const { args } = event;
    const named = this.#sessionIn(event);
    const principal = addressIn(args, "principal");
    const account = ACCOUNTS.map((name) => addressIn(args, name)).find((address) => address !== undefined);
    const isNews = principal !== undefined && account !== undefined && this.#principals.get(account) !== principal;
    if (isNews) this.#bind({ account, principal });
    const learnt = isNews ? { account: { account, principal } } : {};
    if (named === undefined) return learnt;
    const known = this.#bySession.get(keyOf(named.legislature, named.session));
    const deployed = event.name === "TemplateRegistry.MissionDeployed" ? addressIn(args, "mission") : undefined;
    if (known !== undefined && (deployed === undefined || known.mission === deployed)) return learnt;
    const id = missionIdOf(named.legislature, named.session);
    const epoch = known?.epoch ?? (await epochOf(named.legislature, named.session));
    const mission = { id, ...named, epoch, mission: deployed ?? known?.mission ?? null };
    this.#keep(mission);
    return { ...learnt, mission };
  }

  /** The mission that an event is about, if any. */
  missionOf(event: ChainEvent): MissionRow | undefined {
    const own = this.#byMission.get(event.emitter);
    if (own !== undefined) return own;
    const mission = addressIn(event.args, "mission");
    const named = mission === undefined ? undefined : this.#byMission.get(mission);
    if (named !== undefined) return named;
    const session = this.#sessionIn(event);
    return session === undefined ? undefined : this.#bySession.get(keyOf(session.legislature, session.session));
  }

  #sessionIn({ contract, emitter, args }: ChainEvent): { readonly legislature: Address; readonly session: string } | undefined {
    const session = decimalIn(args["session"]);
    // A mission's ChildOpened names its child's session but is about the parent.
    if (session === undefined || session === "0" || contract === "CollaborationContract") return undefined;
    const legislature = contract === "LegislativeProcedure" ? emitter : (addressIn(args, "legislation") ?? this.#legislature);
    return { legislature, session };
  }

  #bind({ account, principal }: AccountRow): void {
    this.#principals.set(account, principal);
    this.#people.add(principal);
  }

  #keep(row: MissionRow): void {
    this.#bySession.set(keyOf(row.legislature, row.session), row);
    this.#byId.set(row.id, row);
    if (row.mission !== null) this.#byMission.set(row.mission, row);
  }
}

const keyOf = (legislature: Address, session: string) => `${legislature}/${session}`;

function decimalIn(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && /^\d+$/.test(value) ? value : undefined;
}

/** For events that are about no mission. */
export const NO_MISSION: Pick<MissionRow, "id" | "epoch"> = { id: zeroHash, epoch: 0 };
