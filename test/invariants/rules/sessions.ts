/** Invariants 13–16: a law is what was balloted, counted and approved. */
import { keccak256 } from "viem";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { pairwise } from "../../../orchestrator/rules/condorcet.ts";
import { cloneArgs, lawHashOf, specHashOf } from "../../../orchestrator/rules/law-codec.ts";
import { unpackMissionParams } from "../../../orchestrator/rules/mission-params-codec.ts";
import { amount, text } from "../chronicle.ts";
import { PARAM } from "../ghost.ts";
import type { Rule } from "../rule.ts";

const once: Rule = {
  invariant: 13,
  on(event, { ghost, require }) {
    if (event.at !== "LEGISLATION" || event.name !== "BallotCast") return;
    require(!ghost.session(amount(event, "session")).ballots.has(text(event, "agent")), () => `${text(event, "agent")} voted twice`);
  },
  always({ sessions }, { ghost, require }) {
    for (const { id, info, rankings } of sessions) {
      const { ballots } = ghost.session(id);
      require(info.ballots === BigInt(ballots.size), () => `session ${id} counts ${info.ballots} ballots of ${ballots.size}`);
      for (const { agent, ranking } of rankings) require(ranking === ballots.get(agent), () => `session ${id} changed ${agent}'s ballot`);
    }
  },
};

const paired: Rule = {
  invariant: 14,
  always({ sessions }, { ghost, require }) {
    for (const { id, info, counts } of sessions) {
      const matrix = pairwise([...ghost.session(id).ballots.values()], ghost.session(id).entries);
      for (const { i, j, over, under } of counts) {
        require(over + under === info.ballots, () =>
          `session ${id}: n${i}${j} + n${j}${i} = ${over} + ${under} of ${info.ballots} ballots`);
        const [above, below] = [BigInt(matrix[i]?.[j] ?? 0), BigInt(matrix[j]?.[i] ?? 0)];
        require(over === above && under === below, () =>
          `session ${id}: n${i}${j} and n${j}${i} are ${over}, ${under}, not ${above}, ${below}`);
      }
    }
  },
};

const supported: Rule = {
  invariant: 15,
  on(event, { ghost, require }) {
    if (event.at !== "LEGISLATION" || event.name !== "Approved") return;
    const { ballots, electorate, rules, sponsors, winner, flagged, cleared } = ghost.session(amount(event, "session"));
    const quorum = rules.get(PARAM.TURNOUT_QUORUM) ?? 0n;
    const enough = BigInt(ballots.size) * 10_000n >= electorate * quorum;
    require(enough, () => `approved with ${ballots.size} ballots of an electorate of ${electorate}`);
    const backers = [...(sponsors.get(winner) ?? [])];
    const least = rules.get(PARAM.MIN_SPONSORS) ?? 0n;
    require(BigInt(backers.length) >= least, () => `approved with ${backers.length} sponsors of ${least}`);
    const principals = new Set(backers.map((agent) => ghost.agent(agent).principal));
    require(principals.size >= 2, () => "approved with sponsors of one principal");
    const fresh = flagged.size - cleared;
    const critical = BigInt(fresh) * 10_000n >= (rules.get(PARAM.CRITICAL_BLOC_SHARE) ?? 0n) * BigInt(ballots.size);
    require(fresh === 0 || !critical, () => `approved with ${fresh} voters under suspicion`);
  },
};

const faithful: Rule = {
  invariant: 16,
  async on(event, { ghost, world, require }) {
    if (event.at !== "LEGISLATION" || event.name !== "Approved") return;
    const id = amount(event, "session");
    const { params, sponsor, specs, winner } = ghost.session(id);
    const address = text(event, "mission");
    const clone = world.missions.find((mission) => mission.address === address)?.contract;
    if (clone === undefined) throw new Error(`${address} was not adopted`);
    const law = hexSchema.parse(await clone.law());
    const docHash = hexSchema.parse((await clone.context()).docHash);
    require(specHashOf(lawHashOf(law), docHash) === specs.get(winner), () => `${address} is not what won session ${id}`);
    require((await clone.lawHash()) === keccak256(law), () => `${address} hashes another law`);
    const args = cloneArgs(law, {
      params: unpackMissionParams(params),
      docHash,
      session: id,
      sponsor: addressSchema.parse(sponsor),
      deployedAt: Number(event.timestamp),
    });
    const { rules } = await world.legislation.sessionOf(id);
    const predicted = await world.templates.predict(await world.legislation.template(), rules.template, args, id);
    require(predicted === address, () => `${address} does not carry the parameters of session ${id}`);
    const atOnce = { blockTag: event.block };
    require((await world.token.balanceOf(address, atOnce)) >= (await clone.ledger(atOnce)).deposit, () => `${address} is not funded`);
  },
};

export const SESSIONS: readonly Rule[] = [once, paired, supported, faithful];
