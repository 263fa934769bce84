import { expect } from "chai";
import type { JsonObject, JsonValue } from "../../orchestrator/primitives/json.ts";
import { compileSchema, describeProblem, SchemaUnusable, withDefaults } from "../../orchestrator/primitives/json-schema.ts";

function problemIn(schema: JsonObject, value: JsonValue): string | undefined {
  const problem = compileSchema(schema)(value);
  return problem === undefined ? undefined : describeProblem(problem);
}

describe("primitives/json-schema", () => {
  it("checks what a schema demands, with and without `properties`", () => {
    const items: JsonObject = { type: "object", required: ["items"] };
    expect(problemIn(items, {})).to.equal('it must have "items"');
    expect(problemIn(items, { items: 1 })).to.equal(undefined);
    const nested: JsonObject = {
      properties: { items: { type: "array", items: { required: ["id"], properties: { id: { minLength: 1 } } } } },
    };
    expect(problemIn(nested, { items: [{ id: "a" }, {}] })).to.equal('items.1 must have "id"');
    expect(problemIn(nested, { items: [{ id: "" }] })).to.equal("items.0.id must NOT have fewer than 1 characters");
    expect(problemIn({ additionalProperties: false, properties: { a: {} } }, { b: 1 })).to.equal('it must not have "b"');
    expect(problemIn({ format: "date" }, "2026-13-01")).to.equal('it must match format "date"');
    expect(problemIn({ $defs: { n: { type: "number" } }, items: { $ref: "#/$defs/n" } }, [1, "1"])).to.equal("1 must be number");
    expect(problemIn({ properties: { "a/b~c": { const: 1 } } }, { "a/b~c": 2 })).to.equal("a/b~c must be 1");
  });

  it("refuses a schema of which a part would be ignored", () => {
    const schemas: readonly JsonObject[] = [
      { type: "nonsense" },
      { requried: ["items"] },
      { format: "no-such-format" },
      { $ref: "https://example.org/schema" },
      { $ref: "#/$defs/absent" },
      { $schema: "http://json-schema.org/draft-07/schema#" },
      { pattern: "(" },
      { $async: true },
      { minimum: "1" },
      { description: "x".repeat(300_000) },
    ];
    for (const schema of schemas) expect(() => compileSchema(schema), JSON.stringify(schema).slice(0, 80)).to.throw(SchemaUnusable);
  });

  it("compiles the same schema again, and schemas of the same $id apart", () => {
    expect(problemIn({ $id: "one", type: "number" }, "x")).to.equal("it must be number");
    expect(problemIn({ $id: "one", type: "string" }, "x")).to.equal(undefined);
  });

  it("gives up on a pattern that would take for ever", () => {
    expect(problemIn({ pattern: "^(a+)+$" }, `${"a".repeat(60)}!`)).to.equal("it takes longer than 5 s to check");
  }).timeout(30_000);

  it("fills in defaults in a copy, and still checks", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { most: { type: "integer", default: 10 }, by: { type: "string" } },
      required: ["by"],
    };
    const value: JsonObject = { by: "words" };
    expect(withDefaults(schema, value)).to.deep.equal({ value: { by: "words", most: 10 }, problem: undefined });
    expect(value).to.deep.equal({ by: "words" });
    expect(withDefaults(schema, { most: 3 }).problem).to.deep.equal({ path: [], message: 'must have "by"' });
  });
});
