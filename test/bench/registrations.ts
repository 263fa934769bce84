import { id, ZeroHash } from "ethers";
import { loadCity, tokens } from "../support/city-fixture.ts";
import { gasOf, type Samples } from "./meter.ts";

const AGENTS = 6;
const STAKE = tokens(5000);

/** Agents of two principals come in with their stake and register a service each; the agent sends, its principal signs. */
export async function registrations(): Promise<Samples> {
  const city = await loadCity();
  const principals = [await city.account("principal 0"), await city.account("principal 1")] as const;
  for (const principal of principals) await city.fund(principal, city.addresses.PRODUCERS, 100n * STAKE);
  const samples = { "register-agent": [] as number[], "register-service": [] as number[] };
  for (let i = 0; i < AGENTS; i++) {
    const principal = principals[i % 2 === 0 ? 0 : 1];
    const agent = await city.account(`agent ${i}`);
    // As the city's clients name agents.
    const name = `did:pkh:eip155:31337:${agent.address}`;
    const { message, did, byPrincipal } = await city.binding(agent, principal, { stake: STAKE, did: name });
    samples["register-agent"].push(await gasOf(city.producers.connect(agent).register(message, did, byPrincipal, "0x")));
    const auth = { agent: agent.address, deadline: message.deadline, signature: "0x" };
    const endpoint = `https://agents.example/${i}/tasks`;
    const registered = city.services.connect(agent).registerService(id(`code ${i}`), id("schema"), endpoint, ZeroHash, auth);
    samples["register-service"].push(await gasOf(registered));
  }
  return samples;
}
