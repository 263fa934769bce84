/** Measures every operation and prints its samples as JSON. Started by `npm run bench`, on what production compiles to. */
import { ballots } from "./ballots.ts";
import { governor } from "./governor.ts";
import { jobs } from "./jobs.ts";
import type { Samples } from "./meter.ts";
import { deployments, missions } from "./missions.ts";
import { registrations } from "./registrations.ts";

/** In the order in which their fixtures build on each other: a snapshot once passed cannot be returned to. */
const suites: Record<string, () => Promise<Samples>> = { registrations, deployments, ballots, missions, governor, jobs };
const samples: Samples = {};
for (const [name, measure] of Object.entries(suites)) {
  console.error(`measuring ${name} …`);
  Object.assign(samples, await measure());
}
console.log(JSON.stringify(samples));
