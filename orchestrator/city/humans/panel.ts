import type { Panel } from "../../adjudication/act.ts";
import { justificationBytes } from "../../client/sign/codification.ts";
import type { City } from "../city.ts";
import { membersOf } from "../founding/society.ts";

/** The adjudicators whose keys a devnet city has. */
export function panelOf({ client, society, blocks }: City): Panel {
  return { client, seats: membersOf(society, "adjudicator"), keep: (text) => blocks.put(justificationBytes(text)) };
}
