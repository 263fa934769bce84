import { styleText } from "node:util";

/** Styles text where colours are available. */
export type Paint = (text: string, style: "bold" | "green" | "red" | "dim") => string;

/** Uses colour only on a terminal that supports it and whose user did not disable it (no-color.org). */
export function paintFor(stream: Pick<NodeJS.WriteStream, "isTTY">, environment: NodeJS.ProcessEnv): Paint {
  const { NO_COLOR, TERM } = environment;
  const isPlain = stream.isTTY !== true || (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb";
  return isPlain ? (text) => text : (text, style) => styleText(style, text, { validateStream: false });
}
