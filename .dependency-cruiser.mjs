export { importRules as default } from "./scripts/dev/import-rules.ts";
