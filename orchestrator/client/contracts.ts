import type { Abi } from "viem";
import { adjudicationProcedureAbi } from "../chain/abi/AdjudicationProcedure.ts";
import { adjudicatorRosterAbi } from "../chain/abi/AdjudicatorRoster.ts";
import { adjudicatorWatchdogAbi } from "../chain/abi/AdjudicatorWatchdog.ts";
import { agreementEscrowAbi } from "../chain/abi/AgreementEscrow.ts";
import { cityTokenAbi } from "../chain/abi/CityToken.ts";
import { clearingEvaluatorAbi } from "../chain/abi/ClearingEvaluator.ts";
import { clerkContractAbi } from "../chain/abi/ClerkContract.ts";
import { collaborationContractAbi } from "../chain/abi/CollaborationContract.ts";
import { constitutionalValidatorAbi } from "../chain/abi/ConstitutionalValidator.ts";
import { constitutionContractAbi } from "../chain/abi/ConstitutionContract.ts";
import { evidenceRegistryAbi } from "../chain/abi/EvidenceRegistry.ts";
import { executionProcedureAbi } from "../chain/abi/ExecutionProcedure.ts";
import { keepsSchemaAbi } from "../chain/abi/KeepsSchema.ts";
import { legislativeProcedureAbi } from "../chain/abi/LegislativeProcedure.ts";
import { managementContractAbi } from "../chain/abi/ManagementContract.ts";
import { producerContractAbi } from "../chain/abi/ProducerContract.ts";
import { serviceContractAbi } from "../chain/abi/ServiceContract.ts";
import { stakePoolAbi } from "../chain/abi/StakePool.ts";
import { templateRegistryAbi } from "../chain/abi/TemplateRegistry.ts";
import { treasuryAbi } from "../chain/abi/Treasury.ts";

/**
 * Every contract that a client can call, with its ABI. `CollaborationContract` is the mission, with one address each; `KeepsSchema` a gate,
 * which adjudicators approve under a number.
 */
export const contractAbis = {
  AdjudicationProcedure: adjudicationProcedureAbi,
  AdjudicatorRoster: adjudicatorRosterAbi,
  AdjudicatorWatchdog: adjudicatorWatchdogAbi,
  AgreementEscrow: agreementEscrowAbi,
  ClearingEvaluator: clearingEvaluatorAbi,
  StakePool: stakePoolAbi,
  CityToken: cityTokenAbi,
  ClerkContract: clerkContractAbi,
  CollaborationContract: collaborationContractAbi,
  ConstitutionContract: constitutionContractAbi,
  ConstitutionalValidator: constitutionalValidatorAbi,
  EvidenceRegistry: evidenceRegistryAbi,
  ExecutionProcedure: executionProcedureAbi,
  KeepsSchema: keepsSchemaAbi,
  LegislativeProcedure: legislativeProcedureAbi,
  ManagementContract: managementContractAbi,
  ProducerContract: producerContractAbi,
  ServiceContract: serviceContractAbi,
  TemplateRegistry: templateRegistryAbi,
  Treasury: treasuryAbi,
} as const satisfies Record<string, Abi>;

export type ContractName = keyof typeof contractAbis;
export type AbiOf<Name extends ContractName> = (typeof contractAbis)[Name];
