import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems } from "./shared/items.ts";
import { POLICY, policyOf, verdictOn } from "./shared/licence-policy.ts";
import { packageFacts } from "./shared/manifest.ts";
import { optionsSchema } from "./shared/options.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "licence-policy",
  title: "Checks the licences of packages against a policy",
  description:
    "Checks the declared licence (SPDX expression) of each installed package or dependency against lists of allowed and denied licences, and says which packages are allowed, which are denied, which are on neither list and which declare nothing clear. For compliance: what may we ship, what violates our licence policy.",
  accepts: ["packages", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput(),
  output: itemsOutput({ label: { enum: ["allowed", "denied", "unlisted", "unclear"] }, licence: { type: "string" } }),
  options: optionsSchema(POLICY),
  capabilities: capabilities({ classification: 160, parsing: 120, law: 120 }),
  deterministic: true,
};

const licencePolicy: Service = (input) => {
  const policy = policyOf(input);
  return {
    items: allItems(input).map((item): Item => {
      const { name, version, licence } = packageFacts(item);
      return { id: item.id, name, version, licence, label: verdictOn(licence, policy) };
    }),
  };
};
export default licencePolicy;
