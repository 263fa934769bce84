import { InvalidValue } from "../../../orchestrator/primitives/errors.ts";
import { encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { PARAMETERS } from "../../../orchestrator/protocol/parameters.ts";
import { onCity } from "../arguments.ts";
import { give, type OrderOptions } from "../order.ts";

/** Changes a parameter of the constitution, in its own unit (docs/parameters.md). A HIGH-risk parameter needs two signatures. */
export async function amend(name: string, value: string, options: OrderOptions): Promise<void> {
  const parameter = PARAMETERS.find((each) => each.name === name.toUpperCase());
  if (parameter === undefined) throw new InvalidValue("parameter", `${name} is not in docs/parameters.md`);
  const { index, unit, min, max } = parameter;
  if (!/^\d{1,30}$/.test(value) || BigInt(value) < min || BigInt(value) > max) {
    throw new InvalidValue(parameter.name, `${value} is not from ${min} to ${max} ${unit}`);
  }
  await give(options, async () => onCity("AMEND_PARAMETER", { data: encodeActionData("AMEND_PARAMETER", [index, BigInt(value)]) }));
}
