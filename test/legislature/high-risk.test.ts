// @long
import { expect } from "chai";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { codificationMessage, justificationBytes, signCodification } from "../../orchestrator/client/sign/codification.ts";
import type { LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import { AuditNeeded } from "../../orchestrator/legislature/errors.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import { contentIdOf } from "../../orchestrator/primitives/hash.ts";
import type { CodificationApproval, CodificationRequest } from "../../orchestrator/protocol/codification-approval.ts";
import { keyOf, type LivingCity, openLivingCity, tokens } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { deployed, memoryPorts, mission, sessionOptions } from "../support/sessions.ts";

const ADJUDICATOR = keyOf("adjudicator 3");
const WHY = "Read it: eight nodes, all attested.";

describe("a law of HIGH risk", function () {
  this.timeout(60_000);
  let city: LivingCity;
  /** Puts a session's request and finds what was put beside it. */
  let desk: { request: CodificationRequest | undefined; approval: CodificationApproval | undefined };
  let options: LegislatureOptions;

  beforeEach(async () => {
    city = await openLivingCity({ principals: 5, producers: 10 });
    desk = { request: undefined, approval: undefined };
    const ports: LegislaturePorts = {
      ...memoryPorts(),
      approval: async (request) => {
        desk.request = request;
        return desk.approval;
      },
    };
    options = { ...sessionOptions(city, ports, 7), mission: { ...mission, budget: tokens(12_000) } };
  });
  afterEach(() => city.chain.close());

  /** Runs until it waits; returns what it waits for. */
  async function waits(): Promise<CodificationRequest> {
    const stopped = await rejection(runLegislature(options));
    if (!(stopped instanceof AuditNeeded)) throw stopped;
    return stopped.request;
  }

  it("waits with what is to be signed, and is deployed on the signature that is brought to it", async () => {
    const request = await waits();
    expect(request).to.deep.equal(desk.request);
    const { winner } = await city.client.legislation.sessionOf(1n);
    expect(request.specHash).to.equal((await city.client.legislation.candidateOf(1n, winner)).specHash);
    const { number } = city.chain.head();
    expect((await waits()).specHash).to.equal(request.specHash);
    expect(city.chain.head().number).to.equal(number);

    desk.approval = await signCodification(ADJUDICATOR, request, WHY);
    const enacted = deployed(await runLegislature(options));
    expect(enacted.document.risk).to.equal("HIGH");
    expect((await city.client.legislation.sessionOf(1n)).audited).to.equal(true);
    expect(city.notes.find(({ kind }) => kind === "legislature.codification-audit")?.content).to.equal(
      contentIdOf(justificationBytes(WHY)),
    );
  });

  it("is deployed when the chain has the signature, whoever sent it there", async () => {
    const request = await waits();
    const { adjudicator, signature } = await signCodification(ADJUDICATOR, request, WHY);
    await city.client.adjudication.act([codificationMessage(request, WHY), [{ adjudicator, signature }]], { intent: intentKey("direct") });
    expect(deployed(await runLegislature(options)).document.risk).to.equal("HIGH");
    expect(city.notes.map(({ kind }) => kind)).to.not.include("legislature.codification-audit");
  });

  it("refuses a wrong signature by name, and goes on waiting for a right one", async () => {
    const request = await waits();
    const right = await signCodification(ADJUDICATOR, request, WHY);
    const wrong: [string, CodificationApproval][] = [
      ["NotAdjudicator", await signCodification(keyOf("nobody"), request, WHY)],
      ["InvalidSignature", { ...right, justification: "other words" }],
      ["InvalidSignature", { ...right, adjudicator: keyOf("adjudicator 4").address }],
      [
        "InvalidSignature",
        await signCodification(ADJUDICATOR, { ...request, session: "2" }, WHY).then((each) => ({ ...each, session: "1" })),
      ],
      ["it approves", await signCodification(ADJUDICATOR, { ...request, specHash: `0x${"7".repeat(64)}` }, WHY)],
    ];
    for (const [reason, approval] of wrong) {
      desk.approval = approval;
      expect((await waits()).refused).to.contain(reason);
      expect((await city.client.legislation.sessionOf(1n)).audited).to.equal(false);
    }
    desk.approval = right;
    expect(deployed(await runLegislature(options)).mission).to.match(/^0x/);
  });

  it("ends with the deposit returned when nobody signs in time", async () => {
    const before = await city.client.token.balanceOf(city.sponsor.address);
    const { until } = await waits();
    await city.chain.advanceTo(BigInt(until) + 1n);
    expect(await runLegislature(options)).to.include({ status: "failed", reason: "a stage of the session expired" });
    expect(await city.client.token.balanceOf(city.sponsor.address)).to.equal(before);
  });
});
