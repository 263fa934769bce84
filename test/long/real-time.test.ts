import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createTestClient, createWalletClient, getAddress, http, parseEther, publicActions } from "viem";
import { english, generateMnemonic } from "viem/accounts";
import { stringify } from "yaml";
import { readArtifact } from "../../deploy/artifacts.ts";
import { cityTokenAbi } from "../../orchestrator/chain/abi/CityToken.ts";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { viemChain } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { deploymentFile, readDeployment } from "../../orchestrator/city/founding/deployment-file.ts";
import { auditReportSchema } from "../../orchestrator/protocol/audit-report.ts";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { outcomeIn, refusalIn, runCli } from "../support/cli.ts";
import { CALM_ROWS, readAndEstimate, smallInputs } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const CHAIN_ID = 4242;
const BLOCK_SECONDS = 2;

/**
 * A mission from goal to payout on somebody else's network: another chain id, keys of its owner's own, a settlement token that is there
 * already, blocks every two seconds that nobody steers.
 */
describe("a mission in real time", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  const phrase = generateMnemonic(english);
  let anvil: Anvil;
  let token: `0x${string}`;
  const node = (id = CHAIN_ID) =>
    createTestClient({ mode: "anvil", chain: viemChain(id, "Anvil"), transport: http(anvil.url) }).extend(publicActions);
  const cli = (args: readonly string[], env: Record<string, string> = {}, more: Partial<Parameters<typeof runCli>[1]> = {}) =>
    runCli([...args, "--json"], {
      home: join(directory(), "home"),
      cwd: directory(),
      env: { AGENTCITY_MNEMONIC: phrase, ...env },
      limitMs: 600_000,
      ...more,
    });
  const onPlain = ["--network", "plain"];
  const mission = (more: readonly string[] = []) => cli(["mission", join(directory(), "mission.yaml"), ...onPlain, ...more]);

  before(async () => {
    // The test token exists on devnets only: it is made before the node becomes another chain.
    anvil = await startAnvil();
    const minter = devnetAccount(0);
    const wallet = createWalletClient({ account: minter, chain: viemChain(31337, "Anvil"), transport: http(anvil.url) });
    const hash = await wallet.deployContract({ abi: cityTokenAbi, bytecode: readArtifact("interop/CityToken").bytecode });
    const { contractAddress } = await node(31337).waitForTransactionReceipt({ hash });
    if (contractAddress == null) throw new Error("no token");
    token = getAddress(contractAddress);
    const deployer = devnetAccount(0, phrase).address;
    const call = { address: token, abi: cityTokenAbi, functionName: "mint", args: [deployer, 1_000_000_000_000n] } as const;
    // The chain's id changes below: a transaction that still waits then is one of another chain.
    const minted = await node(31337).waitForTransactionReceipt({ hash: await wallet.writeContract(call) });
    expect(minted.status).to.equal("success");
    await node(31337).setBalance({ address: deployer, value: parseEther("100") });
    await node(31337).request({ method: "anvil_setChainId", params: [CHAIN_ID] } as never);

    const networks = { plain: { chainId: CHAIN_ID, rpc: anvil.url, profile: "default" } };
    writeFileSync(join(directory(), "agentcity.networks.json"), JSON.stringify(networks));
    const { csv } = smallInputs(directory(), CALM_ROWS);
    const file = { mission: "real-time", goal: "Estimate three work packages.", budget: "300.00", deadline: "20m", risk: "LOW" };
    const work = { input: { kind: "csv", path: csv }, tasks: readAndEstimate(0.5), output: { task: "estimate", format: "json" } };
    writeFileSync(join(directory(), "mission.yaml"), stringify({ ...file, ...work }));
  });
  after(() => anvil.stop("SIGKILL"));

  it("names what is missing before anything is sent", async () => {
    const missing: [string, Promise<Awaited<ReturnType<typeof cli>>>][] = [
      ["TokenMissing", mission()],
      ["PhraseUnusable", cli(["mission", join(directory(), "mission.yaml"), ...onPlain, "--token", token], { AGENTCITY_MNEMONIC: "" })],
      ["SimulationRefused", mission(["--token", token])],
    ];
    for (const [code, run] of missing) expect(refusalIn(await run)).to.include({ code });
    expect(await node().getTransactionCount({ address: devnetAccount(0, phrase).address })).to.equal(0);
  });

  it("is preceded by a founding, with the token that is there", async () => {
    const options = ["--token", token, "--confirmations", "1", "--port", "0"];
    const served = await cli(
      ["city", "--open", "0", ...onPlain, ...options],
      {},
      { interrupt: { when: /the gateway is at/, signal: "SIGINT" } },
    );
    expect(served.stderr).to.match(/city founded and sealed/);
    expect(readDeployment(deploymentFile(join(directory(), "home", "plain")))?.plan.token).to.equal(token);
  });

  it("goes from goal to payout within eight minutes, by the network's own time", async () => {
    await node().setIntervalMining({ interval: BLOCK_SECONDS });
    const before = await node().getBlock();
    const run = await mission(["--wait-for-humans", "--confirmations", "2", "--max-fee", "50"]);
    expect(run, run.stderr).to.include({ code: 0 });
    expect(run.stdout + run.stderr).to.not.contain(phrase.split(" ").slice(0, 3).join(" "));
    const outcome = outcomeIn(run);
    expect(outcome).to.include({ status: "completed", released: true, network: "plain", chainId: CHAIN_ID });
    expect(balances(outcome.money)).to.equal(true);
    const last = await node().getBlock({ blockNumber: BigInt(outcome.finalBlock.number) });
    expect(last.hash).to.equal(outcome.finalBlock.hash);
    const seconds = Number(last.timestamp - before.timestamp);
    expect(seconds).to.be.lessThan(480);
    // Nobody moved time: every block came when it was due.
    expect(Number(last.number - before.number)).to.be.within(seconds / BLOCK_SECONDS - 5, seconds / BLOCK_SECONDS + 5);
  });

  it("is audited against the network's headers, and says what it takes on trust", async () => {
    const missions = join(directory(), "home", "missions");
    const bundle = join(missions, readdirSync(missions)[0] ?? "");
    expect(refusalIn(await cli(["audit", bundle]))).to.include({ code: "InvalidValue" });
    const run = await cli(["audit", bundle, "--rpc", anvil.url]);
    expect(run, run.stdout + run.stderr).to.include({ code: 0 });
    const report = auditReportSchema.parse(JSON.parse(run.stdout));
    expect(report.passed).to.equal(true);
    expect(report.checks.find(({ name }) => name === "CHAIN")?.what).to.match(/header against its hash/);
    expect(report.trusts.join()).to.match(/what contracts hold/);
    const line = readFileSync(join(bundle, "chain.ndjson"), "utf8");
    expect(line).to.match(/^\{"chainId":4242,"from":\d+,/);
  });
});
