import { expect } from "chai";
import { addressSchema } from "../../orchestrator/primitives/address.ts";
import { AgentCityError, InvalidValue, messageOf } from "../../orchestrator/primitives/errors.ts";
import { bytesToHex, hashSchema, hexSchema, hexToBytes } from "../../orchestrator/primitives/hex.ts";

describe("errors", () => {
  it("say what happened, the facts and what to do, and travel as plain data", () => {
    const cause = new Error("socket closed");
    const error = new AgentCityError("RpcGone", "The node is gone.", { details: "http://127.0.0.1:1", action: "Start it.", cause });
    expect(error.message).to.equal("The node is gone.\nhttp://127.0.0.1:1\nWhat to do: Start it.");
    expect(error.name).to.equal("RpcGone");
    expect(error.cause).to.equal(cause);
    expect(error.toPlain()).to.deep.equal({
      code: "RpcGone",
      message: "The node is gone.",
      details: "http://127.0.0.1:1",
      action: "Start it.",
    });
    expect(messageOf(error)).to.equal("The node is gone.");
    expect(messageOf("plain")).to.equal("plain");
  });
});

describe("hex", () => {
  it("parses, normalizes and refuses", () => {
    expect(hexSchema.parse("0xAB")).to.equal("0xab");
    expect(hexSchema.safeParse("0xabc").success).to.equal(false);
    expect(hashSchema.safeParse(`0x${"0".repeat(63)}`).success).to.equal(false);
    expect(addressSchema.parse("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266")).to.equal("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    expect(addressSchema.safeParse("0xF39fd6e51aad88f6f4ce6ab8827279cfffb92266").success).to.equal(false);
    expect(bytesToHex(hexToBytes("0x00ff10"))).to.equal("0x00ff10");
    expect(() => hexToBytes("0xzz")).to.throw(InvalidValue);
  });
});
