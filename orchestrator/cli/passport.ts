import type { z } from "zod";
import { hexOf } from "../city/audit/documents.ts";
import { isPassportCardSigned, type PassportCard, passportCardSchema } from "../clearing/passport-card.ts";
import { registryOf } from "../clearing/registry.ts";
import { type PublicKey, publicKeySchema, verifySignature } from "../clearing/signature.ts";
import { engineOf } from "../execution/clearing-record.ts";
import { passportOutput } from "../gateway/commands/passports.ts";
import { AgentCityError, InvalidValue } from "../primitives/errors.ts";
import type { Address } from "../primitives/hex.ts";
import { plainLine } from "../primitives/plain-text.ts";
import { accountOfKey } from "../primitives/recovery.ts";
import { askCity, gatewayOr } from "./ask-city.ts";
import { type Node, type OnChain, requireOnChain } from "./posted-passport.ts";

/** A city answered with a card that its engine did not sign, or with somebody else's. */
class CardRefused extends AgentCityError {
  constructor(subject: string, problem: string) {
    super("CardRefused", `The card of ${subject} is not to be relied on: ${problem}`, { action: "ask the city's operator" });
  }
}

export interface SignedPassport {
  readonly card: PassportCard;
  /** The account whose key signed it: who may be a runner of the city, its chain says. */
  readonly runner: string;
  readonly posted: z.output<typeof passportOutput>["posted"];
}

/** The card of an agent's passport from the gateway at this URL, once its signature holds. `at`: unix seconds. Throws CardRefused, or the city's refusal. */
export async function readPassport(url: string, subject: string, at?: number): Promise<SignedPassport> {
  const given = { subject, ...(at === undefined ? {} : { at }) };
  const { card: found, engine, posted } = await askCity(url, "get_passport", passportOutput, given);
  const card = passportCardSchema.parse(found);
  if (card.subject.toLowerCase() !== subject.toLowerCase()) throw new CardRefused(subject, "it is somebody else's");
  const key = publicKeySchema.parse(engine);
  const runner = runnerOf(subject, key);
  if (card.clearing_engine.toLowerCase() !== engineOf(runner).toLowerCase()) throw new CardRefused(subject, "its engine has another key");
  const registry = registryOf([{ id: card.clearing_engine, key, principal: runner, role: "engine" }]);
  if (!isPassportCardSigned(card, { registry, verify: verifySignature })) throw new CardRefused(subject, "its engine did not sign it");
  return { card, runner, posted };
}

function runnerOf(subject: string, key: PublicKey): string {
  try {
    return accountOfKey(hexOf(key));
  } catch {
    throw new CardRefused(subject, "its engine's key is no account's");
  }
}

export interface PassportOptions {
  readonly city?: string;
  readonly at?: number;
  readonly rpc?: string;
  readonly registry?: Address;
  readonly json?: boolean;
}

/** Prints the card of an agent's passport in a served city, and what was compared with the chain. */
export async function passport(subject: string, { city, at, rpc, registry, json = false }: PassportOptions): Promise<void> {
  if (rpc === undefined && registry !== undefined)
    throw new InvalidValue("--registry", "nobody is asked about it", { action: "add --rpc <url> of a node that you trust" });
  const url = gatewayOr(city);
  const found = await readPassport(url, subject, at);
  const onChain = rpc === undefined ? null : await requireOnChain(url, found, { rpc, registry } satisfies Node, at);
  const text = json ? `${JSON.stringify({ ...found, onChain, unchecked: uncheckedAfter(onChain) })}\n` : passportLines(found, onChain);
  process.stdout.write(text);
}

/** What a reader still relies on the city for. */
function uncheckedAfter(onChain: OnChain | null): readonly string[] {
  return [
    ...(onChain === null ? ["that the chain knows this runner and this posting: add --rpc <url> of a node that you trust"] : []),
    ...(onChain?.isNamedByCity === true
      ? [
          `that ${onChain.registry} is this city's EvidenceRegistry, as the city says: add --registry <address> from its founders' deployment.json`,
        ]
      : []),
    "that the engine's card says what final decisions come to: npm run audit -- <mission> shows it, from the bundles",
  ];
}

/** A card for people. `onChain`: what a node confirmed; null if none was asked. */
export function passportLines({ card, runner, posted }: SignedPassport, onChain: OnChain | null): string {
  const { period, record, fields, flagged } = card;
  const rows = [
    ["PASSPORT", card.subject],
    ["FROM", period.from],
    ["UNTIL", period.until],
    ...Object.entries(fields).map(([field, value]) => [field, String(value)]),
    ["verdicts", `${record.agreed} as decided, ${record.disagreed} otherwise${flagged ? "; flagged for drift" : ""}`],
    ["bases audited", `${record.audits}, of which ${record.mismatches} do not match`],
    ["SIGNED", `by the engine of runner ${runner}`],
    ["POSTED", `${posted.index} in block ${posted.block}`],
    ["CHECKED", "the engine's signature"],
    ...(onChain === null
      ? []
      : [
          ["CHECKED", `the runner is registered in ${onChain.registry}, by ${onChain.rpc} (chain ${onChain.chainId})`],
          ["CHECKED", "the passport is in the list that was posted there last, by the time asked for"],
        ]),
    ...uncheckedAfter(onChain).map((what) => ["NOT CHECKED", what]),
  ];
  return rows.map(([name = "", value = ""]) => `${plainLine(name).padEnd(28)}  ${plainLine(value)}\n`).join("");
}
