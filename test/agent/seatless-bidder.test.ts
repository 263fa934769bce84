// @long
import { join } from "node:path";
import { expect } from "chai";
import { encodeFunctionData, type LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { executionProcedureAbi } from "../../orchestrator/chain/abi/ExecutionProcedure.ts";
import { serviceContractAbi } from "../../orchestrator/chain/abi/ServiceContract.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { offersOf, registeredService } from "../../orchestrator/city/founding/services.ts";
import { openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { admittedBy, recompileLaw } from "../../orchestrator/client/compile-law.ts";
import { signAuth } from "../../orchestrator/client/sign/auth.ts";
import type { RegisteredService } from "../../orchestrator/execution/world.ts";
import { contentIdFromDigest, keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Address, type Hex, hexToBytes } from "../../orchestrator/primitives/hex.ts";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { admissionOf, serviceIdOf } from "../../orchestrator/rules/admissions.ts";
import { CATALOG } from "../../services/catalog.ts";
import { runUntilAnswering, seatsClock } from "../support/answering-agent.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { exitsIn } from "../support/exits.ts";
import { CALM_ROWS, readAndEstimate, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const SELLS = "fetch-and-parse";
const ABSENT = 50_000_000n;

/** It registers like anybody, bids on chain by itself, lower than everybody, and never comes to the city's seats. */
describe("a stranger who wins on chain and has no seat in the city", function () {
  this.timeout(240_000);
  const directory = suiteDirectory();
  const key = keccak256(new TextEncoder().encode("seatless"));
  const account = privateKeyToAccount(key);
  const friend = privateKeyToAccount(keccak256(new TextEncoder().encode("friend of seatless")));
  const said: string[] = [];
  let city: City;
  let bids = 0;
  /** What it bids with. */
  let record: RegisteredService["record"];

  async function recordOf(name: string): Promise<RegisteredService["record"]> {
    const [offer] = await offersOf(
      [{ account }],
      CATALOG.filter(({ id }) => id === name),
    );
    if (offer === undefined) throw new RangeError(name);
    return registeredService(offer).record;
  }

  /** Bids for every node whose law admits what it sells, once a law is deployed. */
  async function bidOnChain(name: string): Promise<void> {
    if (name !== "legislature:deployed" || city === undefined) return;
    const { client, blocks } = city;
    const approved = (await client.legislation.history("Approved")).at(-1)?.args;
    if (approved === undefined) return;
    const proposed = (await client.legislation.history("Proposed", { session: approved.session })).map(({ args }) => args);
    const { docHash } = await client.mission(approved.mission).context();
    const laws = proposed.map(({ cid }) => recompileLaw(blocks.get(contentIdFromDigest(cid))));
    const document = laws.find((law) => law.docHash === docHash)?.document;
    if (document === undefined) return;
    const service = serviceIdOf(record);
    for (const { number: node } of document.nodes) {
      const admission = admissionOf(admittedBy(document), record, node);
      if (admission === undefined) continue;
      const bid = { mission: approved.mission, node, service, price: 1n };
      const nonce = await client.execution.nonceOf(account.address);
      const deadline = Number(client.chain.clock.now()) + 3_600;
      const auth = await signAuth(client, account, "Bid", { agent: account.address, ...bid, nonce, deadline });
      const data = encodeFunctionData({ abi: executionProcedureAbi, functionName: "bid", args: [bid, auth, admission] });
      // Some it sends itself, some a friend does: the city is asked for none.
      await send(bids % 2 === 0 ? account : friend, { to: client.addresses.ExecutionProcedure, data, value: 0n });
      bids += 1;
    }
  }

  async function send(from: LocalAccount, call: { readonly to: Address; readonly data: Hex; readonly value: bigint }): Promise<void> {
    const { chain } = city.client;
    const nonce = await chain.publicClient.getTransactionCount({ address: from.address });
    const fees = { gas: 1_000_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 0n };
    const raw = await from.signTransaction({ type: "eip1559", chainId: chain.id, nonce, ...fees, ...call });
    await chain.broadcast([raw]);
    const { status } = await chain.publicClient.getTransactionReceipt({ hash: keccak256(hexToBytes(raw)) });
    expect(status).to.equal("success");
  }

  before(async () => {
    city = await openHome(join(directory(), "home"), "7", { boundary: bidOnChain, progress: (line) => said.push(line) });
    const seats = await openSeats(city, { clock: seatsClock, patience: 0.05 });
    const principal = privateKeyToAccount(keccak256(new TextEncoder().encode("owner of seatless")));
    await runUntilAnswering({ city: seats.url, key, principal, folder: join(directory(), "seatless"), services: [SELLS] });
    await seats.close();
    for (const { address } of [account, friend]) await send(devnetAccount(9), { to: address, data: "0x", value: 10n ** 18n });
  });
  after(() => city?.close());

  beforeEach(() => {
    bids = 0;
  });

  it("wins what takes any code with code that is not here: the node does not start, its time is up, and others do it", async () => {
    record = { ...(await recordOf("aggregate")), codeHash: keccak256(new TextEncoder().encode("code of its own")) };
    const auth = { agent: account.address, deadline: Number(city.client.chain.clock.now()) + 3_600, signature: "0x" } as const;
    const args = [record.codeHash, record.schemaHash, record.endpoint, record.constraints, auth] as const;
    const data = encodeFunctionData({ abi: serviceContractAbi, functionName: "registerService", args });
    await send(account, { to: city.client.addresses.ServiceContract, data, value: 0n });
    const tasks = { ...readAndEstimate(0.5), report: { service: "any", like: "aggregate", after: ["estimate"], tier: 3 } };
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv, { tasks });
    const outcome = await carryOutIn(city, text, { id: "any", home: directory() });
    expect(bids, said.join("\n")).to.equal(1);
    expect([outcome.failure, outcome.status], said.join("\n")).to.deep.equal([null, "completed"]);
    const report = outcome.nodes.find(({ label }) => label === "report");
    expect(report?.executors.map(({ slashed, result }) => [slashed, result])).to.have.length(2);
    const [exit, ...others] = exitsIn(outcome.bundle);
    expect([exit?.exit, exit?.ended_by?.reason, exit?.slashed, others]).to.deep.equal(["CANCELLED", "NOT_ROUTED", undefined, []]);
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
  });

  it("is late there, loses what being late costs, and the mission completes without it and audits", async () => {
    record = await recordOf(SELLS);
    const { held: before } = await city.client.agents.stakeOf(account.address);
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    const outcome = await carryOutIn(city, text, { id: "seatless", home: directory() });
    expect(bids, said.join("\n")).to.be.greaterThan(0);
    expect([outcome.failure, outcome.status], said.join("\n")).to.deep.equal([null, "completed"]);
    const bound = await city.client.mission(outcome.mission as `0x${string}`).history("ExecutorBound");
    const won = bound.filter(({ args }) => args.agent === account.address);
    expect(won, said.join("\n")).to.not.have.length(0);
    const { held } = await city.client.agents.stakeOf(account.address);
    expect(before - held).to.equal(ABSENT * BigInt(won.length));
    expect(balances(outcome.money)).to.equal(true);
    expect((await auditBundle(outcome.bundle ?? "")).checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
  });
});
