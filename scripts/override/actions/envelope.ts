import { type ContractName, contractAbis } from "../../../orchestrator/client/contracts.ts";
import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import type { Hex } from "../../../orchestrator/primitives/hex.ts";
import { selectorIn } from "../../../orchestrator/primitives/selectors.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { officeIn, onCity, wholeIn } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Sets the functions that an office may call, and how often per session; it may not call any other. */
export async function envelope(office: string, most: string, functions: readonly string[], options: OrderOptions): Promise<void> {
  const data = encodeActionData("SET_ENVELOPE", [
    officeIn(office),
    wholeIn(most, "times per session", 0, 65_535),
    functions.map(selectorOf),
  ]);
  await give(options, async () => onCity("SET_ENVELOPE", { data }));
}

/** The selector of `Contract.function`, as in the envelopes of genesis. */
function selectorOf(text: string): Hex {
  const [contract = "", name = ""] = text.split(".");
  if (!(contract in contractAbis))
    throw new InvalidValue("function", `${text}: no contract ${contract}; LegislativeProcedure.openDebate is one`);
  const selector = selectorIn(contractAbis[contract as ContractName], name);
  if (selector === undefined) throw new InvalidValue("function", `${contract} has no function ${name}`);
  return selector;
}
