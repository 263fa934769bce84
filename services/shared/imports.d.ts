import type { Node } from "@babel/types";
/** Whatever a script imports, exports from or requires by a fixed name, types included, in order of the text. */
export declare function importsOf(script: Node): string[];
/** `lodash` of `lodash/fp`, `@scope/name` of `@scope/name/part`. */
export declare function packageOf(specifier: string): string;
/** Node's own modules, under `node:` or by the names that older code uses; also addresses and a package's own `#` imports. */
export declare function isBuiltin(specifier: string): boolean;
