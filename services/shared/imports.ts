import type { Node } from "@babel/types";
import { visit } from "./script.ts";

/** Whatever a script imports, exports from or requires by a fixed name, types included, in order of the text. */
export function importsOf(script: Node): string[] {
  const found: string[] = [];
  const note = (source: unknown): void => {
    if (typeof source === "object" && source !== null && "type" in source && source.type === "StringLiteral" && "value" in source) {
      found.push(String(source.value));
    }
  };
  visit(script, (node) => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
      case "ImportExpression":
      case "TSImportType":
        note(node.source);
        return;
      case "TSExternalModuleReference":
        note(node.expression);
        return;
      case "CallExpression":
        if (node.callee.type === "Import" || (node.callee.type === "Identifier" && node.callee.name === "require")) note(node.arguments[0]);
    }
  });
  return found;
}

/** `lodash` of `lodash/fp`, `@scope/name` of `@scope/name/part`. */
export function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Node's own modules, under `node:` or by the names that older code uses; also addresses and a package's own `#` imports. */
export function isBuiltin(specifier: string): boolean {
  return /^[a-z]+:|^#/.test(specifier) || BUILTIN.has(specifier.split("/")[0] ?? "");
}

const BUILTIN: ReadonlySet<string> = new Set(
  `assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https
  inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty
  url util v8 vm wasi worker_threads zlib`.split(/\s+/),
);
