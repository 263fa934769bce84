import type { Chain } from "../chain/chain.ts";
import type { Sender } from "../chain/sender.ts";
import type { Address } from "../primitives/hex.ts";
import type { CityAddresses } from "../protocol/addresses.ts";
import { type ContractActions, contractActions } from "./actions.ts";
import type { BaseClient, LogNote } from "./base.ts";
import { ROOMS, type Room } from "./rooms.ts";

type Rooms = { readonly [Name in Room]: ContractActions<(typeof ROOMS)[Name]> };

/** The orchestrator's client: every call of an agent, clerk, verifier or human, sent through its sender. Signing is in `sign/`. */
export interface CityClient extends BaseClient, Rooms {
  /** One mission's contract. */
  readonly mission: (address: Address) => ContractActions<"CollaborationContract">;
  /** The gate `keeps-schema`, where adjudicators approved it. */
  readonly schemaGate: (address: Address) => ContractActions<"KeepsSchema">;
}

export interface ClientOptions {
  readonly chain: Chain;
  readonly addresses: CityAddresses;
  /** Without a sender the client is read-only. */
  readonly sender?: Sender<LogNote> | undefined;
}

export function createCityClient({ chain, addresses, sender }: ClientOptions): CityClient {
  const base: BaseClient = { chain, addresses, sender };
  const missions = new Map<Address, ContractActions<"CollaborationContract">>();
  return {
    ...base,
    constitution: contractActions(base, ROOMS.constitution),
    token: contractActions(base, ROOMS.token),
    agents: contractActions(base, ROOMS.agents),
    clerks: contractActions(base, ROOMS.clerks),
    mandates: contractActions(base, ROOMS.mandates),
    services: contractActions(base, ROOMS.services),
    evidence: contractActions(base, ROOMS.evidence),
    treasury: contractActions(base, ROOMS.treasury),
    templates: contractActions(base, ROOMS.templates),
    validator: contractActions(base, ROOMS.validator),
    legislation: contractActions(base, ROOMS.legislation),
    execution: contractActions(base, ROOMS.execution),
    adjudication: contractActions(base, ROOMS.adjudication),
    roster: contractActions(base, ROOMS.roster),
    pools: contractActions(base, ROOMS.pools),
    watchdog: contractActions(base, ROOMS.watchdog),
    escrow: contractActions(base, ROOMS.escrow),
    evaluator: contractActions(base, ROOMS.evaluator),
    schemaGate: (address) => contractActions(base, "KeepsSchema", address),
    mission: (address) => {
      const actions = missions.get(address) ?? contractActions(base, "CollaborationContract", address);
      missions.set(address, actions);
      return actions;
    },
  };
}
