import { encodeAbiParameters, keccak256 } from "viem";
import { cleanReport, reportHash } from "../../client/codification-audit.ts";
import { recompileLaw } from "../../client/compile-law.ts";
import { BASIS_POINTS } from "../../primitives/amounts.ts";
import { contentIdFromDigest } from "../../primitives/hash.ts";
import type { Hash } from "../../primitives/hex.ts";
import { actionNumber } from "../../protocol/actions.ts";
import { OFFICES } from "../../protocol/offices.ts";
import { CODIFIER_OPERATIONS, operationId } from "../../protocol/operations.ts";
import { tally } from "../../rules/condorcet.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import type { ChainContext } from "./context.ts";
import type { ChainCheck, Inspection } from "./inspection.ts";
import { isAuthorised, isOrderSignedBy, isSentByCity } from "./signatures.ts";

const STATUS_QUO = 0;

/** Who proposed and sponsored what, each by its own signature; the ballot is what those make (decisions 9, 53). */
export const candidates: ChainCheck = {
  name: "CANDIDATES",
  what: "signatures of proposals and sponsorships, the document of each that the city sent or that won, the ballot they make",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, session, roles, client, nameOf } = context;
    const sponsors = new Map<number, Set<string>>();
    const proposers = new Map<number, `0x${string}`>();
    const { winner, rules, drafted } = await client.legislation.sessionOf(session);
    const proposals = record.events("LegislativeProcedure", "Proposed").filter(({ args }) => args.session === session);
    for (const { from, hash, args } of record.calls("LegislativeProcedure", "propose")) {
      const [of, specHash, cid, { agent, deadline, signature }] = args;
      if (of !== session) continue;
      const subject = `proposal of ${nameOf(agent)}`;
      const signed = await isAuthorised(context, agent, from, "Propose", { session, agent, specHash, cid, deadline }, signature);
      seen.holds(signed, subject, "is not signed by its proposer");
      const event = proposals.find((each) => each.hash === hash && each.args.proposer === agent);
      seen.same(event?.args.specHash, specHash, `${subject}: recorded spec`);
      if (event !== undefined) {
        sponsors.set(event.args.candidate, new Set([agent]));
        proposers.set(event.args.candidate, agent);
      }
      // What its proposer sent itself was never handed in here; it may have won all the same.
      if (isSentByCity(context, from) || event?.args.candidate === winner) await documented(context, seen, subject, { cid, specHash });
    }
    // The Speaker's own draft is a call of its office: the chain refuses others.
    for (const { args } of record.calls("LegislativeProcedure", "draft")) {
      const [of, specHash, cid] = args;
      if (of === session) await documented(context, seen, "draft of the Speaker's office", { cid, specHash });
    }
    for (const { from, args } of record.calls("LegislativeProcedure", "sponsor")) {
      const [of, candidate, { agent, deadline, signature }] = args;
      if (of !== session) continue;
      const signed = await isAuthorised(context, agent, from, "Sponsor", { session, agent, candidate, deadline }, signature);
      seen.holds(signed, `sponsorship of candidate ${candidate} by ${nameOf(agent)}`, "is not signed by its sponsor");
      sponsors.get(candidate)?.add(agent);
    }
    const qualified = [...sponsors]
      .filter(([candidate, agents]) => {
        const own = roles.principalOf(proposers.get(candidate) ?? "0x");
        return agents.size >= rules.minSponsors && [...agents].some((agent) => roles.principalOf(agent as `0x${string}`) !== own);
      })
      .map(([candidate]) => candidate)
      .sort((a, b) => a - b);
    const voted = qualified.length === 0 && drafted !== 0 ? [drafted] : qualified;
    if (voted.length < 16) seen.same(await client.legislation.ballotOf(session), [STATUS_QUO, ...voted], "candidates on the ballot");
  },
};

/** A candidate's document is here, and is the law that its hash names. */
async function documented(
  { hasBlock, bundle }: ChainContext,
  seen: Inspection,
  subject: string,
  { cid, specHash }: { readonly cid: Hash; readonly specHash: Hash },
): Promise<void> {
  const document = contentIdFromDigest(cid);
  const file = blockFile(document);
  await seen.part(
    subject,
    () => {
      if (!seen.holds(hasBlock(document), subject, "has no document here", file)) return;
      seen.same(recompileLaw(bundle.bytes(file)).specHash, specHash, `${subject}: law of its document`, file);
    },
    file,
  );
}

/** Every ballot is its voter's, there is one each, and counting them again gives the chain's result (AgentCity 3.4). */
export const ballots: ChainCheck = {
  name: "BALLOTS",
  what: "signature of every ballot, one per voter, the tie seed, the tally counted again, the quorum",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, session, client, nameOf } = context;
    const events = record.events("LegislativeProcedure", "BallotCast").filter(({ args }) => args.session === session);
    const voters = new Set(events.map(({ args }) => args.agent));
    const cast = await signedBallots(context, seen, voters);
    const { ballotSize: entries, ballots: counted, electorate, winner, tieSeed, rules } = await client.legislation.sessionOf(session);
    seen.same(cast.length, counted, "number of ballots against the session's");
    seen.holds(
      cast.length * BASIS_POINTS >= electorate * rules.turnoutQuorum,
      "turnout",
      `is ${cast.length} of ${electorate}, below the quorum`,
    );
    seen.same(
      events.map(({ args }) => [args.agent, args.ranking]),
      cast.map(({ agent, ranking }) => [agent, ranking]),
      "recorded ballots",
    );
    const paper = await client.legislation.ballotOf(session);
    seen.same(tieSeed, await seedOf(context, paper), "tie seed");
    const result = tally(
      cast.map(({ ranking }) => ranking),
      entries,
      tieSeed,
    );
    seen.same(paper[result.winner], winner, "winner counted again");
    const tallied = record.events("LegislativeProcedure", "Tallied").find(({ args }) => args.session === session);
    seen.same(
      tallied?.args.order,
      result.order.map((entry) => paper[entry]),
      "order counted again",
    );
    for (let i = 0; i < entries; i += 1) {
      for (let j = 0; j < entries; j += 1) {
        if (i !== j)
          seen.same(await client.legislation.pairwise(session, i, j), result.pairwise[i]?.[j], `voters for entry ${i} over ${j}`);
      }
    }
    for (const { agent, ranking } of cast)
      seen.same(await client.legislation.rankingOf(session, agent), ranking, `recorded ranking of ${nameOf(agent)}`);
  },
};

async function signedBallots(context: ChainContext, seen: Inspection, voters: ReadonlySet<string>) {
  const { record, session, nameOf } = context;
  const cast: { agent: `0x${string}`; ranking: bigint }[] = [];
  for (const { from, args } of record.calls("LegislativeProcedure", "castBallots")) {
    const [of, batch] = args;
    if (of !== session) continue;
    const before = new Set(cast.map(({ agent }) => agent));
    for (const { agent, ranking, deadline, signature } of batch) {
      // The chain passes over those in a batch who have voted before it, or may not.
      if (!voters.has(agent) || before.has(agent)) continue;
      const subject = `ballot of ${nameOf(agent)}`;
      const signed = await isAuthorised(context, agent, from, "Ballot", { session, agent, ranking, deadline }, signature);
      seen.holds(signed, subject, "is not signed by its voter");
      seen.holds(!cast.some((other) => other.agent === agent), subject, "is a second one");
      cast.push({ agent, ranking });
    }
  }
  return cast;
}

/** `keccak256(abi.encode(hash of the block before, procedure, session, candidates))`: fixed before anybody voted. */
async function seedOf({ record, session, chain, client }: ChainContext, paper: readonly number[]): Promise<string | undefined> {
  const opened = record.events("LegislativeProcedure", "VotingOpened").find(({ args }) => args.session === session);
  if (opened === undefined) return undefined;
  const { hash } = await chain.publicClient.getBlock({ blockNumber: opened.block - 1n });
  const types = [{ type: "bytes32" }, { type: "address" }, { type: "uint256" }, { type: "uint8[]" }] as const;
  return keccak256(encodeAbiParameters(types, [hash, client.legislation.address, session, paper]));
}

/** What the Codifier must have had done was done by the services of its mandates, with the results that anybody gets. */
export const delegations: ChainCheck = {
  name: "DELEGATIONS",
  what: "each mandated operation on the enacted spec, by its service, recorded with the result of compiling and auditing again",
  file: BUNDLE_FILES.chain,
  async run({ record, session, client, document }, seen) {
    const codified = record.events("LegislativeProcedure", "Codified").find(({ args }) => args.session === session);
    const before = (at: bigint | undefined) => record.events("ManagementContract", "MandateSet").filter((each) => each.at < (at ?? 0n));
    const mandates = before(codified?.at).filter(({ args }) => args.office === OFFICES.CODIFIER);
    const operations = [...new Set(mandates.map(({ args }) => args.operation))];
    seen.same(codified?.args.delegations.length, operations.length, "delegations named by the codification");
    for (const operation of operations) {
      const name = CODIFIER_OPERATIONS.find((known) => operationId(known) === operation) ?? operation;
      const id = await client.mandates.delegationId(session, operation, document.specHash);
      const opened = record.events("ManagementContract", "Delegated").findLast(({ args }) => args.delegation === id);
      const mandate = before(opened?.at).findLast(({ args }) => args.operation === operation);
      const { outputHash, intermediateHash } = await client.mandates.delegationOf(id);
      seen.holds(codified?.args.delegations.includes(id) === true, `delegation of ${name}`, "is not named by the codification");
      seen.same(opened?.args.service, mandate?.args.service, `service that did ${name}`);
      if (name === "compile-law") {
        seen.same(outputHash, document.lawHash, `result of ${name}`);
        seen.same(intermediateHash, document.docHash, `what ${name} compiled`);
      } else if (name === "audit-codification") seen.same(outputHash, reportHash(cleanReport(document.specHash)), `result of ${name}`);
    }
  },
};

/** The offices that put their names under the law: a Speaker and enough Regulators. */
export const approvals: ChainCheck = {
  name: "APPROVALS",
  what: "signatures of Speaker and Regulators under the enacted spec; an adjudicator's where the risk is HIGH",
  file: BUNDLE_FILES.chain,
  async run(context, seen) {
    const { record, session, client, roles, document, nameOf } = context;
    const call = record.calls("LegislativeProcedure", "approve").find(({ args }) => args[0] === session);
    const given = new Set<number>();
    for (const { clerk, office, deadline, signature } of call?.args[3] ?? []) {
      const subject = `approval of ${nameOf(clerk)}`;
      const message = { clerk, office, session, specHash: document.specHash, deadline };
      const signed = await isAuthorised(context, clerk, call?.from ?? "0x", "OfficeApproval", message, signature);
      seen.holds(signed, subject, "is not signed by the clerk, or not for this law");
      seen.holds(roles.isClerkBefore(office, clerk, call?.at ?? 0n), subject, "is by nobody who holds that office");
      given.add(office);
    }
    seen.holds(given.has(OFFICES.SPEAKER), "approval", "has no Speaker's signature");
    const { audited } = await client.legislation.sessionOf(session);
    seen.holds(given.has(OFFICES.REGULATOR) || audited, "approval", "has no Regulator's signature");
    if (document.document.risk !== "HIGH") return;
    const acts = record
      .calls("AdjudicationProcedure", "act")
      .filter(({ args: [{ action, caseHash }] }) => action === actionNumber("APPROVE_CODIFICATION") && caseHash === document.specHash);
    seen.holds(audited && acts.length > 0, "approval", "has no adjudicator's audit, though its risk is HIGH");
    for (const { at, args } of acts) {
      const [action, signatures] = args;
      for (const { adjudicator, signature } of signatures) {
        const subject = `audit by ${nameOf(adjudicator)}`;
        seen.holds(await isOrderSignedBy(context, adjudicator, action, signature), subject, "is not signed by the adjudicator");
        seen.holds(roles.isSeatedBefore(adjudicator, at), subject, "is by nobody with a seat");
      }
    }
  },
};
