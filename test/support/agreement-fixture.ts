/** Two parties, their evaluators and an arbiter before an escrow that nobody owns. */
import { id, type Wallet, ZeroAddress } from "ethers";
import { type City, ethers, loadCity, networkHelpers, tokens } from "./city-fixture.ts";

const DAY = 86_400;
export const EVALUATION = 600;
export const CHALLENGE = 7200;
export const ARBITRATION = 5 * DAY;
export const AMOUNT = tokens(5);
export const RESULT = id("signed result");
export const WORK = id("deliverable");

const field = (type: string) => (name: string) => ({ name, type });
const [address, window, time, number] = ["address", "uint32", "uint40", "uint256"].map(field);
if (address === undefined || window === undefined || time === undefined || number === undefined) throw new Error("unreachable");
const TERMS = {
  AgreementTerms: [
    ...["client", "provider", "evaluator", "backup", "arbiter", "token"].map(address),
    { name: "amount", type: "uint96" },
    { name: "agreementHash", type: "bytes32" },
    ...["fundBy", "deliverBy"].map(time),
    ...["evaluatorTimeout", "challengeWindow", "arbiterTimeout"].map(window),
    { name: "silenceShare", type: "uint16" },
    number("nonce"),
    time("deadline"),
  ],
};
const CANCELLATION = { Cancellation: [number("jobId"), { name: "share", type: "uint16" }, time("deadline")] };

export async function openEscrow(given?: City) {
  const city = given ?? (await loadCity());
  const escrow = await ethers.getContractAt("AgreementEscrow", await ethers.deployContract("AgreementEscrow"));
  const at = await escrow.getAddress();
  const named = async (name: string): Promise<Wallet> => city.account(`agreement's ${name}`);
  const parties = {
    client: await named("client"),
    provider: await named("provider"),
    evaluator: await named("evaluator"),
    backup: await named("backup"),
    arbiter: await named("arbiter"),
  };
  const { client, provider, evaluator, backup, arbiter } = parties;
  await city.fund(client, at, tokens(100));
  const now = await networkHelpers.time.latest();
  const terms = {
    client: client.address,
    provider: provider.address,
    evaluator: evaluator.address,
    backup: backup.address,
    arbiter: arbiter.address,
    token: city.addresses.TOKEN,
    amount: AMOUNT,
    agreementHash: id("agreement"),
    fundBy: now + DAY,
    deliverBy: now + 2 * DAY,
    evaluatorTimeout: EVALUATION,
    challengeWindow: CHALLENGE,
    arbiterTimeout: ARBITRATION,
    silenceShare: 5000,
    nonce: 1n,
    deadline: now + DAY,
  };
  type Terms = typeof terms;
  const domain = { name: "AgentCity", version: "1", chainId: 31337n, verifyingContract: at };
  const signed = (one: Wallet, message: Terms) => one.signTypedData(domain, TERMS, message);
  const signedCancel = (one: Wallet, jobId: bigint, share: number, deadline = terms.deadline) =>
    one.signTypedData(domain, CANCELLATION, { jobId, share, deadline });

  /** Opens a job on the terms with some of them changed. */
  async function open(change: Partial<Terms> = {}, by: readonly [Wallet, Wallet] = [client, provider]): Promise<bigint> {
    const message = { ...terms, ...change };
    await escrow.open(message, await signed(by[0], message), await signed(by[1], message));
    return BigInt(await escrow.digestOf(message));
  }
  const STEPS = {
    funded: (job: bigint) => escrow.connect(client).fund(job, AMOUNT, "0x"),
    submitted: (job: bigint) => escrow.connect(provider).submit(job, WORK, "0x"),
    judged: (job: bigint) => escrow.connect(evaluator).settle(job, 8500, RESULT),
    disputed: (job: bigint) => escrow.connect(client).challenge(job, RESULT),
  };
  /** A job that has come as far as a step. */
  async function upTo(step: keyof typeof STEPS | "open", change: Partial<Terms> = {}): Promise<bigint> {
    const job = await open(change);
    for (const [name, act] of Object.entries(STEPS)) {
      if (step === "open") break;
      await act(job);
      if (name === step) break;
    }
    return job;
  }
  return {
    city,
    escrow,
    at,
    ...parties,
    terms,
    signed,
    signedCancel,
    open,
    upTo,
    nobody: ZeroAddress,
    increase: (seconds: number) => networkHelpers.time.increase(seconds),
    statusOf: async (job: bigint) => Number((await escrow.getJob(job)).status),
    creditOf: async (one: { address: string }) => escrow.creditOf(city.addresses.TOKEN, one.address),
  };
}
export type Agreement = Awaited<ReturnType<typeof openEscrow>>;
export const Status = { OPEN: 0, FUNDED: 1, SUBMITTED: 2, COMPLETED: 3, REJECTED: 4, EXPIRED: 5, JUDGED: 6, DISPUTED: 7 } as const;
