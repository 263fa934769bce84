import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, listField, textField } from "./shared/items.ts";
import { labelled } from "./shared/labelled.ts";
import { type Family, speaksOfTerms } from "./shared/licences.ts";
import { LABELS_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";
import { plainLines } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "licence-by-headings",
  title: "Licence family by titles, opening lines and badges of LICENSE and README",
  description:
    "Says under which licence a package or file is, such as MIT, Apache or GPL, by the titles and opening lines of its licence file and the badges of its readme.",
  accepts: ["packages", "files", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: LABELS_OUTPUT,
  capabilities: capabilities({ classification: 240, text: 120, retrieval: 40 }),
  deterministic: true,
};

/** Believes what is written largest: reads like a person who skims; the manifest's own line comes last. */
const licenceByHeadings: Service = (input) => ({ items: allItems(input).map((item) => labelled(item, familyByHeadings(item))) });
export default licenceByHeadings;

/** Names as they stand in titles, badges and sentences; the longer name before the shorter one it contains. */
const NAMES: readonly (readonly [Family, RegExp])[] = [
  ["Apache-2.0", /\bapache([- ]licen[sc]e)?\W{0,3}(version\W{0,2})?2(\.0)?\b|\bapache licen[sc]e\b/i],
  ["BlueOak-1.0.0", /\bblue ?oak\b/i],
  ["BSD-2-Clause", /\bbsd[- ]2|\b(2|two)[- ]clause\b|\b(simplified|freebsd) (bsd )?licen[sc]e\b/i],
  ["0BSD", /\b(0bsd|zero[- ]clause bsd|bsd zero)\b/i],
  ["BSD-3-Clause", /\bbsd\b/i],
  ["AGPL", /\bagpl|\baffero\b/i],
  ["LGPL", /\blgpl|\blesser general public\b/i],
  ["GPL", /\bgpl|\bgnu general public\b/i],
  ["MPL-2.0", /\bmpl[- ]?2|\bmozilla public\b/i],
  ["EPL", /\beclipse public\b/i],
  ["public-domain", /\bunlicense\b|\bpublic domain\b|\bcc0\b|\bwtfpl\b/i],
  ["CC-BY", /\bcc[- ]by\b|\bcreative commons attribution\b/i],
  ["ISC", /\bisc\b/],
  ["ISC", /\bISC\b/],
  ["MIT", /\bMIT\b|\bmit[- ]licen[sc]e\b|licen[sc]e-mit\b|\bexpat licen[sc]e\b/],
];

/** How a licence without a title begins, in its first sentence. */
const OPENINGS: readonly (readonly [Family, RegExp])[] = [
  ["MIT", /^permission is hereby granted/i],
  ["ISC", /^permission to use, copy, modify/i],
  ["BSD-3-Clause", /^redistribution and use in source/i],
  ["public-domain", /^this is free and unencumbered/i],
  ["Apache-2.0", /^licensed under the apache/i],
];

/** Lines of a licence file that a skimmer reads. */
const TITLE_LINES = 6;

export function familyByHeadings(item: Item): Family {
  const title = plainLines(textField(item, "licenceText") || fileText(item)).slice(0, TITLE_LINES);
  const copyrightAside = title.filter((line) => !/^(\(c\)|©|copyright\b)/i.test(line));
  return (
    named(copyrightAside.filter((line) => line.length <= 80)) ??
    opened(copyrightAside) ??
    named(listField(item, "licenceFiles")) ??
    named(plainLines(textField(item, "readmeLicence")).slice(0, TITLE_LINES)) ??
    named(badges(textField(item, "readmeHead"))) ??
    named([textField(item, "licence")]) ??
    (title.length > 0 && (item["kind"] !== "file" || speaksOfTerms(fileText(item))) ? "other" : "unknown")
  );
}

function named(lines: readonly string[]): Family | undefined {
  return firstOf(lines, NAMES);
}

function opened(lines: readonly string[]): Family | undefined {
  return firstOf(lines, OPENINGS);
}

function firstOf(lines: readonly string[], patterns: readonly (readonly [Family, RegExp])[]): Family | undefined {
  for (const line of lines) {
    const match = patterns.find(([, pattern]) => pattern.test(line));
    if (match !== undefined) return match[0];
  }
  return undefined;
}

/** Text and address of badges and links that speak of a licence. */
function badges(readme: string): string[] {
  return readme.match(/\[[^\]]*licen[sc]e[^\]]*\]\([^)]*\)|shields\.io\/[^\s)]*licen[sc]e[^\s)]*/gi) ?? [];
}

/** A file of a mission's input may be a licence itself. What a package says elsewhere is not its licence's title. */
function fileText(item: Item): string {
  return item["kind"] === "file" ? textField(item, "text") : "";
}
