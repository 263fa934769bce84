import { expect } from "chai";
import { toFunctionSelector, zeroAddress } from "viem";
import { readArtifact } from "../../deploy/artifacts.ts";
import { missionTemplate } from "../../deploy/genesis.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { instructionsOf, OPCODES } from "../../orchestrator/client/bytecode.ts";
import { readCodificationFacts } from "../../orchestrator/client/codification.ts";
import { auditCodification, type CodificationFacts, type Manipulation, reportHash } from "../../orchestrator/client/codification-audit.ts";
import { type CompiledLaw, compileLaw, goalHashOf } from "../../orchestrator/client/compile-law.ts";
import { gateProblem } from "../../orchestrator/client/gates.ts";
import { CodificationRefused } from "../../orchestrator/legislature/errors.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import { bytesToHex, type Hash, type Hex, hexToBytes } from "../../orchestrator/primitives/hex.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import type { LegislatureBoundary } from "../../orchestrator/protocol/boundaries.ts";
import { type MissionDocument, missionDocumentSchema } from "../../orchestrator/protocol/mission-document.ts";
import { CODIFIER_OPERATIONS, operationId } from "../../orchestrator/protocol/operations.ts";
import { decodeLaw, encodeLaw, type LawHeader, type LawNode } from "../../orchestrator/rules/law-codec.ts";
import { hashOf, type LivingCity, openLivingCity } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { memoryPorts, sessionOptions } from "../support/sessions.ts";

const TEMPLATE = readArtifact(missionTemplate.source);
const TIMEOUT_MS = 120_000;

/** Ports of a codifier's process that stops at one boundary. */
function stoppedAt(boundary: LegislatureBoundary): LegislaturePorts {
  return {
    ...memoryPorts(),
    boundary: async (name) => {
      if (name === boundary) throw new Error(`stopped at ${name}`);
    },
  };
}

/** A law with something else in it, packed again. */
function altered(law: Hex, header: Partial<LawHeader>, node: Partial<LawNode> = {}): Hex {
  const decoded = decodeLaw(law);
  return encodeLaw(
    { ...decoded.header, ...header },
    decoded.nodes.map((each, index) => (index === decoded.nodes.length - 1 ? { ...each, ...node } : each)),
  );
}

/** Code with other bytes from an offset on. */
function patched(code: Hex, offset: number, bytes: readonly number[]): Hex {
  const changed = hexToBytes(code);
  changed.set(bytes, offset);
  return bytesToHex(changed);
}

/** Where the first instruction with this opcode stands. */
function placeOf(code: Hex, opcode: number): number {
  const found = instructionsOf(hexToBytes(code)).find((each) => each.opcode === opcode);
  if (found === undefined) throw new Error(`no opcode ${opcode}`);
  return found.offset;
}

/** Where the template goes when `abort` is called, and where the dispatcher asks for it. */
function abortIn(code: Hex): { readonly selector: number; readonly body: number } {
  const abort = TEMPLATE.abi.find((item) => item.type === "function" && item.name === "abort");
  if (abort?.type !== "function") throw new Error("the template cannot be aborted");
  const text = `63${toFunctionSelector(abort).slice(2)}1461`;
  const at = code.indexOf(text);
  return { selector: (at - 2) / 2 + 1, body: Number.parseInt(code.slice(at + text.length, at + text.length + 4), 16) };
}

const SELFDESTRUCT_FIRST = (code: Hex) => patched(code, abortIn(code).body + 1, [OPCODES.SELFDESTRUCT]);
const OTHER_SELECTOR = (code: Hex) => patched(code, abortIn(code).selector, [0xde, 0xad, 0xbe, 0xef]);
/** CALLDATASIZE for CALLVALUE: a function that does something else for one kind of input. */
const BACKDOOR = (code: Hex) => patched(code, abortIn(code).body + 1, [0x36]);
/** SLOAD for TLOAD. */
const NO_LOCK = (code: Hex) => patched(code, placeOf(code, OPCODES.TLOAD), [0x54]);

/**
 * Each class of manipulation that AgentCity A.7 lists, tried for real: the audit names it, and the chain or an office refuses what a
 * corrupt codifier would hand in all the same. The table in docs/legislature.md says which.
 */
describe("a manipulated codification", function () {
  this.timeout(TIMEOUT_MS);
  let city: LivingCity;
  /** The law of a session that is codified and waits for its approval. */
  let law: CompiledLaw;
  let facts: CodificationFacts;
  const SESSION = 1n;

  /** Stops a session there; returns its law. */
  async function stopped(boundary: LegislatureBoundary, seed: number): Promise<CompiledLaw> {
    const options = sessionOptions(city, stoppedAt(boundary), seed);
    expect(messageOf(await rejection(runLegislature(options)))).to.equal(`stopped at ${boundary}`);
    const validated = city.notes.findLast(({ kind }) => kind === "legislature.validation")?.content;
    if (validated === undefined) throw new Error("nothing was validated");
    return compileLaw(missionDocumentSchema.parse(options.ports.records.getJson(validated)));
  }

  before(async () => {
    city = await openLivingCity({ sealed: false });
    law = await stopped("legislature:codified", 7);
    facts = await readCodificationFacts(city.client, SESSION, law.law);
  });
  after(() => city.chain.close());

  const audit = (packed: Hex, document: MissionDocument = law.document, seen: CodificationFacts = facts) =>
    auditCodification(canonicalBytes(document), packed, seen).findings;
  const named = (manipulation: Manipulation, findings: ReturnType<typeof audit>) =>
    findings.filter((finding) => finding.manipulation === manipulation).map(({ problem }) => problem);
  /** Facts in which one part's code is another. */
  const withCode = (change: (code: Hex) => Hex): CodificationFacts => {
    const [main, ...libraries] = facts.template.parts;
    if (main === undefined) throw new Error("no template");
    return { ...facts, template: { ...facts.template, parts: [{ ...main, live: change(main.live) }, ...libraries] } };
  };
  /** What the chain says to a codifier's accomplice who hands in this law for the codified session. */
  const handedIn = async (packed: Hex, docHash: Hash = law.docHash) =>
    messageOf(
      await rejection(city.client.legislation.approve([SESSION, packed, docHash, []], { intent: intentKey("hand in", packed, docHash) })),
    );
  /** What the chain's validator says to a candidate with this law. */
  const validated = async (packed: Hex) => {
    const { budget, goal } = law.document;
    const witnesses = city.producers.map(({ account }) => account.address);
    const terms = { goalHash: goalHashOf(goal), deposit: BigInt(budget), sponsor: city.sponsor.address, drafter: zeroAddress, edition: 0 };
    return messageOf(await rejection(city.client.validator.validate(packed, terms, witnesses)));
  };
  /** What the Speaker says to a document that is not the ballot's. */
  const shown = async (document: MissionDocument) =>
    messageOf(await rejection(city.clerks.speaker.approve(SESSION, canonicalBytes(document))));
  const withLast = (change: Partial<MissionDocument["nodes"][number]>): MissionDocument => ({
    ...law.document,
    nodes: law.document.nodes.map((node, index, all) => (index === all.length - 1 ? { ...node, ...change } : node)),
  });

  it("without any manipulation: nothing is found, and whoever audits the spec gets the hash that is on chain", async () => {
    const report = auditCodification(law.bytes, law.law, facts);
    expect(report).to.deep.include({ specHash: law.specHash, findings: [] });
    expect(report.checked).to.deep.equal(["M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8"]);
    const id = await city.client.mandates.delegationId(SESSION, operationId("audit-codification"), law.specHash);
    expect((await city.client.mandates.delegationOf(id)).outputHash).to.equal(reportHash(report));
  });

  it("M1, code behind the law: named by the audit, refused by the chain as no law", async () => {
    const injected: Hex = `${law.law}ff`;
    expect(named("M1", audit(injected))).to.deep.equal(["has 1 bytes beyond the law, which would become code"]);
    expect(await validated(injected)).to.contain("MalformedLaw");
    expect(await handedIn(injected)).to.contain("SpecMismatch");
  });

  it("M3, another topology: named by the audit, refused by the Speaker as a document and by the chain as a law", async () => {
    const rewired = altered(law.law, {}, { predecessors: 1n });
    expect(named("M3", audit(rewired)).join()).to.match(/^waits for 0, its document says /);
    const shorter: Hex = encodeLaw({ ...decodeLaw(law.law).header, nodeCount: 1 }, decodeLaw(law.law).nodes.slice(0, 1));
    expect(named("M3", audit(shorter))).to.deep.equal([`has 1 nodes, its document ${law.document.nodes.length}`]);
    expect(await handedIn(rewired)).to.contain("SpecMismatch");
    const document = withLast({ after: [0] });
    expect(await shown(document)).to.contain("the document compiles to");
    expect(await handedIn(compileLaw(document).law, compileLaw(document).docHash)).to.contain("SpecMismatch");
  });

  it("M5, a law that is not the one that was voted on: named by the audit, refused by the chain", async () => {
    const document = { ...law.document, title: "what nobody voted for" };
    expect(named("M5", audit(law.law, document)).join()).to.contain("the ballot chose");
    expect(await shown(document)).to.contain("the document compiles to");
    expect(await handedIn(law.law, compileLaw(document).docHash)).to.contain("SpecMismatch");
  });

  it("M6, numbers moved within and out of their ranges: named by the audit, refused by the chain", async () => {
    const { timeout, panelSize } = decodeLaw(law.law).nodes.at(-1)!;
    const shorter = altered(law.law, {}, { timeout: timeout - 1 });
    expect(named("M6", audit(shorter))).to.deep.equal([`timeout is ${timeout - 1}, its document says ${timeout}`]);
    expect(await handedIn(shorter)).to.contain("SpecMismatch");

    // The document may say so too: then it is the constitution that is broken.
    const cheap = withLast({ panelSize: 1, floor: "SELF", band: "LOW" });
    expect(named("M6", audit(compileLaw(cheap).law, cheap))).to.include.members([
      `has a panel smaller than ${facts.limits.minPanel[1]}`,
      `asks for weaker evidence than ${facts.limits.minFloor[1]}`,
    ]);
    const below = { ...facts, limits: { ...facts.limits, parentFloor: "ATT" as const } };
    const weaker = law.document.nodes.filter(({ floor }) => floor !== "ATT").length;
    expect(weaker).to.be.greaterThan(0);
    expect(named("M6", audit(law.law, law.document, below)), "a law below a node that asks for more").to.deep.equal(
      Array.from({ length: weaker }, () => "asks for weaker evidence than ATT, as the node above does"),
    );
    // What the document says is exposed asks for more than its risk.
    const exposed = {
      ...law.document,
      exposure: { authority_risk: 1, irreversibility: 1, intent_ambiguity: 1, agent_history: 1, domain_sensitivity: 1 },
    };
    const raised = named("M6", audit(compileLaw(exposed).law, exposed));
    expect(raised).to.include("has a lower risk than what it exposes");
    const lax = withLast({ agree: { on: "label", atLeastBps: 8_500, tolerance: 50 } });
    expect(named("M6", audit(compileLaw(lax).law, lax))).to.deep.equal(["compares numbers within 50 %, not 5 %"]);
    expect(panelSize).to.be.greaterThan(1);
    expect(await validated(compileLaw(cheap).law)).to.contain("FloorTooLow");
  });

  it("M7, more than a loop may take: named by the audit, refused by the chain", async () => {
    const crowded = altered(law.law, {}, { redundancy: 7, threshold: 7 });
    expect(named("M7", audit(crowded))).to.deep.equal(["has 7 executors, not one"]);
    expect(await validated(crowded)).to.contain("RedundancyOutOfRange");
    const endless: Hex = `0x${law.law.slice(2, 62)}0101${law.law.slice(66)}`;
    expect(named("M7", audit(endless))).to.deep.equal(["has 257 nodes, not 1 to 256"]);
    expect(await validated(endless)).to.contain("MalformedLaw");
  });

  it("M8, foreign code called by the gate: named by the audit, refused by the chain", async () => {
    const gated = withLast({ predicate: 7 });
    expect(named("M8", audit(compileLaw(gated).law, gated))).to.deep.equal([
      "has its output judged by predicate 7, which was not approved",
    ]);
    expect(await validated(compileLaw(gated).law)).to.contain("UnknownPredicate");
    expect(named("M8", audit(law.law, law.document, withCode(NO_LOCK)))).to.deep.equal(["has no lock against reentrancy"]);
  });

  it("M8, another contract under the number of a gate with a name: named before anybody pays", async () => {
    const { client } = city;
    expect(await gateProblem(client, "non-empty-output")).to.equal("adjudicators approved no predicate 1");
    const options = { intent: intentKey("a treasury as a gate"), account: devnetAccount(0) };
    await client.execution.approvePredicate([1, client.treasury.address], options);
    expect(await gateProblem(client, "non-empty-output")).to.equal("predicate 1 here is another contract");
    expect(await gateProblem(client, 1)).to.equal(undefined);
  });

  const templates: readonly (readonly [Manipulation, string, (code: Hex) => Hex, string])[] = [
    ["M1", "a SELFDESTRUCT", SELFDESTRUCT_FIRST, "contains SELFDESTRUCT"],
    ["M2", "a function of its own", OTHER_SELECTOR, "answers 0xdeadbeef, which is in no access matrix"],
    ["M4", "a function missing", OTHER_SELECTOR, "does not answer 0x"],
    ["M5", "one byte of logic changed", BACKDOOR, "is not the code that was reviewed"],
    ["M8", "its lock disabled", NO_LOCK, "has no lock against reentrancy"],
  ];
  for (const [place, [manipulation, what, change, problem]] of templates.entries()) {
    it(`${manipulation}, a template with ${what}: the session stops at its audit, and nothing can be codified`, async () => {
      await city.publishChanged(`${manipulation} ${what}`, (creation) => {
        const start = (creation.indexOf(TEMPLATE.runtime.code.slice(2, 62)) - 2) / 2;
        const runtime: Hex = `0x${creation.slice(2 + 2 * start)}`;
        return `0x${creation.slice(2, 2 + 2 * start)}${change(runtime).slice(2)}`;
      });
      const session = (await city.client.legislation.sessionCount()) + 1n;
      const refused = await rejection(runLegislature(sessionOptions(city, memoryPorts(), 100 + place)));
      if (!(refused instanceof CodificationRefused)) throw refused;
      const problems = refused.findings.filter((finding) => finding.manipulation === manipulation).map((finding) => finding.problem);
      expect(problems.join("\n")).to.contain(problem);
      const codified = rejection(city.clerks.codifier.codify(session, [], { intent: intentKey("codify all the same", session) }));
      expect(messageOf(await codified)).to.contain("MissingDelegation");
    });
  }
});

describe("a codifier that skips or forges its audit", function () {
  this.timeout(TIMEOUT_MS);
  let city: LivingCity;
  before(async () => {
    city = await openLivingCity();
  });
  after(() => city.chain.close());

  it("gets no law codified without it, and no signature under a forged one", async () => {
    const options = sessionOptions(city, stoppedAt("legislature:validated"), 7);
    await rejection(runLegislature(options));
    const content = city.notes.find(({ kind }) => kind === "legislature.validation")?.content;
    if (content === undefined) throw new Error("nothing was validated");
    const law = compileLaw(missionDocumentSchema.parse(options.ports.records.getJson(content)));
    const { codifier, speaker } = city.clerks;
    const send = (step: string) => ({ intent: intentKey("corrupt", step) });

    const compiled = await codifier.delegate(1n, "compile-law", law.specHash, send("delegate compile"));
    await codifier.record(compiled, law.lawHash, law.docHash, send("record compile"));
    expect(messageOf(await rejection(codifier.codify(1n, [compiled], send("codify"))))).to.contain("MissingDelegation");

    const forged = await codifier.delegate(1n, "audit-codification", law.specHash, send("delegate audit"));
    await codifier.record(forged, hashOf("all is well"), hashOf("trust me"), send("record audit"));
    await codifier.codify(1n, [compiled, forged], send("codify both"));
    expect(messageOf(await rejection(speaker.approve(1n, law.bytes)))).to.contain("the Codifier recorded");
    expect(CODIFIER_OPERATIONS.length).to.equal(2);
  });
});
