import type { JsonValue } from "../../primitives/json.ts";
import type { BoundObligation } from "../bind.ts";
import type { AdmittedItem } from "../ingest.ts";
import type { VerdictName } from "../verifier-output.ts";
import { abstain, type Seat, type Verifier } from "./verifier.ts";

/** A judge's only access to evidence. What it opens becomes its basis, including self-reports. */
export interface Reader {
  /** The available items, without their content. */
  readonly catalogue: readonly { readonly id: string; readonly type: string; readonly class: string }[];
  open(id: string): JsonValue | undefined;
}

export interface Opinion {
  readonly verdict: VerdictName;
  /** Basis points. */
  readonly confidence: number;
  readonly rationale: string;
}

/** Port to a mind or a chat model that judges open-ended work. */
export type Judge = (obligation: BoundObligation, reader: Reader) => Opinion | Promise<Opinion>;

/**
 * Open-ended judgement. A judge can be deceived, but cannot omit what it read from its basis, which the reader records (RAILS 10.2). An
 * opinion without reading does not count.
 */
export function semanticVerifier(seat: Seat & { readonly judge: Judge }): Verifier {
  return {
    ...seat,
    role: "semantic",
    async examine({ obligation, envelope }) {
      const items = [...envelope.items.values()];
      const opened = new Map<string, AdmittedItem>();
      const { verdict, confidence, rationale } = await seat.judge(obligation, {
        catalogue: items.map(({ item: { id, type }, class: proven }) => ({ id, type, class: proven })),
        open(id) {
          const found = items.find(({ item }) => item.id === id);
          if (found !== undefined) opened.set(id, found);
          return found?.item.content;
        },
      });
      if (opened.size === 0) return abstain("the judge read nothing");
      const loss = verdict === "FAIL" && seat.loss !== undefined ? { loss: seat.loss } : {};
      return { verdict, confidence, rationale, basis: [...opened.values()], ...loss };
    },
  };
}
