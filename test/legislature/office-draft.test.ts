// @long
import { expect } from "chai";
import { Speaker } from "../../orchestrator/clerks/speaker.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import { canonicalBytes } from "../../orchestrator/primitives/json.ts";
import { keyOf, type LivingCity, openLivingCity } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { changed, deployed, memoryPorts, mission, sessionOptions } from "../support/sessions.ts";

/** Every producer drafts, and none supports anybody's but its own. */
describe("a session in which no producer's draft finds its sponsors", function () {
  this.timeout(60_000);
  let city: LivingCity;
  beforeEach(async () => {
    city = await openLivingCity();
  });
  afterEach(() => city.chain.close());

  function unsupported(ports: LegislaturePorts = memoryPorts(), seed = 7, where = city) {
    const options = sessionOptions(where, ports, seed);
    const producers = options.producers.map((producer) => ({
      ...producer,
      mind: changed(producer.mind, {
        rank: async (request) => (request.place?.stage === "endorse" ? [] : producer.mind.rank(request)),
      }),
    }));
    return { ...options, producers };
  }

  it("votes on the office's plainest law, which nobody sponsored and nobody debated", async () => {
    const ports = memoryPorts();
    const result = deployed(await runLegislature(unsupported(ports)));
    const { speaker } = city.clerks;
    expect(result.candidates.map(({ proposer, sponsors }) => [proposer, sponsors])).to.deep.equal([
      [null, 0],
      [speaker.address, 0],
    ]);
    expect(result.ballots).to.have.length(8);
    const { nodes } = result.document;
    expect(nodes.map(({ task }) => task)).to.deep.equal(mission.tasks.map(({ name }) => name));
    expect(nodes.map(({ redundancy }) => redundancy)).to.deep.equal([1, 3, 1]);
    expect((await city.client.legislation.sessionOf(result.session)).drafted).to.equal(1);
    expect(ports.crossed).to.include("legislature:office-drafted").and.not.include("legislature:debate-opened");
    expect(city.notes.filter(({ kind }) => kind === "legislature.office-draft").map(({ subjects }) => subjects)).to.deep.equal([
      ["test-7", "1", speaker.address],
    ]);
  });

  it("gets the same bytes whoever is asked, in whatever mood", async () => {
    const one = deployed(await runLegislature(unsupported(memoryPorts(), 7)));
    const other = await openLivingCity();
    try {
      const again = deployed(await runLegislature(unsupported(memoryPorts(), 11, other)));
      expect(canonicalBytes(again.document)).to.deep.equal(canonicalBytes(one.document));
    } finally {
      await other.chain.close();
    }
  });

  it("goes on where it stopped, and drafts once", async () => {
    const ports = memoryPorts();
    const left = new Set(["legislature:office-drafted", "legislature:voting-opened"]);
    const stopping = unsupported({
      ...ports,
      boundary: async (name) => {
        if (left.delete(name)) throw new Error(`stopped at ${name}`);
      },
    });
    await rejection(runLegislature(stopping));
    await rejection(runLegislature(stopping));
    deployed(await runLegislature(stopping));
    expect(city.notes.filter(({ kind }) => kind === "legislature.office-draft")).to.have.length(1);
  });

  it("ends without a law where the office's envelope has no drafting in it", async () => {
    class Silent extends Speaker {
      override mayDraft = async () => false;
    }
    const clerks = { ...city.clerks, speaker: new Silent(city.client, keyOf("speaker")) };
    const result = await runLegislature({ ...unsupported(), clerks });
    expect(result).to.include({ status: "failed", reason: "no candidate found enough sponsors" });
    expect((await city.client.legislation.sessionOf(1n)).deposit).to.equal(0n);
  });
});
