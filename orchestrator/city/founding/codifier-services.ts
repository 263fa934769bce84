import { fileURLToPath } from "node:url";
import { zeroHash } from "viem";
import type { GenesisPlan } from "../../../deploy/plan.ts";
import type { CodifierServices } from "../../clerks/codifier.ts";
import { bundleOwn } from "../../execution/sandbox/bundle.ts";
import type { RegisteredService } from "../../execution/world.ts";
import type { Address, Hash } from "../../primitives/hex.ts";
import { CODIFIER_OPERATIONS, type CodifierOperation, OPERATION_SOURCES, operationId } from "../../protocol/operations.ts";
import { serviceIdOf } from "../../rules/admissions.ts";

/** A service that the Codifier must use, as the Codifier registers it (contracts/interfaces/IManagementContract.sol). */
export interface CodifierService {
  readonly operation: CodifierOperation;
  readonly record: RegisteredService["record"];
}

const ROOT = new URL("../../../", import.meta.url);
const ENDPOINTS: Readonly<Record<CodifierOperation, string>> = {
  "compile-law": "city:law-compiler",
  "audit-codification": "city:codification-audit",
};

/** Compiler and audit, each under the hash of its own code, so that anyone can rebuild and inspect them independently of the Codifier. */
export function codifierServices(codifier: Address): Promise<CodifierService[]> {
  return Promise.all(
    CODIFIER_OPERATIONS.map(async (operation) => {
      const { codeHash } = await bundleOwn(fileURLToPath(new URL(OPERATION_SOURCES[operation], ROOT)), "node");
      const endpoint = ENDPOINTS[operation];
      return { operation, record: { owner: codifier, codeHash, schemaHash: zeroHash, endpoint, constraints: zeroHash } };
    }),
  );
}

/** Ids of the Codifier's services, by operation. */
export function servicesInUse(services: readonly CodifierService[]): CodifierServices {
  const idOf = (operation: CodifierOperation): Hash => {
    const found = services.find((each) => each.operation === operation);
    if (found === undefined) throw new RangeError(`no service does ${operation}`);
    return serviceIdOf(found.record);
  };
  return { "compile-law": idOf("compile-law"), "audit-codification": idOf("audit-codification") };
}

/** Obliges the Codifier to have every law compiled and audited by them, and to leave a trace of what lay between. */
export function codifierMandates(services: readonly CodifierService[]): GenesisPlan["mandates"] {
  return services.map(({ operation, record }) => ({
    office: "CODIFIER",
    operation: operationId(operation),
    service: serviceIdOf(record),
    needsIntermediate: true,
    schemaHash: zeroHash,
  }));
}
