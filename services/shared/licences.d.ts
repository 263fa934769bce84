/** Families of licences: what a reader needs to know first about the terms of a package. */
export declare const FAMILIES: readonly ["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0", "public-domain", "CC-BY", "MPL-2.0", "EPL", "LGPL", "GPL", "AGPL", "proprietary", "other", "unknown"];
export type Family = (typeof FAMILIES)[number];
/** Families that ask something back from whoever distributes changed or linked works. */
export declare const COPYLEFT: readonly string[];
/** Families that a reader must look into by hand. */
export declare const UNCLEAR: readonly string[];
/** The family of one SPDX licence id, any case, `+` and `-only`/`-or-later` allowed. */
export declare function familyOfId(id: string): Family;
/** A text speaks of terms: of a licence, a copyright, a permission. Others are no licences at all. */
export declare function speaksOfTerms(text: string): boolean;
