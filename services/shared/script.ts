import { parse } from "@babel/parser";
import type { File, Node } from "@babel/types";
import { messageOf } from "./problem.ts";

export type Script = { readonly ok: true; readonly file: File } | { readonly ok: false; readonly problem: string };

/** Reads JavaScript or TypeScript, whichever the name says; JSX except in plain TypeScript, where `<T>x` is a cast. */
export function parseScript(path: string, text: string): Script {
  const isTyped = /\.[cm]?tsx?$/i.test(path);
  const hasJsx = !/\.[cm]?ts$/i.test(path);
  try {
    const file = parse(text, {
      sourceType: "unambiguous",
      errorRecovery: true,
      allowReturnOutsideFunction: true,
      plugins: [
        ...(isTyped ? (["typescript"] as const) : []),
        ...(hasJsx ? (["jsx"] as const) : []),
        "decorators",
        "decoratorAutoAccessors",
      ],
    });
    return { ok: true, file };
  } catch (error) {
    return { ok: false, problem: `it cannot be parsed: ${messageOf(error)}` };
  }
}

/** Visits a tree, each node before what is in it, in order of the text. Not recursive: a tree may be as deep as a parser can go. */
export function visit(root: Node, enter: (node: Node, parents: readonly Node[]) => void): void {
  const open: Node[] = [];
  const waiting: { node: Node; depth: number }[] = [{ node: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    open.length = next.depth;
    enter(next.node, open);
    open.push(next.node);
    const { depth } = next;
    for (const child of childrenOf(next.node).reverse()) waiting.push({ node: child, depth: depth + 1 });
  }
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
}

/** Comments hang on nodes too, and are none. */
function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "loc" in value && !/^Comment/.test(String(value.type));
}
