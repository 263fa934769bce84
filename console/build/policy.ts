/** What a page may do: run its own files. Alone it may ask nobody; a city's console asks that city's gateway. */
const policy = (asks: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...asks,
  ].join("; ");

const COMMON: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Every file of a console that stands alone. */
export const HEADERS = { ...COMMON, "content-security-policy": policy([]) };

/** Every file of a console that a city's gateway serves. */
export const LIVE_HEADERS = { ...COMMON, "content-security-policy": policy(["connect-src 'self'"]) };
