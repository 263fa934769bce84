import type { CityClient } from "../../client/client.ts";
import { isSessionMessageBy } from "../../client/sign/session-message.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { keccak256 } from "../../primitives/hash.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { evidenceRoles } from "../../protocol/actions.ts";
import type { Petition } from "../../protocol/calls.ts";
import { evidenceClasses } from "../../protocol/evidence.ts";
import { EvidenceClass } from "../../rules/admissibility.ts";
import { casesIn } from "./case-desk.ts";

/** Petitions that wait at once. */
const MAX_WAITING = 64;

/** A petition's name in the adjudicators' queue. It includes the whole account, since prefixes can be forged. */
export function petitionName({ petition: { account, office } }: Petition): string {
  return `petition-${(evidenceRoles[office] ?? "NONE").toLowerCase()}-${account.slice(2).toLowerCase()}`;
}

/** Whether the adjudicators have seated who petitions. */
export async function isSeated(
  { evidence }: CityClient,
  { account, office, classes }: Pick<Petition["petition"], "account" | "office" | "classes">,
): Promise<boolean> {
  if (evidenceRoles[office] === "VERIFIER") return (await evidence.weightOf(account)) > 0;
  const asked = evidenceClasses.filter((name) => ((classes >> EvidenceClass[name]) & 1) === 1);
  const may = await Promise.all(asked.map((name) => evidence.mayIssue(account, EvidenceClass[name])));
  return may.length > 0 && may.every((each) => each);
}

/**
 * Adds a petition to the queue of a network's folder, once. `admit` is called before a place in it is taken. Throws PetitionRefused for one
 * that its parties did not sign, or that cannot be granted, and the errors of `admit`.
 */
export async function filePetition(client: CityClient, dir: string, request: Petition, admit: () => Promise<void>): Promise<void> {
  const { petition, byAccount, byPrincipal } = request;
  for (const [who, signature] of [
    [petition.account, byAccount],
    [petition.principal, byPrincipal],
  ] as const)
    if (!(await isSessionMessageBy(client, who, "OfficePetition", petition, signature)))
      throw new PetitionRefused(`${who} did not sign it`);
  const isIssuer = evidenceRoles[petition.office] === "ISSUER";
  const able = (1 << EvidenceClass.ATT) | (1 << EvidenceClass.REC);
  if (isIssuer ? petition.classes === 0 || (petition.classes & ~able) !== 0 : petition.classes !== 0)
    throw new PetitionRefused("an issuer asks for receipts, re-execution or both, a verifier for no class");
  if (!isIssuer && (await client.agents.principalOf(petition.account)) !== petition.principal)
    throw new PetitionRefused("a verifier registers first, with its stake and this principal");
  if (await isSeated(client, petition)) return;
  const cases = casesIn(dir);
  const name = petitionName(request);
  if (cases.read(name) === undefined) {
    const waiting = cases.list().filter((path) => path.includes("/petition-"));
    if (waiting.length >= MAX_WAITING) throw new PetitionRefused(`${MAX_WAITING} petitions wait already`);
    await admit();
  }
  const common = { chainId: client.chain.id, adjudication: client.addresses.AdjudicationProcedure };
  const value = isIssuer ? petition.classes : await newcomersWeight(client);
  cases.write(name, { kind: "petition", ...common, caseHash: keccak256(canonicalBytes(petition)), ...request, value });
}

/** Divisor of the roster's median weight for a new verifier. */
const NEWCOMERS_SHARE = 4;

async function newcomersWeight({ evidence }: CityClient): Promise<number> {
  const registered = await evidence.history("VerifierRegistered");
  const [weights] = await evidence.verifiersOf([...new Set(registered.map(({ args }) => args.verifier))]);
  const sitting = weights.filter((weight) => weight > 0).sort((a, b) => a - b);
  const median = sitting[Math.floor(sitting.length / 2)] ?? NEWCOMERS_SHARE;
  return Math.max(1, Math.floor(median / NEWCOMERS_SHARE));
}

/** Takes petitions that were granted out of the queue. */
export async function clearPetitions(client: CityClient, dir: string): Promise<void> {
  const cases = casesIn(dir);
  for (const path of cases.list().filter((each) => each.includes("/petition-"))) {
    const name =
      path
        .split("/")
        .at(-1)
        ?.replace(/\.case\.json$/, "") ?? "";
    const subject = cases.read(name);
    if (subject?.kind === "petition" && (await isSeated(client, subject.petition))) cases.remove(name);
  }
}

export class PetitionRefused extends AgentCityError {
  constructor(why: string) {
    super("PetitionRefused", `The petition is not taken: ${why}`);
  }
}
