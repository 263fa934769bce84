import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type ContractTransactionResponse, id, ZeroHash } from "ethers";
import { actionNumber } from "../../orchestrator/protocol/actions.ts";
import { filesIn, root } from "../../scripts/dev/files.ts";
import { type City, ethers, INSTITUTIONS, Kind, keyOf, loadCity, Office, tokens } from "../support/city-fixture.ts";

/** `beyond`: the error that shows that the call got past the question who is calling; none = it succeeds. */
type Attempt = [contract: string, functionName: string, call: () => Promise<ContractTransactionResponse>, beyond?: string];

const WHY = id("why");
const someone = keyOf("someone").address;
const principal = keyOf("someone's principal").address;

/** One lawful call of every function that the interfaces give to the governor, made by the deployer. */
async function attempts(city: City): Promise<Attempt[]> {
  const { agent, principal: owner } = await city.register("producer");
  const { agent: verifier } = await city.register("verifier", { kind: Kind.VERIFIER });
  const adjudicator = await city.account("adjudicator");
  await city.fund(adjudicator, city.addresses.ROSTER, tokens(5000));
  // Its house may neither verify nor issue evidence.
  await city.clerks.appoint(Office.SPEAKER, keyOf("speaker").address, keyOf("speaker's house").address);
  await city.evidence.registerRunner(keyOf("runner").address, principal);
  const { service } = await city.offerService(agent, "any");
  const template = await ethers.deployContract("MissionProbe");
  await city.constitution.amend(10, template, WHY);
  const probe = (await city.probe(1)).address;
  const ruling = actionNumber("RESOLVE_APPEAL");
  return [
    ["ConstitutionContract", "setParam", () => city.constitution.setParam(0, 300, WHY)],
    ["ProducerContract", "adjustReputation", () => city.producers.adjustReputation(agent.address, -1, WHY)],
    ["ConstitutionContract", "amend", () => city.constitution.amend(9, template, WHY)],
    ["ConstitutionContract", "withdrawAmendment", () => city.constitution.withdrawAmendment(10, WHY)],
    ["ProducerContract", "slash", () => city.producers.slash(agent.address, 1, WHY)],
    ["ProducerContract", "ban", () => city.producers.ban(agent.address, WHY)],
    ["ProducerContract", "freezePrincipal", () => city.producers.freezePrincipal(owner.address, true)],
    ["ProducerContract", "freezeAgent", () => city.producers.freezeAgent(agent.address, true)],
    ["ClerkContract", "appoint", () => city.clerks.appoint(Office.CODIFIER, someone, principal)],
    ["ClerkContract", "revoke", () => city.clerks.revoke(Office.SPEAKER, keyOf("speaker").address)],
    ["ClerkContract", "setEnvelope", () => city.clerks.setEnvelope(Office.SPEAKER, [], 1)],
    ["ManagementContract", "setMandate", () => city.management.setMandate(Office.CODIFIER, id("op"), service, false, ZeroHash)],
    ["EvidenceRegistry", "registerIssuer", () => city.evidence.registerIssuer(someone, principal, 1)],
    ["EvidenceRegistry", "registerVerifier", () => city.evidence.registerVerifier(verifier.address, 1)],
    ["EvidenceRegistry", "registerRunner", () => city.evidence.registerRunner(someone, principal)],
    ["EvidenceRegistry", "registerMonitor", () => city.evidence.registerMonitor(someone, principal)],
    ["EvidenceRegistry", "suspend", () => city.evidence.suspend(principal, true)],
    ["EvidenceRegistry", "revoke", () => city.evidence.revoke(keyOf("runner").address)],
    ["AdjudicatorRoster", "seat", () => city.roster.seat(adjudicator.address, keyOf("adjudicator's principal").address)],
    ["AdjudicatorRoster", "countCase", () => city.roster.countCase(ruling, probe, 0, 0, [adjudicator.address])],
    ["AdjudicatorWatchdog", "stopCity", () => city.watchdog.stopCity([adjudicator.address])],
    ["AdjudicatorWatchdog", "resumeCity", () => city.watchdog.resumeCity()],
    ["AdjudicatorWatchdog", "note", () => city.watchdog.note([adjudicator.address], 1, false)],
    ["AdjudicatorWatchdog", "release", () => city.watchdog.release(), "NotFrozen"],
    ["TemplateRegistry", "publish", () => city.templates.publish(id("template"), template, WHY)],
    ["ExecutionProcedure", "approvePredicate", () => city.execution.approvePredicate(7, someone)],
    ["Treasury", "claimInsurance", () => city.treasury.claimInsurance(someone, someone, 1, WHY), "NotMission"],
    ["Treasury", "disburse", () => city.treasury.disburse(1, city.addresses.TREASURY, 1, WHY), "CapExceeded"],
    ["LegislativeProcedure", "ruleOnBloc", () => city.legislation.ruleOnBloc(9, WHY, true), "UnknownSession"],
    ["AdjudicatorRoster", "impeach", () => city.roster.impeach(adjudicator.address, WHY)],
    ["LegislativeProcedure", "approveCodification", () => city.legislation.approveCodification(9, WHY), "UnknownSession"],
  ];
}

/** `Contract.function` of every function whose interface says that its caller is the governor. */
function governorFunctions(): string[] {
  return filesIn("contracts/interfaces/I*.sol").flatMap((path) => {
    const contract = path.replace(/^.*\/I(\w+)\.sol$/, "$1");
    const documented = readFileSync(join(root, path), "utf8").matchAll(/((?:^ *\/\/\/.*\n)*)^ *function (\w+)\(/gm);
    return [...documented].filter(([, doc = ""]) => /Caller: governor/.test(doc)).map(([, , name]) => `${contract}.${name}`);
  });
}

/** The errors of a city contract; its address is of no matter. */
const errorsOf = (contract: string) => ethers.getContractAt(`I${contract}`, someone);

describe("a sealed city", () => {
  it("is tried on every function that the interfaces give to the governor", async () => {
    const tried = (await attempts(await loadCity())).map(([contract, name]) => `${contract}.${name}`);
    expect(governorFunctions().sort()).to.deep.equal(tried.sort());
  });

  it("was open to the deployer before", async () => {
    for (const [contract, name, call, beyond] of await attempts(await loadCity())) {
      const what = `${contract}.${name}`;
      const errors = await errorsOf(contract);
      if (beyond === undefined) expect((await (await call()).wait())?.status, what).to.equal(1);
      else await expect(call(), what).to.be.revertedWithCustomError(errors, beyond);
    }
  });

  it("lets the deployer change nothing", async () => {
    const city = await loadCity();
    const tries = await attempts(city);
    await city.constitution.seal();
    for (const [contract, name, call] of tries) {
      const errors = await errorsOf(contract);
      await expect(call(), `${contract}.${name}`).to.be.revertedWithCustomError(errors, "NotGovernor").withArgs(city.deployer.address);
    }
    await expect(city.constitution.seal()).to.be.revertedWithCustomError(city.constitution, "AlreadySealed");
    await expect(city.constitution.wire([0], [someone])).to.be.revertedWithCustomError(city.constitution, "AlreadySealed");
  });

  it("has one governor: the adjudication procedure", async () => {
    const city = await loadCity();
    await city.constitution.seal();
    for (const name of INSTITUTIONS) {
      expect(await city.constitution.isGovernor(city.addresses[name]), name).to.equal(name === "ADJUDICATION");
    }
    expect(await city.constitution.isGovernor(city.deployer.address)).to.equal(false);
  });
});
