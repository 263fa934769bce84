import { CodificationDesk, readRequest, writeApproval } from "../city/humans/codification-desk.ts";
import { compileLaw } from "../client/compile-law.ts";
import { codificationTypedData, signCodification } from "../client/sign/codification.ts";
import { AgentCityError } from "../primitives/errors.ts";
import { lawInWords, messageInWords } from "./codification-screen.ts";
import { home } from "./home.ts";
import { adjudicatorAccount } from "./keys.ts";
import { typedPath } from "./shell.ts";

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

/** A request's document is not the law that it asks a signature for. */
export class RequestForged extends AgentCityError {
  constructor(asked: string, compiled: string) {
    super("RequestForged", "The document of this request is not the law it asks a signature for", {
      details: `asks for ${asked}, the document compiles to ${compiled}`,
      action: "do not sign; ask the person who gave you the file",
    });
  }
}

/** Shows a waiting session's law and message, signs it, and stores the signature where the mission finds it. */
export async function approveCodification(file: string | undefined, options: ApproveOptions): Promise<void> {
  const { because, json = false } = options;
  const path = file === undefined ? onlyWaiting(home(options.network).dir) : typedPath(file);
  const request = readRequest(path);
  const { specHash } = compileLaw(request.document);
  if (specHash !== request.specHash) throw new RequestForged(request.specHash, specHash);
  process.stderr.write(`${lawInWords(request)}\n\n${messageInWords(request, because)}\n  because        ${because}\n\n`);
  if (options.dryRun === true) {
    if (json) process.stdout.write(`${JSON.stringify(codificationTypedData(request, because), bigintsAsText)}\n`);
    return;
  }
  const approval = await signCodification(adjudicatorAccount(request.chainId, options.as), request, because);
  const written = writeApproval(path, approval);
  if (json) process.stdout.write(`${JSON.stringify({ status: "signed", file: written, approval })}\n`);
  else process.stdout.write(`signed by ${approval.adjudicator}: ${written}\nnow run the mission again to continue its session\n`);
}

function onlyWaiting(dir: string): string {
  const files = new CodificationDesk(dir).waiting();
  const [only] = files;
  if (only === undefined) throw new NothingWaits(dir);
  if (files.length > 1) throw new WhichOne(files);
  return only;
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
