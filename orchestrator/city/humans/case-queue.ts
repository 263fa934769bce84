import { basename } from "node:path";
import type { CityClient } from "../../client/client.ts";
import { AgentCityError } from "../../primitives/errors.ts";
import { evidenceRoles } from "../../protocol/actions.ts";
import type { WaitingCase } from "../../protocol/waiting-case.ts";
import { casesIn } from "./case-desk.ts";
import { isSeated } from "./petitions.ts";

/** Where cases wait: a network's folder, and the chain that shows whether they still do. */
export interface CaseRoom {
  readonly client: CityClient;
  readonly dir: string;
}

export class NoSuchCase extends AgentCityError {
  constructor(name: string, waiting: readonly string[]) {
    super("NoSuchCase", `No case ${name} waits`, {
      details: `waiting: ${waiting.join(", ") || "none"}`,
      action: "npm run override -- queue lists them",
    });
  }
}

/** A case with the name that the queue gives it. */
export interface NamedCase {
  readonly name: string;
  readonly subject: WaitingCase;
  /** Whether it is up to date: an order on a stale case is refused. */
  readonly current: boolean;
}

/** Everything that waits for adjudicators in this folder, oldest mission first. */
export async function queueOf(room: CaseRoom): Promise<readonly NamedCase[]> {
  const cases = casesIn(room.dir);
  const waiting = cases.list().flatMap((path) => {
    const name = basename(path).replace(/\.case\.json$/, "");
    const subject = cases.read(name);
    return subject === undefined ? [] : [{ name, subject }];
  });
  // Asked at once: a client that gathers views asks the chain once.
  return Promise.all(waiting.map(async (each) => ({ ...each, current: await isCurrent(room, each.subject) })));
}

export async function caseNamed(room: CaseRoom, name: string): Promise<NamedCase> {
  const queue = await queueOf(room);
  const found = queue.find((each) => each.name === name);
  if (found === undefined)
    throw new NoSuchCase(
      name,
      queue.map((each) => each.name),
    );
  return found;
}

async function isCurrent({ client }: CaseRoom, subject: WaitingCase): Promise<boolean> {
  if (subject.kind === "petition") return !(await isSeated(client, subject.petition));
  if (subject.kind === "bloc") return (await client.legislation.history("BlocRuled", { session: BigInt(subject.session) })).length === 0;
  const node = subject.kind === "suspension" ? 0 : subject.node;
  return (await client.mission(subject.mission).caseHash(node)) === subject.caseHash;
}

/** A stranger's words on a line of a terminal. */
export function inPrint(text: string): string {
  return text.replaceAll(/\p{C}/gu, " ");
}

/** A case in one line. */
export function inOneLine({ name, subject, current }: NamedCase): string {
  return `${name} ${current ? "" : "(decided) "}${aboutOf(subject)}`;
}

function aboutOf(subject: WaitingCase): string {
  if (subject.kind === "petition") {
    const { account, office, classes, contact } = subject.petition;
    return `${account} asks to be ${(evidenceRoles[office] ?? "NONE").toLowerCase()}${classes === 0 ? "" : ` of classes ${classes}`} (${inPrint(contact)})`;
  }
  if (subject.kind === "bloc") return `session ${subject.session}: ${subject.flagged} of ${subject.ballots} voters voted alike`;
  if (subject.kind === "suspension") return `mission ${subject.mission} is suspended after an outage of the chain`;
  if (subject.kind === "appeal") {
    const { label, attempt, appeals } = subject;
    return `${label}: ${appeals.length} appeal${appeals.length === 1 ? "" : "s"} on attempt ${attempt + 1}`;
  }
  const { label, reason, quality, risk, deadline, escalated } = subject;
  const until = new Date(1000 * deadline).toISOString();
  return `${label}: ${reason}, quality ${quality.toFixed(2)}, risk ${risk.toFixed(2)}; until ${until}${escalated ? ", backup pool" : ""}`;
}
