import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentCityError } from "../primitives/errors.ts";
import { writeFileAtomic } from "../primitives/files.ts";
import { parseJson } from "../primitives/json.ts";
import {
  type CodificationApproval,
  type CodificationRequest,
  codificationApprovalSchema,
  codificationRequestSchema,
} from "../protocol/codification-approval.ts";

const FOLDER = "waiting";
const REQUEST = ".request.json";
const APPROVAL = ".approval.json";

/** The file at this place is no request or approval of a codification. */
export class DeskFileBad extends AgentCityError {
  constructor(path: string, cause: unknown) {
    super("DeskFileBad", `${path} is not what a waiting session or an adjudicator writes`, {
      action: "run the mission again: it writes its request anew; sign with npm run approve-codification",
      cause,
    });
  }
}

/** Where sessions that wait for an adjudicator leave what is to be signed, and find the signature: files, to be carried anywhere. */
export class CodificationDesk {
  readonly #folder: string;

  /** `dir` is the network's folder, `.agentcity/embedded`. */
  constructor(dir: string) {
    this.#folder = join(dir, FOLDER);
  }

  /** Leaves the request; the approval, if somebody brought one. */
  async ask(request: CodificationRequest): Promise<CodificationApproval | undefined> {
    const path = this.requestFile(request.session);
    writeFileAtomic(path, `${JSON.stringify(request, null, 2)}\n`);
    const approval = approvalFile(path);
    return existsSync(approval) ? readAs(approval, codificationApprovalSchema) : undefined;
  }

  /** Nobody waits any more. */
  clear(session: bigint): void {
    const path = this.requestFile(session.toString());
    rmSync(path, { force: true });
    rmSync(approvalFile(path), { force: true });
  }

  requestFile(session: string): string {
    return join(this.#folder, `session-${session}${REQUEST}`);
  }

  /** Every request that waits, oldest session first. */
  waiting(): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(REQUEST))
      .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .map((name) => join(this.#folder, name));
  }
}

export function readRequest(path: string): CodificationRequest {
  return readAs(path, codificationRequestSchema);
}

/** Puts the answer beside its request. */
export function writeApproval(requestFile: string, approval: CodificationApproval): string {
  const path = approvalFile(requestFile);
  writeFileAtomic(path, `${JSON.stringify(approval, null, 2)}\n`);
  return path;
}

function approvalFile(requestFile: string): string {
  return requestFile.endsWith(REQUEST) ? `${requestFile.slice(0, -REQUEST.length)}${APPROVAL}` : `${requestFile}${APPROVAL}`;
}

function readAs<Value>(path: string, schema: { parse(value: unknown): Value }): Value {
  try {
    return schema.parse(parseJson(readFileSync(path, "utf8")));
  } catch (error) {
    throw new DeskFileBad(path, error);
  }
}
