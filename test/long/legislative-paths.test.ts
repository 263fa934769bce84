import { MemorySaver } from "@langchain/langgraph";
import { expect } from "chai";
import { moneyOfSession } from "../../orchestrator/city/missions/family.ts";
import { LawCodeChanged } from "../../orchestrator/clerks/codifier.ts";
import type { LegislatureOptions } from "../../orchestrator/legislature/context.ts";
import type { LegislaturePorts } from "../../orchestrator/legislature/ports.ts";
import type { NoLaw } from "../../orchestrator/legislature/result.ts";
import { runLegislature } from "../../orchestrator/legislature/run-legislature.ts";
import type { Mind } from "../../orchestrator/minds/mind.ts";
import { messageOf } from "../../orchestrator/primitives/errors.ts";
import type { LegislatureBoundary } from "../../orchestrator/protocol/boundaries.ts";
import { type SessionStateName, sessionTransitions } from "../../orchestrator/rules/transitions/session.ts";
import { hashOf, type LivingCity, type LivingCityOptions, openLivingCity } from "../support/living-city.ts";
import { rejection } from "../support/rejection.ts";
import { asleepFor, changed, deployed, memoryPorts, mission, sessionOptions } from "../support/sessions.ts";

/** Ways through the legislature that most sessions do not take (AgentCity 3.4, 4, B.10). */
describe("a legislative session off the straight way", function () {
  this.timeout(240_000);
  let city: LivingCity;
  afterEach(() => city.chain.close());

  const open = async (options: LivingCityOptions = {}) => {
    city = await openLivingCity(options);
  };
  const purse = () => city.client.token.balanceOf(city.sponsor.address);
  const onChain = (session: bigint) => city.client.legislation.sessionOf(session);
  const stateOf = async (session: bigint) => sessionTransitions.states[(await onChain(session)).state] ?? "NONE";

  /** Options whose minds some function changes. */
  function optionsWith(ports: LegislaturePorts, alter: (mind: Mind, place: number) => Mind = (mind) => mind): LegislatureOptions {
    const options = sessionOptions(city, ports, 7);
    return { ...options, producers: options.producers.map((producer, place) => ({ ...producer, mind: alter(producer.mind, place) })) };
  }
  /** Ports of a process that does something at a boundary: every time, or the first. */
  function portsAt(boundary: LegislatureBoundary, act: () => Promise<unknown>, times = Number.POSITIVE_INFINITY): LegislaturePorts {
    let left = times;
    return {
      ...memoryPorts(),
      boundary: async (name) => {
        if (name !== boundary || left === 0) return;
        left -= 1;
        await act();
      },
    };
  }
  const stoppedAt = (boundary: LegislatureBoundary) => portsAt(boundary, () => Promise.reject(new Error(`stopped at ${boundary}`)), 1);
  const failed = (result: Awaited<ReturnType<typeof runLegislature>>): NoLaw => {
    if (result.status !== "failed") throw new Error("it made a law");
    return result;
  };

  describe("by petition", () => {
    const unwilling = (mind: Mind): Mind =>
      changed(mind, { rank: async ({ candidates }) => candidates.map(({ number }) => number).toSorted((a, b) => a - b) });

    it("is opened by producers, adopted by the sponsor, and makes a law like any other", async () => {
      await open();
      const result = deployed(await runLegislature({ ...optionsWith(memoryPorts()), byPetition: true }));
      const { sponsor, electorate } = await onChain(result.session);
      expect(sponsor).to.equal(city.sponsor.address);
      expect(electorate).to.equal(8);
      expect(await city.client.token.balanceOf(result.mission)).to.equal(mission.budget);
      const kinds = city.notes.map(({ kind }) => kind);
      expect(kinds.indexOf("legislature.petition")).to.be.lessThan(kinds.indexOf("legislature.adoption"));
      expect(kinds).to.not.include("legislature.session");
    });

    it("comes about with a fifth of the producers, and not with fewer", async () => {
      await open();
      const before = await purse();
      const alone = failed(
        await runLegislature({ ...optionsWith(memoryPorts(), (mind, place) => (place === 0 ? mind : unwilling(mind))), byPetition: true }),
      );
      expect(alone).to.include({ session: 0n, reason: "too few producers petitioned for a session" });
      expect(await city.client.legislation.sessionCount()).to.equal(0n);
      expect(await purse()).to.equal(before);
    });

    it("accounts for the deposit that came with the adoption when it makes no law", async () => {
      await open();
      const options = { ...optionsWith(stoppedAt("legislature:adopted")), byPetition: true };
      await rejection(runLegislature(options));
      await city.chain.advanceTo(BigInt((await onChain(1n)).deadline) + 1n);
      failed(await runLegislature(options));
      const money = await moneyOfSession(city.client, 1n);
      expect(money).to.include({ deposit: mission.budget.toString(), refunded: mission.budget.toString(), fees: "0" });
    });

    it("goes on after a stop between petition and adoption", async () => {
      await open();
      const options = { ...optionsWith(stoppedAt("legislature:petitioned")), byPetition: true };
      expect(messageOf(await rejection(runLegislature(options)))).to.equal("stopped at legislature:petitioned");
      expect(deployed(await runLegislature(options)).session).to.equal(1n);
      expect(await city.client.legislation.sessionCount()).to.equal(1n);
    });
  });

  describe("in a city whose law code has changed", () => {
    it("asks for no deposit, names the file, and goes on when the code is back", async () => {
      await open();
      const before = await purse();
      const options = optionsWith(memoryPorts());
      const changedClerks = city.clerksWith({ "audit-codification": hashOf("changed") });
      const error = await rejection(runLegislature({ ...options, clerks: changedClerks }));
      expect(error)
        .to.be.instanceOf(LawCodeChanged)
        .and.deep.include({ operations: ["audit-codification"] });
      for (const words of ["orchestrator/client/codification-audit.ts", "fixed at genesis", "undo the change", "AGENTCITY_HOME"])
        expect(error.message).to.contain(words);
      expect(await purse()).to.equal(before);
      expect(await city.client.legislation.sessionCount()).to.equal(0n);
      expect(deployed(await runLegislature(options)).session).to.equal(1n);
    });

    it("stops before it delegates when the session was open already", async () => {
      await open();
      const options = optionsWith(stoppedAt("legislature:tallied"));
      await rejection(runLegislature(options));
      const error = await rejection(runLegislature({ ...options, clerks: city.clerksWith({ "compile-law": hashOf("changed") }) }));
      expect(error).to.be.instanceOf(LawCodeChanged);
      expect(deployed(await runLegislature(options)).session).to.equal(1n);
    });
  });

  describe("below quorum", () => {
    /** Half the city does not vote in the first so many sessions. */
    const asleep = (sessions: bigint) => (mind: Mind, place: number) => (place < 4 ? mind : asleepFor(sessions, mind, city.client));

    it("returns once, changed, in a session of its own that the sponsor adopts", async () => {
      await open();
      const before = await purse();
      const result = deployed(await runLegislature(optionsWith(memoryPorts(), asleep(1n))));
      expect(result.past).to.deep.equal([{ session: 1n, end: "FAILED" }]);
      expect(await onChain(1n)).to.deep.include({ ballots: 4, successor: 2, deposit: 0n });
      expect(await onChain(2n)).to.deep.include({ origin: 1, ballots: 8, sponsor: city.sponsor.address });
      const specs = async (session: bigint) => {
        const { candidates } = await onChain(session);
        return Promise.all(
          Array.from(
            { length: candidates - 1 },
            async (_, index) => (await city.client.legislation.candidateOf(session, index + 1)).specHash,
          ),
        );
      };
      const [former, latter] = [await specs(1n), await specs(2n)];
      expect(latter.filter((specHash) => former.includes(specHash))).to.deep.equal([]);
      expect(before - (await purse())).to.equal(mission.budget);
    });

    it("does not return twice, and the deposit goes back both times", async () => {
      await open();
      const before = await purse();
      const result = failed(await runLegislature(optionsWith(memoryPorts(), asleep(9n))));
      expect(result.reason).to.equal("4 of 8 producers voted, fewer than 60 %");
      expect(result.past).to.deep.equal([{ session: 1n, end: "FAILED" }]);
      expect(await city.client.legislation.sessionCount()).to.equal(2n);
      expect(await purse()).to.equal(before);
    });

    it("because a vote stood still comes back too, wherever the process is stopped on the way", async () => {
      await open();
      for (const boundary of ["legislature:expired", "legislature:reintroduced", "legislature:adopted"] as const) {
        const options = optionsWith(stoppedAt(boundary), asleep((await city.client.legislation.sessionCount()) + 1n));
        const own = { ...options, id: boundary };
        expect(messageOf(await rejection(runLegislature(own)))).to.equal(`stopped at ${boundary}`);
        const result = deployed(await runLegislature(own));
        expect((await onChain(result.session)).origin).to.equal(Number(result.past[0]!.session));
      }
    });
  });

  describe("whose checkpoints are refused, as by a full disk", () => {
    /** Refuses to store what follows a step, the first time each step comes; what the step itself wrote is kept. */
    class Full extends MemorySaver {
      readonly refused: number[] = [];
      override async put(...args: Parameters<MemorySaver["put"]>): ReturnType<MemorySaver["put"]> {
        const [, , { step }] = args;
        if (this.refused.includes(step)) return super.put(...args);
        this.refused.push(step);
        throw new Error(`no room for step ${step}`);
      }
    }

    it("goes on after each one of them, and ends as if nothing had been", async () => {
      await open();
      const checkpointer = new Full();
      const options = optionsWith({ ...memoryPorts(), checkpointer });
      let result: Awaited<ReturnType<typeof runLegislature>> | undefined;
      while (result === undefined) {
        const known = checkpointer.refused.length;
        result = await runLegislature(options).catch((error: unknown) => {
          if (checkpointer.refused.length === known) throw error;
          return undefined;
        });
      }
      expect(deployed(result)).to.include({ session: 1n });
      expect(result.past).to.deep.equal([]);
      expect(await onChain(1n)).to.include({ ballots: 8 });
      expect(checkpointer.refused.length).to.be.greaterThan(30);
    });
  });

  describe("that outlives its time", () => {
    /** Where it stands still, in which state, and how that session ends. */
    const STANDSTILLS: readonly (readonly [LegislatureBoundary, SessionStateName, SessionStateName])[] = [
      ["legislature:session-opened", "IDENTIFYING", "EXPIRED"],
      ["legislature:proposals-signed", "PROPOSING", "FAILED"],
      ["legislature:debate-opened", "DELIBERATING", "FAILED"],
      ["legislature:mid-ballots", "VOTING", "FAILED"],
      ["legislature:tallied", "TALLIED", "EXPIRED"],
      ["legislature:delegated", "VALIDATED", "EXPIRED"],
      ["legislature:codified", "CODIFIED", "EXPIRED"],
    ];

    for (const [boundary, during, end] of STANDSTILLS) {
      it(`while ${during} ends ${end}, and no money stays in it`, async () => {
        await open();
        const options = optionsWith(stoppedAt(boundary));
        expect(messageOf(await rejection(runLegislature(options)))).to.equal(`stopped at ${boundary}`);
        expect(await stateOf(1n)).to.equal(during);
        const { deadline } = await onChain(1n);
        await city.chain.advanceTo(BigInt(deadline) + 1n);
        const result = await runLegislature(options);
        expect(await stateOf(1n)).to.equal(end);
        expect((await onChain(1n)).deposit).to.equal(0n);
        // A vote that too few took part in may be held once more; nothing else comes back by itself.
        expect(result.past.length).to.equal(during === "DELIBERATING" || during === "VOTING" ? 1 : 0);
        expect(result.status).to.equal(result.past.length === 1 ? "deployed" : "failed");
      });
    }

    it("is in time to the last second", async () => {
      await open();
      const options = optionsWith(stoppedAt("legislature:tallied"));
      await rejection(runLegislature(options));
      await city.chain.advanceTo(BigInt((await onChain(1n)).deadline) - 1n);
      expect(deployed(await runLegislature(options)).past).to.deep.equal([]);
    });
  });

  describe("whose winner the constitution refuses", () => {
    /** No panel can be drawn when the law is validated, for so many laws; afterwards one can. */
    function withoutPanel(laws: number): LegislaturePorts {
      let law = 0;
      return {
        ...memoryPorts(),
        boundary: async (name) => {
          if (name === "legislature:tallied" && law < laws) await city.silenceVerifiers(true, `law ${law}`);
          if (name !== "legislature:refused") return;
          await city.silenceVerifiers(false, `law ${law}`);
          law += 1;
        },
      };
    }

    it("is revised and submitted again", async () => {
      await open({ sealed: false });
      const result = deployed(await runLegislature(optionsWith(withoutPanel(1))));
      expect(result.past).to.deep.equal([{ session: 1n, end: "EXPIRED" }]);
      expect((await onChain(1n)).deposit).to.equal(0n);
      expect(await city.client.token.balanceOf(result.mission)).to.equal(mission.budget);
    });

    it("is revised twice and no more; then the deposit stays with the sponsor", async () => {
      await open({ sealed: false });
      const before = await purse();
      const result = failed(await runLegislature(optionsWith(withoutPanel(3))));
      expect(result.reason).to.equal("the constitution rejected the winning law");
      expect(result.past.map(({ end }) => end)).to.deep.equal(["EXPIRED", "EXPIRED"]);
      expect(await stateOf(3n)).to.equal("EXPIRED");
      expect(await purse()).to.equal(before);
      expect(result.metrics.pvrr).to.deep.equal({ part: 1, whole: 1 });
    });

    it("is what the voters took it for when a limit changes during the vote; the next session knows the new one", async () => {
      await open({ sealed: false });
      const result = deployed(
        await runLegislature(optionsWith(portsAt("legislature:tallied", () => city.amend("MIN_PANEL_MEDIUM", 5n), 1))),
      );
      expect(result.past).to.deep.equal([]);
      expect(new Set(result.document.nodes.map(({ panelSize }) => panelSize))).to.deep.equal(new Set([3]));
    });
  });
});
