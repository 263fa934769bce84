import type { LocalAccount } from "viem";
import type { CityClient } from "../client/client.ts";
import { Codifier, type CodifierServices } from "./codifier.ts";
import { Registrar } from "./registrar.ts";
import { Regulator } from "./regulator.ts";
import { Speaker } from "./speaker.ts";

/** The four offices of a city; there may be several Regulators. */
export interface Clerks {
  readonly registrar: Registrar;
  readonly speaker: Speaker;
  readonly regulators: readonly Regulator[];
  readonly codifier: Codifier;
}

export interface ClerkAccounts {
  readonly registrar: LocalAccount;
  readonly speaker: LocalAccount;
  readonly regulators: readonly LocalAccount[];
  readonly codifier: LocalAccount;
  /** Runs what the Codifier delegates. */
  readonly runner: LocalAccount;
}

export function openOffices(client: CityClient, accounts: ClerkAccounts, services: CodifierServices): Clerks {
  return {
    registrar: new Registrar(client, accounts.registrar),
    speaker: new Speaker(client, accounts.speaker),
    regulators: accounts.regulators.map((account) => new Regulator(client, account)),
    codifier: new Codifier(client, accounts.codifier, services, accounts.runner),
  };
}
