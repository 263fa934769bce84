import { expect } from "chai";
import { deployLaw } from "../../deploy/genesis.ts";
import { isSessionMessageBy, signSessionMessage } from "../../orchestrator/client/sign/session-message.ts";
import { foundingHash, sessionDomain } from "../../orchestrator/protocol/session-messages.ts";
import { loadWiredCity, parameterValues } from "../support/city-fixture.ts";
import { hashOf, keyOf } from "../support/living-city.ts";

describe("messages of a session", () => {
  it("hold in the city they were signed for, and in no other of the same chain (decision 86)", async () => {
    const { port, built } = await loadWiredCity();
    const other = await deployLaw(port, { mandate: "Another city.", mandateDigest: hashOf("another"), parameters: parameterValues() });
    const [here, there] = [built, other].map((addresses) => ({ chain: { id: 31337 }, addresses }));
    if (here === undefined || there === undefined) throw new Error("two cities were founded");
    const agent = keyOf("agent");
    const speech = { session: 1n, agent: agent.address, round: 1, turn: 0, content: hashOf("I agree.") };
    const signature = await signSessionMessage(here, agent, "Speech", speech);
    expect(await isSessionMessageBy(here, agent.address, "Speech", speech, signature)).to.equal(true);
    expect(await isSessionMessageBy(there, agent.address, "Speech", speech, signature)).to.equal(false);
  });

  it("have a salt that chain and constitution give, and no contract", () => {
    const [a, b] = [keyOf("a").address, keyOf("b").address];
    expect(new Set([foundingHash(1, a), foundingHash(1, b), foundingHash(2, a)]).size).to.equal(3);
    expect(sessionDomain(1, a)).to.deep.equal({ name: "AgentCity session", version: "1", chainId: 1, salt: foundingHash(1, a) });
  });
});
