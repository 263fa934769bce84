import { expect } from "chai";
import { devnetSociety, membersOf, type Role } from "../../orchestrator/city/founding/society.ts";

describe("a demonstration's society", () => {
  const society = devnetSociety();
  const behind = (role: Role) => new Set(membersOf(society, role).flatMap(({ principal }) => principal ?? []));

  it("has seven principals at least: four who produce, two who verify, one who issues, and none of them twice", () => {
    const [producing, verifying, issuing] = [behind("producer"), behind("verifier"), behind("issuer")];
    expect([producing.size, verifying.size, issuing.size]).to.deep.equal([4, 2, 1]);
    expect(new Set([...producing, ...verifying, ...issuing]).size).to.equal(7);
  });

  it("has whoever watches and vouches answer to nobody who works, judges or issues", () => {
    const parties = new Set([...behind("producer"), ...behind("verifier"), ...behind("issuer")]);
    for (const role of ["runner", "monitor"] as const) for (const principal of behind(role)) expect(parties.has(principal)).to.equal(false);
  });

  it("has seven adjudicators and four clerks, of different keys", () => {
    const offices = (["registrar", "speaker", "regulator", "codifier"] as const).flatMap((role) => membersOf(society, role));
    const keys = [...membersOf(society, "adjudicator"), ...offices].map(({ account }) => account.address);
    expect(new Set(keys).size).to.equal(11);
  });
});
