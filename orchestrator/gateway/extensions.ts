import { TEMPLATES } from "../agreements/index.ts";
import { agentExtension, CLAIM_TYPES } from "../attestation/index.ts";
import type { JsonObject } from "../primitives/json.ts";
import { CLAIM_WINDOW, CLAIMS_PATH } from "./claim-desk.ts";
import type { Command } from "./command.ts";

/** Names the extension by which a city says that it keeps agreements (docs/agreements.md). */
export const AGREEMENTS_EXTENSION = "https://agentcity.dev/extensions/agreements/v1";

/** An extension of A2A that a city knows: whoever does not loses nothing. */
export interface Extension {
  readonly uri: string;
  readonly description: string;
  readonly params: JsonObject;
  /** The commands whose answers are the extension's. */
  readonly commands: readonly string[];
}

/** What a card declares. `sources`: schemes of sources that claims are checked against. */
export function extensionsOf(commands: readonly Command[], url: string, sources: readonly string[]): readonly Extension[] {
  return [claimsExtension(commands, url, sources), agreementsExtension(commands, url)];
}

/** Pramana: where claims are checked and read, which and by when, and against what. */
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

/** Agreements of ASA, version 1: where, by which commands, about what, signed how, and where their money may lie. */
function agreementsExtension(commands: readonly Command[], url: string): Extension {
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
      identity_schemes: ["w3c_did"],
      signature_algs: ["ed25519", "secp256k1"],
      bindings: ["erc8183", "x402"],
    },
  };
}

/** Of the extensions that a client names in its A2A-Extensions, those that are known here. */
export function activatedIn(header: string | undefined, known: readonly Extension[]): readonly Extension[] {
  const named = (header ?? "").split(",").map((each) => each.trim());
  return known.filter(({ uri }) => named.includes(uri));
}
