import { z } from "zod";
import { ballotIn } from "../../client/candidates.ts";
import { recompileLaw } from "../../client/compile-law.ts";
import { parametersOf } from "../../client/editions.ts";
import { isSessionMessageBy, type SessionMessage, sessionDigest } from "../../client/sign/session-message.ts";
import { speakingOrder } from "../../legislature/deliberate.ts";
import { contentIdFromDigest, digestOf, parseContentId } from "../../primitives/hash.ts";
import type { Address, ContentId, Hex } from "../../primitives/hex.ts";
import { hexSchema } from "../../primitives/hex.ts";
import { briefingSchema, type Debate, debateSchema, opinionsSchema, speechContentSchema, strawsSchema } from "../../protocol/debate.ts";
import { OFFICES } from "../../protocol/offices.ts";
import type { SessionMessageName } from "../../protocol/session-messages.ts";
import { flawOf, type Seven, type SevenFacts, type SevenName, sevenMessages, sevenSchemas } from "../../protocol/seven-messages.ts";
import { packRanking } from "../../rules/condorcet.ts";
import { isOfficeLaw } from "../../rules/office-law.ts";
import { merkleRoot } from "../../rules/ordered-merkle.ts";
import { points } from "../../rules/reputation.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import type { AuditContext } from "./context.ts";
import type { Check, Inspection } from "./inspection.ts";
import { isAuthorised, isSentByCity } from "./signatures.ts";

const contentId = z.string().transform(parseContentId);
const signed = { signature: hexSchema };
const identitiesSchema = z.strictObject({ request: contentId, attestations: contentId });
const requestSchema = z.strictObject({ ...sevenSchemas.IdentityVerificationRequest.shape, ...signed });
const attestationsSchema = z.array(z.strictObject({ ...sevenSchemas.IdentityAttestation.shape, ...signed }));
const approvalSchema = z.strictObject({ specification: contentId, approvals: contentId });
const specificationSchema = z.strictObject({ ...sevenSchemas.CodedContractSpecification.shape, ...signed });

/** The legislature's seven messages: each is its sender's and holds, by the predicate the city used itself (AgentCity B.10). */
export const messages: Check = {
  name: "MESSAGES",
  what: "signature and predicate of each of the legislature's seven messages",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    await identities(context, seen);
    await proposals(context, seen);
    await bids(context, seen);
    await decisions(context, seen);
    await enactment(context, seen);
  },
};

/** The debate as the log names it: facts before words, words in the drawn order, nothing cited that was not published (AgentCity 3.4). */
export const debate: Check = {
  name: "DEBATE",
  what: "published facts, the straw poll, every speech: signature, place, evidence; the ballots that the city sent against the last opinions",
  file: BUNDLE_FILES.log,
  async run(context, seen) {
    const opened = context.record.events("LegislativeProcedure", "DebateOpened").find(({ args }) => args.session === context.session);
    // What the Speaker's office drafted is put to the vote as it is.
    if (opened === undefined && isOfficeLaw(await context.client.legislation.sessionOf(context.session))) return;
    const id = recordNamed(context, "legislature.voting", seen);
    if (id === undefined) return;
    const held = debateSchema.parse(context.block(id));
    const briefed = recordNamed(context, "legislature.briefing", seen);
    const { hash } = await context.chain.publicClient.getBlock({ blockNumber: opened?.block ?? 0n });
    seen.same(held.opened, hash, "block that drew the speaking order");
    if (briefed !== undefined) seen.same(context.block(briefed), held.briefing, "facts published before the debate", blockFile(briefed));
    const published = await facts(context, seen, held);
    const polled = await straws(context, seen, held);
    await speeches(context, seen, held, { published, polled });
  },
};

async function facts(
  context: AuditContext,
  seen: Inspection,
  { briefing: { regulator, content, signature } }: Debate,
): Promise<ReadonlySet<string>> {
  const { session, record, roles, nameOf } = context;
  const message = { session, regulator, content: digestOf(content) };
  await isSaid(context, seen, regulator, "EvidenceBriefing", message, signature, "published facts");
  const { block, evidence } = briefingSchema.parse(context.block(content));
  const opened = record.events("LegislativeProcedure", "DebateOpened").find(({ args }) => args.session === session);
  const isOfOffice = roles.isClerkBefore(OFFICES.REGULATOR, regulator, opened?.at ?? 0n);
  seen.holds(isOfOffice, "published facts", "are signed by nobody who regulates");
  seen.holds(
    opened !== undefined && BigInt(block.number) < opened.block,
    "published facts",
    "are not from before the debate",
    blockFile(content),
  );
  const { hash } = await context.chain.publicClient.getBlock({ blockNumber: BigInt(block.number) });
  seen.same(block.hash, hash, "block of the published facts", blockFile(content));
  for (const { kind, agent, facts: published } of evidence) {
    if (kind !== "producer" || agent === null) continue;
    const reputation = points(roles.reputationBefore(agent, opened?.at ?? 0n));
    seen.same(published["reputation"], reputation, `published reputation of ${nameOf(agent)}`, blockFile(content));
  }
  return new Set(evidence.map(({ id }) => id));
}

/** Straw ballots as the debate began with them: whoever sends its own while the others debate is not heard. Returns their voters. */
async function straws(context: AuditContext, seen: Inspection, held: Debate): Promise<readonly Address[]> {
  const { record, session, nameOf } = context;
  const cast: (readonly [Address, bigint])[] = [];
  let sent = 0;
  for (const { from, args } of record.calls("LegislativeProcedure", "strawPoll")) {
    const [of, batch] = args;
    if (of !== session) continue;
    for (const { agent, ranking, deadline, signature } of batch) {
      const isOwn = await isAuthorised(context, agent, from, "StrawPoll", { session, agent, ranking, deadline }, signature);
      seen.holds(isOwn, `straw ballot of ${nameOf(agent)}`, "is not signed by its voter", BUNDLE_FILES.chain);
      cast.push([agent, ranking]);
      if (isSentByCity(context, from)) sent = cast.length;
    }
  }
  const recorded = strawsSchema.parse(context.block(held.straws)).map(({ agent, ranking }) => [agent, ranking] as const);
  seen.same(recorded, cast.slice(0, Math.max(sent, recorded.length)), "straw ballots against the chain's", blockFile(held.straws));
  const events = record.events("LegislativeProcedure", "StrawPollCast").filter(({ args }) => args.session === session);
  return events.slice(0, recorded.length).map(({ args }) => args.agent);
}

async function speeches(
  context: AuditContext,
  seen: Inspection,
  { opened, rounds }: Debate,
  { published, polled }: { readonly published: ReadonlySet<string>; readonly polled: readonly Address[] },
): Promise<void> {
  const { session, client, nameOf } = context;
  const laws = await ballotIn(client, session);
  const proposers = new Set(laws.slice(1).map(({ proposer }) => proposer));
  for (const [index, { turns }] of rounds.entries()) {
    const round = index + 1;
    const order = speakingOrder(opened, round, polled, proposers);
    // Speakers without usable reasons are skipped; nobody spoke out of turn.
    let place = -1;
    for (const [turn, said] of turns.entries()) {
      const subject = `speech of ${nameOf(said.agent)} in round ${round}`;
      const message = { session, agent: said.agent, round: said.round, turn: said.turn, content: digestOf(said.content) };
      await isSaid(context, seen, said.agent, "Speech", message, said.signature, subject);
      seen.same([said.round, said.turn], [round, turn], `${subject}: place`);
      const drawn = order.indexOf(said.agent);
      seen.holds(drawn > place, subject, "is out of turn");
      place = drawn;
      const { evidence, about, session: of } = speechContentSchema.parse(context.block(said.content));
      seen.same(of, session, `${subject}: session`, blockFile(said.content));
      seen.holds(
        evidence.length > 0 && evidence.every((id) => published.has(id)),
        subject,
        "cites what nobody published",
        blockFile(said.content),
      );
      seen.holds(
        laws.some(({ specHash }) => specHash === about),
        subject,
        "is about nothing on the ballot",
        blockFile(said.content),
      );
    }
  }
  const last = rounds.at(-1)?.opinions;
  const cast = ballotsSentByCity(context);
  if (last === undefined) return;
  // Who signed no ballot cast none; who sent its own had said nothing of it here.
  const voted = new Set(cast.map(({ args }) => args.agent));
  const opinions = opinionsSchema
    .parse(context.block(last))
    .filter(({ agent }) => voted.has(agent))
    .map(({ agent, ranking }) => [agent, packRanking(ranking)]);
  seen.same(
    cast.map(({ args }) => [args.agent, args.ranking]),
    opinions,
    "ballots against the opinions after the debate",
    blockFile(last),
  );
}

/** Ballots that counted, without those that their voters sent themselves. */
function ballotsSentByCity(context: AuditContext) {
  const { record, session } = context;
  const senders = new Map(record.calls("LegislativeProcedure", "castBallots").map(({ hash, from }) => [hash, from]));
  return record
    .events("LegislativeProcedure", "BallotCast")
    .filter(({ hash, args }) => args.session === session && isSentByCity(context, senders.get(hash)));
}

/** MSG_TYPE_1 and 2. */
async function identities(context: AuditContext, seen: Inspection): Promise<void> {
  const { client, session, record, roles, nameOf, block } = context;
  const id = recordNamed(context, "legislature.identities", seen);
  if (id === undefined) return;
  const named = identitiesSchema.parse(block(id));
  const { signature, ...request } = requestSchema.parse(block(named.request));
  await isSaid(context, seen, request.registrar, "IdentityVerificationRequest", request, signature, "the Registrar's question");
  const opened = await client.legislation.sessionOf(session);
  const { hash: nonce } = await context.chain.publicClient.getBlock({ blockNumber: BigInt(opened.openedBlock) });
  const confirmed = record.events("LegislativeProcedure", "IdentitiesConfirmed").find(({ args }) => args.session === session);
  seen.same([request.session, request.nonce], [session, nonce], "the Registrar's question: session and nonce", blockFile(named.request));
  valid(seen, "IdentityVerificationRequest", request, {
    appointed: roles.isClerkBefore(OFFICES.REGISTRAR, request.registrar, confirmed?.at ?? 0n),
    minReputation: opened.rules.reputationFloor,
    deadline: request.deadline,
  });
  const attested = attestationsSchema.parse(block(named.attestations));
  const digests = attested.map(({ signature: _, ...message }) => sessionDigest(context.client, "IdentityAttestation", message));
  seen.same(merkleRoot(digests), confirmed?.args.attestationRoot, "root of the attestations", blockFile(named.attestations));
  const voters = new Set(ballotsSentByCity(context).map(({ args }) => args.agent));
  for (const { signature: own, ...message } of attested) {
    if (!voters.has(message.agent)) continue;
    const subject = `attestation of ${nameOf(message.agent)}`;
    await isSaid(context, seen, message.agent, "IdentityAttestation", message, own, subject);
    const { kind, principal, registeredBlock } = await client.agents.agentOf(message.agent);
    const reputation = Number(points(roles.reputationBefore(message.agent, confirmed?.at ?? 0n)));
    const known = { kind, principal, registeredBlock, reputation, openedBlock: opened.openedBlock };
    // It voted, and the contract lets only the eligible vote.
    valid(seen, "IdentityAttestation", message, { ...known, request, eligible: true }, subject);
  }
  for (const agent of voters)
    seen.holds(
      attested.some((each) => each.agent === agent),
      `voter ${nameOf(agent)}`,
      "never said who it is",
    );
}

/** MSG_TYPE_3: signatures are the CANDIDATES check's. */
async function proposals(context: AuditContext, seen: Inspection): Promise<void> {
  const { record, session, law, nameOf, bundle, hasBlock } = context;
  for (const { args } of record.calls("LegislativeProcedure", "propose")) {
    const [of, specHash, cid, { agent, deadline }] = args;
    const document = contentIdFromDigest(cid);
    if (of !== session || !hasBlock(document)) continue;
    const compiled = recompileLaw(bundle.bytes(blockFile(document)));
    const known = { specHash: compiled.specHash, budget: BigInt(compiled.document.budget), deposit: law.header.budget };
    valid(seen, "DAGProposal", { session, agent, specHash, cid, deadline }, known, `proposal of ${nameOf(agent)}`);
  }
}

/** MSG_TYPE_4: signatures and scores are the BIDS check's. */
async function bids(context: AuditContext, seen: Inspection): Promise<void> {
  const { record, client, mission, law, nameOf, label } = context;
  const { units } = await parametersOf(client, mission);
  const stakes = await Promise.all((["MIN_STAKE_LOW", "MIN_STAKE_MEDIUM", "MIN_STAKE_HIGH"] as const).map(units));
  const services = new Set(record.events("ServiceContract", "ServiceRegistered").map(({ args }) => args.service));
  for (const { args } of record.events("ExecutionProcedure", "BidPlaced")) {
    const { node, agent, service, price, locked } = args;
    const terms = law.nodes[node];
    if (args.mission !== mission || terms === undefined) continue;
    const { kind } = await client.agents.agentOf(agent);
    const minStake = stakes[terms.risk] ?? 0n;
    const known = { kind, registered: services.has(service), locked, minStake, slotBudget: terms.budget / BigInt(terms.redundancy) };
    const message = { agent, mission, node, service, price, nonce: 0n, deadline: 0 };
    valid(seen, "TaskBid", message, known, `bid of ${nameOf(agent)} for ${label(node)}`);
  }
}

/** MSG_TYPE_5: where a Regulator decided before a window ended; elsewhere the contract did. Fairness is the BIDS check's. */
async function decisions(context: AuditContext, seen: Inspection): Promise<void> {
  const { record, roles, mission, nameOf } = context;
  for (const { at, args } of record.calls("ExecutionProcedure", "awardEarly")) {
    const regulator = args.at(-1);
    if (args[0] !== mission || typeof regulator !== "object" || !("agent" in regulator)) continue;
    const appointed = roles.isClerkBefore(OFFICES.REGULATOR, regulator.agent, at);
    seen.holds(appointed, `decision of ${nameOf(regulator.agent)}`, "is by nobody who regulates", BUNDLE_FILES.chain);
  }
}

/** MSG_TYPE_6 and 7; signatures of approvals are the APPROVALS check's. */
async function enactment(context: AuditContext, seen: Inspection): Promise<void> {
  const { client, session, record, roles, document, nameOf, block } = context;
  const id = recordNamed(context, "legislature.approval", seen);
  if (id === undefined) return;
  const named = approvalSchema.parse(block(id));
  const { signature, ...message } = specificationSchema.parse(block(named.specification));
  await isSaid(context, seen, message.codifier, "CodedContractSpecification", message, signature, "the Codifier's specification");
  const call = record.calls("LegislativeProcedure", "approve").find(({ args }) => args[0] === session);
  const { winner, rules } = await client.legislation.sessionOf(session);
  const { implementation } = await client.templates.templateOf(await client.legislation.template(), rules.template);
  valid(seen, "CodedContractSpecification", message, {
    appointed: roles.isClerkBefore(OFFICES.CODIFIER, message.codifier, call?.at ?? 0n),
    chosen: (await client.legislation.candidateOf(session, winner)).specHash,
    lawHash: document.lawHash,
    docHash: document.docHash,
    validated: record.events("LegislativeProcedure", "Validated").some(({ args }) => args.session === session),
    template: implementation,
  });
  for (const { clerk, office, deadline } of call?.args[3] ?? []) {
    const known = { appointed: roles.isClerkBefore(office, clerk, call?.at ?? 0n), specification: message.specHash };
    const approval = { clerk, office, session, specHash: document.specHash, deadline };
    valid(seen, "LegislativeApproval", approval, known, `approval of ${nameOf(clerk)}`);
  }
}

/** The record that the log names for this session under some kind; the last one holds. */
function recordNamed({ log, session, hasBlock }: AuditContext, kind: string, seen: Inspection): ContentId | undefined {
  const entry = log.findLast((each) => each.kind === kind && each.subjects[1] === session.toString());
  const id = entry?.content ?? undefined;
  if (id !== undefined && hasBlock(id)) return id;
  seen.holds(false, kind, "is not in the log, or names nothing here");
  return undefined;
}

async function isSaid<Name extends SessionMessageName>(
  { client, nameOf }: AuditContext,
  seen: Inspection,
  signer: Address,
  name: Name,
  message: SessionMessage<Name>,
  signature: Hex,
  subject: string,
): Promise<void> {
  seen.holds(await isSessionMessageBy(client, signer, name, message, signature), subject, `is not signed by ${nameOf(signer)}`);
}

function valid<Name extends SevenName>(
  seen: Inspection,
  name: Name,
  message: Seven<Name>,
  known: SevenFacts[Name],
  subject: string = `MSG_TYPE_${sevenMessages[name].number}`,
): void {
  const flaw = flawOf(name, message, known);
  seen.holds(flaw === null, subject, `does not hold: ${flaw}`);
}
