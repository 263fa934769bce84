import { zeroHash } from "viem";
import { z } from "zod";
import { collaborationContractAbi } from "../chain/abi/CollaborationContract.ts";
import { contentMatches, envelopeId, envelopeSchema } from "../clearing/evidence-envelope.ts";
import type { Submission } from "../clearing/judgement.ts";
import { type Asked, askJudge, type Judge } from "../clearing/mesh.ts";
import { obligationHash } from "../clearing/obligation.ts";
import { verifierOutputSchema } from "../clearing/verifier-output.ts";
import type { CityClient } from "../client/client.ts";
import { openingUnder } from "../client/openings.ts";
import { signMessage } from "../client/sign/sign-message.ts";
import type { NodeView } from "../execution/chain-view.ts";
import { bytesUnder, itemId, outputOf } from "../execution/clearing-record.ts";
import { admissibleItems, isSubmittedIn, judgementsOnJob, obligationOfJob, panelOfHearing, viewHearing } from "../execution/hearing.ts";
import { judgementIn, judgementOut, judgementsOn, verdictOf } from "../execution/judging.ts";
import { takesReceipts, termsOfNode } from "../execution/obligation.ts";
import { termsAt } from "../execution/obligations.ts";
import { isVouched } from "../execution/vouched.ts";
import type { Mission } from "../execution/world.ts";
import { addressSchema } from "../primitives/address.ts";
import type { Address, Hash, Hex } from "../primitives/hex.ts";
import { hashSchema } from "../primitives/hex.ts";
import { canonicalJson, type JsonValue, parseJsonBytes } from "../primitives/json.ts";
import type { ByteSigner } from "../primitives/signing.ts";
import { field } from "../primitives/values.ts";
import { CALLS, type Call, type CallAnswer, type CallRequest } from "../protocol/calls.ts";
import { evidenceKinds } from "../protocol/evidence.ts";
import { commissionHash } from "../protocol/hearing.ts";
import { commissionSchema } from "../protocol/hearing-schema.ts";
import { panelKinds } from "../protocol/verifier-kinds.ts";
import { EvidenceClass, geq, REFUTATION } from "../rules/admissibility.ts";
import { commitmentOf, nodeCommitmentOf } from "../rules/commitments.ts";
import { WillNotSign } from "./errors.ts";
import { Grounds, HOUR, questionIn, withdrawalOf } from "./grounds.ts";
import type { Memory } from "./memory.ts";
import { requireSame } from "./same.ts";

export interface OfficeOptions {
  readonly client: CityClient;
  readonly account: Parameters<typeof signMessage>[1];
  readonly seal: ByteSigner;
  readonly memory: Memory;
  readonly block: (id: string) => Promise<Uint8Array>;
  /** Model for semantic checks. Without one the verifier abstains from them. */
  readonly judge?: Judge | undefined;
  readonly progress?: ((line: string) => void) | undefined;
}

const judgedSchema = z.strictObject({
  mission: addressSchema,
  obligation: hashSchema,
  commitment: hashSchema,
  verdicts: CALLS.judge.answer,
  executors: z.array(z.strictObject({ slot: z.int(), agent: addressSchema })),
  /** The evidence it judged by, by position in the envelope. */
  items: z.array(z.strictObject({ id: z.string(), payload: hashSchema, class: z.string(), issuer: addressSchema })),
});
type Judged = z.infer<typeof judgedSchema>;
/** A draw in which this verifier was asked to judge: a later hearing is signed for it. */
const drawnSchema = z.literal(true);
const knownAsSchema = z.strictObject({ mission: addressSchema, obligation: hashSchema });

/**
 * How a verifier answers: it opens what was committed, judges it by the law, once per attempt at a node, and signs that judgement and no
 * other.
 */
export class VerifierPolicy {
  readonly #of: OfficeOptions;
  readonly #grounds: Grounds;

  constructor(options: OfficeOptions) {
    this.#of = options;
    this.#grounds = new Grounds(options);
  }

  /** Answers a call. Throws WillNotSign, or the error of a chain or city that could not be reached. */
  async answer(call: Pick<Call, "kind" | "payload">): Promise<JsonValue> {
    const read = questionIn("verifier", call);
    switch (call.kind) {
      case "judge":
        return z.json().parse(await this.#judge(read("judge")));
      case "hear":
        return z.json().parse(await this.#hear(read("hear")));
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

  async #judge(request: CallRequest<"judge">): Promise<CallAnswer<"judge">> {
    const { client, memory, judge, progress = () => {} } = this.#of;
    const { mission: bare, view } = await this.#grounds.nodeAt(request, request.document, "judge");
    if (view.state !== "PENDING_VERIFICATION") throw new WillNotSign("judge", "node", "it does not wait for a panel");
    if (view.drawBlock !== request.draw) throw new WillNotSign("judge", "draw");
    await this.#requireDrawn(bare.address, view.law.number);
    const obligation = await client.mission(bare.address).obligationOf(view.law.number);
    if (request.obligation !== obligation) throw new WillNotSign("judge", "obligation");
    const mission = { ...bare, items: await this.#grounds.itemsOf(bare, request.items, "judge") };
    const open = view.slots.filter(({ revealed }) => revealed);
    const isRefuted = request.refutations.length > 0;
    if (isRefuted) await this.#requireRefuted(mission, view, request);
    // The city may have withheld anything else that is missing.
    const due = isRefuted ? [] : open;
    if (canonicalJson(request.works.map(({ slot }) => slot)) !== canonicalJson(due.map(({ slot }) => slot)))
      throw new WillNotSign("judge", "works");
    const works = await Promise.all(
      request.works.map(async ({ slot, handed: id, salt, outputHash, trailRoot, items }) => {
        const place = open.find((each) => each.slot === slot);
        await this.#grounds.requireEvidence({ mission: mission.address, slot, obligation }, items, "judge");
        const opening = openingUnder({ obligation, outputHash, trailRoot, items }, salt);
        if (place === undefined || commitmentOf(place.agent, opening, obligation) !== place.pledge) throw new WillNotSign("judge", "works");
        const read = takesReceipts(view.law)
          ? await this.#grounds.sealedWork(id, { obligation, slot, items }, opening, "judge")
          : { ...(await this.#grounds.objectOf(id, "works", "judge")), handed: outputHash };
        // Other bytes say nothing about what was committed, but an issuer's re-execution may still refute it.
        const isIts = read.outputHash === outputHash;
        if (!isIts && items.some(({ payload }) => payload === outputHash)) throw new WillNotSign("judge", "works");
        return {
          slot,
          ...read,
          outputHash,
          ...(isIts ? {} : { output: undefined }),
          items,
          exhibits: items.map(({ index, kind, payload }) => ({ slot, index, kind, payload })),
        };
      }),
    );
    // The law, not the city, determines what a panel judges by.
    const kinds = panelKinds(view.law.verifiers);
    if (canonicalJson(request.kinds ?? []) !== canonicalJson([...kinds])) throw new WillNotSign("judge", "kinds");
    const commitment = nodeCommitmentOf(view.slots.map((each) => (each.revealed ? each.pledge : zeroHash)));
    const judged = await memory.keep(["judged", mission.address, obligation], judgedSchema, async (): Promise<Judged> => {
      const input = () => this.#grounds.inputOf(mission, view, request, "judge");
      const member = {
        ...{ verifier: this.#self, obligation },
        schemasOf: (slot: number) => this.#grounds.schemasOf(mission, view, slot),
        isVouched: async (work: Submission) => {
          const agent = view.slots.find(({ slot }) => slot === work.slot)?.agent;
          const items = works.find(({ slot }) => slot === work.slot)?.items ?? [];
          const place = { mission: mission.address, obligation, floor: view.law.floor };
          return agent !== undefined && isVouched(client, { ...place, agent }, work, items);
        },
        ask: async (questions: readonly Asked[]) => judge && askJudge(judge, questions, progress),
      };
      const own = await judgementsOn(mission, view, works, input, { isRefuted, member });
      const seen = [...works.flatMap(({ items }) => items), ...request.refutations];
      return {
        ...{ mission: mission.address, obligation, commitment },
        verdicts: own.map(judgementOut),
        executors: view.slots.map(({ slot, agent }) => ({ slot, agent })),
        items: seen.map(({ payload, class: name, issuer, ...place }) => ({
          id: itemId({ ...place, issuer }),
          payload,
          class: name,
          issuer,
        })),
      };
    });
    if (judged.commitment !== commitment) throw new WillNotSign("judge", "works", "it judged other work there before");
    await memory.keep(["drawn", mission.address, obligation, request.draw], drawnSchema, async () => true as const);
    const terms = termsOfNode(await termsAt(client, mission, view));
    await memory.keep(["judged-as", obligationHash(terms)], knownAsSchema, async () => ({ mission: mission.address, obligation }));
    return judged.verdicts;
  }

  /** Judges an escrow's job by what its parties signed and what the chain says; once, in whatever panel it is drawn. */
  async #hear(request: CallRequest<"hear">): Promise<CallAnswer<"hear">> {
    const { client, memory, judge, progress = () => {} } = this.#of;
    const { terms, draw, work: given } = request;
    const { items } = given;
    const evaluator = client.addresses.ClearingEvaluator;
    const obligation = obligationOfJob(client, terms);
    if (request.obligation !== obligation) throw new WillNotSign("hear", "obligation");
    const hearing = await viewHearing(client, terms);
    if (hearing.obligation !== obligation || hearing.isClosed) throw new WillNotSign("hear", "terms", "no such job waits for a panel");
    if (hearing.drawBlock !== draw) throw new WillNotSign("hear", "draw");
    const panel = await panelOfHearing(client, terms, hearing);
    if (panel?.includes(this.#self) !== true) throw new WillNotSign("hear", "draw", "it was not drawn for it");
    const { output, outputHash } = await this.#grounds.objectOf(given.handed, "work", "hear");
    const commission = commissionSchema.parse(parseJsonBytes(await this.#grounds.read(request.commission)));
    if (commissionHash(commission) !== terms.agreementHash) throw new WillNotSign("hear", "commission");
    const opening = openingUnder({ obligation, outputHash, trailRoot: given.trailRoot, items }, given.salt);
    const commitment = commitmentOf(terms.provider, opening, obligation);
    if (given.outputHash !== outputHash || commitment !== hearing.work) throw new WillNotSign("hear", "work");
    if (!(await isSubmittedIn(client, terms, outputHash, request.submittedIn)))
      throw new WillNotSign("hear", "work", "it is not what was submitted to the escrow");
    const judged = await memory.keep(["judged", evaluator, obligation], judgedSchema, async (): Promise<Judged> => {
      const admissible = await admissibleItems(client, terms, items);
      const member = {
        ...{ verifier: this.#self, obligation },
        ask: async (questions: readonly Asked[]) => judge && askJudge(judge, questions, progress),
      };
      const own = await judgementsOnJob(client, { terms, commission, work: output, items: admissible }, member);
      return { mission: evaluator, obligation, commitment, verdicts: own.map(judgementOut), executors: [], items: [] };
    });
    await memory.keep(["drawn", evaluator, obligation, draw], drawnSchema, async () => true as const);
    return judged.verdicts;
  }

  /**
   * Throws unless issuers of two principals, unrelated to the work and without bids, signed that re-execution contradicts this commitment.
   */
  async #requireRefuted({ address, sponsor }: Mission, { law, slots }: NodeView, request: CallRequest<"judge">): Promise<void> {
    const { client } = this.#of;
    const { obligation, refutations } = request;
    const [slot] = slots;
    if (law.redundancy !== 1 || slot?.revealed !== true)
      throw new WillNotSign("judge", "refutations", "only the work of an only executor that shows nothing is refuted");
    const parties = [sponsor, await client.agents.principalOf(slot.agent), await client.agents.principalOf(sponsor)];
    const principals = new Set<Address>();
    for (const item of refutations) {
      if (item.payload !== slot.pledge || item.kind !== evidenceKinds.REFUTATION) throw new WillNotSign("judge", "refutations");
      await this.#grounds.requireIssued({ mission: address, slot: slot.slot, obligation }, item, REFUTATION, "judge");
      if (!geq(EvidenceClass[item.class], EvidenceClass[law.floor])) throw new WillNotSign("judge", "refutations", "below the floor");
      const [, principal] = await client.evidence.issuerOf(item.issuer);
      const { bid } = await client.execution.participationOf(address, principal);
      if (bid || parties.includes(principal)) throw new WillNotSign("judge", "refutations", "it has a part in the work, or bid for it");
      principals.add(principal);
    }
    if (principals.size < 2) throw new WillNotSign("judge", "refutations", "one principal's word is none");
  }

  async #requireDrawn(address: Address, node: number): Promise<void> {
    const panel = await this.#of.client.chain.publicClient.readContract({
      ...{ address, abi: collaborationContractAbi, functionName: "panelOf", args: [node], blockTag: "pending" },
    });
    if (!panel.includes(this.#self)) throw new WillNotSign("judge", "node", "it was not drawn for it");
  }

  #judgedAt(mission: Address, obligation: Hash, what: string): Judged {
    const judged = this.#of.memory.recall(["judged", mission, obligation], judgedSchema);
    if (judged === undefined) throw new WillNotSign(what, "obligation", "it judged nothing under it");
    return judged;
  }

  async #sign({ type, mission, message }: CallRequest<"sign">): Promise<Hex> {
    const { client, account } = this.#of;
    switch (type) {
      case "Verdicts": {
        const named = z
          .array(z.looseObject({ obligation: hashSchema, draw: z.int().min(0) }))
          .min(1)
          .safeParse(message["verdicts"]);
        if (!named.success || mission === null) throw new WillNotSign("to sign Verdicts", "verdicts");
        // All its verdicts on each node, in order: a verifier that answers only part of a request counts as absent.
        const draws = new Map(named.data.map(({ obligation, draw }) => [`${obligation}/${draw}`, { obligation, draw }]));
        const verdicts = [...draws.values()].flatMap(({ obligation, draw }) => {
          const { verdicts: own, commitment } = this.#judgedAt(mission, obligation, "to sign Verdicts");
          if (this.#of.memory.recall(["drawn", mission, obligation, draw], drawnSchema) === undefined)
            throw new WillNotSign("to sign Verdicts", "draw", "it was not drawn then");
          return own.map((each) => verdictOf(judgementIn(each), { obligation, commitment, draw }));
        });
        const made = { verifier: this.#self, verdicts, deadline: await this.#grounds.deadline("Verdicts", message, 2n * HOUR) };
        requireSame(type, mission, mission, message, made);
        return signMessage(client, account, "Verdicts", made, mission);
      }
      case "Withdrawal":
        return withdrawalOf(this.#of, this.#grounds, { mission, message });
      default:
        throw new WillNotSign(`to sign ${type}`, "its type");
    }
  }

  async #seal({ document }: CallRequest<"seal">): Promise<Hex> {
    const what = "to seal its output";
    if (document.kind !== "output") throw new WillNotSign("to seal", "kind");
    const given = z.object({ body: verifierOutputSchema.omit({ signature: true }), envelope: envelopeSchema }).safeParse(document);
    if (!given.success) throw new WillNotSign(what, "the form of the document");
    const { body, envelope } = given.data;
    const known = this.#of.memory.recall(["judged-as", envelope.obligation_hash], knownAsSchema);
    if (known === undefined) throw new WillNotSign(what, "obligation_hash", "it judged nothing under it");
    const judged = this.#judgedAt(known.mission, known.obligation, what);
    if (envelopeId(envelope) !== envelope.envelope_id || !envelope.items.every(contentMatches)) throw new WillNotSign(what, "envelope");
    const issued = envelope.items.filter(({ type }) => type !== "claim");
    const seen = issued.map((item) => ({
      ...{ id: item.id, payload: field(item.content, "payload"), class: item.class, issuer: item.provenance[0]?.emitter },
    }));
    if (canonicalJson(z.json().parse(seen)) !== canonicalJson(judged.items))
      throw new WillNotSign(what, "envelope", "it judged by other evidence");
    const own = judged.verdicts
      .map((each) => outputOf(this.#self, judgementIn(each), judged, envelope))
      .find(({ verifier }) => verifier === body.verifier);
    if (own === undefined) throw new WillNotSign(what, "verifier");
    if (canonicalJson(z.json().parse(own)) !== canonicalJson(z.json().parse(body))) throw new WillNotSign(what, "its content");
    return this.#of.seal.sign(bytesUnder({ kind: "output", body: own, envelope }, this.#self));
  }
}
