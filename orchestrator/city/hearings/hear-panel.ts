import { TransactionReverted } from "../../chain/errors.ts";
import { intentKey } from "../../chain/outbox.ts";
import { saidSchema } from "../../clearing/findings.ts";
import type { Judgement } from "../../clearing/judgement.ts";
import { askJudge } from "../../clearing/mesh.ts";
import type { CityClient } from "../../client/client.ts";
import { openingUnder } from "../../client/openings.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { provenItem, type SignedItem } from "../../execution/evidence.ts";
import {
  admissibleItems,
  type HearingView,
  judgementsOnJob,
  kindsOf,
  obligationOfJob,
  panelOfHearing,
  problemOfJob,
  type Submitted,
} from "../../execution/hearing.ts";
import { verdictOf } from "../../execution/judging.ts";
import type { JobBrief, Verifier } from "../../execution/seat.ts";
import { unlessAbsent } from "../../minds/absence.ts";
import type { Boundary } from "../../primitives/boundary.ts";
import { type Address, type Hash, hashSchema } from "../../primitives/hex.ts";
import type { JsonObject } from "../../primitives/json.ts";
import type { Progress } from "../../primitives/progress.ts";
import type { BoundaryName } from "../../protocol/boundaries.ts";
import { deliverableOf, questionsOf, termsOnChain } from "../../protocol/hearing.ts";
import type { Commission, HearingTerms } from "../../protocol/hearing-schema.ts";
import type { Answers } from "../../records/answers.ts";
import { clearWaveOf, encodeClearWave } from "../../rules/wire.ts";

/** Work before a panel, with all that it is judged by. */
export interface Delivered {
  readonly terms: HearingTerms;
  readonly commission: Commission;
  readonly work: JsonObject;
  readonly salt: Hash;
  readonly trailRoot: Hash;
  readonly items: readonly SignedItem[];
  readonly commissionId: string;
  readonly handedId: string;
  /** What the escrow says. */
  readonly submitted: Submitted | undefined;
}

/** Whose verdicts of which panel were handed in. */
export interface Spoken {
  readonly panel: number;
  readonly members: readonly Address[];
  /** Somebody who was drawn has not answered. */
  readonly isPartial: boolean;
}

interface Court {
  readonly client: CityClient;
  readonly answers: Answers;
  readonly progress: Progress;
  readonly verifiers: readonly Verifier[];
  readonly boundary: Boundary<BoundaryName>;
}

/** How long a verdict holds, seconds of chain time. */
const VALIDITY = 3_600n;

/** Asks those who were drawn, each for itself, and hands in what they say once that is more than `before`, of the same panel. */
export async function hearPanel(court: Court, key: Hash, delivered: Delivered, view: HearingView, before: Spoken): Promise<Spoken> {
  const { client, verifiers, progress, boundary } = court;
  const { terms } = delivered;
  const said = { ...before, isPartial: true };
  const drawn = await panelOfHearing(client, terms, view);
  // What another hash was submitted for is not what the escrow pays.
  const { submitted } = delivered;
  if (drawn === undefined || submitted?.deliverable !== deliverableOf(delivered.work)) return said;
  const brief = { ...(await briefOf(court, key, delivered, view)), submittedIn: submitted.block };
  const seats = drawn.flatMap((address) => verifiers.filter(({ account }) => account.address === address));
  const heard = await Promise.all(
    seats.map(async (verifier) => {
      const judgements = await unlessAbsent(() => verifier.hear(brief));
      return judgements === undefined ? [] : [{ verifier, judgements }];
    }),
  );
  const voices = heard.flat();
  const members = voices.map(({ verifier }) => verifier.account.address);
  const result = { panel: view.panels, members, isPartial: members.length < drawn.length };
  if (members.length <= said.members.length) return { ...said, isPartial: result.isPartial };
  const signed = await signedBy(client, voices, brief, view);
  if (signed.length < members.length) return said;
  const record = recordOf(delivered, brief, signed);
  await boundary("hearing:judged");
  try {
    const intent = intentKey("hearing", "evaluate", key, view.panels, ...members);
    await client.evaluator.evaluate([termsOnChain(terms), record], { intent });
    progress(`job ${terms.jobId} of ${terms.escrow}: ${members.length} of ${drawn.length} were heard`);
  } catch (error) {
    // Whoever was heard decides nothing yet: that is an answer too.
    if (!(error instanceof TransactionReverted) || error.errorName !== "Undecided") throw error;
    progress(`job ${terms.jobId} of ${terms.escrow}: ${members.length} of ${drawn.length} were heard and decide nothing`);
  }
  await boundary("hearing:evaluated");
  return result;
}

async function briefOf(
  { client, answers, progress }: Court,
  key: Hash,
  delivered: Delivered,
  view: HearingView,
): Promise<Omit<JobBrief, "submittedIn">> {
  const { terms, commission, work, salt, trailRoot, items, commissionId, handedId } = delivered;
  const obligation = obligationOfJob(client, terms);
  const admitted = await admissibleItems(client, terms, items);
  const found = { terms, commission, work, items: admitted };
  return {
    ...{ terms, obligation, commissionId, handedId, items },
    drawBlock: view.drawBlock,
    questions: questionsOf(terms),
    kinds: kindsOf(commission),
    opening: openingUnder({ obligation, outputHash: deliverableOf(work), trailRoot, items }, salt),
    admissible: admitted.reduce((bits, { index }) => bits | (1n << BigInt(index)), 0n),
    conclude: (by, model) =>
      judgementsOnJob(client, found, {
        ...{ verifier: by, obligation },
        // What a model said once it is not asked again: it might say otherwise.
        ask: async (questions) => {
          const place = { session: `hearing ${key}`, agent: by, step: "semantic", round: 0 };
          const kept = await answers.recall(place, saidSchema);
          if (kept !== undefined || model === undefined) return kept;
          const said = await client.chain.clock.hold(() => askJudge(model, questions, progress));
          return said && answers.remember(place, saidSchema, async () => said);
        },
      }),
    problem: (by, said) => problemOfJob(found, said, { verifier: by, obligation }),
  };
}

interface Voice {
  readonly verifier: Verifier;
  readonly judgements: readonly Judgement[];
}

/** Each member's verdicts under its own signature; who does not sign is left out. */
async function signedBy(client: CityClient, voices: readonly Voice[], brief: JobBrief, view: HearingView) {
  const deadline = Number(client.chain.clock.now() + VALIDITY);
  const about = { obligation: brief.obligation, commitment: hashSchema.parse(view.work), draw: view.drawBlock };
  const signed = await Promise.all(
    voices.map(async ({ verifier: { account }, judgements }) => {
      const verdicts = judgements.map((judgement) => verdictOf(judgement, about));
      const message = { verifier: account.address, verdicts, deadline };
      const signature = await unlessAbsent(() => signMessage(client, account, "Verdicts", message, client.addresses.ClearingEvaluator));
      return signature === undefined ? [] : [{ verifier: account.address, verdicts, deadline, signature }];
    }),
  );
  return signed.flat();
}

/** In the bytes that `evaluate` takes: the work opened, the items that verdicts rest on, and the verdicts. */
function recordOf({ items }: Delivered, { obligation, opening }: JobBrief, signed: Awaited<ReturnType<typeof signedBy>>) {
  const basis = signed.flatMap(({ verdicts }) => verdicts).reduce((bits, verdict) => bits | verdict.basis, 0n);
  const proven = items.flatMap(({ index }) => (((basis >> BigInt(index)) & 1n) === 1n ? [provenItem(obligation, items, index)] : []));
  const verdicts = signed.flatMap(({ verdicts: own, ...by }) => own.map((verdict) => ({ ...verdict, ...by })));
  return encodeClearWave(clearWaveOf([{ node: 0, openings: [opening], items: proven, verdicts }]));
}
