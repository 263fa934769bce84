import { expect } from "chai";
import { type Address, hashTypedData } from "viem";
import type { orderTypedData } from "../../orchestrator/client/sign/order.ts";
import { walletJson } from "../../orchestrator/client/sign/wallet-json.ts";
import { randomStream } from "../../orchestrator/primitives/random.ts";
import { actDescriptor } from "../../orchestrator/protocol/act-descriptor.ts";
import { ACTION_NAMES, decodeActionData, encodeActionData } from "../../orchestrator/protocol/actions.ts";
import { actFields, actType, actTypedData, actTypeString } from "../../orchestrator/protocol/acts.ts";
import { randomArguments, randomOrder } from "../support/acts.ts";

const CITY: Address = `0x${"0a".repeat(20)}`;
const BLANK = `0x${"00".repeat(32)}` as const;

describe("human acts", () => {
  const random = randomStream(85, "acts");

  it("are flat types of distinct names that wallets render: no bytes, no structs, lists of words at most", () => {
    expect(new Set(ACTION_NAMES.map(actType)).size).to.equal(ACTION_NAMES.length);
    for (const name of ACTION_NAMES) {
      const fields = actFields(name);
      expect(new Set(fields.map((field) => field.name)).size, name).to.equal(fields.length);
      for (const { type } of fields) expect(type, `${name} ${type}`).to.match(/^(address|bool|string|u?int\d+|bytes(32|4\[\]))$/);
      expect(fields.map((field) => field.name)).to.include.members(["because", "deadline"]);
    }
    expect(actTypeString("FREEZE")).to.equal(
      "Freeze(address mission,uint8 node,uint8 attempt,string because,uint256 salt,uint40 deadline)",
    );
  });

  it("give back the arguments that were encoded, whatever they carry", () => {
    for (const name of ACTION_NAMES) {
      for (let k = 0; k < 20; k += 1) {
        const values = randomArguments(random, name);
        const decoded = decodeActionData(name, encodeActionData(name, values as never)) as readonly unknown[];
        expect([...decoded], name).to.deep.equal(values);
      }
    }
  });

  it("change their digest with every field that is signed, and the evidence with its hash", () => {
    for (const name of ACTION_NAMES) {
      const order = randomOrder(random, name);
      const { message, types, primaryType, domain } = actTypedData(1, CITY, order);
      const digest = hashTypedData({ message, types, primaryType, domain });
      for (const field of actFields(name)) {
        const value = (message as Record<string, unknown>)[field.name];
        const other =
          typeof value === "bigint"
            ? value ^ 1n
            : typeof value === "number"
              ? Math.abs(value - 1)
              : typeof value === "boolean"
                ? !value
                : Array.isArray(value)
                  ? [...value, "0x12345678"]
                  : field.type === "string"
                    ? `${value}.`
                    : field.type === "address"
                      ? CITY
                      : BLANK;
        const changed = hashTypedData({ message: { ...message, [field.name]: other }, types, primaryType, domain });
        expect(changed, `${name} ${field.name}`).to.not.equal(digest);
      }
    }
  });

  it("are shown whole: the wallet's document has the fields of its type and no others", () => {
    const domain = { chain: { id: 31337 }, addresses: { AdjudicationProcedure: CITY } } as Parameters<typeof orderTypedData>[0];
    const order = randomOrder(random, "RESOLVE_APPEAL");
    const { types, primaryType, message } = JSON.parse(walletJson(domain, order));
    expect(primaryType).to.equal("ResolveAppeal");
    expect(Object.keys(types)).to.deep.equal(["EIP712Domain", "ResolveAppeal"]);
    expect(Object.keys(message)).to.deep.equal(actFields("RESOLVE_APPEAL").map(({ name }) => name));
    expect(() => actTypedData(1, CITY, { ...order, action: 99 })).to.throw(RangeError, "action 99 is unknown");
  });

  it("are described for hardware wallets field by field, bound to a city where one is given", () => {
    const { context, display, metadata } = actDescriptor({ chainId: 10, adjudication: CITY });
    expect(context.eip712.deployments).to.deep.equal([{ chainId: 10, address: CITY }]);
    expect(actDescriptor().context.eip712).to.not.have.property("deployments");
    for (const name of ACTION_NAMES) {
      const format = display.formats[actType(name)];
      const names = actFields(name).map((field) => field.name);
      expect(format.required, name).to.deep.equal(names);
      expect(format.fields.map(({ path }: { readonly path: string }) => path.replace(".[]", ""))).to.deep.equal(names);
      for (const { params } of format.fields) {
        const named = /^\$\.metadata\.enums\.(\w+)$/.exec(params?.$ref ?? "")?.[1];
        if (named !== undefined) expect(metadata.enums).to.have.property(named);
      }
    }
  });
});
