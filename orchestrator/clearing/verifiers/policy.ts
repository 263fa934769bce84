import type { JsonValue } from "../../primitives/json.ts";
import type { BoundObligation } from "../bind.ts";
import { type CaseFile, type Check, conclude, fieldOf, itemsOfType, type Seat, type Verifier } from "./verifier.ts";

/** An agent's permissions: an AP2-style mandate (RAILS 9.3). An absent limit permits nothing of its kind. */
export interface Mandate {
  readonly actions?: readonly string[];
  readonly counterparties?: readonly string[];
  readonly ceiling?: number;
}

export interface PolicySeat extends Seat {
  /** Source of the authority: an item of this type, or the signed obligation. */
  readonly authority: string | ((obligation: BoundObligation) => Mandate);
  /** Items that describe the action: `action`, `counterparty`, `amount`. The authority item itself may do so. */
  readonly actions: readonly string[];
}

/** Whether the agent stayed within its mandate, independent of the work's quality. */
export function policyVerifier(seat: PolicySeat): Verifier {
  return {
    ...seat,
    role: "policy",
    examine(file) {
      const done = itemsOfType(file, seat.actions, seat.answers);
      const { mandates, items } = authorityOf(seat, file);
      const checks = mandates.flatMap((mandate) => done.flatMap(({ item }) => within(mandate, item.content)));
      return conclude(seat, [...items, ...done], checks);
    },
  };
}

function authorityOf(
  { authority, answers }: PolicySeat,
  file: CaseFile,
): { mandates: readonly Mandate[]; items: ReturnType<typeof itemsOfType> } {
  if (typeof authority !== "string") return { mandates: [authority(file.obligation)], items: [] };
  const items = itemsOfType(file, [authority], answers);
  return { mandates: items.map(({ item }) => mandateOf(item.content)), items };
}

function within(mandate: Mandate, content: JsonValue | undefined): Check[] {
  const [action, counterparty, amount] = ["action", "counterparty", "amount"].map((field) => fieldOf(content, field));
  return [
    ...(action === undefined ? [] : [listed("action", action, mandate.actions)]),
    ...(counterparty === undefined ? [] : [listed("counterparty", counterparty, mandate.counterparties)]),
    ...(amount === undefined
      ? []
      : [
          {
            holds: typeof amount === "number" && amount <= (mandate.ceiling ?? 0),
            why: `amount ${JSON.stringify(amount)}, ceiling ${mandate.ceiling ?? 0}`,
          },
        ]),
  ];
}

function listed(what: string, value: JsonValue, allowed: readonly string[] = []): Check {
  return {
    holds: typeof value === "string" && allowed.includes(value),
    why: `${what} ${JSON.stringify(value)}, allowed: ${allowed.join(", ") || "none"}`,
  };
}

function mandateOf(content: JsonValue | undefined): Mandate {
  const object = fieldOf(content, "mandate");
  const read = (key: string) => fieldOf(object, key);
  const strings = (value: JsonValue | undefined) =>
    Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
  const ceiling = read("ceiling");
  return {
    actions: strings(read("actions")),
    counterparties: strings(read("counterparties")),
    ...(typeof ceiling === "number" ? { ceiling } : {}),
  };
}
