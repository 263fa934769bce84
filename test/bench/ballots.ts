import { id, type Wallet } from "ethers";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { loadLegislature } from "../support/legislature.ts";
import { gasOf, type Samples } from "./meter.ts";

const BATCH = 100;
const SINGLE = 9;
const CANDIDATES = 8;

/** Producers of ten principals before a ballot of eight entries. */
async function crowd() {
  const house = await loadLegislature();
  const voters: Wallet[] = [];
  for (let i = 0; i < BATCH + SINGLE; i++) {
    voters.push((await house.register(`voter ${i}`, { principal: await house.account(`crowd ${i % 10}`) })).agent);
  }
  const session = await house.steps.toProposing();
  for (let c = 1; c < CANDIDATES; c++) {
    for (const [i, agent] of voters.slice(5 * c, 5 * c + 5).entries()) {
      const legislation = house.legislation.connect(agent);
      if (i === 0) await legislation.propose(session, id(`spec ${c}`), id(`cid ${c}`), house.direct(agent));
      else await legislation.sponsor(session, c, house.direct(agent));
    }
  }
  await house.legislation.connect(house.offices.SPEAKER[0] as Wallet).openVoting(session);
  return { ...house, voters, session };
}

/** Full rankings of eight: nine by their voters' own transactions, then a hundred signed ones in a batch. */
export async function ballots(): Promise<Samples> {
  const { legislation, steps, voters, session, direct } = await crowd();
  const random = randomStream(7, "ballots");
  const entries = Array.from({ length: CANDIDATES }, (_, entry) => entry);
  const signed = await Promise.all(voters.map((voter) => steps.ballot(session, voter, random.shuffle(entries))));
  const single = [];
  for (let i = BATCH; i < BATCH + SINGLE; i++) {
    const voter = voters[i] as Wallet;
    const { ranking } = signed[i] as (typeof signed)[number];
    single.push(await gasOf(legislation.connect(voter).castBallots(session, [{ ...direct(voter), ranking }])));
  }
  const batch = await gasOf(legislation.castBallots(session, signed.slice(0, BATCH)));
  return { "ballot-8": single, "ballot-8-batch100": [Math.ceil(batch / BATCH)] };
}
