import { expect } from "chai";
import { zeroHash } from "viem";
import { admittedAmong } from "../../orchestrator/execution/admitted.ts";
import { address } from "../support/goals.ts";
import { hashOf } from "../support/living-city.ts";

describe("what a law admits among what is sold", () => {
  const sold = (name: string, code: string, schema: string) => {
    const record = {
      owner: address(1),
      codeHash: hashOf(code),
      schemaHash: hashOf(schema),
      endpoint: `city:${name}`,
      constraints: zeroHash,
    };
    return { name, record };
  };
  const named = (code: string, schema = "schemas") => ({ code: hashOf(code), schema: hashOf(schema) });
  const names = (admits: Parameters<typeof admittedAmong>[0]["admits"], services: readonly ReturnType<typeof sold>[]) =>
    admittedAmong({ admits }, services).map(({ name }) => name);

  it("is code with its schemas, whatever it is called, in the order of the law", () => {
    const services = [
      sold("b", "two", "schemas"),
      sold("a", "one", "schemas"),
      sold("a", "a constant", "schemas"),
      sold("b", "two", "loose"),
    ];
    expect(admittedAmong({ admits: [named("one"), named("two")] }, services)).to.deep.equal([services[1], services[0]]);
    expect(names([named("one")], [sold("another name", "one", "schemas")])).to.deep.equal(["another name"]);
    expect(names([named("one")], [sold("a", "a constant", "schemas")])).to.deep.equal([]);
  });

  it("is any code with these schemas where the law takes any, each once", () => {
    const services = [sold("own", "a stranger's", "schemas"), sold("loose", "one", "loose"), sold("a", "one", "schemas")];
    const any = { schema: hashOf("schemas") };
    expect(names([any, any], services)).to.deep.equal(["own", "a"]);
  });
});
