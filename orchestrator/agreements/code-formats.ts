/** Parsers of code for `verifyStructure`. Apart from the others, as they are larger than all else that agreements need. */
import { type ParserPlugin, parse } from "@babel/parser";
import { inTime } from "../primitives/in-time.ts";
import type { CodeName, FormatCheck } from "./formats.ts";

const PLUGINS: Readonly<Record<CodeName, readonly ParserPlugin[]>> = {
  javascript: [],
  jsx: ["jsx"],
  typescript: ["typescript"],
  tsx: ["typescript", "jsx"],
};

/** `milliseconds`: time limit for one text, since TypeScript has texts of a hundred characters that take a parser years. */
export function codeParsers(milliseconds: number): Readonly<Record<CodeName, FormatCheck>> {
  const parser = (name: CodeName): FormatCheck => {
    const plugins: readonly ParserPlugin[] = ["decorators", "decoratorAutoAccessors", ...PLUGINS[name]];
    return (text) => {
      if (text.trim() === "") return "there is nothing to read";
      const parsed = inTime(milliseconds, () => parses(text, plugins));
      if (parsed === undefined) return `it cannot be parsed within ${milliseconds / 1_000} s`;
      return parsed.value ? undefined : `it is not ${name}`;
    };
  };
  return { javascript: parser("javascript"), jsx: parser("jsx"), typescript: parser("typescript"), tsx: parser("tsx") };
}

/** False also for a text that is nested deeper than the parser can go. */
function parses(text: string, plugins: readonly ParserPlugin[]): boolean {
  try {
    parse(text, { sourceType: "unambiguous", plugins: [...plugins] });
    return true;
  } catch {
    return false;
  }
}
