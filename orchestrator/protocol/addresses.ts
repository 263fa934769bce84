import { isAddress } from "viem";
import { z } from "zod";
import { AgentCityError } from "../primitives/errors.ts";

/** The contracts that a city has exactly once, in the order of genesis. */
export const cityContracts = [
  "ConstitutionContract",
  "CityToken",
  "ProducerContract",
  "ClerkContract",
  "ManagementContract",
  "ServiceContract",
  "EvidenceRegistry",
  "Treasury",
  "TemplateRegistry",
  "ConstitutionalValidator",
  "LegislativeProcedure",
  "ExecutionProcedure",
  "AdjudicationProcedure",
  "AdjudicatorRoster",
  "StakePool",
  "AdjudicatorWatchdog",
  "AgreementEscrow",
  "ClearingEvaluator",
] as const;

export type CityContract = (typeof cityContracts)[number];

const address = z.custom<`0x${string}`>((value) => typeof value === "string" && isAddress(value), "expected an address");

/** Addresses of a city's contracts; part of `city.json` and of every bundle. */
export const cityAddressesSchema = z.strictObject({
  ConstitutionContract: address,
  CityToken: address,
  ProducerContract: address,
  ClerkContract: address,
  ManagementContract: address,
  ServiceContract: address,
  EvidenceRegistry: address,
  Treasury: address,
  TemplateRegistry: address,
  ConstitutionalValidator: address,
  LegislativeProcedure: address,
  ExecutionProcedure: address,
  AdjudicationProcedure: address,
  AdjudicatorRoster: address,
  StakePool: address,
  AdjudicatorWatchdog: address,
  AgreementEscrow: address,
  ClearingEvaluator: address,
} satisfies Record<CityContract, typeof address>);

export type CityAddresses = z.infer<typeof cityAddressesSchema>;

/** A city was founded before contracts were part of every city: none is added to one that stands. */
export class CityTooOld extends AgentCityError {
  constructor(city: string, missing: readonly string[], action: string) {
    super("CityTooOld", `${city} was founded without ${missing.join(" and ")}, which this version of agentcity counts on`, { action });
  }
}

/** The addresses of a city elsewhere, as it says them. Throws CityTooOld. */
export function addressesOf(given: Readonly<Record<string, unknown>>, city: string): CityAddresses {
  requireContracts(given, city, "use the version of agentcity that the city runs, or ask its operator to found it again");
  return cityAddressesSchema.parse(given);
}

/** Throws CityTooOld unless every contract of a city has an address. */
export function requireContracts(addresses: Readonly<Record<string, unknown>>, city: string, action: string): void {
  const missing = cityContracts.filter((name) => !Object.hasOwn(addresses, name));
  if (missing.length > 0) throw new CityTooOld(city, missing, action);
}
