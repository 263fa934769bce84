/** Every function of the foundational contracts, the registries, the roster, the token and the treasury, called with success. */
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { getAddress } from "viem";
import { actionNumber } from "../../../orchestrator/protocol/actions.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { packPayment } from "../../../orchestrator/rules/payments.ts";
import { type AuthorityTrial, type Cast, castOf, endow } from "../../support/authority-trial.ts";
import { AUTHORIZATION, authorize, domainOf, permit } from "../../support/authorization.ts";
import {
  type City,
  EVERYTHING,
  ethers,
  INSTITUTIONS,
  Kind,
  keyOf,
  loadCity,
  MANDATE,
  networkHelpers,
  Office,
  parameterValues,
  tokens,
} from "../../support/city-fixture.ts";
import { orderOn } from "../../support/orders.ts";
import { outcomeOf } from "../../support/outcomes.ts";

const WHY = id("why");
const UNBONDING = 400n * 86_400n;

const addressOf = (name: string): string => keyOf(name).address;

export async function playConstitution(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const cast = await castOf(city, {});
  const fresh = await ethers.deployContract("ConstitutionContract", [MANDATE.hash, MANDATE.cid, parameterValues()]);
  const institutions = INSTITUTIONS.map((_, index) => index);
  const addresses = INSTITUTIONS.map((name) => city.addresses[name]);
  await trial.record("ConstitutionContract.wire", cast, () => fresh.wire(institutions, addresses));
  await trial.record("ConstitutionContract.seal", cast, () => fresh.seal());
  const governor = city.constitution.connect(await city.as("ADJUDICATION"));
  await trial.record("ConstitutionContract.setParam", cast, () => governor.setParam(parameterIndex("BIDDING_WINDOW"), 300, WHY));
  const replacement = await ethers.deployContract("MissionProbe");
  const [legislation, execution] = [INSTITUTIONS.indexOf("LEGISLATION"), INSTITUTIONS.indexOf("EXECUTION")];
  await trial.record("ConstitutionContract.amend", cast, () => governor.amend(legislation, replacement, WHY));
  await governor.amend(execution, replacement, WHY);
  await trial.record("ConstitutionContract.withdrawAmendment", cast, () => governor.withdrawAmendment(execution, WHY));
  await networkHelpers.time.increase(UNBONDING);
  await trial.record("ConstitutionContract.pulse", cast, () => city.constitution.pulse());
  await trial.record("ConstitutionContract.enact", cast, () => city.constitution.enact(legislation));
}

export async function playProducers(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const { producers, addresses } = city;
  const { agent, principal } = await city.register("subject");
  const cast = { ...(await castOf(city, {})), agent: agent.address, "its principal": principal.address };
  await endow(city, cast, addresses.PRODUCERS);
  const as = async (who: string) => producers.connect(await city.as(who));

  const newcomer = await city.account("newcomer");
  const signed = await city.binding(newcomer, principal);
  await city.fund(principal, addresses.PRODUCERS, tokens(20_000));
  const register = () => producers.register(signed.message, signed.did, signed.byPrincipal, signed.byAgent);
  await trial.record("ProducerContract.register", { ...cast, agent: newcomer.address }, register, "signed");
  const second = await city.account("second newcomer");
  const half = await city.binding(second, principal);
  const direct = () => producers.connect(second).register(half.message, half.did, half.byPrincipal, "0x");
  await trial.record("ProducerContract.register", { ...cast, agent: second.address }, direct, "unsigned");

  await playSubAgents(trial, city, cast, agent);

  const [clerk, judge, owner] = ["new clerk", "new judge", "new principal"].map(addressOf) as [string, string, string];
  const clerks = await as("CLERKS");
  await trial.record("ProducerContract.enroll", cast, () => clerks.enroll(clerk, owner, Kind.CLERK), "a clerk");
  const roster = await as("ROSTER");
  await trial.record("ProducerContract.enroll", cast, () => roster.enroll(judge, owner, Kind.ADJUDICATOR), "an adjudicator");

  await trial.record("ProducerContract.topUpStake", cast, () => producers.connect(principal).topUpStake(agent.address, tokens(5)));
  const execution = await as("EXECUTION");
  await trial.record("ProducerContract.lock", cast, () => execution.lock(agent.address, tokens(1)));
  await trial.record("ProducerContract.settle", cast, () =>
    execution.settle(outcomeOf(agent.address, { release: tokens(1), scored: true, score: 5000 }), 5, ZeroAddress),
  );
  const outcome = { agent: agent.address, release: 1n, scored: true, score: 5000, reason: WHY };
  await trial.record("ProducerContract.settleAll", cast, () => execution.settleAll([outcome], [agent.address]));
  await trial.record("ProducerContract.accuse", cast, () => execution.accuse(agent.address));
  await execution.accuse(agent.address);
  await trial.record("ProducerContract.discharge", cast, () => execution.discharge(agent.address));
  await execution.discharge(agent.address);
  await trial.record("ProducerContract.reproach", cast, () => execution.reproach(agent.address, 1, WHY));
  const legislation = await as("LEGISLATION");
  await trial.record("ProducerContract.lapse", cast, () => legislation.lapse(agent.address));
  await trial.record("ProducerContract.attend", cast, () => producers.connect(agent).attend(agent.address));
  const governor = await as("ADJUDICATION");
  await trial.record("ProducerContract.slash", cast, () => governor.slash(agent.address, 5, WHY));
  await trial.record("ProducerContract.adjustReputation", cast, () => governor.adjustReputation(agent.address, -1, WHY));
  await trial.record("ProducerContract.freezeAgent", cast, () => governor.freezeAgent(agent.address, true));
  await trial.record("ProducerContract.freezePrincipal", cast, () => governor.freezePrincipal(principal.address, true));
  await trial.record("ProducerContract.ban", cast, () => governor.ban(agent.address, WHY));
  await trial.record("ProducerContract.deregister", cast, () => producers.connect(agent).deregister(agent.address));
  await networkHelpers.time.increase(UNBONDING);
  await trial.record("ProducerContract.withdrawStake", cast, () => producers.withdrawStake(agent.address));
}

/** Agents that a producer makes, and what a Regulator attests of them. */
async function playSubAgents(trial: AuthorityTrial, city: City, cast: Cast, creator: Wallet): Promise<void> {
  const { producers, clerks, addresses } = city;
  await city.fund(creator, addresses.PRODUCERS, tokens(20_000));
  for (const when of ["signed", "unsigned"] as const) {
    const agent = await city.account(`sub-agent ${when}`);
    const { message, did, byCreator, byAgent } = await city.subBinding(agent, creator);
    const sender = when === "signed" ? producers : producers.connect(agent);
    const register = () => sender.registerSubAgent(message, did, byCreator, when === "signed" ? byAgent : "0x");
    await trial.record("ProducerContract.registerSubAgent", { ...cast, agent: agent.address }, register, when);
  }
  const governed = clerks.connect(await city.as("ADJUDICATION"));
  const selector = producers.interface.getFunction("attestCapabilities").selector;
  await governed.setEnvelope(Office.REGULATOR, [selector], 8);
  await governed.setEnvelope(Office.REGISTRAR, [producers.interface.getFunction("enfranchise").selector], 8);
  const registrar = producers.connect(await city.as(cast.registrar ?? ""));
  await trial.record("ProducerContract.enfranchise", cast, () => registrar.enfranchise(creator.address));
  const regulator = producers.connect(await city.as(cast.regulator ?? ""));
  await trial.record("ProducerContract.attestCapabilities", cast, () => regulator.attestCapabilities(creator.address, EVERYTHING, WHY));
}

export async function playOffices(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const { clerks, management, services } = city;
  const { agent } = await city.register("owner");
  const [codifier, speaker] = [await city.account("codifier"), await city.account("speaker")];
  await clerks.appoint(Office.CODIFIER, codifier.address, addressOf("codifier's principal"));
  await clerks.appoint(Office.SPEAKER, speaker.address, addressOf("speaker's principal"));
  const known = { codifier: codifier.address, speaker: speaker.address };
  const cast = { ...(await castOf(city, known)), agent: agent.address };
  const governor = await city.as("ADJUDICATION");

  const record = [id("code"), id("schema"), "city:code", ZeroHash] as const;
  const deadline = (await city.now()) + 3600n;
  const message = {
    agent: agent.address,
    codeHash: record[0],
    schemaHash: record[1],
    endpoint: record[2],
    constraints: ZeroHash,
    deadline,
  };
  const signature = await city.sign("RegisterService", city.addresses.SERVICES, message, agent);
  const auth = { agent: agent.address, deadline, signature };
  await trial.record("ServiceContract.registerService", cast, () => services.registerService(...record, auth), "signed");
  const unsigned = { ...auth, signature: "0x" };
  const direct = () => services.connect(agent).registerService(id("other code"), id("schema"), "city:other", ZeroHash, unsigned);
  await trial.record("ServiceContract.registerService", cast, direct, "unsigned");
  const service = await services.idOf({
    owner: agent.address,
    codeHash: record[0],
    schemaHash: record[1],
    endpoint: record[2],
    constraints: ZeroHash,
  });

  const mandate = () => management.connect(governor).setMandate(Office.CODIFIER, id("operation"), service, false, ZeroHash);
  await trial.record("ManagementContract.setMandate", cast, mandate);
  await trial.record("ManagementContract.delegate", cast, () => management.connect(codifier).delegate(1, id("operation"), service, WHY));
  const delegation = await management.delegationId(1, id("operation"), WHY);
  const runner = await city.account("runner of the operation");
  await city.evidence.connect(governor).registerRunner(runner.address, addressOf("runner's own principal"));
  const said = await city.resultBy(runner, delegation, WHY, ZeroHash);
  const result = () => management.connect(codifier).recordResult(delegation, WHY, ZeroHash, said);
  await trial.record("ManagementContract.recordResult", cast, result);
  await trial.record("ServiceContract.deprecateService", cast, () => services.connect(agent).deprecateService(service));

  const byGovernor = clerks.connect(governor);
  const appoint = () => byGovernor.appoint(Office.REGISTRAR, addressOf("new registrar"), addressOf("new principal"));
  await trial.record("ClerkContract.appoint", cast, appoint);
  await trial.record("ClerkContract.setEnvelope", cast, () => byGovernor.setEnvelope(Office.SPEAKER, ["0x12345678"], 1));
  const legislation = clerks.connect(await city.as("LEGISLATION"));
  await trial.record("ClerkContract.consume", cast, () => legislation.consume(Office.SPEAKER, speaker.address, "0x12345678", 1));
  await trial.record("ClerkContract.revoke", cast, () => byGovernor.revoke(Office.SPEAKER, speaker.address));
}

export async function playRegistries(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const verifier = (await city.register("new verifier", { kind: Kind.VERIFIER })).agent.address;
  const judge = await city.account("new judge");
  await city.fund(judge, city.addresses.ROSTER, tokens(5000));
  const cast = { ...(await castOf(city, {})), agent: judge.address };
  const governor = await city.as("ADJUDICATION");
  const [someone, owner] = [addressOf("someone"), addressOf("someone's principal")];

  const evidence = city.evidence.connect(governor);
  await trial.record("EvidenceRegistry.registerIssuer", cast, () => evidence.registerIssuer(someone, owner, 1));
  await trial.record("EvidenceRegistry.registerVerifier", cast, () => evidence.registerVerifier(verifier, 1));
  const posting = evidence.interface.getFunction("postPassports").selector;
  await city.clerks.connect(governor).setEnvelope(Office.REGULATOR, [posting], 8);
  const regulator = evidence.connect(await city.as(cast.regulator ?? ""));
  await trial.record("EvidenceRegistry.postPassports", cast, () => regulator.postPassports(WHY, [], []));
  await trial.record("EvidenceRegistry.registerRunner", cast, () => evidence.registerRunner(addressOf("new runner"), owner));
  await trial.record("EvidenceRegistry.registerMonitor", cast, () => evidence.registerMonitor(addressOf("new monitor"), owner));
  const producers = city.evidence.connect(await city.as("PRODUCERS"));
  await trial.record("EvidenceRegistry.stay", cast, () => producers.stay(verifier, 1));
  await trial.record("EvidenceRegistry.retire", cast, () => producers.retire(verifier));
  await trial.record("EvidenceRegistry.reseat", cast, () => evidence.reseat());
  const drawn = await ethers.provider.getBlockNumber();
  await trial.record("EvidenceRegistry.pinSeed", cast, () => evidence.pinSeed(drawn));
  await trial.record("EvidenceRegistry.suspend", cast, () => evidence.suspend(owner, true));
  await trial.record("EvidenceRegistry.revoke", cast, () => evidence.revoke(someone));

  const template = await ethers.deployContract("MissionProbe");
  const templates = city.templates.connect(governor);
  await trial.record("TemplateRegistry.publish", cast, () => templates.publish(id("template"), template, WHY));

  const roster = city.roster;
  await trial.record("AdjudicatorRoster.seat", cast, () => roster.connect(governor).seat(judge.address, owner));
  const probe = (await city.probe(902)).address;
  const counted = () => roster.connect(governor).countCase(actionNumber("RESOLVE_APPEAL"), probe, 0, 0, [judge.address]);
  await trial.record("AdjudicatorRoster.countCase", cast, counted);
  const market = roster.connect(await city.as("EXECUTION"));
  await trial.record("AdjudicatorRoster.recordParty", cast, () => market.recordParty(addressOf("mission"), owner));
  await trial.record("AdjudicatorRoster.resign", cast, () => roster.connect(judge).resign());
  await networkHelpers.time.increase(UNBONDING);
  await trial.record("AdjudicatorRoster.withdrawStake", cast, () => roster.connect(judge).withdrawStake());
  await city.fund(judge, city.addresses.ROSTER, tokens(5000));
  await roster.connect(governor).seat(judge.address, owner);
  await trial.record("AdjudicatorRoster.impeach", cast, () => roster.connect(governor).impeach(judge.address, WHY));
}

export async function playMoney(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const { token, treasury, addresses } = city;
  const itself = (await city.probe(901)).address;
  const [holder, spender] = [await city.account("holder"), await city.account("spender")];
  const cast = { ...(await castOf(city, { itself })), agent: holder.address, spender: spender.address };
  await city.token.mint(holder.address, tokens(100));
  for (const payer of Object.values(cast)) await city.token.mint(payer, tokens(1));

  await trial.record("CityToken.mint", cast, () => token.mint(holder.address, tokens(5)));
  await trial.record("CityToken.approve", cast, () => token.connect(holder).approve(spender.address, 5));
  await trial.record("CityToken.transfer", cast, () => token.connect(holder).transfer(addressOf("payee"), 5));
  const pull = () => token.connect(spender).transferFrom(holder.address, addressOf("payee"), 5);
  await trial.record("CityToken.transferFrom", cast, pull);
  const allowance = await permit(token, holder, spender.address, 7n);
  await trial.record("CityToken.permit", cast, () => token.permit(...allowance), "signed");
  const order = { from: holder.address, to: spender.address, value: 3n, validAfter: 0n, validBefore: 2n ** 40n, nonce: WHY };
  const transfer = await authorize(token, holder, "TransferWithAuthorization", order);
  await trial.record("CityToken.transferWithAuthorization", cast, () => token.transferWithAuthorization(...transfer), "signed");
  const receipt = await authorize(token, holder, "ReceiveWithAuthorization", { ...order, nonce: ethers.id("received") });
  await trial.record("CityToken.receiveWithAuthorization", cast, () => token.connect(spender).receiveWithAuthorization(...receipt));
  const cancelled = { authorizer: holder.address, nonce: ethers.id("cancelled") };
  const types = { CancelAuthorization: AUTHORIZATION.CancelAuthorization };
  const end = ethers.Signature.from(await holder.signTypedData(await domainOf(token), types, cancelled));
  const cancel = () => token.cancelAuthorization(holder.address, cancelled.nonce, end.v, end.r, end.s);
  await trial.record("CityToken.cancelAuthorization", cast, cancel, "signed");

  await endow(city, cast, addresses.TREASURY);
  await trial.record("Treasury.deposit", cast, () => treasury.connect(holder).deposit(tokens(5), tokens(5), WHY));
  const mission = treasury.connect(await city.as(itself));
  const roster = treasury.connect(await city.as("ROSTER"));
  await trial.record("Treasury.compensate", cast, () => roster.compensate(holder.address, 5));
  const { agent, principal } = await city.register("paid");
  const payment = packPayment({ account: getAddress(agent.address), amount: tokens(5), psi: 0, node: 0, place: 0 });
  await city.token.mint(addresses.TREASURY, tokens(10));
  await trial.record("Treasury.settle", cast, () => mission.settle([payment], 0, 0, WHY));
  const owed = { ...cast, agent: agent.address, "its principal": principal.address };
  await trial.record("Treasury.withdraw", owed, () => treasury.connect(agent).withdraw(agent.address, agent.address));
  await mission.settle([payment], 0, 0, WHY);
  const withdrawal = { account: agent.address, by: principal.address, to: principal.address, nonce: 1n, deadline: 2n ** 40n - 1n };
  const withdrawn = await city.sign("Withdrawal", addresses.TREASURY, withdrawal, principal);
  await trial.record("Treasury.withdrawFor", cast, () => treasury.withdrawFor(withdrawal, withdrawn), "signed");
  const governor = treasury.connect(await city.as("ADJUDICATION"));
  await trial.record("Treasury.disburse", cast, () => governor.disburse(1, addresses.TREASURY, 5, WHY));
}

/** The watchdog over the panel. */
export async function playWatchdog(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const [judge] = await city.seatAdjudicators(1);
  const cast = await castOf(city, {});
  const watchdog = city.watchdog.connect(await city.as("ADJUDICATION"));
  const approves = 1;
  const note = (weakens: boolean) => watchdog.note([judge?.address ?? ""], approves, weakens);
  await trial.record("AdjudicatorWatchdog.note", cast, () => note(false));
  await trial.record("AdjudicatorWatchdog.stopCity", cast, () => watchdog.stopCity([judge?.address ?? ""]));
  await trial.record("AdjudicatorWatchdog.resumeCity", cast, () => watchdog.resumeCity());
  // Two families of anomalies freeze the panel.
  for (let i = 0; i < 21; i++) await note(true);
  await trial.record("AdjudicatorWatchdog.release", cast, () => watchdog.release());
}

/** An override of the adjudicators on a genuine mission. */
export async function playAdjudication(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const [judge] = await city.seatAdjudicators(1);
  if (judge === undefined) throw new Error("nobody was seated");
  const mission = await city.probe(901);
  const cast = await castOf(city, { adjudicator: judge.address, itself: mission.address });
  const action = await orderOn({ address: mission.address, contract: mission }, 1, 3, {
    salt: 1n,
    deadline: (await city.now()) + 600n,
  });
  const signature = await city.signOrder(action, judge);
  const act = () => city.adjudication.act(action, [{ adjudicator: judge.address, signature }]);
  await trial.record("AdjudicationProcedure.act", cast, act, "signed");
}
