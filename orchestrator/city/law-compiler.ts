import { fileURLToPath } from "node:url";
import type { GenesisPlan } from "../../deploy/plan.ts";
import { bundled, bundleOf } from "../execution/sandbox/bundle.ts";
import type { RegisteredService } from "../execution/world.ts";
import type { Address, Hash } from "../primitives/hex.ts";
import { operationId } from "../protocol/operations.ts";
import { serviceId } from "./services.ts";

const NONE: Hash = `0x${"0".repeat(64)}`;

/** The compiler that the Codifier must use, as the Codifier registers it (contracts/interfaces/IManagementContract.sol). */
export async function compilerRecord(codifier: Address): Promise<RegisteredService["record"]> {
  const { codeHash } = bundleOf(await bundled(fileURLToPath(new URL("../client/compile-law.ts", import.meta.url)), "node"));
  return { owner: codifier, codeHash, schemaHash: NONE, endpoint: "city:law-compiler", constraints: NONE };
}

/** Obliges the Codifier to have every law compiled by it. */
export function compilerMandate(record: RegisteredService["record"]): GenesisPlan["mandates"][number] {
  return {
    office: "CODIFIER",
    operation: operationId("compile-law"),
    service: serviceId(record),
    needsIntermediate: true,
    schemaHash: NONE,
  };
}
