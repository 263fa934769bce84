import type { City } from "../city/city.ts";
import { type Gateway, serveGateway } from "../gateway/serve.ts";
import { version } from "./version.ts";
import { wallTime } from "./wall-time.ts";

export interface Serving {
  readonly port: number;
  readonly publicUrl?: string | undefined;
  readonly origins?: readonly string[];
}

/** Serves a city that is open in this process, by the machine's own clock. */
export async function serveCity(city: City, serving: Serving): Promise<Gateway> {
  const gateway = await serveGateway(city, { ...serving, version: version(), millis: wallTime.millis, sleep: wallTime.sleep });
  city.tell(`the gateway is at ${gateway.url} (reference: ${gateway.url}/docs)`);
  return gateway;
}

/** Until the process is stopped; the server keeps it alive. */
export async function forEver(): Promise<never> {
  return new Promise<never>(() => {});
}
