import type { MissionView, Verification } from "./view.ts";

export interface Question {
  readonly files: readonly (readonly [path: string, bytes: Uint8Array])[];
}

export interface Opened {
  readonly kind: "opened";
  readonly verification: Verification;
  /** Undefined when the documents cannot be read at all. */
  readonly view: MissionView | undefined;
  readonly unreadable: string | undefined;
  readonly leftToReplay: readonly string[];
}

export type Answer = Opened | { readonly kind: "failed"; readonly problem: string };
