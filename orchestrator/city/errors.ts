import type { Verification } from "../../deploy/deployment.ts";
import { AgentCityError } from "../primitives/errors.ts";

/** The on-chain law differs from what genesis was asked for. */
export class GenesisMismatch extends AgentCityError {
  readonly verification: Verification;
  constructor(verification: Verification) {
    const findings = verification.checks.flatMap(({ name, findings: found }) =>
      found.map(({ subject, expected, found: actual }) => `${name}: ${subject}: expected ${expected}, found ${actual}`),
    );
    super("GenesisMismatch", "The deployed constitution differs from the requested one", {
      details: findings.join("\n"),
      action: "do not use this city: found another with a fresh deployer and an empty AGENTCITY_HOME",
    });
    this.verification = verification;
  }
}

/** Founding needs more than its deployer has. Nothing was sent. */
export class FounderLacks extends AgentCityError {
  constructor(deployer: string, needed: string, held: string) {
    super("FounderLacks", `The deployer cannot found the city: it needs ${needed}`, {
      details: `${deployer} has ${held}`,
      action: "send it more and run the command again",
    });
  }
}

/** An embedded chain executes all its blocks whenever it is opened: beyond a number of them no mission begins there. */
export class ChainFull extends AgentCityError {
  constructor(blocks: number, most: number) {
    super("ChainFull", `This embedded chain has ${blocks} blocks and accepts no new mission; missions in progress continue`, {
      details: `at most ${most} blocks`,
      action: "found a new city with npm start, or one that stays on its own Anvil: npm run city -- --network anvil",
    });
  }
}
