/** A city that an earlier version founded, before every city had an escrow and an evaluator. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { z } from "zod";
import { deploymentFile, readDeployment } from "../../orchestrator/city/founding/deployment-file.ts";
import { addressesOf } from "../../orchestrator/protocol/addresses.ts";
import { openHome } from "../support/city-home.ts";
import { rejection } from "../support/rejection.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const fileSchema = z.looseObject({ city: z.looseObject({ addresses: z.record(z.string(), z.string()) }) });

describe("a city of an earlier version", function () {
  this.timeout(120_000);
  const home = suiteDirectory();
  /** What its file held then. */
  let addresses: Record<string, string>;

  before(async () => {
    await (await openHome(home(), "7")).close();
    const path = deploymentFile(join(home(), "embedded"));
    const file = fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    const { AgreementEscrow: _, ClearingEvaluator: __, ...rest } = file.city.addresses;
    addresses = rest;
    writeFileSync(path, JSON.stringify({ ...file, city: { ...file.city, addresses } }));
  });

  it("is refused by name, with what it lacks and what helps, by whoever opens it or reads where it is", async () => {
    const dir = join(home(), "embedded");
    for (const tried of [openHome(home(), "7"), Promise.resolve().then(() => readDeployment(deploymentFile(dir)))]) {
      const { name, message, action } = z
        .object({ name: z.string(), message: z.string(), action: z.string() })
        .parse(await rejection(tried));
      expect(name).to.equal("CityTooOld");
      expect(message).to.include(`The city in ${dir} was founded without AgreementEscrow and ClearingEvaluator`);
      expect(action).to.include("move this folder away").and.include("version that founded it");
    }
  });

  it("is left as it was: nothing is sent or written for it", () => {
    const path = deploymentFile(join(home(), "embedded"));
    expect(fileSchema.parse(JSON.parse(readFileSync(path, "utf8"))).city.addresses).to.deep.equal(addresses);
  });

  it("is refused by whoever finds it elsewhere", () => {
    expect(() => addressesOf(addresses, "The city at http://127.0.0.1:1")).to.throw("without AgreementEscrow and ClearingEvaluator");
  });
});
