import { z } from "zod";
import { catalogSchemas } from "../city/founding/services.ts";
import { timeOf } from "../clearing/fields.ts";
import type { CityClient } from "../client/client.ts";
import { recompileLaw } from "../client/compile-law.ts";
import { envelopeRootOf } from "../client/openings.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { boundService, type NodeView, viewNodes } from "../execution/chain-view.ts";
import { resultFrom } from "../execution/consensus.ts";
import type { SignedItem } from "../execution/evidence.ts";
import { takesReceipts } from "../execution/obligation.ts";
import type { ServiceSchemas } from "../execution/sandbox/run.ts";
import { openWork } from "../execution/sealed-work.ts";
import { isIssued } from "../execution/vouched.ts";
import { composeInput, itemsDigest, outputHashOf } from "../execution/work.ts";
import type { Mission } from "../execution/world.ts";
import { keccak256, parseContentId } from "../primitives/hash.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { isObject, type JsonObject, parseJsonBytes } from "../primitives/json.ts";
import { CALLS, type Call, type CallName, type CallRequest, type SeatRole } from "../protocol/calls.ts";
import { soldAs } from "../protocol/sold-as.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { WillNotSign } from "./errors.ts";
import { requireSame, type UncheckedMessage } from "./same.ts";

/** Longest validity that an agent gives a bid or a withdrawal, seconds of chain time. */
export const DAY = 86_400n;
/** The same for every other signature. A devnet's clock may be as far ahead of its last block. */
export const HOUR = 3_600n;

/** Withdraws what the vault owes this key, to itself. */
export async function withdrawalOf(
  { client, account }: { readonly client: CityClient; readonly account: Parameters<typeof signMessage>[1] },
  grounds: Grounds,
  { mission, message }: Pick<CallRequest<"sign">, "mission" | "message">,
): Promise<Hex> {
  const by = account.address;
  const nonce = await client.treasury.nonceOf(by);
  const own = { account: by, by, to: by, nonce, deadline: await grounds.deadline("Withdrawal", message, DAY) };
  requireSame("Withdrawal", mission, null, message, own);
  return signMessage(client, account, "Withdrawal", own);
}

/** A node that a request is about, in its current attempt. */
interface NodeAt {
  readonly mission: Address;
  readonly node: number;
  readonly attempt: number;
}

/** Parses the payload of a call. Throws WillNotSign for a kind that this role does not answer. */
export function questionIn(role: SeatRole, { kind, payload }: Pick<Call, "kind" | "payload">) {
  const of: readonly SeatRole[] = CALLS[kind].of;
  if (!of.includes(role)) throw new WillNotSign(kind, "its kind");
  return <Kind extends CallName>(name: Kind): CallRequest<Kind> => {
    const parsed = CALLS[name].request.safeParse(payload);
    if (!parsed.success) throw new WillNotSign(name, "the form of the question", z.prettifyError(parsed.error).slice(0, 500));
    return parsed.data as CallRequest<Kind>;
  };
}

/** The facts behind every answer, read from the owner's own chain and from content-addressed blocks. */
export class Grounds {
  readonly #client: CityClient;
  readonly #block: (id: string) => Promise<Uint8Array>;

  constructor({ client, block }: { readonly client: CityClient; readonly block: (id: string) => Promise<Uint8Array> }) {
    this.#client = client;
    this.#block = block;
  }

  /** Reads a block. Throws InvalidValue for an invalid id. */
  async read(id: string): Promise<Uint8Array> {
    return this.#block(parseContentId(id));
  }

  /** A mission contract that this city's legislature deployed. */
  async lawOf(mission: Address, what: string) {
    const [approved] = await this.#client.legislation.history("Approved", { mission });
    if (approved === undefined) throw new WillNotSign(what, "mission", "no legislature of this city made it");
    return this.#client.mission(mission);
  }

  /** A node with the law's document, proven against the chain. */
  async nodeAt({ mission: address, node, attempt }: NodeAt, document: string, what: string) {
    const contract = await this.lawOf(address, what);
    const law = recompileLaw(await this.read(document));
    const [lawHash, { docHash, sponsor }] = await Promise.all([contract.lawHash(), contract.context()]);
    if (law.lawHash !== lawHash || law.docHash !== docHash) throw new WillNotSign(what, "document");
    const mission: Mission = { address, sponsor, document: law.document, items: [] };
    const views = await viewNodes({ client: this.#client }, mission);
    const view = views.find((each) => each.law.number === node);
    if (view === undefined) throw new WillNotSign(what, "node");
    if (view.attempt !== attempt) throw new WillNotSign(what, "attempt");
    return { mission, view, views };
  }

  /** The mission's items, checked against the law's digest. */
  async itemsOf({ document }: Mission, block: string, what: string): Promise<Mission["items"]> {
    const items = z.array(z.looseObject({ id: z.string() })).parse(parseJsonBytes(await this.read(block))) as Mission["items"];
    if (itemsDigest(items) !== document.input.digest) throw new WillNotSign(what, "items");
    return items;
  }

  /** A node's input, rebuilt: items checked against the law's digest, predecessors' results against what was revealed on chain. */
  async inputOf(
    mission: Mission,
    view: NodeView,
    request: Pick<CallRequest<"perform">, "items" | "upstream">,
    what: string,
  ): Promise<JsonObject> {
    const client = this.#client;
    const items = await this.itemsOf(mission, request.items, what);
    const views = await viewNodes({ client }, mission);
    const revealed = (await client.mission(mission.address).history("Revealed")).map(({ args }) => args);
    const bound = (await client.mission(mission.address).history("ExecutorBound")).map(({ args }) => args);
    const results: Parameters<typeof composeInput>[2][number][] = [];
    const contract = client.mission(mission.address);
    if (request.upstream.length !== view.law.after.length) throw new WillNotSign(what, "upstream");
    for (const number of view.law.after) {
      const before = views.find((each) => each.law.number === number);
      const given = request.upstream.find((each) => each.node === number);
      if (before === undefined || before.state !== "COMPLETED") throw new WillNotSign(what, "upstream", "a predecessor is not complete");
      const own = revealed.filter((each) => each.node === number && each.attempt === before.attempt);
      const named = [...(given?.outputs ?? []), ...(given?.unread ?? [])];
      if (given === undefined || named.length !== own.length || new Set(named.map(({ slot }) => slot)).size !== own.length)
        throw new WillNotSign(what, "upstream");
      const works = await Promise.all(
        given.outputs.map(async ({ slot, output: id }) => {
          const { output, outputHash } = await this.objectOf(id, "upstream", what);
          if (own.find((each) => each.slot === slot)?.outputHash !== outputHash) throw new WillNotSign(what, "upstream");
          return { slot, output, outputHash, handed: outputHash, exhibits: [] };
        }),
      );
      for (const { slot, sealed, items } of given.unread) {
        const opening = own.find((each) => each.slot === slot);
        const place = { obligation: await contract.obligationOf(number), slot, items };
        if (opening === undefined || !takesReceipts(before.law) || envelopeRootOf(place.obligation, items) !== opening.envelopeRoot)
          throw new WillNotSign(what, "upstream");
        const { output } = await this.sealedWork(sealed, place, opening, what);
        if (output !== undefined) throw new WillNotSign(what, "upstream", "work is left out that can be read");
      }
      works.sort((a, b) => a.slot - b.slot);
      const nameOf = await this.#serviceNames(bound.filter((each) => each.node === number));
      const { output, dissent } = resultFrom(before, works, (slot) => nameOf(slot));
      results.push({ number, output, dissent });
    }
    return composeInput({ ...mission, items }, view.law, results);
  }

  /** An output with its hash, which must be known to the chain. */
  async objectOf(id: string, field: string, what: string) {
    const output = parseJsonBytes(await this.read(id));
    if (!isObject(output)) throw new WillNotSign(what, field);
    return { output, outputHash: outputHashOf(output) };
  }

  /** Sealed work with a signed receipt, decrypted with the revealed opening. Without an output if the opening does not decrypt it. */
  async sealedWork(
    id: string,
    { items, ...place }: { readonly obligation: Hash; readonly slot: number; readonly items: readonly SignedItem[] },
    opening: Parameters<typeof openWork>[2] & { readonly outputHash: Hash },
    what: string,
  ) {
    const bytes = await this.read(id);
    const handed = keccak256(bytes);
    // Otherwise anything could be passed off as what was handed in.
    if (!items.some(({ payload }) => payload === handed)) throw new WillNotSign(what, "works", "nobody received these bytes");
    return { output: openWork(bytes, place, opening)?.output, outputHash: opening.outputHash, handed };
  }

  /** Schemas of the service that a slot's executor is bound to, from the catalogue, if the chain confirms them. */
  async schemasOf(
    mission: Pick<Mission, "address">,
    view: Pick<NodeView, "law" | "attempt">,
    slot: number,
  ): Promise<ServiceSchemas | undefined> {
    const service = await boundService({ client: this.#client }, mission, view, { slot });
    const registered = await this.#client.services.history("ServiceRegistered");
    const found = registered.find(({ args }) => args.service === service)?.args;
    return found === undefined ? undefined : catalogSchemas(found.endpoint, found.schemaHash);
  }

  /** By slot, the catalogue name of the service that its executor bound. */
  async #serviceNames(bound: readonly { readonly slot: number; readonly service: Hash }[]): Promise<(slot: number) => string> {
    const registered = await this.#client.services.history("ServiceRegistered");
    const names = new Map(registered.map(({ args }) => [args.service, soldAs(args)]));
    return (slot) => names.get(bound.findLast((each) => each.slot === slot)?.service ?? "0x") ?? "absent";
  }

  /** Throws unless registered issuers signed these items, in this order, for one slot's work. */
  async requireEvidence(
    { mission, slot, obligation }: { readonly mission: Address; readonly slot: number; readonly obligation: Hash },
    items: readonly SignedItem[],
    what: string,
  ): Promise<void> {
    for (const [index, item] of items.entries()) await this.requireIssued({ mission, slot, obligation }, item, index, what);
  }

  /** The same for one item at its position. */
  async requireIssued(
    { mission, slot, obligation }: { readonly mission: Address; readonly slot: number; readonly obligation: Hash },
    item: SignedItem,
    index: number,
    what: string,
  ): Promise<void> {
    if (item.index !== index || item.slot !== slot) throw new WillNotSign(what, "items");
    if (!(await this.#client.evidence.mayIssue(item.issuer, EvidenceClass[item.class])))
      throw new WillNotSign(what, "items", "no issuer of this city");
    if (!(await isIssued(this.#client, mission, obligation, item))) throw new WillNotSign(what, "items", "its issuer did not sign it");
  }

  /** Chain time of the last block, seconds. */
  async now(): Promise<bigint> {
    return (await this.#client.chain.publicClient.getBlock()).timestamp;
  }

  /** Checks a message's deadline. Throws if it has passed or is more than `most` seconds (plus a devnet's hour) ahead. */
  async deadline(what: string, message: UncheckedMessage, most: bigint): Promise<number> {
    const deadline = Number(message["deadline"]);
    const now = await this.now();
    if (!Number.isSafeInteger(deadline) || BigInt(deadline) > now + most + HOUR || BigInt(deadline) <= now)
      throw new WillNotSign(what, "deadline");
    return deadline;
  }

  /** A time that is neither long past nor far ahead of chain time. */
  async recent(what: string, time: unknown): Promise<string> {
    const seconds = typeof time === "string" ? Date.parse(time) / 1_000 : Number.NaN;
    const now = Number(await this.now());
    if (typeof time !== "string" || !(Math.abs(seconds - now) <= Number(DAY)) || (!time.includes(".") && time !== timeOf(seconds)))
      throw new WillNotSign("to seal", what);
    return time;
  }
}
