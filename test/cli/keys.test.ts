import { expect } from "chai";
import { decryptKeystore, encryptKeystore, KeyUnusable } from "../../orchestrator/agent/keystore.ts";
import { InvalidValue } from "../../orchestrator/primitives/errors.ts";
import { thrown } from "../support/rejection.ts";

/** The two test vectors of the Web3 Secret Storage definition. */
const KEY = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";
const SCRYPT = {
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
    ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    kdf: "scrypt",
    kdfparams: { dklen: 32, n: 262144, r: 1, p: 8, salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19" },
    mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
  },
  id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  version: 3,
};
const PBKDF2 = {
  ...SCRYPT,
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
    ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    kdf: "pbkdf2",
    kdfparams: { c: 262144, dklen: 32, prf: "hmac-sha256", salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd" },
    mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
  },
};

describe("keystore", () => {
  it("opens the definition's own vectors", () => {
    expect(decryptKeystore(JSON.stringify(SCRYPT), "testpassword")).to.equal(KEY);
    expect(decryptKeystore(JSON.stringify(PBKDF2), "testpassword")).to.equal(KEY);
  });

  it("is written as it is read", () => {
    const text = encryptKeystore(KEY, "correct horse", (bytes) => new Uint8Array(bytes).fill(7));
    expect(decryptKeystore(text, "correct horse")).to.equal(KEY);
    expect(thrown(() => decryptKeystore(text, "correct hoarse"))).to.be.instanceOf(KeyUnusable);
    expect(text).not.to.include(KEY.slice(2, 12));
  });

  it("refuses a wrong password, another version and what would take for ever", () => {
    const cases: [object, string][] = [
      [PBKDF2, "wrong"],
      [{ ...PBKDF2, version: 1 }, "testpassword"],
      [{ ...SCRYPT, crypto: { ...SCRYPT.crypto, kdfparams: { ...SCRYPT.crypto.kdfparams, n: 2 ** 30 } } }, "testpassword"],
      [{ ...SCRYPT, crypto: { ...SCRYPT.crypto, cipher: "aes-128-cbc" } }, "testpassword"],
    ];
    for (const [keystore, password] of cases)
      expect(thrown(() => decryptKeystore(JSON.stringify(keystore), password)))
        .to.be.instanceOf(KeyUnusable)
        .and.satisfy((error: KeyUnusable) => !error.message.includes("7a28b5"));
    expect(thrown(() => decryptKeystore("{", "x")))
      .to.be.instanceOf(Error)
      .and.not.instanceOf(InvalidValue);
  });
});
