import { expect } from "chai";
import { fieldsOf } from "../../../orchestrator/execution/inputs/fields.ts";
import { plansFor } from "../../../orchestrator/minds/planner/plan.ts";
import type { JsonObject } from "../../../orchestrator/primitives/json.ts";
import { CATALOG } from "../../../services/catalog.ts";

/** Rows of a table as the city reads them. */
function tableOf(rows: readonly Readonly<Record<string, string>>[]): readonly JsonObject[] {
  return rows.map((fields, row) => {
    const numbers = Object.entries(fields).flatMap(([column, cell]) => (/^[\d.]+$/.test(cell) ? [[column, Number(cell)]] : []));
    return { id: `row-${row}`, kind: "row", row, fields, values: Object.fromEntries(numbers) };
  });
}

const CUSTOMERS = ["Brandt", "Kestrel", "Molina"];
const ORDERS = Array.from({ length: 12 }, (_, place) => ({
  order_no: String(70_001 + place),
  order_date: `2026-0${1 + (place % 4)}-1${place % 9}`,
  customer: CUSTOMERS[place % 3] ?? "",
  quantity: String(1 + (place % 5)),
  amount: `${(place * 37) % 90}.50`,
}));
const PACKAGES = Array.from({ length: 12 }, (_, place) => ({
  package: `lib${place}`,
  section: ["libs", "misc"][place % 2] ?? "",
  installed_kb: String((place * 131) % 977),
}));

/** Services of the best plan with their options, the report left out; "none" where there is no plan. */
function best(goal: string, rows: readonly Readonly<Record<string, string>>[]) {
  const input = { kind: "csv", fields: fieldsOf(tableOf(rows)) };
  const found = plansFor({ goal, risk: "LOW", input, catalogue: CATALOG });
  const tasks = "plans" in found ? (found.plans[0]?.text.tasks ?? {}) : {};
  return Object.entries(tasks).flatMap(([name, { service, with: options = {} }]) => (name === "report" ? [] : [[service, options]]));
}

describe("plans for texts", () => {
  const reported = (goal: string) => {
    const fields = ["path", "name", "text"].map((name) => ({ name, types: ["string"] }));
    const found = plansFor({ goal, risk: "LOW", input: { kind: "files", fields }, catalogue: CATALOG });
    return "plans" in found ? found.plans[0]?.text.tasks["report"]?.after : undefined;
  };

  it("report what was asked of each text, though only a few are kept for another question", () => {
    expect(reported("How many words does each of these texts have, and which are the ten longest?")).to.deep.equal(["word-count", "top"]);
    expect(reported("Which are the ten longest of these texts, in words?")).to.deep.equal(["top"]);
  });
});

describe("plans for tables, by what their cells are", () => {
  it("add figures up by all that a goal divides them by, dates by their period, and never identifiers", () => {
    const pairs = { by: ["customer", "order_date"], of: "amount", period: "month" };
    expect(best("Give me an overview of our orders per customer and month.", ORDERS)).to.deep.equal([["aggregate-table", pairs]]);
    expect(best("Sales report by quarter", ORDERS)).to.deep.equal([
      ["aggregate-table", { by: "order_date", of: "amount", period: "quarter" }],
    ]);
    expect(best("Monthly revenue", ORDERS)).to.deep.equal([["aggregate-table", { by: "order_date", of: "amount", period: "month" }]]);
  });

  it("find the column that measures what a goal speaks of", () => {
    const size = ["aggregate-table", { by: "section", of: "installed_kb" }];
    const order = ["rank", { field: "value", direction: "descending" }];
    expect(best("How much disk space do the packages take in each section? The biggest sections first.", PACKAGES)).to.deep.equal([
      size,
      order,
    ]);
    expect(best("Which ten packages are the largest?", PACKAGES)).to.deep.equal([
      ["top", { n: 10, field: "installed_kb", direction: "descending" }],
    ]);
  });

  it("put rows in order by what a goal compares, and by nothing that a service made up on the way", () => {
    const days = [3, 7, 2, 9, 4].map((many, place) => ({ task: `t${place}`, days: String(many) }));
    expect(best("Find the three longest tasks", days)).to.deep.equal([["top", { n: 3, field: "days", direction: "descending" }]]);
    expect(best("List the tasks from shortest to longest", days)).to.deep.equal([["rank", { field: "days", direction: "ascending" }]]);
    expect(best("Which tasks take longer than five days?", days)).to.deep.equal([["filter", { field: "days", op: "more", value: 5 }]]);
    const cities = [100, 2000, 350, 70, 9000, 44].map((population, place) => ({ city: `c${place}`, population: String(population) }));
    expect(best("The five largest cities", cities)).to.deep.equal([
      ["aggregate-table", { by: "city", of: "population" }],
      ["top", { n: 5, field: "value", direction: "descending" }],
    ]);
    const staff = ["31", "44", "29", "55"].map((age, place) => ({ name: `n${place}`, age, salary: `${place}1000` }));
    expect(best("Who are the three oldest employees?", staff)).to.deep.equal([["top", { n: 3, field: "age", direction: "descending" }]]);
  });

  it("group the things of an order, and not by what they are put in order by", () => {
    expect(best("Top 2 customers by amount", ORDERS)).to.deep.equal([
      ["group", { by: "customer", sum: ["amount"] }],
      ["top", { n: 2, field: "value", direction: "descending" }],
    ]);
  });

  const SALES = [
    ["north", "lamp", "12", "19.90"],
    ["south", "lamp", "7", "19.90"],
    ["north", "chair", "3", "89.00"],
    ["east", "desk", "5", "240.50"],
    ["south", "chair", "9", "89.00"],
    ["west", "lamp", "21", "18.50"],
    ["east", "lamp", "2", "19.90"],
  ].map(([region = "", product = "", units = "", price = ""]) => ({ region, product, units, price }));

  it("add up a whole table where a goal divides it by nothing", () => {
    const all = (of: string, more: JsonObject = {}) => [["aggregate-table", { of, ...more }]];
    for (const goal of ["Total units", "What is the total number of units sold?", "How many units were sold?", "The sum of all units"])
      expect(best(goal, SALES), goal).to.deep.equal(all("units", { what: "sum" }));
    expect(best("What is the average price?", SALES)).to.deep.equal(all("price", { what: "mean" }));
    expect(best("How many units were sold in each region?", SALES)).to.deep.equal([
      ["aggregate-table", { by: "region", of: "units", what: "sum" }],
    ]);
    expect(best("Which region sells the most units?", SALES)).to.deep.equal([
      ["aggregate-table", { by: "region", of: "units", what: "sum" }],
    ]);
    const tasks = [3, 7, 12, 9, 4].map((days, place) => ({ task: `t${place}`, duration: String(days) }));
    expect(best("What is the total duration?", tasks)).to.deep.equal(all("duration", { what: "sum" }));
  });

  it("compare the column that a goal speaks of, and not the number of a row", () => {
    expect(best("How many rows have more than 5 units?", SALES)).to.deep.equal([["filter", { field: "units", op: "more", value: 5 }]]);
  });

  it("take what something costs apiece times how many there were, where a goal asks for money", () => {
    const revenue = ["aggregate-table", { by: "product", of: "price", times: "units" }];
    expect(best("Which product brings the most revenue?", SALES)).to.deep.equal([revenue]);
    expect(best("Revenue per product", SALES)).to.deep.equal([revenue]);
    expect(best("What is our total revenue?", SALES)).to.deep.equal([["aggregate-table", { of: "price", times: "units", what: "sum" }]]);
    expect(best("Average price per product", SALES)).to.deep.equal([["aggregate-table", { by: "product", of: "price", what: "mean" }]]);
  });

  it("keep the rows of which a goal names a value", () => {
    const north = ["filter", { field: "region", value: "north" }];
    expect(best("What did we earn in the north?", SALES)).to.deep.equal([north, ["aggregate-table", { of: "price", times: "units" }]]);
    expect(best("How many units of lamps were sold per region?", SALES)).to.deep.equal([
      ["filter", { field: "product", value: "lamp" }],
      ["aggregate-table", { by: "region", of: "units", what: "sum" }],
    ]);
    expect(best("Show me the rows of the north", SALES)).to.deep.equal([north]);
    expect(best("How many rows have more than 5 units in the north?", SALES), "one service selects").to.deep.equal([]);
    expect(best("Units per product, but not just the north", SALES)).to.deep.equal([["group", { by: "product", sum: ["units"] }]]);
    expect(best("Compare the units of north and south", SALES), "two of them").to.not.deep.include(north);
  });

  it("group what has several rows, and count where a goal counts", () => {
    expect(best("Which customer spent the most?", ORDERS)).to.deep.equal([["aggregate-table", { by: "customer", of: "amount" }]]);
    expect(best("Which customer made the most orders?", ORDERS)).to.deep.equal([["group", { by: "customer" }]]);
    expect(best("How many orders did each customer place?", ORDERS)).to.deep.equal([["group", { by: "customer" }]]);
  });

  it("clean a table for who asks for it, and not on the way to something else", () => {
    const services = (goal: string, rows: typeof ORDERS | typeof PACKAGES) => best(goal, rows).map(([service]) => service);
    expect(services("How much space do the packages take per section?", PACKAGES)).to.deep.equal(["aggregate-table"]);
    expect(services("Remove stray spaces, then give the total amount per customer", ORDERS)).to.deep.equal([
      "clean-table",
      "aggregate-table",
    ]);
    expect(services("Clean up this table", ORDERS)).to.deep.equal(["clean-table"]);
  });
});
