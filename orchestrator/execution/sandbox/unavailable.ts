/** What services look for in vain, by the errors that engines give, and what a person would rather read. */
const UNAVAILABLE: readonly (readonly [error: RegExp, words: string])[] = [
  [/^(fetch|XMLHttpRequest|WebSocket|EventSource|navigator) is not defined$/, "the network is not available to services"],
  [/^process is not defined$/, "the process and its environment are not available to services"],
  [/^(require|module|exports|Buffer|__dirname|__filename|global) is not defined$/, "nothing of Node is available to services"],
  [/^(Date|Temporal|performance) is not defined$/, "the clock is not available to services: the same input must give the same output"],
  [/^(setTimeout|setInterval|setImmediate|queueMicrotask) is not defined$/, "timers are not available to services"],
  [/^crypto is not defined$|random is not a function$/, "chance is not available to services: the same input must give the same output"],
  [/^Intl is not defined$|[lL]ocale\w* is not a function$/, "locales are not available to services: they differ between machines"],
  [/^console is not defined$/, "there is no console: a service says something on the record by ctx.message"],
  [/^(window|document|self|localStorage) is not defined$/, "nothing of a browser is available to services"],
  [
    /^(URL|TextEncoder|TextDecoder|structuredClone|atob|btoa|AbortController) is not defined$/,
    "services have the language alone, not the APIs of browsers and Node",
  ],
  [/^Code generation from strings disallowed/, "code from text (eval, new Function) is not available to services"],
  [/dynamic import callback/, "import() with a name that is not fixed is not available to services"],
];

/** A crash's message, with what it means in front when services look for that in vain. */
export function explainCrash(message: string): string {
  const said = message.replace(/^\w*Error: /, "");
  const known = UNAVAILABLE.find(([error]) => error.test(said));
  return known === undefined ? message : `${known[1]} (${message})`;
}
