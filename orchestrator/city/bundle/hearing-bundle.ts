import { decodeEventLog, decodeFunctionData, toEventSelector } from "viem";
import { z } from "zod";
import { agreementEscrowAbi } from "../../chain/abi/AgreementEscrow.ts";
import { cityTokenAbi } from "../../chain/abi/CityToken.ts";
import { clearingEvaluatorAbi } from "../../chain/abi/ClearingEvaluator.ts";
import type { Chain } from "../../chain/chain.ts";
import { callsTo } from "../../chain/inner-calls.ts";
import { type Said, saidSchema } from "../../clearing/findings.ts";
import { hashOf, messageOf, signHash } from "../../clearing/seal.ts";
import { publicKeySchema, signatureSchema, verifySignature } from "../../clearing/signature.ts";
import type { CityClient } from "../../client/client.ts";
import { engineOf, sealerOf } from "../../execution/clearing-record.ts";
import { signedItemSchema } from "../../execution/evidence.ts";
import { HEARING_OUTCOMES, obligationOfJob, viewHearing } from "../../execution/hearing.ts";
import { addressSchema } from "../../primitives/address.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { parseContentId } from "../../primitives/hash.ts";
import { type Address, type Hash, type Hex, hashSchema } from "../../primitives/hex.ts";
import { canonicalBytes, parseJsonBytes } from "../../primitives/json.ts";
import { cityAddressesSchema } from "../../protocol/addresses.ts";
import { callScope } from "../../protocol/call-records.ts";
import { CALLS } from "../../protocol/calls.ts";
import { hearingKey } from "../../protocol/hearing.ts";
import { commissionSchema, type HearingTerms, hearingTermsSchema } from "../../protocol/hearing-schema.ts";
import { writeBundle } from "../../records/bundle.ts";
import type { BundleManifest } from "../../records/bundle-manifest.ts";
import { decodeClearWave } from "../../rules/wire.ts";
import type { City } from "../city.ts";
import { memberOf } from "../founding/society.ts";
import { hearingFile, hearingsFolder, readHearing } from "../hearings/kept-hearing.ts";
import { BUNDLE_FILES } from "./bundle-layout.ts";

/** Beside the chain's transcript: what a panel of the city judged of a job, and what came of it. */
export const HEARING_FILE = "hearing.json";

const share = z.int().min(0).max(10_000);
const decimal = z.string().regex(/^(?:0|[1-9]\d*)$/);

const verdictSchema = z.strictObject({
  verifier: addressSchema,
  question: z.int().min(0).max(1),
  result: z.int().min(0).max(2),
  confidence: share,
  score: share,
  /** Bit per item. */
  basis: decimal,
});

/** What the chain says of a hearing, from its first panel to the money. */
const courseSchema = z.strictObject({
  panels: z.array(z.strictObject({ panel: z.int(), drawBlock: z.int(), closesAt: z.int() })).readonly(),
  decisions: z
    .array(
      z.strictObject({
        panel: z.int(),
        outcome: z.enum(HEARING_OUTCOMES),
        confidence: share,
        score: share,
        class: z.int(),
        basis: decimal,
        isComplete: z.boolean(),
        /** What was handed in; null where another contract handed it in and the chain's node traces no calls. */
        verdicts: z.array(verdictSchema).readonly().nullable(),
      }),
    )
    .readonly(),
  challenge: z.strictObject({ party: addressSchema, bond: decimal }).nullable(),
  end: z
    .strictObject({
      outcome: z.enum(HEARING_OUTCOMES),
      share,
      reason: hashSchema,
      /** Back to whoever had challenged, or to the other party. */
      bond: z.strictObject({ to: addressSchema, bond: decimal }).nullable(),
      /** What the escrow says that it released and refunded, and what left it, with the same transaction. */
      moved: z
        .array(z.strictObject({ what: z.enum(["released", "refunded", "transferred"]), to: addressSchema, amount: decimal }))
        .readonly(),
    })
    .nullable(),
});
export type HearingCourse = z.output<typeof courseSchema>;

const recordSchema = z.strictObject({
  chainId: z.int().positive(),
  addresses: cityAddressesSchema,
  terms: hearingTermsSchema,
  commission: commissionSchema,
  /** Null where none came here. */
  work: z
    .strictObject({
      output: z.record(z.string(), z.json()),
      salt: hashSchema,
      trailRoot: hashSchema,
      items: z.array(signedItemSchema).readonly(),
    })
    .nullable(),
  /** What verifiers' models answered about it, by verifier. */
  said: z.record(addressSchema, saidSchema),
  course: courseSchema,
});
export type HearingRecord = z.output<typeof recordSchema>;

/** `hearing.json`: the record under the signature of the city's engine. */
export const hearingFileSchema = z.strictObject({
  engine: publicKeySchema,
  clearing_engine: z.string(),
  record: recordSchema,
  signature: signatureSchema,
});
export type HearingFile = z.output<typeof hearingFileSchema>;

/** Whether the engine that a hearing's file names signed it. Whether that one is the city's, the chain says. */
export function isHearingSigned({ engine, record, signature }: HearingFile): boolean {
  return verifySignature(engine, messageOf("hearing", hashOf(record)), signature);
}

/** The job is not over, or was never brought before a panel here. */
export class HearingNotOver extends AgentCityError {
  constructor(key: Hash) {
    super("HearingNotOver", "No finished hearing of this city has that key", {
      details: key,
      action: "give the key of list_hearings, once get_hearing says isClosed",
    });
  }
}

/** Writes what a panel judged of a job that is over into one directory, with the chain up to now. Throws HearingNotOver. */
export async function writeHearingBundle(city: City, key: Hash, directory: string): Promise<BundleManifest> {
  const { client, blocks, chain, society } = city;
  const kept = readHearing(hearingFile(hearingsFolder(city.dir), key));
  if (kept === undefined || !(await viewHearing(client, kept.terms)).isClosed) throw new HearingNotOver(key);
  const { terms, delivered } = kept;
  const read = (id: string) => parseJsonBytes(blocks.get(parseContentId(id)));
  const head = chain.head();
  const course = await courseOf(client, terms);
  const record: HearingRecord = recordSchema.parse({
    ...{ chainId: chain.id, addresses: client.addresses, terms, commission: read(kept.commission) },
    work:
      delivered === null
        ? null
        : { output: read(delivered.handed), salt: delivered.salt, trailRoot: delivered.trailRoot, items: delivered.items },
    said: await saidAbout(city, key, terms, course),
    course,
  });
  const runner = memberOf(society, "runner");
  const signer = sealerOf(engineOf(runner.account.address), runner.seal());
  const signature = signHash(signer, "hearing", hashOf(record));
  const file: HearingFile = { engine: signer.key, clearing_engine: signer.id, record, signature };
  return writeBundle(
    directory,
    new Map<string, Uint8Array | string>([
      [BUNDLE_FILES.chain, chain.transcript(head)],
      [HEARING_FILE, canonicalBytes(file)],
    ]),
  );
}

/** What models answered: those of the city's own verifiers as it was kept when they were asked, those of others as they said it in their answers. */
async function saidAbout(
  { answers, calls, client }: City,
  key: Hash,
  terms: HearingTerms,
  course: HearingCourse,
): Promise<Record<Address, Said>> {
  const { decisions } = course;
  const verifiers = new Set(decisions.flatMap(({ verdicts }) => (verdicts ?? []).map(({ verifier }) => verifier)));
  const found: Record<Address, Said> = {};
  for (const agent of verifiers) {
    const said = await answers.recall({ session: `hearing ${key}`, agent, step: "semantic", round: 0 }, saidSchema);
    if (said !== undefined) found[agent] = said;
  }
  for (const { kind, to, answered } of await calls.about([callScope("obligation", obligationOfJob(client, terms))])) {
    if (kind !== "hear" || answered === undefined) continue;
    const findings = CALLS.hear.answer.parse(answered.answer).flatMap((judgement) => judgement.findings ?? []);
    const said = findings.find((finding) => finding.said !== undefined)?.said;
    if (said !== undefined) found[to] = said;
  }
  return found;
}

/** The course of a hearing, from its evaluator's events and what they were made by. */
export async function courseOf(client: CityClient, terms: HearingTerms): Promise<HearingCourse> {
  const { chain, evaluator } = client;
  const { publicClient } = chain;
  const key = hearingKey(terms.escrow, BigInt(terms.jobId));
  const [drawn, decided, challenged, bonds, ended] = await Promise.all([
    evaluator.history("PanelDrawn", { key }),
    evaluator.history("Decided", { key }),
    evaluator.history("Challenged", { key }),
    evaluator.history("BondCredited", { key }),
    evaluator.history("Finalised", { key }),
  ]);
  const outcomeAt = (place: number) => HEARING_OUTCOMES[place] ?? "NONE";
  const [end] = ended;
  const [bond] = bonds;
  const [challenge] = challenged;
  return courseSchema.parse({
    panels: drawn.map(({ args }) => ({ panel: args.panel, drawBlock: Number(args.drawBlock), closesAt: args.closesAt })),
    decisions: await Promise.all(
      decided.map(async ({ args, transactionHash }, place) => ({
        ...{ panel: args.panel, outcome: outcomeAt(args.outcome), confidence: args.confidence, score: args.score },
        ...{ class: args.class, basis: args.basis.toString(), isComplete: args.complete },
        verdicts: verdictsIn((await handedInWith(client, key, transactionHash))?.[placeAmong(decided, place)]),
      })),
    ),
    challenge: challenge === undefined ? null : { party: challenge.args.party, bond: challenge.args.bond.toString() },
    end:
      end === undefined
        ? null
        : {
            ...{ outcome: outcomeAt(end.args.outcome), share: end.args.share, reason: end.args.reason },
            bond: bond === undefined ? null : { to: bond.args.to, bond: bond.args.bond.toString() },
            moved: await movedBy({ publicClient }, terms, end.transactionHash),
          },
  });
}

/**
 * What a transaction handed in for each of its decisions about a job, in their order, whether or not through other contracts: `evaluate` decides
 * once a call. Undefined if the node traces no calls.
 */
export async function handedInWith(
  { chain, evaluator }: Pick<CityClient, "chain" | "evaluator">,
  key: Hash,
  hash: Hash,
): Promise<readonly Hex[] | undefined> {
  const inputs = await callsTo(chain, evaluator.address, hash);
  return inputs?.flatMap((data) => {
    const { functionName, args } = decodeFunctionData({ abi: clearingEvaluatorAbi, data });
    return functionName === "evaluate" && hearingKey(args[0].escrow, args[0].jobId) === key ? [args[1]] : [];
  });
}

/** Which of its transaction's decisions one is. */
function placeAmong(decided: readonly { readonly transactionHash: Hash }[], place: number): number {
  return decided.slice(0, place).filter(({ transactionHash }) => transactionHash === decided[place]?.transactionHash).length;
}

function verdictsIn(record: Hex | undefined): HearingCourse["decisions"][number]["verdicts"] {
  if (record === undefined) return null;
  return decodeClearWave(record).verifiers.flatMap(({ verifier, verdicts }) =>
    verdicts.flatMap((verdict) => {
      if (typeof verdict === "string") return [];
      const { question, result, confidence, score, basis } = verdict;
      return [{ verifier: addressSchema.parse(verifier), question, result, confidence, score, basis: basis.toString() }];
    }),
  );
}

const MOVES = {
  [toEventSelector("PaymentReleased(uint256,address,uint256)")]: "released",
  [toEventSelector("Refunded(uint256,address,uint256)")]: "refunded",
} as const;
const TRANSFER = toEventSelector("Transfer(address,address,uint256)");

/** What the escrow's own events of the job, as the draft ERC-8183 has them, and its tokens say of one transaction. */
async function movedBy({ publicClient }: Pick<Chain, "publicClient">, { escrow, jobId }: HearingTerms, hash: Hash) {
  const { logs } = await publicClient.getTransactionReceipt({ hash });
  return logs.flatMap(({ address, topics, data }) => {
    const what = topics[0] === undefined ? undefined : MOVES[topics[0]];
    if (what !== undefined && address.toLowerCase() === escrow.toLowerCase()) {
      const { args } = decodeEventLog({ abi: agreementEscrowAbi, topics, data });
      const to = "provider" in args ? args.provider : "client" in args ? args.client : undefined;
      const isThis = "jobId" in args && args.jobId === BigInt(jobId);
      return isThis && to !== undefined && "amount" in args ? [{ what, to, amount: args.amount.toString() }] : [];
    }
    if (topics[0] !== TRANSFER || topics.length !== 3) return [];
    const { args } = decodeEventLog({ abi: cityTokenAbi, eventName: "Transfer", topics, data });
    if (args.from.toLowerCase() !== escrow.toLowerCase()) return [];
    return [{ what: "transferred", to: args.to, amount: args.value.toString() }];
  });
}
