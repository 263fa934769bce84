import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encodeDeployData, zeroAddress, zeroHash } from "viem";
import { z } from "zod";
import { intentKey } from "../../../orchestrator/chain/outbox.ts";
import { isOrderSignedBy } from "../../../orchestrator/city/audit/signatures.ts";
import { orderDigest } from "../../../orchestrator/client/sign/order.ts";
import { addressSchema } from "../../../orchestrator/primitives/address.ts";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { actionNumber, encodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { keyOf, type LivingCity, openLivingCity } from "../../support/living-city.ts";

const artifact = join(import.meta.dirname, "../../../artifacts/test/contracts/harness/OwnedWallet.sol/OwnedWallet.json");

describe("signatures of orders as the audit reads them", function () {
  this.timeout(60_000);
  let city: LivingCity;
  before(async () => {
    city = await openLivingCity({ producers: 2, verifiers: 1 });
  });
  after(() => city.chain.close());

  it("are a key's own, or what the chain took from a contract wallet", async () => {
    const { client } = city;
    const owner = keyOf("owner of a wallet");
    const { abi, bytecode } = z.object({ abi: z.array(z.any()), bytecode: hexSchema }).parse(JSON.parse(readFileSync(artifact, "utf8")));
    const data = encodeDeployData({ abi, bytecode, args: [owner.address] });
    const receipt = await client.sender?.send({ intent: intentKey("wallet"), data });
    const wallet = addressSchema.parse(receipt?.contractAddress);
    const order = {
      ...{ action: actionNumber("STOP_CITY"), mission: zeroAddress, node: 0, target: zeroAddress },
      ...{ data: encodeActionData("STOP_CITY", []), because: "A test.", caseHash: zeroHash, salt: 1n, deadline: 1 },
    };
    const signature = await owner.sign({ hash: orderDigest(client, order) });
    expect(await isOrderSignedBy({ client }, owner.address, order, signature)).to.equal(true);
    expect(await isOrderSignedBy({ client }, keyOf("somebody").address, order, signature)).to.equal(false);
    expect(await isOrderSignedBy({ client }, owner.address, { ...order, because: "Another." }, signature)).to.equal(false);
    expect(await isOrderSignedBy({ client }, wallet, order, signature)).to.equal(true);
  });
});
