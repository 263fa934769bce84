// @long
/** The conformance kit of homes of money: the same agreement ends in the same units wherever its payment lies. */
import { join } from "node:path";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Measured } from "../../orchestrator/agreements/index.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { memberOf } from "../../orchestrator/city/founding/society.ts";
import { START } from "../agreements/acts.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { callbackHome, type Deal, escrowHome, type Home, type Terms, x402Home } from "./homes.ts";
import { openPayer, type Payer } from "./payer.ts";

/** Signs what a client's payer is told. */
const operator = privateKeyToAccount(generatePrivateKey());
const PERFECT = { accuracy: 100, completeness: 100, relevance: 100, sources: 9, writing: 100 };
const POOR = { accuracy: 10, completeness: 10, relevance: 10, sources: 0, writing: 10 };
/** 75.00 and 74.99: the tier of 85 % begins at the first. */
const AT_TIER = { accuracy: 85, completeness: 64.5, relevance: 64.5, sources: 5, writing: 64.75 };
const BELOW_TIER = { ...AT_TIER, writing: 64.7 };
const WHOLE = 5_000_000n;

/** Work that is delivered and judged, its window not yet over. */
async function judged(deal: Deal, measured?: Measured, by: "evaluator" | "backup" = "evaluator"): Promise<Deal> {
  await deal.begin();
  await deal.deliver();
  if (by === "backup") await deal.silence();
  await deal.judge(by, measured);
  return deal;
}
/** Whatever is left undone is left undone until the agreement is over. */
async function over(deal: Deal, times = 1): Promise<Deal> {
  for (let time = 0; time < times; time += 1) await deal.silence();
  return deal;
}

interface Case {
  readonly name: string;
  readonly terms?: Terms;
  readonly play: (deal: Deal, home: Home) => Promise<unknown>;
  /** What the provider's wallet has in the end. */
  readonly paid: bigint;
}
/** Its place in time: money that lies ahead is paid in before the work, other money once it is over. */
const whenPaid = async (deal: Deal, { isAhead }: Home, attempt: () => Promise<unknown>): Promise<void> => {
  if (!isAhead) await over(await judged(deal));
  await attempt();
  if (isAhead) await over(await judged(deal));
};

const CASES: readonly Case[] = [
  { name: "88.00 points pay 85 %", play: async (deal) => over(await judged(deal)), paid: 4_250_000n },
  { name: "all points pay all", play: async (deal) => over(await judged(deal, PERFECT)), paid: WHOLE },
  { name: "poor work pays nothing", play: async (deal) => over(await judged(deal, POOR)), paid: 0n },
  { name: "a tier begins at its boundary", play: async (deal) => over(await judged(deal, AT_TIER)), paid: 4_250_000n },
  { name: "a hundredth below it is the tier below", play: async (deal) => over(await judged(deal, BELOW_TIER)), paid: 2_500_000n },
  {
    name: "a unit that does not divide stays the client's",
    terms: { amount: "0.000007" },
    play: async (deal) => over(await judged(deal)),
    paid: 5n,
  },
  {
    name: "without a window it is over once it is judged",
    terms: { isImmediate: true },
    async play(deal, home) {
      await judged(deal);
      // The chain's clock has to be called, whoever calls it.
      if (home.isAhead) await deal.silence();
    },
    paid: 4_250_000n,
  },
  {
    name: "a challenge that nobody rules on leaves the result",
    async play(deal) {
      await judged(deal);
      await deal.challenge();
      await over(deal);
    },
    paid: 4_250_000n,
  },
  {
    name: "the backup judges where the evaluator is silent",
    play: async (deal) => over(await judged(deal, undefined, "backup")),
    paid: 4_250_000n,
  },
  ...(
    [
      ["split_50_50", 2_500_000n],
      ["return_to_client", 0n],
      ["release_to_provider", WHOLE],
    ] as const
  ).map(
    ([inSilence, paid]): Case => ({
      name: `nobody judges: ${inSilence}`,
      terms: { inSilence },
      async play(deal) {
        await deal.begin();
        await deal.deliver();
        await over(deal, 3);
      },
      paid,
    }),
  ),
  {
    name: "nothing delivered is nothing paid",
    async play(deal) {
      await deal.begin();
      await over(deal);
    },
    paid: 0n,
  },
  { name: "nobody does anything at all", play: (deal) => over(deal), paid: 0n },
  {
    name: "both end it before any work",
    async play(deal) {
      await deal.begin();
      await deal.cancel();
    },
    paid: 0n,
  },
  {
    name: "nothing is paid while it lasts",
    async play(deal) {
      await judged(deal);
      await rejection(deal.collect());
      expect(await deal.received()).to.equal(0n);
      await over(deal);
    },
    paid: 4_250_000n,
  },
  {
    name: "collected twice, it is paid once",
    async play(deal) {
      await over(await judged(deal));
      await deal.collect();
      await deal.collect();
    },
    paid: 4_250_000n,
  },
  {
    name: "collected by several at once, it is paid once",
    async play(deal) {
      await over(await judged(deal));
      await Promise.allSettled([deal.collect(), deal.collect(), deal.collect()]);
    },
    paid: 4_250_000n,
  },
  {
    name: "a unit too little is refused, and moves nothing",
    play: (deal, home) =>
      whenPaid(deal, home, async () => {
        await rejection(deal.underpay());
        expect(await deal.spent()).to.equal(0n);
      }),
    paid: 4_250_000n,
  },
  {
    name: "another's key pays nothing in the client's name",
    play: (deal, home) =>
      whenPaid(deal, home, async () => {
        await rejection(deal.forge());
        expect(await deal.spent()).to.equal(0n);
      }),
    paid: 4_250_000n,
  },
  {
    name: "cut off between sending and knowing, it is paid once",
    async play(deal, home) {
      if (!home.isAhead) return whenPaid(deal, home, deal.cutAndResume);
      await deal.cutAndResume();
      await deal.deliver();
      await deal.judge("evaluator");
      await over(deal);
    },
    paid: 4_250_000n,
  },
  {
    name: "a client with an empty purse pays nothing, and later what it owes",
    terms: { purse: 0n },
    play: (deal, home) =>
      whenPaid(deal, home, async () => {
        await rejection(home.isAhead ? deal.begin() : deal.collect());
        expect(await deal.spent()).to.equal(0n);
        await deal.endow(WHOLE);
      }),
    paid: 4_250_000n,
  },
  {
    name: "a result is taken once",
    async play(deal) {
      await judged(deal, POOR);
      expect(await rejection(deal.judge("evaluator", PERFECT)))
        .to.have.property("code")
        .that.is.oneOf(["Replayed", "IllegalTransition"]);
      await over(deal);
    },
    paid: 0n,
  },
  {
    name: "late by a month, it pays the same",
    async play(deal) {
      await (await judged(deal)).silence(30 * 86_400);
    },
    paid: 4_250_000n,
  },
];

describe("homes of an agreement's money", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  const homes = new Map<string, Home>();
  let city: City;
  let payer: Payer;

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    const escrow = city.client.addresses.AgreementEscrow;
    const clock = { now: START };
    payer = await openPayer({ operator: operator.address, chainId: city.chain.id, now: () => clock.now });
    for (const home of [escrowHome(city, escrow), x402Home(city), callbackHome(city, payer, operator, clock)]) homes.set(home.name, home);
  });
  after(async () => {
    payer?.close();
    await city?.close();
  });
  const homeOf = (name: string): Home => {
    const home = homes.get(name);
    if (home === undefined) throw new Error(`no home ${name}`);
    return home;
  };

  for (const name of ["erc8183", "x402", "http_callback"]) {
    for (const { name: what, terms, play, paid } of CASES)
      it(`${name}: ${what}`, async () => {
        const home = homeOf(name);
        const deal = await home.open(terms);
        await play(deal, home);
        await deal.collect();
        expect({ received: await deal.received(), spent: await deal.spent() }).to.deep.equal({ received: paid, spent: paid });
      });

    it(`${name}: another token is refused before anybody signs`, async () => {
      const token = memberOf(city.society, "sponsor").account.address;
      expect(await rejection(homeOf(name).open({ token }))).to.include({ code: "MalformedAgreement" });
    });
  }
});
