import { styleText } from "node:util";

/** Draws text in a colour where there is one. */
export type Paint = (text: string, style: "bold" | "green" | "red" | "dim") => string;

/** Colour only on a terminal that has some and whose user did not refuse it (no-color.org). */
export function paintFor(stream: Pick<NodeJS.WriteStream, "isTTY">, environment: NodeJS.ProcessEnv): Paint {
  const { NO_COLOR, TERM } = environment;
  const isPlain = stream.isTTY !== true || (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb";
  return isPlain ? (text) => text : (text, style) => styleText(style, text, { validateStream: false });
}
