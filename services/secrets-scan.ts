import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { FINDINGS, type Rule, scan } from "./shared/findings.ts";
import { allItems } from "./shared/items.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "secrets-scan",
  title: "Finds passwords, API keys and other secrets in texts",
  description:
    "Scans files for secrets that should not be published: passwords, API keys, access tokens, private keys and credentials in addresses. Lists each with its line, masked. Use it before code or documents are shared or made open source.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({ label: { type: "string" }, value: { type: "integer", description: "secrets found" }, findings: FINDINGS }),
  capabilities: capabilities({ text: 120, parsing: 120 }),
  deterministic: true,
};

const secretsScan: Service = (input) => ({
  items: allItems(input).map((item) => scan(item, RULES, (rules) => (rules.length === 0 ? "no secrets" : rules.join(", ")))),
});
export default secretsScan;

/** What example files write instead of a secret. */
const PLACEHOLDER =
  /^(?:x+|\*+|\.+|<.*>|\$\{.*\}?|\{\{.*|%.*%|(?:your|my|the)[-_ ]?.*|example.*|changeme.*|placeholder.*|redacted.*|todo.*|null|none|undefined|true|false|process\.env.*|os\.environ.*)$/i;

/** As the issuers document them; the kinds that name their issuer first. */
const RULES: readonly Rule[] = [
  { name: "private key", pattern: /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----/g },
  { name: "AWS access key", pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Z0-9])/g, holds: (key) => !key.endsWith("EXAMPLE") },
  { name: "GitHub token", pattern: /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})(?!\w)/g },
  { name: "GitLab token", pattern: /(?<!\w)glpat-[\w-]{20}(?![\w-])/g },
  { name: "Slack token", pattern: /(?<!\w)xox[abeoprs]-[A-Za-z0-9-]{10,200}/g },
  { name: "Stripe key", pattern: /(?<!\w)[rs]k_live_[A-Za-z0-9]{16,200}/g },
  { name: "Google API key", pattern: /(?<!\w)AIza[\w-]{35}(?![\w-])/g },
  { name: "npm token", pattern: /(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)/g },
  { name: "OpenAI or Anthropic key", pattern: /(?<![\w-])sk-(?:proj-|ant-|svcacct-)?[\w-]{32,200}/g },
  { name: "JSON Web Token", pattern: /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]{10,1000}/g },
  {
    name: "password in an address",
    pattern: /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{1,64}:([^\s:@/]{3,128})@/gi,
    group: 1,
    holds: (found) => !PLACEHOLDER.test(found),
  },
  {
    name: "password",
    pattern:
      /(?:pass(?:word|wd|phrase)?|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key)["']?\s{0,4}(?:=|:|=>|:=)\s{0,4}["']?([^\s"',;]{6,200})/gi,
    group: 1,
    holds: (found) => !PLACEHOLDER.test(found) && /\d|[^\w.()[\]]/.test(found) && !/[([]/.test(found),
  },
];
