import { capabilities } from "./shared/capabilities.ts";
import type { Service, ServiceAbout } from "./shared/contract.ts";
import { FINDINGS, type Rule, scan } from "./shared/findings.ts";
import { allItems } from "./shared/items.ts";
import { itemsInput, itemsOutput } from "./shared/schemas.ts";

export const about: ServiceAbout = {
  id: "pii-scan",
  title: "Finds personal data in texts",
  description:
    "Scans texts for personal data (PII): e-mail addresses, telephone numbers, bank accounts (IBAN), credit cards, social security numbers and IP addresses. Lists each with its line, masked. Use it for privacy and data protection (GDPR) reviews.",
  accepts: ["files", "items"],
  produces: "items",
  perItem: true,
  input: itemsInput({ text: { type: "string" } }),
  output: itemsOutput({ label: { type: "string" }, value: { type: "integer", description: "personal data found" }, findings: FINDINGS }),
  capabilities: capabilities({ text: 120, parsing: 120 }),
  deterministic: true,
};

const piiScan: Service = (input) => ({
  items: allItems(input).map((item) => scan(item, RULES, (rules) => (rules.length === 0 ? "no personal data" : rules.join(", ")))),
});
export default piiScan;

const RULES: readonly Rule[] = [
  { name: "e-mail address", pattern: /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?![\w-])/gi },
  { name: "bank account", pattern: /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)/g, holds: isIban },
  { name: "credit card", pattern: /(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])/g, holds: isCard },
  { name: "social security number", pattern: /(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g },
  {
    name: "telephone number",
    pattern: /(?<![\w.+-])(?:\+\d{1,3}[ .-]?(?:\(0\))?|\(?0)\d{1,4}\)?(?:[ ./-]?\d{2,4}){2,4}(?![\w-])/g,
    holds: isPhone,
  },
  {
    name: "IP address",
    pattern: /(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)/g,
    holds: isForeign,
  },
];

/** ISO 13616: the number, turned around and read as digits, is 1 modulo 97. */
function isIban(found: string): boolean {
  const text = found.replaceAll(" ", "");
  if (text.length < 15 || text.length > 34) return false;
  let rest = 0;
  for (const letter of text.slice(4) + text.slice(0, 4)) {
    for (const digit of Number.parseInt(letter, 36).toString()) rest = (10 * rest + Number(digit)) % 97;
  }
  return rest === 1;
}

/** Luhn's check digit, and an issuer that exists. */
function isCard(found: string): boolean {
  const digits = [...found.replace(/\D/g, "")].map(Number);
  const sum = digits
    .reverse()
    .reduce((total, digit, place) => total + (place % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit), 0);
  return sum % 10 === 0 && /^[23456]/.test(found);
}

function isPhone(found: string): boolean {
  const digits = found.replace(/\D/g, "").length;
  return digits >= 8 && digits <= 15;
}

/** Addresses that belong to every machine are nobody's. */
function isForeign(found: string): boolean {
  return !/^(?:0\.|127\.|255\.)/.test(found);
}
