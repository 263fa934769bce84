// @long
/** Appeals of parties who have a key and HTTP, in a city whose mission goes on meanwhile: who may, with what, how often, and who reads it. */
import { join } from "node:path";
import { expect } from "chai";
import { encodeFunctionData, type LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { AppealCase, AppealJudge } from "../../orchestrator/adjudication/rule-on-appeal.ts";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { DEVNET_CHAIN_ID } from "../../orchestrator/chain/devnet.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf, membersOf } from "../../orchestrator/city/founding/society.ts";
import { appealDigest } from "../../orchestrator/city/missions/appeal.ts";
import { contractAbis } from "../../orchestrator/client/contracts.ts";
import { filedAppealOutput, preparedAppealOutput } from "../../orchestrator/gateway/commands/appeals.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { contentIdFromDigest } from "../../orchestrator/primitives/hash.ts";
import type { Address, Hex } from "../../orchestrator/primitives/hex.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { carryOutIn, missionsOf, openHome } from "../support/city-home.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";
import { post } from "./orders.ts";

const TEXT = "My result is right: the panel read another column. — Ünbestritten";
const STRANGER = privateKeyToAccount(`0x${"77".repeat(32)}`);
const PURSE = 10n ** 9n;
const GAS_MONEY = 10n ** 16n;

describe("an appeal over HTTP", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  let city: City;
  let gateway: Gateway | undefined;
  let outcome: Outcome;
  let mission: Address;
  let executor: LocalAccount;
  const heard: AppealCase[] = [];
  /** What each player was told, by the player. */
  const told: Record<string, string> = {};
  let filed: readonly { readonly appellant: string; readonly bond: string }[] = [];

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
  /** The transactions that were prepared, signed by an account that looked at nothing. */
  const signedBy = async (account: LocalAccount, prepared: unknown, change: { readonly data?: Hex } = {}) => {
    const { transactions } = preparedAppealOutput.parse(prepared);
    return Promise.all(
      transactions.map(({ to, data, chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }) =>
        account.signTransaction({
          ...{ type: "eip1559", to: to as Address, data: change.data ?? (data as Hex), chainId, nonce, gas: BigInt(gas) },
          ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
        }),
      ),
    );
  };
  const isKept = (text: string) => city.blocks.has(contentIdFromDigest(appealDigest(text)));

  /** Once the first node is recorded, all players in turn. */
  async function players(): Promise<void> {
    if (gateway !== undefined) return;
    const [only] = await missionsOf(city);
    if (only === undefined || !(await city.client.mission(only).nodeOf(0)).recorded) return;
    mission = only;
    gateway = await serveGateway(city, serveOptions);
    await gateway.sync();
    const { agent } = await city.client.mission(mission).slotOf(0, 0);
    executor = membersOf(city.society, "producer").find(({ account }) => account.address === agent)?.account as LocalAccount;
    const { account } = memberOf(city.society, "sponsor");
    for (const to of [agent, STRANGER.address]) {
      await city.client.token.transfer([to, PURSE], { intent: intentKey("test", "purse", to), account });
      await city.sender.send({ intent: intentKey("test", "gas", to), to, value: GAS_MONEY, account });
    }
    const place = { mission, node: 0, attempt: 0 };

    told["a stranger"] = refusal(await prepare(STRANGER.address));
    told["for an attempt that is none"] = refusal(await prepare(executor.address, TEXT, 1));
    told["without having filed anything"] = refusal(await send({ ...place, text: TEXT }));
    const prepared = await prepare(executor.address);
    const own = await signedBy(executor, prepared.body);
    told["with another text than the one it signed"] = refusal(await send({ ...place, text: `${TEXT}!`, transactions: own }));
    told["for another node"] = refusal(await send({ ...place, node: 1, text: TEXT, transactions: own }));
    told["with the approval alone"] = refusal(await send({ ...place, text: TEXT, transactions: own.slice(0, 1) }));
    const data = encodeFunctionData({ abi: contractAbis.CityToken, functionName: "transfer", args: [STRANGER.address, 1n] });
    told["with a transfer in it"] = refusal(
      await send({ ...place, text: TEXT, transactions: await signedBy(executor, prepared.body, { data }) }),
    );
    const others = await signedBy(STRANGER, prepared.body);
    told["with the signatures of two"] = refusal(
      await send({ ...place, text: TEXT, transactions: [own[0], others[1]].filter((each) => each !== undefined) }),
    );
    told["what was kept of all that"] = `${isKept(TEXT)} ${isKept(`${TEXT}!`)}`;

    const first = await send({ ...place, text: TEXT, transactions: own });
    told["its appeal"] = refusal(first);
    filed = filedAppealOutput.parse(first.body).filed;
    const again = await send({ ...place, text: TEXT, transactions: own });
    told["the same once more"] = `${again.status} ${JSON.stringify(again.body) === JSON.stringify(first.body)}`;
    told["its text alone"] = refusal(await send({ ...place, text: TEXT }));
    told["a second appeal"] = refusal(await prepare(executor.address, "And another thing."));
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

  it("is refused with any other transaction than its own, and then keeps no text", () => {
    for (const who of [
      "without having filed anything",
      "with another text than the one it signed",
      "for another node",
      "with the approval alone",
      "with a transfer in it",
      "with the signatures of two",
    ])
      expect(told[who], who).to.match(/^AppealRefused/);
    expect(told["what was kept of all that"]).to.equal("false false");
  });

  it("is filed once, with its bond, however often it is sent", async () => {
    expect(told["its appeal"]).to.equal("200");
    expect(told["the same once more"]).to.equal("200 true");
    expect(told["its text alone"]).to.equal("200");
    expect(told["a second appeal"]).to.match(/^TransactionReverted .*AlreadyAppealed/);
    const events = await city.client.mission(mission).history("AppealFiled");
    expect(events.map(({ args }) => [args.appellant, String(args.bond)])).to.deep.equal(filed.map((each) => [each.appellant, each.bond]));
    expect(filed).to.have.length(1);
    expect(Number(filed[0]?.bond)).to.be.greaterThan(0);
  });

  it("is read by the human who rules, and over by then", async () => {
    expect(heard.map(({ appeals }) => appeals.map(({ evidence }) => evidence))).to.deep.equal([[TEXT]]);
    expect(outcome.status).to.equal("completed");
    expect(refusal(await prepare(memberOf(city.society, "sponsor").account.address))).to.match(/^TransactionReverted/);
  });
});
