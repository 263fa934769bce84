import { expect } from "chai";
import { keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { recoverAddress } from "../../orchestrator/primitives/recovery.ts";
import { rejection } from "../support/rejection.ts";

describe("the account behind a signature", () => {
  const account = privateKeyToAccount(keccak256("0x01"));
  const hash = keccak256("0x02");

  it("is the one that signed, each time it is asked for, and another for another hash", async () => {
    const signature = await account.sign({ hash });
    for (let i = 0; i < 3; i++) expect(await recoverAddress({ hash, signature })).to.equal(account.address);
    expect(await recoverAddress({ hash: keccak256("0x03"), signature })).to.not.equal(account.address);
    expect(await recoverAddress({ hash, signature })).to.equal(account.address);
  });

  it("is nobody where there is no signature, and stays nobody", async () => {
    const good = (await account.sign({ hash })).slice(2);
    const bad = ["", "00", good.slice(2), `${good}00`, "00".repeat(65), `${good.slice(0, -2)}05`];
    for (const hex of [...bad, ...bad])
      expect(await rejection(recoverAddress({ hash, signature: `0x${hex}` })), hex).to.be.instanceOf(Error);
  });
});
