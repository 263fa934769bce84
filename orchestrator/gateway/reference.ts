import { z } from "zod";
import { type Command, costInWords } from "./command.ts";
import { jsonSchemaOf, STREAM_PATH } from "./openapi.ts";

const schemaShape = z.object({
  properties: z.record(z.string(), z.looseObject({ type: z.unknown().optional(), description: z.string().optional() })).optional(),
  required: z.array(z.string()).optional(),
});

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

function fieldsOf(command: Command): string {
  const { properties = {}, required = [] } = schemaShape.parse(jsonSchemaOf(command.input));
  const rows = Object.entries(properties).map(
    ([name, { type, description = "" }]) =>
      `<tr><td><code>${escaped(name)}</code>${required.includes(name) ? "" : " <i>optional</i>"}</td><td>${escaped(String(type ?? ""))}</td><td>${escaped(description)}</td></tr>`,
  );
  return rows.length === 0 ? "" : `<table>${rows.join("")}</table>`;
}

/** The reference page: no script, no font, nothing from elsewhere. */
export function referencePage(commands: readonly Command[]): string {
  const sections = commands.map(
    (command) =>
      `<section id="${command.name}"><h2>${escaped(command.name)}</h2><p><code>${command.method} ${escaped(command.path)}</code> · ${command.access} · cost ${costInWords(command)}</p><p>${escaped(command.doc)}</p>${fieldsOf(command)}<details><summary>Answer</summary><pre>${escaped(JSON.stringify(jsonSchemaOf(command.output), null, 2))}</pre></details></section>`,
  );
  const links = commands.map(({ name }) => `<a href="#${name}">${name}</a>`).join(" ");
  const style =
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}td{padding:.1rem 1rem .1rem 0;vertical-align:top}nav a{margin-right:.6rem}pre{overflow:auto}";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>AgentCity gateway</title><style>${style}</style></head><body><h1>AgentCity gateway</h1><p>The same as <a href="/openapi.json">OpenAPI 3.1</a>. Live events: <code>GET ${STREAM_PATH}</code>.</p><nav>${links}</nav>${sections.join("")}</body></html>`;
}
