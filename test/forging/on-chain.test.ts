/**
 * Attempts to give evidence a class on chain that it did not earn (decisions 19–21, 31). Each bends one thing of an item that would have
 * risen; nothing of it may reach a decision.
 */
import { expect } from "chai";
import { AbiCoder, id, keccak256, TypedDataEncoder, type Wallet } from "ethers";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { typesOf } from "../../orchestrator/protocol/typed-data.ts";
import { EvidenceClass } from "../../orchestrator/rules/admissibility.ts";
import { commitmentOf, type EvidenceEntry, evidenceLeafOf, type Opening } from "../../orchestrator/rules/commitments.ts";
import { inclusionProof, merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";
import { ethers, keyOf, loadFixture, networkHelpers } from "../support/city-fixture.ts";
import { Action, Clearing, NodeState, openMission, packed, TASK } from "../support/mission-fixture.ts";

type ClassName = keyof typeof EvidenceClass;
const CLASSES = ["SIGN", "WIT", "REC", "ATT", "PROOF"] as const;
type Aim = (typeof CLASSES)[number];
const hex = (text: string) => hexSchema.parse(text);
const abi = AbiCoder.defaultAbiCoder();

/** Node k's floor is class k + 1; the last node has two executors, who seal what they hand in. */
const nodeOf = (aim: Aim) => CLASSES.indexOf(aim);
const SEALED = CLASSES.length;
const NODES = [
  ...CLASSES.map((floor) => ({ ...TASK, floor: EvidenceClass[floor] })),
  { ...TASK, floor: EvidenceClass.ATT, tier: 2, redundancy: 2, threshold: 2 },
];
const MEASUREMENT = id("the code that was reviewed");
const platform = keyOf("platform");
/** Answers of the harness that are no consent. */
const MOODS = { "says no": 1, reverts: 2, "answers another word": 3, "answers nothing": 4, "answers with a flood": 5, "burns its gas": 6 };

/** Every node routed; issuers of each class registered, each of a house of its own. */
async function routed() {
  const mission = await (await (await openMission({ nodes: NODES })).activate()).awardAll();
  await mission.route(...NODES.keys());
  const { evidence } = mission.city;
  const house = (name: string) => keyOf(`${name}'s house`).address;
  const register = async (name: string, address: string, ...classes: ClassName[]) =>
    evidence.registerIssuer(
      address,
      house(name),
      classes.reduce((mask, name) => mask | (1 << EvidenceClass[name]), 0),
    );
  const keys = { witness: keyOf("witness"), shop: keyOf("shop"), runner: keyOf("two-class runner"), prover: keyOf("prover") };
  await register("witness", keys.witness.address, "WIT");
  await register("shop", keys.shop.address, "REC");
  await register("two-class runner", keys.runner.address, "REC", "ATT");
  await register("prover", keys.prover.address, "PROOF");
  const preimage = String(await (await ethers.deployContract("PreimageVerifier")).getAddress());
  await register("preimage", preimage, "PROOF");
  const enclave = String(await (await ethers.deployContract("QuoteAdapter", [platform.address, MEASUREMENT])).getAddress());
  await register("enclave", enclave, "ATT");
  return { mission, ...keys, issuer: mission.city.issuer, preimage, enclave, register };
}
type Scene = Awaited<ReturnType<typeof routed>>;

/** An item that its issuer signs, or a contract vouches for by `proof`; the envelope claims `claim` for it. */
interface Piece {
  readonly by: Wallet | string;
  readonly class: ClassName;
  readonly claim?: ClassName | number;
  readonly payload?: string;
  readonly proof?: (statement: string, obligation: string) => string | Promise<string>;
}

/** What is bent. */
interface Bend {
  /** Signs instead of the issuer. */
  readonly signer?: Wallet;
  /** What the signature is over, where that differs. */
  readonly signed?: Partial<EvidenceEntry & { obligation: string }>;
  readonly clone?: string;
  /** Obligation of the leaves in the envelope. */
  readonly leaf?: string;
  /** Item k of the basis is bit k; all items unless told. */
  readonly basis?: bigint;
  /** What is shown of the envelope; everything unless told. */
  readonly shown?: (items: readonly Shown[]) => readonly Shown[];
  readonly opened?: (opening: Opening) => Opening;
  readonly meanwhile?: () => Promise<unknown>;
}
type Shown = EvidenceEntry & { readonly proof: readonly string[]; readonly signature: string };

let scene: Scene;
const entriesOf = (pieces: readonly Piece[], slot = 0): EvidenceEntry[] =>
  pieces.map((piece, index) => ({
    slot,
    index,
    kind: 1,
    payload: hex(piece.payload ?? id("payload")),
    issuer: addressSchema.parse(typeof piece.by === "string" ? piece.by : piece.by.address),
    class: EvidenceClass[piece.class],
  }));

function openingOf(pieces: readonly Piece[], leaves: readonly `0x${string}`[]): Opening {
  const code = ({ claim, class: own }: Piece) => BigInt(typeof claim === "number" ? claim : EvidenceClass[claim ?? own]);
  return {
    salt: hex(id("salt")),
    outputHash: hex(id("output")),
    trailRoot: hex(id("trail")),
    envelopeRoot: merkleRoot(leaves),
    items: pieces.length,
    classes: pieces.reduce((word, piece, index) => word | (code(piece) << BigInt(3 * index)), 0n),
  };
}

const domainOf = (clone: string) => ({ name: "AgentCity", version: "1", chainId: 31337n, verifyingContract: clone });

/** Commits an envelope at the node whose floor is aimed at, and asks for clearing on it: a PASS of the panel that rests on its items. */
async function offer(aim: Aim, pieces: readonly Piece[], bend: Bend = {}) {
  const { mission } = scene;
  const node = nodeOf(aim);
  const obligation = hex(await mission.contract.obligationOf(node));
  const entries = entriesOf(pieces);
  const leaves = entries.map((entry) => evidenceLeafOf(hex(bend.leaf ?? obligation), entry));
  const opening = openingOf(pieces, leaves);
  await commitAs(node, opening);
  await networkHelpers.mine();
  await bend.meanwhile?.();
  const items: Shown[] = [];
  for (const [index, entry] of entries.entries()) {
    const piece = pieces[index];
    const said = { ...entry, obligation, ...bend.signed };
    const message = { issuer: said.issuer, items: [said] };
    const clone = bend.clone ?? mission.address;
    const signer = bend.signer ?? (typeof piece?.by === "object" ? piece.by : mission.city.issuer);
    const types = typesOf("Evidences");
    const signature =
      piece?.proof === undefined
        ? await signer.signTypedData(domainOf(clone), types, message)
        : await piece.proof(TypedDataEncoder.hash(domainOf(clone), types, message), said.obligation);
    items.push({ ...entry, proof: inclusionProof(leaves, index), signature });
  }
  const basis = bend.basis ?? (1n << BigInt(pieces.length)) - 1n;
  return orderOf(node, [bend.opened?.(opening) ?? opening], (bend.shown?.(items) ?? items).slice(), basis);
}

async function orderOf(node: number, openings: readonly Opening[], items: readonly Shown[], basis: bigint) {
  const { mission } = scene;
  const verdicts = [];
  for (const verifier of await mission.contract.panelOf(node)) verdicts.push(await mission.verdict(node, verifier, { basis }));
  return { node, openings: [...openings], verdicts, items: items.map((item) => ({ ...item, proof: [...item.proof] })) };
}

/** Commits openly under the executor's name, by whosever signature. */
async function commitAs(
  node: number,
  opening: Opening,
  bent: { key?: Wallet; node?: number; attempt?: bigint; clone?: string; deadline?: bigint } = {},
) {
  const { mission } = scene;
  const { agent } = await mission.executorOf(node);
  const obligation = hex(await mission.contract.obligationOf(node));
  const commitment = commitmentOf(addressSchema.parse(agent.address), opening, obligation);
  const { attempt } = await mission.contract.nodeOf(node);
  const deadline = bent.deadline ?? (await mission.soon());
  const message = { agent: agent.address, node: bent.node ?? node, slot: 0, attempt: bent.attempt ?? attempt, commitment, deadline };
  const signature = await mission.city.sign("Commit", bent.clone ?? mission.address, message, bent.key ?? agent);
  return mission.contract.commitOpen(node, 0, opening, deadline, signature);
}

const bare = (claim: ClassName | number = "SIGN"): Piece => ({ by: keyOf("nobody"), class: "SIGN", claim });
const own = (name: keyof Pick<Scene, "witness" | "shop" | "runner" | "prover" | "issuer">, of: ClassName, claim?: ClassName): Piece => ({
  by: scene[name],
  class: of,
  ...(claim === undefined ? {} : { claim }),
});
const none = () => [];
/** An opening of one item that claims to be signed, and no more. */
const plain = () => openingOf([bare()], [hex(id("leaf"))]);
const quote = async (statement: string, key = platform, measurement = MEASUREMENT) =>
  abi.encode(
    ["bytes32", "bytes"],
    [measurement, key.signingKey.sign(keccak256(abi.encode(["bytes32", "bytes32"], [measurement, statement]))).serialized],
  );
const enclave = (proof: NonNullable<Piece["proof"]>): Piece => ({ by: scene.enclave, class: "ATT", proof });
const SECRET = hex(id("what was known"));
const proven = (obligation: string) => keccak256(abi.encode(["bytes32", "bytes32"], [obligation, keccak256(SECRET)]));
async function preimage(aim: Aim = "PROOF"): Promise<Piece> {
  const obligation = await scene.mission.contract.obligationOf(nodeOf(aim));
  return { by: scene.preimage, class: "PROOF", payload: proven(obligation), proof: () => SECRET };
}
/** The other half of the curve: the same signature to a careless reader. */
function mirrored(signature: string): string {
  const { r, s, v } = ethers.Signature.from(signature);
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  return ethers.concat([r, ethers.toBeHex(order - BigInt(s), 32), ethers.toBeHex(v === 27 ? 28 : 27)]);
}
async function inHouse(aim: Aim, of: ClassName): Promise<Wallet> {
  const { agent } = await scene.mission.executorOf(nodeOf(aim));
  const key = keyOf("in-house issuer");
  const principal = await scene.mission.city.producers.principalOf(agent.address);
  await scene.mission.city.evidence.registerIssuer(key.address, principal, 1 << EvidenceClass[of]);
  return key;
}

/** The name of the error that stops an attempt; "no weight": it is admitted for what it is, and a verdict on it counts for nothing. */
type Guard = string;
type Order = Awaited<ReturnType<typeof offer>>;

interface Attempt {
  readonly aims: Aim;
  readonly guard: Guard;
  readonly tries: string;
  /** Ends in a clearing of the bent item, or in a call that never gets so far. */
  readonly order?: () => Promise<Order>;
  readonly call?: () => Promise<unknown>;
}

const ATTEMPTS: readonly Attempt[] = [
  // SIGN: the executor's own key, over this attempt at this node.
  {
    aims: "SIGN",
    guard: "InvalidSignature",
    tries: "a commitment by anybody's key",
    call: () => commitAs(0, plain(), { key: keyOf("x") }),
  },
  {
    aims: "SIGN",
    guard: "InvalidSignature",
    tries: "a commitment by its executor to another node",
    call: () => commitAs(0, plain(), { node: 1 }),
  },
  { aims: "SIGN", guard: "InvalidSignature", tries: "a commitment to another attempt", call: () => commitAs(0, plain(), { attempt: 1n }) },
  {
    aims: "SIGN",
    guard: "InvalidSignature",
    tries: "a commitment to another mission",
    call: () => commitAs(0, plain(), { clone: keyOf("clone").address }),
  },
  { aims: "SIGN", guard: "Expired", tries: "a commitment whose time is over", call: () => commitAs(0, plain(), { deadline: 1n }) },
  {
    aims: "SIGN",
    guard: "OpeningMismatch",
    tries: "another output under the commitment",
    order: () => offer("SIGN", [bare()], { shown: none, opened: (o) => ({ ...o, outputHash: hex(id("other")) }) }),
  },
  {
    aims: "SIGN",
    guard: "OpeningMismatch",
    tries: "a self-report raised after the commitment",
    order: () => offer("SIGN", [bare(), bare("SELF")], { shown: none, opened: (o) => ({ ...o, classes: 9n }) }),
  },
  {
    aims: "SIGN",
    guard: "OpeningMismatch",
    tries: "an item added after the commitment",
    order: () => offer("SIGN", [bare()], { shown: none, opened: (o) => ({ ...o, items: 2, classes: 9n }) }),
  },
  {
    aims: "SIGN",
    guard: "ClaimsTooLittle",
    tries: "a self-report relied on as it is",
    call: () => offer("SIGN", [bare("SELF")], { shown: none }),
  },
  {
    aims: "SIGN",
    guard: "ClaimsTooLittle",
    tries: "a code that names no class, greater than all",
    call: () => offer("SIGN", [bare(7)], { shown: none }),
  },
  {
    aims: "SIGN",
    guard: "no weight",
    tries: "a self-report beside what was signed, relied on as it is",
    order: () => offer("SIGN", [bare(), bare("SELF")], { shown: none }),
  },
  {
    aims: "SIGN",
    guard: "no weight",
    tries: "an item that the envelope does not have",
    order: () => offer("SIGN", [bare()], { shown: none, basis: 2n }),
  },
  {
    aims: "SIGN",
    guard: "no weight",
    tries: "an item of an executor that does not exist",
    order: () => offer("SIGN", [bare()], { shown: none, basis: 1n | (1n << 32n) }),
  },
  { aims: "SIGN", guard: "no weight", tries: "a basis of nothing", order: () => offer("SIGN", [bare()], { shown: none, basis: 0n }) },

  // WIT
  {
    aims: "WIT",
    guard: "EvidenceMissing",
    tries: "the executor's word that there was a witness",
    order: () => offer("WIT", [bare("WIT")], { shown: none }),
  },
  {
    aims: "WIT",
    guard: "ClaimsTooLittle",
    tries: "a receipt in a witness's place: neither is above the other",
    call: () => offer("WIT", [own("shop", "REC")]),
  },
  {
    aims: "WIT",
    guard: "no weight",
    tries: "a receipt beside a witness, relied on alone",
    order: () => offer("WIT", [own("witness", "WIT"), own("shop", "REC")], { basis: 2n }),
  },
  {
    aims: "WIT",
    guard: "EvidenceMissing",
    tries: "a receipt claimed as a witness",
    order: () => offer("WIT", [own("shop", "REC", "WIT")]),
  },
  {
    aims: "WIT",
    guard: "IssuerNotRegistered",
    tries: "a witness nobody registered",
    order: () => offer("WIT", [{ by: keyOf("x"), class: "WIT" }]),
  },
  { aims: "WIT", guard: "IssuerNotRegistered", tries: "a shop that bears witness", order: () => offer("WIT", [own("shop", "WIT")]) },
  {
    aims: "WIT",
    guard: "IssuerConflict",
    tries: "a witness of the executor's house",
    order: async () => offer("WIT", [{ by: await inHouse("WIT", "WIT"), class: "WIT" }]),
  },

  // REC
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "a receipt in the shop's name, signed by its executor",
    order: async () => offer("REC", [own("shop", "REC")], { signer: (await scene.mission.executorOf(nodeOf("REC"))).agent }),
  },
  {
    aims: "REC",
    guard: "IssuerConflict",
    tries: "a receipt of the sponsor's house",
    order: async () => {
      await scene.mission.city.evidence.registerIssuer(keyOf("till").address, scene.mission.city.sponsor.address, 1 << EvidenceClass.REC);
      return offer("REC", [{ by: keyOf("till"), class: "REC" }]);
    },
  },
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "a receipt of another node's obligation",
    order: async () => offer("REC", [own("shop", "REC")], { signed: { obligation: await scene.mission.contract.obligationOf(0) } }),
  },
  {
    aims: "REC",
    guard: "ItemNotInEnvelope",
    tries: "another node's whole leaf",
    order: async () => offer("REC", [own("shop", "REC")], { leaf: await scene.mission.contract.obligationOf(0) }),
  },
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "a receipt of another mission",
    order: () => offer("REC", [own("shop", "REC")], { clone: keyOf("clone").address }),
  },
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "a receipt of another executor",
    order: () => offer("REC", [own("shop", "REC")], { signed: { slot: 1 } }),
  },
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "one receipt for two items",
    order: () => offer("REC", [own("shop", "REC"), own("shop", "REC")], { signed: { index: 0 } }),
  },
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "a receipt for other goods",
    order: () => offer("REC", [own("shop", "REC")], { signed: { payload: hex(id("cheaper goods")) } }),
  },
  {
    aims: "REC",
    guard: "InvalidSignature",
    tries: "a receipt renamed another kind",
    order: () => offer("REC", [own("shop", "REC")], { signed: { kind: 2 } }),
  },
  {
    aims: "REC",
    guard: "IssuerNotRegistered",
    tries: "a receipt of a shop that was struck off",
    order: () => offer("REC", [own("shop", "REC")], { meanwhile: () => scene.mission.city.evidence.revoke(scene.shop.address) }),
  },
  {
    aims: "REC",
    guard: "IssuerNotRegistered",
    tries: "a receipt of a suspended house",
    order: () =>
      offer("REC", [own("shop", "REC")], { meanwhile: () => scene.mission.city.evidence.suspend(keyOf("shop's house").address, true) }),
  },

  // ATT
  {
    aims: "ATT",
    guard: "IssuerNotRegistered",
    tries: "an executor that attests itself",
    order: async () => offer("ATT", [{ by: (await scene.mission.executorOf(nodeOf("ATT"))).agent, class: "ATT" }]),
  },
  { aims: "ATT", guard: "IssuerNotRegistered", tries: "a shop that attests", order: () => offer("ATT", [own("shop", "ATT")]) },
  {
    aims: "ATT",
    guard: "InvalidSignature",
    tries: "a receipt relabelled ATT after its issuer, who may both, signed",
    order: () => offer("ATT", [own("runner", "ATT")], { signed: { class: EvidenceClass.REC } }),
  },
  {
    aims: "ATT",
    guard: "EvidenceMissing",
    tries: "a receipt in an envelope that claims ATT",
    order: () => offer("ATT", [own("runner", "REC", "ATT")]),
  },
  {
    aims: "ATT",
    guard: "ClaimsTooLittle",
    tries: "an attestation in an envelope that claimed a receipt",
    call: () => offer("ATT", [own("runner", "ATT", "REC")]),
  },
  {
    aims: "ATT",
    guard: "ClaimsTooLittle",
    tries: "a witness and a receipt added up",
    call: () => offer("ATT", [own("witness", "WIT"), own("shop", "REC")]),
  },
  {
    aims: "ATT",
    guard: "no weight",
    tries: "an attestation that the envelope claimed as a receipt, relied on beside one that it did not",
    order: () => offer("ATT", [own("issuer", "ATT"), own("runner", "ATT", "REC")]),
  },
  {
    aims: "ATT",
    guard: "no weight",
    tries: "a self-signed log beside an attestation",
    order: () => offer("ATT", [own("issuer", "ATT"), bare()], { shown: (items) => items.slice(0, 1) }),
  },
  {
    aims: "ATT",
    guard: "EvidenceMissing",
    tries: "an attestation beside one that is never shown",
    order: () => offer("ATT", [own("issuer", "ATT"), own("issuer", "ATT")], { shown: (items) => items.slice(0, 1) }),
  },
  {
    aims: "ATT",
    guard: "ItemNotInEnvelope",
    tries: "the proof of another leaf",
    order: () =>
      offer("ATT", [own("issuer", "ATT"), bare()], { shown: ([one, two]) => (one && two ? [{ ...one, proof: two.proof }] : []) }),
  },
  {
    aims: "ATT",
    guard: "ItemNotInEnvelope",
    tries: "an attestation shown in a weaker item's place",
    order: () => offer("ATT", [own("issuer", "ATT"), bare()], { shown: ([one]) => (one ? [{ ...one, index: 1 }] : []) }),
  },
  {
    aims: "ATT",
    guard: "NotCommitted",
    tries: "an attestation of an executor who is not there",
    order: () => offer("ATT", [own("issuer", "ATT")], { shown: ([one]) => (one ? [{ ...one, slot: 3 }] : []) }),
  },
  {
    aims: "ATT",
    guard: "InvalidSignature",
    tries: "the mirror of a signature",
    order: () => offer("ATT", [own("issuer", "ATT")], { shown: ([one]) => (one ? [{ ...one, signature: mirrored(one.signature) }] : []) }),
  },
  {
    aims: "ATT",
    guard: "InvalidSignature",
    tries: "no signature at all, by issuer zero's recovery",
    order: () => offer("ATT", [own("issuer", "ATT")], { shown: ([one]) => (one ? [{ ...one, signature: `0x${"00".repeat(65)}` }] : []) }),
  },
  { aims: "ATT", guard: "ItemNotInEnvelope", tries: "a sealed neighbour's attestation, copied", order: () => copied() },
  {
    aims: "ATT",
    guard: "ProofRejected",
    tries: "a quote about another item",
    order: () => offer("ATT", [enclave(() => quote(id("another item")))]),
  },
  {
    aims: "ATT",
    guard: "ProofRejected",
    tries: "a quote of the same enclave for another node",
    order: async () =>
      offer("ATT", [enclave((statement) => quote(statement))], { signed: { obligation: await scene.mission.contract.obligationOf(0) } }),
  },
  {
    aims: "ATT",
    guard: "ProofRejected",
    tries: "a quote of other code",
    order: () => offer("ATT", [enclave((statement) => quote(statement, platform, id("patched code")))]),
  },
  {
    aims: "ATT",
    guard: "ProofRejected",
    tries: "a quote of a platform of one's own",
    order: () => offer("ATT", [enclave((statement) => quote(statement, keyOf("garage")))]),
  },
  { aims: "ATT", guard: "ProofRejected", tries: "bytes that are no quote", order: () => offer("ATT", [enclave(() => "0x01")]) },
  {
    aims: "ATT",
    guard: "IssuerNotRegistered",
    tries: "an adapter of one's own, over the right quote",
    order: async () => {
      const mine = await ethers.deployContract("QuoteAdapter", [platform.address, MEASUREMENT]);
      return offer("ATT", [{ by: await mine.getAddress(), class: "ATT", proof: (statement) => quote(statement) }]);
    },
  },
  { aims: "ATT", guard: "BelowFloor", tries: "a human's approval of what was never proven", call: () => approvedUnproven() },

  // PROOF
  {
    aims: "PROOF",
    guard: "ProofRejected",
    tries: "a registered key that signs instead of proving",
    order: () => offer("PROOF", [own("prover", "PROOF")]),
  },
  {
    aims: "PROOF",
    guard: "ProofRejected",
    tries: "a registered key that lent its account to code which says yes",
    order: () => offer("PROOF", [{ by: scene.prover, class: "PROOF" }], { meanwhile: lend }),
  },
  {
    aims: "PROOF",
    guard: "EvidenceMissing",
    tries: "an attestation in an envelope that claims a proof",
    order: () => offer("PROOF", [own("issuer", "ATT", "PROOF")]),
  },
  {
    aims: "PROOF",
    guard: "IssuerNotRegistered",
    tries: "a verifier of one's own, which says yes",
    order: async () => offer("PROOF", [{ by: await oracle(0), class: "PROOF", proof: () => "0x" }]),
  },
  {
    aims: "PROOF",
    guard: "IssuerNotRegistered",
    tries: "an enclave that says it proves",
    order: async () => offer("PROOF", [{ by: scene.enclave, class: "PROOF", proof: (statement) => quote(statement) }]),
  },
  {
    aims: "PROOF",
    guard: "ProofRejected",
    tries: "another node's proof",
    order: async () => {
      const payload = proven(await scene.mission.contract.obligationOf(0));
      return offer("PROOF", [{ ...(await preimage()), payload }]);
    },
  },
  {
    aims: "PROOF",
    guard: "ProofRejected",
    tries: "a proof of something else",
    order: async () => offer("PROOF", [{ ...(await preimage()), payload: id("something else") }]),
  },
  {
    aims: "PROOF",
    guard: "ProofRejected",
    tries: "a guess",
    order: async () => offer("PROOF", [{ ...(await preimage()), proof: () => id("a guess") }]),
  },
  ...Object.entries(MOODS).map(
    ([what, mood]): Attempt => ({
      aims: "PROOF",
      guard: "ProofRejected",
      tries: `a verifier that ${what}`,
      order: async () => {
        const by = await oracle(mood);
        await scene.register(what, by, "PROOF");
        return offer("PROOF", [{ by, class: "PROOF", proof: () => "0x" }]);
      },
    }),
  ),
];

async function oracle(mood: number): Promise<string> {
  const contract = await ethers.deployContract("OracleHarness");
  await contract.getFunction("become")(mood);
  return contract.getAddress();
}

/** 23 bytes that answer `true` to anything: as long as the code of a delegated account (EIP-7702), which this chain does not know. */
const lend = () => networkHelpers.setCode(scene.prover.address, `0x600160005260206000f3${"00".repeat(13)}`);

/** Two executors sealed the same output; one has an attestation, and the other shows it as its own. */
async function copied(): Promise<Order> {
  const { mission } = scene;
  const obligation = hex(await mission.contract.obligationOf(SEALED));
  const attested = entriesOf([own("issuer", "ATT")]);
  const leaves = attested.map((entry) => evidenceLeafOf(obligation, entry));
  const opening = openingOf([own("issuer", "ATT")], leaves);
  for (const slot of [0, 1]) {
    const { agent } = await mission.executorOf(SEALED, slot);
    const commitment = commitmentOf(addressSchema.parse(agent.address), opening, obligation);
    const deadline = await mission.soon();
    const message = { agent: agent.address, node: SEALED, slot, attempt: 0, commitment, deadline };
    await mission.contract.commit(SEALED, slot, commitment, deadline, await mission.city.sign("Commit", mission.address, message, agent));
  }
  for (const slot of [0, 1]) await mission.contract.reveal(SEALED, slot, opening);
  await networkHelpers.mine();
  const [entry] = attested;
  if (entry === undefined) throw new Error("no item");
  const signature = await mission.city.sign(
    "Evidences",
    mission.address,
    { issuer: entry.issuer, items: [{ ...entry, obligation }] },
    mission.city.issuer,
  );
  const item = { ...entry, proof: inclusionProof(leaves, 0), signature };
  return orderOf(SEALED, [opening, opening], [item, { ...item, slot: 1 }], 1n | (1n << 32n));
}

/** The panel was unsure, so that a human may decide: on evidence that passes the same floor. */
async function approvedUnproven() {
  const { mission } = scene;
  const node = nodeOf("ATT");
  const order = await offer("ATT", [own("issuer", "ATT")]);
  const [verifier = ""] = await mission.contract.panelOf(node);
  await mission.contract.clear(packed({ ...order, verdicts: [await mission.verdict(node, verifier, { basis: 1n, confidence: 1 })] }));
  expect(await mission.stateOf(node)).to.equal(NodeState.PENDING_REVIEW);
  return mission.override(Action.APPROVE_POP, node, encodeActionData("APPROVE_POP", [1n, 10_000, order.openings, []]));
}

describe("forging on chain", () => {
  beforeEach(async () => {
    scene = await loadFixture(routed);
  });

  const HONEST: Readonly<Record<Aim, () => Promise<Piece>>> = {
    SIGN: async () => bare(),
    WIT: async () => own("witness", "WIT"),
    REC: async () => own("shop", "REC"),
    ATT: async () => own("issuer", "ATT"),
    PROOF: () => preimage(),
  };
  for (const aim of CLASSES) {
    it(`starts from an item that earns ${aim}`, async () => {
      const order = await offer(aim, [await HONEST[aim]()], aim === "SIGN" ? { shown: none } : {});
      const [decision] = await scene.mission.contract.previewClear(packed(order));
      expect([decision?.result, decision?.class]).to.deep.equal([BigInt(Clearing.PASS), BigInt(EvidenceClass[aim])]);
    });
  }

  it("lets an enclave earn ATT by a quote about this very item", async () => {
    await scene.mission.contract.clear(packed(await offer("ATT", [enclave((statement) => quote(statement))])));
    expect(await scene.mission.stateOf(nodeOf("ATT"))).to.equal(NodeState.COMPLETED);
  });

  for (const { aims, guard, tries, order, call } of ATTEMPTS) {
    it(`${aims}, ${guard}: ${tries}`, async () => {
      const { mission } = scene;
      const node = nodeOf(aims);
      if (call !== undefined) await expect(call()).to.be.revertedWithCustomError(mission.contract, guard);
      if (order !== undefined) {
        const given = await order();
        const cleared = mission.contract.clear(packed(given));
        if (guard === "no weight")
          await expect(cleared).to.emit(mission.contract, "Cleared").withArgs(node, 0, Clearing.UNVERIFIABLE, 0, 0, 0, 0, 0);
        else await expect(cleared).to.be.revertedWithCustomError(mission.contract, guard);
      }
      expect(await mission.stateOf(node)).to.not.equal(NodeState.COMPLETED);
      expect((await mission.contract.entitlementOf(node, 0)).paid).to.equal(0);
    });
  }

  it("tries at least thirty ways, each class and each guard among them", () => {
    expect(new Set(ATTEMPTS.map(({ tries }) => tries)).size)
      .to.equal(ATTEMPTS.length)
      .and.to.be.at.least(30);
    expect(CLASSES.filter((aim) => ATTEMPTS.filter(({ aims }) => aims === aim).length < 5)).to.deep.equal([]);
  });
});
