/**
 * Gas of one job from creation to payment: in `AgreementEscrow` with one key as evaluator, as the draft's text has it, and what a panel of the
 * city costs beside the key. Prints JSON.
 *
 * usage: node test/bench/measure-jobs.ts [--reference]   with the reference of ERC-8183 in the same run, fetched from GitHub and compiled
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { id, ZeroAddress } from "ethers";
import { AMOUNT, openEscrow, RESULT } from "../support/agreement-fixture.ts";
import { networkHelpers, tokens } from "../support/city-fixture.ts";
import { compilePublished } from "../support/published.ts";
import { AGENTIC_COMMERCE, deployCommerce } from "../support/published-jobs.ts";
import { type Costs, ours, panel, whole } from "./jobs.ts";
import { gasOf } from "./meter.ts";

/** The last of the reference's versions that are tested, behind its proxy, with one key as evaluator. */
async function reference(): Promise<Costs> {
  const { city, client, provider, evaluator } = await openEscrow();
  const publication = AGENTIC_COMMERCE.at(-1);
  if (publication === undefined) throw new RangeError("no version is tested");
  const folder = mkdtempSync(join(tmpdir(), "agentcity-reference-"));
  const escrow = await deployCommerce(city, publication, compilePublished(folder, publication));
  rmSync(folder, { recursive: true });
  await city.fund(client, await escrow.getAddress(), tokens(50));
  const expiry = (await networkHelpers.time.latest()) + 172_800;
  const call = (by: typeof client, name: string, ...args: unknown[]) => gasOf(escrow.connect(by).getFunction(name)(...args));
  return whole({
    createJob: await call(client, "createJob", provider.address, evaluator.address, expiry, "a study", ZeroAddress, 0),
    setBudget: await call(client, "setBudget", 1, city.addresses.TOKEN, AMOUNT, "0x"),
    fund: await call(client, "fund", 1, AMOUNT, "0x"),
    submit: await call(provider, "submit", 1, id("deliverable"), "0x"),
    complete: await call(evaluator, "complete", 1, RESULT, "0x"),
  });
}

const more = process.argv.includes("--reference") ? { reference: await reference() } : {};
console.log(JSON.stringify({ agreementEscrow: await ours(), panel: await panel(), ...more }, null, 2));
