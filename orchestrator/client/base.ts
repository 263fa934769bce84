import type { Chain } from "../chain/chain.ts";
import type { Sender } from "../chain/sender.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { Address, ContentId } from "../primitives/hex.ts";
import type { CityAddresses } from "../protocol/addresses.ts";
import type { ContractName } from "./contracts.ts";

/** Added to the city's log with a transaction, once, like the transaction itself (decision 39). */
export interface LogNote {
  readonly kind: string;
  /** Ids that this is about: session, mission, agent … */
  readonly subjects: readonly string[];
  /** The block that holds the payload. */
  readonly content?: ContentId | undefined;
}

/** What reading needs: a chain, and the city's addresses. */
export interface Reader {
  readonly chain: Pick<Chain, "publicClient" | "answers">;
  readonly addresses: CityAddresses;
}

/** What every action needs. Without a sender a client can read and sign, but not write. */
export interface BaseClient extends Reader {
  readonly chain: Chain;
  readonly sender: Sender<LogNote> | undefined;
}

/** A write on a client without a sender. */
export class SenderMissing extends AgentCityError {
  constructor(what: string) {
    super("SenderMissing", `${what} cannot be sent: this client is read-only`, { action: "create the client with a sender" });
  }
}

/** Address of a city contract. A mission's address must be given. */
export function addressOf(client: Reader, contract: ContractName, given?: Address): Address {
  if (given !== undefined) return given;
  if (contract === "CollaborationContract") {
    throw new AgentCityError("MissionAddressMissing", "A city has many missions", { action: "name one: client.mission(address)" });
  }
  if (contract === "KeepsSchema") {
    throw new AgentCityError("GateAddressMissing", "A gate is where adjudicators approved it", {
      action: "name it: client.schemaGate(address)",
    });
  }
  return client.addresses[contract];
}
