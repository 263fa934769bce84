/** The reference escrow of ERC-8183 as it was published: fetched and compiled here, at the commits that are named. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { ZeroAddress } from "ethers";
import type { City } from "../support/city-fixture.ts";
import { BUDGET, Class, HEARING, HOUR, JobStatus, Outcome, openEvaluator, Result } from "../support/evaluator-fixture.ts";
import { type Compiled, compilePublished } from "../support/published.ts";
import { AGENTIC_COMMERCE, commerceJobs } from "../support/published-jobs.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

/** More than a job lasts, whatever is drawn. */
const EXPIRED = 60 * HOUR;

describe("escrows that others published", () => {
  const directory = suiteDirectory();
  const compile = (publication: Parameters<typeof compilePublished>[1]) => {
    const folder = join(directory(), publication.commit);
    mkdirSync(folder, { recursive: true });
    return compilePublished(folder, publication);
  };

  for (const publication of AGENTIC_COMMERCE)
    describe(`ERC-8183 at ${publication.commit.slice(0, 7)}, judged by a ClearingEvaluator`, function () {
      this.timeout(300_000);
      let compiled: (name: string) => Compiled;
      before(() => {
        compiled = compile(publication);
      });
      const open = () => openEvaluator({ foreign: (city: City) => commerceJobs(city, publication, compiled) });

      it("completes what passes and rejects what fails", async () => {
        const { contract, delivered, statusOf, balanceOf, provider, client } = await open();
        const before = await balanceOf(client);
        const good = await delivered();
        await good.evaluate([{}, {}, {}]);
        await contract.finalise(good.terms, ZeroAddress);
        expect([await statusOf(good.jobId), await balanceOf(provider)]).to.deep.equal([JobStatus.COMPLETED, BUDGET]);
        const bad = await delivered();
        const fail = { result: Result.FAIL };
        await bad.evaluate([fail, fail, fail]);
        await contract.finalise(bad.terms, ZeroAddress);
        expect(await statusOf(bad.jobId)).to.equal(JobStatus.REJECTED);
        expect([await balanceOf(provider), await balanceOf(client)]).to.deep.equal([BUDGET, before - BUDGET]);
      });

      it("never completes by evidence below the floor", async () => {
        const { contract, delivered, issuer, hearing, increase, statusOf } = await open();
        const job = await delivered({ floor: Class.ATT }, [
          { class: Class.ATT, issuer },
          { class: Class.SELF, issuer },
        ]);
        const both = { basis: 0b11n };
        const proofs = job.work.proofs.slice(0, 1);
        await expect(job.evaluate([both, both, both], proofs)).to.be.revertedWithCustomError(contract, "Undecided");
        expect((await hearing(job.terms)).outcome).to.equal(Outcome.NONE);
        await increase(2 * HEARING + 1);
        await contract.finalise(job.terms, ZeroAddress);
        expect(await statusOf(job.jobId)).to.equal(JobStatus.REJECTED);
      });

      it("refunds silence at its expiry, and no late decision takes that back", async () => {
        const { contract, delivered, jobs, increase, statusOf, balanceOf, client } = await open();
        const before = await balanceOf(client);
        const late = await delivered();
        await late.evaluate([{}, {}, {}]);
        await increase(EXPIRED);
        await jobs.claimRefund(late.jobId);
        await expect(contract.finalise(late.terms, ZeroAddress)).to.be.revertedWithCustomError(jobs.contract, "WrongStatus");
        expect([await statusOf(late.jobId), await balanceOf(client)]).to.deep.equal([JobStatus.EXPIRED, before]);
      });
    });
});
