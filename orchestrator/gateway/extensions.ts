import { TEMPLATES } from "../agreements/index.ts";
import { agentExtension, CLAIM_TYPES } from "../attestation/index.ts";
import type { JsonObject } from "../primitives/json.ts";
import { CLAIM_WINDOW, CLAIMS_PATH } from "./claim-desk.ts";
import type { Command } from "./command.ts";

/** URI of the extension by which a city declares that it keeps agreements (docs/agreements.md). */
export const AGREEMENTS_EXTENSION = "https://agentcity.dev/extensions/agreements/v1";

/** A supported A2A extension, which clients may ignore. */
export interface Extension {
  readonly uri: string;
  readonly description: string;
  readonly params: JsonObject;
  /** Commands whose answers use the extension. */
  readonly commands: readonly string[];
}

/** What of a city's configuration its extensions declare. */
export interface Declared {
  /** URI schemes of sources that claims are checked against. */
  readonly claimSources: readonly string[];
  /** Schemes by which agreements may name a party. */
  readonly identitySchemes: readonly string[];
}

/** Extensions declared in a card. */
export function extensionsOf(commands: readonly Command[], url: string, declared: Declared): readonly Extension[] {
  return [claimsExtension(commands, url, declared.claimSources), agreementsExtension(commands, url, declared.identitySchemes)];
}

/** Pramana: endpoints, kinds of claims, time limit, and sources. */
function claimsExtension(commands: readonly Command[], url: string, sources: readonly string[]): Extension {
  const { uri, description, params } = agentExtension({
    verify_endpoint: `${url}${CLAIMS_PATH}/verify`,
    audit_endpoint: `${url}${CLAIMS_PATH}/audit`,
    claim_types: [...CLAIM_TYPES],
    source_schemes: [...sources],
    signature_alg: "ed25519",
    sla_window_ms: CLAIM_WINDOW,
  });
  return { uri, description, params, commands: commands.filter(({ group }) => group === "Claims").map(({ name }) => name) };
}

/** ASA agreements, version 1: endpoints, commands, service types, signatures, and escrow. */
function agreementsExtension(commands: readonly Command[], url: string, schemes: readonly string[]): Extension {
  const own = commands.filter(({ group }) => group === "Agreements").map(({ name }) => name);
  return {
    uri: AGREEMENTS_EXTENSION,
    description: "Negotiates, signs, judges and settles service agreements (ASA, version 1) by signed acts.",
    commands: own,
    params: {
      asa_version: "1.0.0",
      agreements_endpoint: `${url}/v1/agreements`,
      commands: own,
      service_types: TEMPLATES.map(({ type }) => type),
      identity_schemes: [...schemes],
      signature_algs: ["ed25519", "secp256k1"],
      bindings: ["erc8183", "x402", "http_callback"],
    },
  };
}

/** Supported extensions among those in a client's A2A-Extensions header. */
export function activatedIn(header: string | undefined, known: readonly Extension[]): readonly Extension[] {
  const named = (header ?? "").split(",").map((each) => each.trim());
  return known.filter(({ uri }) => named.includes(uri));
}
