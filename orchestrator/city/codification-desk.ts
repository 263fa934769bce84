import {
  type CodificationApproval,
  type CodificationRequest,
  codificationApprovalSchema,
  codificationRequestSchema,
} from "../protocol/codification-approval.ts";
import { readWaiting, WaitingFiles, writeWaiting } from "./waiting.ts";

const REQUEST = ".request.json";
const APPROVAL = ".approval.json";

/** Where sessions that wait for an adjudicator leave what is to be signed, and find the signature. */
export class CodificationDesk {
  readonly #requests: WaitingFiles<CodificationRequest>;
  readonly #approvals: WaitingFiles<CodificationApproval>;

  /** `dir` is the network's folder, `.agentcity/embedded`. */
  constructor(dir: string) {
    this.#requests = new WaitingFiles(dir, REQUEST, codificationRequestSchema);
    this.#approvals = new WaitingFiles(dir, APPROVAL, codificationApprovalSchema);
  }

  /** Leaves the request; the approval, if somebody brought one. */
  async ask(request: CodificationRequest): Promise<CodificationApproval | undefined> {
    this.#requests.write(nameOf(request.session), request);
    return this.#approvals.read(nameOf(request.session));
  }

  /** Nobody waits any more. */
  clear(session: bigint): void {
    this.#requests.remove(nameOf(session));
    this.#approvals.remove(nameOf(session));
  }

  requestFile(session: string): string {
    return this.#requests.pathOf(nameOf(session));
  }

  /** Every request that waits, oldest session first. */
  waiting(): readonly string[] {
    return this.#requests.list();
  }
}

const nameOf = (session: string | bigint) => `session-${session}`;

export function readRequest(path: string): CodificationRequest {
  return readWaiting(path, codificationRequestSchema);
}

/** Puts the answer beside its request, wherever that was carried. */
export function writeApproval(requestFile: string, approval: CodificationApproval): string {
  const stem = requestFile.endsWith(REQUEST) ? requestFile.slice(0, -REQUEST.length) : requestFile;
  return writeWaiting(`${stem}${APPROVAL}`, approval);
}
