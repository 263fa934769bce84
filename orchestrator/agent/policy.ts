import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Item } from "../../services/shared/contract.ts";
import { contentMatches, envelopeSchema } from "../clearing/evidence-envelope.ts";
import { obligationHash } from "../clearing/obligation.ts";
import type { CityClient } from "../client/client.ts";
import { parametersOf } from "../client/editions.ts";
import { readMany } from "../client/read.ts";
import { signSessionMessage } from "../client/sign/session-message.ts";
import { type Message, signMessage } from "../client/sign/sign-message.ts";
import { isOver, missionState, type NodeView } from "../execution/chain-view.ts";
import { inferenceClaim, receiptClaim } from "../execution/claims.ts";
import { bytesUnder, type ClearingDocument, claimArtifact } from "../execution/clearing-record.ts";
import { openingOf, type SignedItem } from "../execution/evidence.ts";
import { takesReceipts, termsOfNode } from "../execution/obligation.ts";
import { termsAt } from "../execution/obligations.ts";
import { itemsProblem } from "../execution/sandbox/items-problem.ts";
import { DEFAULT_LIMITS, type SandboxLimits } from "../execution/sandbox/limits.ts";
import type { Sandbox } from "../execution/sandbox/run.ts";
import { type FinishedWork, finishedSchema, sealWork } from "../execution/sealed-work.ts";
import type { Performed } from "../execution/seat.ts";
import { type HandedIn, outputHashOf } from "../execution/work.ts";
import type { RegisteredService } from "../execution/world.ts";
import { RISKS } from "../minds/goal.ts";
import { type Mind, offerSchema } from "../minds/mind.ts";
import { addressSchema } from "../primitives/address.ts";
import { contentIdOf, keccak256, sha256 } from "../primitives/hash.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { bytesToHex, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, isObject, type JsonObject, type JsonValue } from "../primitives/json.ts";
import { compileSchema, describeProblem } from "../primitives/json-schema.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import { TIER } from "../primitives/tier.ts";
import { CALLS, type Call, type CallAnswer, type CallRequest } from "../protocol/calls.ts";
import { evidenceKinds } from "../protocol/evidence.ts";
import { isSessionMessage } from "../protocol/session-calls.ts";
import { commitmentOf, type Opening } from "../rules/commitments.ts";
import { placeKey } from "../rules/wire.ts";
import { NeedsOwner, WillNotSign } from "./errors.ts";
import { DAY, Grounds, HOUR, questionIn, withdrawalOf } from "./grounds.ts";
import type { Limits } from "./limits.ts";
import type { Memory } from "./memory.ts";
import { requireSame, same, type UncheckedMessage } from "./same.ts";
import { Voter } from "./voter.ts";

/** A node's input, for handlers that produce the output themselves. */
export interface Work {
  /** The node's label, for display. */
  readonly label: string;
  /** Catalogue name. */
  readonly service: string;
  readonly input: JsonObject;
  /** All items to work on; ids are unique. */
  readonly items: readonly Item[];
}

/** A question to the owner, before the agent proceeds. */
export interface OwnersQuestion {
  readonly kind: "bid";
  readonly mission: Address;
  readonly node: number;
  readonly service: string;
  /** Smallest unit. */
  readonly price: bigint;
  /** Locked behind the bid, smallest unit. */
  readonly stake: bigint;
}
/** Obtains the owner's answer by any means: a terminal, a page, a message. */
export type AskOwner = (question: OwnersQuestion) => Promise<boolean>;

export interface PolicyOptions {
  readonly client: CityClient;
  readonly account: Parameters<typeof signMessage>[1];
  readonly seal: ByteSigner;
  readonly principal: Address;
  readonly mind: Mind;
  /** Produces outputs that no issuer re-executes. Default: the service's own code. */
  readonly perform?: ((work: Work) => unknown) | undefined;
  readonly services: readonly RegisteredService[];
  readonly limits: Limits;
  readonly askOwner?: AskOwner | undefined;
  readonly sandbox: Sandbox;
  readonly memory: Memory;
  readonly block: (id: string) => Promise<Uint8Array>;
  readonly putBlock: (bytes: Uint8Array) => Promise<string>;
}

const offered = z.strictObject({ service: z.string(), price: z.string() });
const worked = z.strictObject({
  status: z.literal("ok"),
  /** Hash of the request: a different request does not get this answer. */
  asked: hashSchema,
  service: hashSchema,
  document: z.string(),
  inputSha: hashSchema,
  outputId: z.string(),
  outputHash: hashSchema,
  /** What was handed in, if it is not the plain output. */
  sealed: z.strictObject({ id: z.string(), hash: hashSchema }).optional(),
  trail: z.array(hashSchema),
  tools: z.int(),
  messages: z.int(),
});
const failed = z.strictObject({ status: z.literal("failed"), asked: hashSchema, details: z.string() });
const workSchema = z.discriminatedUnion("status", [worked, failed]);
type Done = z.infer<typeof worked>;
const pledgedSchema = z.strictObject({ salt: hashSchema, obligation: hashSchema, items: z.json(), commitment: hashSchema });
const sealedSchema = z.strictObject({ signature: z.string() });

/** The bytes that were handed in. */
function handedOf({ sealed, outputId: id, outputHash: hash }: Done): Pick<HandedIn, "id" | "hash"> {
  return sealed ?? { id, hash };
}

type Place = Pick<CallRequest<"pledge">, "mission" | "node" | "attempt" | "slot">;
const placeOf = ({ mission, node, attempt, slot }: Place) => [mission, node, attempt, slot] as const;

/**
 * How a producer answers: it rebuilds every message and input from its own chain and memory, and signs only what it built. Throws
 * WillNotSign, with the difference, for a request that names anything else.
 */
export class Policy {
  readonly #of: PolicyOptions;
  readonly #voter: Voter;
  readonly #grounds: Grounds;
  /** Nonces of bids that are not on chain yet, by place. */
  readonly #signedBids = new Map<string, bigint>();

  constructor(options: PolicyOptions) {
    this.#of = options;
    this.#grounds = new Grounds(options);
    this.#voter = new Voter(options);
  }

  /** Answers a call. Throws WillNotSign, or the error of a chain or city that could not be reached. */
  async answer(call: Pick<Call, "kind" | "payload">): Promise<JsonValue> {
    const read = questionIn("producer", call);
    switch (call.kind) {
      case "bid":
        return z.json().parse(await this.#bid(read("bid")));
      case "perform":
        return z.json().parse(await this.#perform(read("perform")));
      case "pledge":
        return { commitment: (await this.#pledged(read("pledge"), "pledge")).commitment };
      case "open":
        return z.json().parse(await this.#open(read("open")));
      case "sign":
        return { signature: await this.#sign(read("sign")) };
      case "seal":
        return { signature: await this.#seal(read("seal")) };
      case "draft":
        return z.json().parse(await this.#voter.draft(read("draft")));
      case "speak":
        return this.#voter.speak(read("speak"));
      case "rank":
        return this.#voter.rank(read("rank"));
      default:
        throw new WillNotSign(call.kind, "its kind");
    }
  }

  get #self(): Address {
    return this.#of.account.address;
  }

  /** Bids within the owner's limits, for nodes that match the chain. */
  async #bid(request: CallRequest<"bid">): Promise<CallAnswer<"bid">> {
    const { client, mind, limits, memory } = this.#of;
    const { mission } = request;
    const law = await this.#grounds.lawOf(mission, "bid");
    await this.#requireWelcome(mission);
    const parameters = await parametersOf(client, mission);
    const of = { contract: "CollaborationContract", address: mission, functionName: "nodeLaw" } as const;
    const laws = await readMany(client, { ...of, args: request.nodes.map(({ node }) => [node] as const) });
    const nodes = await Promise.all(
      request.nodes.map(async (asked, place) => {
        const own = laws[place];
        if (own === undefined) throw new WillNotSign("bid", "node");
        const risk = RISKS[own.risk] ?? "HIGH";
        const capabilities = asked.capabilities.map((_, place) => Number((own.capabilities >> BigInt(8 * place)) & 255n));
        const stake = await parameters.units(`MIN_STAKE_${risk}`);
        const truth = {
          tier: own.tier,
          redundancy: own.redundancy,
          risk,
          slotBudget: String(own.budget / BigInt(own.redundancy)),
          stake: String(stake),
          capabilities,
        };
        same("bid", asked, truth);
        return { ...asked, slotBudget: BigInt(asked.slotBudget), stake, services: asked.services.filter((name) => this.#sells(name)) };
      }),
    );
    const { held, locked } = await client.agents.stakeOf(this.#self);
    const free = held > locked ? held - locked : 0n;
    const freeStake = least(BigInt(request.freeStake), free, limits.mostStake);
    const made = z.array(offerSchema).parse(await mind.bid({ self: this.#self, mission, nodes, producers: request.producers, freeStake }));
    const within = made.filter(({ price }) => price >= limits.leastPrice).slice(0, limits.mostNodes);
    let behind = 0n;
    let refused: NeedsOwner | undefined;
    const offers: CallAnswer<"bid"> = [];
    for (const { node, service, price } of within) {
      const open = nodes.find((each) => each.node === node);
      if (open === undefined || !open.services.includes(service) || price > open.slotBudget) continue;
      if (!limits.risks.includes(open.risk)) continue;
      if (behind + open.stake > freeStake) break;
      if (open.stake > limits.askAbove && !(await this.#allows({ kind: "bid", mission, node, service, price, stake: open.stake }))) {
        refused = new NeedsOwner("bid", `${open.stake} units of stake behind node ${node} are more than it may lock unasked`);
        continue;
      }
      behind += open.stake;
      const { attempt } = await law.nodeOf(node);
      offers.push({
        node,
        ...(await memory.keep(["bid", mission, node, attempt], offered, async () => ({ service, price: String(price) }))),
      });
    }
    if (offers.length === 0 && refused !== undefined) throw refused;
    if (offers.length > 0) await memory.keep(["mission", mission], addressSchema, async () => mission);
    return offers;
  }

  async #allows(question: OwnersQuestion): Promise<boolean> {
    return (await this.#of.askOwner?.(question)) === true;
  }

  /** Throws NeedsOwner for a sponsor that the owner refuses, and when the agent is in too many missions. */
  async #requireWelcome(mission: Address): Promise<void> {
    const { client, limits, memory } = this.#of;
    const { sponsor } = await client.mission(mission).context();
    if (limits.notFor.includes(sponsor)) throw new NeedsOwner("bid", "its owner does not work for this sponsor");
    const known = memory.all("mission", addressSchema).filter((each) => each !== mission);
    const states = await Promise.all(known.map((address) => missionState({ client }, { address })));
    const running = states.filter((state) => !isOver(state)).length;
    if (running >= limits.mostMissions) throw new NeedsOwner("bid", `it is in ${running} missions already`);
  }

  /** Runs one of its own services on an input that it rebuilt. */
  async #perform(request: CallRequest<"perform">): Promise<CallAnswer<"perform">> {
    const { memory, putBlock } = this.#of;
    const asked = keccak256(canonicalBytes(request));
    const done = await memory.keep(["work", ...placeOf(request)], workSchema, async (): Promise<z.infer<typeof workSchema>> => {
      const { mission, view, slot } = await this.#place(request, request.document, "perform");
      if (slot.pledge !== request.service) throw new WillNotSign("perform", "service");
      const service = this.#of.services.find(({ id }) => id === request.service);
      if (service === undefined) throw new WillNotSign("perform", "service", "this agent does not sell it");
      const input = await this.#grounds.inputOf(mission, view, request, "perform");
      if (keccak256(canonicalBytes(input)) !== request.inputHash) throw new WillNotSign("perform", "inputHash");
      const limits = {
        wallClockMs: Math.min(DEFAULT_LIMITS.wallClockMs, 1_000 * view.law.timeout),
        tools: request.tools,
        messages: request.messages,
      };
      const run = await this.#made(view, service, input, limits);
      if (run.status === "failed" || !isObject(run.output))
        return {
          status: "failed",
          asked,
          details: run.status === "failed" ? `${run.kind}: ${run.details}`.slice(0, 4_000) : "the output is not an object",
        };
      const made: FinishedWork = { output: run.output, trail: run.trail };
      const finished = takesReceipts(view.law) ? await this.#finished(request, made, asked) : made;
      const outputHash = outputHashOf(finished.output);
      const bytes = canonicalBytes(finished.output);
      const sealed = takesReceipts(view.law) ? await this.#sealed(request, finished) : undefined;
      return {
        status: "ok",
        ...(sealed === undefined ? {} : { sealed }),
        asked,
        service: request.service,
        document: request.document,
        inputSha: sha256(canonicalBytes(input)),
        outputId: sealed === undefined ? await putBlock(bytes) : contentIdOf(bytes),
        outputHash,
        trail: [...finished.trail],
        tools: run.tools,
        messages: run.messages,
      };
    });
    if (done.asked !== asked) throw new WillNotSign("perform", "the question", "it did this work under another one");
    if (done.status === "failed") return { status: "failed", details: done.details };
    const { sealed, outputId, trail, tools, messages } = done;
    return sealed === undefined
      ? { status: "ok", output: outputId, trail, tools, messages }
      : { status: "sealed", work: sealed.id, tools, messages };
  }

  /**
   * The work sealed for this place: the first that was finished, written to disk before it is sealed. Its salt encrypts one plaintext only,
   * since two under one key and nonce would reveal each other; a rerun with another result is therefore not sealed.
   */
  async #finished(place: Place, work: FinishedWork, asked: Hash): Promise<FinishedWork> {
    const made = async () => ({ ...finishedSchema.parse(work), asked });
    const kept = await this.#of.memory.keep(["finished", ...placeOf(place)], finishedSchema.extend({ asked: hashSchema }), made);
    if (kept.asked !== asked) throw new WillNotSign("perform", "the question", "it did this work under another one");
    return { output: kept.output, trail: kept.trail };
  }

  /** Encrypts work for the parties to whom its commitment is opened. */
  async #sealed(place: Place, work: FinishedWork): Promise<{ readonly id: string; readonly hash: Hash }> {
    const obligation = await this.#of.client.mission(place.mission).obligationOf(place.node);
    const bytes = sealWork(work, { salt: await this.#saltOf(place, obligation), obligation, slot: place.slot });
    return { id: await this.#of.putBlock(bytes), hash: keccak256(bytes) };
  }

  /** The salt, written to disk before anything that depends on it leaves this machine. */
  #saltOf(place: Place, obligation: Hash): Promise<Hash> {
    return this.#of.memory.keep(["salt", ...placeOf(place), obligation], hashSchema, async () => bytesToHex(randomBytes(32)));
  }

  /** A node's output: from the owner's handler where no issuer re-executes it, otherwise from the service. */
  async #made(
    view: NodeView,
    service: RegisteredService,
    input: JsonObject,
    limits: Partial<SandboxLimits>,
  ): Promise<Exclude<Performed, { readonly status: "sealed" }>> {
    const { sandbox, perform } = this.#of;
    const { bundle, schemas, name, record } = service;
    if (perform === undefined || !takesReceipts(view.law)) {
      const { constraints } = record;
      const run = await sandbox.run({ bundle, schemas, input, limits, constraints, soldAs: service });
      if (run.status === "failed") return run;
      return {
        status: "ok",
        output: run.output,
        trail: run.trail.map(({ hash }) => hash),
        tools: run.meters.tools,
        messages: run.meters.messages,
      };
    }
    const output: JsonValue = z.json().parse(await perform({ label: view.law.label, service: name, input, items: itemsIn(input) }));
    const misfit = compileSchema(schemas.output)(output);
    const problem = misfit === undefined ? itemsProblem(schemas, input, output) : describeProblem(misfit);
    if (problem !== undefined) return { status: "failed", kind: "schema", details: `output: ${problem}` };
    return { status: "ok", output, trail: [input, output].map((each) => keccak256(canonicalBytes(each))), tools: 0, messages: 0 };
  }

  /** The law's document, proven against the chain, and this agent's slot in it. */
  async #place({ slot: number, ...node }: Place, document: string, what: string) {
    const found = await this.#grounds.nodeAt(node, document, what);
    const slot = found.view.slots.find((each) => each.slot === number);
    if (slot?.agent !== this.#self) throw new WillNotSign(what, "slot");
    return { ...found, slot };
  }

  #workAt(place: Place, what: string): Done {
    const work = this.#of.memory.recall(["work", ...placeOf(place)], workSchema);
    if (work === undefined || work.status === "failed") throw new WillNotSign(what, "slot", "this agent has no work there");
    return work;
  }

  /** The commitment to its own work: one per attempt, under a salt that only the agent knows. */
  async #pledged(request: CallRequest<"pledge">, what: string): Promise<z.infer<typeof pledgedSchema>> {
    const { client, memory } = this.#of;
    const work = this.#workAt(request, what);
    const { view } = await this.#place(request, work.document, what);
    if (request.handed !== handedOf(work).hash) throw new WillNotSign(what, "handed");
    const obligation = await client.mission(request.mission).obligationOf(view.law.number);
    if (request.obligation !== obligation) throw new WillNotSign(what, "obligation");
    // Without the evidence that the law requires, the work could not be cleared.
    const kind = takesReceipts(view.law) ? evidenceKinds.RECEIPT : evidenceKinds.REEXECUTION;
    if (!request.items.some((item) => item.kind === kind)) throw new WillNotSign(what, "items", "evidence is missing");
    await this.#grounds.requireEvidence(request, request.items, what);
    const items: readonly SignedItem[] = request.items;
    const kept = await memory.keep(["pledge", ...placeOf(request), obligation], pledgedSchema, async () => {
      const salt = await this.#saltOf(request, obligation);
      const opening = openingOf({ obligation, outputHash: work.outputHash, trail: work.trail, items }, salt);
      return { salt, obligation, items: z.json().parse(items), commitment: commitmentOf(this.#self, opening, obligation) };
    });
    if (canonicalJson(kept.items) !== canonicalJson(items)) throw new WillNotSign(what, "items", "it pledged with other evidence before");
    return kept;
  }

  /** Opens the commitment, once the work can no longer be copied. */
  async #open(request: CallRequest<"open">): Promise<Omit<Opening, "classes"> & { classes: string }> {
    const { salt, obligation } = await this.#pledged(request, "open");
    const work = this.#workAt(request, "open");
    const { view, slot } = await this.#place(request, work.document, "open");
    const committed = view.slots.filter((each) => each.committed).length;
    const isOver = () => this.#grounds.now().then((now) => now >= view.deadline);
    // Holds in any state: a frozen node resumes, and a node that is not on chain yet accepts further commitments.
    const isSafe =
      view.law.tier !== TIER.CONSENSUS ||
      view.slots.some(({ revealed }) => revealed) ||
      (slot.committed &&
        (committed === view.law.redundancy ||
          view.state === "PENDING_VERIFICATION" ||
          (view.state === "EXECUTING" && committed >= view.law.threshold && (await isOver()))));
    if (!isSafe) throw new WillNotSign("open", "the moment", "others have not committed yet");
    const { classes, ...opening } = openingOf({ obligation, outputHash: work.outputHash, trail: work.trail, items: request.items }, salt);
    return { ...opening, classes: String(classes) };
  }

  async #sign({ type, mission, message }: CallRequest<"sign">): Promise<Hex> {
    const { client, account } = this.#of;
    switch (type) {
      case "Bid": {
        const own = await this.#bidMessage(message);
        requireSame(type, mission, null, message, own);
        return signMessage(client, account, "Bid", own);
      }
      case "Commits": {
        const own = await this.#commitsMessage(message, mission);
        requireSame(type, mission, mission, message, own);
        return signMessage(client, account, "Commits", own, mission ?? undefined);
      }
      case "HeldOutput": {
        const own = await this.#heldMessage(message);
        requireSame(type, mission, null, message, own);
        return signSessionMessage(client, account, "HeldOutput", own);
      }
      case "Withdrawal":
        return withdrawalOf(this.#of, this.#grounds, { mission, message });
      default:
        if (isSessionMessage(type)) return this.#voter.sign(type, mission, message);
        throw new WillNotSign(`to sign ${type}`, "its type");
    }
  }

  async #bidMessage(message: UncheckedMessage): Promise<Message<"Bid">> {
    const { client, memory } = this.#of;
    const place = z.looseObject({ mission: CALLS.bid.request.shape.mission, node: z.int().min(0).max(255) }).safeParse(message);
    if (!place.success) throw new WillNotSign("Bid", "mission");
    const { mission, node } = place.data;
    const { attempt } = await (await this.#grounds.lawOf(mission, "Bid")).nodeOf(node);
    const offer = memory.recall(["bid", mission, node, attempt], offered);
    const service = this.#of.services.find(({ name }) => name === offer?.service);
    if (offer === undefined || service === undefined) throw new WillNotSign("Bid", "node", "this agent made no such offer");
    const nonce = this.#bidNonce([mission, node, attempt].join(), await client.execution.nonceOf(this.#self), message["nonce"]);
    const deadline = await this.#grounds.deadline("Bid", message, DAY);
    return { agent: this.#self, mission, node, service: service.id, price: BigInt(offer.price), nonce, deadline };
  }

  /** The chain's next, or the one after the bids that this agent signed and that are not on chain yet; the same for the same bid. */
  #bidNonce(bid: string, next: bigint, asked: unknown): bigint {
    for (const [other, nonce] of this.#signedBids) if (nonce < next) this.#signedBids.delete(other);
    const last = [...this.#signedBids.values()].reduce((most, nonce) => (nonce > most ? nonce : most), next - 1n);
    const nonce = asked === String(next) ? next : (this.#signedBids.get(bid) ?? last + 1n);
    this.#signedBids.set(bid, nonce);
    return nonce;
  }

  async #commitsMessage(message: UncheckedMessage, mission: Address | null): Promise<Message<"Commits">> {
    const { client, memory } = this.#of;
    const slots = z.array(z.string().regex(/^\d{1,9}$/)).safeParse(message["slots"]);
    if (!slots.success || mission === null || slots.data.length === 0) throw new WillNotSign("Commits", "slots");
    const own = await Promise.all(
      slots.data.map(async (word) => {
        const key = Number(word);
        const place = { mission, node: key >> 16, attempt: (key >> 8) & 255, slot: key & 255 };
        this.#workAt(place, "Commits");
        const obligation = await client.mission(mission).obligationOf(place.node);
        const pledged = memory.recall(["pledge", ...placeOf(place), obligation], pledgedSchema);
        if (pledged === undefined) throw new WillNotSign("Commits", "slots", "this agent pledged nothing there");
        return { slot: placeKey(place), commitment: pledged.commitment };
      }),
    );
    return {
      agent: this.#self,
      slots: own.map(({ slot }) => slot),
      commitments: own.map(({ commitment }) => commitment),
      deadline: await this.#grounds.deadline("Commits", message, 2n * HOUR),
    };
  }

  async #heldMessage(message: UncheckedMessage) {
    const place = CALLS.pledge.request.pick({ mission: true, node: true, attempt: true, slot: true }).safeParse(pick(message));
    if (!place.success) throw new WillNotSign("HeldOutput", "slot");
    const { hash: outputHash } = handedOf(this.#workAt(place.data, "HeldOutput"));
    const since = Number(message["since"]);
    const now = await this.#grounds.now();
    if (!Number.isSafeInteger(since) || BigInt(since) > now + HOUR || BigInt(since) < now - HOUR)
      throw new WillNotSign("HeldOutput", "since");
    return { ...place.data, agent: this.#self, outputHash, since };
  }

  async #seal({ document }: CallRequest<"seal">): Promise<Hex> {
    const { memory, seal } = this.#of;
    const own = await this.#documentLike(document);
    if (canonicalJson(z.json().parse(own)) !== canonicalJson(z.json().parse(document)))
      throw new WillNotSign(`to seal the ${own.kind}`, "its content");
    const signature = seal.sign(bytesUnder(own, this.#self));
    if (own.kind === "claim") await memory.keep(["sealed", own.obligation, own.artifact.id], sealedSchema, async () => ({ signature }));
    return signature;
  }

  /** The document that this agent would sign in place of the requested one. */
  async #documentLike(document: CallRequest<"seal">["document"]): Promise<ClearingDocument> {
    switch (document.kind) {
      case "claim": {
        const { artifact, issuedAt } = z
          .looseObject({ artifact: z.looseObject({ content: z.record(z.string(), z.json()) }), issuedAt: z.string() })
          .parse(document);
        const { content: said } = artifact;
        const [, mission = "", node, attempt, slot] = String(said["claim_id"]).split("/");
        const place = CALLS.pledge.request
          .pick({ mission: true, node: true, attempt: true, slot: true })
          .safeParse({ mission, node: Number(node), attempt: Number(attempt), slot: Number(slot) });
        if (!place.success) throw new WillNotSign("to seal the claim", "claim_id");
        const work = this.#workAt(place.data, "to seal the claim");
        const { view } = await this.#place(place.data, work.document, "to seal the claim");
        const { terms } = await this.#termsFor({ mission: place.data.mission, node: view.law.label, attempt: place.data.attempt });
        const attestedAt = await this.#grounds.recent("attested_at", said["attested_at"]);
        const claimant = { claim_id: ["claim", ...placeOf(place.data)].join("/"), attester_id: this.#self, attested_at: attestedAt };
        const service = this.#of.services.find(({ id }) => id === work.service);
        if (service === undefined) throw new WillNotSign("to seal the claim", "service");
        const { label } = view.law;
        const content = takesReceipts(view.law)
          ? receiptClaim(claimant, { label, handed: handedOf(work) })
          : inferenceClaim(claimant, {
              label,
              service: service.name,
              inputSha: work.inputSha,
              codeHash: service.bundle.codeHash,
              outputHash: work.outputHash,
            });
        return {
          kind: "claim",
          obligation: obligationHash(terms),
          artifact: claimArtifact(place.data.slot, content),
          issuedAt: await this.#grounds.recent("issuedAt", issuedAt),
        };
      }
      case "envelope": {
        const { body } = z
          .looseObject({ body: envelopeSchema.omit({ envelope_id: true, submission_signature: true, submitted_by: true }) })
          .parse(document);
        const own = body.items.filter(({ provenance }) => provenance[0]?.emitter === this.#self);
        if (own.length === 0 || !body.items.every(contentMatches)) throw new WillNotSign("to seal the envelope", "items");
        for (const { id, provenance } of own) {
          // The envelope includes the agent's own claim as it sealed it, under the same obligation.
          const sealed = this.#of.memory.recall(["sealed", body.obligation_hash, id], sealedSchema);
          if (provenance.length !== 1 || sealed === undefined || provenance[0]?.signature !== `secp256k1:${sealed.signature}`)
            throw new WillNotSign("to seal the envelope", "items");
        }
        return { kind: "envelope", body: { ...body, submitted_at: await this.#grounds.recent("submitted_at", body.submitted_at) } };
      }
      default:
        throw new WillNotSign("to seal", "kind");
    }
  }

  /** The obligation of its own work, from chain and law. */
  async #termsFor(task: { readonly mission: string; readonly node: string; readonly attempt: number }) {
    const mission = CALLS.bid.request.shape.mission.parse(task.mission);
    const contract = await this.#grounds.lawOf(mission, "to seal");
    for (const { args } of await contract.history("ExecutorBound", { agent: this.#self })) {
      const work = this.#of.memory.recall(["work", mission, args.node, task.attempt, args.slot], workSchema);
      if (work === undefined || work.status === "failed") continue;
      const found = await this.#place({ mission, node: args.node, attempt: task.attempt, slot: args.slot }, work.document, "to seal");
      if (found.view.law.label !== task.node) continue;
      return { terms: termsOfNode(await termsAt(this.#of.client, found.mission, found.view)) };
    }
    throw new WillNotSign("to seal", "task", "this agent has no work there");
  }

  #sells(name: string): boolean {
    return this.#of.services.some((service) => service.name === name);
  }
}

/** The node's own items, then those of its predecessors. */
function itemsIn(input: JsonObject): readonly Item[] {
  const shape = z.looseObject({ id: z.string() });
  const own = z.array(shape).catch([]).parse(input["items"]);
  const before = z
    .array(z.looseObject({ items: z.array(shape) }))
    .catch([])
    .parse(input["upstream"]);
  const all = [...own, ...before.flatMap(({ items }) => items)];
  return [
    ...new Map(all.toReversed().map((item) => [item.id, z.record(z.string(), z.json()).parse(item)])).values(),
  ].toReversed() as Item[];
}

function pick(message: UncheckedMessage): JsonObject {
  return {
    mission: message["mission"] ?? null,
    node: message["node"] ?? null,
    attempt: message["attempt"] ?? null,
    slot: message["slot"] ?? null,
  };
}

function least(...values: readonly bigint[]): bigint {
  const [first = 0n] = values.toSorted((a, b) => Number(a > b) - Number(a < b));
  return first;
}
