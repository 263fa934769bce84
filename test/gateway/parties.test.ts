import { expect } from "chai";
import { Bearers } from "../../orchestrator/gateway/bearers.ts";
import { Places } from "../../orchestrator/gateway/parties.ts";
import { partyOf } from "../../orchestrator/primitives/party.ts";
import { thrown } from "../support/rejection.ts";

describe("who shares an allowance", () => {
  it("is an IPv4 address, or a network of 64 bits", () => {
    expect(partyOf("203.0.113.7", undefined, [])).to.equal("203.0.113.7");
    expect(partyOf("::ffff:203.0.113.7", undefined, [])).to.equal("203.0.113.7");
    const same = ["2001:db8:0:1::1", "2001:db8::1:ffff:0:0:2", "2001:0DB8:0000:0001:1:2:3:4", "2001:db8:0:1::9%eth0"];
    expect(new Set(same.map((address) => partyOf(address, undefined, []))).size).to.equal(1);
    expect(partyOf("2001:db8:0:2::1", undefined, [])).to.not.equal(partyOf("2001:db8:0:1::1", undefined, []));
  });

  it("is what a trusted proxy says, and nothing that a caller says itself", () => {
    const proxies = ["127.0.0.1", "10.0.0.2"];
    expect(partyOf("127.0.0.1", "203.0.113.7", proxies)).to.equal("203.0.113.7");
    expect(partyOf("::ffff:127.0.0.1", "203.0.113.7, 10.0.0.2", proxies)).to.equal("203.0.113.7");
    // The caller's own header stands to the left of what the proxy saw.
    expect(partyOf("127.0.0.1", "198.51.100.1, 203.0.113.7", proxies)).to.equal("203.0.113.7");
    expect(partyOf("203.0.113.7", "198.51.100.1", proxies)).to.equal("203.0.113.7");
    for (const nonsense of ["", ",,", "unknown", "<script>", "198.51.100.1, nonsense"])
      expect(partyOf("127.0.0.1", nonsense, proxies), nonsense).to.equal("127.0.0.1");
  });
});

describe("places", () => {
  it("are so many in all and so many of each, and come back once", () => {
    const places = new Places(3, 2);
    const [first, second] = [places.take("a"), places.take("a")];
    expect(places.take("a")).to.equal(undefined);
    expect(places.take("b")).to.be.a("function");
    expect(places.take("c")).to.equal(undefined);
    first?.();
    first?.();
    expect(places.take("c")).to.be.a("function");
    expect(places.take("d")).to.equal(undefined);
    second?.();
    expect(places.take("a")).to.be.a("function");
  });
});

describe("a bearer", () => {
  const key = "0x853cD99154C0DfA30F4D6fD0b269eC5123D71ac7";

  it("stands for its key for fifteen minutes, however many others are opened", () => {
    const bearers = new Bearers();
    const { bearer, expires } = bearers.open(key, 1_000);
    for (let at = 0; at < 20_000; at += 1) bearers.open(key, 1_000);
    expect([bearers.keyOf(`Bearer ${bearer}`, expires - 1), expires]).to.deep.equal([key, 1_900]);
    expect(thrown(() => bearers.keyOf(`Bearer ${bearer}`, expires))).to.include({ code: "BearerUnknown" });
  });

  it("is nobody's when a bit of it is another, and nothing to another process", () => {
    const bearers = new Bearers();
    const { bearer } = bearers.open(key, 1_000);
    const bytes = Buffer.from(bearer, "base64url");
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(thrown(() => bearers.keyOf(`Bearer ${changed.toString("base64url")}`, 1_001))).to.include({ code: "BearerUnknown" });
    }
    for (const other of ["", bearer.slice(1), `${bearer}A`, bearer.toUpperCase(), `${bearer}=`])
      expect(
        thrown(() => bearers.keyOf(`Bearer ${other}`, 1_001)),
        other,
      ).to.include({ code: "BearerUnknown" });
    expect(thrown(() => new Bearers().keyOf(`Bearer ${bearer}`, 1_001))).to.include({ code: "BearerUnknown" });
  });
});
