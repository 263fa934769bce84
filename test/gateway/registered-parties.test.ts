/** Parties and evaluators named by their number at an ERC-8004 registry: whoever would act for an agent that is not theirs. */
import { expect } from "chai";
import { createWalletClient, encodeDeployData, encodeFunctionData, parseAbi } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Act, Agreement, AgreementLife, PartyIdentity } from "../../orchestrator/agreements/index.ts";
import { transportOf } from "../../orchestrator/chain/chain.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { IDENTITY_ABI, registryName } from "../../orchestrator/escrow/registries.ts";
import type { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import { Canaries } from "../../orchestrator/gateway/canaries.ts";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { sha256Bytes } from "../../orchestrator/primitives/hash.ts";
import { type Address, bytesToHex, type Hex } from "../../orchestrator/primitives/hex.ts";
import { type ByteSigner, signerOf } from "../../orchestrator/primitives/signing.ts";
import { accept, deliver, identityOf, people, proposing, result, SIGNED, START, sign } from "../agreements/acts.ts";
import { peerContract } from "../support/peer-contract.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity } from "./agreement-city.ts";

const TRANSFER = parseAbi(["function transferFrom(address from, address to, uint256 tokenId)"]);
const secretOf = (name: string) => sha256Bytes(new TextEncoder().encode(name));
const accountOf = (name: string) => privateKeyToAccount(bytesToHex(secretOf(name)));
const judge = signerOf("secp256k1", secretOf("a registered judge"));

describe("agents of a registry as parties", function () {
  this.timeout(120_000);
  const home = new AgreementCity();
  let registry: Address;
  let desk: AgreementDesk;
  let count = 0;

  before(async () => {
    const by = { account: memberOf(home.city.society, "deployer").account };
    const { abi, bytecode } = peerContract("DraftRegistries.sol", "DraftIdentities");
    const data = encodeDeployData({ abi, bytecode, args: [] });
    const { contractAddress } = await home.city.sender.send({ ...by, intent: intentKey("test-agents", "registry"), data });
    registry = addressSchema.parse(contractAddress);
    for (const name of ["a provider", "a registered judge"]) {
      const to = accountOf(name).address;
      await home.city.sender.send({ ...by, intent: intentKey("test-agents", name), to, value: 10n ** 18n });
      await called(name, encodeFunctionData({ abi: IDENTITY_ABI, functionName: "register", args: ["ipfs://agent"] }));
    }
    desk = home.desk({ identities: registry });
  });

  /** A call of the registry by an agent's account. */
  async function called(name: string, data: Hex) {
    const { chain } = home.city;
    const wallet = createWalletClient({ account: accountOf(name), chain: chain.publicClient.chain, transport: transportOf(chain) });
    const { status } = await chain.receipt(await wallet.sendTransaction({ to: registry, data, gas: 400_000n }));
    expect(status).to.equal("success");
  }

  const numbered = (id: number, at = registry): PartyIdentity => ({
    scheme: "erc8004",
    value: `${registryName(home.city.chain.id, at)}/${id}`,
  });
  const agent = (id: number, { publicKey }: ByteSigner = people.provider): PartyIdentity => ({ ...numbered(id), key: publicKey.key });
  const offer = (
    provider: PartyIdentity,
    evaluator: PartyIdentity = identityOf(people.evaluator),
    verification: Agreement["verification"] = { strategy: "immediate", depth: "semantic" },
  ) => {
    count += 1;
    const client = { identity: identityOf(people.client) };
    return proposing(`agents-${count}`, START + 864_000, {
      verification,
      parties: { client, provider: { identity: provider }, evaluator: { identity: evaluator, type: "agent_as_judge" } },
    });
  };
  const refused = (act: ReturnType<typeof offer>, on = desk) => rejection(on.propose(act)).then(({ name }) => name);

  it("act by the key that their terms pin, if it is the agent's account", async () => {
    let at = await desk.propose(offer(agent(0), agent(1, judge)));
    const acts = [...SIGNED, deliver, (life: AgreementLife) => judged(life)];
    for (const step of acts) at = await desk.take(at.id, step(at.life));
    expect(at.status).to.equal("closed");
    // A desk that reads no registry still reads what was accepted.
    expect((await home.desk().get(at.id)).life).to.deep.equal(at.life);
  });

  /** The result of agent 1, by whoever signs it. */
  const judged = (life: AgreementLife, by = judge): Act => result(life, by, undefined, { as: agent(1, by) });

  it("are refused by name where no registry is read, or another", async () => {
    expect(await refused(offer(agent(0)), home.desk())).to.equal("NoRegistry");
    expect(await refused(offer({ ...agent(0), ...numbered(0, home.city.client.addresses.CityToken) }))).to.equal("NoRegistry");
  });

  it("are refused with another's key, without one, under a number that nobody has, and under another spelling", async () => {
    expect(await refused(offer(agent(0, judge))), "another agent's").to.equal("UnknownKey");
    expect(await refused(offer(agent(0, people.evaluator))), "no account's").to.equal("UnknownKey");
    expect(await refused(offer(numbered(0))), "none").to.equal("UnknownKey");
    expect(await refused(offer(agent(7)))).to.equal("UnknownKey");
    const { value } = agent(0);
    expect(await refused(offer({ ...agent(0), value: value.toLowerCase() }))).to.equal("NoRegistry");
    expect(await refused(offer({ ...agent(0), value: "0x742d" }))).to.equal("UnknownKey");
  });

  it("are one party with whoever has the same key", async () => {
    expect(await refused(offer(agent(0), identityOf(people.provider)))).to.equal("OneParty");
  });

  it("cannot be spoken for by a key that an act brings along", async () => {
    let at = await desk.propose(offer(agent(0), agent(1, judge)));
    for (const step of [...SIGNED, deliver]) at = await desk.take(at.id, step(at.life));
    const forger = people.client;
    expect((await rejection(desk.take(at.id, judged(at.life, forger)))).name).to.equal("BadSignature");
    expect((await desk.get(at.id)).life.results).to.have.length(0);
  });

  it("are tested as evaluators by the key that they judge with, as long as it is theirs", async () => {
    await called("a registered judge", encodeFunctionData({ abi: IDENTITY_ABI, functionName: "register", args: ["ipfs://another"] }));
    const canaries: Canaries = new Canaries({
      ...{ sql: home.city.database, secret: new Uint8Array(32).fill(7), millis: () => home.now * 1_000, rate: () => 1 },
      desk: () => asking,
    });
    const asking = home.desk({ identities: registry, judged: (standing, evaluator) => canaries.judged(standing, evaluator) });
    const verification = { strategy: "immediate", depth: "semantic", canary_tasks: { enabled: true } } as const;
    for (const evaluator of [agent(1, judge), agent(2, judge)]) {
      let at = await asking.propose(offer(identityOf(people.provider), evaluator, verification));
      for (const step of [...SIGNED, deliver]) at = await asking.take(at.id, step(at.life));
      await asking.take(at.id, result(at.life, judge, undefined, { as: evaluator }));
    }
    const args = [accountOf("a registered judge").address, accountOf("a provider").address, 2n] as const;
    await called("a registered judge", encodeFunctionData({ abi: TRANSFER, functionName: "transferFrom", args }));
    await canaries.step();
    const { database } = home.city;
    const asked = await database.query("SELECT evaluator FROM gateway_canaries");
    expect(asked).to.deep.equal([{ evaluator: `erc8004:${agent(1).value}` }]);
    expect(await database.query("SELECT evaluator FROM gateway_judges WHERE is_due"), "tried again for ever").to.deep.equal([]);
  });

  it("must still have the account when they sign, and are held to what they signed", async () => {
    const [late, held] = [await desk.propose(offer(agent(0))), await desk.propose(offer(agent(0)))];
    for (const { id, life } of [late, held]) await desk.take(id, accept(life, "provider"));
    for (const by of ["client", "provider"] as const) await desk.take(held.id, sign((await desk.get(held.id)).life, by));
    const args = [accountOf("a provider").address, accountOf("a registered judge").address, 0n] as const;
    await called("a provider", encodeFunctionData({ abi: TRANSFER, functionName: "transferFrom", args }));
    const after = rejection(desk.take(late.id, sign((await desk.get(late.id)).life, "client")));
    expect((await after).name).to.equal("UnknownKey");
    const delivered = await desk.take(held.id, deliver((await desk.get(held.id)).life));
    expect(delivered.status).to.equal("delivered");
  });
});
