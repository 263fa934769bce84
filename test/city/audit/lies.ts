import type { ChainRecord } from "../../../orchestrator/city/audit/chain-record.ts";
import type { AuditContext } from "../../../orchestrator/city/audit/context.ts";
import { MissionHistory } from "../../../orchestrator/city/audit/history.ts";
import { Roles } from "../../../orchestrator/city/audit/roles.ts";
import { devnetSociety, memberOf } from "../../../orchestrator/city/founding/society.ts";
import { type Hex, isHex } from "../../../orchestrator/primitives/hex.ts";
import { type ClearWave, decodeClearWave, encodeClearWave, type WireItem, type WireVerdict } from "../../../orchestrator/rules/wire.ts";

/** What the chain is said to hold instead: `Contract.function` or `Contract.Event` → its arguments, changed. */
export interface Lie {
  readonly check: string;
  readonly about: string;
  /** Changes the arguments in place of a copy of them. */
  readonly change: (args: unknown) => unknown;
  /** What some finding says. */
  readonly finds: RegExp;
}

/** A context whose chain record differs in one kind of call or event. Contracts are not asked to lie: they cannot. */
export function lying(context: AuditContext, { about, change }: Pick<Lie, "about" | "change">): AuditContext {
  const truth = context.record;
  const alter = <Item extends { readonly args: unknown }>(name: string, items: readonly Item[]): readonly Item[] => {
    if (name !== about) return items;
    return items.map((item) => ({ ...item, args: change(structuredClone(item.args)) }));
  };
  const record: ChainRecord = {
    calls: (contract, name) => alter(`${contract}.${name}`, truth.calls(contract, name)),
    events: (contract, name) => alter(`${contract}.${name}`, truth.events(contract, name)),
  };
  const origin = { chainId: BigInt(context.chain.id), mission: context.mission, lawHash: context.law.hash };
  return { ...context, record, history: new MissionHistory(record, origin), roles: new Roles(record) };
}

/** A copy of nested plain data with one member, found by name at any depth, replaced. The first one only. */
export function replaced(value: unknown, name: string, by: (member: unknown) => unknown): unknown {
  let done = false;
  const walk = (current: unknown): unknown => {
    if (done) return current;
    if (Array.isArray(current)) return current.map(walk);
    if (typeof current !== "object" || current === null) return current;
    return Object.fromEntries(
      Object.entries(current).map(([key, member]) => {
        if (done || key !== name) return [key, walk(member)];
        done = true;
        return [key, by(member)];
      }),
    );
  };
  return walk(value);
}

/** Another signature of the right form. */
export const flipped = (hex: unknown): unknown => byte(4)(hex);

/** Changes the byte in this place. */
function byte(at: number): (hex: unknown) => unknown {
  const place = 2 + 2 * at;
  return (hex) => (typeof hex === "string" ? `${hex.slice(0, place)}${hex[place] === "1" ? "2" : "1"}${hex.slice(place + 1)}` : hex);
}

export function more(amount: unknown): unknown {
  return typeof amount === "bigint" ? amount + 1n : typeof amount === "number" ? amount + 1 : amount;
}

const member = (name: string, by: (value: unknown) => unknown) => (args: unknown) => replaced(args, name, by);
const place = (index: number, by: (value: unknown) => unknown) => (args: unknown) =>
  Array.isArray(args) ? args.with(index, by(args[index])) : args;
/** A wave of clearings, unpacked, changed and packed again. */
const wave = (by: (wave: ClearWave) => ClearWave) =>
  place(0, (bytes) => (isHex(bytes) ? encodeClearWave(by(decodeClearWave(bytes))) : bytes));
const items = (by: (item: WireItem) => readonly WireItem[]) =>
  wave((told) => ({
    ...told,
    issuers: told.issuers.map((each) => ({
      ...each,
      items: each.items.flatMap((item): readonly (WireItem | Hex)[] => (typeof item === "string" ? [item] : by(item))),
    })),
  }));
const verdicts = (by: (verdict: WireVerdict) => WireVerdict) =>
  wave((told) => ({
    ...told,
    verifiers: told.verifiers.map((each) => ({
      ...each,
      verdicts: each.verdicts.map((verdict) => (typeof verdict === "string" ? verdict : by(verdict))),
    })),
  }));
/** A list of payments whose first is of one unit more. */
const heavier = (weights: unknown) => (Array.isArray(weights) ? weights.map((weight) => more(weight)) : weights);
const higher = (payments: unknown) => (Array.isArray(payments) ? payments.with(0, payments[0] + (1n << 160n)) : payments);
/** The issuers' principal. */
const GIL = memberOf(devnetSociety(), "principal", "Gil").account.address;
const notSigned = /is not signed by/;

/** One lie per kind of thing that an audit verifies; the check named must find it. */
export const LIES: readonly Lie[] = [
  { check: "ROOTS", about: "CollaborationContract.Anchored", change: member("root", flipped), finds: /head of the log/ },
  { check: "ROOTS", about: "CollaborationContract.anchor", change: place(3, flipped), finds: notSigned },
  { check: "ROOTS", about: "EvidenceRegistry.RunnerRegistered", change: member("runner", flipped), finds: /nobody registered as a runner/ },
  {
    check: "MESSAGES",
    about: "LegislativeProcedure.IdentitiesConfirmed",
    change: member("attestationRoot", flipped),
    finds: /root of the attestations/,
  },
  {
    check: "MESSAGES",
    about: "LegislativeProcedure.BallotCast",
    change: member("agent", () => "0x00000000000000000000000000000000000000aa"),
    finds: /never said who it is/,
  },
  { check: "MESSAGES", about: "LegislativeProcedure.propose", change: place(1, flipped), finds: /proposal of P\d does not hold: document/ },
  { check: "MESSAGES", about: "ServiceContract.ServiceRegistered", change: member("service", flipped), finds: /does not hold: service/ },
  { check: "MESSAGES", about: "ExecutionProcedure.BidPlaced", change: member("locked", () => 0n), finds: /does not hold: stake/ },
  { check: "MESSAGES", about: "LegislativeProcedure.Validated", change: member("session", more), finds: /does not hold: constitution/ },
  { check: "DEBATE", about: "LegislativeProcedure.strawPoll", change: member("signature", flipped), finds: notSigned },
  {
    check: "DEBATE",
    about: "LegislativeProcedure.strawPoll",
    change: place(1, (list) => (Array.isArray(list) ? list.slice(1) : list)),
    finds: /straw ballots against the chain's/,
  },
  { check: "DEBATE", about: "LegislativeProcedure.StrawPollCast", change: member("session", more), finds: /is out of turn/ },
  { check: "DEBATE", about: "LegislativeProcedure.BallotCast", change: member("ranking", more), finds: /ballots against the opinions/ },
  { check: "CANDIDATES", about: "LegislativeProcedure.propose", change: member("signature", flipped), finds: notSigned },
  { check: "CANDIDATES", about: "LegislativeProcedure.propose", change: place(1, flipped), finds: /law of its document/ },
  { check: "CANDIDATES", about: "LegislativeProcedure.sponsor", change: member("signature", flipped), finds: notSigned },
  {
    check: "CANDIDATES",
    about: "ProducerContract.AgentRegistered",
    change: member("principal", () => "0x00000000000000000000000000000000000000aa"),
    finds: /candidates on the ballot/,
  },
  { check: "BALLOTS", about: "LegislativeProcedure.castBallots", change: member("signature", flipped), finds: notSigned },
  {
    check: "BALLOTS",
    about: "LegislativeProcedure.castBallots",
    change: place(1, (list) => (Array.isArray(list) ? [...list, list[0]] : list)),
    finds: /is a second one/,
  },
  {
    check: "BALLOTS",
    about: "LegislativeProcedure.castBallots",
    change: place(1, (list) => (Array.isArray(list) ? list.slice(1) : list)),
    finds: /number of ballots/,
  },
  {
    check: "BALLOTS",
    about: "LegislativeProcedure.Tallied",
    change: member("order", (order) => (Array.isArray(order) ? order.toReversed() : order)),
    finds: /order counted again/,
  },
  { check: "DELEGATIONS", about: "LegislativeProcedure.Codified", change: member("delegations", () => []), finds: /not named/ },
  { check: "DELEGATIONS", about: "ManagementContract.Delegated", change: member("service", flipped), finds: /service that did/ },
  { check: "APPROVALS", about: "LegislativeProcedure.approve", change: member("signature", flipped), finds: notSigned },
  {
    check: "APPROVALS",
    about: "LegislativeProcedure.approve",
    change: place(3, (list) => (Array.isArray(list) ? list.slice(0, 1) : list)),
    finds: /has no (Speaker|Regulator)/,
  },
  { check: "BIDS", about: "ExecutionProcedure.bidAll", change: member("signature", flipped), finds: notSigned },
  { check: "BIDS", about: "ExecutionProcedure.bidAll", change: member("price", more), finds: notSigned },
  { check: "BIDS", about: "ExecutionProcedure.BidPlaced", change: member("score", more), finds: /: score/ },
  { check: "BIDS", about: "ExecutionProcedure.Awarded", change: member("price", more), finds: /^award/ },
  { check: "BIDS", about: "ExecutionProcedure.Awarded", change: member("fairness", more), finds: /: fairness/ },
  // A start names places and no hash; another hash is said of a hybrid wave, in test/scenarios/hybrid.test.ts.
  {
    check: "CODE",
    about: "CollaborationContract.route",
    change: member("slots", (keys) => (Array.isArray(keys) ? keys.with(0, keys[0] + 1n) : keys)),
    finds: /is not signed by its runner/,
  },
  { check: "CODE", about: "CollaborationContract.route", change: member("slots", () => []), finds: /worked without attested code/ },
  { check: "CODE", about: "EvidenceRegistry.RunnerRegistered", change: member("runner", flipped), finds: /nobody registered/ },
  // The first signer's signature, and the first opening's salt.
  { check: "COMMITS", about: "CollaborationContract.commitWave", change: place(0, byte(40)), finds: /not signed by/ },
  { check: "COMMITS", about: "CollaborationContract.revealWave", change: place(0, byte(10)), finds: /opening of/ },
  { check: "COMMITS", about: "CollaborationContract.Revealed", change: member("outputHash", flipped), finds: /output of/ },
  { check: "COMMITS", about: "CollaborationContract.Revealed", change: member("trailRoot", flipped), finds: /trail of/ },
  { check: "EVIDENCE", about: "CollaborationContract.Revealed", change: member("envelopeRoot", flipped), finds: /envelope/ },
  { check: "EVIDENCE", about: "EvidenceRegistry.IssuerRegistered", change: member("classes", () => 1), finds: /nobody registered for/ },
  { check: "EVIDENCE", about: "ProducerContract.AgentRegistered", change: member("principal", () => GIL), finds: /is by a party/ },
  {
    check: "VERDICTS",
    about: "CollaborationContract.clear",
    change: verdicts((told) => ({ ...told, score: told.score - 1 })),
    finds: notSigned,
  },
  {
    check: "VERDICTS",
    about: "CollaborationContract.clear",
    change: items((told) => [{ ...told, proof: [...told.proof, told.payload] }]),
    finds: /not in the envelope/,
  },
  { check: "VERDICTS", about: "CollaborationContract.clear", change: items(() => []), finds: /: decision/ },
  { check: "VERDICTS", about: "CollaborationContract.Cleared", change: member("score", more), finds: /: decision/ },
  { check: "VERDICTS", about: "CollaborationContract.Cleared", change: member("evidenceClass", more), finds: /: decision/ },
  { check: "VERDICTS", about: "EvidenceRegistry.VerifierRegistered", change: member("verifier", flipped), finds: /nobody who was drawn/ },
  { check: "CLAIMS", about: "ServiceContract.ServiceRegistered", change: member("codeHash", flipped), finds: /by which code/ },
  { check: "CLAIMS", about: "CollaborationContract.Revealed", change: member("outputHash", flipped), finds: /how its check ended/ },
  { check: "DECISIONS", about: "CollaborationContract.Cleared", change: member("confidence", more), finds: /decision against the chain's/ },
  { check: "DECISIONS", about: "CollaborationContract.Cleared", change: member("basis", more), finds: /decision against the chain's/ },
  {
    check: "DECISIONS",
    about: "CollaborationContract.clear",
    change: verdicts((told) => ({ ...told, confidence: told.confidence - 1 })),
    finds: /outputs against the verdicts/,
  },
  { check: "DECISIONS", about: "EvidenceRegistry.IssuerRegistered", change: member("classes", () => 1), finds: /NOT_REGISTERED_FOR_CLASS/ },
  { check: "DECISIONS", about: "EvidenceRegistry.VerifierRegistered", change: member("weight", more), finds: /the verifiers' weights/ },
  { check: "DECISIONS", about: "ProducerContract.AgentRegistered", change: member("principal", () => GIL), finds: /INTERESTED_ISSUER/ },
  { check: "SETTLEMENTS", about: "CollaborationContract.Recorded", change: member("paid", more), finds: /instruction against entitlement/ },
  {
    check: "SETTLEMENTS",
    about: "CollaborationContract.Recorded",
    change: member("discount", more),
    finds: /instruction against entitlement/,
  },
  {
    check: "SETTLEMENTS",
    about: "CollaborationContract.Claimed",
    change: member("payments", higher),
    finds: /credited, against the instruction/,
  },
  {
    check: "SETTLEMENTS",
    about: "CollaborationContract.ExecutorBound",
    change: member("price", more),
    finds: /obligation against law and awards/,
  },
  { check: "PASSPORTS", about: "EvidenceRegistry.PassportsPosted", change: member("passports", flipped), finds: /were never posted/ },
  { check: "PASSPORTS", about: "EvidenceRegistry.PassportsPosted", change: member("weights", heavier), finds: /weight of 0x/ },
  { check: "OVERRIDES", about: "AdjudicationProcedure.act", change: member("signature", flipped), finds: notSigned },
  {
    check: "OVERRIDES",
    about: "AdjudicationProcedure.act",
    change: member("because", () => "another reason"),
    finds: /signed by the adjudicator|justification/,
  },
  { check: "PAYOUTS", about: "CollaborationContract.Recorded", change: member("paid", more), finds: /entitlement of/ },
  { check: "PAYOUTS", about: "CollaborationContract.Recorded", change: member("fee", more), finds: /entitlement of/ },
  { check: "PAYOUTS", about: "CollaborationContract.Claimed", change: member("payments", higher), finds: /payment of/ },
  { check: "PAYOUTS", about: "Treasury.Credited", change: member("amount", more), finds: /credited/ },
  { check: "PAYOUTS", about: "Treasury.Credited", change: member("premiums", more), finds: /premiums/ },
  { check: "PAYOUTS", about: "CityToken.Transfer", change: member("value", more), finds: /sent the vault/ },
  {
    check: "PAYOUTS",
    about: "CollaborationContract.Cleared",
    change: member("score", (score) => Number(score) - 1000),
    finds: /entitlement of/,
  },
  { check: "MONEY", about: "CollaborationContract.Refunded", change: member("amount", more), finds: /refunded in the books/ },
  { check: "MONEY", about: "CollaborationContract.Claimed", change: member("payments", higher), finds: /paid in the books/ },
  { check: "MONEY", about: "Treasury.Withdrawn", change: member("amount", more), finds: /credited and not withdrawn/ },
  { check: "MONEY", about: "CityToken.Transfer", change: member("value", more), finds: /came and left/ },
  { check: "REPUTATION", about: "ProducerContract.ReputationChanged", change: member("current", more), finds: /reputation of/ },
  { check: "REPUTATION", about: "ProducerContract.ReputationChanged", change: member("previous", more), finds: /reputation of/ },
];
