import {
  type CodificationApproval,
  type CodificationRequest,
  codificationApprovalSchema,
  codificationRequestSchema,
} from "../../protocol/codification-approval.ts";
import { readWaiting, WaitingFiles, writeWaiting } from "./waiting.ts";

const REQUEST = ".request.json";
const APPROVAL = ".approval.json";

/** Where waiting sessions leave the request to be signed, and find the adjudicator's signature. */
export class CodificationDesk {
  readonly #requests: WaitingFiles<CodificationRequest>;
  readonly #approvals: WaitingFiles<CodificationApproval>;

  /** `dir` is the network's folder, `.agentcity/embedded`. */
  constructor(dir: string) {
    this.#requests = new WaitingFiles(dir, REQUEST, codificationRequestSchema);
    this.#approvals = new WaitingFiles(dir, APPROVAL, codificationApprovalSchema);
  }

  /** Leaves the request and returns the approval, if there is one. */
  async ask(request: CodificationRequest): Promise<CodificationApproval | undefined> {
    this.#requests.write(nameOf(request.session), request);
    return this.#approvals.read(nameOf(request.session));
  }

  /** Removes a request that is no longer waiting. */
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

/** Writes the answer next to its request, wherever the file was moved. */
export function writeApproval(requestFile: string, approval: CodificationApproval): string {
  const stem = requestFile.endsWith(REQUEST) ? requestFile.slice(0, -REQUEST.length) : requestFile;
  return writeWaiting(`${stem}${APPROVAL}`, approval);
}
