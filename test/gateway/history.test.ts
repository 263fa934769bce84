/** A promise over many deliveries: what the desk knows of those before, whoever would leave one out. */
import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  historyOf,
  judgedIn,
  keyOfDid,
  lifeOf,
  readAgreement,
  resultIn,
} from "../../orchestrator/agreements/index.ts";
import type { AgreementDesk } from "../../orchestrator/gateway/agreements/desk.ts";
import type { Standing } from "../../orchestrator/gateway/agreements/standing.ts";
import type { Sql } from "../../orchestrator/records/sql.ts";
import { deliver, proposing, result, SIGNED, START } from "../agreements/acts.ts";
import { rejection } from "../support/rejection.ts";
import { AgreementCity } from "./agreement-city.ts";

const GOOD = { accuracy: 95, completeness: 95, relevance: 95, sources: 5, writing: 95 };
const POOR = { accuracy: 85, completeness: 80, relevance: 90, sources: 5, writing: 80 };

describe("a promise over many deliveries", function () {
  this.timeout(120_000);
  const home = new AgreementCity();
  let desk: AgreementDesk;
  const open = (sql: Sql = home.city.database) => home.desk({ sql });
  before(() => {
    desk = open();
  });

  const { quality_criteria } = readAgreement(proposing().document);
  /** Two of the last three reach 90 points. */
  const guarantee = { kind: "percentile", p: 60, target: 90, window: 3 } as const;
  const promised = (composite_threshold = 60) =>
    ({ ...quality_criteria, composite_threshold, guarantee_type: "probabilistic", guarantee }) as const;

  async function delivered(name: string, criteria: ReturnType<typeof promised> | typeof quality_criteria = promised()): Promise<Standing> {
    let at = await desk.propose(proposing(name, START + 864_000, { quality_criteria: criteria }));
    for (const step of [...SIGNED, deliver]) at = await desk.take(at.id, step(at.life));
    // Each is judged in a second of its own.
    home.now += 1;
    return at;
  }
  const refusal = ({ id }: Standing, act: Act) => rejection(desk.take(id, act)).then(({ name }) => name);
  const judged = (life: AgreementLife, measured: typeof GOOD, history?: readonly number[]) =>
    result(life, "evaluator", measured, history === undefined ? {} : { history });

  it("counts the deliveries before, which the desk gathers itself: neither invented nor left out", async () => {
    const first = await delivered("first");
    expect(await desk.history(first)).to.deep.equal([]);
    const { life } = await desk.take(first.id, judged(first.life, POOR));
    const poor = life.results[0]?.determination.composite ?? 0;
    expect(poor).to.be.lessThan(9_000);
    // Too few of them: it counts alone, and reaches its threshold.
    expect(life.results[0]?.determination.result).to.equal("PASS");

    const second = await delivered("second");
    expect(await desk.history(second)).to.deep.equal([poor]);
    for (const left of [undefined, [], [9_900], [poor, poor]])
      expect(await refusal(second, judged(second.life, POOR, left)), JSON.stringify(left)).to.equal("WrongDetermination");
    await desk.take(second.id, judged(second.life, POOR, [poor]));

    // Good by itself, and the third of three of which one reaches the target.
    const third = await delivered("third");
    const past = await desk.history(third);
    expect(past).to.deep.equal([poor, poor]);
    const { life: broken } = await desk.take(third.id, judged(third.life, GOOD, past));
    expect(broken.results[0]?.determination.result).to.equal("FAIL");

    const fourth = await delivered("fourth");
    const kept = await desk.history(fourth);
    expect(kept, "its last two").to.deep.equal([poor, broken.results[0]?.determination.composite]);
    const { life: held } = await desk.take(fourth.id, judged(fourth.life, GOOD, kept));
    expect(held.results[0]?.determination.result).to.equal("PASS");
  });

  it("reads as many deliveries as it promises about, however many were judged", async () => {
    let read = 0;
    const counting = (sql: Sql): Sql => ({
      async query(text, parameters) {
        const rows = await sql.query(text, parameters);
        read += rows.length;
        return rows;
      },
      transaction: (work) => sql.transaction((within) => work(counting(within))),
    });
    const counted = open(counting(home.city.database));
    /** Rows that are read to draft and to take the next result of this promise. */
    const next = async (name: string) => {
      const at = await delivered(name, promised(63));
      await counted.get(at.id);
      read = 0;
      const history = await counted.history(at);
      const drafted = read;
      await counted.take(at.id, judged(at.life, GOOD, history));
      return { drafted, taken: read };
    };
    for (const name of ["bounded-1", "bounded-2"]) await next(name);
    const few = await next("bounded-3");
    expect(few.drafted, "a window of three").to.equal(2);
    for (let more = 0; more < 24; more += 1) await next(`bounded-more-${more}`);
    expect(await next("bounded-last")).to.deep.equal(few);
  });

  it("is about the same criteria between the same two, and promises nothing where none was made", async () => {
    expect(await desk.history(await delivered("another-promise", promised(61)))).to.deep.equal([]);
    const plain = await delivered("no-promise", quality_criteria);
    expect(await desk.history(plain)).to.deep.equal([]);
    expect(await refusal(plain, judged(plain.life, GOOD, [9_000]))).to.equal("WrongDetermination");
  });

  it("is read again as it was when a result was taken, whatever was judged since", async () => {
    const [one, two] = [await delivered("before"), await delivered("and-after")];
    const past = await desk.history(one);
    await desk.take(two.id, judged(two.life, POOR, await desk.history(two)));
    expect(await desk.history(one)).to.not.deep.equal(past);
    expect(await refusal(one, judged(one.life, GOOD, past)), "a draft of before").to.equal("WrongDetermination");
    await desk.take(one.id, judged(one.life, GOOD, await desk.history(one)));
    const again = open();
    for (const { id } of [one, two]) expect((await again.get(id)).life).to.deep.equal((await desk.get(id)).life);
  });

  it("is the same for whoever has the acts", async () => {
    const acts = (name: string, measured: typeof GOOD, history: readonly number[], at: number) => {
      const first = proposing(name, START + 864_000, { quality_criteria: promised(62) });
      const all: { act: Act; at: number }[] = [{ act: first, at }];
      for (const step of [...SIGNED, deliver, (life: AgreementLife) => judged(life, measured, history)])
        all.push({ act: step(lifeOf(all, { keyOf: keyOfDid })), at });
      return all;
    };
    const past = [acts("one", POOR, [], START), acts("two", GOOD, [], START + 1)].flatMap((each) => judgedIn(each) ?? []);
    const own = historyOf(
      readAgreement(proposing("three", START + 864_000, { quality_criteria: promised(62) }).document),
      past.toReversed(),
    );
    expect(own).to.deep.equal(past.map(({ composite }) => composite));
    const three = acts("three", GOOD, own, START + 2);
    const { results } = lifeOf(three, { keyOf: keyOfDid, history: () => own });
    expect(results[0]?.document).to.deep.equal(resultIn(results[0]?.document));
    expect(results[0]?.determination.result).to.equal("PASS");
  });
});
