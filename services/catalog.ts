import { fileURLToPath } from "node:url";
import { about as aggregate } from "./aggregate.ts";
import { about as aggregateTable } from "./aggregate-table.ts";
import { about as askModel } from "./ask-model.ts";
import { about as askSecondModel } from "./ask-second-model.ts";
import { about as askThirdModel } from "./ask-third-model.ts";
import { about as classify } from "./classify.ts";
import { about as cleanTable } from "./clean-table.ts";
import { about as codeMetrics } from "./code-metrics.ts";
import { about as count } from "./count.ts";
import { about as csv } from "./csv.ts";
import { about as dependencyGraph } from "./dependency-graph.ts";
import { about as entitiesByScan } from "./entities-by-scan.ts";
import { about as estimateByMedian } from "./estimate-by-median.ts";
import { about as estimateByPert } from "./estimate-by-pert.ts";
import { about as estimateByTriangle } from "./estimate-by-triangle.ts";
import { about as extractEntities } from "./extract-entities.ts";
import { about as fetchAndParse } from "./fetch-and-parse.ts";
import { about as filter } from "./filter.ts";
import { about as group } from "./group.ts";
import { about as hash } from "./hash.ts";
import { about as inferSchema } from "./infer-schema.ts";
import { about as join } from "./join.ts";
import { about as keywords } from "./keywords.ts";
import { about as language } from "./language.ts";
import { about as licenceByHeadings } from "./licence-by-headings.ts";
import { about as licenceBySpdx } from "./licence-by-spdx.ts";
import { about as licenceByText } from "./licence-by-text.ts";
import { about as licencePolicy } from "./licence-policy.ts";
import { about as links } from "./links.ts";
import { about as nearDuplicates } from "./near-duplicates.ts";
import { about as outliers } from "./outliers.ts";
import { about as piiScan } from "./pii-scan.ts";
import { about as profile } from "./profile.ts";
import { about as rank } from "./rank.ts";
import { about as sbom } from "./sbom.ts";
import { about as secretsScan } from "./secrets-scan.ts";
import { about as sentimentByAfinn } from "./sentiment-by-afinn.ts";
import { about as sentimentByClauses } from "./sentiment-by-clauses.ts";
import { about as sentimentByVader } from "./sentiment-by-vader.ts";
import type { ServiceAbout } from "./shared/contract.ts";
import { about as sort } from "./sort.ts";
import { about as structuredData } from "./structured-data.ts";
import { about as summary } from "./summary.ts";
import { about as top } from "./top.ts";
import { about as validateTable } from "./validate-table.ts";
import { about as wordCount } from "./word-count.ts";

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
  codeMetrics,
  dependencyGraph,
  filter,
  group,
  licencePolicy,
  links,
  rank,
  sbom,
  structuredData,
  top,
  askModel,
  askSecondModel,
  askThirdModel,
  entitiesByScan,
  sentimentByAfinn,
  sentimentByClauses,
  sentimentByVader,
  sort,
  aggregateTable,
  cleanTable,
  inferSchema,
  join,
  keywords,
  language,
  nearDuplicates,
  outliers,
  piiScan,
  profile,
  secretsScan,
  summary,
  validateTable,
  wordCount,
].map((about) => ({
  ...about,
  file: fileURLToPath(new URL(`./${about.id}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)),
}));
