import { isAddress } from "viem";
import { z } from "zod";

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
