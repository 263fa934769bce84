/** Writes that name themselves by a key, and what is asked or done only if an agreement is still what it was, over HTTP. */
import { expect } from "chai";
import { z } from "zod";
import { type Act, type AgreementLife, draftMessage, messageBytes, messageHash } from "../../orchestrator/agreements/index.ts";
import type { Standing } from "../../orchestrator/gateway/agreements/standing.ts";
import { conditionsIn } from "../../orchestrator/gateway/conditions.ts";
import { KeyedAnswers, keyIn } from "../../orchestrator/gateway/keyed-answers.ts";
import { type Hash, hashSchema } from "../../orchestrator/primitives/hex.ts";
import { accept, deliver, people, proposing, result, SIGNED, START, sign } from "../agreements/acts.ts";
import { killedEverywhere } from "../support/dying-sql.ts";
import { rejection, thrown } from "../support/rejection.ts";
import { AgreementCity, fieldsOf } from "./agreement-city.ts";

/** The other word that a provider may have when it is its turn. */
const reject = (life: AgreementLife): Act => {
  const message = draftMessage(life.negotiation, {
    ...{ by: "provider", action: "reject", rationale_code: "capacity" },
    timestamp: new Date(START * 1_000).toISOString().replace(".000Z", "Z"),
  });
  const signature = people.provider.sign(messageBytes("message", messageHash(message)));
  return { act: "negotiate", message: { ...JSON.parse(JSON.stringify(message)), signature } };
};

describe("agreements under conditions, and asked twice", function () {
  this.timeout(120_000);
  // Tests speak for several addresses: a proxy of the operator's own says which.
  const home = new AgreementCity({ proxies: ["127.0.0.1"] });
  before(() => home.serve());
  const call: AgreementCity["call"] = (path, asked) => home.call(path, asked);
  const propose = (name: string, headers: Record<string, string> = {}) =>
    call("/v1/agreements", { headers, body: fieldsOf(proposing(name, START + 864_000, { visibility: "public" })) });
  const offered = async (name: string): Promise<Standing> => {
    const { text } = await propose(name);
    return home.served.get(z.looseObject({ agreement: hashSchema }).parse(JSON.parse(text)).agreement);
  };
  const answer = ({ id }: { readonly id: Hash }, act: Act, headers: Record<string, string> = {}) =>
    call("/v1/agreement-messages", { headers, body: { agreement: id, ...fieldsOf(act) } });
  const read = ({ id }: Standing, headers: Record<string, string> = {}) => call(`/v1/agreements/${id}`, { headers });

  describe("by entity tags", () => {
    it("spare a reader what it has, until something happened", async () => {
      const standing = await offered("read-twice");
      const first = await read(standing);
      expect(first.etag).to.match(/^"[\w-]{43}"$/);
      for (const known of [first.etag, `W/${first.etag}`, `"another", ${first.etag}`, "*"])
        expect(await read(standing, { "if-none-match": known }), known).to.deep.include({ status: 304, text: "", etag: first.etag });
      expect(await read(standing, { "if-none-match": '"another"' })).to.deep.equal(first);
      const after = await answer(standing, accept(standing.life, "provider"));
      expect(after.etag, "a write's answer has the tag of what is read next").to.equal((await read(standing)).etag);
      expect(await read(standing, { "if-none-match": first.etag })).to.include({ status: 200, etag: after.etag });
      const template = await call("/v1/agreement-templates/research");
      expect(await call("/v1/agreement-templates/research", { headers: { "if-none-match": template.etag } })).to.include({ status: 304 });
    });

    it("have nothing done to what is no longer what was read", async () => {
      const standing = await offered("changed-meanwhile");
      const { etag } = await read(standing);
      const accepted = await answer(standing, accept(standing.life, "provider"), { "if-match": etag });
      expect(accepted.status).to.equal(200);
      const { life } = await home.served.get(standing.id);
      const signature = { agreement: standing.id, ...fieldsOf(sign(life, "client")) };
      const stale = await call("/v1/agreement-signatures", { headers: { "if-match": etag }, body: signature });
      expect([stale.status, stale.code]).to.deep.equal([412, "PreconditionFailed"]);
      expect(z.looseObject({ signed: z.array(z.string()) }).parse(JSON.parse((await read(standing)).text)).signed).to.deep.equal([]);
      for (const [condition, value] of [
        ["if-match", `W/${accepted.etag}`],
        ["if-none-match", accepted.etag],
        ["if-none-match", "*"],
      ] as const)
        expect((await call("/v1/agreement-signatures", { headers: { [condition]: value }, body: signature })).status, value).to.equal(412);
      for (const fresh of [`"another", ${accepted.etag}`, "*"])
        expect((await call("/v1/agreement-signatures", { headers: { "if-match": fresh }, body: signature })).status, fresh).to.equal(200);
      // What was taken stays taken: whoever lost the answer sends the same again.
      const again = await call("/v1/agreement-signatures", { headers: { "if-match": accepted.etag }, body: signature });
      expect(again.status).to.equal(200);
    });

    it("let one of two through who act upon the same at once", async () => {
      const standing = await offered("two-at-once");
      const { etag } = await read(standing);
      const both = [accept(standing.life, "provider"), reject(standing.life)];
      const said = await Promise.all(both.map((act) => answer(standing, act, { "if-match": etag })));
      expect(said.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
    });

    it("propose only what is not there, and tell a stranger no more than before", async () => {
      expect((await propose("new", { "if-match": "*" })).status).to.equal(412);
      expect((await propose("new", { "if-none-match": "*" })).status).to.equal(200);
      expect((await propose("new", { "if-none-match": "*" })).status).to.equal(412);
      expect((await propose("new")).status).to.equal(200);
      const secret = await home.served.propose(proposing("secret"));
      const meant = await home.served.propose(proposing("meant-elsewhere"));
      for (const condition of [{ "if-match": "*" }, { "if-match": '"guess"' }, { "if-none-match": "*" }, {}])
        expect((await answer(secret, accept(meant.life, "provider"), condition)).code).to.equal("NotFound");
    });

    it("are written as the standard has them", async () => {
      const standing = await offered("malformed");
      for (const bad of ["unquoted", '"open', '"a" "b"', ",", ""])
        for (const name of ["if-match", "if-none-match"])
          expect(
            thrown(() => conditionsIn((asked) => (asked === name ? bad : undefined))),
            bad,
          ).to.include({
            code: "BadRequest",
          });
      expect((await read(standing, { "if-none-match": "unquoted" })).status).to.equal(400);
    });
  });

  describe("by a key of the caller's", () => {
    const key = (text: string, from = "1.1.1.1") => ({ "idempotency-key": text, "x-forwarded-for": from });

    it("get the first answer again, whatever happened since and through a restart", async () => {
      const first = await propose("keyed", key('"8e03978e-40d5-43dd-bc93-6894a57f9324"'));
      const { id, life } = await offered("keyed");
      await home.served.take(id, accept(life, "provider"));
      const same = () => propose("keyed", key("8e03978e-40d5-43dd-bc93-6894a57f9324"));
      expect(await same(), "in quotes or bare").to.deep.equal(first);
      expect((await propose("keyed")).text, "without a key it is told how it is now").to.not.equal(first.text);
      await home.serve();
      expect(await same()).to.deep.equal(first);
      home.now += 86_401;
      expect((await same()).text, "for a day").to.not.equal(first.text);
    });

    it("are no answer to another request, by the same address alone", async () => {
      expect((await propose("one", key("mine"))).status).to.equal(200);
      const other = await propose("other", key("mine"));
      expect([other.status, other.code]).to.deep.equal([422, "KeyReused"]);
      const { id, life } = await offered("one");
      expect((await answer({ id }, accept(life, "provider"), key("mine"))).code, "nor of another command").to.equal("KeyReused");
      expect((await propose("other", key("mine", "2.2.2.2"))).status, "a stranger's keys are its own").to.equal(200);
    });

    it("are not used up by what was refused", async () => {
      const standing = await offered("refused-first");
      const early = { agreement: standing.id, ...fieldsOf(sign(standing.life, "provider")) };
      const sent = () => call("/v1/agreement-signatures", { headers: key("early"), body: early });
      expect((await sent()).status).to.equal(409);
      await home.served.take(standing.id, accept(standing.life, "provider"));
      const signed = await sent();
      expect(signed.status).to.equal(200);
      expect(await sent()).to.deep.equal(signed);
    });

    it("are one where the same comes many times at once", async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => propose("at-once", key("at-once"))));
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
    });

    it("are 1 to 255 visible characters, and on what only drafts they say nothing", async () => {
      for (const bad of ["", " ", '""', '"open', "a b", "é", "x".repeat(256)])
        expect(
          thrown(() => keyIn(bad)),
          bad,
        ).to.include({ code: "BadRequest" });
      expect((await propose("malformed-key", key('"'))).status).to.equal(400);
      const draft = { draft: { act: "propose", document: fieldsOf(proposing("drafted"))["document"] } };
      expect((await call("/v1/agreement-drafts", { headers: key('"'), body: draft })).status).to.equal(200);
    });

    it("fill nobody else's room: an address keeps 256, and where all is full the one with most makes room", async () => {
      await home.city.database.query("DELETE FROM gateway_keyed");
      const keyed = new KeyedAnswers(home.city.database);
      const ask = (from: string, name: string, answered = name) =>
        keyed.answer({ from, key: name, command: "c", input: {} }, home.now, async () => ({ answer: answered }));
      const fill = `INSERT INTO gateway_keyed (party, key, request, expires, answer) SELECT 'party ' || number % 16, number::text, '', $1::bigint + number, ''
        FROM generate_series(1, 4095) AS number`;
      await ask("honest", "mine");
      await home.city.database.query(fill, [home.now + 86_400]);
      await ask("party 1", "one more");
      expect((await ask("honest", "mine", "asked again")).answer).to.equal("mine");
      const counted = async (party: string) =>
        Number((await home.city.database.query("SELECT count(*) AS count FROM gateway_keyed WHERE party = $1", [party]))[0]?.["count"]);
      expect(await counted("party 1"), "of its own").to.equal(256);
      await ask("newcomer", "another");
      await ask("newcomer", "and another");
      expect([await counted("newcomer"), await counted("honest")]).to.deep.equal([2, 1]);
      const [all] = await home.city.database.query("SELECT count(*) AS count FROM gateway_keyed");
      expect(Number(all?.["count"])).to.be.at.most(4_096);
    });

    it("are whole wherever their gateway is killed", async () => {
      await home.city.database.query("DELETE FROM gateway_keyed");
      const effects = new Map<string, number>();
      const asked = (name: string) => ({ from: "3.3.3.3", key: name, command: "c", input: { name } });
      const kills = await killedEverywhere(
        home.city.database,
        async (sql, name) => {
          await new KeyedAnswers(sql).answer(asked(name), home.now, async () => {
            effects.set(name, (effects.get(name) ?? 0) + 1);
            return { answer: name, receipt: "paid" };
          });
        },
        async (name) => {
          const again = await new KeyedAnswers(home.city.database).answer(asked(name), home.now, async () => ({ answer: "another" }));
          expect(again, name).to.deep.equal({ answer: name, receipt: "paid" });
          const other = new KeyedAnswers(home.city.database).answer({ ...asked(name), input: {} }, home.now, async () => ({
            answer: "another",
          }));
          expect(await rejection(other), name).to.include({ code: "KeyReused" });
          // What was done and not answered is asked of the command again, which takes the same request once.
          expect(effects.get(name), name).to.be.within(1, 2);
        },
      );
      expect(kills).to.be.at.least(8);
    });
  });

  it("say nothing of delivery or result that was not acted upon", async () => {
    let standing = await offered("to-the-end");
    for (const step of SIGNED) standing = await home.served.take(standing.id, step(standing.life));
    for (const [path, act] of [
      ["/v1/agreement-deliveries", deliver],
      ["/v1/agreement-results", (life: AgreementLife) => result(life, "evaluator")],
    ] as const) {
      const { etag } = await read(standing);
      const { life } = await home.served.get(standing.id);
      const body = { agreement: standing.id, ...fieldsOf(act(life)) };
      expect((await call(path, { headers: { "if-match": '"older"' }, body })).status, path).to.equal(412);
      expect((await call(path, { headers: { "if-match": etag }, body })).status, path).to.equal(200);
    }
  });
});
