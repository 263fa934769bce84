import { join } from "node:path";
import { expect } from "chai";
import { zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { CityRefused } from "../../orchestrator/agent/errors.ts";
import { CityLink } from "../../orchestrator/agent/link.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { signPermit } from "../../orchestrator/city/founding/permit.ts";
import { bindingText, NEWCOMER_STAKE, newcomerDeadline, subAgentBinding } from "../../orchestrator/city/missions/newcomer.ts";
import { type OpenSeats, openSeats } from "../../orchestrator/city/missions/open-seats.ts";
import { signMessage } from "../../orchestrator/client/sign/sign-message.ts";
import { keccak256 } from "../../orchestrator/primitives/hash.ts";
import { KINDS } from "../../orchestrator/protocol/kinds.ts";
import { millis, runUntilAnswering, seatsClock } from "../support/answering-agent.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const secretOf = (name: string) => keccak256(new TextEncoder().encode(`sub-agents: ${name}`));
const keyOf = (name: string) => privateKeyToAccount(secretOf(name));

describe("an agent that another agent makes", function () {
  this.timeout(300_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;

  before(async () => {
    city = await openHome(join(directory(), "home"), "7");
    seats = await openSeats(city, { clock: seatsClock });
    await run("first", { principal: keyOf("owner") });
  });
  after(async () => {
    await seats?.close();
    await city?.close();
  });

  const run = (name: string, by: Partial<Record<"principal" | "creator", ReturnType<typeof keyOf>>>) =>
    runUntilAnswering({ ...{ city: seats.url, key: secretOf(name), folder: join(directory(), name), services: ["sort"] }, ...by });

  /** What `creator` signs, or somebody in its place, so that `agent` becomes its sub-agent. */
  async function request(names: { readonly agent: string; readonly creator: string; readonly signer?: string; readonly payer?: string }) {
    const { client } = city;
    const [agent, creator] = [keyOf(names.agent), keyOf(names.creator)];
    const deadline = await newcomerDeadline(client);
    const { did, binding } = await subAgentBinding(client, { agent: agent.address, creator: creator.address }, deadline);
    const payer = keyOf(names.payer ?? names.creator);
    const [, , value, until, v, r, s] = await signPermit(client, payer, client.agents.address, NEWCOMER_STAKE, deadline);
    return {
      ...{ binding: bindingText(binding), did, permit: { value: String(value), deadline: String(until), v, r, s } },
      byCreator: await signMessage(client, keyOf(names.signer ?? names.creator), "SubAgentBinding", binding),
      byAgent: await signMessage(client, agent, "SubAgentBinding", binding),
    };
  }

  it("is its principal's, on its creator's stake, claims no more than it, and has a seat and a service of its own", async () => {
    const { agents, token, services } = city.client;
    const [first, second, owner] = ["first", "second", "owner"].map((name) => keyOf(name).address);
    if (first === undefined || second === undefined || owner === undefined) throw new Error("three names have three keys");
    const ownersBefore = await token.balanceOf(owner);
    await run("second", { creator: keyOf("first") });
    expect(await agents.principalOf(second)).to.equal(owner);
    expect((await agents.history("SubAgentRegistered", { agent: second })).map(({ args }) => args.creator)).to.deep.equal([first]);
    expect((await agents.stakeOf(second)).held).to.equal(NEWCOMER_STAKE);
    expect(await token.balanceOf(owner)).to.equal(ownersBefore);
    expect(await agents.capabilitiesOf(second)).to.equal(await agents.capabilitiesOf(first));
    expect(await agents.isEligible(second, KINDS.PRODUCER)).to.equal(true);
    expect((await seats.outsiders()).workers.map(({ account }) => account.address)).to.include.members([first, second]);
    expect(await services.history("ServiceRegistered", { owner: second })).to.have.length(1);
    // It comes back as who it is.
    await run("second", {});
    expect(await agents.history("SubAgentRegistered", { agent: second })).to.have.length(1);
  });

  it("is refused without its creator's signature, stake or standing, and for somebody else, at nobody's expense", async () => {
    const { agents, token } = city.client;
    const before = await token.balanceOf(keyOf("first").address);
    const cases = [
      ["a creator that signed nothing", "third", { agent: "third", creator: "first", signer: "third" }],
      ["a stake that its creator did not give", "third", { agent: "third", creator: "first", payer: "third" }],
      ["a creator that is nobody here", "third", { agent: "third", creator: "nobody" }],
      ["somebody else's request", "fourth", { agent: "third", creator: "first" }],
    ] as const;
    for (const [what, sender, names] of cases) {
      const link = new CityLink(seats.url, keyOf(sender), millis);
      await link.card();
      expect(await rejection(link.post("/v1/sub-agents", await request(names))), what).to.be.instanceOf(CityRefused);
      expect(await agents.principalOf(keyOf("third").address), what).to.equal(zeroAddress);
    }
    expect(await token.balanceOf(keyOf("first").address)).to.equal(before);
  });
});
