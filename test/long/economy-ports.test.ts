import { join } from "node:path";
import { expect } from "chai";
import { errorsAbi } from "../../orchestrator/chain/abi/errors.ts";
import { openEmbeddedChain } from "../../orchestrator/chain/embedded.ts";
import { createSender } from "../../orchestrator/chain/sender.ts";
import { type TreasuryStatement, treasuryStatement } from "../../orchestrator/city/report/treasury-sides.ts";
import { shortened } from "../../orchestrator/economy/campaign.ts";
import type { GovernedCity, PortsMaker } from "../../orchestrator/economy/law/city.ts";
import { ECONOMY } from "../../orchestrator/economy/parameters.ts";
import { type RunFigures, runEconomy } from "../../orchestrator/economy/run.ts";
import { openDatabase } from "../../orchestrator/records/database.ts";
import { RecordLog } from "../../orchestrator/records/log.ts";
import { openOutbox } from "../../orchestrator/records/outbox.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

interface Ended {
  readonly figures: RunFigures;
  readonly head: { readonly hash: string; readonly stateRoot: string };
  readonly bids: ReadonlyMap<string, number>;
  readonly treasury: TreasuryStatement;
}

async function ended(ports?: PortsMaker): Promise<Ended> {
  const seen: Omit<Ended, "figures">[] = [];
  const sees = async ({ client, chain }: GovernedCity) => {
    const { hash, stateRoot } = await chain.publicClient.getBlock();
    const placed = await client.execution.history("BidPlaced");
    const bids = new Map<string, number>();
    for (const { args } of placed) {
      const market = `${args.mission}/${args.node}`;
      bids.set(market, (bids.get(market) ?? 0) + 1);
    }
    seen.push({ head: { hash, stateRoot }, bids, treasury: await treasuryStatement(client, 3650) });
  };
  const figures = await runEconomy({
    configuration: "full",
    agents: 20,
    seed: 1,
    world: shortened(ECONOMY, 3),
    sees,
    ...(ports === undefined ? {} : { ports }),
  });
  const [city] = seen;
  if (city === undefined) throw new Error("no city was seen");
  return { figures, ...city };
}

describe("an economy's city", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  const closers: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closers.reverse()) await close();
  });
  /** As a city of missions sends: a transcript and an outbox on disk, both synced before anything goes on. */
  const missionPorts: PortsMaker = async (relayer) => {
    const dir = directory();
    const chain = await openEmbeddedChain({ dir, log: () => {} });
    const database = await openDatabase({ dir: join(dir, "records"), cache: join(dir, "cache") });
    closers.push(() => database.close());
    const outbox = openOutbox(database, new RecordLog(database, chain.clock), database.sync);
    return { chain, sender: createSender({ chain, outbox, relayers: [relayer], abis: [errorsAbi] }) };
  };

  it("ends with the same state root through the ports of missions and through its own", async () => {
    const own = await ended();
    const through = await ended(missionPorts);
    expect(through.head).to.deep.equal(own.head);
    expect(through.figures).to.deep.equal(own.figures);

    expect(Math.max(...own.bids.values()), "four attempts of twelve bids at most").to.be.within(2, 48);
    const { treasury } = own.figures.governance ?? {};
    expect(own.treasury.outflow.premiums, "EQ-11 of the chain's events and of the run's").to.be.closeTo(treasury?.premiums ?? -1, 1);
    const { fees = -1, slashed = 0 } = treasury ?? {};
    expect(own.treasury.eq11.inflow, "without what the founders gave").to.be.within(slashed / 2, fees + slashed / 2 + 2);
    expect(own.treasury.given).to.be.above(0);
    expect(own.treasury.eq12).to.include({ missions: 0, cover: null });
  });
});
