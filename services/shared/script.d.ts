import type { File, Node } from "@babel/types";
export type Script = {
    readonly ok: true;
    readonly file: File;
} | {
    readonly ok: false;
    readonly problem: string;
};
/** Reads JavaScript or TypeScript, whichever the name says; JSX except in plain TypeScript, where `<T>x` is a cast. */
export declare function parseScript(path: string, text: string): Script;
/** Visits a tree, each node before what is in it, in order of the text. Not recursive: a tree may be as deep as a parser can go. */
export declare function visit(root: Node, enter: (node: Node, parents: readonly Node[]) => void): void;
