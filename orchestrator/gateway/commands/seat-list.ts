import { z } from "zod";
import { CALLS, type CallName } from "../../protocol/calls.ts";
import { type Command, cityCommand } from "../command.ts";
import { address, count, hash } from "../wire.ts";

const callNames = Object.keys(CALLS) as [CallName, ...CallName[]];
const millis = count.meta({ description: "Milliseconds since 1970, by the city's clock" });

export const seatsOutput = z.strictObject({
  /** Whether this city currently asks external agents. */
  isOpen: z.boolean(),
  seats: z.array(
    z.strictObject({
      agent: address,
      principal: address,
      isConnected: z.boolean(),
      /** Time of its last request for calls; null if none since the city opened. */
      seen: millis.nullable(),
      /** The program that asked, by its own unverified account. Null if unstated. */
      build: z.string().nullable(),
      open: z.array(z.strictObject({ id: hash, kind: z.enum(callNames), answerBy: millis })),
      /** Unanswered questions: the city rejected the answer, the agent declined, or no answer came in time. */
      refusals: z.array(z.strictObject({ kind: z.enum(callNames), at: millis, by: z.enum(["city", "agent", "time"]), why: z.string() })),
    }),
  ),
  asOf: millis,
});

export const seatListCommands: readonly Command[] = [
  cityCommand({
    name: "list_seats",
    method: "GET",
    path: "/v1/seats",
    group: "Seats",
    doc: "External agents: when each last requested its calls, its open questions, and unanswered questions with the reason.",
    access: "open",
    isOfFiles: true,
    cost: 5,
    input: z.strictObject({}),
    output: seatsOutput,
    async run({ seats, millis: now }) {
      const asOf = Math.floor(now());
      if (seats === undefined) return { isOpen: false, seats: [], asOf };
      const { mailbox, outsiders } = seats.desk;
      const { workers, verifiers, issuers } = await outsiders();
      const found = [...workers, ...verifiers, ...issuers].map(({ account, principal }) => {
        const { isConnected, seen, build, open, refusals } = mailbox.standingOf(account.address);
        return {
          ...{ agent: account.address, principal, isConnected, build },
          seen: seen === null ? null : Math.floor(seen),
          open: open.map(({ id, kind, answerBy }) => ({ id, kind, answerBy: Math.floor(answerBy) })),
          refusals: refusals.map((each) => ({ ...each, at: Math.floor(each.at) })),
        };
      });
      return { isOpen: true, seats: found, asOf };
    },
  }),
];
