/**
 * Reads a city: who produces in it, and which missions it made.
 *
 * usage: node read-a-city.ts <city.json>      .agentcity/embedded/city.json while a city runs
 */
import { createAgentCityClient } from "agentcity";
import { connect } from "./connect.ts";

const city = createAgentCityClient(connect(process.argv[2]));

const producers = await city.agents.activeProducers();
console.log(`producers: ${producers}`);
/** In the contracts' list of kinds; the others hold offices, judge or verify. */
const PRODUCER = 1;
for (const { args } of await city.agents.history("AgentRegistered"))
  if (args.kind === PRODUCER) console.log(`  ${args.agent} of ${args.principal}, reputation ${await city.agents.reputationOf(args.agent)}`);
const missions = await city.templates.history("MissionDeployed");
console.log(`missions: ${missions.length}`);
for (const { args, blockNumber } of missions) {
  const { deposit, paid, fees } = await city.mission(args.mission).ledger();
  console.log(
    `  ${args.mission} since block ${blockNumber}: deposit ${Number(deposit) / 1e6} tokens, paid ${Number(paid) / 1e6}, fees ${Number(fees) / 1e6}`,
  );
}
