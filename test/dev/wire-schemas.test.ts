import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { CLAIMS, sent } from "../../scripts/attestation/underwriting.ts";
import { signed, termsWith } from "../../scripts/clearing/population.ts";
import { root } from "../../scripts/dev/files.ts";
import { wireSchemas } from "../../scripts/dev/wire-schemas.ts";

const schemas = wireSchemas();
/** By a validator of another house. */
const takes = (name: string, value: unknown): boolean =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(schemas.get(name) ?? false)(value);
const without = (value: object, field: string) => Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));

describe("JSON Schemas of the package", () => {
  it("are schemas, each named in the README", () => {
    const readme = readFileSync(join(root, "examples/README.md"), "utf8");
    for (const [name, schema] of schemas) {
      expect(new Ajv2020({ strict: false, validateFormats: false }).validateSchema(schema), name).to.equal(true);
      expect(readme).to.include(`\`${name}\``);
    }
  });

  it("take what is sent, and nothing with a part left out", () => {
    for (const claim of Object.values(CLAIMS)) {
      expect(takes("claim", claim), claim.claim_type).to.equal(true);
      expect(takes("claim-envelope", sent(claim))).to.equal(true);
      expect(takes("claim", without(claim, "attester_id"))).to.equal(false);
    }
    expect(takes("claim-envelope", without(sent(CLAIMS.citation), "verify_endpoint_hint"))).to.equal(false);
    const obligation = signed(termsWith("ATT"));
    expect(takes("obligation", obligation)).to.equal(true);
    for (const field of ["parties", "admissibility_floors", "verifier_policy", "signatures"])
      expect(takes("obligation", without(obligation, field)), field).to.equal(false);
  });

  it("and the README shows what its examples run", () => {
    const readme = readFileSync(join(root, "examples/README.md"), "utf8");
    const [, attest = "", clear = ""] =
      /## A claim, checked\n\n```ts\n(.*?)```.*?## A deal, cleared\n\n```ts\n(.*?)```/s.exec(readme) ?? [];
    for (const [file, shown] of Object.entries({ attest, clear })) {
      expect(shown).to.not.equal("");
      expect(readFileSync(join(root, `examples/${file}.ts`), "utf8"), file).to.include(shown);
    }
  });
});
