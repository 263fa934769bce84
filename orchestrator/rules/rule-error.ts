/**
 * A rule refused its input. `code` and `values` equal those of the Solidity twin's custom error, so that a refusal is the same on chain and
 * in this process. The rules import nothing from other folders, so this is not an AgentCityError.
 */
export class RuleError extends Error {
  readonly code: string;
  readonly values: readonly (bigint | number | string)[];

  constructor(code: string, ...values: readonly (bigint | number | string)[]) {
    super(`${code}(${values.join(", ")})`);
    this.name = code;
    this.code = code;
    this.values = values;
  }
}
