import { CATALOG, type CatalogEntry } from "../../services/catalog.ts";
import { MADE, table } from "./markdown.ts";

/** Kinds of input, all of them: such a service takes anything. */
const KINDS = ["packages", "files", "csv", "urls", "items"];

/** What the city's services are, take and give, from what they say about themselves. */
export function servicesPage(): string {
  const rows = [...CATALOG]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((entry) => [`\`${entry.id}\``, takes(entry), optionsOf(entry), entry.description]);
  return [
    MADE("services/catalog.ts"),
    "\n# Services of the city\n\n",
    `${rows.length} services. *Takes*: kinds of input, and \`items\`, the outputs of other tasks; *anything* is all of them. *Options* are\n`,
    "written under a task's `with`; those in bold are needed. How to write a service: [services.md](services.md).\n\n",
    table(["service", "takes", "options", "what it does"], rows),
  ].join("");
}

function takes({ accepts }: CatalogEntry): string {
  return KINDS.every((kind) => accepts.some((accepted) => accepted === kind))
    ? "anything"
    : accepts.map((kind) => `\`${kind}\``).join(", ");
}

function optionsOf({ options }: CatalogEntry): string {
  const properties = Object.keys(Object(options?.["properties"]));
  const required = options?.["required"];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return properties.map((name) => (needed.includes(name) ? `**\`${name}\`**` : `\`${name}\``)).join(", ");
}
