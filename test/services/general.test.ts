import { expect } from "chai";
import filter from "../../services/filter.ts";
import group from "../../services/group.ts";
import rank from "../../services/rank.ts";
import { fieldOf } from "../../services/shared/fields.ts";
import top from "../../services/top.ts";
import { answerOf } from "../support/services.ts";

const ROWS = [
  { id: "1", fields: { city: "Łódź", price: "12.50" }, values: { price: 12.5 }, label: "b" },
  { id: "2", fields: { city: "Lima", price: "n/a" }, values: {}, label: "B" },
  { id: "3", fields: { city: "Lima", price: "7" }, values: { price: 7 }, label: "a" },
  { id: "4", fields: { city: "Lima", price: "12.5" }, values: { price: 12.5 }, "unit.price": 3 },
  { id: "5", fields: { city: "", price: "" }, values: {}, tags: ["x", "Y"] },
];
const ids = (items: readonly { readonly id: string }[]): string[] => items.map(({ id }) => id);

describe("services/shared/fields", () => {
  it("finds own values by path, keys with dots and table cells included, and nothing that objects inherit", () => {
    const item = { id: "1", a: { "b.c": { d: 0 } }, values: { x: 1, a: 2 }, fields: { x: "one", y: "two" } };
    expect(["a.b.c.d", "x", "y", "values.x", "fields.x"].map((path) => fieldOf(item, path))).to.deep.equal([0, 1, "two", 1, "one"]);
    for (const path of ["a.b", "__proto__", "constructor.name", "a.constructor", "id.length", "", "."]) {
      expect(fieldOf(item, path), path).to.equal(undefined);
    }
  });
});

describe("services/filter", () => {
  const kept = async (options: Record<string, string | number | boolean | string[]>) => ids((await answerOf(filter, ROWS, options)).items);

  it("keeps what meets the condition; an item without the field only meets `missing`", async () => {
    expect(await kept({ field: "label", value: "B" })).to.deep.equal(["1", "2"]);
    expect(await kept({ field: "label", op: "differs", value: "b" })).to.deep.equal(["3"]);
    expect(await kept({ field: "price", op: "less", value: 12.5 })).to.deep.equal(["3"]);
    expect(await kept({ field: "price", op: "at-least", value: "7" })).to.deep.equal(["1", "3", "4"]);
    expect(await kept({ field: "price", value: 12.5 })).to.deep.equal(["1", "4"]);
    expect(await kept({ field: "city", op: "contains", value: "IM" })).to.deep.equal(["2", "3", "4"]);
    expect(await kept({ field: "tags", op: "contains", value: "y" })).to.deep.equal(["5"]);
    expect(await kept({ field: "label", op: "one-of", value: ["A", "z"] })).to.deep.equal(["3"]);
    expect(await kept({ field: "label", op: "missing" })).to.deep.equal(["4", "5"]);
    expect(await kept({ field: "city", op: "present" })).to.deep.equal(["1", "2", "3", "4"]);
  });
});

describe("services/rank", () => {
  it("puts numbers in order, ties by id with one rank, and items without the field last in both directions", async () => {
    const down = await answerOf(rank, [...ROWS].reverse(), { field: "values.price" });
    expect(down.items.map(({ id, rank }) => [id, rank])).to.deep.equal([
      ["1", 1],
      ["4", 1],
      ["3", 3],
      ["2", undefined],
      ["5", undefined],
    ]);
    const up = await answerOf(rank, ROWS, { field: "values.price", direction: "ascending" });
    expect(ids(up.items)).to.deep.equal(["3", "1", "4", "2", "5"]);
    expect(up.items[0]).to.deep.equal({ ...ROWS[2], rank: 1 });
  });

  it("orders numbers before texts, and forgets the rank of an earlier order", async () => {
    const { items } = await answerOf(
      rank,
      [
        { id: "a", value: "ten", rank: 9 },
        { id: "b", value: "10" },
        { id: "c", value: 9 },
        { id: "d", rank: 1 },
      ],
      { field: "value", direction: "ascending" },
    );
    expect(items).to.deep.equal([
      { id: "c", value: 9, rank: 1 },
      { id: "b", value: "10", rank: 2 },
      { id: "a", value: "ten", rank: 3 },
      { id: "d" },
    ]);
  });
});

describe("services/top", () => {
  it("keeps exactly n, fewer where fewer have the field", async () => {
    expect(ids((await answerOf(top, ROWS, { field: "price", n: 1 })).items)).to.deep.equal(["1"]);
    expect(ids((await answerOf(top, ROWS, { field: "values.price", n: 10 })).items)).to.deep.equal(["1", "4", "3"]);
    expect((await answerOf(top, ROWS, { field: "nowhere", n: 3 })).items).to.deep.equal([]);
  });
});

describe("services/group", () => {
  it("counts and adds up per group, largest first, and says what it could not add", async () => {
    const { items } = await answerOf(group, ROWS, { by: "city", sum: ["price"] });
    expect(items).to.deep.equal([
      { id: "city=Lima", name: "Lima", label: "Lima", count: 3, share: 0.6, value: 19.5, sums: { price: 19.5 }, skipped: { price: 1 } },
      { id: "city=Łódź", name: "Łódź", label: "Łódź", count: 1, share: 0.2, value: 12.5, sums: { price: 12.5 }, skipped: {} },
      { id: "city", name: "(none)", label: "(none)", count: 1, share: 0.2, value: 0, sums: { price: 0 }, skipped: { price: 1 } },
    ]);
  });

  it("adds decimal fractions as people do, and survives sums beyond all numbers", async () => {
    const items = [0.1, 0.2, 0.3].map((price, index) => ({ id: String(index), price, huge: 1e308, label: "x" }));
    const [row] = (await answerOf(group, items, { by: "label", sum: ["price", "huge"] })).items;
    expect(row?.["sums"]).to.deep.equal({ price: 0.6, huge: Number.MAX_VALUE });
  });
});
