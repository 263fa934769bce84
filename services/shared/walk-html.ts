import { Parser } from "htmlparser2";

export interface HtmlHandlers {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Twice what browsers allow; the parser slows down with depth. */
const DEEPEST = 1_024;

/** Reads HTML as browsers do, whatever is wrong with it. Returns why it stopped early, if it did. */
export function walkHtml(html: string, handlers: HtmlHandlers): string | undefined {
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (depth > DEEPEST) throw new TooDeep();
      handlers.open(name, attributes);
    },
    ontext: handlers.text,
    onclosetag(name) {
      depth -= 1;
      handlers.close(name);
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return `it is nested more than ${DEEPEST} deep; the rest was not read`;
  }
  return undefined;
}

class TooDeep extends Error {}
