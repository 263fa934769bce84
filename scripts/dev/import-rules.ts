import type { IConfiguration } from "dependency-cruiser";
import { floorRules } from "./floors.ts";

/** What the import linter enforces. */
export const importRules = {
  forbidden: [
    ...floorRules(),
    {
      name: "no-circular",
      comment: "a cycle inside a folder means that two files are one",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "resolvable",
      comment: "every import resolves to a file or to an installed package; the console's packages are installed by its own commands",
      severity: "error",
      from: { pathNot: "^console/" },
      to: { couldNotResolve: true },
    },
    {
      name: "no-test-code",
      comment: "nothing but tests imports tests",
      severity: "error",
      from: { pathNot: "^(test|console/test)/" },
      to: { path: "^test/" },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules|^artifacts/" },
    exclude: { path: "^console/dist/" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".mjs", ".json"],
      conditionNames: ["node", "import", "types", "default"],
      exportsFields: ["exports"],
    },
  },
} satisfies IConfiguration;
