import type { LocalAccount } from "viem";
import { CodificationDesk, readRequest, writeApproval } from "../city/codification-desk.ts";
import { devnetSociety, membersOf } from "../city/society.ts";
import { compileLaw } from "../client/compile-law.ts";
import { codificationTypedData, signCodification } from "../client/sign/codification.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { CodificationRequest } from "../protocol/codification-approval.ts";
import { lawInWords, messageInWords } from "./codification-screen.ts";
import { home } from "./home.ts";
import { signerAccount } from "./keys.ts";

/** Chain id of a devnet: the only one whose keys everybody knows. */
const DEVNET = 31337;

export interface ApproveOptions {
  readonly network: string;
  readonly as?: string;
  readonly because: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export class NothingWaits extends AgentCityError {
  constructor(dir: string) {
    super("NothingWaits", "No session waits for an adjudicator", {
      details: `looked in ${dir}`,
      action: "name the request's file, or run a mission of HIGH risk first",
    });
  }
}

export class WhichOne extends AgentCityError {
  constructor(files: readonly string[]) {
    super("WhichOne", `${files.length} sessions wait for an adjudicator`, { details: files.join("\n"), action: "name one of the files" });
  }
}

/** The request says one law and shows another. */
export class RequestForged extends AgentCityError {
  constructor(asked: string, compiled: string) {
    super("RequestForged", "The document of this request is not the law it asks a signature for", {
      details: `asks for ${asked}, the document compiles to ${compiled}`,
      action: "do not sign; ask whoever gave you the file",
    });
  }
}

export class NoSuchAdjudicator extends AgentCityError {
  constructor(name: string, problem: string) {
    super("NoSuchAdjudicator", `Cannot sign as ${name}: ${problem}`, {
      action: "on a devnet --as adjudicator-1 … adjudicator-7; elsewhere AGENTCITY_ADJUDICATOR_KEY or AGENTCITY_KEYSTORE",
    });
  }
}

/** Reads a waiting session's law, shows what is to be signed, signs it, and leaves the signature where the mission finds it. */
export async function approveCodification(file: string | undefined, options: ApproveOptions): Promise<void> {
  const { because, json = false } = options;
  const path = file ?? onlyWaiting(home(options.network).dir);
  const request = readRequest(path);
  const { specHash } = compileLaw(request.document);
  if (specHash !== request.specHash) throw new RequestForged(request.specHash, specHash);
  process.stderr.write(`${lawInWords(request)}\n\n${messageInWords(request, because)}\n  because        ${because}\n\n`);
  if (options.dryRun === true) {
    if (json) process.stdout.write(`${JSON.stringify(codificationTypedData(request, because), bigintsAsText)}\n`);
    return;
  }
  const approval = await signCodification(signerFor(request, options.as), request, because);
  const written = writeApproval(path, approval);
  if (json) process.stdout.write(`${JSON.stringify({ status: "signed", file: written, approval })}\n`);
  else process.stdout.write(`signed by ${approval.adjudicator}: ${written}\nnow run the mission again: its session goes on\n`);
}

function onlyWaiting(dir: string): string {
  const files = new CodificationDesk(dir).waiting();
  const [only] = files;
  if (only === undefined) throw new NothingWaits(dir);
  if (files.length > 1) throw new WhichOne(files);
  return only;
}

/** A key from the environment, or on a devnet the named adjudicator's. */
function signerFor({ chainId }: CodificationRequest, name: string | undefined): LocalAccount {
  if (name === undefined) return signerAccount("AGENTCITY_ADJUDICATOR_KEY", "adjudicator");
  if (chainId !== DEVNET) throw new NoSuchAdjudicator(name, `development keys sign on chain ${DEVNET} only, this is ${chainId}`);
  const member = membersOf(devnetSociety(), "adjudicator").find((each) => each.name === name);
  if (member === undefined) throw new NoSuchAdjudicator(name, "there is no such seat");
  return member.account;
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
