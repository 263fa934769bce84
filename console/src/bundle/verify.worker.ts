import "./no-eval.ts";
import { auditDocuments, LEFT_TO_REPLAY, readDocuments } from "../../../orchestrator/city/audit/audit-documents.ts";
import { messageOf } from "../../../orchestrator/primitives/errors.ts";
import type { Answer, Question } from "./messages.ts";
import { type MissionView, viewOf } from "./view.ts";

self.onmessage = async ({ data }: MessageEvent<Question>) => {
  const answer = (message: Answer) => self.postMessage(message);
  try {
    const files = new Map(data.files);
    const verification = await auditDocuments(files);
    let view: MissionView | undefined;
    try {
      view = viewOf(readDocuments(files));
    } catch (error) {
      answer({ kind: "opened", verification, view: undefined, unreadable: messageOf(error), leftToReplay: LEFT_TO_REPLAY });
      return;
    }
    answer({ kind: "opened", verification, view, unreadable: undefined, leftToReplay: LEFT_TO_REPLAY });
  } catch (error) {
    answer({ kind: "failed", problem: messageOf(error) });
  }
};
