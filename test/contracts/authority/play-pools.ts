/** Every function of the stake pools, called with success. */
import { id, ZeroAddress } from "ethers";
import { type AuthorityTrial, type Cast, castOf, endow } from "../../support/authority-trial.ts";
import { loadCity, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";

const WHY = id("why");

export async function playPools(trial: AuthorityTrial): Promise<void> {
  const city = await loadCity();
  const { pools, addresses } = city;
  const manager = await city.account("pool manager");
  const members = [];
  for (const name of ["first", "second", "third"]) members.push(await city.register(`${name} participant`));
  const [subject, ...others] = members;
  if (subject === undefined) throw new Error("a pool has participants");
  const { agent, principal } = subject;
  const cast: Cast = { ...(await castOf(city, {})), manager: manager.address, agent: agent.address, "its principal": principal.address };
  await endow(city, cast, addresses.STAKE_POOL);
  const managed = pools.connect(manager);
  const mission = cast.mission ?? "";

  await trial.record("StakePool.openPool", cast, () => managed.openPool());
  await trial.record("StakePool.admit", cast, () => managed.admit(1, agent.address));
  await trial.record("StakePool.join", cast, () => pools.connect(agent).join(1, agent.address, tokens(50)));
  for (const one of others) {
    await managed.admit(1, one.agent.address);
    await city.fund(one.agent, addresses.STAKE_POOL, tokens(50));
    await pools.connect(one.agent).join(1, one.agent.address, tokens(50));
  }
  await trial.record("StakePool.cover", cast, () => managed.cover(1, mission, 0, agent.address));
  const covered = await networkHelpers.takeSnapshot();
  await trial.record("StakePool.uncover", cast, () => managed.uncover(mission, 0, agent.address));
  await covered.restore();
  const execution = pools.connect(await city.as("EXECUTION"));
  await trial.record("StakePool.stand", cast, () => execution.stand(mission, 0, agent.address, tokens(60)));
  await trial.record("StakePool.settle", cast, () => execution.settle(mission, 0, agent.address, tokens(60), tokens(9), WHY, ZeroAddress));
  const free = await networkHelpers.takeSnapshot();
  await trial.record("StakePool.leave", cast, () => pools.connect(agent).leave(1, agent.address), "at will");
  await free.restore();
  await trial.record("StakePool.giveNotice", cast, () => pools.connect(agent).giveNotice(1, agent.address));
  await trial.record("StakePool.leave", cast, () => managed.leave(1, agent.address), "after notice");

  const token = await turnHostile(city);
  const [creditor] = others;
  if (creditor === undefined) throw new Error("a pool has participants");
  await token.block(creditor.principal.address);
  await pools.connect(creditor.agent).leave(1, creditor.agent.address);
  await token.block(creditor.principal.address, false);
  await trial.record("StakePool.collect", cast, () => pools.collect(creditor.principal.address));
}
