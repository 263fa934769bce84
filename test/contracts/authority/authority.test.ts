/**
 * Who may do what, complete and true: each mutating function of the compiled contracts has a row in `scripts/dev/authority.ts`, and a
 * succeeding call of each row, tried as every kind of caller, is allowed or gets exactly the row's error.
 */
import { expect } from "chai";
import { ANYONE, AUTHORITY, LIKE, type Role, type Rule } from "../../../scripts/dev/authority.ts";
import { AuthorityTrial, DEPLOYED, mutatingFunctions } from "../../support/authority-trial.ts";
import { INSTITUTIONS } from "../../support/city-fixture.ts";
import { playAgreements, playEvaluator } from "./play-agreements.ts";
import {
  playAdjudication,
  playConstitution,
  playMoney,
  playOffices,
  playProducers,
  playRegistries,
  playWatchdog,
} from "./play-foundational.ts";
import { playDeployment, playEnds, playSessions } from "./play-legislature.ts";
import { playConsensus, playDescent, playGate, playHappyNode, playMarket, playRemedies, playSettlement } from "./play-mission.ts";
import { playPools } from "./play-pools.ts";

const PLAYS = [
  playConstitution,
  playProducers,
  playOffices,
  playRegistries,
  playMoney,
  playAdjudication,
  playWatchdog,
  playSessions,
  playDeployment,
  playEnds,
  playMarket,
  playSettlement,
  playHappyNode,
  playConsensus,
  playRemedies,
  playDescent,
  playGate,
  playPools,
  playAgreements,
  playEvaluator,
];
/** Kinds that every row is tried as; the others exist only where they play a part. */
const ALWAYS: readonly Role[] = [
  "outsider",
  "contract",
  "deployer",
  "producer",
  "principal",
  "sub-agent",
  "verifier",
  "registrar",
  "speaker",
  "regulator",
  "codifier",
  "adjudicator",
  "senior",
  "conflicted",
  "flagged",
  "resigned",
  "impeached",
  "runner",
  "monitor",
  "issuer",
  "mission",
  "old clone",
  "CONSTITUTION",
  ...INSTITUTIONS,
  "former LEGISLATION",
  "former EXECUTION",
  "former ADJUDICATION",
];
const LIMIT = 240_000;

const functionsOf = (contract: string): string[] => mutatingFunctions(DEPLOYED.get(contract) ?? []).map(({ name }) => name);
const rows = Object.entries(AUTHORITY).flatMap(([contract, functions]) =>
  Object.entries(functions).flatMap(([name, rules]) => rules.map((rule) => ({ name: `${contract}.${name}`, rule }))),
);

/** What a rule promises a kind of caller. */
function promised(rule: Rule, role: Role): string {
  const { callers, except, refusal } = rule;
  if (except?.[role] !== undefined) return except[role];
  if (callers !== ANYONE && callers.includes(role)) return "ok";
  const like = LIKE[role];
  if (like !== undefined) return promised(rule, like);
  if (callers === ANYONE) return "ok";
  return refusal ?? "an error that the row does not name";
}

describe("authority", () => {
  const trial = new AuthorityTrial();

  it("has a row for every mutating function of every deployed contract", () => {
    for (const contract of DEPLOYED.keys()) {
      for (const name of functionsOf(contract)) {
        const hint = `scripts/dev/authority.ts needs a row ${contract}.${name}, and test/contracts/authority/play-*.ts a call that succeeds`;
        expect(Object.keys(AUTHORITY[contract] ?? {}), hint).to.include(name);
      }
    }
  });

  it("has no row for a function that does not exist", () => {
    for (const [contract, functions] of Object.entries(AUTHORITY)) {
      expect(functionsOf(contract), contract).to.include.members(Object.keys(functions));
    }
  });

  for (const play of PLAYS) {
    it(`is recorded: ${play.name}`, async () => play(trial)).timeout(LIMIT);
  }

  for (const { name, rule } of rows) {
    const key = AuthorityTrial.key(name, rule.when);
    const who = rule.callers === ANYONE ? ANYONE : rule.callers.join(", ");
    it(`${key}: ${who}${rule.refusal === undefined ? "" : `; else ${rule.refusal}`}`, () => {
      const answers = trial.answers.get(key);
      if (answers === undefined) throw new Error(`no call of ${key} was recorded: add one to test/contracts/authority/play-*.ts`);
      expect([...answers.keys()], "tried as").to.include.members([...ALWAYS, ...(rule.callers === ANYONE ? [] : rule.callers)]);
      const wrong = [...answers].filter(([role, answer]) => answer !== promised(rule, role));
      expect(wrong.map(([role, answer]) => `${role} gets ${answer} instead of ${promised(rule, role)}`)).to.deep.equal([]);
    });
  }

  it("recorded nothing that no row speaks of", () => {
    const keys = rows.map(({ name, rule }) => AuthorityTrial.key(name, rule.when));
    expect([...trial.answers.keys()].filter((key) => !keys.includes(key))).to.deep.equal([]);
  });
});
