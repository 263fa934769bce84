import canonicalize from "canonicalize";
import { expect } from "chai";
import fc from "fast-check";
import { assertJson, canonicalJson, NotJson, parseCanonicalJson, parseJson, parseJsonBytes } from "../../orchestrator/primitives/json.ts";

describe("canonical JSON", () => {
  it("sorts keys by UTF-16 code units and writes numbers as RFC 8785 does", () => {
    const value = {
      "\u20ac": 1,
      "\r": 2,
      "1": 3,
      "\u0080": 4,
      "\ud83d\ude00": 5,
      "\ufb33": 6,
      n: [333333333.3333333, 1e30, 4.5, 0.002, 1e-27, -0],
    };
    expect(canonicalJson(value)).to.equal(
      '{"\\r":2,"1":3,"n":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"\u0080":4,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":6}',
    );
  });

  it("writes members in order however they are listed, also after others of the same first name and number", () => {
    const lists = [
      { b: 1, a: 2, c: 3 },
      { b: 1, c: 2, a: 3 },
      { b: 1, '"': 2, "\u20ac": 3 },
      { a: 1, b: 2, c: 3 },
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`n${(n * 7) % 40}`, n])),
      { "": 1, a: { "": 2 } },
      {},
    ];
    for (const value of [...lists, ...lists.reverse(), ...lists]) expect(canonicalJson(value)).to.equal(canonicalize(value));
    expect(() => canonicalJson({ b: 1, a: 2, toJSON: 3 })).to.throw(NotJson);
    expect(() => canonicalJson({ b: 1, a: 2, toJSON: 3 }), "again").to.throw(NotJson);
  });

  const refused: Record<string, unknown> = {
    undefined,
    "undefined inside": { a: undefined },
    NaN: [Number.NaN],
    Infinity: Number.POSITIVE_INFINITY,
    bigint: { amount: 1n },
    function: () => 1,
    toJSON: { toJSON: () => "x" },
    Date: new Date(0),
    Map: new Map(),
    hole: Object.assign([], { 1: "b" }),
    "lone surrogate": "\ud800",
    symbol: { [Symbol("s")]: 1 },
    "own __proto__": JSON.parse('{"__proto__":1}'),
  };
  for (const [name, value] of Object.entries(refused)) {
    it(`refuses ${name}`, () => expect(() => canonicalJson(value)).to.throw(NotJson));
  }

  it("names the place", () => {
    expect(() => canonicalJson({ nodes: [{}, { budget: 5n }] })).to.throw(NotJson, "$.nodes[1].budget");
  });

  it("refuses a value that contains itself, but not one that appears twice", () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(() => canonicalJson(loop)).to.throw(NotJson, "$.self");
    const twice = { a: 1 };
    expect(canonicalJson([twice, twice])).to.equal('[{"a":1},{"a":1}]');
  });

  it("writes every JSON value as the reference does, deep ones too", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 8 }), (value) => {
        const clean: unknown = JSON.parse(JSON.stringify(value));
        fc.pre(isStrict(clean));
        expect(canonicalJson(clean)).to.equal(canonicalize(clean));
      }),
      { seed: 11, numRuns: 500 },
    );
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => ({ b: [inner], a: -0.5e-9 }), { "\u20ac": null });
    expect(canonicalJson(deep)).to.equal(canonicalize(deep));
    expect(canonicalJson({ "10": 1, "9": 2, "": 3 })).to.equal('{"":3,"10":1,"9":2}');
    expect(() => canonicalJson(Object.assign([1], { extra: 2 }))).to.throw(NotJson);
    expect(() => canonicalJson({ "\ud800": 1 })).to.throw(NotJson);
  });

  it("round-trips every JSON value, whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const clean: unknown = JSON.parse(JSON.stringify(value));
        fc.pre(isStrict(clean));
        const text = canonicalJson(clean);
        expect(canonicalJson(parseCanonicalJson(text))).to.equal(text);
        expect(canonicalJson(reversed(clean))).to.equal(text);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe("strict parsing", () => {
  it("refuses duplicate keys however they are spelled", () => {
    expect(() => parseJson('{"a":1,"b":{"a":2},"\\u0061":3}')).to.throw(NotJson, "twice");
    expect(parseJson('{"a":1,"b":{"a":2},"c":["a","a",":"]}')).to.deep.equal({ a: 1, b: { a: 2 }, c: ["a", "a", ":"] });
  });

  it("refuses integers that lose digits and numbers that overflow", () => {
    expect(() => parseJson("[9007199254740993]")).to.throw(NotJson, "9007199254740993");
    expect(() => parseJson("[1e999]")).to.throw(NotJson);
    expect(parseJson('["9007199254740993", 0.1]')).to.deep.equal(["9007199254740993", 0.1]);
  });

  it("refuses broken text, wrong UTF-8 and non-canonical spelling by the same name", () => {
    expect(() => parseJson("{")).to.throw(NotJson);
    expect(() => parseJsonBytes(new Uint8Array([0x22, 0xff, 0x22]))).to.throw(NotJson, "UTF-8");
    expect(() => parseCanonicalJson('{"a": 1}')).to.throw(NotJson, "RFC 8785");
  });
});

function isStrict(value: unknown): boolean {
  try {
    assertJson(value);
    return true;
  } catch {
    return false;
  }
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}
