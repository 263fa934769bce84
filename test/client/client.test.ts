import { expect } from "chai";
import { zeroAddress, zeroHash } from "viem";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { SenderMissing } from "../../orchestrator/client/base.ts";
import { createCityClient } from "../../orchestrator/client/client.ts";
import { contractAbis } from "../../orchestrator/client/contracts.ts";
import { revertedWith } from "../../orchestrator/client/errors.ts";
import { readMany } from "../../orchestrator/client/read.ts";
import { orderDigest } from "../../orchestrator/client/sign/order.ts";
import { messageDigest } from "../../orchestrator/client/sign/sign-message.ts";
import { writeMany } from "../../orchestrator/client/write.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import { encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { PARAMETERS, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { address } from "../support/goals.ts";
import { hashOf, type LivingCity, openLivingCity, tokens } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";

describe("the client", function () {
  this.timeout(60_000);
  let city: LivingCity;
  before(async () => {
    city = await openLivingCity();
  });
  after(() => city.chain.close());

  it("tells a refused read by the contract's own error", async () => {
    const missing = await rejection(city.client.templates.predict(hashOf("no template"), 1, "0x", 1n));
    expect(revertedWith(missing, "TemplateRegistry", "UnknownTemplate")).to.equal(true);
    expect(revertedWith(missing, "TemplateRegistry", "NotATemplate")).to.equal(false);
    expect(messageOf(missing)).to.contain(`UnknownTemplate(${hashOf("no template")}, 1)`);
  });

  it("tells a refused write before it is sent", async () => {
    const { number } = city.chain.head();
    const refused = await rejection(city.client.legislation.tally([99n], { intent: intentKey("tally nothing") }));
    expect(revertedWith(refused, "LegislativeProcedure", "UnknownSession")).to.equal(true);
    expect(city.chain.head().number).to.equal(number);
  });

  it("takes a refused write for done when the chain shows it as done", async () => {
    const options = { intent: intentKey("tally nothing again"), alreadyDone: async () => true };
    expect(await city.client.legislation.tally([99n], options)).to.equal(undefined);
  });

  it("asks a view once between two blocks", async () => {
    const { chain, sponsor } = city;
    let asked = 0;
    const counting = new Proxy(chain.publicClient, {
      get: (target, name) => {
        if (name === "readContract") asked += 1;
        return Reflect.get(target, name);
      },
    });
    const { token, legislation, constitution } = createCityClient({
      chain: new Proxy(chain, { get: (target, name) => (name === "publicClient" ? counting : Reflect.get(target, name, target)) }),
      addresses: city.client.addresses,
    });
    const read = () => token.allowance(sponsor.address, legislation.address);
    expect(await Promise.all([read(), read(), token.balanceOf(sponsor.address)])).to.have.length(3);
    expect(asked).to.equal(2);
    await city.client.token.approve([legislation.address, tokens(17)], { intent: intentKey("allow 17"), account: sponsor });
    expect(await read()).to.equal(tokens(17));
    expect(asked).to.equal(3);
    // What an edition of the constitution says of a parameter never changes.
    const quorum = () => constitution.paramIn(0, parameterIndex("DEGRADED_MODE_THRESHOLD"));
    const before = await quorum();
    await city.client.token.approve([legislation.address, tokens(18)], { intent: intentKey("allow 18"), account: sponsor });
    expect(await quorum()).to.equal(before);
    expect(asked).to.equal(4);
  });

  it("asks a view with many arguments in one request for each sixty, and answers as if each were asked alone", async () => {
    const { chain, client } = city;
    let [asked, alone] = [0, 0];
    const counted: typeof chain.publicClient = new Proxy(chain.publicClient, {
      get: (target, name) => {
        if (name === "multicall") asked += 1;
        if (name === "readContract") alone += 1;
        return Reflect.get(target, name);
      },
    });
    const reader = { chain: { publicClient: counted, answers: new Map<string, Promise<unknown>>() }, addresses: client.addresses };
    const question = { contract: "ConstitutionContract", functionName: "param" } as const;
    const last = PARAMETERS.length - 1;
    const indices = Array.from({ length: 230 }, (_, at) => at % last);
    const answers = await readMany(reader, { ...question, args: indices.map((index) => [index] as const) });
    expect(asked).to.equal(4);
    expect(answers).to.deep.equal(await Promise.all(indices.map((index) => client.constitution.param(index))));
    await readMany(reader, { ...question, args: [[0], [last]] });
    expect(asked, "what is known is not asked again").to.equal(5);
    // Answers of seven words each: all arrive in the one request.
    const agents = Array.from({ length: 60 }, (_, number) => [address(number)] as const);
    expect(await readMany(reader, { contract: "ProducerContract", functionName: "agentOf", args: agents })).to.have.length(60);
    expect([asked, alone]).to.deep.equal([6, 0]);
    // Answers that are too large for one request arrive as well: viem's own list of a hundred.
    const contracts = Array.from({ length: 100 }, (_, number) => ({
      ...{ abi: contractAbis.ProducerContract, address: client.agents.address, functionName: "agentOf" as const },
      args: [address(number)] as const,
    }));
    const found = await chain.publicClient.multicall({ deployless: true, batchSize: 0, contracts });
    expect(found.every(({ status }) => status === "success")).to.equal(true);
    const unknown = { contract: "TemplateRegistry", functionName: "predict" } as const;
    const args = [[hashOf("no template"), 1, "0x", 1n]] as const;
    expect(revertedWith(await rejection(readMany(reader, { ...unknown, args })), "TemplateRegistry", "UnknownTemplate")).to.equal(true);
  });

  it("sends an intent once, however often it is asked", async () => {
    const { client, sponsor } = city;
    const note = { kind: "test", subjects: ["a"] };
    const approve = () =>
      client.token.approve([client.legislation.address, tokens(5)], { intent: intentKey("allow 5"), account: sponsor, note });
    const first = await approve();
    expect((await approve())!.transactionHash).to.equal(first!.transactionHash);
    expect(client.token.events(first!, "Approval")[0]!.args.value).to.equal(tokens(5));
    expect(city.notes.filter(({ kind }) => kind === "test").length).to.equal(1);
  });

  it("sends several calls in one block, in their order", async () => {
    const { client, sponsor } = city;
    const calls = [1, 2, 3].map((count) =>
      client.token.call.approve([client.legislation.address, tokens(count)], { intent: intentKey("allow", count), account: sponsor }),
    );
    const receipts = await writeMany(client, calls);
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).to.equal(1);
    expect(await client.token.allowance(sponsor.address, client.legislation.address)).to.equal(tokens(3));
  });

  it("without a sender reads and does not write", async () => {
    const { chain, addresses } = city.client;
    const reader = createCityClient({ chain, addresses });
    expect(await reader.agents.activeProducers()).to.equal(8);
    const expire = { intent: intentKey("expire") };
    expect(await rejection(reader.legislation.expire([1n], expire))).to.be.instanceOf(SenderMissing);
    expect(await rejection(writeMany(reader, [reader.legislation.call.expire([1n], expire)]))).to.be.instanceOf(SenderMissing);
  });

  it("signs the digest that the contract expects", async () => {
    const action = {
      action: 1,
      mission: address(7),
      node: 3,
      target: zeroAddress,
      data: encodeActionData("FREEZE", [2]),
      because: "why",
      caseHash: zeroHash,
      salt: 5n,
      deadline: 1_900_000_000,
    } as const;
    expect(orderDigest(city.client, action)).to.equal(await city.client.adjudication.digestOf(action));
  });

  it("asks for the mission where a message is a mission's own", () => {
    const commit = { agent: address(1), node: 0, slot: 0, attempt: 0, commitment: hashOf("c"), deadline: 1 };
    expect(() => messageDigest(city.client, "Commit", commit)).to.throw("Commit is signed for one mission");
    expect(messageDigest(city.client, "Commit", commit, address(1))).to.not.equal(messageDigest(city.client, "Commit", commit, address(2)));
  });
});
