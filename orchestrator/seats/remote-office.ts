import { publicKeyToAddress } from "viem/accounts";
import { claimDigest } from "../attestation/claims.ts";
import { outcomeKey, type VerificationOutcome, verificationOutcomeSchema } from "../attestation/outcome.ts";
import type { Judgement } from "../clearing/judgement.ts";
import type { CityClient } from "../client/client.ts";
import { messageDigest } from "../client/sign/sign-message.ts";
import { NO_OUTPUT } from "../execution/claims.ts";
import { jobReceipt } from "../execution/hearing.ts";
import { judgementIn } from "../execution/judging.ts";
import type { Brief, Issuer, Opened, Verifier, Vouched, Vouching } from "../execution/seat.ts";
import { SeatAbsent } from "../minds/absence.ts";
import type { Address } from "../primitives/hex.ts";
import { recoverAddress } from "../primitives/recovery.ts";
import type { CallAnswer, CallRequest } from "../protocol/calls.ts";
import { ITEMS_PER_SLOT } from "../protocol/evidence.ts";
import type { Mailbox } from "./mailbox.ts";
import { boundsOf, grantOrigin, type Outsider, remoteSigning } from "./remote.ts";

/** Extra time for a verifier that has to query a model, seconds. */
const SEMANTIC_SECONDS = 120;

/** A verifier's seat that is reached by calls. */
export function remoteVerifier(outsider: Outsider, mailbox: Mailbox): Verifier {
  const { address } = outsider;
  return {
    ...remoteSigning(outsider, mailbox),
    async judge(brief) {
      const { mission, node, attempt, drawBlock: draw, obligation, kinds } = brief;
      mailbox.grant(
        address,
        brief.works.map(({ handedId }) => handedId),
      );
      const request: CallRequest<"judge"> = {
        ...{ mission, node, attempt, draw, obligation },
        ...(kinds.length === 0 ? {} : { kinds: [...kinds] }),
        ...grantOrigin(mailbox, address, await brief.origin()),
        works: brief.works.map(({ slot, handedId: handed, opening: { salt, outputHash, trailRoot }, items }) => ({
          ...{ slot, handed, salt, outputHash, trailRoot },
          items: items.map((item) => ({ ...item })),
        })),
        refutations: brief.refutations.map((item) => ({ ...item })),
      };
      const check = async (answer: CallAnswer<"judge">) => {
        const said = answer.map(judgementIn);
        return judgementProblem(brief, said) ?? (await brief.problem(address, said));
      };
      // Models are slow.
      const seconds = kinds.includes("semantic") ? SEMANTIC_SECONDS : 0;
      return (await mailbox.ask(outsider, "judge", request, check, { seconds })).map(judgementIn);
    },
    async hear(brief) {
      const { terms, drawBlock: draw, obligation, commissionId: commission, handedId: handed, opening, items, kinds, submittedIn } = brief;
      mailbox.grant(address, [commission, handed]);
      const { salt, outputHash, trailRoot } = opening;
      const work = { handed, salt, outputHash, trailRoot, items: items.map((item) => ({ ...item })) };
      const request: CallRequest<"hear"> = { terms, draw, obligation, commission, work, submittedIn };
      const check = async (answer: CallAnswer<"hear">) => {
        const said = answer.map(judgementIn);
        return judgementProblem({ ...brief, works: [{ slot: 0 }] }, said) ?? brief.problem(address, said);
      };
      const seconds = kinds.includes("semantic") ? SEMANTIC_SECONDS : 0;
      return (await mailbox.ask(outsider, "hear", request, check, { seconds })).map(judgementIn);
    },
  };
}

/** Checks verdicts before they are submitted: one invalid list would make the chain reject the clearing for all. */
function judgementProblem(
  { questions, works, admissible }: Pick<Brief, "questions" | "admissible"> & { readonly works: readonly Pick<Opened, "slot">[] },
  said: readonly Judgement[],
): string | undefined {
  if (said.length !== questions.length || !questions.every((question, place) => said[place]?.question === question))
    return `it has to answer ${questions.join(" and ")}, in this order`;
  const submitted = works.reduce((mask, { slot }) => mask | (1 << slot), 0);
  for (const { question, result, basis, agreeing } of said) {
    if (basis >> BigInt(ITEMS_PER_SLOT * 5) !== 0n || (basis & ~admissible) !== 0n)
      return `${question}: it cites evidence that was not handed in, or is below the law's floor`;
    if ((agreeing & ~submitted) !== 0) return `${question}: it finds slots in agreement that handed in nothing`;
    if (result !== "ABSTAIN" && basis === 0n) return `${question}: a verdict that rests on nothing is an abstention`;
    if (result !== "PASS" && agreeing !== 0) return `${question}: only a PASS finds slots in agreement`;
  }
  return undefined;
}

/** An issuer's seat that is reached by calls. */
export function remoteIssuer(outsider: Outsider & Pick<Issuer, "issues">, mailbox: Mailbox, client: CityClient): Issuer {
  const { address, name, issues } = outsider;
  return {
    ...remoteSigning(outsider, mailbox),
    issues,
    async vouch(work) {
      const { mission, node, attempt, slot, obligation, claim, held, handed } = work;
      const origin = grantOrigin(mailbox, address, await work.origin());
      mailbox.grant(address, [handed.id]);
      const { document } = origin;
      const claimed = { mission, node, attempt, slot, obligation, document, handed: handed.id, held, attestedAt: claim.attested_at };
      const check = async (answer: CallAnswer<"receive">) => {
        const found = vouchedIn(address, answer);
        return typeof found === "string" ? found : vouchingProblem(work, address, found);
      };
      const bounds = boundsOf(work.limits);
      const answer =
        claim.claim_type === "inference"
          ? await mailbox.ask(outsider, "reexecute", { ...claimed, service: work.service.id, ...origin, ...bounds }, check, {
              seconds: MORE_TIME * bounds.seconds,
            })
          : await mailbox.ask(outsider, "receive", claimed, check);
      const found = vouchedIn(address, answer);
      if (typeof found === "string") throw new SeatAbsent(name, "vouch", found);
      return found;
    },
    async refute(work) {
      const { mission, node, attempt, slot, obligation, commitment, claim, service, outputHash } = work;
      const bounds = boundsOf(work.limits);
      const place = { mission, node, attempt, slot, obligation, commitment, attestedAt: claim.attested_at, service: service.id };
      const request = { ...place, ...grantOrigin(mailbox, address, await work.origin()), ...bounds };
      const check = async (answer: CallAnswer<"refute">) => {
        const found = vouchedIn(address, answer);
        return typeof found === "string" ? found : vouchingProblem({ claim, handed: { hash: outputHash } }, address, found);
      };
      const answer = await mailbox.ask(outsider, "refute", request, check, { seconds: MORE_TIME * bounds.seconds });
      const found = vouchedIn(address, answer);
      if (typeof found === "string") throw new SeatAbsent(name, "refute", found);
      return found;
    },
    async acknowledge(work) {
      const { terms, obligation, workId, index } = work;
      mailbox.grant(address, [workId]);
      const { item, message } = jobReceipt(address, work);
      const digest = messageDigest(client, "Evidences", message, client.addresses.ClearingEvaluator);
      const check = async ({ signature }: CallAnswer<"acknowledge">) => {
        const signer = await recoverAddress({ hash: digest, signature }).catch(() => undefined);
        return signer === address ? undefined : "it is not this issuer's signature under this receipt";
      };
      const { signature } = await mailbox.ask(outsider, "acknowledge", { terms, obligation, work: workId, index }, check);
      return { ...item, signature };
    },
  };
}

/** Multiple of the executor's own time limit. */
const MORE_TIME = 4;

/** An issuer's answer with its signing key, or a description of what is wrong with it. */
function vouchedIn(address: Address, { outcome: given, found }: CallAnswer<"receive">): Vouched | string {
  const parsed = verificationOutcomeSchema.safeParse(given);
  if (!parsed.success) return "the outcome has not its form";
  const outcome: VerificationOutcome = parsed.data;
  const key = outcomeKey(outcome, (uncompressed) => publicKeyToAddress(uncompressed) === address);
  return key === undefined ? "the outcome is not signed by this issuer" : { outcome, found, key };
}

/** Checks an outcome: it must be about this claim and agree with its evidence. */
function vouchingProblem(
  { claim, handed }: { readonly claim: Vouching["claim"]; readonly handed: Pick<Vouching["handed"], "hash"> },
  address: Address,
  { outcome, found }: Vouched,
): string | undefined {
  if (outcome.verifier_id !== address) return "the outcome names another issuer";
  if (outcome.evidence["claim_digest"] !== claimDigest(claim)) return "the outcome is of another claim";
  const status = found === NO_OUTPUT ? "unverifiable" : found === handed.hash ? "verified" : "rejected";
  return outcome.status === status ? undefined : `what it found would be ${status}, and the outcome says ${outcome.status}`;
}
