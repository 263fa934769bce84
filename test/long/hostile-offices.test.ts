import { join } from "node:path";
import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { simulatedJudge } from "../../orchestrator/adjudication/simulated-judge.ts";
import { WillNotSign } from "../../orchestrator/agent/errors.ts";
import { IssuerPolicy } from "../../orchestrator/agent/issuer.ts";
import { CityLink } from "../../orchestrator/agent/link.ts";
import { Memory } from "../../orchestrator/agent/memory.ts";
import { VerifierPolicy } from "../../orchestrator/agent/verifier.ts";
import { auditBundle } from "../../orchestrator/city/audit/audit-bundle.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { offersOf, registeredService } from "../../orchestrator/city/founding/services.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { runToEnd } from "../../orchestrator/city/missions/run.ts";
import { readInput } from "../../orchestrator/execution/inputs/read-input.ts";
import { AgentCityError } from "../../orchestrator/primitives/errors.ts";
import { hexToBytes } from "../../orchestrator/primitives/hex.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";
import { field } from "../../orchestrator/primitives/values.ts";
import { CALLS, type Call, type CallName, SIGNS } from "../../orchestrator/protocol/calls.ts";
import { parseMissionFile } from "../../orchestrator/protocol/mission-file.ts";
import type { Outcome } from "../../orchestrator/protocol/outcome.ts";
import { sessionMessageTypes } from "../../orchestrator/protocol/session-messages.ts";
import { typedDataTypes } from "../../orchestrator/protocol/typed-data.ts";
import { CATALOG } from "../../services/catalog.ts";
import { alterations, splices } from "../support/alterations.ts";
import { openHome } from "../support/city-home.ts";
import { committingAlone } from "../support/lone-executor.ts";
import { lenient, modelServer } from "../support/model-server.ts";
import { agreeable, millis, officeHolder, seated, secretOf, wallClock } from "../support/office-holder.ts";
import { CALM_ROWS, judgedByKinds, smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const PASSERBY = `0x${"5e".repeat(32)}` as const;
const OFFICES = ["verifier", "issuer"] as const;
/** Asked about a job of an escrow: `test/long/job-panel.test.ts`, `job-issuer.test.ts`. */
const NOT_OF_MISSIONS: readonly string[] = ["hear", "acknowledge"];
type Office = (typeof OFFICES)[number];

/**
 * Fields that no answer rests on: bounds of a run, blocks of an input that this judgement does not need, a wave of fewer nodes, what others
 * signed; and whose bytes were received, since a receipt says that they were there, not who brought them.
 */
const FREE: Readonly<Record<string, RegExp>> = {
  judge: /^upstream/,
  receive: /^slot$/,
  reexecute: /^(seconds|tools|messages)$/,
  refute: /^(seconds|tools|messages)$/,
  sign: /^message\/(verdicts\/0|items\/0\/slot)$/,
  seal: /^document\/envelope\/submission_signature$/,
};

describe("a city that asks a verifier and an issuer for something else", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  const server = modelServer();
  let city: City;
  let seats: OpenSeats;
  let outcome: Outcome;
  const stop = new AbortController();
  const policies = new Map<Office, { answer(call: Pick<Call, "kind" | "payload">): Promise<unknown> }>();
  const answered: string[] = [];
  const asked = new Set<string>();
  let changes = 0;

  /** What an issuer says that is asked to receive what is run again, and a verifier of no panel that is asked to judge. */
  const refused = { received: new Set<string>(), undrawn: new Set<string>() };
  const codeOf = (answer: Promise<unknown>) =>
    answer.then(
      () => "answered",
      (error: unknown) => (error instanceof AgentCityError ? `${error.code}: ${error.details}` : String(error)),
    );

  async function answerAll(role: Office, link: CityLink): Promise<void> {
    const seal = signerOf("secp256k1", hexToBytes(PASSERBY));
    const memory = new Memory(join(directory(), "passerby"));
    const block = (id: string) => link.block(id);
    const passerby = new VerifierPolicy({ client: city.client, account: privateKeyToAccount(PASSERBY), seal, memory, block });
    const policy = policies.get(role);
    if (policy === undefined) throw new RangeError(role);
    const seen = new Set<string>();
    const before: Call[] = [];
    while (!stop.signal.aborted) {
      for (const call of await link.calls(1, stop.signal).catch(() => [])) {
        if (seen.has(call.id)) continue;
        seen.add(call.id);
        const isNamed = call.kind === "sign" || call.kind === "seal";
        const name = isNamed ? `${call.kind} ${JSON.stringify(call.payload).match(/"(?:type|kind)":"([A-Za-z]+)"/)?.[1]}` : call.kind;
        asked.add(`${role}: ${name}`);
        const spliced = isNamed
          ? []
          : before.filter(({ kind }) => kind === call.kind).flatMap(({ payload }) => splices(call.payload, payload));
        before.push(call);
        if (call.kind === "reexecute") {
          const asked = Object.keys(CALLS.receive.request.shape).map((key) => [key, field(call.payload, key)]);
          refused.received.add(await codeOf(policy.answer({ kind: "receive", payload: z.json().parse(Object.fromEntries(asked)) })));
        }
        if (call.kind === "judge") refused.undrawn.add(await codeOf(passerby.answer(call)));
        for (const { path, value } of [...alterations(call.payload), ...spliced]) {
          if (FREE[call.kind]?.test(path) === true) continue;
          changes += 1;
          const said = await policy.answer({ kind: call.kind, payload: z.json().parse(value) }).catch((error: unknown) => error);
          const isRefused = said instanceof AgentCityError || said instanceof z.ZodError;
          if (!isRefused) answered.push(`${role}: ${name}: ${path}: ${String(said)}`);
        }
        await policy
          .answer(call)
          .then((value) => link.answer(call.id, z.json().parse(value)))
          .catch((error: unknown) => link.decline(call.id, String(error)));
      }
    }
  }

  async function missionOver(id: string, rows: readonly string[], seen: City): Promise<Outcome> {
    // Panels of three, for which a third owner is always drawn.
    const text = smallMission(smallInputs(directory(), [...rows]).csv, {
      ...{ risk: "MEDIUM", deadline: "2d", budget: "600.00" },
      tasks: judgedByKinds("Names every work package."),
    });
    const file = parseMissionFile(text, { fileName: "mission.yaml", catalog: CATALOG, budgetCap: 10n ** 15n });
    const order = { file, catalog: CATALOG, input: readInput(file.input, directory()), id, judge: simulatedJudge(city.chain.id) };
    return runToEnd(seen, { ...order, outsiders: await seats.outsiders() }, text, directory());
  }

  before(async () => {
    city = await openHome(join(directory(), "home"), "7", {
      environment: { AGENTCITY_JUDGE: "openai:judge-1", OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url },
    });
    server.answer = lenient(90);
    seats = await openSeats(city, { clock: wallClock, patience: 8 });
    const answering: Promise<void>[] = [];
    for (const office of OFFICES) {
      const joined = new AbortController();
      const awaited = new Map<string, () => void>();
      const progress = (line: string) => [...awaited].find(([words]) => line.startsWith(words))?.[1]();
      const heard = (words: string) => new Promise<void>((resolve) => void awaited.set(words, resolve));
      const holder = officeHolder(office, office, { city: seats.url, directory: directory(), progress });
      const { ended } = await seated(city, holder, heard, joined.signal);
      joined.abort();
      await ended;
      const account = privateKeyToAccount(secretOf(office));
      const link = new CityLink(seats.url, account, millis);
      await link.card();
      const common = {
        ...{ client: city.client, account, memory: new Memory(join(directory(), `${office}-own`)) },
        seal: signerOf("secp256k1", hexToBytes(secretOf(office))),
        block: (id: string) => link.block(id),
      };
      const offers = await offersOf([{ account }]);
      const servicesOf = (address: `0x${string}`) =>
        offers.map((offer) => registeredService({ ...offer, seller: { account: { address } } }));
      policies.set(
        office,
        office === "verifier"
          ? new VerifierPolicy({ ...common, judge: agreeable })
          : new IssuerPolicy({ ...common, servicesOf, sandbox: city.sandbox }),
      );
      answering.push(answerAll(office, link));
    }
    // Of another mission first, so that there are questions of another law and input to take parts from.
    await missionOver("another", CALM_ROWS.slice(0, 3), city);
    // One executor shows nothing for what it commits: the issuer is asked to refute that, and the verifier to judge by it.
    const sandbox = committingAlone(city, { commits: "garbage", handsIn: false });
    outcome = await missionOver("hostile", CALM_ROWS, { ...city, sandbox });
    stop.abort();
    await Promise.allSettled(answering);
  });
  after(async () => {
    stop.abort();
    await seats?.close();
    await city?.close();
  });

  it("is refused whichever field of whichever question it changes", () => {
    expect(answered).to.deep.equal([]);
    expect(changes).to.be.above(200);
  });

  it("is refused where it asks for a receipt of what is run again, or a verifier that was not drawn", () => {
    expect([...refused.received]).to.deep.equal(["WillNotSign: its work is run again, not received"]);
    expect([...refused.undrawn]).to.deep.equal(["WillNotSign: it was not drawn for it"]);
  });

  it("changed every kind of question, message and document that a mission has for them", () => {
    const all = OFFICES.flatMap((role) => [
      ...Object.entries(CALLS)
        .filter(
          ([kind, { of }]) => !NOT_OF_MISSIONS.includes(kind) && kind !== "sign" && kind !== "seal" && of.some((each) => each === role),
        )
        .map(([kind]) => `${role}: ${kind}`),
      ...SIGNS[role].messages.map((type) => `${role}: sign ${type}`),
      ...SIGNS[role].documents.map((kind) => `${role}: seal ${kind}`),
    ]);
    expect([...asked].sort()).to.deep.equal(all.sort());
  });

  it("gets no answer to what other roles are asked, and no signature under another type", async () => {
    for (const [role, policy] of policies) {
      for (const [kind, { of }] of Object.entries(CALLS)) {
        if (of.some((each) => each === role)) continue;
        const said = await policy.answer({ kind: kind as CallName, payload: {} }).catch((error: unknown) => error);
        expect(said, `${role}: ${kind}`).to.be.instanceOf(WillNotSign);
      }
      for (const type of [...Object.keys(typedDataTypes), ...Object.keys(sessionMessageTypes), "Permit"]) {
        if (SIGNS[role].messages.includes(type)) continue;
        const payload = { type, mission: null, message: { deadline: 1 } };
        const said = await policy.answer({ kind: "sign", payload }).catch((error: unknown) => error);
        expect(said, `${role}: ${type}`).to.be.instanceOf(WillNotSign);
      }
    }
  });

  it("is left with a cleared and paid mission once it asks for what they found, and with a bundle that shows what they said", async () => {
    expect(outcome.failure).to.equal(null);
    expect(BigInt(outcome.slashed) > 0n, "whose work was refuted").to.equal(true);
    expect((await auditBundle(join(directory(), outcome.bundle ?? ""))).passed).to.equal(true);
  });
});
