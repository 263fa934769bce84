import { Button } from "@mantine/core";
import { useState } from "react";
import { plainText } from "../../../orchestrator/primitives/plain-text.ts";

const SHORT = 400;
/** More than this at once would block the page. */
const LONG = 20_000;

/**
 * Text from outside: an agent's, an input's, a sponsor's. Always a text node, its direction kept to itself, control and invisible
 * characters taken out, long ones cut with a button for more.
 */
export function Quoted({ text, short = SHORT }: { readonly text: string; readonly short?: number }) {
  const [isOpen, setOpen] = useState(false);
  const most = isOpen ? LONG : short;
  // Cut before cleaning, so that a megabyte is not scanned for its first line.
  const shown = plainText(text.slice(0, most)).replace(/\n{3,}/g, "\n\n");
  if (text.length <= most) return <bdi className="quoted">{shown}</bdi>;
  return (
    <>
      <bdi className="quoted">{shown}…</bdi>{" "}
      {isOpen || text.length <= short ? (
        <span className="muted">({(text.length - most).toLocaleString("en")} more characters, in the bundle's file)</span>
      ) : (
        <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
          show more
        </Button>
      )}
    </>
  );
}
