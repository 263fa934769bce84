import { type Document, isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { messageOf } from "../primitives/errors.ts";
import { MissionFileError, type Place } from "./mission-file-error.ts";

/** Longest accepted mission file, characters. */
const MAX_MISSION_FILE = 65_536;

/** A mission file needs five levels. The parser recurses, so depth is bounded before it starts. */
const MAX_DEPTH = 64;

type Path = readonly PropertyKey[];

/** A parsed mission file: plain data, with the position of each part. */
export interface LocatedYaml {
  readonly value: unknown;
  /** Position of the value at a path; for a missing one, of its nearest present parent. */
  placeOf(path: Path): Place;
  /** Position of a key of the map at a path. */
  placeOfKey(path: Path, key: string): Place;
  /** A scalar as written, so that `1200.00` keeps its digits. */
  sourceOf(path: Path): string | undefined;
}

/** Parses YAML 1.2: one document, without aliases (the basis of YAML bombs), unknown tags and repeated keys. */
export function parseLocatedYaml(text: string, fileName: string): LocatedYaml {
  const start: Place = { line: 1, column: 1 };
  if (text.length > MAX_MISSION_FILE) {
    throw new MissionFileError(
      "MissionFileTooLarge",
      fileName,
      start,
      `the file has ${text.length} characters; at most ${MAX_MISSION_FILE}`,
    );
  }
  if (nestedTooDeeply(text)) throw new MissionFileError("YamlSyntax", fileName, start, `brackets are nested more than ${MAX_DEPTH} deep`);
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };

  let document: Document.Parsed;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, logLevel: "error", merge: false });
  } catch (error) {
    throw new MissionFileError("YamlSyntax", fileName, start, messageOf(error));
  }
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) {
    const kind = problem.code === "DUPLICATE_KEY" ? "DuplicateKey" : "YamlSyntax";
    const says = problem.code === "RESOURCE_EXHAUSTION" ? "nested too deeply" : (problem.message.split("\n", 1)[0] ?? problem.code);
    throw new MissionFileError(kind, fileName, at(problem.pos[0]), says);
  }
  visit(document, {
    Alias(_, node) {
      throw new MissionFileError(
        "AliasNotAllowed",
        fileName,
        at(node.range?.[0] ?? 0),
        `the alias *${node.source} is not allowed: write it out`,
      );
    },
  });

  const nodeAt = (path: Path): unknown => document.getIn(path, true);
  const offsetOf = (node: unknown): number | undefined => {
    if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range)) return undefined;
    const [offset] = node.range;
    return typeof offset === "number" ? offset : undefined;
  };
  const placeOf = (path: Path): Place => {
    for (let length = path.length; length >= 0; length -= 1) {
      const offset = offsetOf(length === 0 ? document.contents : nodeAt(path.slice(0, length)));
      if (offset !== undefined) return at(offset);
    }
    return start;
  };
  return {
    value: document.toJS(),
    placeOf,
    placeOfKey(path, key) {
      const map = path.length === 0 ? document.contents : nodeAt(path);
      const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
      const offset = offsetOf(pair?.key);
      return offset === undefined ? placeOf(path) : at(offset);
    },
    sourceOf(path) {
      const node = nodeAt(path);
      if (!isScalar(node)) return undefined;
      return typeof node.value === "string" ? node.value : node.source;
    },
  };
}

/** Counts open flow brackets, and list marks in one line. Brackets in quoted text count too; no real file has that many. */
function nestedTooDeeply(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return new RegExp(`(?:[-?] +){${MAX_DEPTH}}`).test(text);
}
