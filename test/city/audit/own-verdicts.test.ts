// @long
import { join } from "node:path";
import { expect } from "chai";
import { auditBundle } from "../../../orchestrator/city/audit/audit-bundle.ts";
import { calls } from "../../../orchestrator/city/audit/calls.ts";
import { type AuditContext, openContext } from "../../../orchestrator/city/audit/context.ts";
import { inspect } from "../../../orchestrator/city/audit/inspection.ts";
import type { City } from "../../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../../orchestrator/city/founding/society.ts";
import type { Address } from "../../../orchestrator/primitives/hex.ts";
import { openBundle } from "../../../orchestrator/records/bundle.ts";
import { decodeClearWave } from "../../../orchestrator/rules/wire.ts";
import { carryOutIn, openHome } from "../../support/city-home.ts";
import { sendFirst } from "../../support/front-runner.ts";
import { smallInputs, smallMission } from "../../support/small-mission.ts";
import { suiteDirectory } from "../../support/temporary-directory.ts";

/** Verifiers as an auditor sees them whose keys are not the city's: their verdicts follow from recorded calls, unless they handed them in elsewhere. */
describe("audit of verdicts that were not handed in to the city", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let context: AuditContext;

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "23");
    let left = 1;
    const first = sendFirst(city, (what) => what === "clear" && left-- > 0);
    const { files } = smallInputs(directory());
    // Six panels of five verifiers: somebody sits on two, whomever the lot takes.
    const sort = (...after: readonly string[]) => ({ service: "sort", tier: 3, ...(after.length === 0 ? { over: "input" } : { after }) });
    const sorted = { first: sort(), second: sort("first"), third: sort("second"), fourth: sort("third"), fifth: sort("fourth") };
    const tasks = { ...sorted, report: { service: "aggregate", after: ["fifth"], tier: 3 } };
    const text = smallMission(files, { input: { kind: "files", path: files }, tasks });
    const outcome = await carryOutIn(city, text, { id: "verdicts", home });
    expect(first).to.deep.equal(["clear"]);
    expect((await auditBundle(outcome.bundle ?? "")).passed).to.equal(true);
    const opened = await openContext(openBundle(outcome.bundle ?? ""));
    const elsewhere = membersOf(city.society, "verifier").map(({ account }) => account.address);
    context = { ...opened, nameOf: (account) => (elsewhere.includes(account) ? account : opened.nameOf(account)) };
    // Unless the lot made it so, one of the city's waves counts as sent by others whose verifier is in a further one of the city's.
    const own = wavesOf("city").map(({ at, verifiers }) => ({ at, verifier: verifiers[0]?.verifier }));
    const twice = own.find(({ verifier }, place) => own.findIndex((other) => other.verifier === verifier) < place);
    const { account } = memberOf(city.society, "deployer");
    if (!isInBoth()) context = { ...context, record: sentBy(({ at, from }) => (at === twice?.at ? account.address : from)) };
  });
  after(async () => {
    await context?.chain.close();
    await city?.close();
  });

  const wavesOf = (by: "others" | "city") =>
    (["clear", "advance"] as const)
      .flatMap((name) => context.record.calls("CollaborationContract", name).filter(({ args }) => args[0] !== "0x"))
      .filter(({ from }) => context.nameOf(from).startsWith("relayer-") === (by === "city"))
      .map(({ at, args }) => ({ at, ...decodeClearWave(args[0]) }));
  const verifiersOf = (by: "others" | "city") => wavesOf(by).flatMap(({ verifiers }) => verifiers.map(({ verifier }) => verifier));
  const isInBoth = () => verifiersOf("city").some((verifier) => verifiersOf("others").includes(verifier));
  /** The record with other senders of its calls. */
  function sentBy(sender: (call: { readonly at: bigint; readonly from: Address }) => Address): AuditContext["record"] {
    const truth = context.record;
    return {
      events: (contract, name) => truth.events(contract, name),
      calls: (contract, name) => truth.calls(contract, name).map((call) => ({ ...call, from: sender(call) })),
    };
  }
  const found = async (seen: AuditContext) => (await inspect(calls, [seen])).findings.map(({ subject }) => subject);
  const labels = (by: "others" | "city") => wavesOf(by).flatMap(({ orders }) => orders.map(({ node }) => context.label(node)));

  it("asks for no call behind those that others sent, and for one behind each of those that the city sent, whoever the verifier is", async () => {
    expect(isInBoth(), "somebody is in waves of both").to.equal(true);
    const subjects = await found(context);
    for (const label of labels("others")) expect(subjects.filter((each) => each.endsWith(` on ${label}`))).to.deep.equal([]);
    for (const label of labels("city"))
      expect(
        subjects.some((each) => each.startsWith("verdict of") && each.endsWith(` on ${label}`)),
        label,
      ).to.equal(true);
    expect(subjects.filter((each) => each.startsWith("verdicts of"))).to.have.length(verifiersOf("city").length);
  });

  it("asks for one behind all of them if a relayer of the city sent them", async () => {
    const relayer = membersOf(city.society, "relayer")[0]?.account.address;
    const record = sentBy(({ from }) => relayer ?? from);
    const subjects = await found({ ...context, record });
    for (const label of [...labels("others"), ...labels("city")])
      expect(
        subjects.some((each) => each.startsWith("verdict of") && each.endsWith(` on ${label}`)),
        label,
      ).to.equal(true);
  });
});
