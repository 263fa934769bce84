import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createTestClient, createWalletClient, getAddress, http, numberToHex, publicActions } from "viem";
import { z } from "zod";
import { readArtifact } from "../../deploy/artifacts.ts";
import { cityTokenAbi } from "../../orchestrator/chain/abi/CityToken.ts";
import { type Anvil, startAnvil } from "../../orchestrator/chain/anvil.ts";
import { viemChain } from "../../orchestrator/chain/chain.ts";
import { devnetAccount } from "../../orchestrator/chain/devnet.ts";
import { genesisSchema } from "../../orchestrator/chain/transcript.ts";
import { type AuditContext, openContext } from "../../orchestrator/city/audit/context.ts";
import { dealFindings } from "../../orchestrator/city/audit/forked.ts";
import { deploymentFile, readDeployment } from "../../orchestrator/city/founding/deployment-file.ts";
import { devnetSociety } from "../../orchestrator/city/founding/society.ts";
import { auditReportSchema } from "../../orchestrator/protocol/audit-report.ts";
import { balances } from "../../orchestrator/protocol/outcome.ts";
import { openBundle } from "../../orchestrator/records/bundle.ts";
import { outcomeIn, refusalIn, runCli } from "../support/cli.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const L2 = 10;
/** What somebody has put on development accounts of public networks, whose keys everybody knows: a delegation (EIP-7702) to a contract that refuses. */
const REFUSING = "0x00000000000000000000000000000000000bad00";
/** A token without `permit`: the test token's code, which answers to another name there. */
const MUTE = "0x00000000000000000000000000000000000bad01";
const PERMIT = "d505accf";
const DELEGATED = `0xef0100${REFUSING.slice(2)}` as const;

/** A mission on a fork of a chain that others use and that goes on meanwhile: a second Anvil plays it. */
describe("a mission on a fork of an L2", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  let l2: Anvil;
  let lastBlock = 0;
  let token: `0x${string}`;
  const node = () => createTestClient({ mode: "anvil", chain: viemChain(L2, "L2"), transport: http(l2.url) }).extend(publicActions);
  const cli = (args: readonly string[]) =>
    runCli([...args, "--json"], { home: join(directory(), "home"), cwd: directory(), limitMs: 400_000 });
  const deployer = devnetAccount(0);

  before(async () => {
    l2 = await startAnvil();
    // The test token exists on devnets only: it is made before the node becomes another chain.
    const maker = createWalletClient({ account: devnetAccount(9), chain: viemChain(31337, "Anvil"), transport: http(l2.url) });
    const hash = await maker.deployContract({ abi: cityTokenAbi, bytecode: readArtifact("interop/CityToken").bytecode });
    token = getAddress((await node().waitForTransactionReceipt({ hash })).contractAddress ?? "0x");
    await node().mine({ blocks: 40 });
    const from = devnetAccount(0);
    await node().setNonce({ address: from.address, nonce: 7 });
    await node().setCode({ address: REFUSING, bytecode: "0x5f5ffd" });
    for (const { account } of devnetSociety()) {
      await node().setCode({ address: account.address, bytecode: DELEGATED });
      await node().setBalance({ address: account.address, value: 0n });
    }
    await node().setIntervalMining({ interval: 1 });
    const { csv } = smallInputs(directory(), CALM_ROWS);
    writeFileSync(join(directory(), "mission.yaml"), smallMission(csv));
  });
  after(() => l2.stop("SIGKILL"));

  it("goes from goal to payout, and leaves the chain alone", async () => {
    const before = await node().getBlockNumber();
    const run = await cli(["mission", join(directory(), "mission.yaml"), "--network", "anvil", "--fork", l2.url]);
    expect(run, run.stderr).to.include({ code: 0 });
    const outcome = outcomeIn(run);
    expect(outcome).to.include({ status: "completed", released: true, chainId: 31337 });
    expect(balances(outcome.money)).to.equal(true);
    lastBlock = outcome.finalBlock.number;
    expect(lastBlock).to.be.greaterThan(Number(before));
    expect(await node().getTransactionCount({ address: deployer.address })).to.equal(7);
  });

  it("is audited on another fork of the same block, and nowhere else", async () => {
    const missions = join(directory(), "home", "missions");
    const bundle = join(missions, readdirSync(missions)[0] ?? "");
    const nowhere = await cli(["audit", bundle]);
    expect(refusalIn(nowhere)).to.include({ code: "AuditFailed" });
    expect(nowhere.stdout + nowhere.stderr).to.match(/a fork of chain 31337, and no RPC URL of that chain was given/);
    const run = await cli(["audit", bundle, "--rpc", l2.url]);
    expect(run, run.stdout + run.stderr).to.include({ code: 0 });
    expect(auditReportSchema.parse(JSON.parse(run.stdout)).passed).to.equal(true);
  });

  it("is followed by another one, with its own node begun anew", async () => {
    const again = ["mission", join(directory(), "mission.yaml"), "--network", "anvil"];
    expect(refusalIn(await cli(again))).to.include({ code: "ForkUrlMissing" });
    const run = await cli([...again, "--fork", l2.url]);
    expect(run, run.stderr).to.include({ code: 0 });
    const outcome = outcomeIn(run);
    expect(outcome).to.include({ status: "completed", released: true });
    expect(outcome.finalBlock.number).to.be.greaterThan(lastBlock);
  });

  it("settles in a token of that chain: its founder is given some on the fork alone, and the audit gives it again", async () => {
    const first = readdirSync(join(directory(), "home", "missions"));
    const file = join(directory(), "mission.yaml");
    const at = ["mission", file, "--network", "anvil", "--fork", l2.url, "--token"];
    const other = { home: join(directory(), "other"), cwd: directory(), limitMs: 400_000 };
    const refused = await runCli([...at, REFUSING, "--json"], other);
    expect(refusalIn(refused)).to.include({ code: "TokenNotDealt" });
    // Nor in one that takes no allowance by signature: nothing was sent when that is said.
    const mute = await node().getCode({ address: token });
    await node().setCode({ address: MUTE, bytecode: `0x${mute?.slice(2).replaceAll(PERMIT, "deadbeef")}` });
    const unsigned = await runCli([...at, MUTE, "--json"], { ...other, home: join(directory(), "mute") });
    expect(refusalIn(unsigned)).to.include({ code: "WrongToken" });
    expect(
      readFileSync(join(directory(), "mute", "anvil", "chain.ndjson"), "utf8")
        .trimEnd()
        .split("\n"),
    ).to.have.length(1);
    const run = await runCli([...at, token, "--json"], { ...other, home: join(directory(), "settled") });
    expect(run, run.stderr).to.include({ code: 0 });
    const outcome = outcomeIn(run);
    expect(outcome).to.include({ status: "completed", released: true, chainId: 31337 });
    expect(balances(outcome.money)).to.equal(true);
    // That cannot be changed.
    const elsewhere = await runCli([...at, REFUSING, "--json"], { ...other, home: join(directory(), "settled") });
    expect(refusalIn(elsewhere)).to.include({ code: "InvalidValue" });
    expect(readDeployment(deploymentFile(join(directory(), "settled", "anvil")))?.plan.token).to.equal(token);
    // On the chain itself nobody has anything more.
    expect(await node().readContract({ address: token, abi: cityTokenAbi, functionName: "balanceOf", args: [deployer.address] })).to.equal(
      0n,
    );
    const bundle = join(directory(), "settled", "missions", readdirSync(join(directory(), "settled", "missions"))[0] ?? "");
    const audit = await runCli(["audit", bundle, "--rpc", l2.url, "--json"], { ...other, home: join(directory(), "settled") });
    expect(audit, audit.stdout + audit.stderr).to.include({ code: 0 });
    const report = auditReportSchema.parse(JSON.parse(audit.stdout));
    expect(report.passed).to.equal(true);
    expect(report.trusts.some((trust) => trust.includes(`what chain 31337 held at block`))).to.equal(true);
    expect(first).to.have.length(2);
    await isFoundOut(bundle);
  });

  /** Whoever founds a fork chooses the word that differs from its chain: another one, or another amount, is told from the founder's balance. */
  async function isFoundOut(bundle: string): Promise<void> {
    const { chain, client } = await openContext(openBundle(bundle), undefined, l2.url);
    const { genesis } = z.object({ genesis: genesisSchema }).parse(chain);
    const dealt = genesis.fork?.dealt;
    if (genesis.fork === undefined || dealt === undefined) throw new Error("the fork's founder was given nothing");
    const found = (word: Partial<typeof dealt>) => {
      const forged: AuditContext["chain"] = Object.create(chain, {
        genesis: { value: { ...genesis, fork: { ...genesis.fork, dealt: { ...dealt, ...word } } } },
      });
      return dealFindings({ chain: forged, client }, l2.url);
    };
    expect(await found({})).to.deep.equal([]);
    const more = numberToHex(BigInt(dealt.value) + 1n, { size: 32 });
    for (const word of [{ slot: `0x${"0".repeat(63)}5` }, { address: REFUSING }, { value: more }] as const)
      expect((await found(word)).map(({ check, subject }) => [check, subject])).to.deep.equal([["CHAIN", "what the founder was given"]]);
    await chain.close();
  }
});
