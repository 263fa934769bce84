/** A city is killed while one of its panels hears a stranger's job: what was said is not said again, and nobody is paid twice. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { createPublicClient, http } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { z } from "zod";
import { agreementEscrowAbi } from "../../orchestrator/chain/abi/AgreementEscrow.ts";
import { clearingEvaluatorAbi } from "../../orchestrator/chain/abi/ClearingEvaluator.ts";
import { findLivingCity } from "../../orchestrator/chain/city-file.ts";
import type { Hex } from "../../orchestrator/primitives/hex.ts";
import { addressesOf } from "../../orchestrator/protocol/addresses.ts";
import { HEARING_BOUNDARIES, SENDER_BOUNDARIES } from "../../orchestrator/protocol/boundaries.ts";
import { AMOUNT, ask, type Job, openJob, WORK } from "../gateway/job-parties.ts";
import { signedRequest } from "../gateway/signed-fetch.ts";
import { cache } from "../support/cache.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PROGRAM = join(import.meta.dirname, "../../scripts/agentcity.js");
const stoppedSchema = z.strictObject({ boundary: z.string() });

/** After each step of a hearing, and before and after each sending that follows one. */
const KILLS = [
  ...HEARING_BOUNDARIES,
  ...HEARING_BOUNDARIES.slice(0, 2).flatMap((step) => SENDER_BOUNDARIES.map((sending) => `${step}>${sending}`)),
];

describe("a hearing in a city that is killed", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "city");
  let city: ChildProcess | undefined;

  afterEach(kill);

  async function kill(): Promise<void> {
    if (city === undefined) return;
    const ended = once(city, "exit");
    city.kill("SIGKILL");
    expect(await ended).to.deep.equal([null, "SIGKILL"]);
    city = undefined;
  }

  /** Serves the city of this home; with `stopAt` it goes no further than there. */
  async function serve(stopAt?: string) {
    city = spawn(process.execPath, [PROGRAM, "city", "--embedded", "--port", "0", "--open", "0", "--json"], {
      env: { ...process.env, AGENTCITY_HOME: home(), AGENTCITY_CACHE: cache, ...(stopAt && { AGENTCITY_TEST_STOP_AT: stopAt }) },
      stdio: ["ignore", "pipe", "ignore", "ipc"],
    });
    const stopped = once(city, "message").then(([message]) => stoppedSchema.parse(message).boundary);
    if (city.stdout === null) throw new Error("no output");
    const [line] = await once(createInterface({ input: city.stdout }), "line");
    const { url } = z.object({ url: z.url() }).parse(JSON.parse(String(line)));
    const living = findLivingCity(join(home(), "embedded"));
    if (living === undefined) throw new Error("it does not live");
    return { url, rpcUrl: living.rpcUrl, addresses: addressesOf(living.addresses, "it"), stopped };
  }
  type Place = Awaited<ReturnType<typeof serve>>;

  /** Up to the work that the panel has. */
  async function brought(at: Place): Promise<Job> {
    const { timestamp } = await createPublicClient({ chain: hardhat, transport: http(at.rpcUrl) }).getBlock();
    const endow = async (principal: Hex) => {
      const [body, now] = [JSON.stringify({ principal }), Math.floor(Date.now() / 1_000)];
      const { url, init } = await signedRequest(privateKeyToAccount(generatePrivateKey()), `${at.url}/v1/faucet`, { body, now });
      const { status } = await fetch(url, init);
      if (status !== 200) throw new Error(`no play money: ${status}`);
    };
    const one = await openJob(at, { endow, now: Number(timestamp) });
    await one.open();
    const items = await one.receipts(WORK);
    await one.deliver(WORK, items);
    // It may be killed before it has answered that.
    await one.handIn(WORK, items).catch(() => undefined);
    return one;
  }

  /** What happened to a job on chain, once it is over. */
  async function outcome({ url, rpcUrl, addresses }: Place, one: Job) {
    let state = await ask(url, `/v1/hearings/${one.hearing}`);
    for (let turn = 0; turn < 10_000 && state["isClosed"] !== true; turn += 1) state = await ask(url, `/v1/hearings/${one.hearing}`);
    const reader = createPublicClient({ chain: hardhat, transport: http(rpcUrl) });
    const of = { abi: clearingEvaluatorAbi, address: addresses.ClearingEvaluator, fromBlock: 0n, args: { key: one.hearing } } as const;
    const decided = await reader.getContractEvents({ ...of, eventName: "Decided" });
    const finalised = await reader.getContractEvents({ ...of, eventName: "Finalised" });
    const { hearings } = await ask(url, "/v1/hearings");
    return { outcome: state["outcome"], score: state["score"], times: [decided.length, finalised.length], hearings };
  }

  for (const stopAt of KILLS)
    it(`by SIGKILL at ${stopAt.replaceAll(">", ", then ")}: heard once, ended once, paid once`, async () => {
      const first = await serve(stopAt);
      const one = await brought(first);
      expect(await first.stopped).to.equal(stopAt.split(">").at(-1));
      await kill();
      const again = await serve();
      expect(await outcome(again, one)).to.deep.equal({ outcome: "PASS", score: 10_000, times: [1, 1], hearings: [] });
      const owed = await createPublicClient({ chain: hardhat, transport: http(again.rpcUrl) }).readContract({
        abi: agreementEscrowAbi,
        address: again.addresses.AgreementEscrow,
        functionName: "creditOf",
        args: [again.addresses.CityToken, one.terms.provider],
      });
      expect(owed).to.equal(AMOUNT);
    });
});
