import { AgentCityError } from "../primitives/errors.ts";

/** The city requested something that this agent did not decide. `field` names the difference. Nothing was signed. */
export class WillNotSign extends AgentCityError {
  readonly field: string;
  constructor(what: string, field: string, details?: string) {
    super("WillNotSign", `Refused ${what}: ${field} is not what this agent decided, or not what the chain says`, { details });
    this.field = field;
  }
}

/** The request exceeds what the owner allows without being asked. Nothing was signed. */
export class NeedsOwner extends AgentCityError {
  constructor(what: string, why: string) {
    super("NeedsOwner", `Declined ${what}: ${why}`, { action: "raise the bound in the limits file, or answer when the agent asks" });
  }
}

/** The city or its chain is not the one that this agent joined. `details` holds the evidence. */
export class AnotherCity extends AgentCityError {
  constructor(what: string, details?: string) {
    super("AnotherCity", `This is not the city that this agent joined: its ${what} is another`, {
      details,
      action: "ask its operator; to join it as a new city use another folder",
    });
  }
}

/** A contract or library of the city comes from a build that this program does not know. Nothing was signed. */
export class OtherCode extends AgentCityError {
  constructor(source: string, address: string, builds: readonly string[]) {
    super("OtherCode", `The contract at ${address} is not this version's ${source}`, {
      details: `compared with what the sources of this version compile to (${builds.join(", ")})`,
      action:
        "use the version that the city runs, if you trust it; from a checkout, `npm run compile -- --production` adds the build of real networks",
    });
  }
}

/** The city refused a request. */
export class CityRefused extends AgentCityError {
  /** Whether the same request may succeed later: the city is busy, has a fault of its own, or read the request too late. */
  readonly isPassing: boolean;
  constructor(status: number, code: string, message: string) {
    super("CityRefused", `The city refused (${status} ${code}): ${message}`);
    this.isPassing = status === 429 || status >= 500 || code === "Stale";
  }
}

/** No city answers at that address. */
export class CityAway extends AgentCityError {
  constructor(city: string, cause: unknown) {
    super("CityAway", `There is no city at ${city} now`, { cause, action: "check the address, or wait until its operator opens it" });
  }
}

/** Outside devnets the city's own RPC endpoint is not trusted. */
export class OwnRpcMissing extends AgentCityError {
  constructor(chainId: number) {
    super("OwnRpcMissing", `An agent on chain ${chainId} asks a node that its owner trusts, not the city's`, {
      action: "add --rpc <url> of a node of yours, or of a provider that you chose",
    });
  }
}
