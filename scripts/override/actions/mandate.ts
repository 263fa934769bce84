import { zeroHash } from "viem";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { CODIFIER_OPERATIONS, operationId } from "../../../orchestrator/protocol/operations.ts";
import { hashIn, officeIn, onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

export interface MandateOptions extends OrderOptions {
  /** Whether results must come with an intermediate one. */
  readonly intermediate?: boolean;
  /** Hash of the schema of its results. */
  readonly schema?: string;
}

/** Assigns an office's operation to another service; open sessions may finish with the former one. */
export async function mandate(office: string, operation: string, service: string, options: MandateOptions): Promise<void> {
  const known = CODIFIER_OPERATIONS.find((name) => name === operation);
  const data = encodeActionData("SET_MANDATE", [
    officeIn(office),
    known === undefined ? hashIn(operation, "operation") : operationId(known),
    hashIn(service, "service"),
    options.intermediate ?? false,
    options.schema === undefined ? zeroHash : hashIn(options.schema, "schema"),
  ]);
  await give(options, async () => onCity("SET_MANDATE", { data }));
}
