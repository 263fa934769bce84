/** Gas of one job from creation to payment, by one key as evaluator as the draft's text has it, and of a panel of the city beside the key. */
import { ZeroAddress } from "ethers";
import { AMOUNT, openEscrow, RESULT, WORK } from "../support/agreement-fixture.ts";
import { BUDGET, Class, openEvaluator } from "../support/evaluator-fixture.ts";
import { gasOf, type Samples } from "./meter.ts";

export type Costs = Record<string, number>;

export const whole = (costs: Costs): Costs => ({ ...costs, job: Object.values(costs).reduce((sum, gas) => sum + gas, 0) });

/** Opened by signatures and funded by the client; judged by one key, no window, paid out. */
export async function ours(): Promise<Costs> {
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
export async function panel(): Promise<Costs> {
  const {
    contract,
    jobs,
    client,
    provider,
    issuer,
    base,
    signed,
    createJob,
    workOf,
    panel: drawn,
    voice,
    recordOf,
  } = await openEvaluator();
  const terms = { ...base, jobId: await createJob() };
  const [one, other] = [await signed(client, terms), await signed(provider, terms)];
  const register = await gasOf(contract.register(terms, one, other));
  await jobs.connect(client).fund(terms.jobId, BUDGET, "0x");
  await jobs.connect(provider).submit(terms.jobId, WORK, "0x");
  const items = [
    { class: Class.ATT, issuer },
    { class: Class.ATT, issuer },
  ];
  const work = await workOf(terms, items, { together: true });
  const deliver = await gasOf(contract.connect(provider).deliver(terms, work.opening));
  const voices = [];
  for (const judge of await drawn(terms)) voices.push(await voice(judge, work, { basis: 3n }));
  const evaluate = await gasOf(contract.evaluate(terms, recordOf(work, voices)));
  return { register, deliver, evaluate, finalise: await gasOf(contract.finalise(terms, ZeroAddress)) };
}

/** The rows of the gas table. */
export async function jobs(): Promise<Samples> {
  const { job = 0 } = await ours();
  const beside = Object.entries(await panel()).map(([step, gas]) => [`panel-${step}`, [gas]]);
  return { "agreement-job": [job], ...Object.fromEntries(beside) };
}
