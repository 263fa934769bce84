import { expect } from "chai";
import type { ContractTransactionResponse } from "ethers";
import { hexSchema } from "../../orchestrator/primitives/hex.ts";
import { named, readNames } from "../../scripts/bench/code-names.ts";
import { type Ask, COMPUTE, type GasTrace, gasIn, traceGas } from "../../scripts/bench/trace.ts";
import { ethers, loadCity, tokens } from "../support/city-fixture.ts";

/** What clearing a slot gives back. */
const CLEARED = 4800;
const STAKE = tokens(5000);

const ask: Ask = (method, params) => ethers.provider.send(method, [...params]);

async function traceOf(sent: Promise<ContractTransactionResponse>): Promise<GasTrace> {
  return traceGas(ask, hexSchema.parse((await sent).hash));
}

/** An agent's registration: a principal's signature is recovered and stake moves from the token through two institutions. */
async function registration(): Promise<GasTrace> {
  const city = await loadCity();
  const [principal, agent] = [await city.account("principal"), await city.account("agent")];
  await city.fund(principal, city.addresses.PRODUCERS, STAKE);
  const { message, did, byPrincipal } = await city.binding(agent, principal, { stake: STAKE });
  return traceOf(city.producers.connect(agent).register(message, did, byPrincipal, "0x"));
}

describe("a trace of gas", () => {
  it("explains every unit of a transaction, but for what cleared slots give back", async () => {
    const trace = await registration();
    const given = gasIn([trace], ["refunds"]);
    expect(given).to.be.at.most(0);
    expect(given % CLEARED === 0, `${given} is not what slots give back`).to.equal(true);
    expect(gasIn([trace], ["base price"])).to.equal(21_000);
    expect(gasIn([trace], ["signature recovery"])).to.be.at.least(3000);
    expect(gasIn([trace], COMPUTE)).to.be.within(1, trace.used / 2);
  });

  it("tells a slot first written from one written over", async () => {
    const city = await loadCity();
    const [from, to] = [await city.account("giver"), await city.account("taker")];
    const { token } = city;
    await city.fund(from, to.address, 3n * STAKE);
    const first = await traceOf(token.connect(from).transfer(to.address, STAKE));
    const second = await traceOf(token.connect(from).transfer(to.address, STAKE));
    expect(gasIn([first], ["SSTORE, new", "SLOAD, cold"]), "the taker had nothing").to.equal(20_000 + 2 * 2100);
    expect(gasIn([first], ["SSTORE, changed"]), "the giver's balance").to.equal(2900);
    expect(gasIn([second], ["SSTORE, new"]), "the taker had something").to.equal(0);
    expect(gasIn([second], ["SSTORE, changed"])).to.equal(2 * 2900);
  });

  it("names the functions called and the contracts whose code ran", async () => {
    const [trace] = await named(ask, readNames("artifacts"), [await registration()]);
    expect(trace?.call).to.equal("register");
    const codes = new Set(trace?.cells.map(({ code }) => code));
    expect([...codes]).to.have.members([undefined, "ProducerContract", "ConstitutionContract", "CityToken"]);
  });

  it("says what a node answers that keeps no traces", async () => {
    const none: Ask = () => Promise.resolve({});
    await traceGas(none, `0x${"11".repeat(32)}`).then(
      () => expect.fail("was accepted"),
      (error: Error) => expect(error.message).to.include("structLogs"),
    );
  });
});
