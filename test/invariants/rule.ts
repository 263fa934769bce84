/** An invariant as code: what must hold whenever something happens, and whenever one looks. */
import type { Chronicle, Happening } from "./chronicle.ts";
import type { Ghost } from "./ghost.ts";
import type { Snapshot } from "./snapshot.ts";
import type { World } from "./world.ts";

export interface Context {
  readonly world: World;
  readonly chronicle: Chronicle;
  readonly ghost: Ghost;
  /** Says that the invariant was put to the test, and whether it held. */
  require(holds: boolean, broken: () => string): void;
}

export interface Rule {
  /** As in `invariants.ts`. */
  readonly invariant: number;
  /** Before the ghost learns of the event. */
  readonly on?: (event: Happening, context: Context) => void | Promise<void>;
  readonly always?: (snapshot: Snapshot, context: Context) => void | Promise<void>;
}
