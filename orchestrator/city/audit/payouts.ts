import { BASIS_POINTS } from "../../primitives/amounts.ts";
import type { Address } from "../../primitives/hex.ts";
import { actionNumber, decodeActionData } from "../../protocol/actions.ts";
import { unpackMissionParams } from "../../rules/mission-params-codec.ts";
import { claimedPayments, unpackPayment } from "../../rules/payments.ts";
import { split } from "../../rules/payout.ts";
import { reasonCode } from "../../rules/reasons.ts";
import { ema, INITIAL_REPUTATION, multiplier, points } from "../../rules/reputation.ts";
import { BUNDLE_FILES } from "../bundle/bundle-layout.ts";
import type { ChainContext } from "./context.ts";
import type { ChainCheck, Inspection } from "./inspection.ts";
import { parameterBefore } from "./parameters.ts";
import { slashesByLaw } from "./slashes.ts";

const PASS = 1;
/** `enum MissionState`: the mission is over. */
const FINAL = [5, 6, 7];
const WHOLE = BigInt(BASIS_POINTS);
const [OUTCOME, DISSENT, CLEARED_FAIL] = [reasonCode("OUTCOME"), reasonCode("DISSENT"), reasonCode("CLEARED_FAIL")];

/** Every entitlement is equation 9 over price, share and reputation at the award; every claim moved just that (decisions 5, 88). */
export const payouts: ChainCheck = {
  name: "PAYOUTS",
  what: "every entitlement computed again, every credit of executors and verifiers, every slash of an executor",
  file: BUNDLE_FILES.chain,
  run(context, seen) {
    const { record, mission, session, history, roles, nameOf, label } = context;
    const opened = record.events("LegislativeProcedure", "SessionOpened").find(({ args }) => args.session === session);
    if (opened === undefined) throw new RangeError("the session was never opened");
    const params = unpackMissionParams(opened.args.params);
    /** The entitlement announced for a slot, for the outcome at `at`, against the recomputed one. */
    const entitled = (announced: Entitlement, at: bigint, share: bigint, why = "") => {
      const { node, slot, agent, paid, premium, fee, insurance, discount } = announced;
      const subject = `entitlement of ${nameOf(agent)} at ${label(node)}${why}`;
      const executor = history.slot(node, history.attemptAt(node, at), slot);
      const psi = multiplier(points(roles.reputationAtAward(agent, mission, node, at)), BigInt(params.reputationMultiplierAlpha));
      const due = split(executor?.price ?? 0n, BigInt(params.protocolFeeRate), BigInt(params.insuranceReserveRate), share, psi);
      seen.same(agent, executor?.agent, `${subject}: executor`);
      seen.same([paid, premium, fee, insurance, discount], [due.paid, due.premium, due.fee, due.insurance, due.discount], subject);
    };
    const recorded = record.events("CollaborationContract", "Recorded");
    for (const { at, args } of recorded) entitled(args, at, shareOf(context, args.node, at));
    for (const { at, hash, args } of record.events("CollaborationContract", "Reassessed")) {
      const first = recorded.findLast((each) => each.at < at && each.args.node === args.node && each.args.slot === args.slot);
      const ruling = record.events("CollaborationContract", "AppealResolved").findLast((each) => each.hash === hash && each.at < at);
      entitled(args, first?.at ?? at, BigInt(ruling?.args.share ?? 0), " after an appeal");
    }
    claims(context, seen);
    slashesByLaw(context, seen);
  },
};

/** What `Recorded` and `Reassessed` say of a slot. */
type Entitlement = ReturnType<typeof entitlementsIn>[number]["args"];

/** What every slot was entitled to, in order: an upheld appeal's word replaces the clearing's. */
const entitlementsIn = (record: ChainContext["record"]) =>
  [...record.events("CollaborationContract", "Recorded"), ...record.events("CollaborationContract", "Reassessed")].sort((a, b) =>
    a.at < b.at ? -1 : 1,
  );

/** The share that a clearing gave, or a human after it. */
function shareOf({ record, mission }: ChainContext, node: number, at: bigint): bigint {
  const cleared = record
    .events("CollaborationContract", "Cleared")
    .findLast((each) => each.at < at && each.args.node === node && each.args.result === PASS);
  const approved = record
    .calls("AdjudicationProcedure", "act")
    .findLast(
      (each) =>
        each.at < at &&
        each.args[0].mission === mission &&
        each.args[0].node === node &&
        each.args[0].action === actionNumber("APPROVE_POP"),
    );
  if (approved !== undefined && (cleared === undefined || approved.at > cleared.at))
    return BigInt(decodeActionData("APPROVE_POP", approved.args[0].data)[1]);
  return BigInt(cleared?.args.score ?? 0);
}

/** Claims, with who was paid; `at` is the claim's. */
const claimsIn = (record: ChainContext["record"]) =>
  record.events("CollaborationContract", "Claimed").map(({ at, hash, args }) => {
    const { executors, verifiers } = claimedPayments(args);
    return { at, hash, args, executors: executors.map((one) => ({ at, ...one })), verifiers };
  });

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** What a claim says it paid is what the vault credited, and came there from the mission. */
function claims({ record, client, mission, nameOf, label }: ChainContext, seen: Inspection): void {
  const recorded = entitlementsIn(record);
  for (const { at, hash, args, executors } of claimsIn(record)) {
    for (const { node, slot, agent, paid, premium } of executors) {
      const subject = `payment of ${nameOf(agent)} at ${label(node)}`;
      const due = recorded.findLast(
        (each) => each.at < at && each.args.node === node && each.args.slot === slot && each.args.agent === agent,
      )?.args;
      seen.same(paid, due?.paid, subject);
      seen.holds(premium <= (due?.premium ?? 0n), subject, "has a premium above the entitlement");
    }
    const within = <Item extends { readonly hash: string }>(items: readonly Item[]) => items.filter((each) => each.hash === hash);
    const amounts = (words: readonly bigint[]) => sum(words.map((word) => unpackPayment(word).amount));
    const [payments, premiums] = [amounts(args.payments), amounts(args.premiums)];
    const bonds = sum(within(record.events("CollaborationContract", "BondReturned")).map((each) => each.args.bond));
    const credited = within(record.events("Treasury", "Credited")).filter((each) => each.args.mission === mission);
    const subject = `claim in ${hash}`;
    seen.same(sum(credited.map((each) => each.args.amount)), payments + premiums + bonds, `${subject}: credited`);
    seen.same(sum(credited.map((each) => each.args.premiums)), premiums, `${subject}: premiums`);
    const booked = (["FeesReceived", "InsuranceReceived"] as const).flatMap((name) =>
      within(record.events("Treasury", name)).flatMap((each) => (each.args.from === mission ? [each.args.amount] : [])),
    );
    const moved = within(record.events("CityToken", "Transfer")).flatMap(({ args: { from, to, value } }) =>
      from === mission && to === client.treasury.address ? [value] : [],
    );
    seen.same(sum(moved), payments + bonds + sum(booked), `${subject}: tokens that the mission sent the vault`);
  }
}

/** The deposit is accounted for to the unit, from events and from the contract's books, and nothing is left behind. */
export const money: ChainCheck = {
  name: "MONEY",
  what: "deposit = paid + fees + insurance + discount + refunded + what missions below kept, from events, from the books, and from the token",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, client, mission, session } = context;
    const contract = client.mission(mission);
    const books = await contract.ledger();
    const all = claimsIn(record);
    const claimed = all.flatMap(({ executors }) => executors);
    const entitlements = entitlementsIn(record);
    const recorded = claimed.flatMap(({ at, node, slot, agent }) => {
      const due = entitlements.findLast(
        (each) => each.at < at && each.args.node === node && each.args.slot === slot && each.args.agent === agent,
      );
      return due === undefined ? [] : [due];
    });
    // What producers petitioned for, or reintroduced, opens without money: whoever adopts its law brings it.
    const deposits = [
      ...record.events("LegislativeProcedure", "SessionOpened"),
      ...record.events("LegislativeProcedure", "SessionAdopted"),
    ];
    const refunded = sum(record.events("CollaborationContract", "Refunded").map(({ args }) => args.amount));
    const events = {
      deposit: sum(deposits.flatMap(({ args }) => (args.session === session ? [args.deposit] : []))),
      paid: sum(claimed.map(({ paid }) => paid)),
      fees: sum(recorded.map(({ args }) => args.fee)),
      insurance: sum(recorded.map(({ args }) => args.insurance)),
      discount: sum(recorded.map(({ args }) => args.discount)),
      refunded,
      subsidy: sum(claimed.map(({ premium }) => premium)),
      children:
        sum(record.events("CollaborationContract", "ChildOpened").map(({ args }) => args.amount)) -
        sum(record.events("CollaborationContract", "ChildConcluded").map(({ args }) => args.returned)),
    };
    for (const [name, amount] of Object.entries(events)) seen.same(Reflect.get(books, name), amount, `${name} in the books against events`);
    const held = books.entitled + books.refundable;
    const balance = await client.token.balanceOf(mission);
    const spent = books.paid + books.fees + books.insurance + books.discount + books.refunded + books.children;
    if (held === 0n && FINAL.includes(await contract.state())) {
      seen.same(spent, books.deposit, "what was spent against the deposit");
      seen.same(balance, 0n, "token left in the mission's escrow");
    }
    seen.holds(spent + held <= books.deposit, "books", "give away more than was deposited");
    const verifiers = sum(all.flatMap((claim) => claim.verifiers).map(({ amount }) => amount));
    const activated = record.events("LegislativeProcedure", "Approved").find(({ args }) => args.mission === mission);
    const share = await parameterBefore(context, "VERIFIER_FEE_SHARE", activated?.at ?? 0n);
    seen.holds(verifiers <= (books.fees * share) / WHOLE, "verifiers' fees", "are more than their share of the fees");
    const left = sum(record.events("CityToken", "Transfer").flatMap(({ args }) => (args.from === mission ? [args.value] : [])));
    const came = sum(record.events("CityToken", "Transfer").flatMap(({ args }) => (args.to === mission ? [args.value] : [])));
    seen.same(came - left, balance, "token that came and left against the balance");
    await vaulted(record, client, seen);
  },
};

/** All that was ever credited was withdrawn or is there to be, and the vault's tokens cover it. */
async function vaulted(record: ChainContext["record"], client: ChainContext["client"], seen: Inspection): Promise<void> {
  const { treasury, token } = client;
  const credited = sum(record.events("Treasury", "Credited").map(({ args }) => args.amount));
  const withdrawn = sum(record.events("Treasury", "Withdrawn").map(({ args }) => args.amount));
  const [credits, free, insurance, balance] = await Promise.all([
    treasury.credits(),
    treasury.freeBalance(),
    treasury.insuranceBalance(),
    token.balanceOf(treasury.address),
  ]);
  seen.same(credited - withdrawn, credits, "what was credited and not withdrawn against the vault's credits");
  seen.holds(balance >= credits + free + insurance, "the vault", "holds less than it owes");
}

const settledBy = (hash: string, agent: Address) => `${hash} ${agent}`;

/** Shares that claims made final, by claim and agent, in the order in which they were settled: of clearings, of humans after them. */
function sharesSettled(context: ChainContext): Map<string, bigint[]> {
  const { record, history } = context;
  const recorded = record.events("CollaborationContract", "Recorded");
  const rulings = record.events("CollaborationContract", "AppealResolved").filter(({ args }) => args.upheld !== 0);
  const shares = new Map<string, bigint[]>();
  for (const { at, hash, executors } of claimsIn(record)) {
    for (const { node, slot, agent } of executors) {
      const attempt = history.attemptAt(node, at);
      const ruled = rulings.filter(({ args, at: when }) => when < at && args.node === node && args.attempt === attempt);
      // A culprit was scored by the ruling.
      if (ruled.some(({ args }) => args.slash !== 0n && (args.culprits >> slot) & 1)) continue;
      const first = recorded.findLast((each) => each.at < at && each.args.node === node && each.args.slot === slot);
      const share = ruled.at(-1)?.args.share;
      const key = settledBy(hash, agent);
      shares.set(key, [...(shares.get(key) ?? []), share === undefined ? shareOf(context, node, first?.at ?? at) : BigInt(share)]);
    }
  }
  return shares;
}

/** Reputation is one unbroken ledger from where everybody begins, moved by outcomes alone (AgentCity equation 2). */
export const reputations: ChainCheck = {
  name: "REPUTATION",
  what: "every change continues the one before; outcomes, dissent and failures moved it by the moving average",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, client, nameOf, history } = context;
    const last = new Map<Address, bigint>();
    const shares = sharesSettled(context);
    for (const { at, hash, args } of record.events("ProducerContract", "ReputationChanged")) {
      const { agent, previous, current, reason } = args;
      const subject = `reputation of ${nameOf(agent)}`;
      const lambda = await parameterBefore(context, "REPUTATION_SMOOTHING", at);
      seen.same(previous, last.get(agent) ?? INITIAL_REPUTATION, subject);
      last.set(agent, BigInt(current));
      if (reason === DISSENT || reason === CLEARED_FAIL)
        seen.same(current, ema(BigInt(previous), 0n, lambda), `${subject} after a failure`);
      // Of a mission below this one nobody here knows the share.
      const share = reason === OUTCOME ? shares.get(settledBy(hash, agent))?.shift() : undefined;
      if (share !== undefined) seen.same(current, ema(BigInt(previous), share, lambda), `${subject} after an outcome`);
    }
    const agents = [...new Set([...last.keys(), ...history.slots.map(({ agent }) => agent)])].sort();
    for (const agent of agents)
      seen.same(
        await client.agents.reputationOf(agent),
        points(last.get(agent) ?? INITIAL_REPUTATION),
        `reputation of ${nameOf(agent)} at the end`,
      );
  },
};
