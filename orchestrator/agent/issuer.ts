import { z } from "zod";
import { isOutcomeSignedBy, verificationOutcomeSchema } from "../attestation/outcome.ts";
import { obligationHash } from "../clearing/obligation.ts";
import { isSessionMessageBy } from "../client/sign/session-message.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { NodeView, SlotView } from "../execution/chain-view.ts";
import { inferenceClaim, outputOf, receiptClaim, vouch } from "../execution/claims.ts";
import { bytesUnder, itemDocument } from "../execution/clearing-record.ts";
import { evidenceFor, takesReceipts, termsOfNode } from "../execution/obligation.ts";
import { termsAt } from "../execution/obligations.ts";
import { DEFAULT_LIMITS, limitsUnder } from "../execution/sandbox/limits.ts";
import type { Sandbox } from "../execution/sandbox/run.ts";
import type { Mission, RegisteredService } from "../execution/world.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { keccak256, sha256 } from "../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema } from "../primitives/hex.ts";
import { canonicalBytes, canonicalJson, type JsonValue } from "../primitives/json.ts";
import type { Call, CallAnswer, CallRequest } from "../protocol/calls.ts";
import { evidenceClasses, evidenceKinds } from "../protocol/evidence.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { WillNotSign } from "./errors.ts";
import { Grounds, questionIn } from "./grounds.ts";
import { requireSame } from "./same.ts";
import type { OfficeOptions } from "./verifier.ts";

export interface IssuerOptions extends OfficeOptions {
  /** The services of this machine's own catalogue, as an owner would register them. */
  readonly servicesOf: (owner: Address) => readonly RegisteredService[];
  readonly sandbox: Sandbox;
}

/** Times the executor's own limits that a second run may take: what is slow here refutes nobody. */
const MORE_TIME = 4;
const MORE_MEMORY = 2;
/** Ends of a run that say something of this machine, not of the code. */
const UNDECIDED: readonly string[] = ["timeout", "memory"];

const foundSchema = z.strictObject({ found: hashSchema, kind: z.enum(evidenceKinds), class: z.enum(evidenceClasses) });
const vouchedSchema = z.strictObject({ found: hashSchema, outcome: verificationOutcomeSchema });
type Kept = z.infer<typeof vouchedSchema>;

/**
 * What an issuer answers: it makes the claim and the input again, receives the bytes or runs the code of its own catalogue, and signs what
 * it found, once for each attempt at a slot.
 */
export class IssuerPolicy {
  readonly #of: IssuerOptions;
  readonly #grounds: Grounds;

  constructor(options: IssuerOptions) {
    this.#of = options;
    this.#grounds = new Grounds(options);
  }

  /** The answer to a call. Throws WillNotSign, or what the chain or the city could not be asked. */
  async answer(call: Pick<Call, "kind" | "payload">): Promise<JsonValue> {
    const read = questionIn("issuer", call);
    switch (call.kind) {
      case "receive":
        return z.json().parse(await this.#receive(read("receive")));
      case "reexecute":
        return z.json().parse(await this.#reexecute(read("reexecute")));
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
    const { sandbox, servicesOf } = this.#of;
    const { mission, view, slot, claimant, now } = await this.#subject(request, "reexecute");
    if (takesReceipts(view.law)) throw new WillNotSign("reexecute", "node", "its work is received, not run again");
    // Once it has committed, the chain has the commitment in the place of the service.
    if (!slot.committed && slot.pledge !== request.service) throw new WillNotSign("reexecute", "service");
    const service = servicesOf(slot.agent).find(({ id }) => id === request.service);
    if (service === undefined) throw new WillNotSign("reexecute", "service", "its code is not in this issuer's catalogue");
    const input = await this.#grounds.inputOf(mission, view, request, "reexecute");
    const outputHash = keccak256(await this.#grounds.read(request.handed));
    await this.#requireHolder(request, slot.agent, outputHash, "reexecute");
    const claim = inferenceClaim(claimant, {
      ...{ service: service.name, label: view.law.label, codeHash: service.bundle.codeHash, outputHash },
      inputSha: sha256(canonicalBytes(input)),
    });
    const { bundle, schemas, record } = service;
    const { seconds, tools, messages } = request;
    const wallClockMs = Math.min(DEFAULT_LIMITS.wallClockMs, 1_000 * seconds);
    const given = limitsUnder({ ...DEFAULT_LIMITS, wallClockMs, tools, messages }, record.constraints);
    const limits = { ...given, wallClockMs: MORE_TIME * given.wallClockMs, memoryMb: MORE_MEMORY * given.memoryMb };
    return this.#vouched(request, mission, view, async () => {
      const run = await sandbox.run({ bundle, schemas, input, limits });
      if (run.status === "failed" && UNDECIDED.includes(run.kind))
        throw new AgentCityError("NoAnswer", "The second run hit a limit of this machine", { details: `${run.kind}: ${run.details}` });
      return vouch(claim, async () => canonicalBytes(outputOf(run)), this.#issuer(now));
    });
  }

  #issuer(now: number) {
    return { address: this.#self, signer: this.#of.seal, now: () => now };
  }

  /** The slot that a question is about, and whose claim is checked. */
  async #subject(request: CallRequest<"receive">, what: string) {
    const { mission, view } = await this.#grounds.nodeAt(request, request.document, what);
    const slot: SlotView | undefined = view.slots.find((each) => each.slot === request.slot);
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

  /** The slot's executor says itself that these bytes are its output: the city alone could say so of any. */
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

  /** Its first finding about a slot's work, kept before it leaves this machine. */
  async #vouched(
    request: CallRequest<"receive">,
    mission: Mission,
    view: NodeView,
    find: () => Promise<Kept>,
  ): Promise<CallAnswer<"receive">> {
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
    await memory.keep(["found-as", obligationHash(terms), slot], foundSchema, async () => first);
    return { outcome: z.record(z.string(), z.json()).parse(vouched.outcome), found };
  }

  async #sign({ type, mission, message }: CallRequest<"sign">): Promise<Hex> {
    const { client, account, memory } = this.#of;
    if (type !== "Evidences") throw new WillNotSign(`to sign ${type}`, "its type");
    const named = z
      .array(z.looseObject({ obligation: hashSchema, slot: z.int() }))
      .min(1)
      .safeParse(message["items"]);
    if (!named.success || mission === null) throw new WillNotSign("to sign Evidences", "items");
    const items = named.data.map(({ obligation, slot }) => {
      const kept = memory.recall(foundKey(mission, obligation, slot), foundSchema);
      if (kept === undefined) throw new WillNotSign("to sign Evidences", "items", "it vouched for no such work");
      return { obligation, slot, index: 0, kind: kept.kind, payload: kept.found, class: EvidenceClass[kept.class] };
    });
    const made = { issuer: this.#self, items };
    requireSame(type, mission, mission, message, made);
    return signMessage(client, account, "Evidences", made, mission);
  }

  async #seal({ document }: CallRequest<"seal">): Promise<Hex> {
    const what = "to seal its evidence";
    if (document.kind !== "item") throw new WillNotSign("to seal", "kind");
    const given = documentSchema.safeParse(document);
    if (!given.success) throw new WillNotSign(what, "the form of the document");
    const { obligation, artifact } = given.data;
    const { outcome } = artifact.content;
    const slot = Number(artifact.id.split("/")[0]);
    const kept = this.#of.memory.recall(["found-as", obligation, slot], foundSchema);
    if (kept === undefined) throw new WillNotSign(what, "obligation", "it vouched for no such work");
    if (!isOutcomeSignedBy(outcome, this.#of.seal.publicKey)) throw new WillNotSign(what, "outcome", "it signed no such outcome");
    const own = itemDocument(obligation, { slot, index: 0, kind: kept.kind, payload: kept.found, class: kept.class }, outcome);
    if (canonicalJson(z.json().parse(own)) !== canonicalJson(z.json().parse(document))) throw new WillNotSign(what, "its content");
    return this.#of.seal.sign(bytesUnder(own, this.#self));
  }
}

function foundKey(mission: Address, obligation: Hex, slot: number): readonly (string | number)[] {
  return ["found", mission, obligation, slot];
}

const documentSchema = z.object({
  obligation: hashSchema,
  artifact: z.object({ id: z.string().regex(/^\d\/\d{1,2}$/), content: z.object({ outcome: verificationOutcomeSchema }) }),
});
