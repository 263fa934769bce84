/**
 * Gas of one job from creation to payment: in `AgreementEscrow` with one key as evaluator, as the draft's text has it, and what a panel of the
 * city costs beside the key. Prints JSON. A compiled reference escrow can be measured in the same run; its source is not ours to keep.
 *
 * usage: node test/bench/measure-jobs.ts [reference.json]
 *        reference.json: {logic: {abi, bytecode}, proxy: {abi, bytecode}} of AgenticCommerce (erc-8183/base-contracts at c67e160) and of an
 *        ERC1967Proxy, compiled with the settings of hardhat.config.ts
 */
import { readFileSync } from "node:fs";
import { id, ZeroAddress } from "ethers";
import { type Abi, type Hex, isHex } from "viem";
import { z } from "zod";
import { AMOUNT, openEscrow, RESULT, WORK } from "../support/agreement-fixture.ts";
import { ethers, networkHelpers, tokens } from "../support/city-fixture.ts";
import { BUDGET, Class, openEvaluator } from "../support/evaluator-fixture.ts";
import { gasOf } from "./meter.ts";

const compiled = z.object({ abi: z.custom<Abi>(Array.isArray), bytecode: z.custom<Hex>(isHex) });
const referenceSchema = z.object({ logic: compiled, proxy: compiled });
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

/** The reference behind its proxy, with one key as evaluator. */
async function reference({ logic, proxy }: z.infer<typeof referenceSchema>): Promise<Costs> {
  const { city, client, provider, evaluator } = await openEscrow();
  const [deployer] = await ethers.getSigners();
  const implementation = await new ethers.ContractFactory([...logic.abi] as never, logic.bytecode, deployer).deploy();
  const start = implementation.interface.encodeFunctionData("initialize", [evaluator.address]);
  const front = await new ethers.ContractFactory([...proxy.abi] as never, proxy.bytecode, deployer).deploy(
    await implementation.getAddress(),
    start,
  );
  const escrow = new ethers.Contract(await front.getAddress(), implementation.interface, deployer);
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

const [file] = process.argv.slice(2);
const found = file === undefined ? undefined : referenceSchema.parse(JSON.parse(readFileSync(file, "utf8")));
console.log(
  JSON.stringify(
    { agreementEscrow: await ours(), panel: await panel(), ...(found === undefined ? {} : { reference: await reference(found) }) },
    null,
    2,
  ),
);
