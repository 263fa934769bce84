import type { JsonObject, JsonValue } from "../orchestrator/primitives/json.ts";
import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, compareText } from "./shared/items.ts";
import { expressionOf, POLICY, policyOf, verdictOn } from "./shared/licence-policy.ts";
import { type PackageFacts, packageFacts } from "./shared/manifest.ts";
import { optionsSchema, textOption } from "./shared/options.ts";
import { DOCUMENT_OUTPUT, itemsInput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "sbom",
  title: "CycloneDX bill of materials (SBOM) of installed packages",
  description:
    "Writes a software bill of materials in CycloneDX 1.6 JSON: every installed package with version, package URL, declared licence, what it depends on, and whether a licence policy allows it. For audits, customers and supply-chain tools that ask for an SBOM of the dependencies.",
  accepts: ["packages", "items"],
  produces: "document",
  writes: "json",
  perItem: false,
  input: itemsInput(),
  output: DOCUMENT_OUTPUT,
  options: optionsSchema({
    ...POLICY,
    name: { type: "string", minLength: 1, maxLength: 200, default: "application", description: "what the packages are installed for" },
    version: { type: "string", maxLength: 100, default: "", description: "its version" },
    timestamp: {
      type: "string",
      pattern: "^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ)?$",
      default: "",
      description: "when the list was made, such as 2026-03-01T12:00:00Z; left out when not given, since a service has no clock",
    },
  }),
  capabilities: capabilities({ aggregation: 160, parsing: 160, law: 40 }),
  deterministic: true,
};

/** Components are in order of their place below `node_modules`, which is also their reference. */
const sbom: Service = (input) => {
  const policy = policyOf(input);
  const packages = allItems(input)
    .map((item) => ({ id: item.id, facts: packageFacts(item) }))
    .sort((a, b) => compareText(a.id, b.id));
  const ids = new Set(packages.map(({ id }) => id));
  const rated = packages.map(({ id, facts }) => ({ id, facts, verdict: verdictOn(facts.licence, policy) }));
  const root = textOption(input, "name", "application");
  const version = textOption(input, "version", "");
  const timestamp = textOption(input, "timestamp", "");
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      ...(timestamp === "" ? {} : { timestamp }),
      component: { type: "application", "bom-ref": ROOT, name: root, ...(version === "" ? {} : { version }) },
    },
    components: rated.map(({ id, facts, verdict }) => ({
      ...componentOf(id, facts),
      properties: [{ name: "agentcity:licence-policy", value: verdict }],
    })),
    // What the application itself needs is not known: packages lie side by side whoever asked for them.
    dependencies: packages.map(({ id, facts }) => ({ ref: id, dependsOn: targetsOf(id, facts, ids) })),
  };
  return {
    items: rated.map(
      ({ id, facts, verdict }): Item => ({
        id,
        name: facts.name,
        version: facts.version,
        licence: facts.licence,
        label: verdict,
      }),
    ),
    document: `${JSON.stringify(bom, undefined, 2)}\n`,
  };
};
export default sbom;

/** No package is called so: names have no colons. */
const ROOT = "root:";

function componentOf(id: string, facts: PackageFacts): JsonObject {
  const [, group = "", name = facts.name] = /^(@[^/]+)\/(.+)$/.exec(facts.name) ?? [];
  return {
    type: "library",
    "bom-ref": id,
    ...(group === "" ? {} : { group }),
    name,
    ...(facts.version === "" ? {} : { version: facts.version }),
    ...(facts.description === "" ? {} : { description: facts.description }),
    ...licencesOf(facts.licence),
    purl: purlOf(group, name, facts.version),
  };
}

/** One SPDX id as id, a longer expression as expression, anything else as the name it is. */
function licencesOf(licence: string): JsonObject {
  if (licence === "") return {};
  const parsed = expressionOf(licence);
  if (parsed === undefined) return { licenses: [{ license: { name: licence } }] };
  const isId = parsed.conjunction === undefined && parsed.exception === undefined && parsed.plus === undefined;
  const isReference = /LicenseRef-/.test(licence);
  return { licenses: [isId && !isReference ? { license: { id: parsed.license } } : { expression: licence.trim() }] };
}

/** A package URL of type npm. */
function purlOf(group: string, name: string, version: string): string {
  const place = [group, name].filter((part) => part !== "").map((part) => encodeURIComponent(part.toLowerCase()));
  return `pkg:npm/${place.join("/")}${version === "" ? "" : `@${encodeURIComponent(version)}`}`;
}

/** As Node resolves: in the package's own `node_modules`, then in those above. What is not installed is left out. */
function targetsOf(id: string, { needs }: PackageFacts, ids: ReadonlySet<string>): JsonValue[] {
  const found = needs.flatMap((name) => {
    for (let place = id; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")))) {
      const candidate = place === "" ? name : `${place}/node_modules/${name}`;
      if (ids.has(candidate)) return [candidate];
      if (place === "") return [];
    }
  });
  return [...new Set(found)].sort(compareText);
}
