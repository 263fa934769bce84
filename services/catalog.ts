import { fileURLToPath } from "node:url";
import { about as aggregate } from "./aggregate.ts";
import { about as classify } from "./classify.ts";
import { about as count } from "./count.ts";
import { about as csv } from "./csv.ts";
import { about as estimateByMedian } from "./estimate-by-median.ts";
import { about as estimateByPert } from "./estimate-by-pert.ts";
import { about as estimateByTriangle } from "./estimate-by-triangle.ts";
import { about as extractEntities } from "./extract-entities.ts";
import { about as fetchAndParse } from "./fetch-and-parse.ts";
import { about as hash } from "./hash.ts";
import { about as licenceByHeadings } from "./licence-by-headings.ts";
import { about as licenceBySpdx } from "./licence-by-spdx.ts";
import { about as licenceByText } from "./licence-by-text.ts";
import type { ServiceAbout } from "./shared/contract.ts";
import { about as sort } from "./sort.ts";

/** A service that agents can sell: what it says about itself, and the file to bundle. */
export interface CatalogEntry extends ServiceAbout {
  readonly file: string;
}

/** The services that come with the city, by id. A service's file is named for its id. */
export const CATALOG: readonly CatalogEntry[] = [
  aggregate,
  classify,
  count,
  csv,
  estimateByMedian,
  estimateByPert,
  estimateByTriangle,
  extractEntities,
  fetchAndParse,
  hash,
  licenceByHeadings,
  licenceBySpdx,
  licenceByText,
  sort,
].map((about) => ({
  ...about,
  file: fileURLToPath(new URL(`./${about.id}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)),
}));
