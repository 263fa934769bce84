/** A mission whose executors show evidence of every quality, honest and not, and whose verifiers rest their verdicts on any of it. */
import { id, type Wallet } from "ethers";
import type { Hex } from "viem";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { RandomStream } from "../../orchestrator/primitives/random.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { EvidenceClass, geq, meet, packClasses } from "../../orchestrator/rules/admissibility.ts";
import { evidenceLeafOf, type Opening } from "../../orchestrator/rules/commitments.ts";
import { inclusionProof, merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";
import { networkHelpers } from "../support/city-fixture.ts";
import { type ClearOptions, Mission, packed } from "../support/mission-fixture.ts";

const hex = (text: string): Hex => hexSchema.parse(text);
const ZERO: Hex = `0x${"00".repeat(32)}`;

/** Who may issue what in the world of these tests, and who may not. */
export interface Issuers {
  /** By class: registered for it. */
  readonly honest: ReadonlyMap<EvidenceClass, Wallet>;
  /** Registered for nothing. */
  readonly impostor: Wallet;
  /** Registered for everything, of the sponsor's principal. */
  readonly crony: Wallet;
}

/** One item as its executor claims it and as its issuer signs it. */
interface Exhibit {
  readonly claimed: EvidenceClass;
  readonly issued: EvidenceClass;
  readonly issuer: Wallet;
}

/** How a slot's work is presented. */
interface Hand {
  readonly opening: Opening;
  readonly exhibits: readonly Exhibit[];
}

export class FuzzMission extends Mission {
  issuers: Issuers | undefined;
  random: RandomStream | undefined;
  /** Whether executors show nothing but good work, for a while. */
  honest = false;
  /** What is wrong with the evidence shown from now on, as a case of `#exhibit`; else chance has it. */
  flaw: number | undefined;
  readonly #hands = new Map<string, Hand>();
  #salts = 0;

  /** What a slot has to show in its present attempt: drawn once. */
  async #hand(node: number, slot: number): Promise<Hand> {
    const { attempt } = await this.contract.nodeOf(node);
    const key = `${node}/${attempt}/${slot}`;
    const known = this.#hands.get(key);
    if (known !== undefined) return known;
    const random = this.chance();
    const careless = this.flaw !== undefined || (!this.honest && random.int(2) === 0);
    const count = 1 + random.int(3);
    // One thing is wrong at a time: two would hide each other.
    const flawed = careless ? random.int(count) : -1;
    const exhibits = Array.from({ length: count }, (_, index) =>
      this.#exhibit(node, random, index === flawed ? (this.flaw ?? random.int(6)) : -1),
    );
    const obligation = hex(await this.contract.obligationOf(node));
    const leaves = exhibits.map((exhibit, index) => evidenceLeafOf(obligation, itemOf(node, slot, index, exhibit)));
    const opening = {
      salt: hex(id(`salt ${this.address} ${this.#salts++}`)),
      outputHash: hex(id(`output ${node}`)),
      trailRoot: careless && this.flaw === undefined && random.int(6) === 0 ? ZERO : hex(id(`trail ${key}`)),
      envelopeRoot: merkleRoot(leaves),
      items: exhibits.length,
      classes: packClasses(exhibits.map(({ claimed }) => claimed)),
    };
    const hand = { opening, exhibits };
    this.#hands.set(key, hand);
    return hand;
  }

  #exhibit(node: number, random: RandomStream, flaw: number): Exhibit {
    const { floor } = this.node(node);
    const good = floor === EvidenceClass.SIGN || random.int(2) === 0 ? EvidenceClass.ATT : asClass(floor);
    const { honest, impostor, crony } = this.parties();
    const by = (kind: EvidenceClass) => honest.get(kind) ?? impostor;
    const weak = random.pick([EvidenceClass.SELF, EvidenceClass.SIGN, EvidenceClass.WIT, EvidenceClass.REC]);
    switch (flaw) {
      case 0:
        return { claimed: good, issued: weak, issuer: by(weak) };
      case 1:
        return { claimed: weak, issued: good, issuer: by(good) };
      case 2:
        return { claimed: good, issued: good, issuer: impostor };
      case 3:
        return { claimed: good, issued: good, issuer: crony };
      case 4:
        return { claimed: weak, issued: weak, issuer: by(weak) };
      case 5:
        return { claimed: good, issued: good, issuer: by(good === EvidenceClass.ATT ? EvidenceClass.WIT : EvidenceClass.ATT) };
      default:
        return { claimed: good, issued: good, issuer: by(good) };
    }
  }

  override async opening(node: number, slot = 0): Promise<Opening> {
    return (await this.#hand(node, slot)).opening;
  }

  async exhibit(node: number, slot: number, index: number) {
    const { exhibits } = await this.#hand(node, slot);
    const exhibit = exhibits[index];
    if (exhibit === undefined) throw new Error(`no exhibit ${index}`);
    const obligation = hex(await this.contract.obligationOf(node));
    const leaves = exhibits.map((one, i) => evidenceLeafOf(obligation, itemOf(node, slot, i, one)));
    const item = itemOf(node, slot, index, exhibit);
    const list = { issuer: item.issuer, items: [{ ...item, obligation }] };
    const signature = hex(await this.city.sign("Evidences", this.address, list, exhibit.issuer));
    return { ...item, proof: inclusionProof(leaves, index), signature };
  }

  /** Bits of the basis that name what an honest verifier would rest on; and all bits. */
  async bases(node: number): Promise<{ sound: bigint; all: bigint }> {
    let [sound, all] = [0n, 0n];
    for (const slot of await this.present(node)) {
      const { exhibits } = await this.#hand(node, slot);
      for (const [index, exhibit] of exhibits.entries()) {
        const bit = 1n << BigInt(32 * slot + index);
        all |= bit;
        if (this.#isSound(node, exhibit)) sound |= bit;
      }
    }
    return { sound, all };
  }

  /** Items worth handing in: whose issuer is entitled; or all of them. */
  async items(node: number, reckless = false) {
    const items = [];
    for (const slot of await this.present(node)) {
      const { exhibits } = await this.#hand(node, slot);
      for (const [index, exhibit] of exhibits.entries()) {
        if (reckless || this.#isEntitled(exhibit)) items.push(await this.exhibit(node, slot, index));
      }
    }
    return items;
  }

  /** Verdicts with a basis of one kind, items of another. */
  override async clear(node: number, options: ClearOptions & { reckless?: boolean } = {}) {
    await networkHelpers.mine();
    const panel = [...(await this.contract.panelOf(node))];
    const openings = [];
    for (let slot = 0; slot < this.node(node).redundancy; slot++) openings.push(await this.opening(node, slot));
    const { sound } = await this.bases(node);
    const verdicts = [];
    for (const verifier of panel.slice(options.absent ?? 0)) {
      for (const question of [0, 1]) {
        if (((this.node(node).questions >> question) & 1) === 0) continue;
        verdicts.push(await this.verdict(node, verifier, { basis: sound, ...options, question }));
      }
    }
    const items = options.unproven === true ? [] : await this.items(node, options.reckless);
    return this.contract.clear(packed({ node, openings, verdicts, items }));
  }

  /** As careful as chance has it: on what is sound, on everything, on everything with proofs of no worth. */
  async clearSomehow(node: number) {
    const { all } = await this.bases(node);
    return this.clear(node, this.chance().pick([{}, { basis: all }, { basis: all, reckless: true }, { basis: all, reckless: true }]));
  }

  override async approval(node: number, share = 10_000, proofs?: []): Promise<Hex> {
    const { sound, all } = await this.bases(node);
    const random = this.chance();
    const openings = [];
    for (let slot = 0; slot < this.node(node).redundancy; slot++) openings.push(await this.opening(node, slot));
    const items = proofs ?? (random.int(2) === 0 ? [] : await this.items(node));
    return encodeActionData("APPROVE_POP", [random.int(4) === 0 ? all : sound, share, openings, items]);
  }

  #isSound(node: number, exhibit: Exhibit): boolean {
    return this.#isEntitled(exhibit) && geq(meet(exhibit.claimed, exhibit.issued), asClass(this.node(node).floor));
  }

  #isEntitled({ issued, issuer }: Exhibit): boolean {
    return this.parties().honest.get(issued)?.address === issuer.address;
  }

  chance(): RandomStream {
    if (this.random === undefined) throw new Error("a fuzz mission needs chance");
    return this.random;
  }

  parties(): Issuers {
    if (this.issuers === undefined) throw new Error("a fuzz mission needs issuers");
    return this.issuers;
  }
}

const asClass = (code: number): EvidenceClass => {
  const found = Object.values(EvidenceClass).find((one) => one === code);
  if (found === undefined) throw new Error(`no class ${code}`);
  return found;
};

function itemOf(node: number, slot: number, index: number, { issued, issuer }: Exhibit) {
  return { slot, index, kind: 1, payload: hex(id(`payload ${node}`)), issuer: addressSchema.parse(issuer.address), class: issued };
}
