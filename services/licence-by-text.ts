import { capabilities } from "./shared/capabilities.ts";
import type { Item, Service, ServiceAbout } from "./shared/contract.ts";
import { allItems, textField } from "./shared/items.ts";
import { labelled } from "./shared/labelled.ts";
import { type Family, speaksOfTerms } from "./shared/licences.ts";
import { LABELS_OUTPUT, SERVICE_INPUT } from "./shared/schemas.ts";
import { wordsOf } from "./shared/text.ts";

export const about: ServiceAbout = {
  id: "licence-by-text",
  title: "Licence family by the wording of the licence file, or of each file",
  description:
    "Says under which licence a package or file is, such as MIT, Apache or GPL, by comparing the wording of its licence text with the known licences.",
  accepts: ["packages", "files", "items"],
  produces: "items",
  perItem: true,
  input: SERVICE_INPUT,
  output: LABELS_OUTPUT,
  capabilities: capabilities({ classification: 240, text: 160, law: 40 }),
  deterministic: true,
};

/** Believes the grant itself: compares the wording of the licence file with what only one family says. */
const licenceByText: Service = (input) => ({ items: allItems(input).map((item) => labelled(item, licenceIn(item))) });
export default licenceByText;

interface Fingerprint {
  readonly family: Family;
  /** Wording that must be there; each phrase counts by the share of its three-word runs that occur. */
  readonly says: readonly string[];
  /** Wording that rules the family out. */
  readonly butNot?: string;
  /** It must stand at the top: licences of this family name each other further down. */
  readonly atTop?: true;
}

/** Words of a licence's top. */
const TOP = 60;

const ENDORSEMENT = "may be used to endorse or promote products derived from this software";
const SAME_NOTICE = "provided that the above copyright notice and this permission notice appear in all copies";
const BSD_GRANT = [
  "redistribution and use in source and binary forms with or without modification are permitted provided that",
  "redistributions of source code must retain the above copyright notice this list of conditions",
];
const ISC_GRANT = "for any purpose with or without fee is hereby granted";

/** The more specific family first: it wins when two fit equally well. */
const FINGERPRINTS: readonly Fingerprint[] = [
  { family: "BSD-3-Clause", says: [...BSD_GRANT, ENDORSEMENT] },
  { family: "BSD-2-Clause", says: BSD_GRANT, butNot: ENDORSEMENT },
  { family: "ISC", says: [ISC_GRANT, SAME_NOTICE] },
  { family: "0BSD", says: [ISC_GRANT], butNot: SAME_NOTICE },
  {
    family: "MIT",
    says: [
      "permission is hereby granted free of charge to any person obtaining a copy of this software",
      "the rights to use copy modify merge publish distribute sublicense and or sell copies",
    ],
  },
  { family: "Apache-2.0", says: ["apache license version 2 0 january 2004", "terms and conditions for use reproduction and distribution"] },
  { family: "Apache-2.0", says: ["licensed under the apache license version 2 0"] },
  { family: "BlueOak-1.0.0", says: ["blue oak model license", "everything with this software that would otherwise infringe"] },
  { family: "public-domain", says: ["this is free and unencumbered software released into the public domain"] },
  { family: "public-domain", says: ["cc0 1 0 universal", "creative commons legal code"] },
  { family: "public-domain", says: ["do what the fuck you want to public license"] },
  { family: "CC-BY", says: ["creative commons attribution 4 0 international"] },
  { family: "MPL-2.0", says: ["mozilla public license version 2 0"], atTop: true },
  { family: "EPL", says: ["eclipse public license"] },
  { family: "AGPL", says: ["gnu affero general public license version 3"], atTop: true },
  { family: "LGPL", says: ["gnu lesser general public license version"], atTop: true },
  { family: "LGPL", says: ["gnu library general public license version"], atTop: true },
  { family: "GPL", says: ["gnu general public license version"], atTop: true },
];

/** Share of a fingerprint that must occur: wordings are edited a little (years, names, "and/or"). */
const ENOUGH = 0.7;

/** The family whose wording occurs most completely; "other" for a real text that fits none, "unknown" without a text. */
export function familyOfWording(text: string): Family {
  const words = wordsOf(text);
  const runs = new Set(runsOf(words));
  const top = new Set(runsOf(words.slice(0, TOP)));
  let best: Family | undefined;
  let highest = ENOUGH;
  for (const { family, says, butNot, atTop } of FINGERPRINTS) {
    if (butNot !== undefined && share(butNot, runs) >= ENOUGH) continue;
    const fit = Math.min(...says.map((phrase) => share(phrase, atTop === true ? top : runs)));
    if (fit > highest || (fit === highest && best === undefined)) {
      best = family;
      highest = fit;
    }
  }
  return best ?? (words.length >= 30 ? "other" : "unknown");
}

/** A file that says nothing of terms is no licence of another kind. */
function licenceIn(item: Item): Family {
  const family = familyOfWording(wordingOf(item));
  return family === "other" && item["kind"] === "file" && !speaksOfTerms(textField(item, "text")) ? "unknown" : family;
}

function wordingOf(item: Item): string {
  return textField(item, "licenceText") || textField(item, "readmeLicence") || textField(item, "text");
}

function share(phrase: string, runs: ReadonlySet<string>): number {
  const wanted = runsOf(wordsOf(phrase));
  return wanted.filter((run) => runs.has(run)).length / wanted.length;
}

/** Runs of three words. */
function runsOf(words: readonly string[]): string[] {
  return words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`);
}
