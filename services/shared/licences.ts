/** Families of licences: what a reader needs to know first about the terms of a package. */
export const FAMILIES = [
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "public-domain",
  "CC-BY",
  "MPL-2.0",
  "EPL",
  "LGPL",
  "GPL",
  "AGPL",
  "proprietary",
  "other",
  "unknown",
] as const;

export type Family = (typeof FAMILIES)[number];

/** Families that ask something back from whoever distributes changed or linked works. */
export const COPYLEFT: readonly string[] = ["MPL-2.0", "EPL", "LGPL", "GPL", "AGPL"];

/** Families that a reader must look into by hand. */
export const UNCLEAR: readonly string[] = ["proprietary", "other", "unknown"];

/** The family of one SPDX licence id, any case, `+` and `-only`/`-or-later` allowed. */
export function familyOfId(id: string): Family {
  const name = id
    .toLowerCase()
    .replace(/\+$/, "")
    .replace(/-(only|or-later)$/, "");
  const exact = FAMILIES.find((family) => family.toLowerCase() === name);
  if (exact !== undefined) return exact;
  if (/^(unlicense|cc0-1\.0|public[- ]domain|wtfpl)$/.test(name)) return "public-domain";
  if (/^(mit-0|mit\/x11|x11|expat)$/.test(name)) return "MIT";
  if (/^apache([ -]?v?2(\.0)?)?$|^apache[ -]licen[sc]e.*2/.test(name)) return "Apache-2.0";
  if (/^(bsd|new[- ]bsd|bsd-3|bsd-3-clause-.*)$/.test(name)) return "BSD-3-Clause";
  if (/^(bsd-2|simplified[- ]bsd|bsd-2-clause-.*)$/.test(name)) return "BSD-2-Clause";
  if (/^agpl/.test(name)) return "AGPL";
  if (/^lgpl/.test(name)) return "LGPL";
  if (/^gpl/.test(name)) return "GPL";
  if (/^mpl/.test(name)) return "MPL-2.0";
  if (/^epl/.test(name)) return "EPL";
  if (/^cc-by(-\d|$)/.test(name)) return "CC-BY";
  if (/^(unlicensed|commercial|proprietary)$|^see licen[sc]e/.test(name)) return "proprietary";
  return name === "" ? "unknown" : "other";
}

/** A text speaks of terms: of a licence, a copyright, a permission. Others are no licences at all. */
export function speaksOfTerms(text: string): boolean {
  return /\blicen[sc]e|\bcopyright\b|\bpermission is\b/i.test(text);
}
