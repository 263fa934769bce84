import { expect } from "chai";
import {
  all,
  contract,
  contractWith,
  implies,
  neverReverts,
  onReturn,
  type Prover,
  part,
  returned,
  returnsOnly,
  same,
  smt,
  startProver,
} from "./prove.ts";
import { type Ending, Run, type Stub, type Value } from "./symbolic.ts";
import { BIT_VECTORS } from "./theory.ts";

const must = (value: Value | undefined): Value => {
  if (value === undefined) throw new Error("there is no such word");
  return value;
};
const numberOf = (value: Value | undefined) => (value?.kind === "number" ? `${value.constant}` : "");

/** The value that is returned, whichever way. */
function merged(run: Run, endings: readonly Ending[]): Value {
  const [first, ...others] = endings.filter(({ error }) => error === undefined);
  return others.reduce((value, { when, values }) => run.either(when, must(values[0]), value), must(first?.values[0]));
}

/** The bits of a number from `low` upwards are zero. */
const nothingFrom = (low: number, value: string, bits: number) => `(= ((_ extract ${bits - 1} ${low}) ${value}) (_ bv0 ${bits - low}))`;

describe("proofs: what is packed is what was meant", function () {
  this.timeout(600_000);
  let prover: Prover;
  before(async () => {
    prover = await startProver();
  });
  after(() => prover.close());

  const proves = async (run: Run, formula: string) => expect(await prover.counterexample(run, formula)).to.equal(undefined);

  it("leaves nothing of z3 to the garbage collector, which would free it while z3 decides", async () => {
    const { register, unregister } = FinalizationRegistry.prototype;
    const left = new Set<WeakKey>();
    FinalizationRegistry.prototype.register = function (target, held, token) {
      left.add(target);
      register.call(this, target, held, token);
    };
    FinalizationRegistry.prototype.unregister = function (token) {
      left.delete(token);
      return unregister.call(this, token);
    };
    try {
      const run = new Run([], BIT_VECTORS);
      const word = run.unknown(8, "word");
      expect(await prover.counterexample(run, `(= ${word.smt} ${word.smt})`)).to.equal(undefined);
      expect(await prover.counterexample(run, `(= ${word.smt} ${run.literal(5n, 8).smt})`)).to.be.a("string");
    } finally {
      Object.assign(FinalizationRegistry.prototype, { register, unregister });
    }
    expect([...left]).to.deep.equal([]);
  });

  describe("a node's word", () => {
    const sources = contract("contracts/collaboration/NodeWord.sol");
    const begin = () => new Run(sources, BIT_VECTORS);
    /** Reads a word into a node of which nothing is known. */
    const unpack = (run: Run, word: Value): readonly Ending[] =>
      run.call("NodeWord", "read", [word, run.argument("NodeWord", "read", 1)]).map((ending) => {
        const [, node] = ending.given ?? [];
        return node === undefined ? ending : { ...ending, values: [node] };
      });
    const spare = 253;
    const states = 8n;

    it("is packed again as it was", async () => {
      const run = begin();
      const word = run.unknown(256, "word");
      const again = onReturn(unpack(run, word), (node) => {
        const packed = run.call("NodeWord", "pack", [node]);
        return returnsOnly(packed, word);
      });
      await proves(run, implies(nothingFrom(spare, word.smt, 256), again));
    });

    it("is found out when two fields overlap", async () => {
      const run = new Run(contractWith("contracts/collaboration/NodeWord.sol", "(w.seats << 148)", "(w.seats << 147)"), BIT_VECTORS);
      const node = run.argument("NodeWord", "pack", 0);
      const back = unpack(run, returned(run.call("NodeWord", "pack", [node])).value);
      const kept = onReturn(back, (it) => same(part(it, "drawBlock"), part(node, "drawBlock")));
      expect(await prover.counterexample(run, kept)).to.be.a("string");
    });

    it("is refused when its state is none, and only then", async () => {
      const run = begin();
      const word = run.unknown(256, "word");
      const [panic, ...others] = unpack(run, word).filter(({ error }) => error !== undefined);
      expect(others).to.deep.equal([]);
      await proves(run, `(= ${panic?.when} (bvuge (bvand ${word.smt} ${run.literal(15n, 256).smt}) ${run.literal(states, 256).smt}))`);
    });

    it("brings back every node whose fields fit their places", async () => {
      const run = begin();
      const node = run.argument("NodeWord", "pack", 0);
      const packed = returned(run.call("NodeWord", "pack", [node]));
      const back = unpack(run, packed.value);
      const widths = {
        commitMask: [5, 8],
        revealMask: [5, 8],
        agreeing: [5, 8],
        redraws: [1, 8],
        share: [14, 16],
        flags: [10, 16],
        seats: [spare - 148, 256],
      } as const;
      const fits = all(...Object.entries(widths).map(([field, [width, bits]]) => nothingFrom(width, smt(node, field), bits)));
      const clock = (it: Value) =>
        `(or ${same(part(it, "settlesAt"), part(node, "settlesAt"))} ${same(part(it, "deadline"), part(node, "deadline"))})`;
      const plain = Object.keys(node.kind === "composite" ? Object.fromEntries(node.items) : {}).filter(
        (field) => !["settlesAt", "deadline"].includes(field),
      );
      expect(plain).to.have.length(12);
      await proves(
        run,
        implies(
          fits,
          all(
            ...neverReverts(back),
            onReturn(back, (it) => all(clock(it), ...plain.map((field) => same(part(it, field), part(node, field))))),
          ),
        ),
      );
    });

    it("keeps seven seats apart", async () => {
      const run = begin();
      const [seats, serial] = [run.unknown(256, "seats"), run.unknown(16, "serial")];
      for (let place = 0n; place < 7n; place++) {
        const at = (of: Value, which: bigint) => returned(run.call("NodeWord", "seatAt", [of, run.literal(which, 256)])).value;
        const seated = returned(run.call("NodeWord", "withSeat", [seats, run.literal(place, 256), serial])).value;
        const empty = `(= ${smt(at(seats, place))} #x0000)`;
        const others = [0n, 1n, 2n, 3n, 4n, 5n, 6n]
          .filter((other) => other !== place)
          .map((other) => same(at(seated, other), at(seats, other)));
        await proves(run, implies(all(empty, nothingFrom(15, serial.smt, 16)), all(same(at(seated, place), serial), ...others)));
      }
    });
  });

  describe("a ruling's three words", () => {
    const path = "contracts/collaboration/Ruling.sol";
    const at = (args: readonly Value[]) => numberOf(args[1]);
    const get: Stub = (args) => [part(must(args[0]), at(args))];
    /** Overloads of one name: what is written is a word, whatever it was called. */
    const set: Stub = ([list, index, word]) => {
      if (list?.kind !== "composite") throw new Error("no list");
      list.items.set(numberOf(index), must(word));
      return [list];
    };
    const begin = (sources = contract(path)) =>
      new Run(sources, BIT_VECTORS, {
        "DynamicArrayLib.set": set,
        "DynamicArrayLib.get": get,
        "DynamicArrayLib.getBytes32": get,
      });

    /** Puts a ruling beside another of which nothing is known, and reads it into one of which nothing is known. */
    function roundTrip(run: Run, index: bigint, field?: string) {
      const words = Array.from({ length: 6 }, (_, place) => run.unknown(256, `word${place}`));
      const list: Value = { kind: "composite", items: new Map(words.map((word, place) => [`${place}`, word])) };
      const ruling = run.argument("RulingWords", "put", 2);
      const into = run.argument("RulingWords", "read", 2);
      const place = run.literal(index, 256);
      // One way for a crowded panel, one for another.
      const ways = run.call("RulingWords", "put", [list, place, ruling]).map(({ when, error, given }) => {
        const after = must(given?.[0]);
        const back = run.call("RulingWords", "read", [after, place, into]);
        const read = back.flatMap(({ when: whenRead, given: [, , it] = [] }) => {
          if (it === undefined) return [];
          return [implies(whenRead, field === undefined ? same(it, ruling) : same(part(it, field), part(ruling, field)))];
        });
        expect(read).not.to.have.length(0);
        const others = words.flatMap((word, at) => (Math.floor(at / 3) === Number(index) ? [] : [same(part(after, at), word)]));
        return { when, sound: all(`${error === undefined}`, ...neverReverts(back), ...read), others: all(...others) };
      });
      expect(ways).to.have.length(2);
      // Seven serial numbers.
      const fits = nothingFrom(105, smt(ruling, "seats"), 256);
      return {
        sound: implies(fits, all(...ways.map(({ when, sound }) => implies(when, sound)))),
        others: all(...ways.map(({ when, others }) => implies(when, others))),
      };
    }

    it("are read as they were put, whatever was there before, and leave those of another ruling alone", async () => {
      for (const index of [0n, 1n]) {
        const run = begin();
        const { sound, others } = roundTrip(run, index);
        await proves(run, sound);
        await proves(run, others);
      }
    });

    for (const [what, right, wrong, field] of [
      ["late slots reach into the next field", "(uint256(r.late) << 80)", "(uint256(r.late) << 81)", "crowded"],
      ["a score is read a bit short", "uint16(word >> 40)", "uint16(uint256(uint8(word >> 40)))", "decision"],
      ["a fault is put where seats are", "(uint256(uint32(r.fault)) << 96)", "(uint256(uint32(r.fault)) << 97)", "seats"],
    ] as const) {
      it(`are found out when ${what}`, async () => {
        const run = begin(contractWith(path, right, wrong));
        expect(await prover.counterexample(run, roundTrip(run, 0n, field).sound)).to.be.a("string");
      });
    }
  });

  describe("a mission's parameters", () => {
    const sources = contract("contracts/libraries/MissionParamsCodec.sol");

    it("come back from their word, whenever they were packed", async () => {
      const run = new Run(sources, BIT_VECTORS);
      const params = run.argument("MissionParamsCodec", "pack", 0);
      const packed = returned(run.call("MissionParamsCodec", "pack", [params]));
      const back = run.call("MissionParamsCodec", "unpack", [packed.value]);
      await proves(run, implies(packed.when, returnsOnly(back, params)));
    });

    it("fill their word: every word without spare bits is packed again as it was, and no other is read", async () => {
      const run = new Run(sources, BIT_VECTORS);
      const word = run.unknown(256, "word");
      const unpacked = run.call("MissionParamsCodec", "unpack", [word]);
      const { when, value } = returned(unpacked);
      const packed = run.call("MissionParamsCodec", "pack", [value]);
      await proves(run, implies(when, returnsOnly(packed, word)));
      await proves(run, `(= ${when} ${nothingFrom(247, word.smt, 256)})`);
    });
  });

  describe("a law's node", () => {
    /** The law's bytes are two words, the predecessors and the packed one. */
    const begin = () => {
      const words: Value[] = [];
      const load = (args: readonly Value[]) => [
        part(
          {
            kind: "composite",
            items: new Map([
              ["0", must(words[0])],
              ["32", must(words[1])],
            ]),
          },
          numberOf(args[1]),
        ),
      ];
      const run = new Run(contract("contracts/libraries/LawCodec.sol"), BIT_VECTORS, {
        "LawCodec._nodeOffset": (_, it) => [it.literal(0n, 256)],
        "LibBytes.load": load,
      });
      return { run, words };
    };

    it("is packed again as it was, and a word with a spare bit, an unknown risk or floor is refused", async () => {
      const { run, words } = begin();
      words.push(run.unknown(256, "predecessors"), run.unknown(256, "word"));
      const [, word] = words;
      const index = run.literal(0n, 256);
      const endings = run.call("LawCodec", "node", [index, index]);
      const { when, value } = returned(endings);
      const packed = run.call("LawCodec", "_packNode", [value, index]);
      await proves(run, implies(when, returnsOnly(packed, must(word))));
      const field = (low: number, width: bigint) => `(bvand (bvlshr ${smt(must(word))} (_ bv${low} 256)) (_ bv${(1n << width) - 1n} 256))`;
      const known = all(`(bvult ${field(211, 2n)} (_ bv3 256))`, `(bvult ${field(213, 3n)} (_ bv6 256))`);
      await proves(run, `(= ${when} ${all(known, nothingFrom(222, smt(must(word)), 256))})`);
    });

    it("comes back from its word, whenever it was packed", async () => {
      const { run, words } = begin();
      const node = run.argument("LawCodec", "_packNode", 0);
      // One way to return for a node that takes any code, one for others.
      for (const { when, values, error } of run.call("LawCodec", "_packNode", [node, run.literal(0n, 256)])) {
        if (error !== undefined) continue;
        words.splice(0, 2, part(node, "predecessors"), must(values[0]));
        const back = run.call("LawCodec", "node", [run.literal(0n, 256), run.literal(0n, 256)]);
        await proves(run, implies(when, returnsOnly(back, node)));
      }
    });
  });

  describe("the order of evidence", () => {
    const begin = () => {
      const run = new Run(contract("contracts/libraries/Admissibility.sol"), BIT_VECTORS);
      const classes = ["geq", "meet", "join"].map((name) => run.argument("Admissibility", name, 0));
      const value = (name: string, ...args: readonly Value[]) => merged(run, run.call("Admissibility", name, args));
      return { run, classes: classes as [Value, Value, Value], value };
    };

    it("is a lattice: meet and join are its greatest lower and least upper bounds", async () => {
      const {
        run,
        classes: [a, b, c],
        value,
      } = begin();
      const geq = (x: Value, y: Value) => smt(value("geq", x, y));
      const meet = value("meet", a, b);
      const join = value("join", a, b);
      await proves(run, all(geq(a, meet), geq(b, meet), `(= (and ${geq(a, c)} ${geq(b, c)}) ${geq(meet, c)})`));
      await proves(run, all(geq(join, a), geq(join, b), `(= (and ${geq(c, a)} ${geq(c, b)}) ${geq(c, join)})`));
      await proves(run, all(geq(a, a), implies(all(geq(a, b), geq(b, a)), same(a, b)), implies(all(geq(a, b), geq(b, c)), geq(a, c))));
    });
  });
});
