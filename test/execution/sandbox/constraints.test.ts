import { expect } from "chai";
import fc from "fast-check";
import { hexToBytes, numberToHex, zeroHash } from "viem";
import { devnetAccount } from "../../../orchestrator/chain/devnet.ts";
import { registeredService } from "../../../orchestrator/city/founding/services.ts";
import { bundleOf } from "../../../orchestrator/execution/sandbox/bundle.ts";
import {
  constraintsIn,
  DEFAULT_LIMITS,
  limitsUnder,
  packConstraints,
  type ServiceConstraints,
} from "../../../orchestrator/execution/sandbox/limits.ts";
import type { Tool } from "../../../orchestrator/execution/sandbox/process.ts";
import { createSandbox } from "../../../orchestrator/execution/sandbox/run.ts";
import { turnstiles } from "../../../orchestrator/execution/sandbox/turnstile.ts";
import { HeuristicMind } from "../../../orchestrator/minds/heuristic-mind.ts";
import { type Hash, hashSchema } from "../../../orchestrator/primitives/hex.ts";
import { signerOf } from "../../../orchestrator/primitives/signing.ts";
import { serviceIdOf } from "../../../orchestrator/rules/admissions.ts";
import { localSeat } from "../../../orchestrator/seats/local.ts";
import { CATALOG } from "../../../services/catalog.ts";

const NONE: ServiceConstraints = { wallClockMs: 0, memoryMb: 0, concurrent: 0, tools: 0, messages: 0 };
const packed = (some: Partial<ServiceConstraints>) => packConstraints({ ...NONE, ...some });
const bundle = (source: string) => bundleOf(new TextEncoder().encode(`var service={default:${source}};`));
const ENDLESS = bundle("() => { for (;;); }");
const TALKATIVE = bundle("(input, ctx) => { ctx.message('a'); ctx.message('b'); return { items: [] }; }");

describe("execution/sandbox/constraints", () => {
  const constraints = fc.record({
    wallClockMs: fc.nat(2 ** 32 - 1),
    memoryMb: fc.nat(2 ** 16 - 1),
    concurrent: fc.nat(2 ** 8 - 1),
    tools: fc.nat(2 ** 16 - 1),
    messages: fc.nat(2 ** 16 - 1),
  });

  it("reads back what a record says, whatever stands above it", () => {
    fc.assert(
      fc.property(constraints, fc.bigInt(0n, 2n ** 168n - 1n), (said, above) => {
        const word = packConstraints(said);
        expect(constraintsIn(word)).to.deep.equal(said);
        expect(constraintsIn(numberToHex(BigInt(word) | (above << 88n), { size: 32 }))).to.deep.equal(said);
      }),
    );
  });

  it("refuses what has no room in the word", () => {
    for (const wrong of [{ wallClockMs: 2 ** 32 }, { memoryMb: -1 }, { concurrent: 256 }, { tools: 0.5 }, { messages: Number.NaN }])
      expect(() => packed(wrong), JSON.stringify(wrong)).to.throw(RangeError);
  });

  it("only narrows a run, and leaves to others what it does not say", () => {
    fc.assert(
      fc.property(constraints, (said) => {
        const limits = limitsUnder(DEFAULT_LIMITS, packConstraints(said));
        for (const name of ["wallClockMs", "memoryMb", "tools", "messages"] as const)
          expect(limits[name]).to.equal(said[name] === 0 ? DEFAULT_LIMITS[name] : Math.min(said[name], DEFAULT_LIMITS[name]));
        expect(limits).to.include({ inputBytes: DEFAULT_LIMITS.inputBytes, outputBytes: DEFAULT_LIMITS.outputBytes });
      }),
    );
  });

  it("ends a run that takes longer, or says more, than its service's record allows", async () => {
    const sandbox = createSandbox({ now: () => 0 });
    const run = (what: typeof ENDLESS, word: Hash) => sandbox.run({ bundle: what, input: { items: [] }, constraints: word });
    expect(await run(ENDLESS, packed({ wallClockMs: 300 }))).to.include({ status: "failed", kind: "timeout" });
    expect(await run(TALKATIVE, packed({ messages: 1 }))).to.include({ status: "failed", kind: "messages" });
    expect(await run(TALKATIVE, packed({ messages: 2 }))).to.include({ status: "ok" });
    expect(await run(TALKATIVE, packed({}))).to.include({ status: "ok" });
  });

  it("lets a seller run a service as often at once as its record says, and others beside it", async () => {
    const inTurn = turnstiles();
    const service = (byte: number, concurrent: number) => ({
      id: hashSchema.parse(numberToHex(byte, { size: 32 })),
      record: { constraints: packed({ concurrent }) },
    });
    const going = new Map<string, number>();
    const most = new Map<string, number>();
    const sold = [service(1, 1), service(2, 3), service(3, 0)];
    const job =
      ({ id }: (typeof sold)[number]) =>
      async () => {
        going.set(id, (going.get(id) ?? 0) + 1);
        most.set(id, Math.max(most.get(id) ?? 0, going.get(id) ?? 0));
        for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
        going.set(id, (going.get(id) ?? 0) - 1);
      };
    await Promise.all(sold.flatMap((each) => Array.from({ length: 8 }, () => inTurn(each, job(each)))));
    expect(sold.map(({ id }) => most.get(id))).to.deep.equal([1, 3, 8]);
    // A run that fails frees its place.
    const failing = sold.slice(0, 1).map((each) => inTurn(each, () => Promise.reject(new Error("no"))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).to.deep.equal(["rejected"]);
    expect(await Promise.all(sold.slice(0, 1).map((each) => inTurn(each, async () => "next")))).to.deep.equal(["next"]);
  });

  it("holds a producer's seat to both, in whichever mission it works", async () => {
    const sandbox = createSandbox({ now: () => 0, concurrency: 4 });
    const account = devnetAccount(3);
    const seal = () => signerOf("secp256k1", hexToBytes(zeroHash));
    const mind = new HeuristicMind({ persona: "cooperative", seed: "7" });
    const seatOf = () => localSeat({ ...{ name: "seller", principal: account.address, account, seal, mind } }, { sandbox, seed: "7" });
    const order = (source: string, said: Partial<ServiceConstraints>, tools: Readonly<Record<string, Tool>> = {}) => {
      const code = bundle(source);
      const record = { owner: account.address, codeHash: code.codeHash, schemaHash: zeroHash, endpoint: "", constraints: packed(said) };
      const service = {
        id: serviceIdOf(record),
        name: "sold",
        owner: account.address,
        bundle: code,
        schemas: { input: {}, output: {} },
        record,
      };
      const place = { mission: account.address, node: 0, attempt: 0, slot: 0, label: "sold" };
      return {
        ...place,
        service,
        input: { items: [] },
        limits: {},
        tools,
        origin: () => Promise.reject(new Error("nobody makes this input again")),
        sealedUnder: undefined,
      };
    };
    const calm = "() => ({ items: [] })";
    const meeting = "async (input, ctx) => { await ctx.tool('meet', null); return { items: [] }; }";
    for (const most of [1, 2]) {
      let going = 0;
      let seen = 0;
      const full = Promise.withResolvers<void>();
      const later = Promise.withResolvers<void>();
      // A run waits here for the second one, or, where there may be none, for runs of another service that began after both.
      const meet = async () => {
        going += 1;
        seen = Math.max(seen, going);
        if (going === 2) full.resolve();
        await (most === 2 ? full.promise : Promise.race([full.promise, later.promise]));
        going -= 1;
        return null;
      };
      const runs = [seatOf(), seatOf()].map((seat) => seat.perform(order(meeting, { concurrent: most }, { meet })));
      for (let run = 0; run < 3; run += 1) expect(await seatOf().perform(order(calm, { concurrent: 1 }))).to.include({ status: "ok" });
      later.resolve();
      expect((await Promise.all(runs)).map(({ status }) => status)).to.deep.equal(["ok", "ok"]);
      expect(seen).to.equal(most);
    }
    expect(await seatOf().perform(order("() => { for (;;); }", { wallClockMs: 300 }))).to.include({ status: "failed", kind: "timeout" });
  });

  it("registers what each service says of itself", () => {
    const seller = { account: { address: "0x00000000000000000000000000000000000000aa" } } as const;
    const [sort, model] = ["sort", "ask-model"].map((id) => CATALOG.find((entry) => entry.id === id));
    if (sort === undefined || model === undefined) throw new Error("the catalogue has no such services");
    const own = { ...sort, limits: { seconds: 2, memory: 64, concurrent: 4 } };
    const said = (entry: typeof sort) =>
      constraintsIn(registeredService({ seller, entry, bundle: bundle("() => ({})") }).record.constraints);
    const { wallClockMs, memoryMb, tools, messages } = DEFAULT_LIMITS;
    expect(said(sort)).to.deep.equal({ wallClockMs, memoryMb, concurrent: 1, tools, messages });
    // Whoever asks a model waits for it, also with a service of one's own.
    expect(said(model)).to.include({ wallClockMs: 600_000 });
    expect(said({ ...sort, options: model.options ?? {} })).to.include({ wallClockMs: 600_000 });
    expect(said({ ...model, limits: { seconds: 60 } })).to.include({ wallClockMs: 60_000 });
    expect(said(own)).to.deep.equal({ wallClockMs: 2_000, memoryMb: 64, concurrent: 4, tools, messages });
  });
});
