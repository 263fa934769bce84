// @long
/** Appeals of parties who have a key, HTTP and no gas, in a city whose mission goes on meanwhile: who may, with what, how often, and who reads it. */
import { join } from "node:path";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { AppealCase, AppealJudge } from "../../orchestrator/adjudication/rule-on-appeal.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { DEVNET_CHAIN_ID } from "../../orchestrator/chain/devnet.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { openContext } from "../../orchestrator/city/audit/context.ts";
import { inspect } from "../../orchestrator/city/audit/inspection.ts";
import { overrides } from "../../orchestrator/city/audit/overrides.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { appealDigest } from "../../orchestrator/city/missions/appeal.ts";
import { filedAppealOutput, preparedAppealOutput } from "../../orchestrator/gateway/commands/appeals.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { contentIdFromDigest } from "../../orchestrator/primitives/hash.ts";
import { type Address, hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { flipped, lying, more, replaced } from "../city/audit/lies.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";
import { drafted, post, signedAndSent } from "./orders.ts";

const TEXT = "My result is right: the panel read another column. — Ünbestritten";
const OTHER = "It left out the last row.";
const STRANGER = privateKeyToAccount(`0x${"77".repeat(32)}`);
const signedSchema = z.object({ message: z.record(z.string(), z.json()), domain: z.object({ verifyingContract: z.string() }) });
const rowsSchema = z.array(z.object({ subject: z.string(), gas: z.coerce.number() }));

describe("an appeal over HTTP", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway | undefined;
  let outcome: Outcome;
  let mission: Address;
  let executor: LocalAccount;
  let principal = "";
  const heard: AppealCase[] = [];
  /** What each player was told, by the player. */
  const told: Record<string, string> = {};
  let terms: z.infer<typeof preparedAppealOutput>;
  let filed: readonly { readonly appellant: string; readonly bond: string }[] = [];
  let wei = 0n;
  const charged: z.infer<typeof rowsSchema>[] = [];

  const send = async (body: object) => {
    const answer = await post(`${gateway?.url}/v1/appeals`, body);
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  /** The text that a refusal says, its code first. */
  const refusal = ({ status, body }: { readonly status: number; readonly body: unknown }) => {
    const { error } = body as { readonly error?: { readonly code: string; readonly message: string; readonly details?: string } };
    return error === undefined ? `${status}` : `${error.code} ${error.message} ${error.details ?? ""}`;
  };
  const prepare = async (appellant: Address, text = TEXT, attempt = 0) => {
    const query = `attempt=${attempt}&appellant=${appellant}&evidence=${appealDigest(text)}`;
    const answer = await fetch(`${gateway?.url}/v1/missions/${mission}/nodes/0/appeal?${query}`);
    return { status: answer.status, body: await answer.json() };
  };
  /** What was prepared, signed as a wallet signs it. */
  const signedBy = async (account: LocalAccount, body: unknown) => {
    const { typedData, permit, bond, deadline } = preparedAppealOutput.parse(body);
    const signature = await account.signTypedData(JSON.parse(typedData));
    const allowed = permit === null ? {} : { permit: { value: bond, signature: await account.signTypedData(JSON.parse(permit)) } };
    return { appellant: account.address, deadline, signature, ...allowed };
  };
  const isKept = (text: string) => city.blocks.has(contentIdFromDigest(appealDigest(text)));
  /** What strangers cost the city so far, act by act. */
  const spent = async () => rowsSchema.parse(await city.database.query("SELECT subject, gas FROM relayed ORDER BY act, subject"));

  /** Once the first node is recorded, all players in turn. */
  async function players(): Promise<void> {
    if (gateway !== undefined) return;
    const [only] = await missionsOf(city);
    if (only === undefined || !(await city.client.mission(only).nodeOf(0)).recorded) return;
    mission = only;
    gateway = await serveGateway(city, serveOptions);
    await gateway.sync();
    const { client } = city;
    const { agent } = await client.mission(mission).slotOf(0, 0);
    principal = await client.agents.principalOf(agent);
    executor = membersOf(city.society, "producer").find(({ account }) => account.address === agent)?.account as LocalAccount;
    const { account: sponsor } = memberOf(city.society, "sponsor");
    const pay = (to: Address, amount: bigint) =>
      client.token.transfer([to, amount], { intent: intentKey("test", "purse", to), account: sponsor });
    const place = { mission, node: 0, attempt: 0 };

    // A mission keeps the parameters with which it began.
    for (const name of ["APPEAL_BOND_MIN", "APPEAL_BOND_SHARE"] as const) {
      const values = [String(parameterIndex(name)), name === "APPEAL_BOND_MIN" ? "999" : "4999"];
      const order = await drafted(gateway.url, { action: "AMEND_PARAMETER", values, because: "appeals were too cheap" });
      const { relayed } = await signedAndSent(gateway.url, order, memberOf(city.society, "adjudicator").account);
      told[name] = relayed?.status ?? "";
    }

    told["a stranger"] = refusal(await prepare(STRANGER.address));
    told["for an attempt that is none"] = refusal(await prepare(executor.address, TEXT, 1));
    told["without having filed anything"] = refusal(await send({ ...place, text: TEXT }));
    const prepared = await prepare(executor.address);
    terms = preparedAppealOutput.parse(prepared.body);
    const own = await signedBy(executor, prepared.body);
    told["whose bond is not there"] = refusal(await send({ ...place, text: TEXT, signed: own }));
    await pay(agent, BigInt(terms.bond));
    const { permit, ...bare } = own;
    told["without a permit"] = refusal(await send({ ...place, text: TEXT, signed: bare }));
    const less = { ...own, permit: { ...permit, value: String(BigInt(terms.bond) - 1n) } };
    told["with a permit of less"] = refusal(await send({ ...place, text: TEXT, signed: less }));
    told["with another text than the one it signed"] = refusal(await send({ ...place, text: `${TEXT}!`, signed: own }));
    told["for another node"] = refusal(await send({ ...place, node: 1, text: TEXT, signed: own }));
    told["with a later deadline"] = refusal(await send({ ...place, text: TEXT, signed: { ...own, deadline: own.deadline + 1 } }));
    const others = await signedBy(STRANGER, prepared.body);
    told["with another's signature"] = refusal(await send({ ...place, text: TEXT, signed: { ...own, signature: others.signature } }));
    const anothersPermit = { ...own, permit: others.permit };
    told["with another's permit"] = refusal(await send({ ...place, text: TEXT, signed: anothersPermit }));
    told["what was kept of all that"] = `${isKept(TEXT)} ${isKept(`${TEXT}!`)}`;
    charged.push(await spent());

    const first = await send({ ...place, text: TEXT, signed: own });
    told["its appeal"] = refusal(first);
    filed = filedAppealOutput.parse(first.body).filed;
    wei = await city.chain.publicClient.getBalance({ address: agent });
    charged.push(await spent());
    const again = await send({ ...place, text: TEXT, signed: own });
    told["the same once more"] = `${again.status} ${JSON.stringify(again.body) === JSON.stringify(first.body)}`;
    told["its text alone"] = refusal(await send({ ...place, text: TEXT }));
    told["a second appeal"] = refusal(await prepare(agent, "And another thing."));

    // Somebody took the sponsor's signatures from the wire and was faster.
    const theirs = await signedBy(sponsor, (await prepare(sponsor.address, OTHER)).body);
    await client.token.approve([mission, BigInt(terms.bond)], { intent: intentKey("test", "faster", "bond"), account: sponsor });
    const auth = { agent: theirs.appellant, deadline: theirs.deadline, signature: hexSchema.parse(theirs.signature) };
    await client.mission(mission).appeal([0, 0, appealDigest(OTHER), auth], { intent: intentKey("test", "faster") });
    const late = await send({ ...place, text: OTHER, signed: theirs });
    told["an appeal that somebody else was faster with"] = `${refusal(late)} ${isKept(OTHER)}`;
    charged.push(await spent());
  }

  const simulation = simulatedJudge(DEVNET_CHAIN_ID);
  const judge: AppealJudge = {
    ...simulation,
    async decideAppeal(subject) {
      heard.push(subject);
      return simulation.decideAppeal(subject);
    },
  };

  before(async () => {
    const home = join(directory(), "home");
    city = await openHome(home, "14", { boundary: async (name) => (name === "execution:committed" ? players() : undefined) });
    const { csv } = smallInputs(directory(), CALM_ROWS);
    outcome = await carryOutIn(city, smallMission(csv, { risk: "MEDIUM" }), {
      id: "appealed",
      home,
      judge: { ...simulation, ...judge },
    });
  });
  after(async () => {
    await gateway?.close();
    await city?.close();
  });

  it("is prepared for parties only", () => {
    expect(told["a stranger"]).to.match(/^TransactionReverted .*NotAppealable/);
    expect(told["for an attempt that is none"]).to.match(/^TransactionReverted .*NotAppealable/);
  });

  it("shows what it costs: the bond, its token, until when, and the same in what is signed", () => {
    const [appeal, permit] = [terms.typedData, terms.permit ?? ""].map((text) => signedSchema.parse(JSON.parse(text)));
    const { deadline, bond } = terms;
    expect(appeal?.domain.verifyingContract).to.equal(mission);
    expect(appeal?.message).to.deep.equal({ appellant: executor.address, node: 0, attempt: 0, evidence: appealDigest(TEXT), deadline });
    expect(terms.token).to.equal(city.client.token.address);
    expect(permit?.domain.verifyingContract).to.equal(terms.token);
    expect(permit?.message).to.include({ owner: executor.address, spender: mission, value: bond, deadline: String(deadline) });
    expect([told["APPEAL_BOND_MIN"], told["APPEAL_BOND_SHARE"]]).to.deep.equal(["executed", "executed"]);
    expect(filed[0]?.bond).to.equal(bond);
  });

  it("is refused as anything else than what was signed and can be paid, and then keeps no text and costs nothing", () => {
    for (const who of ["without having filed anything", "whose bond is not there", "without a permit", "with a permit of less"])
      expect(told[who], who).to.match(/^AppealRefused/);
    for (const who of ["with another text than the one it signed", "with a later deadline", "with another's signature"])
      expect(told[who], who).to.match(/^TransactionReverted .*InvalidSignature/);
    expect(told["for another node"]).to.match(/^TransactionReverted/);
    expect(told["with another's permit"]).to.match(/^TransactionReverted .*ERC2612InvalidSigner/);
    expect(told["what was kept of all that"]).to.equal("false false");
    expect(charged[0]?.map(({ gas }) => gas).filter((gas) => gas > 0)).to.deep.equal([]);
  });

  it("is filed once, with its bond, however often it is sent; its party needs no gas", async () => {
    expect(told["its appeal"]).to.equal("200");
    expect(told["the same once more"]).to.equal("200 true");
    expect(told["its text alone"]).to.equal("200");
    expect(told["a second appeal"]).to.match(/^TransactionReverted .*AlreadyAppealed/);
    const events = (await city.client.mission(mission).history("AppealFiled")).filter(({ args }) => args.evidence === appealDigest(TEXT));
    expect(events.map(({ args }) => [args.appellant, String(args.bond)])).to.deep.equal(filed.map((each) => [each.appellant, each.bond]));
    expect(filed).to.have.length(1);
    expect(filed[0]?.appellant).to.equal(executor.address);
    expect(Number(filed[0]?.bond)).to.be.greaterThan(0);
    expect(wei).to.equal(0n);
  });

  it("counts once, among what its principal may cost the city", () => {
    const costs = (charged[1] ?? []).filter(({ gas }) => gas > 0);
    expect(costs.map(({ subject }) => subject)).to.include(`principal ${principal}`);
    for (const { gas } of costs) expect(gas).to.be.within(100_000, 500_000);
    expect(charged[2]).to.deep.equal(charged[1]);
  });

  it("is taken from whoever was faster: its text is kept all the same", () => {
    expect(told["an appeal that somebody else was faster with"]).to.equal("200 true");
  });

  it("is its party's for an audit, whoever handed it in", async () => {
    const context = await openContext(openBundle(outcome.bundle ?? ""));
    const found = async (seen: typeof context) => (await inspect(overrides, [seen])).findings.map(({ problem }) => problem);
    expect(await found(context)).to.deep.equal([]);
    for (const name of ["agent", "deadline", "signature"]) {
      const change = (args: unknown) =>
        replaced(args, name, name === "deadline" ? more : name === "agent" ? () => STRANGER.address : flipped);
      const problems = await found(lying(context, { about: "CollaborationContract.appeal", change }));
      expect(problems, name).to.deep.equal(Array(2).fill("is not signed by its party"));
    }
    await context.chain.close();
  });

  it("is read by the human who rules, and over by then", async () => {
    expect(heard.map(({ appeals }) => appeals.map(({ evidence }) => evidence))).to.deep.equal([[TEXT, OTHER]]);
    expect(outcome.status).to.equal("completed");
    expect(refusal(await prepare(memberOf(city.society, "sponsor").account.address))).to.match(/^TransactionReverted/);
  });
});
