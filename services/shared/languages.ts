/** How a language writes comments. */
export interface Language {
  readonly name: string;
  /** What makes a comment of the rest of the line. */
  readonly line: readonly string[];
  readonly block?: readonly [open: string, close: string];
  /** Documentation between lines of its own. */
  readonly paragraph?: { readonly open: RegExp; readonly close: RegExp };
  /** The line after which no code follows. */
  readonly end?: RegExp;
}

const C_LIKE = { line: ["//"], block: ["/*", "*/"] } as const;
const HASH = { line: ["#"] } as const;
const DASHES = { line: ["--"], block: ["/*", "*/"] } as const;
const PERCENT = { line: ["%"] } as const;
const SEMICOLON = { line: [";"] } as const;
const CSS = { line: [], block: ["/*", "*/"] } as const;
const MARKUP = { line: [], block: ["<!--", "-->"] } as const;
const ML = { line: [], block: ["(*", "*)"] } as const;

/** Name, how comments are written, and what its files end in; behind a bar the names of whole files and of interpreters. */
const LANGUAGES: readonly (readonly [name: string, comments: Omit<Language, "name">, endings: string, names?: string])[] = [
  ["Ada", { line: ["--"] }, "adb ads"],
  ["Assembly", { line: [";", "#"], block: ["/*", "*/"] }, "asm s"],
  ["AWK", HASH, "awk", "awk gawk mawk"],
  ["Batch", { line: ["REM ", "rem ", "::"] }, "bat cmd"],
  ["C", C_LIKE, "c"],
  ["C header", C_LIKE, "h"],
  ["C#", C_LIKE, "cs csx"],
  ["C++", C_LIKE, "cc cpp cxx ipp tpp"],
  ["C++ header", C_LIKE, "hh hpp hxx"],
  ["Clojure", SEMICOLON, "clj cljc cljs edn"],
  ["CMake", HASH, "cmake", "cmakelists.txt"],
  ["CoffeeScript", HASH, "coffee"],
  ["Crystal", HASH, "cr"],
  ["CSS", CSS, "css"],
  ["Cython", HASH, "pxd pyx"],
  ["D", C_LIKE, "d"],
  ["Dart", C_LIKE, "dart"],
  ["Dockerfile", HASH, "dockerfile", "containerfile dockerfile"],
  ["Elixir", HASH, "ex exs", "elixir"],
  ["Elm", { line: ["--"], block: ["{-", "-}"] }, "elm"],
  ["Erlang", PERCENT, "erl hrl", "escript"],
  ["F#", { line: ["//"], block: ["(*", "*)"] }, "fs fsi fsx"],
  ["Fortran", { line: ["!"] }, "f90 f95 f03 f08"],
  ["GLSL", C_LIKE, "frag glsl vert"],
  ["Go", C_LIKE, "go"],
  ["GraphQL", HASH, "gql graphql"],
  ["Groovy", C_LIKE, "gradle groovy", "groovy jenkinsfile"],
  ["Haskell", { line: ["--"], block: ["{-", "-}"] }, "hs", "runhaskell"],
  ["HCL", { line: ["#", "//"], block: ["/*", "*/"] }, "hcl tf tfvars"],
  ["HTML", MARKUP, "htm html xhtml"],
  ["INI", { line: [";", "#"] }, "cfg conf ini properties"],
  ["Java", C_LIKE, "java"],
  ["JavaScript", C_LIKE, "cjs js jsx mjs", "bun deno node nodejs"],
  ["JSON", { line: [] }, "json jsonl ndjson webmanifest"],
  ["JSON with comments", C_LIKE, "json5 jsonc"],
  ["Julia", { line: ["#"], block: ["#=", "=#"] }, "jl", "julia"],
  ["Kotlin", C_LIKE, "kt kts"],
  ["LaTeX", PERCENT, "bib cls sty tex"],
  ["Less", C_LIKE, "less"],
  ["Lisp", { line: [";"], block: ["#|", "|#"] }, "cl el lisp", "emacs sbcl"],
  ["Lua", { line: ["--"], block: ["--[[", "]]"] }, "lua", "lua luajit"],
  ["Makefile", HASH, "mak mk", "gnumakefile make makefile"],
  ["MATLAB", { line: ["%"], block: ["%{", "%}"] }, "matlab", "octave"],
  ["Nim", { line: ["#"], block: ["#[", "]#"] }, "nim"],
  ["Nix", { line: ["#"], block: ["/*", "*/"] }, "nix"],
  ["Objective-C", C_LIKE, "mm"],
  ["OCaml", ML, "ml mli", "ocaml"],
  ["Pascal", { line: ["//"], block: ["{", "}"] }, "lpr pas"],
  ["Perl", { ...HASH, paragraph: { open: /^=[a-z]/i, close: /^=cut\b/ }, end: /^__(END|DATA)__$/ }, "al pl plx pm pod t", "perl"],
  ["PHP", { line: ["//", "#"], block: ["/*", "*/"] }, "php phtml", "php"],
  ["PowerShell", { line: ["#"], block: ["<#", "#>"] }, "ps1 psd1 psm1", "pwsh"],
  ["Prolog", { line: ["%"], block: ["/*", "*/"] }, "pro prolog"],
  ["Protocol Buffers", C_LIKE, "proto"],
  ["Python", HASH, "py pyi pyw", "python sconstruct snakefile"],
  ["R", HASH, "r", "r rscript"],
  ["Raku", HASH, "raku rakumod", "raku"],
  ["Ruby", { line: ["#"], block: ["=begin", "=end"] }, "gemspec rake rb", "gemfile rakefile ruby vagrantfile"],
  ["Rust", C_LIKE, "rs"],
  ["Sass", C_LIKE, "sass"],
  ["Scala", C_LIKE, "sbt scala"],
  ["Scheme", { line: [";"], block: ["#|", "|#"] }, "rkt scm ss", "guile racket"],
  ["SCSS", C_LIKE, "scss"],
  ["sed", HASH, "sed", "sed"],
  ["Shell", HASH, "bash bats fish ksh sh zsh", "ash bash dash fish ksh sh zsh"],
  ["Smarty", { line: [], block: ["{*", "*}"] }, "tpl"],
  ["Solidity", C_LIKE, "sol"],
  ["SQL", DASHES, "ddl dml pgsql psql sql"],
  ["Starlark", HASH, "bzl star", "build build.bazel workspace"],
  ["Svelte", MARKUP, "svelte"],
  ["SVG", MARKUP, "svg"],
  ["Swift", C_LIKE, "swift"],
  ["Tcl", HASH, "tcl tk", "expect tclsh wish"],
  ["TOML", HASH, "toml"],
  ["TypeScript", C_LIKE, "cts mts ts tsx"],
  ["Verilog", C_LIKE, "sv svh v vh"],
  ["VHDL", { line: ["--"] }, "vhd vhdl"],
  ["Vim script", { line: ['"'] }, "vim", ".vimrc"],
  ["Visual Basic", { line: ["'"] }, "bas vb vbs"],
  ["Vue", MARKUP, "vue"],
  ["WebAssembly", { line: [";;"], block: ["(;", ";)"] }, "wast wat"],
  ["XML", MARKUP, "xml xsd xsl xslt"],
  ["YAML", HASH, "yaml yml"],
  ["Zig", { line: ["//"] }, "zig"],
];

/** What people read rather than machines: lines of it are no code. */
const PROSE = "Text";
const PROSE_ENDINGS = "adoc asciidoc csv log markdown md mdown org rst rtf tsv txt";
const PROSE_NAMES = "authors changelog changes copying copyright licence license news notice readme thanks todo";

const by = (words: (language: (typeof LANGUAGES)[number]) => string | undefined): ReadonlyMap<string, Language> =>
  new Map(
    LANGUAGES.flatMap((each) => {
      const [name, comments] = each;
      return (words(each)?.split(" ") ?? []).map((word) => [word, { name, ...comments }] as const);
    }),
  );
const prose: Language = { name: PROSE, line: [] };
const BY_ENDING = new Map([...by(([, , endings]) => endings), ...PROSE_ENDINGS.split(" ").map((ending) => [ending, prose] as const)]);
const BY_NAME = new Map([...by(([, , , names]) => names), ...PROSE_NAMES.split(" ").map((name) => [name, prose] as const)]);

/** The language of a file by its ending, its name or the interpreter that its first line names; undefined if none of them tells. */
export function languageOf(path: string, text = ""): Language | undefined {
  const name = (/[^/]*$/.exec(path)?.[0] ?? "").toLowerCase();
  const ending = /\.([a-z0-9]+)$/.exec(name)?.[1] ?? "";
  return BY_NAME.get(name) ?? BY_ENDING.get(ending) ?? BY_NAME.get(interpreterIn(text));
}

/** `perl` of `#!/usr/bin/env -S perl5.36 -w`. */
function interpreterIn(text: string): string {
  const [, line = ""] = /^#!\s*([^\r\n]*)/.exec(text) ?? [];
  const [first = "", ...rest] = line.split(/\s+/);
  const program = /(^|\/)env$/.test(first) ? (rest.find((word) => !word.startsWith("-") && !word.includes("=")) ?? "") : first;
  return (/[^/]*$/.exec(program)?.[0] ?? "").toLowerCase().replace(/[\d.]+$/, "");
}

/** Whether a file is written for people. */
export function isProse({ name }: Language): boolean {
  return name === PROSE;
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
  let inParagraph = false;
  let isOver = false;
  const { paragraph, end } = language;
  for (const line of lines) {
    const trimmed = line.trim();
    isOver ||= end?.test(trimmed) === true;
    const opens = paragraph?.open.test(line) === true;
    if (isOver || inParagraph || opens) {
      inParagraph = (inParagraph || opens) && paragraph?.close.test(line) !== true;
      if (trimmed === "") blank += 1;
      else comments += 1;
      continue;
    }
    const read = readLine(trimmed, inBlock, language);
    inBlock = read.inBlock;
    if (trimmed === "") blank += 1;
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
    inBlock = start >= 0 && start <= mark;
    hasCode ||= (inBlock ? start : mark) > 0;
    if (!inBlock) break;
    rest = rest.slice(start + opening.length);
  }
  return { hasCode, inBlock };
}
