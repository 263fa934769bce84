/** Errors of engines for globals that services do not have, with explanations for people. */
const UNAVAILABLE: readonly (readonly [error: RegExp, words: string])[] = [
  [/^(fetch|XMLHttpRequest|WebSocket|EventSource|navigator) is not defined$/, "the network is not available to services"],
  [/^process is not defined$/, "the process and its environment are not available to services"],
  [/^(require|module|exports|Buffer|__dirname|__filename|global) is not defined$/, "Node's APIs are not available to services"],
  [/^(Date|Temporal|performance) is not defined$/, "the clock is not available to services: the same input must give the same output"],
  [/^(setTimeout|setInterval|setImmediate|queueMicrotask) is not defined$/, "timers are not available to services"],
  [
    /^crypto is not defined$|random is not a function$/,
    "randomness is not available to services: the same input must give the same output",
  ],
  [/^Intl is not defined$|[lL]ocale\w* is not a function$/, "locales are not available to services: they differ between machines"],
  [/^console is not defined$/, "there is no console: use ctx.message to put something on record"],
  [/^(window|document|self|localStorage) is not defined$/, "browser APIs are not available to services"],
  [
    /^(URL|TextEncoder|TextDecoder|structuredClone|atob|btoa|AbortController) is not defined$/,
    "services have only the language, not the APIs of browsers and Node",
  ],
  [/^Code generation from strings disallowed/, "code from text (eval, new Function) is not available to services"],
  [/dynamic import callback/, "import() with a computed name is not available to services"],
];

/** A crash's message, preceded by an explanation if the service used something unavailable. */
export function explainCrash(message: string): string {
  const said = message.replace(/^\w*Error: /, "");
  const known = UNAVAILABLE.find(([error]) => error.test(said));
  return known === undefined ? message : `${known[1]} (${message})`;
}
