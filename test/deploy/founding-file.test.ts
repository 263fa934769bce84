import { expect } from "chai";
import { stringify } from "yaml";
import { FoundingFileInvalid, parseFoundingFile } from "../../deploy/founding-file.ts";
import { networkOf, UnknownNetwork } from "../../deploy/networks.ts";
import { genesisPlanSchema, planJson } from "../../deploy/plan.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { thrown } from "../support/rejection.ts";

const person = (index: number) => ({ address: devnetAccount(index).address, principal: devnetAccount(index).address });
const FILE = {
  mandate: "Serve the humans who sign.",
  adjudicators: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((index) => devnetAccount(index).address),
  clerks: { registrar: [person(10)], speaker: [person(11)], regulator: [person(12), person(13)], codifier: [person(14)] },
};
const parse = (more: Readonly<Record<string, unknown>> = {}, devnet = true) =>
  parseFoundingFile(stringify({ ...FILE, ...more }), "city.yaml", devnet);

describe("founding file", () => {
  it("becomes a plan: preset, own parameters, offices, amounts in the smallest unit", () => {
    const plan = parse({
      preset: "devnet",
      parameters: { BIDDING_WINDOW: 120 },
      treasury: { free: "12.50", insurance: "0.000001" },
      issuers: [{ ...person(15), classes: ["ATT", "REC"] }],
    });
    expect(plan.parameters[parameterIndex("BIDDING_WINDOW")]).to.equal(120n);
    expect(plan.parameters[parameterIndex("ADJUDICATOR_QUORUM")]).to.equal(7n);
    expect(plan.treasury).to.deep.equal({ free: 12_500_000n, insurance: 1n });
    expect(plan.issuers).to.deep.equal([{ ...person(15), classes: 0b11000 }]);
    expect(plan.clerks.map(({ office }) => office)).to.deep.equal(["REGISTRAR", "SPEAKER", "REGULATOR", "REGULATOR", "CODIFIER"]);
    expect(plan.token).to.equal(null);
    const whole = { ...plan, mandates: [] };
    expect(genesisPlanSchema.parse(JSON.parse(JSON.stringify(planJson(whole))))).to.deep.equal(whole);
  });

  it("is refused with every reason at once", () => {
    const problems = (more: Readonly<Record<string, unknown>>, devnet = true) => {
      const error = thrown(() => parse(more, devnet));
      expect(error).to.be.instanceOf(FoundingFileInvalid);
      return (error as FoundingFileInvalid).details ?? "";
    };
    expect(problems({ adjudicators: FILE.adjudicators.slice(0, 8) })).to.contain("8 adjudicators, but ADJUDICATOR_QUORUM = 7 and 2 more");
    expect(problems({ adjudicators: [...FILE.adjudicators, FILE.adjudicators[0]] })).to.contain("listed twice");
    const two = problems({ parameters: { BIDDING_WINDOW: 1, NO_SUCH: 3 } });
    expect(two).to.contain("unknown parameter NO_SUCH").and.contain("BIDDING_WINDOW = 1 is outside 60–7200");
    expect(problems({}, false)).to.contain("the settlement token's address is needed");
    expect(problems({ clerks: { ...FILE.clerks, codifier: [] } })).to.contain("codifier");
    expect(problems({ treasury: { free: 5, insurance: "0" } })).to.contain("free");
    expect(problems({ owner: "me" })).to.contain("owner");
    expect(problems({ adjudicators: ["0x1234"] })).to.contain("expected an address");
    for (const text of ["mandate: [", "a: &a [*a]\n", `mandate: ${"x".repeat(70_000)}`])
      expect(thrown(() => parseFoundingFile(text, "city.yaml", true))).to.be.instanceOf(FoundingFileInvalid);
  });
});

describe("networks", () => {
  it("are known by name, or added by the folder's own file", () => {
    expect(networkOf("anvil")).to.include({ chainId: 31337, devnet: true, profile: "default" });
    expect(networkOf("base")).to.include({ chainId: 8453, devnet: false, profile: "production", rpc: undefined });
    const own = { mine: { chainId: 4242, rpc: "https://example.org" } };
    expect(networkOf("mine", own)).to.include({ chainId: 4242, profile: "production", rpc: "https://example.org" });
  });

  it("are refused when unknown, redefined or malformed", () => {
    expect(thrown(() => networkOf("bose")))
      .to.be.instanceOf(UnknownNetwork)
      .with.property("message")
      .that.contains("did you mean base?");
    expect(thrown(() => networkOf("base", { base: { chainId: 1 } }))).to.be.instanceOf(InvalidValue);
    expect(thrown(() => networkOf("mine", { mine: { chainId: "1" } }))).to.be.instanceOf(InvalidValue);
  });
});
