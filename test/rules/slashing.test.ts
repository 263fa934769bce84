import { readFileSync } from "node:fs";
import { expect } from "chai";
import { FINES } from "../../orchestrator/rules/slashing.ts";

const SCHEDULE = new URL("../../contracts/libraries/SlashingSchedule.sol", import.meta.url);
/** The schedule calls the fine for a confirmed freeze after the node. */
const NAMES = { TIMEOUT: "TIMEOUT", NODE_FAILURE: "FREEZE_CONFIRMED", CODE_HASH_MISMATCH: "CODE_HASH_MISMATCH" } as const;

describe("fines", () => {
  it("are those of the contracts", () => {
    const source = readFileSync(SCHEDULE, "utf8");
    const told = Object.entries(NAMES).map(([name, reason]) => {
      const [, amount = ""] = new RegExp(`constant ${name} = ([\\d_]+);`).exec(source) ?? [];
      return [reason, BigInt(amount.replaceAll("_", ""))];
    });
    expect(FINES).to.deep.equal(Object.fromEntries(told));
  });
});
