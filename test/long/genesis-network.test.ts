import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createTestClient, createWalletClient, http, parseEther, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { stringify } from "yaml";
import { type Verification, verificationSchema } from "../../deploy/deployment.ts";
import { productionStakes } from "../../deploy/production-preset.ts";
import { adjudicatorRosterAbi } from "../../orchestrator/chain/abi/AdjudicatorRoster.ts";
import { cityTokenAbi } from "../../orchestrator/chain/abi/CityToken.ts";
import { constitutionContractAbi } from "../../orchestrator/chain/abi/ConstitutionContract.ts";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { viemChain } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { deploymentFile, readDeployment } from "../../orchestrator/city/founding/deployment-file.ts";
import { GENESIS_GAS } from "../../orchestrator/city/founding/genesis-port.ts";
import { type ParameterName, parameterIndex } from "../../orchestrator/protocol/parameters.ts";
import { compileProduction } from "../../scripts/dev/compile.ts";
import { type CliOptions, type CliRun, refusalIn, runCli } from "../support/cli.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** One deployment by founders whose keys genesis does not have, on a node in another process. */
describe("genesis by RPC", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  const key = generatePrivateKey();
  const deployer = privateKeyToAccount(key);
  const codifierKey = generatePrivateKey();
  const codifier = privateKeyToAccount(codifierKey).address;
  const adjudicators = [1, 2, 3, 4, 5, 6, 7].map((index) => devnetAccount(index));
  const officer = (index: number) => {
    const { address } = devnetAccount(20 + index);
    return { address, principal: devnetAccount(30 + index).address };
  };
  // Stakes for missions worth 100,000 tokens, as `npm run deterrence -- --preset` prints them.
  const deterring = Object.fromEntries(Object.entries(productionStakes(100_000)).map(([name, stake]) => [name, Number(stake)]));
  const enough = 20_000_000_000n;
  let anvil: Anvil;

  const founders = (more: Readonly<Record<string, unknown>> = {}) =>
    stringify({
      mandate: "Serve the humans who sign.",
      preset: "devnet",
      parameters: { ADJUDICATOR_QUORUM: 5, BIDDING_WINDOW: 120, ...deterring },
      treasury: { free: "1000.00", insurance: "500.00" },
      adjudicators: adjudicators.map(({ address }) => address),
      clerks: {
        registrar: [officer(0)],
        speaker: [officer(1)],
        regulator: [officer(2), officer(3)],
        codifier: [{ address: codifier, principal: codifier }],
      },
      issuers: [{ ...officer(4), classes: ["ATT", "REC"] }],
      runners: [officer(5)],
      monitors: [officer(6)],
      ...more,
    });
  const cli = (args: readonly string[], more: Partial<CliOptions> = {}) =>
    runCli([...args, "--json"], { home: join(directory(), "home"), env: { AGENTCITY_DEPLOYER_KEY: key }, ...more });
  const genesis = (more: Partial<CliOptions> = {}) =>
    cli(["genesis", "--network", "anvil", "--rpc", anvil.url, "--city", join(directory(), "city.yaml")], more);
  const verify = () => cli(["verify", "--network", "anvil", "--rpc", anvil.url]);
  const client = () =>
    createTestClient({ mode: "anvil", chain: viemChain(31337, "Anvil"), transport: http(anvil.url) }).extend(publicActions);
  const founded = () => readDeployment(deploymentFile(join(directory(), "home", "anvil")));
  const refused = (run: CliRun) => {
    expect(run.code, run.stderr).to.equal(1);
    expect(run.stdout + run.stderr).to.not.contain(key.slice(2));
    return refusalIn(run);
  };

  before(async () => {
    // Once for all the processes below, which would each compile into the same folder.
    await compileProduction();
    anvil = await startAnvil();
    writeFileSync(join(directory(), "city.yaml"), founders());
  });
  after(() => anvil.stop("SIGKILL"));

  it("names what is missing before it sends anything", async () => {
    writeFileSync(join(directory(), "base.yaml"), founders({ token: officer(9).address }));
    const base = ["genesis", "--network", "base", "--city", join(directory(), "base.yaml")];
    const at = (folder: string) => ({ home: join(directory(), folder) });
    const cases: [string, Promise<CliRun>][] = [
      ["NoFunds", genesis(at("poor"))],
      ["KeyUnusable", genesis({ env: {} })],
      ["RpcUrlMissing", cli(base, at("nowhere"))],
      ["WrongChain", cli([...base, "--rpc", anvil.url], at("wrong"))],
      ["RpcUnreachable", cli([...base, "--rpc", "http://127.0.0.1:9"], at("silent"))],
      ["NoCityThere", verify()],
    ];
    for (const [code, run] of cases) expect(refused(await run)).to.include({ code });
    expect(await client().getTransactionCount({ address: deployer.address })).to.equal(0);
  });

  it("is killed between signing and sending, and again after sending, and goes on", async () => {
    await client().setBalance({ address: deployer.address, value: parseEther("10") });
    for (const stopAt of ["sender:signed@4", "sender:broadcast@9"]) {
      const run = await genesis({ stopAt });
      expect(run).to.deep.include({ signal: "SIGKILL", stoppedAt: stopAt.split("@")[0] });
    }
    expect(founded()?.city).to.equal(null);
  });

  it("waits by name for what only people can sign, and refuses other decisions meanwhile", async () => {
    const waiting = await genesis();
    expect(refused(waiting)).to.include({ code: "PeopleFirst" });
    expect(waiting.stderr).to.match(/resumed: 1 signed/);
    const acts = waiting.stderr.split("\n").filter((line) => /holds less than its stake|registerService|treasury to start with/.test(line));
    expect(acts).to.have.length(adjudicators.length + 3);
    writeFileSync(join(directory(), "city.yaml"), founders({ mandate: "Serve nobody." }));
    expect(refused(await genesis())).to.include({ code: "GenesisDiffers" });
    writeFileSync(join(directory(), "city.yaml"), founders());
  });

  it("fills the offices once they have, killed once more, and reads everything back", async () => {
    await peopleAct();
    const env = { AGENTCITY_DEPLOYER_KEY: key, AGENTCITY_CODIFIER_KEY: codifierKey };
    expect(await genesis({ env, stopAt: "sender:signed@6" })).to.deep.include({ signal: "SIGKILL" });
    const done = await genesis({ env });
    expect(done, done.stderr).to.include({ code: 0 });
    const verification = reportIn(done);
    expect(verification).to.include({ passed: true, chainId: 31337, network: "anvil" });
    expect(verification.checks.flatMap(({ findings }) => findings)).to.deep.equal([]);
    expect(verification.checks.find(({ name }) => name === "CODE")?.verified).to.be.above(30);
    const address = founded()?.city?.addresses.ConstitutionContract ?? "0x";
    for (const [name, stake] of Object.entries(productionStakes(100_000)) as [ParameterName, bigint][]) {
      const args = [parameterIndex(name)] as const;
      expect(await client().readContract({ address, abi: constitutionContractAbi, functionName: "param", args }), name).to.equal(stake);
    }
  });

  it("sent every step once, for less than the funds it asked for", async () => {
    const deployment = founded();
    const city = deployment?.city;
    if (city == null) throw new Error("no city");
    let gas = 0n;
    const sent: string[] = [];
    for (let number = BigInt(city.fromBlock); number <= BigInt(city.toBlock); number += 1n) {
      const { transactions } = await client().getBlock({ blockNumber: number, includeTransactions: true });
      for (const { hash, from, input, to } of transactions) {
        if (from.toLowerCase() !== deployer.address.toLowerCase()) continue;
        sent.push(`${to} ${input}`);
        gas += (await client().getTransactionReceipt({ hash })).gasUsed;
      }
    }
    expect(new Set(sent).size).to.equal(sent.length);
    expect(Number(gas)).to.be.within(Number(GENESIS_GAS) / 2, Number(GENESIS_GAS));
  });

  it("is verified again later, and finds foreign code, a changed parameter, and that no adjudicator changed it", async () => {
    const clean = await verify();
    expect(clean, clean.stderr).to.include({ code: 0 });
    expect(reportIn(clean).passed).to.equal(true);
    const addresses = founded()?.city?.addresses;
    if (addresses === undefined) throw new Error("no city");

    const { ProducerContract: address } = addresses;
    const code = await client().getCode({ address });
    await client().setCode({ address, bytecode: `${code?.slice(0, -2)}00` as `0x${string}` });
    const foreign = await verify();
    expect(foreign.code).to.equal(1);
    expect(failures(reportIn(foreign))).to.deep.equal(["CODE"]);
    await client().setCode({ address, bytecode: code ?? "0x" });

    await amend(addresses.ConstitutionContract, addresses.AdjudicationProcedure);
    const amended = await verify();
    expect(amended.code, amended.stdout).to.equal(1);
    const [change, forged, ...others] = reportIn(amended).checks.flatMap(({ findings }) => findings);
    expect(others).to.deep.equal([]);
    expect(change).to.deep.equal({ subject: "BIDDING_WINDOW", expected: "120", found: "300", amendable: true });
    // Done in the procedure's name, without adjudicators: no real chain lets anybody do that.
    expect(forged).to.include({ expected: "signed by adjudicators", amendable: false });
    expect(forged?.subject).to.match(/^parameter: ConstitutionContract.ParameterSet in 0x/);
  });

  /** The deployer mints the devnet's test tokens; adjudicators allow the roster to take their stake. */
  async function peopleAct(): Promise<void> {
    const waiting = await genesis();
    const [, token = "", roster = ""] = /calls (0x\w+) approve\((0x\w+),/.exec((await afterMint(waiting)).stderr) ?? [];
    for (const account of adjudicators) {
      const wallet = createWalletClient({ account, chain: viemChain(31337, "Anvil"), transport: http(anvil.url) });
      await wallet.writeContract({
        address: token as `0x${string}`,
        abi: cityTokenAbi,
        functionName: "approve",
        args: [roster as `0x${string}`, enough],
      });
    }
    const seats = await client().readContract({ address: roster as `0x${string}`, abi: adjudicatorRosterAbi, functionName: "activeCount" });
    expect(seats).to.equal(0n);
  }

  /** Tokens for the stakes and for the treasury; tells the next run's demands. */
  async function afterMint(waiting: CliRun): Promise<CliRun> {
    expect(refused(waiting)).to.include({ code: "PeopleFirst" });
    const token = await tokenAddress();
    const wallet = createWalletClient({ account: deployer, chain: viemChain(31337, "Anvil"), transport: http(anvil.url) });
    for (const to of [...adjudicators.map(({ address }) => address), deployer.address])
      await wallet.writeContract({ address: token, abi: cityTokenAbi, functionName: "mint", args: [to, enough] });
    return genesis();
  }

  /** The second contract that the deployer created. */
  async function tokenAddress(): Promise<`0x${string}`> {
    const block = await client().getBlock({ blockNumber: 2n, includeTransactions: true });
    const [hash] = block.transactions.map((transaction) => transaction.hash);
    const { contractAddress } = await client().getTransactionReceipt({ hash: hash ?? "0x" });
    return contractAddress ?? "0x";
  }

  /** What the adjudication procedure may do, done in its name. */
  async function amend(constitution: `0x${string}`, governor: `0x${string}`): Promise<void> {
    await client().impersonateAccount({ address: governor });
    await client().setBalance({ address: governor, value: parseEther("1") });
    const wallet = createWalletClient({ account: governor, chain: viemChain(31337, "Anvil"), transport: http(anvil.url) });
    const args = [parameterIndex("BIDDING_WINDOW"), 300n, `0x${"11".repeat(32)}`] as const;
    await wallet.writeContract({ address: constitution, abi: constitutionContractAbi, functionName: "setParam", args });
  }
});

function reportIn({ stdout, stderr }: CliRun): Verification {
  if (!stdout.startsWith("{")) throw new Error(`no document on stdout; stderr:\n${stderr}`);
  return verificationSchema.parse(JSON.parse(stdout));
}

function failures({ checks }: Verification): string[] {
  return checks.filter(({ findings }) => findings.some(({ amendable }) => !amendable)).map(({ name }) => name);
}
