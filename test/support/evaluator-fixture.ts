/** A job of an escrow that is not ours, whose evaluator is a panel of the city's verifiers. */
import { type BaseContract, type ContractTransactionResponse, id, type Wallet, ZeroHash } from "ethers";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { typesOf } from "../../orchestrator/protocol/typed-data.ts";
import { commitmentOf, evidenceLeafOf } from "../../orchestrator/rules/commitments.ts";
import { inclusionProof, merkleRoot } from "../../orchestrator/rules/ordered-merkle.ts";
import { readSeat } from "../../orchestrator/rules/panel-draw.ts";
import { type ClearWave, encodeClearWave } from "../../orchestrator/rules/wire.ts";
import { type City, ethers, Kind, keyOf, loadCity, networkHelpers, tokens } from "./city-fixture.ts";

export const HOUR = 3600;
export const HEARING = 2 * HOUR;
export const BUDGET = tokens(9);
export const Class = { SELF: 0, SIGN: 1, WIT: 2, REC: 3, ATT: 4, PROOF: 5 } as const;
export const Result = { ABSTAIN: 0, PASS: 1, FAIL: 2 } as const;
export const Outcome = { NONE: 0, PASS: 1, FAIL: 2, CONTRADICTED: 3 } as const;
export const JobStatus = { OPEN: 0, FUNDED: 1, SUBMITTED: 2, COMPLETED: 3, REJECTED: 4, EXPIRED: 5 } as const;
/** Where client, provider, evaluator and expiry are among the words of `getJob`. */
export const LAYOUT = { draft: 0x02_03_04_07, packed: 0x01_03_05_04, ours: 0x00_04_07_00 } as const;

const TERMS = {
  ClearingTerms: [
    ["escrow", "address"],
    ["jobId", "uint256"],
    ["client", "address"],
    ["provider", "address"],
    ["clientPrincipal", "address"],
    ["providerPrincipal", "address"],
    ["agreementHash", "bytes32"],
    ["floor", "uint8"],
    ["questions", "uint8"],
    ["minConfidence", "uint16"],
    ["passScore", "uint16"],
    ["panelSize", "uint8"],
    ["graduated", "bool"],
    ["layout", "uint32"],
    ["deliverBy", "uint40"],
    ["hearing", "uint32"],
    ["deadline", "uint40"],
    ["bond", "uint96"],
  ].map(([name = "", type = ""]) => ({ name, type })),
};

export interface Item {
  readonly class: number;
  readonly issuer: Wallet;
  /** What the provider says it is; by default what the issuer says. */
  readonly claimed?: number;
  /** An issuer that is a contract, what it is asked about, and what it is shown. */
  readonly contract?: { at: string; payload: (obligation: string) => string; sign: (statement: string) => Promise<string> };
}
export interface Answer {
  readonly result?: number;
  readonly score?: number;
  readonly confidence?: number;
  readonly basis?: bigint;
  readonly question?: number;
}

export type IssuerList = ClearWave["issuers"][number];

/** Jobs of an escrow without generated types, called as the draft's text has it. */
export type Jobs = ReturnType<typeof jobsOf>;

function jobsOf(contract: BaseContract) {
  const send =
    (name: string, by?: Wallet) =>
    (...args: readonly unknown[]): Promise<ContractTransactionResponse> =>
      (by === undefined ? contract : contract.connect(by)).getFunction(name)(...args);
  return {
    contract,
    getAddress: () => contract.getAddress(),
    connect: (by: Wallet) => ({
      createJob: send("createJob", by),
      setBudget: send("setBudget", by),
      fund: send("fund", by),
      submit: send("submit", by),
    }),
    pause: send("pause"),
    claimRefund: send("claimRefund"),
    /** The number that a job created now would get. */
    nextOf: (by: Wallet, ...args: readonly unknown[]): Promise<bigint> =>
      contract
        .connect(by)
        .getFunction("createJob")
        .staticCall(...args),
    statusOf: (jobId: bigint): Promise<bigint> => contract.getFunction("statusOf")(jobId),
  };
}

/** Registers issuers and five verifiers of as many houses, once; everything else is of the single job. */
export async function openEvaluator(
  options: {
    readonly escrow?: "draft" | "packed";
    readonly fee?: number;
    readonly city?: City;
    /** An escrow of somebody else, whose jobs lie as the draft has them. */
    readonly foreign?: (city: City) => Promise<Jobs>;
  } = {},
) {
  const city = options.city ?? (await loadCity());
  const kind = options.escrow ?? "draft";
  const contract = await ethers.getContractAt(
    "ClearingEvaluator",
    await ethers.deployContract("ClearingEvaluator", [await city.constitution.getAddress()]),
  );
  const at = await contract.getAddress();
  const name = kind === "draft" ? "DraftJobs" : "PackedJobs";
  const own = async () =>
    jobsOf(await ethers.getContractAt(name, await ethers.deployContract(name, [city.addresses.TOKEN, options.fee ?? 0])));
  const jobs = await (options.foreign?.(city) ?? own());
  const client = await city.account("evaluator's client");
  const provider = await city.account("evaluator's provider");
  const [clientPrincipal, providerPrincipal] = [keyOf("client's house"), keyOf("provider's house")];
  await city.fund(client, await jobs.getAddress(), tokens(100));

  const verifiers = new Map<string, Wallet>();
  async function seat(one: string, principal?: Wallet, weight = 100): Promise<Wallet> {
    const { agent } = await city.register(one, { kind: Kind.VERIFIER, ...(principal === undefined ? {} : { principal }) });
    await city.evidence.registerVerifier(agent.address, weight);
    verifiers.set(agent.address, agent);
    return agent;
  }
  for (let i = 0; i < 5; i++) await seat(`judge ${i}`);
  const issuer = await city.account("lab");
  await city.evidence.registerIssuer(issuer.address, keyOf("lab's house").address, 0b111110 & ~(1 << Class.PROOF));

  const now = await networkHelpers.time.latest();
  const base = {
    escrow: await jobs.getAddress(),
    jobId: 0n,
    client: client.address,
    provider: provider.address,
    clientPrincipal: clientPrincipal.address,
    providerPrincipal: providerPrincipal.address,
    agreementHash: id("what was agreed"),
    floor: Class.ATT as number,
    questions: 1,
    minConfidence: 5000,
    passScore: 6000,
    panelSize: 3,
    graduated: false,
    layout: LAYOUT[kind] as number,
    deliverBy: now + 24 * HOUR,
    hearing: HEARING,
    deadline: now + 24 * HOUR,
    bond: 0n,
  };
  type Terms = typeof base;
  const domain = { name: "AgentCity", version: "1", chainId: 31337n, verifyingContract: at };
  const signed = (one: Wallet, terms: Terms) => one.signTypedData(domain, TERMS, terms);

  async function createJob(evaluator = at, by: Wallet = client, to: Wallet = provider): Promise<bigint> {
    const expiry = now + 24 * HOUR + 3 * HEARING + 2 * HOUR;
    const jobId = await jobs.nextOf(by, to.address, evaluator, expiry, "a study");
    await jobs.connect(by).createJob(to.address, evaluator, expiry, "a study");
    await jobs.connect(to).setBudget(jobId, BUDGET);
    return jobId;
  }
  async function register(terms: Terms, by: readonly [Wallet, Wallet] = [client, provider]) {
    return contract.register(terms, await signed(by[0], terms), await signed(by[1], terms));
  }

  /** What the provider delivers with, and its items as their issuers sign them: each alone, or all in one list. */
  async function workOf(terms: Terms, items: readonly Item[], { together = false } = {}) {
    const obligation = hexSchema.parse(await contract.digestOf(terms));
    const entries = items.map(({ class: evidenceClass, issuer: by, contract: asked }, index) => ({
      slot: 0,
      index,
      kind: 1,
      payload: hexSchema.parse(asked?.payload(obligation) ?? id(`payload ${index}`)),
      issuer: addressSchema.parse(asked?.at ?? by.address),
      class: evidenceClass,
    }));
    const leaves = entries.map((entry) => evidenceLeafOf(obligation, entry as never));
    const claims = items.reduce((word, item, i) => word | (BigInt(item.claimed ?? item.class) << BigInt(3 * i)), 0n);
    const opening = {
      salt: hexSchema.parse(ZeroHash),
      outputHash: hexSchema.parse(id("the deliverable")),
      trailRoot: hexSchema.parse(ZeroHash),
      envelopeRoot: merkleRoot(leaves),
      items: items.length,
      classes: claims,
    };
    const proofs: IssuerList[] = [];
    const lists = together ? [entries.map((_, i) => i)] : entries.map((_, i) => [i]);
    for (const list of lists) {
      const listed = list.flatMap((i) => entries[i] ?? []);
      const { issuer: by, contract: asked } = items[list[0] ?? 0] ?? { issuer };
      const from = listed[0]?.issuer ?? addressSchema.parse(by.address);
      const message = { issuer: from, items: listed.map((entry) => ({ ...entry, obligation })) };
      const statement = () => ethers.TypedDataEncoder.hash(domain, typesOf("Evidences"), message);
      const signature = hexSchema.parse(await (asked === undefined ? city.sign("Evidences", at, message, by) : asked.sign(statement())));
      proofs.push({
        issuer: from,
        signature,
        items: listed.map((entry) => ({ ...entry, order: 0, proof: inclusionProof(leaves, entry.index) })),
      });
    }
    return { terms, obligation, opening, proofs, work: commitmentOf(addressSchema.parse(provider.address), opening as never, obligation) };
  }
  type Work = Awaited<ReturnType<typeof workOf>>;

  /** A verifier's signed answers. */
  async function voice(by: Wallet, work: Work, ...answers: readonly Answer[]) {
    const deadline = 2 ** 40 - 1;
    const { drawBlock } = await contract.hearingOf(work.terms.escrow, work.terms.jobId);
    const verdicts = answers.map((answer) => ({
      order: 0,
      obligation: work.obligation,
      commitment: work.work,
      draw: Number(drawBlock),
      question: answer.question ?? 0,
      result: answer.result ?? Result.PASS,
      confidence: answer.confidence ?? 9000,
      score: answer.score ?? 9000,
      basis: answer.basis ?? 1n,
      agreeing: 1,
    }));
    const signature = await city.sign("Verdicts", at, { verifier: by.address, verdicts, deadline }, by);
    return { verifier: addressSchema.parse(by.address), deadline, verdicts, signature: hexSchema.parse(signature) };
  }

  /** What is handed in: the work opened, its items and what verifiers say of them. */
  const recordOf = (work: Pick<Work, "opening" | "proofs">, voices: ClearWave["verifiers"], proofs: readonly IssuerList[] = work.proofs) =>
    encodeClearWave({ orders: [{ node: 0, openings: [work.opening] }], issuers: proofs, verifiers: voices });

  /** Whom the delivery drew, in the order of their places. */
  async function panel(terms: Terms): Promise<Wallet[]> {
    await networkHelpers.mine();
    const { drawBlock, panels, challenger } = await contract.hearingOf(terms.escrow, terms.jobId);
    const coder = ethers.AbiCoder.defaultAbiCoder();
    const key = ethers.keccak256(coder.encode(["address", "uint256"], [terms.escrow, terms.jobId]));
    const hash = ethers.keccak256(coder.encode(["bytes32", "bytes32"], [await city.evidence.seedOf(drawBlock), key]));
    const seed = ethers.keccak256(coder.encode(["bytes32", "address", "uint8", "uint8"], [hash, at, 0, panels]));
    const excluded = [terms.client, terms.provider, terms.clientPrincipal, terms.providerPrincipal];
    const drawn = await city.evidence.drawPanel(seed, challenger === 0n ? terms.panelSize : 2 * terms.panelSize + 1, excluded, drawBlock);
    return drawn.map((seat) => verifiers.get(readSeat(seat).verifier) ?? keyOf("nobody"));
  }

  /** A job that was paid in, submitted and delivered, with its panel; some of the terms changed. */
  async function delivered(change: Partial<Terms> = {}, items: readonly Item[] = [{ class: Class.ATT, issuer }]) {
    const jobId = change.jobId ?? (await createJob());
    const terms = { ...base, ...change, jobId };
    await register(terms);
    if (change.escrow === undefined) {
      await jobs.connect(client).fund(jobId, BUDGET, "0x");
      await jobs.connect(provider).submit(jobId, id("the deliverable"), "0x");
    }
    const work = await workOf(terms, items);
    await contract.connect(provider).deliver(terms, work.opening);
    const judges = await panel(terms);
    const voices = (answers: readonly (Answer | undefined)[]) =>
      Promise.all(answers.flatMap((answer, i) => (answer === undefined ? [] : [voice(judges[i] ?? keyOf("nobody"), work, answer)])));
    /** Hands in these answers by place, with all proofs unless told otherwise. */
    const evaluate = async (answers: readonly (Answer | undefined)[], proofs = work.proofs) =>
      contract.evaluate(terms, recordOf(work, await voices(answers), proofs));
    /** Challenges, and hands in what each of the larger panel says: the same of all. */
    const challenge = async (by: Wallet) => {
      await city.fund(by, at, terms.bond);
      return contract.connect(by).challenge(terms);
    };
    const decideAgain = async (answer: Answer) => {
      const members = await panel(terms);
      return contract.evaluate(terms, recordOf(work, await Promise.all(members.map((one) => voice(one, work, answer)))));
    };
    return { terms, work, judges, voices, evaluate, challenge, decideAgain, jobId };
  }

  return {
    city,
    contract,
    at,
    jobs,
    client,
    provider,
    clientPrincipal,
    providerPrincipal,
    issuer,
    base,
    seat,
    signed,
    createJob,
    register,
    workOf,
    voice,
    recordOf,
    panel,
    delivered,
    nobody: ethers.ZeroAddress,
    increase: (seconds: number) => networkHelpers.time.increase(seconds),
    statusOf: async (jobId: bigint) => Number(await jobs.statusOf(jobId)),
    hearing: (terms: Terms) => contract.hearingOf(terms.escrow, terms.jobId),
    balanceOf: (one: { address: string }) => city.token.balanceOf(one.address),
  };
}
