import { z } from "zod";
import type { City } from "../city.ts";

const decimalSchema = z.string().regex(/^\d+$/);

/** The chain's head when a session was first asked for; the same when its process is killed and it is asked for again. */
export async function startBlockOf(city: City, session: string): Promise<bigint> {
  const head = () => Promise.resolve(city.chain.head().number.toString());
  return BigInt(await city.answers.remember({ session, agent: "", step: "from-block", round: 0 }, decimalSchema, head));
}
