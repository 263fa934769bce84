import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type LocalAccount, privateKeyToAccount } from "viem/accounts";
import { createAgent } from "../../orchestrator/agent/agent.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import { AuditFailed } from "../../orchestrator/city/audit/audit-failed.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { openingOf, saltOf } from "../../orchestrator/execution/evidence.ts";
import { sealWork, unsealWork } from "../../orchestrator/execution/sealed-work.ts";
import type { CommittedWork, Worker } from "../../orchestrator/execution/seat.ts";
import { outputHashOf } from "../../orchestrator/execution/work.ts";
import { SeatAbsent } from "../../orchestrator/minds/absence.ts";
import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { BidRequest } from "../../orchestrator/minds/mind.ts";
import { keccak256, parseContentId } from "../../orchestrator/primitives/hash.ts";
import { type Hash, hexToBytes } from "../../orchestrator/primitives/hex.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { commitmentOf } from "../../orchestrator/rules/commitments.ts";
import { encodeRevealWave } from "../../orchestrator/rules/wire.ts";
import { localSeat } from "../../orchestrator/seats/local.ts";
import { forge, rewriteRecord } from "../city/audit/forgery.ts";
import { carryOutIn, openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { CALM_ROWS, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(name));
const millis = () => performance.timeOrigin + performance.now();
const KEY = secretOf("an executor who wants to copy");
const SERVICE = "estimate-by-median";
const SEED = "the copier's own";

type Hostile = Partial<Pick<Worker, "perform" | "pledge" | "open">>;

/** Work whose outputs are compared: who tries what, and what it costs it (decision 92). */
describe("sealed outputs", function () {
  this.timeout(900_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;
  let account: LocalAccount;
  let missions = 0;

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    const wait = (time: number, signal: AbortSignal) => sleep(time, undefined, { signal }).catch(() => undefined);
    seats = await openSeats(city, { clock: { millis, wait } });
    account = privateKeyToAccount(KEY);
    const joined = new AbortController();
    await createAgent({
      city: seats.url,
      key: KEY,
      principal: privateKeyToAccount(secretOf("its owner")),
      folder: join(directory(), "agent"),
      services: [SERVICE],
      clock: { millis, sleep: async (time) => void (await sleep(time)) },
      progress: (line) => line.startsWith("answering") && joined.abort(),
    }).run(joined.signal);
  });
  after(async () => {
    await seats?.close();
    await city?.close();
  });

  /** A mission in which this executor wins a slot of the task that is compared, and does the rest as `hostile` says. */
  async function run(hostile: (honest: Worker) => Hostile): Promise<Outcome> {
    const mind = Object.assign(new HeuristicMind({ persona: "cooperative", seed: SEED }), {
      bid: async ({ nodes }: BidRequest) =>
        nodes.flatMap(({ node, services, slotBudget }) =>
          services.includes(SERVICE) ? [{ node, service: SERVICE, price: (slotBudget * 3n) / 10n }] : [],
        ),
    });
    const [found] = (await seats.outsiders()).workers;
    if (found === undefined) throw new Error("it has not joined");
    const seal = () => signerOf("secp256k1", hexToBytes(KEY));
    const honest = localSeat({ name: "copier", principal: found.principal, account, seal, mind }, { sandbox: city.sandbox, seed: SEED });
    const worker: Worker = { ...honest, opensEarly: false, ...hostile(honest) };
    const text = smallMission(smallInputs(directory(), CALM_ROWS).csv);
    missions += 1;
    const outsiders = { workers: [worker], verifiers: [], issuers: [] };
    const outcome = await carryOutIn(city, text, { id: `sealed-${missions}`, home: directory(), outsiders });
    expect(outcome.failure, JSON.stringify(outcome.failure)).to.equal(null);
    // Nobody asked it over the city's seats, whose key is not this city's: an audit says so, and nothing else.
    const error = await rejection(auditBundle(outcome.bundle ?? ""));
    if (!(error instanceof AuditFailed)) throw error;
    const findings = error.report.checks.flatMap((each) => each.findings);
    expect(findings.filter(({ check, subject }) => check !== "CALLS" || !subject.includes(account.address))).to.deep.equal([]);
    expect(findings.map(({ problem }) => problem)).to.include("follows from no recorded call");
    return outcome;
  }

  /** What became of it, and of the others in that node. */
  function slots(outcome: Outcome) {
    const [node] = outcome.nodes.filter(({ executors }) => executors.some(({ agent }) => agent === account.address));
    if (node === undefined) throw new Error("it won nothing");
    const own = node.executors.find(({ agent }) => agent === account.address);
    return { own, others: node.executors.filter(({ agent }) => agent !== account.address), attempts: node.attempts };
  }

  it("are in nobody's hands when the last commits: not the outputs, not their hashes, not their trails", async () => {
    const seen = new Map<string, string>();
    const outcome = await run((honest) => ({
      // Every block that the city's disk has by then, and whatever it says in words.
      async pledge(deed) {
        for (const id of city.blocks.list()) seen.set(id, Buffer.from(city.blocks.get(id)).toString("latin1"));
        return honest.pledge(deed);
      },
    }));
    const { own, others } = slots(outcome);
    expect([own, ...others].map((each) => each?.result)).to.deep.equal(["agreed", "agreed", "agreed"]);
    const revealed = await city.client.mission(outcome.mission as Hash).history("Revealed");
    const compared = (node: number) => revealed.filter(({ args }) => args.node === node);
    const outputs = revealed.flatMap(({ args }) => (compared(args.node).length === 3 ? [args.outputHash] : []));
    expect(outputs.length).to.be.above(0);
    const everything = [...seen.values()].join("\n");
    expect(everything).to.have.length.above(10_000);
    for (const hash of outputs) expect(everything.includes(hash), hash).to.equal(false);
    const later = city.blocks.list().filter((id) => outputs.includes(keccak256(city.blocks.get(id))));
    expect(later.length, "in words once they are open").to.be.above(0);
    expect(later.filter((id) => seen.has(id))).to.deep.equal([]);
    // Whoever keeps the bundle cannot show other bytes as those that were handed in.
    const forgery = join(directory(), "forgery");
    forge(outcome.bundle ?? "", forgery, (files) =>
      rewriteRecord(files, "execution.sealed", (sealed) => ({ ...sealed, sealedHash: secretOf("other bytes") })),
    );
    expect((await rejection(auditBundle(forgery))).message).to.match(/COMMITS: .*, sealed/);
  });

  it("cost whoever never opens its stake, and nobody else a thing", async () => {
    const outcome = await run(() => ({
      open: async (): Promise<never> => {
        throw new SeatAbsent("copier", "open", "it will not");
      },
    }));
    const { own, others, attempts } = slots(outcome);
    expect(own).to.include({ result: "absent", paid: "0" });
    expect(BigInt(own?.slashed ?? 0) > 0n).to.equal(true);
    expect(others.map(({ result }) => result)).to.deep.equal(["agreed", "agreed"]);
    expect(attempts).to.equal(1);
  });

  it("bring nothing to whoever hands in another's sealed bytes", async () => {
    let copied = 0;
    const outcome = await run((honest) => ({
      async perform(order) {
        const own = await honest.perform(order);
        const records = city.blocks.list().flatMap((id) => {
          const bytes = Buffer.from(city.blocks.get(id)).toString("latin1");
          const [, sealedId] = /"sealedId":"([a-z2-7]+)"/.exec(bytes) ?? [];
          return sealedId === undefined ? [] : [sealedId];
        });
        const [theirs] = records;
        if (own.status !== "sealed" || theirs === undefined) return own;
        copied += 1;
        return { ...own, work: city.blocks.get(parseContentId(theirs)) };
      },
      // It commits to what it hopes that is.
      pledge: async (deed) => commitmentOf(account.address, guess(deed), deed.obligation),
      open: async (deed) => guess(deed),
    }));
    expect(copied).to.be.above(0);
    const { own, others } = slots(outcome);
    expect(own).to.include({ result: "absent", paid: "0" });
    expect(others.map(({ result }) => result)).to.deep.equal(["agreed", "agreed"]);
  });

  it("bring nothing to whoever opens something else on chain by itself, and stop nobody's mission", async () => {
    const outcome = await run(() => ({
      pledge: async (deed) => commitmentOf(account.address, guess(deed), deed.obligation),
      async open(deed) {
        const contract = city.client.mission(deed.mission);
        await contract.reveal([deed.node, deed.slot, guess(deed)], { intent: intentKey("by itself", deed.mission, deed.node) });
        throw new SeatAbsent("copier", "open", "it did so itself");
      },
    }));
    const { own, others, attempts } = slots(outcome);
    expect(own).to.include({ result: "dissented", paid: "0" });
    expect(others.map(({ result }) => result)).to.deep.equal(["agreed", "agreed"]);
    expect(attempts).to.equal(1);
  });

  it("nor does a wave of its own, of which no seat has to have answered anything", async () => {
    const { account: faucet } = memberOf(city.society, "deployer");
    const outcome = await run(() => ({
      pledge: async (deed) => commitmentOf(account.address, guess(deed), deed.obligation),
      async open(deed) {
        const { mission, node, slot, attempt } = deed;
        await city.sender.send({ intent: intentKey("gas", mission, node), to: account.address, value: 10n ** 17n, account: faucet });
        const wave = encodeRevealWave([{ node, slot, attempt, opening: guess(deed) }]);
        await city.client.mission(mission).revealWave([wave], { intent: intentKey("own wave", mission, node), account });
        throw new SeatAbsent("copier", "open", "it did so itself");
      },
    }));
    expect(slots(outcome).own).to.include({ result: "dissented", paid: "0" });
    const error = await rejection(auditBundle(outcome.bundle ?? ""));
    if (!(error instanceof AuditFailed)) throw error;
    const subjects = error.report.checks.flatMap(({ findings }) => findings.map(({ subject }) => subject));
    expect(subjects.filter((subject) => subject.startsWith("opening of"))).to.deep.equal([]);
  });

  /** An output that it made up. */
  function guess({ obligation, items, slot, work }: CommittedWork) {
    const salt = saltOf(SEED, account.address, obligation);
    const own = "sealed" in work ? unsealWork(work.sealed, { salt, obligation, slot }) : undefined;
    const output = { items: (own?.output["items"] ?? []) as never[], note: "a copy" };
    expect(sealWork({ output, trail: [] }, { salt, obligation, slot })).to.not.deep.equal("sealed" in work ? work.sealed : undefined);
    return openingOf({ obligation, items, outputHash: outputHashOf(output), trail: [obligation] }, salt);
  }
});
