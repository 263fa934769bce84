import { z } from "zod";
import type { ClaimAttestation } from "../attestation/claims.ts";
import { isOutcomeSignedBy, verificationOutcomeSchema } from "../attestation/outcome.ts";
import { obligationHash } from "../clearing/obligation.ts";
import { isSessionMessageBy } from "../client/sign/session-message.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import { boundService, type NodeView, type SlotView } from "../execution/chain-view.ts";
import { inferenceClaim, NO_OUTPUT, outputOf, receiptClaim, vouch } from "../execution/claims.ts";
import { bytesUnder, isAgainst, itemDocument } from "../execution/clearing-record.ts";
import { jobReceipt, obligationOfJob, partiesTo, viewHearing } from "../execution/hearing.ts";
import { evidenceFor, takesReceipts, termsOfNode } from "../execution/obligation.ts";
import { termsAt } from "../execution/obligations.ts";
import { openingsOnChain } from "../execution/opened-work.ts";
import { DEFAULT_LIMITS, limitsUnder } from "../execution/sandbox/limits.ts";
import type { Sandbox } from "../execution/sandbox/run.ts";
import type { Mission, RegisteredService } from "../execution/world.ts";
import { addressSchema } from "../primitives/address.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { keccak256, sha256 } from "../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonObject, type JsonValue } from "../primitives/json.ts";
import { TIER } from "../primitives/tier.ts";
import type { Call, CallAnswer, CallRequest } from "../protocol/calls.ts";
import { evidenceClasses, evidenceKinds } from "../protocol/evidence.ts";
import { EvidenceClass, REFUTATION } from "../rules/admissibility.ts";
import { WillNotSign } from "./errors.ts";
import { Grounds, questionIn } from "./grounds.ts";
import { requireSame } from "./same.ts";
import type { OfficeOptions } from "./verifier.ts";

export interface IssuerOptions extends OfficeOptions {
  /** Services of this machine's catalogue, as `owner` would register them. */
  readonly servicesOf: (owner: Address) => readonly RegisteredService[];
  readonly sandbox: Sandbox;
}

/** Multiple of the executor's own time limit granted to a re-execution: a slow machine must not refute correct work. */
const MORE_TIME = 4;
const MORE_MEMORY = 2;
/** Outcomes of a run that depend on this machine, not on the code. */
const UNDECIDED: readonly string[] = ["timeout", "memory"];

const foundSchema = z.strictObject({ found: hashSchema, kind: z.enum(evidenceKinds), class: z.enum(evidenceClasses) });
/** A finding together with the obligation under which documents name it. */
const foundAsSchema = foundSchema.extend({ mission: addressSchema, obligation: hashSchema });
const vouchedSchema = z.strictObject({ found: hashSchema, outcome: verificationOutcomeSchema });
type Kept = z.infer<typeof vouchedSchema>;

/** Fields that every request to an issuer has. */
type Question = Pick<CallRequest<"refute">, "mission" | "node" | "attempt" | "slot" | "obligation" | "document" | "attestedAt">;

/** The slot that a request is about, and the claim to check. */
interface Subject {
  readonly mission: Mission;
  readonly view: NodeView;
  readonly slot: SlotView;
  /** Chain time, milliseconds. */
  readonly now: number;
  readonly claimant: Pick<ClaimAttestation, "claim_id" | "attested_at"> & { readonly attester_id: Address };
}

/**
 * How an issuer answers: it rebuilds claim and input, receives the bytes or re-executes the code of its own catalogue, and signs what it
 * found, once per slot and attempt.
 */
export class IssuerPolicy {
  readonly #of: IssuerOptions;
  readonly #grounds: Grounds;

  constructor(options: IssuerOptions) {
    this.#of = options;
    this.#grounds = new Grounds(options);
  }

  /** Answers a call. Throws WillNotSign, or the error of a chain or city that could not be reached. */
  async answer(call: Pick<Call, "kind" | "payload">): Promise<JsonValue> {
    const read = questionIn("issuer", call);
    switch (call.kind) {
      case "receive":
        return z.json().parse(await this.#receive(read("receive")));
      case "reexecute":
        return z.json().parse(await this.#reexecute(read("reexecute")));
      case "refute":
        return z.json().parse(await this.#refute(read("refute")));
      case "acknowledge":
        return z.json().parse(await this.#acknowledge(read("acknowledge")));
      case "sign":
        return { signature: await this.#sign(read("sign")) };
      case "seal":
        return { signature: await this.#seal(read("seal")) };
      default:
        throw new WillNotSign(call.kind, "its kind");
    }
  }

  get #self(): Address {
    return this.#of.account.address;
  }

  async #receive(request: CallRequest<"receive">): Promise<CallAnswer<"receive">> {
    const { mission, view, claimant, now } = await this.#subject(request, "receive");
    if (!takesReceipts(view.law)) throw new WillNotSign("receive", "node", "its work is run again, not received");
    const bytes = await this.#grounds.read(request.handed);
    const handed = { id: request.handed, hash: keccak256(bytes) };
    await this.#requireHolder(request, claimant.attester_id, handed.hash, "receive");
    const claim = receiptClaim(claimant, { label: view.law.label, handed });
    return this.#vouched(request, mission, view, () => vouch(claim, async () => bytes, this.#issuer(now)));
  }

  async #reexecute(request: CallRequest<"reexecute">): Promise<CallAnswer<"reexecute">> {
    const subject = await this.#subject(request, "reexecute");
    const { mission, view, slot, claimant } = subject;
    if (takesReceipts(view.law)) throw new WillNotSign("reexecute", "node", "its work is received, not run again");
    const service = await this.#serviceOf(subject, request.service, "reexecute");
    const input = await this.#grounds.inputOf(mission, view, request, "reexecute");
    const outputHash = keccak256(await this.#grounds.read(request.handed));
    await this.#requireHolder(request, slot.agent, outputHash, "reexecute");
    return this.#ranAgain(request, subject, service, input, inferenceOf(claimant, view, service, input, outputHash));
  }

  async #refute(request: CallRequest<"refute">): Promise<CallAnswer<"refute">> {
    const { client, memory } = this.#of;
    const subject = await this.#subject(request, "refute");
    const { mission, view, slot, claimant } = subject;
    if (view.law.redundancy !== 1 || view.law.tier === TIER.CONSENSUS)
      throw new WillNotSign("refute", "node", "consent is not refuted by who makes the work of one again");
    const [opening] = await openingsOnChain({ client }, mission, view);
    if (slot.pledge !== request.commitment || opening === undefined)
      throw new WillNotSign("refute", "commitment", "the chain has no such commitment, or nothing has opened it");
    const service = await this.#serviceOf(subject, request.service, "refute");
    const input = await this.#grounds.inputOf(mission, view, request, "refute");
    const { outputHash } = opening;
    const answer = await this.#ranAgain(request, subject, service, input, inferenceOf(claimant, view, service, input, outputHash));
    if (answer.found !== NO_OUTPUT && answer.found !== outputHash)
      await memory.keep(refutedKey(mission.address, request.obligation, slot.slot), hashSchema, async () => slot.pledge);
    return answer;
  }

  /** Its own message for bytes that it has read, about a job that waits for a panel of this city and in which it has no part. */
  async #acknowledge({ terms, obligation, work, index }: CallRequest<"acknowledge">): Promise<{ readonly signature: Hex }> {
    const { client, account } = this.#of;
    const due = obligationOfJob(client, terms);
    if (obligation !== due) throw new WillNotSign("acknowledge", "obligation");
    const hearing = await viewHearing(client, terms);
    if (hearing.obligation !== due || hearing.isClosed) throw new WillNotSign("acknowledge", "terms", "no such job waits for a panel");
    const own = [this.#self, await client.evidence.principalOf(this.#self)];
    if (partiesTo(terms).some((party) => own.includes(party))) throw new WillNotSign("acknowledge", "terms", "it has a part in the job");
    const { outputHash: payload } = await this.#grounds.objectOf(work, "work", "acknowledge");
    const { message } = jobReceipt(this.#self, { obligation: due, payload, index });
    return { signature: await signMessage(client, account, "Evidences", message, client.addresses.ClearingEvaluator) };
  }

  /** The service that the slot's executor was bound to, from this issuer's own catalogue. */
  async #serviceOf({ mission, view, slot }: Subject, id: Hash, what: string): Promise<RegisteredService> {
    const { client, servicesOf } = this.#of;
    if ((await boundService({ client }, mission, view, slot)) !== id) throw new WillNotSign(what, "service");
    const service = servicesOf(slot.agent).find((each) => each.id === id);
    if (service === undefined) throw new WillNotSign(what, "service", "its code is not in this issuer's catalogue");
    return service;
  }

  /** Re-executes the work. A run that hits a limit of this machine gives no answer. */
  async #ranAgain(
    request: Pick<CallRequest<"refute">, "seconds" | "tools" | "messages"> & Question,
    { mission, view, now }: Subject,
    { bundle, schemas, record }: RegisteredService,
    input: JsonObject,
    claim: ClaimAttestation,
  ): Promise<CallAnswer<"refute">> {
    const { seconds, tools, messages } = request;
    const wallClockMs = Math.min(DEFAULT_LIMITS.wallClockMs, 1_000 * seconds);
    const given = limitsUnder({ ...DEFAULT_LIMITS, wallClockMs, tools, messages }, record.constraints);
    const limits = { ...given, wallClockMs: MORE_TIME * given.wallClockMs, memoryMb: MORE_MEMORY * given.memoryMb };
    return this.#vouched(request, mission, view, async () => {
      const run = await this.#of.sandbox.run({ bundle, schemas, input, limits });
      if (run.status === "failed" && UNDECIDED.includes(run.kind))
        throw new AgentCityError("NoAnswer", "The second run hit a limit of this machine", { details: `${run.kind}: ${run.details}` });
      return vouch(claim, async () => canonicalBytes(outputOf(run)), this.#issuer(now));
    });
  }

  #issuer(now: number) {
    return { address: this.#self, signer: this.#of.seal, now: () => now };
  }

  async #subject(request: Question, what: string): Promise<Subject> {
    const { mission, view } = await this.#grounds.nodeAt(request, request.document, what);
    const slot = view.slots.find((each) => each.slot === request.slot);
    if (slot === undefined) throw new WillNotSign(what, "slot");
    const obligation = await this.#of.client.mission(mission.address).obligationOf(view.law.number);
    if (request.obligation !== obligation) throw new WillNotSign(what, "obligation");
    const now = 1_000 * Number(await this.#grounds.now());
    const claimant = {
      claim_id: ["claim", mission.address, view.law.number, view.attempt, slot.slot].join("/"),
      attester_id: slot.agent,
      attested_at: await this.#grounds.recent("attestedAt", request.attestedAt),
    };
    return { mission, view, slot, claimant, now };
  }

  /** Requires the executor's own signature over these bytes: the city could otherwise claim any output. */
  async #requireHolder(
    { mission, node, attempt, slot, held }: CallRequest<"receive">,
    agent: Address,
    outputHash: Hash,
    what: string,
  ): Promise<void> {
    const { since, signature } = held;
    const message = { mission, node, slot, attempt, agent, outputHash, since };
    if (!(await isSessionMessageBy(this.#of.client, agent, "HeldOutput", message, signature)))
      throw new WillNotSign(what, "held", "its executor did not sign for these bytes");
  }

  /** The first finding about a slot's work, stored before it leaves this machine. */
  async #vouched(request: Question, mission: Mission, view: NodeView, find: () => Promise<Kept>): Promise<CallAnswer<"receive">> {
    const { client, memory } = this.#of;
    const { slot, obligation } = request;
    const vouched = await memory.keep(["vouching", keccak256(canonicalBytes(request))], vouchedSchema, async () => {
      const { outcome, found } = await find();
      return { outcome, found };
    });
    const { found } = vouched;
    const first = await memory.keep(foundKey(mission.address, obligation, slot), foundSchema, async () => ({
      ...{ found, ...evidenceFor(view.law) },
    }));
    if (first.found !== found) throw new WillNotSign("to vouch", "output", "it found another one for this slot before");
    const terms = termsOfNode(await termsAt(client, mission, view));
    await memory.keep(["found-under", obligationHash(terms), slot], foundAsSchema, async () => ({
      ...{ ...first, mission: mission.address, obligation },
    }));
    return { outcome: z.record(z.string(), z.json()).parse(vouched.outcome), found };
  }

  async #sign({ type, mission, message }: CallRequest<"sign">): Promise<Hex> {
    const { client, account, memory } = this.#of;
    if (type !== "Evidences") throw new WillNotSign(`to sign ${type}`, "its type");
    const named = z
      .array(z.looseObject({ obligation: hashSchema, slot: z.int(), index: z.int() }))
      .min(1)
      .safeParse(message["items"]);
    if (!named.success || mission === null) throw new WillNotSign("to sign Evidences", "items");
    const items = named.data.map(({ obligation, slot, index }) => {
      const kept = memory.recall(foundKey(mission, obligation, slot), foundSchema);
      if (kept === undefined) throw new WillNotSign("to sign Evidences", "items", "it vouched for no such work");
      const item = this.#itemOf({ ...kept, mission, obligation }, slot, index === REFUTATION);
      return { obligation, ...item, class: EvidenceClass[item.class] };
    });
    const made = { issuer: this.#self, items };
    requireSame(type, mission, mission, message, made);
    return signMessage(client, account, "Evidences", made, mission);
  }

  /** The evidence item for a finding; a refutation if the result differs from what was committed. */
  #itemOf({ found, kind, class: name, mission, obligation }: z.infer<typeof foundAsSchema>, slot: number, isAgainst: boolean) {
    if (!isAgainst) return { slot, index: 0, kind, payload: found, class: name };
    const payload = this.#of.memory.recall(refutedKey(mission, obligation, slot), hashSchema);
    if (payload === undefined) throw new WillNotSign("to speak against it", "index", "it got nothing else than what was committed");
    return { slot, index: REFUTATION, kind: evidenceKinds.REFUTATION, payload, class: name };
  }

  async #seal({ document }: CallRequest<"seal">): Promise<Hex> {
    const what = "to seal its evidence";
    if (document.kind !== "item") throw new WillNotSign("to seal", "kind");
    const given = documentSchema.safeParse(document);
    if (!given.success) throw new WillNotSign(what, "the form of the document");
    const { obligation, artifact } = given.data;
    const { outcome } = artifact.content;
    const slot = Number(artifact.id.split("/")[0]);
    const kept = this.#of.memory.recall(["found-under", obligation, slot], foundAsSchema);
    if (kept === undefined) throw new WillNotSign(what, "obligation", "it vouched for no such work");
    if (!isOutcomeSignedBy(outcome, this.#of.seal.publicKey)) throw new WillNotSign(what, "outcome", "it signed no such outcome");
    const own = itemDocument(obligation, { ...this.#itemOf(kept, slot, isAgainst(artifact.id)), issuer: this.#self }, outcome);
    if (canonicalJson(z.json().parse(own)) !== canonicalJson(z.json().parse(document))) throw new WillNotSign(what, "its content");
    return this.#of.seal.sign(bytesUnder(own, this.#self));
  }
}

function inferenceOf(
  claimant: Subject["claimant"],
  { law: { label } }: NodeView,
  { name: service, bundle: { codeHash } }: RegisteredService,
  input: JsonObject,
  outputHash: Hash,
): ClaimAttestation {
  return inferenceClaim(claimant, { service, label, codeHash, outputHash, inputSha: sha256(canonicalBytes(input)) });
}

/** Key of a commitment that the re-execution did not reproduce. */
function refutedKey(mission: Address, obligation: Hex, slot: number): readonly (string | number)[] {
  return ["refuted", mission, obligation, slot];
}

function foundKey(mission: Address, obligation: Hex, slot: number): readonly (string | number)[] {
  return ["found", mission, obligation, slot];
}

const documentSchema = z.object({
  obligation: hashSchema,
  artifact: z.object({
    id: z.string().regex(/^\d\/\d{1,2}(\/0x[0-9a-fA-F]{40})?$/),
    content: z.object({ outcome: verificationOutcomeSchema }),
  }),
});
