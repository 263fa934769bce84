/** How a language writes comments. */
export interface Language {
  readonly name: string;
  /** What makes a comment of the rest of the line. */
  readonly line: readonly string[];
  readonly block?: readonly [open: string, close: string];
}

const C_LIKE = { line: ["//"], block: ["/*", "*/"] } as const;
const HASH = { line: ["#"] } as const;
const MARKUP = { line: [], block: ["<!--", "-->"] } as const;

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  bash: { name: "Shell", ...HASH },
  c: { name: "C", ...C_LIKE },
  cc: { name: "C++", ...C_LIKE },
  cjs: { name: "JavaScript", ...C_LIKE },
  cpp: { name: "C++", ...C_LIKE },
  cs: { name: "C#", ...C_LIKE },
  css: { name: "CSS", line: [], block: ["/*", "*/"] },
  cts: { name: "TypeScript", ...C_LIKE },
  dart: { name: "Dart", ...C_LIKE },
  go: { name: "Go", ...C_LIKE },
  h: { name: "C header", ...C_LIKE },
  hpp: { name: "C++ header", ...C_LIKE },
  htm: { name: "HTML", ...MARKUP },
  html: { name: "HTML", ...MARKUP },
  java: { name: "Java", ...C_LIKE },
  js: { name: "JavaScript", ...C_LIKE },
  jsx: { name: "JavaScript", ...C_LIKE },
  kt: { name: "Kotlin", ...C_LIKE },
  lua: { name: "Lua", line: ["--"] },
  mjs: { name: "JavaScript", ...C_LIKE },
  mts: { name: "TypeScript", ...C_LIKE },
  php: { name: "PHP", line: ["//", "#"], block: ["/*", "*/"] },
  pl: { name: "Perl", ...HASH },
  py: { name: "Python", ...HASH },
  r: { name: "R", ...HASH },
  rb: { name: "Ruby", ...HASH },
  rs: { name: "Rust", ...C_LIKE },
  scala: { name: "Scala", ...C_LIKE },
  scss: { name: "SCSS", ...C_LIKE },
  sh: { name: "Shell", ...HASH },
  sol: { name: "Solidity", ...C_LIKE },
  sql: { name: "SQL", line: ["--"], block: ["/*", "*/"] },
  swift: { name: "Swift", ...C_LIKE },
  toml: { name: "TOML", ...HASH },
  ts: { name: "TypeScript", ...C_LIKE },
  tsx: { name: "TypeScript", ...C_LIKE },
  vue: { name: "Vue", ...MARKUP },
  xml: { name: "XML", ...MARKUP },
  yaml: { name: "YAML", ...HASH },
  yml: { name: "YAML", ...HASH },
};

/** The language of a file by its name, or undefined for what is no source code. */
export function languageOf(path: string): Language | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

/** JavaScript or TypeScript, which are read by a parser. */
export function isScript({ name }: Language): boolean {
  return name === "JavaScript" || name === "TypeScript";
}

export interface LineCounts {
  readonly lines: number;
  readonly blank: number;
  readonly comments: number;
  readonly code: number;
}

/**
 * Counts lines as `cloc` does: a line with code and a comment is code; what looks like a comment within a string is taken for one.
 * A line break at the end of the text opens no further line.
 */
export function countLines(text: string, language: Language): LineCounts {
  const lines = text === "" ? [] : text.replace(/(?:\r\n|\r|\n)$/, "").split(/\r\n|\r|\n/);
  let blank = 0;
  let comments = 0;
  let inBlock = false;
  for (const line of lines) {
    const read = readLine(line.trim(), inBlock, language);
    inBlock = read.inBlock;
    if (line.trim() === "") blank += 1;
    else if (!read.hasCode) comments += 1;
  }
  return { lines: lines.length, blank, comments, code: lines.length - blank - comments };
}

/** Whether a line has code, and whether a comment that spans lines is open at its end, as it may be at its beginning. */
function readLine(line: string, isInside: boolean, { line: marks, block }: Language): { hasCode: boolean; inBlock: boolean } {
  const [opening, closing] = block ?? ["", ""];
  let hasCode = false;
  let inBlock = isInside;
  for (let rest = line; rest !== ""; rest = rest.trim()) {
    if (inBlock) {
      const end = rest.indexOf(closing);
      if (end < 0) break;
      inBlock = false;
      rest = rest.slice(end + closing.length);
      continue;
    }
    const start = block === undefined ? -1 : rest.indexOf(opening);
    const mark = Math.min(...marks.map((each) => rest.indexOf(each)).filter((at) => at >= 0));
    inBlock = start >= 0 && start < mark;
    hasCode ||= (inBlock ? start : mark) > 0;
    if (!inBlock) break;
    rest = rest.slice(start + opening.length);
  }
  return { hasCode, inBlock };
}
