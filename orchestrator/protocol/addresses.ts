import { isAddress } from "viem";
import { z } from "zod";

/** Every contract a city has once. Order is the order of genesis. */
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

/** Where a city's contracts are; part of `city.json` and of every bundle. */
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
