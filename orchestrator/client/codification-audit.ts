import { addressSchema } from "../primitives/address.ts";
import { keccak256 } from "../primitives/hash.ts";
import { type Address, type Hash, type Hex, hexToBytes } from "../primitives/hex.ts";
import { canonicalBytes } from "../primitives/json.ts";
import { TIER } from "../primitives/tier.ts";
import type { MissionDocument } from "../protocol/mission-document.ts";
import { EvidenceClass } from "../rules/admissibility.ts";
import { servicesRootOf } from "../rules/admissions.ts";
import { Band, decodeLaw, type LawHeader, type LawNode, lawLength, MAX_NODES, Risk, specHashOf } from "../rules/law-codec.ts";
import { type CodeShape, type OpcodeName, shapeOf } from "./bytecode.ts";
import { admittedBy, lawNodeOf, recompileLaw, statedGoalHash } from "./compile-law.ts";
import { keepsParentFloor, type LawLimits, riskOfBudget, riskOfExposure } from "./law-limits.ts";

/** Manipulations that a codifier could attempt (AgentCity A.7, Table 10). */
export const MANIPULATIONS = {
  M1: "opcode injection",
  M2: "missing access control",
  M3: "topology divergence",
  M4: "selector omission",
  M5: "logic backdoor",
  M6: "parameter manipulation",
  M7: "unbounded loop",
  M8: "reentrancy",
} as const;
export type Manipulation = keyof typeof MANIPULATIONS;

export interface Finding {
  readonly manipulation: Manipulation;
  /** A node, a contract, or "law". */
  readonly subject: string;
  readonly problem: string;
}

/** The result of an audit. A clean report is the same for every auditor of the spec: its hash goes on chain. */
export interface CodificationReport {
  readonly specHash: Hash;
  readonly checked: readonly Manipulation[];
  readonly findings: readonly Finding[];
}

/** One contract of a mission's code, as deployed and as reviewed. */
export interface CodePart {
  readonly name: string;
  readonly address: Address;
  /** Runtime code on chain. */
  readonly live: Hex;
  /** Runtime code that this version was built and tested with; zero where deployment fills in values. */
  readonly reviewed: Hex;
  /** Byte ranges filled in at deployment: immutables, library addresses, a library's own address. */
  readonly holes: readonly { readonly start: number; readonly length: number }[];
  /** Libraries called by DELEGATECALL, and the positions of their addresses. */
  readonly libraries: readonly { readonly name: string; readonly starts: readonly number[] }[];
}

/** Facts from the chain that the audit rests on, apart from document and law. */
export interface CodificationFacts {
  readonly session: bigint;
  /** The ballot's choice. */
  readonly chosen: Hash;
  readonly goalHash: Hash;
  /** Smallest unit. */
  readonly deposit: bigint;
  readonly limits: LawLimits;
  /** Gate predicates approved by adjudicators, among those the law names. */
  readonly predicates: readonly number[];
  readonly template: {
    /** Audit hash in the registry, and of this version's build. */
    readonly auditHash: Hash;
    readonly reviewedHash: Hash;
    /** Selectors of the reviewed interface: each has a row in the access matrix (docs/authority.md). */
    readonly selectors: readonly Hex[];
    /** The template first, then every library that it uses. */
    readonly parts: readonly CodePart[];
  };
}

interface Spec {
  readonly document: MissionDocument;
  readonly header: LawHeader;
  readonly nodes: readonly LawNode[];
  readonly facts: CodificationFacts;
  /** Shapes of the parts, in order. */
  readonly shapes: readonly CodeShape[];
}

type Problem = Omit<Finding, "manipulation">;

const WORST: readonly OpcodeName[] = ["SELFDESTRUCT", "CALLCODE", "CREATE", "CREATE2"];
const MAX_REDUNDANCY = 5;
const MAX_PANEL = 7;

/**
 * The Codification Audit (AgentCity A.7): compares what is about to be deployed with what was legislated, class by class. Pure: the same
 * bytes and chain state give the same findings. Throws if the document is not a mission specification.
 */
export function auditCodification(documentBytes: Uint8Array, law: Hex, facts: CodificationFacts): CodificationReport {
  const compiled = recompileLaw(documentBytes);
  const given = { ...compiled, law, lawHash: keccak256(law) };
  const malformed = formOf(law);
  const shapes = facts.template.parts.map(({ live }) => shapeOf(live));
  const found = (manipulation: Manipulation, problems: readonly Problem[]) => problems.map((problem) => ({ manipulation, ...problem }));
  const code = [...found("M1", opcodes(facts, shapes)), ...found("M2", unguarded(facts, shapes)), ...found("M4", omitted(facts, shapes))];
  const sameLaw = law.toLowerCase() === compiled.law.toLowerCase();
  const specHash = specHashOf(given.lawHash, given.docHash);
  const backdoors = found("M5", backdoored(facts, specHash, sameLaw));
  if (malformed !== undefined) return report(specHash, [malformed, ...code, ...backdoors]);
  const spec: Spec = { document: compiled.document, ...decodeLaw(law), facts, shapes };
  return report(specHash, [
    ...code,
    ...found("M3", divergent(spec)),
    ...backdoors,
    ...found("M6", manipulated(spec)),
    ...found("M7", unbounded(spec)),
    ...found("M8", reentrant(spec)),
  ]);
}

/** The hash of a report, which `recordResult` puts on chain. */
export function reportHash(report: CodificationReport): Hash {
  return keccak256(canonicalBytes(report));
}

/** The report of an audit without findings: the only one with which a law is deployed. */
export function cleanReport(specHash: Hash): CodificationReport {
  return report(specHash, []);
}

/** One hash over the facts of an audit: the intermediate artifact of the delegation. Code is represented by its hash. */
export function factsHash(facts: CodificationFacts): Hash {
  const { session, deposit, limits, template, ...rest } = facts;
  return keccak256(
    canonicalBytes({
      ...rest,
      session: session.toString(),
      deposit: deposit.toString(),
      limits: { ...limits, mediumRiskFrom: limits.mediumRiskFrom.toString(), highRiskFrom: limits.highRiskFrom.toString() },
      template: {
        ...template,
        parts: template.parts.map(({ name, address, live, reviewed }) => ({
          name,
          address,
          live: keccak256(live),
          reviewed: keccak256(reviewed),
        })),
      },
    }),
  );
}

function report(specHash: Hash, findings: readonly Finding[]): CodificationReport {
  return {
    specHash,
    checked: Object.keys(MANIPULATIONS).filter((key): key is Manipulation => key in MANIPULATIONS),
    findings: [...findings].sort((a, b) => (a.manipulation < b.manipulation ? -1 : a.manipulation > b.manipulation ? 1 : 0)),
  };
}

/** A law's bytes become part of the clone's code: no byte beyond the law is allowed, and no more nodes than loops are bounded for. */
function formOf(law: Hex): Finding | undefined {
  const length = (law.length - 2) / 2;
  const count = Number.parseInt(law.slice(62, 66), 16);
  if (!(count >= 1 && count <= MAX_NODES))
    return { manipulation: "M7", subject: "law", problem: `has ${count} nodes, not 1 to ${MAX_NODES}` };
  if (length === lawLength(count)) return undefined;
  return { manipulation: "M1", subject: "law", problem: `has ${length - lawLength(count)} bytes beyond the law, which would become code` };
}

/** M1: no opcodes that destroy or create contracts, and no DELEGATECALL except to the reviewed libraries. */
function opcodes({ template }: CodificationFacts, shapes: readonly CodeShape[]): Problem[] {
  const linked = template.parts.map(({ address }) => address);
  return template.parts.flatMap(({ name, libraries, reviewed }, index) => {
    const shape = shapes[index];
    if (shape === undefined) return [];
    const links = libraries.reduce((sum, { starts }) => sum + starts.length, 0);
    const { DELEGATECALL } = shape.count;
    const others = shape.addresses.filter((address) => !linked.includes(address));
    // A text of twenty letters looks like an address; the reviewed code contains the same.
    const known = others.length === 0 ? [] : shapeOf(reviewed).addresses;
    return [
      ...WORST.filter((opcode) => shape.count[opcode] > 0).map((opcode) => ({ subject: name, problem: `contains ${opcode}` })),
      ...(DELEGATECALL > links
        ? [{ subject: name, problem: `has ${DELEGATECALL} DELEGATECALLs for ${links} places of its libraries` }]
        : []),
      ...others
        .filter((address) => !known.includes(address))
        .map((address) => ({ subject: name, problem: `names the address ${address}, which is not one of its libraries` })),
    ];
  });
}

/** M2: every function belongs to the reviewed interface, in which every mutating function has its callers in the access matrix. */
function unguarded({ template }: CodificationFacts, [main]: readonly CodeShape[]): Problem[] {
  const reviewed = new Set(template.selectors);
  return (main?.selectors ?? [])
    .filter((selector) => !reviewed.has(selector))
    .map((selector) => ({ subject: nameOfMain(template), problem: `answers ${selector}, which is in no access matrix` }));
}

/** M4: every function of the reviewed interface is present. */
function omitted({ template }: CodificationFacts, [main]: readonly CodeShape[]): Problem[] {
  const present = new Set(main?.selectors ?? []);
  return template.selectors
    .filter((selector) => !present.has(selector))
    .map((selector) => ({ subject: nameOfMain(template), problem: `does not answer ${selector}` }));
}

/** M3: the same number of nodes as in the document, with the same edges. */
function divergent({ document, nodes }: Spec): Problem[] {
  if (nodes.length !== document.nodes.length)
    return [{ subject: "law", problem: `has ${nodes.length} nodes, its document ${document.nodes.length}` }];
  return document.nodes.flatMap((words, index) => {
    const packed = nodes[index];
    const edges = lawNodeOf(words).predecessors;
    return [
      ...(words.number === index ? [] : [{ subject: words.label, problem: `is number ${words.number} at place ${index}` }]),
      ...(packed?.predecessors === edges
        ? []
        : [{ subject: words.label, problem: `waits for ${bits(packed?.predecessors ?? 0n)}, its document says ${bits(edges)}` }]),
      ...(edges >> BigInt(index) === 0n ? [] : [{ subject: words.label, problem: "waits for itself or for a later node" }]),
    ];
  });
}

/** M5: code that differs from the reviewed code, byte by byte; a law that does not match its document, or was not voted on. */
function backdoored({ chosen, template }: CodificationFacts, specHash: Hash, sameLaw: boolean): Problem[] {
  const { auditHash, reviewedHash, parts } = template;
  return [
    ...(sameLaw ? [] : [{ subject: "law", problem: "is not what its document compiles to" }]),
    ...(specHash === chosen ? [] : [{ subject: "law", problem: `has the spec ${specHash}, the ballot chose ${chosen}` }]),
    ...(auditHash === reviewedHash ? [] : [{ subject: nameOfMain(template), problem: "was published with another audit's hash" }]),
    ...parts
      .filter((part) => !isReviewed(part, parts))
      .map(({ name }) => ({ subject: name, problem: "is not the code that was reviewed" })),
  ];
}

/** M6: every number matches the document, and none protects less than the constitution requires for what is at stake. */
function manipulated({ document, header, nodes, facts }: Spec): Problem[] {
  const { limits, goalHash, deposit } = facts;
  const problems: Problem[] = [];
  const same = (subject: string, what: string, packed: unknown, words: unknown) => {
    if (packed !== words) problems.push({ subject, problem: `${what} is ${String(packed)}, its document says ${String(words)}` });
  };
  const holds = (condition: boolean, subject: string, problem: string) => {
    if (!condition) problems.push({ subject, problem });
  };
  same("law", "risk", header.risk, Risk[document.risk]);
  same("law", "budget", header.budget, BigInt(document.budget));
  same("law", "duration", header.duration, document.duration);
  same("law", "output predicate", header.outputPredicate, document.outputPredicate);
  same("law", "anchor interval", header.anchorInterval, document.anchorInterval ?? 0);
  same("law", "goal", header.goalHash, statedGoalHash(document));
  same("law", "input", header.inputHash, document.input.digest);
  same("law", "root of admitted code", header.servicesRoot, servicesRootOf(admittedBy(document)));
  holds(header.goalHash === goalHash, "law", "has another goal than the session was opened for");
  holds(header.budget === deposit, "law", `has a budget of ${header.budget}, the deposit is ${deposit}`);
  holds(header.duration > 0 && header.duration <= limits.maxDuration, "law", `lasts ${header.duration} s, at most ${limits.maxDuration}`);
  holds(header.risk >= Risk[riskOfBudget(header.budget, limits)], "law", "has a lower risk than its budget");
  const exposed = riskOfExposure(header.budget, document.exposure ?? {}, limits);
  holds(header.risk >= Risk[exposed], "law", "has a lower risk than what it exposes");
  const allocated = nodes.reduce((sum, { budget }) => sum + budget, 0n);
  holds(allocated <= header.budget, "law", `gives its nodes ${allocated} of ${header.budget}`);
  for (const [index, node] of nodes.entries()) {
    const words = document.nodes[index];
    if (words === undefined) continue;
    const { label } = words;
    const said = lawNodeOf(words);
    for (const field of FIELDS) same(label, field, node[field], said[field]);
    const risk = riskIndex(node.risk);
    holds(node.risk >= Risk[riskOfBudget(node.budget, limits)], label, "has a lower risk than its budget");
    holds(node.risk <= header.risk, label, "has a higher risk than its mission");
    holds(node.floor >= EvidenceClass[limits.minFloor[risk]], label, `asks for weaker evidence than ${limits.minFloor[risk]}`);
    holds(keepsParentFloor(node.floor, limits), label, `asks for weaker evidence than ${limits.parentFloor}, as the node above does`);
    holds(node.panelSize >= limits.minPanel[risk], label, `has a panel smaller than ${limits.minPanel[risk]}`);
    holds(node.band >= Band[limits.minBand[risk]], label, `has an appeal window below ${limits.minBand[risk]}`);
    holds(node.timeout > 0 && node.timeout <= limits.maxNodeTimeout, label, `gives ${node.timeout} s, at most ${limits.maxNodeTimeout}`);
    holds(
      node.reviewWindow >= limits.minReview && node.reviewWindow <= limits.maxReview,
      label,
      `gives a human ${node.reviewWindow} s, between ${limits.minReview} and ${limits.maxReview}`,
    );
    const fewest = node.tier === TIER.CONSENSUS ? limits.minRedundancy[risk] : 1;
    holds(node.redundancy >= fewest, label, `has ${node.redundancy} executors, fewer than ${fewest}`);
    const isOpen = node.anyCode && (!node.leaf || node.tier === TIER.RERUN);
    holds(!isOpen, label, "takes any code where nothing but a second run judges it");
    const tolerance = words.agree?.tolerance ?? limits.numericTolerance;
    holds(tolerance === limits.numericTolerance, label, `compares numbers within ${tolerance} %, not ${limits.numericTolerance} %`);
    holds(2 * node.threshold > node.redundancy && node.threshold <= node.redundancy, label, "lets a minority agree");
  }
  return problems;
}

/** M7: all loops of the code are bounded: nodes (`formOf`), executors, verifiers. */
function unbounded({ document, nodes }: Spec): Problem[] {
  return nodes.flatMap(({ tier, redundancy, panelSize }, index) => {
    const most = tier === TIER.CONSENSUS ? MAX_REDUNDANCY : 1;
    const subject = document.nodes[index]?.label ?? `node ${index}`;
    return [
      ...(redundancy >= 1 && redundancy <= most
        ? []
        : [{ subject, problem: `has ${redundancy} executors, not ${most === 1 ? "one" : `1 to ${most}`}` }]),
      ...(panelSize >= 1 && panelSize <= MAX_PANEL ? [] : [{ subject, problem: `has ${panelSize} verifiers, not 1 to ${MAX_PANEL}` }]),
    ];
  });
}

/** M8: the only external code a law can name is a predicate; each must be approved, and the template must have its reentrancy lock. */
function reentrant({ header, nodes, facts, shapes: [main] }: Spec): Problem[] {
  const approved = new Set([0, ...facts.predicates]);
  const named = [header.outputPredicate, ...nodes.map(({ predicate }) => predicate)];
  return [
    ...[...new Set(named)]
      .filter((id) => !approved.has(id))
      .map((id) => ({ subject: "law", problem: `has its output judged by predicate ${id}, which was not approved` })),
    ...(main !== undefined && main.count.TLOAD > 0 && main.count.TSTORE > 0
      ? []
      : [{ subject: nameOfMain(facts.template), problem: "has no lock against reentrancy" }]),
  ];
}

/** Fields of a node that are neither topology nor in the header. */
const FIELDS = [
  "tier",
  "redundancy",
  "threshold",
  "risk",
  "floor",
  "questions",
  "leaf",
  "band",
  "panelSize",
  "timeout",
  "reviewWindow",
  "anyCode",
  "budget",
  "predicate",
  "capabilities",
] as const satisfies readonly Exclude<keyof LawNode, "predecessors">[];

/** Whether code is equal outside the holes, and every library's hole holds the address of the audited part. */
function isReviewed({ live, reviewed, holes, libraries, address }: CodePart, parts: readonly CodePart[]): boolean {
  const code = hexToBytes(live);
  const expected = hexToBytes(reviewed);
  if (code.length !== expected.length || code.length === 0) return false;
  const linked = libraries.every(({ name, starts }) => {
    const library = parts.find((part) => part.name === name);
    return library !== undefined && starts.every((start) => addressAt(code, start) === library.address);
  });
  // A library refuses direct calls: its code starts by comparing with its own address.
  const own = holes.filter(({ start, length }) => start === 1 && length === ADDRESS_BYTES);
  if (!linked || own.some(({ start }) => addressAt(code, start) !== address)) return false;
  for (const { start, length } of holes) code.fill(0, start, start + length);
  return code.every((byte, index) => byte === expected[index]);
}

const ADDRESS_BYTES = 20;

function addressAt(code: Uint8Array, start: number): Address {
  return addressSchema.parse(`0x${Buffer.from(code.subarray(start, start + ADDRESS_BYTES)).toString("hex")}`);
}

function nameOfMain({ parts }: CodificationFacts["template"]): string {
  return parts[0]?.name ?? "the template";
}

function riskIndex(risk: number): 0 | 1 | 2 {
  return risk === Risk.LOW ? 0 : risk === Risk.MEDIUM ? 1 : 2;
}

function bits(bitmap: bigint): string {
  const set = Array.from({ length: MAX_NODES }, (_, index) => index).filter((index) => (bitmap >> BigInt(index)) & 1n);
  return set.length === 0 ? "nothing" : set.join(", ");
}
