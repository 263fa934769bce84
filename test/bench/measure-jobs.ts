/**
 * Gas of one job from creation to payment: in `AgreementEscrow` with one key as evaluator, as the draft's text has it, and what a panel of the
 * city costs beside the key. Prints JSON.
 *
 * usage: node test/bench/measure-jobs.ts [--reference]   with the reference of ERC-8183 in the same run, fetched from GitHub and compiled
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { id, ZeroAddress } from "ethers";
import { AMOUNT, openEscrow, RESULT, WORK } from "../support/agreement-fixture.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { BUDGET, Class, openEvaluator } from "../support/evaluator-fixture.ts";
import { compilePublished } from "../support/published.ts";
import { AGENTIC_COMMERCE, deployCommerce } from "../support/published-jobs.ts";
import { gasOf } from "./meter.ts";

type Costs = Record<string, number>;

const whole = (costs: Costs): Costs => ({ ...costs, job: Object.values(costs).reduce((sum, gas) => sum + gas, 0) });

/** Opened by signatures and funded by the client; judged by one key, no window, paid out. */
async function ours(): Promise<Costs> {
  const { escrow, city, client, provider, evaluator, terms, signed } = await openEscrow();
  const message = { ...terms, challengeWindow: 0 };
  const [one, other] = [await signed(client, message), await signed(provider, message)];
  const open = await gasOf(escrow.connect(client).open(message, one, other));
  const job = BigInt(await escrow.digestOf(message));
  return whole({
    open,
    fund: await gasOf(escrow.connect(client).fund(job, AMOUNT, "0x")),
    submit: await gasOf(escrow.connect(provider).submit(job, WORK, "0x")),
    complete: await gasOf(escrow.connect(evaluator).complete(job, RESULT, "0x")),
    withdraw: await gasOf(escrow.withdraw(city.addresses.TOKEN, provider.address)),
  });
}

/** The panel's part: three verdicts and two items. */
async function panel(): Promise<Costs> {
  const { contract, jobs, client, provider, issuer, base, signed, createJob, workOf, panel: drawn, voice } = await openEvaluator();
  const terms = { ...base, jobId: await createJob() };
  const [one, other] = [await signed(client, terms), await signed(provider, terms)];
  const register = await gasOf(contract.register(terms, one, other));
  await jobs.connect(client).fund(terms.jobId, BUDGET, "0x");
  await jobs.connect(provider).submit(terms.jobId, WORK, "0x");
  const items = [
    { class: Class.ATT, issuer },
    { class: Class.ATT, issuer },
  ];
  const work = await workOf(terms, items);
  const deliver = await gasOf(contract.connect(provider).deliver(terms, work.opening));
  const voices = [];
  for (const judge of await drawn(terms)) voices.push(await voice(judge, work, { basis: 3n }));
  const evaluate = await gasOf(contract.evaluate(terms, work.opening, work.proofs, voices));
  return { register, deliver, evaluate, finalise: await gasOf(contract.finalise(terms, ZeroAddress)) };
}

/** The last of the reference's versions that are tested, behind its proxy, with one key as evaluator. */
async function reference(): Promise<Costs> {
  const { city, client, provider, evaluator } = await openEscrow();
  const publication = AGENTIC_COMMERCE.at(-1);
  if (publication === undefined) throw new RangeError("no version is tested");
  const folder = mkdtempSync(join(tmpdir(), "agentcity-reference-"));
  const escrow = await deployCommerce(city, publication, compilePublished(folder, publication));
  rmSync(folder, { recursive: true });
  await city.fund(client, await escrow.getAddress(), tokens(50));
  const expiry = (await networkHelpers.time.latest()) + 172_800;
  const call = (by: typeof client, name: string, ...args: unknown[]) => gasOf(escrow.connect(by).getFunction(name)(...args));
  return whole({
    createJob: await call(client, "createJob", provider.address, evaluator.address, expiry, "a study", ZeroAddress, 0),
    setBudget: await call(client, "setBudget", 1, city.addresses.TOKEN, AMOUNT, "0x"),
    fund: await call(client, "fund", 1, AMOUNT, "0x"),
    submit: await call(provider, "submit", 1, id("deliverable"), "0x"),
    complete: await call(evaluator, "complete", 1, RESULT, "0x"),
  });
}

const more = process.argv.includes("--reference") ? { reference: await reference() } : {};
console.log(JSON.stringify({ agreementEscrow: await ours(), panel: await panel(), ...more }, null, 2));
