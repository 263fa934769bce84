/** The five parts of a reference (RFC 3986, appendix B). Absent parts are undefined, empty ones "". */
export interface Uri {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

const PARTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([\s\S]*))?$/;

/** Never fails: every text is a reference of some form. A service's realm has no URL class. */
export function parseUri(text: string): Uri {
  const [, scheme, authority, path = "", query, fragment] = PARTS.exec(text) ?? [];
  return { scheme: scheme?.toLowerCase(), authority: authority?.toLowerCase(), path, query, fragment };
}

/** A reference found in a document at `base`, made absolute (RFC 3986, 5.2.2). */
export function resolveUri(reference: Uri, base: Uri): Uri {
  if (reference.scheme !== undefined) return { ...reference, path: withoutDots(reference.path) };
  const { scheme } = base;
  if (reference.authority !== undefined) return { ...reference, scheme, path: withoutDots(reference.path) };
  const { authority } = base;
  if (reference.path === "") {
    return { scheme, authority, path: base.path, query: reference.query ?? base.query, fragment: reference.fragment };
  }
  const path = reference.path.startsWith("/") ? reference.path : merged(base, reference.path);
  return { scheme, authority, path: withoutDots(path), query: reference.query, fragment: reference.fragment };
}

export function formatUri({ scheme, authority, path, query, fragment }: Uri): string {
  return [
    scheme === undefined ? "" : `${scheme}:`,
    authority === undefined ? "" : `//${authority}`,
    path,
    query === undefined ? "" : `?${query}`,
    fragment === undefined ? "" : `#${fragment}`,
  ].join("");
}

function merged(base: Uri, path: string): string {
  if (base.authority !== undefined && base.path === "") return `/${path}`;
  return base.path.slice(0, base.path.lastIndexOf("/") + 1) + path;
}

/** RFC 3986, 5.2.4, on segments. A relative path keeps the `..` that lead out of it. */
function withoutDots(path: string): string {
  const absolute = path.startsWith("/");
  const segments = (absolute ? path.slice(1) : path).split("/");
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "." || segment === "..") {
      const above = kept.at(-1);
      if (segment === ".." && above !== undefined && above !== "..") kept.pop();
      else if (segment === ".." && !absolute) kept.push("..");
      if (isLast) kept.push("");
    } else kept.push(segment);
  }
  return (absolute ? "/" : "") + kept.join("/");
}
