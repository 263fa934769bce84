import { join } from "node:path";
import { ascending, overrideOf, VALIDITY } from "../../orchestrator/adjudication/act.ts";
import { intentKey, memoryOutbox } from "../../orchestrator/chain/outbox.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { chainTime } from "../../orchestrator/city/humans/order-caps.ts";
import { describeOrder } from "../../orchestrator/city/humans/order-words.ts";
import { readWaiting, writeWaiting } from "../../orchestrator/city/humans/waiting.ts";
import { type CityClient, createCityClient } from "../../orchestrator/client/client.ts";
import { contractAbis } from "../../orchestrator/client/contracts.ts";
import { wasExecuted } from "../../orchestrator/client/executed.ts";
import { justificationBytes } from "../../orchestrator/client/sign/codification.ts";
import { orderDigest } from "../../orchestrator/client/sign/order.ts";
import { walletJson } from "../../orchestrator/client/sign/wallet-json.ts";
import { AgentCityError, InvalidValue } from "../../orchestrator/primitives/errors.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import { type SignedOverride, signedOverrideJson, signedOverrideSchema } from "../../orchestrator/protocol/signed-override.ts";
import type { Draft } from "./arguments.ts";
import { type Office, type OfficeOptions, openOffice } from "./office.ts";
import { payerOf, type SignerOptions, signerOf } from "./signers.ts";

/** Options of every command that signs. */
export interface OrderOptions extends OfficeOptions, SignerOptions {
  readonly because?: string;
  readonly dryRun?: boolean;
  readonly signOnly?: boolean;
  readonly json?: boolean;
}

export class ReasonMissing extends AgentCityError {
  constructor() {
    super("ReasonMissing", "An order needs a reason, which is recorded with the signature", {
      action: '--because "what you saw, and why this follows"',
    });
  }
}

/** Outcome of an order. */
type Outcome =
  | { readonly status: "shown" }
  | { readonly status: "signed"; readonly file: string; readonly signatures: number; readonly needed: number }
  | { readonly status: "executed"; readonly transaction: Hash | null; readonly digest: Hash };

/** One human action: described, signed here, and relayed at once if one signature is enough. */
export async function give(options: OrderOptions, build: (office: Office) => Promise<Draft>): Promise<void> {
  if (options.because === undefined || options.because.trim() === "") throw new ReasonMissing();
  const { because } = options;
  await inOffice(options, async (office) => {
    const message = overrideOf({ ...(await build(office)), because }, (await chainTime(office)) + VALIDITY);
    const { chain, addresses } = office.client;
    return goOn(office, { chainId: chain.id, adjudication: addresses.AdjudicationProcedure, message, signatures: [] }, options);
  });
}

/** Adds this adjudicator's signature to an order begun by another. */
export async function countersign(file: string, options: OrderOptions): Promise<void> {
  await inOffice(options, (office) => goOn(office, readOrder(office, file), options));
}

/** Sends fully signed orders; several files of one order are merged. Anyone may. */
export async function relay(files: readonly string[], options: OrderOptions): Promise<void> {
  await inOffice(options, async (office) => {
    const [first, ...rest] = files.map((file) => readOrder(office, file));
    if (first === undefined) throw new InvalidValue("relay", "name at least one file");
    const signatures = new Map(first.signatures.map((each) => [each.adjudicator, each]));
    for (const other of rest) {
      if (digestIn(office, other) !== digestIn(office, first)) throw new InvalidValue("relay", "these files are not one order");
      for (const each of other.signatures) signatures.set(each.adjudicator, each);
    }
    const order = { ...first, signatures: [...signatures.values()] };
    process.stderr.write(`${await describeOrder(office, order)}\n`);
    return options.dryRun === true ? { status: "shown" } : send(office, order);
  });
}

/** Opens the office, prints the outcome of the order, closes the office. */
async function inOffice(options: OrderOptions, work: (office: Office) => Promise<Outcome>): Promise<void> {
  const office = await openOffice(options);
  try {
    const outcome = await work(office);
    if (options.json === true) process.stdout.write(`${JSON.stringify(outcome)}\n`);
    else process.stdout.write(`${renderOutcome(outcome)}\n`);
  } finally {
    await office.close();
  }
}

function renderOutcome(outcome: Outcome): string {
  if (outcome.status === "shown") return "nothing was signed";
  if (outcome.status === "executed") return `executed: ${outcome.transaction ?? "it had already been sent"}`;
  const { file, signatures, needed } = outcome;
  const next = signatures < needed ? `sign-only ${file} (${needed - signatures} more)` : `relay ${file}`;
  return `signed: ${file}\nnext: npm run override -- ${next}`;
}

/** Describes the order, signs it, then sends it or writes a file. */
async function goOn(office: Office, order: SignedOverride, options: OrderOptions): Promise<Outcome> {
  process.stderr.write(`${await describeOrder(office, order)}\n`);
  const { client } = office;
  if (options.dryRun === true) {
    process.stderr.write(`\n${walletJson(client, order.message)}\n`);
    return { status: "shown" };
  }
  const signer = await signerOf(client.chain.id, options);
  const own = { adjudicator: signer.address, signature: await signer.sign(client, order.message) };
  const signed = { ...order, signatures: [...order.signatures.filter(({ adjudicator }) => adjudicator !== signer.address), own] };
  const needed = Number(await client.adjudication.signaturesFor(order.message));
  if (options.signOnly !== true && signed.signatures.length >= needed) return send(office, signed);
  const file = writeWaiting(join(office.dir, "waiting", `${digestIn(office, signed).slice(2, 14)}.order.json`), signedOverrideJson(signed));
  return { status: "signed", file, signatures: signed.signatures.length, needed };
}

/** Sends the order unless it was already carried out; stores the reason where the city finds it. */
async function send(office: Office, order: SignedOverride): Promise<Outcome> {
  const { client, blocks } = office;
  const digest = digestIn(office, order);
  blocks.put(justificationBytes(order.message.because));
  await blocks.sync();
  if (await wasExecuted(client, order.message)) return { status: "executed", transaction: null, digest };
  const { adjudication } = payingClient(office);
  const receipt = await adjudication.act([order.message, ascending(order.signatures)], {
    intent: intentKey("override", digest),
    alreadyDone: () => wasExecuted(client, order.message),
  });
  return { status: "executed", transaction: receipt?.transactionHash ?? null, digest };
}

/** Sends transactions at this user's cost: they carry others' signatures, or need none. */
export function payingClient({ client }: Office): CityClient {
  const { chain, addresses } = client;
  const abis = Object.values(contractAbis);
  const sender = createSender({ chain, outbox: memoryOutbox(), relayers: [payerOf(chain.id)], abis });
  return createCityClient({ chain, addresses, sender });
}

function digestIn({ client }: Office, { message }: SignedOverride): Hash {
  return orderDigest(client, message);
}

/** An order for this city. */
function readOrder({ client }: Office, file: string): SignedOverride {
  const order = readWaiting(file, signedOverrideSchema);
  const { chain, addresses } = client;
  if (order.chainId !== chain.id || order.adjudication !== addresses.AdjudicationProcedure) {
    throw new InvalidValue(file, `is an order for ${order.adjudication} on chain ${order.chainId}, not for this city`);
  }
  return order;
}
