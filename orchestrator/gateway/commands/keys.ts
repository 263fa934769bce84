import { z } from "zod";
import { type Command, command } from "../command.ts";
import { Refused } from "../errors.ts";
import { address, seconds } from "../wire.ts";

/** Commands about a key's relation to the gateway. */
export const keyCommands: readonly Command[] = [
  command({
    name: "open_session",
    method: "POST",
    path: "/v1/session",
    group: "Sessions of keys",
    doc: "A bearer token, valid for fifteen minutes, for the key that signed this request. It grants the key's read access, and never writes.",
    access: "signed",
    cost: 20,
    input: z.strictObject({}),
    output: z.strictObject({ bearer: z.string(), key: address, expires: seconds }),
    async run({ openSession }, _, { key }) {
      if (key === undefined) throw new Refused("SignatureMissing", "A session is opened by a signed request");
      return { key, ...openSession(key) };
    },
  }),
  command({
    name: "get_session_key",
    method: "GET",
    path: "/v1/session",
    group: "Sessions of keys",
    doc: "The key that this request stands for.",
    access: "bearer",
    cost: 1,
    input: z.strictObject({}),
    output: z.strictObject({ key: address }),
    async run(_, __, { key }) {
      if (key === undefined) throw new Refused("BearerUnknown", "This request is not authenticated");
      return { key };
    },
  }),
];
