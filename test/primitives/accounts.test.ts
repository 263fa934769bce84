import { secp256k1 } from "@noble/curves/secp256k1.js";
import { expect } from "chai";
import { recoverAddress as recoverByViem, type TransactionSerializable, zeroAddress } from "viem";
import { privateKeyToAccount as viemAccount } from "viem/accounts";
import { privateKeyToAccount } from "../../orchestrator/primitives/accounts.ts";
import { bytesToHex, type Hex } from "../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { recoverAddress, recoverSender } from "../../orchestrator/primitives/recovery.ts";
import { libsecp256k1 } from "../../orchestrator/primitives/secp256k1.ts";
import { signerOf } from "../../orchestrator/primitives/signing.ts";

const outcome = (work: Promise<unknown>) => work.catch((error: unknown) => (error instanceof Error ? error.name : error));

describe("accounts that sign by libsecp256k1", () => {
  const random = randomStream("accounts");
  const secrets = Array.from({ length: 20 }, () => bytesToHex(random.bytes(32)));
  const both = (secret: Hex) => [privateKeyToAccount(secret), viemAccount(secret)] as const;

  it("find the library here", () => {
    expect(libsecp256k1).to.not.equal(undefined);
  });

  it("sign hashes, texts and typed data as viem does, byte for byte", async () => {
    const types = { Note: [{ name: "text", type: "string" }] } as const;
    for (const secret of secrets) {
      const [own, viem] = both(secret);
      expect([own.address, own.publicKey]).to.deep.equal([viem.address, viem.publicKey]);
      const hash = bytesToHex(random.bytes(32));
      expect(await own.sign({ hash })).to.equal(await viem.sign({ hash }));
      const raw = bytesToHex(random.bytes(random.int(80)));
      expect(await own.signMessage({ message: { raw } })).to.equal(await viem.signMessage({ message: { raw } }));
      const data = { domain: { chainId: 7 }, types, primaryType: "Note", message: { text: raw } } as const;
      expect(await own.signTypedData(data)).to.equal(await viem.signTypedData(data));
    }
  });

  it("sign hashes at and beyond the order of the curve as viem does", async () => {
    const order = secp256k1.Point.CURVE().n;
    for (const value of [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n]) {
      const hash: Hex = `0x${value.toString(16).padStart(64, "0")}`;
      const [own, viem] = both(secrets[0] ?? "0x");
      expect(await own.sign({ hash }), hash).to.equal(await viem.sign({ hash }));
    }
  });

  it("sign transactions of every type as viem does, and are known by them", async () => {
    const common = { chainId: 31_337, to: zeroAddress, nonce: 3, gas: 21_000n, value: 5n } as const;
    const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n } as const;
    for (const secret of secrets.slice(0, 4)) {
      const [own, viem] = both(secret);
      const authorization = await viem.signAuthorization({ chainId: 31_337, address: zeroAddress, nonce: 4 });
      const transactions: TransactionSerializable[] = [
        { ...common, type: "legacy", gasPrice: 1n },
        { ...common, type: "eip2930", gasPrice: 1n, accessList: [] },
        { ...common, ...fees, type: "eip1559", data: bytesToHex(random.bytes(40)) },
        { ...common, ...fees, type: "eip4844", blobVersionedHashes: [`0x01${"00".repeat(31)}`], maxFeePerBlobGas: 1n },
        { ...common, ...fees, type: "eip7702", authorizationList: [authorization] },
      ];
      for (const transaction of transactions) {
        const raw = await own.signTransaction(transaction);
        expect(raw, transaction.type).to.equal(await viem.signTransaction(transaction));
        expect(await recoverSender(raw), transaction.type).to.equal(viem.address);
      }
    }
  });

  it("refuse what viem refuses, as a rejection", async () => {
    const { sign, signTypedData } = privateKeyToAccount(secrets[0] ?? "0x");
    expect(await outcome(sign({ hash: "0x01" }))).to.be.a("string");
    expect(await outcome(signTypedData({ types: { Note: [] }, primaryType: "Other", message: {} } as never))).to.be.a("string");
    expect(() => privateKeyToAccount(`0x${"00".repeat(32)}`)).to.throw();
  });

  it("are recovered as by viem, from sound signatures, their mirror images and noise", async () => {
    const order = secp256k1.Point.CURVE().n;
    const word = (value: bigint) => value.toString(16).padStart(64, "0");
    for (const secret of secrets) {
      const account = privateKeyToAccount(secret);
      const hash = bytesToHex(random.bytes(32));
      const good = await account.sign({ hash });
      expect(await recoverAddress({ hash, signature: good })).to.equal(account.address);
      const [r, s, v] = [good.slice(2, 66), BigInt(`0x${good.slice(66, 130)}`), good.slice(130)];
      const mirrored: Hex = `0x${r}${word(order - s)}${v === "1b" ? "1c" : "1b"}`;
      expect(await recoverAddress({ hash, signature: mirrored })).to.equal(account.address);
      const others: Hex[] = [
        ...["00", "01", "02", "1d", "1B"].map((last): Hex => `0x${r}${word(s)}${last}`),
        `0x${word(0n)}${word(s)}1b`,
        `0x${r}${word(0n)}1b`,
        `0x${r}${word(order)}1b`,
        `0x${word(order)}${word(s)}1b`,
        ...Array.from({ length: 4 }, (): Hex => `${bytesToHex(random.bytes(64))}1c`),
      ];
      for (const signature of others) {
        const [own, theirs] = await Promise.all([
          outcome(recoverAddress({ hash, signature })),
          outcome(recoverByViem({ hash, signature })),
        ]);
        expect(own, signature).to.equal(theirs);
      }
    }
  });

  it("sign bytes as JavaScript does", () => {
    for (const secret of secrets) {
      const key = Uint8Array.from(Buffer.from(secret.slice(2), "hex"));
      const message = random.bytes(random.int(100));
      expect(signerOf("secp256k1", key).sign(message)).to.equal(bytesToHex(secp256k1.sign(message, key)));
    }
  });
});
