/** Every action of the override panel, signed as every kind of `scripts/dev/signers.ts`: carried to what it moves, or refused by name. */
import { expect } from "chai";
import { id, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { ACTION_NAMES, type ActionName, institutionNames } from "../../../orchestrator/protocol/actions.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { answerTo, NO_MISSION, NO_SIGNER, NO_SIGNERS, SIGNERS, SIGNS, WITH_MISSION } from "../../../scripts/dev/signers.ts";
import { castOf, refusalOf } from "../../support/authority-trial.ts";
import { ethers, keyOf, loadCity, Office, tokens } from "../../support/city-fixture.ts";
import { type Panel, panelOver } from "../../support/panel.ts";

const WHY = id("why");
/** Orders that arrive where they are to be carried out, and are about nothing there: whose they are was judged before. */
const ARRIVES: Partial<Record<ActionName, string>> = {
  CLAIM_INSURANCE: "NotInsured",
  APPROVE_CODIFICATION: "WrongState",
  RULE_ON_BLOC: "WrongState",
  AUDIT_UNILATERAL: "NothingToAudit",
  RELEASE_WATCHDOG: "NotFrozen",
  RESUME_CITY: "CityNotStopped",
};
const SEATED = 4;

type Order = Awaited<ReturnType<Panel["wide"]>>;

/** A city with its panel, what every action is about, and the same about the principal of the conflicted one. */
async function stage() {
  const city = await loadCity();
  const panel = panelOver(city, await city.seatAdjudicators(SEATED), await city.probe(1));
  const { constitution, treasury, legislation, addresses } = city;
  // With as many wanted as there can be, the panel is always too small.
  await constitution.setParam(parameterIndex("ADJUDICATOR_QUORUM"), 20, WHY);
  const cast = await castOf(city, { itself: panel.mission.address });
  const sponsor = await city.account("sponsor");
  const interested = await city.account("cast verifier's principal");
  await city.fund(sponsor, addresses.TREASURY, tokens(100));
  await treasury.connect(sponsor).deposit(tokens(50), tokens(50), WHY);
  const sessionOf = async (one: Wallet): Promise<bigint> => {
    await city.fund(one, addresses.LEGISLATION, tokens(10));
    await legislation.connect(one).openSession(id("goal"), tokens(10), ZeroAddress);
    return legislation.sessionCount();
  };
  const offer = async (name: string, principal: Wallet) => {
    const { agent } = await city.register(name, { principal });
    return (await city.offerService(agent, name)).service;
  };
  const services = {
    neutral: await offer("maker", await city.account("maker's principal")),
    own: await offer("interested maker", interested),
  };
  const candidate = await city.account("candidate");
  await city.fund(candidate, addresses.ROSTER, tokens(5000));
  const template = await (await ethers.deployContract("MissionProbe")).getAddress();
  return { city, panel, cast, template, services, sessions: { neutral: await sessionOf(sponsor), own: await sessionOf(interested) } };
}
type Stage = Awaited<ReturnType<typeof stage>>;

/** The data of a city-wide action, and whom it is about. */
function matterOf({ cast, template, sessions, services }: Stage, action: ActionName, own: boolean): readonly [string, ...unknown[]] {
  const [agent, session] = [cast.producer ?? "", own ? sessions.own : sessions.neutral];
  const someone = keyOf("someone's principal").address;
  const matters: Partial<Record<ActionName, readonly [string, ...unknown[]]>> = {
    AMEND_PARAMETER: [ZeroAddress, parameterIndex("SESSION_FEE"), 11n],
    ADJUST_REPUTATION: [agent, -1n],
    APPROVE_PREDICATE: [template, 7],
    SLASH: [agent, 1n, false],
    FREEZE_PRINCIPAL: [cast.principal ?? "", true],
    CLAIM_INSURANCE: [agent, cast.mission, 1n],
    DISBURSE: [agent, 0, 1n],
    APPROVE_CODIFICATION: [ZeroAddress, session],
    APPOINT_CLERK: [keyOf("clerk").address, Office.SPEAKER, someone],
    SET_ENVELOPE: [ZeroAddress, Office.SPEAKER, 1, ["0x12345678"]],
    PUBLISH_TEMPLATE: [template, id("template"), WHY],
    REGISTER_ISSUER: [keyOf("runner").address, 3, someone, 0],
    ADMIT_ADJUDICATOR: [keyOf("candidate").address, someone],
    AMEND_CONSTITUTION: [template, institutionNames.indexOf("LEGISLATION")],
    RULE_ON_BLOC: [ZeroAddress, session, true],
    IMPEACH: [cast.resigned ?? ""],
    AUDIT_UNILATERAL: [cast.resigned ?? "", ZeroHash],
    RELEASE_WATCHDOG: [ZeroAddress],
    STOP_CITY: [ZeroAddress],
    RESUME_CITY: [ZeroAddress],
    FREEZE_AGENT: [agent, true],
    SET_MANDATE: [ZeroAddress, Office.CODIFIER, WHY, own ? services.own : services.neutral, false, WHY],
  };
  const [target = "", ...data] = matters[action] ?? [];
  return own && target !== ZeroAddress ? [keyOf("cast verifier's principal").address, ...data] : [target, ...data];
}

describe("signatures", () => {
  let at: Stage;
  before(async () => {
    at = await stage();
  });

  const onMission = async (action: ActionName): Promise<boolean> =>
    (await at.panel.contract.rowOf(ACTION_NAMES.indexOf(action) + 1)).onMission;
  async function orderOf(action: ActionName, own = false): Promise<Order> {
    if (await onMission(action)) return at.panel.override(action);
    const [target, ...data] = matterOf(at, action, own);
    return at.panel.wide(action, target, ...data);
  }

  /** What becomes of an order with these signatures. */
  async function answer(order: Order, signers: readonly Wallet[]): Promise<string> {
    const { city, panel } = at;
    const sorted = [...signers].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
    const signatures = await Promise.all(sorted.map((signer) => panel.signed(order, signer)));
    const data = panel.contract.interface.encodeFunctionData("act", [order, signatures]);
    const call = { from: city.deployer.address, to: city.addresses.ADJUDICATION, data, gas: "0x1c9c380" };
    return ethers.provider.send("eth_call", [call, "latest"]).then(() => SIGNS, refusalOf);
  }

  /** Beside that one, as many as the action needs: those who have nothing to do with anything first. */
  async function beside(order: Order, one: Wallet): Promise<Wallet[]> {
    const free = [1, 2, 3, 0].map((i) => keyOf(`adjudicator ${i}`));
    const others = [...free, keyOf("cast adjudicator"), keyOf("cast conflicted")].filter(({ address }) => address !== one.address);
    return [one, ...others.slice(0, Number(await at.panel.contract.signaturesFor(order)) - 1)];
  }

  const expected = (action: ActionName, promised: string): string => (promised === SIGNS ? (ARRIVES[action] ?? SIGNS) : promised);

  for (const action of ACTION_NAMES) {
    it(`${action}: whoever may, and nobody else`, async () => {
      const wrong: string[] = [];
      const note = (kind: string, got: string, promised: string) => {
        if (got !== promised) wrong.push(`${kind} gets ${got} instead of ${promised}`);
      };
      for (const kind of ["adjudicator", "conflicted", "flagged"] as const) {
        const [order, signer] = [await orderOf(action, kind === "conflicted"), keyOf(`cast ${kind}`)];
        const promised = expected(action, answerTo(SIGNERS[kind], action));
        note(kind, await answer(order, await beside(order, signer)), promised);
      }
      const order = await orderOf(action);
      note("senior", await answer(order, [keyOf("adjudicator 0")]), expected(action, answerTo(SIGNERS.senior, action)));
      for (const kind of NO_SIGNERS) note(kind, await answer(order, await beside(order, nobody(kind))), NO_SIGNER);

      const signers = await beside(order, keyOf("adjudicator 1"));
      if (await onMission(action)) {
        const old = await at.panel.override(action, { mission: at.cast["old clone"] });
        note("on an old clone", await answer(old, signers), SIGNS);
        note("on no mission", await answer({ ...order, mission: at.cast.contract ?? "" }, signers), NO_MISSION);
      } else {
        note("with a mission", await answer({ ...order, mission: at.panel.mission.address }, signers), WITH_MISSION);
      }
      expect(wrong).to.deep.equal([]);
    });
  }

  it("while the panel is frozen, two actions and no other", async () => {
    const flagged = keyOf("cast flagged").address;
    await at.city.watchdog.connect(await at.city.as("ADJUDICATION")).note(Array(4).fill(flagged), 0, true);
    const wrong: string[] = [];
    for (const action of ACTION_NAMES) {
      const order = await orderOf(action);
      const got = await answer(order, await beside(order, keyOf("cast adjudicator")));
      const promised = answerTo(SIGNERS.frozen, action);
      if (got !== promised) wrong.push(`${action}: ${got} instead of ${promised}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  /** The key of somebody in the cast. */
  function nobody(kind: (typeof NO_SIGNERS)[number]): Wallet {
    const key = keyOf(kind === "principal" ? "cast producer's principal" : `cast ${kind}`);
    if (key.address !== at.cast[kind]) throw new Error(`${kind} has another key`);
    return key;
  }
});
