/**
 * A rule refused its input. `code` and `values` are those of the Solidity twin's custom error, so that a refusal reads the same
 * whether the chain or this process made it. The rules import nothing of the house, hence not AgentCityError.
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
