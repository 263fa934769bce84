/** What an agreement's end says of its provider: its record here, and what is told to registries elsewhere; whoever would have it otherwise. */
import { expect } from "chai";
import { createWalletClient, encodeDeployData, type LocalAccount } from "viem";
import { transportOf } from "../../orchestrator/chain/chain.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { connectRegistries, feedbackHash, REPUTATION_ABI } from "../../orchestrator/escrow/index.ts";
import type { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import { outcomeOf } from "../../orchestrator/gateway/agreements/outcomes.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import type { Address, Hash } from "../../orchestrator/primitives/hex.ts";
import { identityOf, people } from "../agreements/acts.ts";
import { peerContract } from "../support/peer-contract.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity } from "./agreement-city.ts";
import { type Deal, escrowHome, x402Home } from "./homes.ts";

const POOR = { accuracy: 10, completeness: 10, relevance: 10, sources: 0, writing: 10 };
const provider = identityOf(people.provider);

describe("what an agreement's end says of its provider", function () {
  this.timeout(120_000);
  const of = new AgreementCity();
  let desk: AgreementDesk;
  let escrow: Address;
  before(async () => {
    escrow = of.city.client.addresses.AgreementEscrow;
    // Later than all that agreements without an escrow wait for.
    of.now += 800_000;
    desk = of.desk({ escrow, limits: undefined });
  });

  const judged = async (deal: Deal, measured?: typeof POOR) => {
    await deal.begin();
    await deal.deliver();
    await deal.judge("evaluator", measured);
  };
  const ended = async (deal: Deal) => {
    await deal.silence();
    await deal.collect();
  };
  const outcome = async ({ id }: { readonly id: Hash }) => {
    const found = outcomeOf(await desk.get(id));
    return found === undefined ? undefined : { passed: found.passed, composite: found.composite, disputed: found.disputed };
  };

  for (const name of ["erc8183", "x402"] as const) {
    const home = () => (name === "x402" ? x402Home(of.city) : escrowHome(of.city, escrow));

    it(`is its result's, passed or failed, where it was judged: ${name}`, async () => {
      const good = await home().open();
      await judged(good);
      if (name === "erc8183") expect(await outcome(good), "while it lives").to.equal(undefined);
      await ended(good);
      expect(await outcome(good)).to.deep.equal({ passed: true, composite: 8_800, disputed: false });
      const poor = await home().open();
      await judged(poor, POOR);
      await ended(poor);
      expect(await outcome(poor)).to.include({ passed: false });
    });

    it(`is a breach where nothing was delivered in time, and nothing where both ended it: ${name}`, async () => {
      const silent = await home().open();
      await silent.begin();
      await ended(silent);
      expect(await outcome(silent)).to.deep.equal({ passed: false, composite: 0, disputed: false });
      const cancelled = await home().open();
      await cancelled.begin();
      await cancelled.cancel();
      expect(await outcome(cancelled)).to.equal(undefined);
    });

    it(`is nobody's where the evaluators were silent: ${name}`, async () => {
      const deal = await home().open();
      await deal.begin();
      await deal.deliver();
      for (let time = 0; time < 3; time += 1) await deal.silence();
      await deal.collect();
      expect(await outcome(deal)).to.equal(undefined);
    });
  }

  it("is no breach where the client never paid in: who waits for money owes no work", async () => {
    const deal = await escrowHome(of.city, escrow).open();
    await deal.silence();
    expect((await desk.get(deal.id)).status).to.equal("expired");
    expect(await outcome(deal)).to.equal(undefined);
  });

  it("says that it was disputed", async () => {
    const deal = await escrowHome(of.city, escrow).open();
    await judged(deal);
    await deal.challenge();
    await ended(deal);
    expect(await outcome(deal)).to.deep.equal({ passed: true, composite: 8_800, disputed: true });
  });

  it("makes the provider's record, for others as far as its terms let them count it", async () => {
    const { records, clients } = await desk.outcomes(provider, true);
    expect(records.length).to.be.greaterThan(6);
    expect(clients, "of one client").to.equal(1);
    expect(await desk.outcomes(provider, false)).to.deep.equal({ records: [], clients: 0, scores: [] });
    expect(await desk.outcomes(identityOf(people.client), true), "a client's is none").to.deep.equal({
      records: [],
      clients: 0,
      scores: [],
    });
  });

  it("is told to a registry by whoever took part, of the agent that was paid, and of no other", async () => {
    const by = { account: memberOf(of.city.society, "deployer").account };
    const deploy = async (contract: string, args: readonly unknown[] = []) => {
      const { abi, bytecode } = peerContract("DraftRegistries.sol", contract);
      const data = encodeDeployData({ abi, bytecode, args: [...args] });
      const { contractAddress } = await of.city.sender.send({ ...by, intent: intentKey("test-registries", contract), data });
      return addressSchema.parse(contractAddress);
    };
    const identity = await deploy("DraftIdentities");
    const reputation = await deploy("DraftReputations", [identity]);
    const on = { chain: of.city.chain.publicClient.chain, transport: transportOf(of.city.chain) };
    const registries = await connectRegistries({ ...on, identity, reputation });
    const deal = await escrowHome(of.city, escrow).open();
    const { purses } = deal;
    for (const who of [purses.provider, purses.stranger])
      expect((await registries.register(who, "ipfs://agent")).kind).to.equal("registered");
    const asking = async (from: LocalAccount, agentId = 0, place = reputation) =>
      desk.feedback(await desk.get(deal.id), { from: from.address, reputation: place, agentId, uri: "ipfs://file" });
    expect((await rejection(asking(purses.client))).name, "while it lives").to.equal("StepRefused");
    await judged(deal);
    await ended(deal);
    for (const who of [purses.provider, purses.stranger, purses.arbiter])
      expect((await rejection(asking(who))).name).to.equal("StepRefused");
    expect((await rejection(asking(purses.client, 1))).name, "a stranger's agent").to.equal("StepRefused");
    expect((await rejection(asking(purses.client, 0, escrow))).name, "no registry").to.equal("StepRefused");

    const { feedback, call } = await asking(purses.client);
    expect(feedback).to.deep.include({ value: 8_800, agentId: 0, tag2: "research" });
    const again = await asking(purses.client);
    expect(feedbackHash(again.feedback), "the same whenever it is asked").to.equal(feedbackHash(feedback));
    const wallet = createWalletClient({ ...on, account: purses.client });
    const sent = await of.city.chain.receipt(await wallet.sendTransaction({ to: call.to, data: call.data, gas: call.gas }));
    expect(sent.status).to.equal("success");
    expect(await registries.holds(feedback, purses.client.address, 1n)).to.equal(true);
    const read = { abi: REPUTATION_ABI, address: reputation, functionName: "readFeedback", args: [0n, purses.client.address, 1n] } as const;
    expect((await of.city.chain.publicClient.readContract(read)).slice(0, 3)).to.deep.equal([8_800n, 2, "asa"]);
  });
});
