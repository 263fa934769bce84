/** Agreements at the gateway, by a program in another folder that has nothing of ours; and what becomes of them when a process ends. */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "chai";
import type { LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { type Act, type AgreementLife, agreementHash, messageBytes, readAgreement } from "../../orchestrator/agreements/index.ts";
import { intentKey } from "../../orchestrator/chain/outbox.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import type { Standing } from "../../orchestrator/gateway/agreements/standing.ts";
import type { Command } from "../../orchestrator/gateway/command.ts";
import { agreementOutput } from "../../orchestrator/gateway/commands/agreements.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { type Gateway, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { type Hash, hashSchema, hexSchema } from "../../orchestrator/primitives/hex.ts";
import type { Sql } from "../../orchestrator/records/sql.ts";
import {
  accept,
  cancel,
  challenge,
  deliver,
  nominating,
  opening,
  PATIENT,
  proposing,
  result,
  SIGNED,
  START,
  sampling,
  sign,
} from "../agreements/acts.ts";
import { openHome } from "../support/city-home.ts";
import { killedEverywhere } from "../support/dying-sql.ts";
import { outsideFolder } from "../support/outside-folder.ts";
import { programs } from "../support/programs.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { fieldsOf } from "./agreement-city.ts";
import { serveOptions } from "./gateway-city.ts";

const errorSchema = z.object({ error: z.object({ code: z.string() }) });
const lineSchema = z.looseObject({ happened: z.string(), due: z.int().nullable().optional() });

describe("agreements of strangers at the gateway", function () {
  this.timeout(120_000);
  const directory = suiteDirectory();
  const run = programs();
  let city: City;
  let seats: OpenSeats;
  let gateway: Gateway;
  let program = "";

  before(async () => {
    const packages = ["@modelcontextprotocol/client", "@a2a-js/sdk", "viem"];
    [program = ""] = outsideFolder(join(directory(), "elsewhere"), ["partners.ts"], packages);
    city = await openHome(join(directory(), "home"), "7");
    const millis = () => performance.timeOrigin + performance.now();
    seats = await openSeats(city, { clock: { millis, wait: () => new Promise(() => {}) } });
    const escrow = city.client.addresses.AgreementEscrow;
    gateway = await serveGateway(city, { ...serveOptions, millis, seats: seats.desk, escrow });
  });
  after(async () => {
    await gateway?.close();
    await seats?.close();
    await city?.close();
  });

  /** What the program said, by what happened. The chain's time comes to whatever it waits for. */
  async function partners(by: string, manner: string) {
    const { child } = run([program, gateway.url, by, manner], {
      ...{ cwd: join(directory(), "elsewhere"), env: { PATH: process.env["PATH"] } },
    });
    const said = new Map<string, z.infer<typeof lineSchema>>();
    for await (const text of createInterface({ input: child.stdout })) {
      const line = lineSchema.parse(JSON.parse(text));
      said.set(line.happened, line);
      if (line.happened === "waits" && typeof line.due === "number") await pass(BigInt(line.due) + 1n);
    }
    return said;
  }
  async function pass(time: bigint): Promise<void> {
    if (time > city.chain.clock.now()) await city.chain.clock.sleepUntil(time);
  }
  const over = (said: ReadonlyMap<string, unknown>) => {
    const { happened: _, ...facts } = z.looseObject({ happened: z.string() }).parse(said.get("over"));
    return agreementOutput.parse(facts);
  };
  const ALL = { provider: "5000000", client: "0" };

  for (const by of ["http", "mcp", "a2a"])
    it(`are negotiated, paid into the escrow, judged at 88.00 and paid 85 %, by ${by} alone`, async () => {
      const said = await partners(by, "graduated");
      expect(said.get("proposed")).to.include({ isSame: true });
      expect(said.get("signed")).to.include({ status: "active", rounds: 3, amount: "5000000" });
      const { status, escrow, results } = over(said);
      expect(status).to.equal("closed");
      expect(results).to.have.length(1);
      expect(results[0]).to.include({ result: "PASS", composite: 8800, releasePercent: 85 });
      expect(escrow?.judged).to.include({ share: 8500, isExplained: true });
      expect(escrow?.paid).to.deep.equal({ provider: "4250000", client: "750000" });
    });

  it("are judged by whom the lot fell on, of a register that both signed, and by nobody else", async () => {
    const said = await partners("http", "drawn");
    expect(said.get("drawn")).to.include({ early: "IllegalTransition", unsigned: "IllegalTransition", other: "WrongSeed", count: 2 });
    expect(said.get("left out")).to.include({ judges: "NotFound", reads: "NotFound" });
    const { status, escrow, evaluators, results } = over(said);
    expect(status).to.equal("closed");
    expect(results.map(({ evaluator }) => evaluator)).to.deep.equal(evaluators.slice(0, 1));
    expect(escrow?.judged).to.include({ share: 8500, isExplained: true });
  });

  const ENDS: Readonly<Record<string, { readonly status: string; readonly paid: typeof ALL | null }>> = {
    disputed: { status: "closed", paid: { provider: "2000000", client: "3000000" } },
    "no-funds": { status: "expired", paid: null },
    "no-delivery": { status: "expired", paid: { provider: "0", client: "5000000" } },
    "no-evaluator": { status: "closed", paid: { provider: "2500000", client: "2500000" } },
    backup: { status: "closed", paid: { provider: "4250000", client: "750000" } },
    "no-ruling": { status: "closed", paid: { provider: "4250000", client: "750000" } },
    cancelled: { status: "closed", paid: { provider: "1250000", client: "3750000" } },
  };
  for (const [manner, expected] of Object.entries(ENDS))
    it(`end as their terms say: ${manner}`, async () => {
      const { status, escrow } = over(await partners("http", manner));
      expect({ status, paid: escrow?.paid ?? null }).to.deep.equal(expected);
    });

  it("need no money: delivered, judged and disputed by signatures alone", async () => {
    const said = await partners("http", "free");
    expect(said.get("delivered")).to.include({ status: "delivered", escrow: null });
    expect(said.get("disputed")).to.include({ status: "disputed" });
    expect(said.get("listed")).to.include({ isListed: true });
  });

  it("refuse by name what their rules forbid", async () => {
    const said = await partners("http", "hostile");
    expect(z.object({ seen: z.record(z.string(), z.string()) }).parse(said.get("refused")).seen).to.deep.equal({
      "proposal by another key": "BadSignature",
      "client is the evaluator": "OneParty",
      "an escrow of the client's own": "MalformedAgreement",
      "a party who is no key": "UnknownKey",
      "a signature of yesterday's terms": "BadSignature",
      "a stranger reads it": "NotFound",
      "its arbiter reads it by a wallet": "accepted",
      "a stranger's wallet reads it": "NotFound",
      "another signs for the client's wallet": "BadSignature",
      "nobody reads it": "NotFound",
      "500000.00": "ChangeTooLarge",
      "threshold 5": "ChangeTooLarge",
      "a term that is not negotiated": "PathNotNegotiable",
      "an offer of its own accepted": "NotYourTurn",
      "a party's word by another's key": "BadSignature",
      "signed before it is accepted": "IllegalTransition",
      "the same message once more": "accepted",
      // What was changed after it was signed is signed by nobody whom the agreement names.
      "a message replayed": "NotFound",
      "terms changed after acceptance": "IllegalTransition",
      "signed without its wallet": "BadSignature",
      "signed by another's wallet": "BadSignature",
      "funded before both have signed": "StepRefused",
      "terms changed after signing": "LedByEscrow",
      "cancelled by one side": "LedByEscrow",
      "funded by the provider": "StepRefused",
      "cancelled with nobody's consent": "StepRefused",
      "a consent by another's wallet": "BadSignature",
      "cancelled for less than the other consented to": "StepRefused",
      "cancelled by who consented": "StepRefused",
      "cancelled by a stranger": "StepRefused",
      "a result before the delivery": "BadRequest",
      "a result by the provider": "WrongSender",
      "a swapped delivery": "NotFound",
      "a score that does not follow": "NotFound",
      "a second result": "Replayed",
      "a step by a stranger": "NotFound",
      "a step by a wallet that nobody shows": "NotFound",
      "another transaction sent on": "StepRefused",
      "judged twice": "TransactionReverted",
      "ruled by a party": "StepRefused",
      "signed once it has ended": "LedByEscrow",
      "funded once it has ended": "StepRefused",
    });
    expect(over(said).escrow?.paid).to.deep.equal({ provider: "2000000", client: "3000000" });
    const { agreement: id } = over(said);
    // Nor does the time of the answer tell: the chain is asked for nobody who is not named.
    const asksNobody = new AgreementDesk({
      ...{
        sql: city.database,
        escrow: city.client.addresses.AgreementEscrow,
        token: city.client.addresses.CityToken,
        millis: () => START * 1_000,
      },
      chain: {
        ...city.chain,
        get publicClient(): never {
          throw new Error("the chain is asked");
        },
      },
    });
    const consent = { act: "consent", by: "client", share: 0, deadline: 2 ** 39, escrow_signature: `0x${"11".repeat(65)}` } as const;
    const word: Act = { act: "sign", by: "client", signature: `0x${"11".repeat(64)}` };
    for (const act of [consent, word]) {
      expect(await rejection(asksNobody.take(hashSchema.parse(id), act)), act.act).to.include({ code: "NotFound" });
      expect((await rejection(asksNobody.take(hashSchema.parse(id), act, { mayRead: () => true }))).message, act.act).to.include(
        "the chain is asked",
      );
    }
  });

  it("that a stranger may not read are answered as those that are not here, by every command that names one", async () => {
    const desk = gateway.world.agreements;
    if (desk === undefined) throw new Error("no agreements");
    const stranger = privateKeyToAccount(keccak256(new TextEncoder().encode("a stranger")));
    const transaction = await stranger.signTransaction({
      ...{ type: "eip1559", chainId: 31_337, to: city.client.addresses.Treasury, data: "0x12345678", gas: 100_000n },
      ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 0n },
    });
    const signature = `0x${"11".repeat(64)}`;
    const unsigned = (act: Act) => {
      const fields = fieldsOf(act);
      const { message, result: found } = z
        .looseObject({ message: z.looseObject({}).optional(), result: z.looseObject({}).optional() })
        .parse(fields);
      if (message !== undefined) return { message: { ...message, signature } };
      return found === undefined ? { ...fields, signature } : { result: { ...found, signature } };
    };
    const asked = (life: AgreementLife): Readonly<Record<string, object>> => {
      const cancellation = { agreement_hash: agreementHash(life.agreement), timestamp: "2027-01-15T08:00:00Z" };
      return {
        get_agreement: {},
        prepare_agreement_act: { draft: { act: "sign" } },
        negotiate_agreement: unsigned(accept(life, "provider")),
        sign_agreement: unsigned(sign(life, "client")),
        nominate_agreement_evaluators: unsigned(nominating(life, "client", [])),
        draw_agreement_evaluator: unsigned(opening(life, "client", `0x${"44".repeat(32)}`)),
        deliver_agreement: unsigned(deliver(life)),
        draw_agreement_sample: unsigned(sampling(life, `0x${"44".repeat(32)}`)),
        verify_agreement: unsigned(result(life, "evaluator")),
        challenge_agreement: { challenge: { ...cancellation, result_hash: `0x${"22".repeat(32)}`, by: "client" }, signature },
        cancel_agreement: { cancellation, signatures: { client: signature, provider: signature } },
        consent_to_cancellation: { by: "client", share: 5_000, deadline: 2 * START, escrow_signature: signature },
        pay_agreement: {},
        prepare_agreement_feedback: { from: stranger.address, reputation: stranger.address, agentId: 0, uri: "ipfs://file" },
        prepare_agreement_step: { step: "fund", from: stranger.address },
        send_agreement_step: { transactions: [transaction] },
      };
    };
    const naming = COMMANDS.filter(({ input }) => "agreement" in input.shape);
    const answer = async ({ method, path, input }: Command, given: Readonly<Record<string, unknown>>) => {
      expect(input.safeParse(given).error, path).to.equal(undefined);
      const url = new URL(gateway.url + path.replace(/\{(\w+)\}/g, (_, field: string) => String(given[field])));
      if (method === "GET")
        for (const [field, value] of Object.entries(given)) if (!path.includes(`{${field}}`)) url.searchParams.set(field, String(value));
      const body = method === "GET" ? {} : { body: JSON.stringify(given), headers: { "content-type": "application/json" } };
      const got = await fetch(url, { method, ...body });
      return { status: got.status, body: await got.json() };
    };
    const offered = await desk.propose(proposing("secret", 3 * START));
    let signed = await desk.propose(proposing("secret-and-signed", 3 * START));
    for (const step of SIGNED) signed = await desk.take(signed.id, step(signed.life));
    // What its own people signed for another agreement says as little.
    const { life: another } = await desk.propose(proposing("another", 3 * START));
    const meantElsewhere = [
      ["negotiate_agreement", fieldsOf(accept(another, "provider"))],
      ["nominate_agreement_evaluators", fieldsOf(nominating(another, "client", []))],
      ["draw_agreement_evaluator", fieldsOf(opening(another, "client", `0x${"44".repeat(32)}`))],
      ["sign_agreement", fieldsOf(sign(another, "client"))],
      ["deliver_agreement", fieldsOf(deliver(another))],
      ["draw_agreement_sample", fieldsOf(sampling(another, `0x${"44".repeat(32)}`))],
      ["verify_agreement", fieldsOf(result(another, "evaluator"))],
      ["challenge_agreement", fieldsOf(challenge(another, "client"))],
      ["cancel_agreement", fieldsOf(cancel(another))],
    ] as const;
    for (const { id, life } of [offered, signed]) {
      const given = asked(life);
      for (const [name, fields] of meantElsewhere) {
        const command = naming.find((each) => each.name === name);
        if (command === undefined) throw new Error(name);
        expect((await answer(command, { ...fields, agreement: id })).status, name).to.equal(404);
      }
      expect(Object.keys(given).sort(), "every command that names an agreement").to.deep.equal(naming.map(({ name }) => name).sort());
      for (const command of naming) {
        const unknown = await answer(command, { ...given[command.name], agreement: `0x${"33".repeat(32)}` });
        expect([unknown.status, errorSchema.parse(unknown.body).error.code], command.name).to.deep.equal([404, "NotFound"]);
        expect(await answer(command, { ...given[command.name], agreement: id }), command.name).to.deep.equal(unknown);
      }
    }
  });

  it("are whole wherever their gateway is killed", async () => {
    const { chain, client, database } = city;
    const steps = [
      ...SIGNED,
      deliver,
      (life: AgreementLife) => result(life, "evaluator"),
      (life: AgreementLife) => challenge(life, "client"),
    ];
    const ids = new Map<string, Hash>();
    const deskOver = (sql: Sql) =>
      new AgreementDesk({ sql, chain, token: client.addresses.CityToken, escrow: undefined, millis: () => START * 1_000, limits: PATIENT });
    /** Parties who do all that is theirs, from the beginning: what was taken before the kill is taken no second time. */
    async function live(sql: Sql, name: string): Promise<void> {
      const desk = deskOver(sql);
      let { life, id } = await desk.propose(proposing(name));
      ids.set(name, id);
      const past = steps.length - missing(life);
      for (const step of steps.slice(past)) ({ life } = await desk.take(id, step(life)));
    }
    /** Of a life's steps, those that have not happened. */
    const missing = ({ agreement, agreedAt, timed: { state }, results }: AgreementLife): number => {
      const { client: first, provider: second } = agreement.signatures ?? {};
      const done = [
        agreedAt !== undefined,
        first !== undefined,
        second !== undefined,
        ["delivered", "verified", "disputed"].includes(state.status),
      ];
      return steps.length - [...done, results.length > 0, state.status === "disputed"].filter(Boolean).length;
    };
    const kills = await killedEverywhere(database, live, async (name) => {
      const id = ids.get(name);
      if (id === undefined) throw new Error("it never began");
      const standing = await deskOver(database).get(id);
      expect([standing.status, standing.life.results.length], name).to.deep.equal(["disputed", 1]);
      const acts = await database.query("SELECT place FROM gateway_acts WHERE id = $1 ORDER BY place", [id]);
      expect(
        acts.map(({ place }) => Number(place)),
        name,
      ).to.deep.equal([0, 1, 2, 3, 4, 5, 6]);
      // Breakers look at what its people have: of a hundred that are disputed each desk would read dozens anew.
      await database.query("DELETE FROM gateway_agreements WHERE id = $1", [id]);
    });
    expect(kills).to.be.at.least(60);
  });

  it("make room for the next by letting go of what nobody has signed, ten minutes later", async () => {
    const { chain, client, database } = city;
    let now = 2 * START;
    const desk = new AgreementDesk({
      sql: database,
      chain,
      token: client.addresses.CityToken,
      escrow: undefined,
      millis: () => now * 1_000,
    });
    await database.query("DELETE FROM gateway_agreements WHERE acts < 4");
    const many =
      "SELECT '0x' || lpad(to_hex(number), 64, '0'), 1 + number % 3, $1::bigint + number FROM generate_series(1, 4096) AS number";
    await database.query(`INSERT INTO gateway_agreements (id, acts, opened) ${many}`, [now - 4_096]);
    const future = (name: string) => proposing(name, 3 * START);
    now -= 4_000;
    expect(await rejection(desk.propose(future("too-many")))).to.include({ code: "TooManyProposals" });
    now += 4_000;
    const { id } = await desk.propose(future("in-time"));
    expect((await desk.get(id)).status).to.equal("proposed");
    expect(await database.query("SELECT id FROM gateway_agreements WHERE acts < 4")).to.have.length(4_096);
    expect(
      await database.query("SELECT id FROM gateway_agreements WHERE id = $1", [`0x${"1".padStart(64, "0")}`]),
      "the oldest",
    ).to.deep.equal([]);
    await database.query("DELETE FROM gateway_agreements WHERE acts < 4");
  });

  it("of one client are a thousand, and what was over for a month makes room, of that client alone", async () => {
    const { chain, client, database } = city;
    let now = 2 * START;
    const options = { sql: database, chain, token: client.addresses.CityToken, escrow: undefined, millis: () => now * 1_000 };
    const desk = new AgreementDesk(options);
    await database.query("DELETE FROM gateway_agreements");
    const offer = (name: string) => desk.propose(proposing(name, 3 * START));
    const { life } = await offer("first-of-many");
    const { value, scheme } = life.agreement.parties.client.identity;
    const over = now + 1_000;
    const many = "INSERT INTO gateway_agreements (id, acts, opened, client, over_by) SELECT '0x' || lpad(to_hex(number), 64, '0'), 7";
    await database.query(`${many}, $1::bigint, $2, $3::bigint + number FROM generate_series(1, 999) AS number`, [
      now,
      `${scheme}:${value}`,
      over,
    ]);
    await database.query(`${many}, $1::bigint, 'another', 0 FROM generate_series(1000, 1001) AS number`, [now]);
    now = over + 30 * 86_400;
    expect((await rejection(offer("one-too-many"))).message).to.contain("of one client");
    now += 1;
    await offer("in-the-first-one's-place");
    const left = await database.query("SELECT id FROM gateway_agreements WHERE id <= $1 ORDER BY id", [`0x${"3e9".padStart(64, "0")}`]);
    expect([left.length, left[0]?.["id"]], "another's stay, though they were over first").to.deep.equal([
      1_000,
      `0x${"2".padStart(64, "0")}`,
    ]);
    await database.query("DELETE FROM gateway_agreements");
  });

  it("keep nobody out who has the payment: a hundred keys without money fill the desk in vain", async () => {
    const { chain, client, database } = city;
    const escrow = city.client.addresses.AgreementEscrow;
    const now = 2 * START;
    const desk = new AgreementDesk({ sql: database, chain, token: client.addresses.CityToken, escrow, millis: () => now * 1_000 });
    await database.query("DELETE FROM gateway_agreements");
    const many = "INSERT INTO gateway_agreements (id, acts, opened, client, over_by) SELECT '0x' || lpad(to_hex(number), 64, '0'), 7";
    await database.query(`${many}, $1::bigint + number, 'key ' || number % 100, 3 * $1::bigint FROM generate_series(1, 100000) AS number`, [
      now - 200_000,
    ]);
    const wallet = (name: string) => privateKeyToAccount(keccak256(new TextEncoder().encode(name)));
    /** An offer of so many dollars by a wallet, and that wallet's word for it. */
    async function offer(name: string, payer: LocalAccount, dollars: string, by = payer): Promise<Standing> {
      const wallets = { client: payer, provider: wallet("p"), evaluator: wallet("e"), backup: wallet("b"), arbiter: wallet("a") };
      const binding = {
        ...desk.binding,
        wallets: Object.fromEntries(Object.entries(wallets).map(([role, { address }]) => [role, address])),
      };
      const act = proposing(name, 3 * START, {
        escrow: { enabled: true, binding: { type: "erc8183", ...binding }, payment: { amount: dollars, currency: "USDC" } },
      });
      const message = new TextDecoder().decode(messageBytes("proposal", agreementHash(readAgreement(act.document))));
      return desk.propose(act, { shown: hexSchema.parse(await by.signMessage({ message })) });
    }
    const code = async (attempt: Promise<unknown>) =>
      attempt.then(
        () => "taken",
        (error: { code?: string }) => error.code,
      );
    const mint = async (to: LocalAccount, amount: bigint) =>
      client.token.mint([to.address, amount], {
        intent: intentKey("desk-mint", to.address, amount),
        account: memberOf(city.society, "deployer").account,
      });
    const [rich, poor, richer] = [wallet("rich"), wallet("poor"), wallet("richer")];
    await mint(rich, 9_000_000n);
    await mint(richer, 90_000_000n);

    expect(await code(desk.propose(proposing("without-money", 3 * START)))).to.equal("TooManyProposals");
    expect(await code(offer("nothing-in-it", poor, "5.00"))).to.equal("TooManyProposals");
    expect(await code(offer("in-another's-name", rich, "5.00", poor))).to.equal("BadSignature");
    const together = ["with-money", "with-the-same-money"].map((name) => code(offer(name, rich, "5.00")));
    expect((await Promise.all(together)).sort(), "nine do not pay five twice").to.deep.equal(["TooManyProposals", "taken"]);
    expect(await code(offer("with-the-rest", rich, "4.00"))).to.equal("taken");
    const [first, left] = [
      await database.query("SELECT 1 FROM gateway_agreements WHERE id = $1", [`0x${"1".padStart(64, "0")}`]),
      await database.query("SELECT count(*) AS count FROM gateway_agreements"),
    ];
    expect([first, Number(left[0]?.["count"])], "the oldest without money went").to.deep.equal([[], 100_000]);

    // Whoever shows more goes before whoever shows less, and money that is spent elsewhere shows nothing.
    await database.query("DELETE FROM gateway_agreements WHERE wallet IS NULL");
    await database.query(
      `INSERT INTO gateway_agreements (id, acts, opened, client, over_by, wallet, stake) SELECT '0x' || lpad(to_hex(number), 64, '0'), 1, $1::bigint, 'dust',
       3 * $1::bigint, $2, 1 FROM generate_series(1, 4094) AS number`,
      [now, rich.address],
    );
    expect(await code(offer("with-more", richer, "6.00")), "a unit each keeps nobody out").to.equal("taken");
    expect(await code(offer("with-less", richer, "0.000001"))).to.equal("TooManyProposals");
    await database.query("DELETE FROM gateway_agreements");
    const spender = wallet("spender");
    await mint(spender, 5_000_000n);
    const gas = { account: memberOf(city.society, "deployer").account, value: 10n ** 16n };
    await city.sender.send({ ...gas, intent: intentKey("desk-gas"), to: spender.address });
    const { id } = await offer("soon-spent", spender, "5.00");
    await database.query(
      `INSERT INTO gateway_agreements (id, acts, opened, client, over_by, wallet, stake) SELECT '0x' || lpad(to_hex(number), 64, '0'), 1, 1 + $1::bigint, 'held',
       3 * $1::bigint, $2, 9000000 FROM generate_series(1, 4095) AS number`,
      [now, rich.address],
    );
    expect(await code(offer("while-it-is-there", richer, "1.00"))).to.equal("TooManyProposals");
    await client.token.transfer([poor.address, 1n], { intent: intentKey("desk-spend"), account: spender });
    expect(await code(offer("once-it-is-spent", richer, "1.00"))).to.equal("taken");
    expect(await database.query("SELECT 1 FROM gateway_agreements WHERE id = $1", [id])).to.deep.equal([]);
    await database.query("DELETE FROM gateway_agreements");
  });

  it("of one address with a hundred keys displace nobody's of another, with or without money to show", async () => {
    const { chain, client, database } = city;
    const now = 2 * START;
    const desk = new AgreementDesk({
      sql: database,
      chain,
      token: client.addresses.CityToken,
      escrow: city.client.addresses.AgreementEscrow,
      millis: () => now * 1_000,
    });
    const offer = (name: string, from: string) => desk.propose(proposing(name, 3 * START), { from });
    const [attacker, honest, newcomer] = ["6.6.6.6", "1.1.1.1", "2.2.2.2"];
    let sieges = 0;
    /** The honest one's is the oldest; the attacker's hundred keys have taken what is left, with so many acts each, so long ago. */
    async function besiege(acts: number, left: number, ago: number): Promise<void> {
      await database.query("DELETE FROM gateway_agreements");
      sieges += 1;
      await offer(`honest-${sieges}`, honest);
      await database.query("UPDATE gateway_agreements SET acts = $1, opened = $2", [acts, now - 2 * ago]);
      await database.query(
        `INSERT INTO gateway_agreements (id, acts, opened, client, over_by, party) SELECT '0x' || lpad(to_hex(number), 64, '0'), $1,
         $2::bigint, 'key ' || number % 100, 3 * $3::bigint, $4 FROM generate_series(1, $5) AS number`,
        [acts, now - ago, now, attacker, left],
      );
    }
    const kept = async () => {
      const rows = await database.query("SELECT party, count(*) AS count FROM gateway_agreements GROUP BY party");
      return Object.fromEntries(rows.map(({ party, count }) => [String(party), Number(count)]));
    };

    await besiege(7, 99_999, 1);
    expect(await rejection(offer("one-more", attacker))).to.include({ code: "TooManyProposals" });
    await offer("without-money", newcomer);
    expect(await kept()).to.deep.equal({ [honest]: 1, [newcomer]: 1, [attacker]: 99_998 });
    await besiege(1, 4_095, 1);
    expect(await rejection(offer("one-more-that-waits", attacker))).to.include({ code: "TooManyProposals" });
    await offer("without-a-signature", newcomer);
    expect(await kept()).to.deep.equal({ [honest]: 1, [newcomer]: 1, [attacker]: 4_094 });
    await besiege(1, 4_095, 600);
    await offer("after-ten-minutes", attacker);
    expect(await kept(), "its own go, though another's waits longer").to.deep.equal({ [honest]: 1, [attacker]: 4_095 });

    const wallet = (name: string) => privateKeyToAccount(keccak256(new TextEncoder().encode(name)));
    const rich = wallet("dust");
    await client.token.mint([rich.address, 100n], {
      intent: intentKey("desk-dust", rich.address),
      account: memberOf(city.society, "deployer").account,
    });
    await besiege(1, 4_095, 1);
    await database.query("UPDATE gateway_agreements SET wallet = $1, stake = 1 WHERE party = $2", [rich.address, attacker]);
    const people = { client: rich, provider: wallet("p"), evaluator: wallet("e"), backup: wallet("b"), arbiter: wallet("a") };
    const wallets = Object.fromEntries(Object.entries(people).map(([role, { address }]) => [role, address]));
    const escrow = {
      enabled: true,
      binding: { ...desk.binding, type: "erc8183" as const, wallets },
      payment: { amount: "0.000002", currency: "USDC" },
    };
    const act = proposing("dust", 3 * START, { escrow });
    const message = new TextDecoder().decode(messageBytes("proposal", agreementHash(readAgreement(act.document))));
    const shown = hexSchema.parse(await rich.signMessage({ message }));
    expect(await rejection(desk.propose(act, { shown, from: attacker }))).to.include({ code: "TooManyProposals" });
    expect(await kept(), "a hundredth of a cent displaces nobody").to.deep.equal({ [honest]: 1, [attacker]: 4_095 });
    await besiege(1, 4_095, 600);
    await database.query("UPDATE gateway_agreements SET wallet = $1, stake = 1 WHERE party = $2", [rich.address, attacker]);
    await desk.propose(act, { shown, from: attacker });
    expect(await kept(), "nor after ten minutes").to.deep.equal({ [honest]: 1, [attacker]: 4_095 });
    await database.query("DELETE FROM gateway_agreements");
  });

  it("do what they are told by nobody's text: injected words change no term, score or route", async () => {
    const { escrow, results } = over(await partners("http", "injected"));
    expect(results[0]).to.include({ composite: 8800, releasePercent: 85 });
    expect(escrow?.paid).to.deep.equal({ provider: "4250000", client: "750000" });
  });
});
