import { resolve } from "node:path";

/** npm scripts that are commands of this program, or run one. */
const SCRIPTS = [
  ...["start", "mission", "city", "mcp", "agent", "session", "audit", "genesis", "verify", "approve-codification", "override"],
  ...["clearing", "watchdog", "calibrate", "modelcheck", "bench", "economy", "deterrence"],
];

/** The npm script that runs this process, if it belongs to this program. */
function script(): string | undefined {
  const name = process.env["npm_lifecycle_event"];
  return name !== undefined && SCRIPTS.includes(name) ? name : undefined;
}

/** A path from the command line: relative to where it was typed, although npm runs scripts in the project's folder. */
export function typedPath(path: string): string {
  const from = process.env["INIT_CWD"];
  return script() === undefined || from === undefined || from === process.cwd() ? path : resolve(from, path);
}

/** The password of a URL: commands are displayed and stored, secrets must not be. */
const PASSWORD = /(:\/\/[^:@/]*):[^@/]*@/;

/** The command to type again. Options that ask for a new city are dropped, so that it continues this one. */
export function typedCommand(): string {
  const words = process.argv
    .slice(2)
    .filter((word) => word !== "--new-city")
    .map((word) => quoted(word.replace(PASSWORD, "$1@")));
  const name = script();
  if (name === undefined) return [program(), ...words].join(" ");
  const rest = words[0] === name ? words.slice(1) : words;
  const npm = name === "start" ? "npm start" : `npm run ${name}`;
  return rest.length === 0 ? npm : `${npm} -- ${rest.join(" ")}`;
}

/** Rewrites commands in a text from `npm run` to what works here: npm finds its scripts only in the project's folder. */
export function asTyped(text: string): string {
  if (script() !== undefined) return text;
  return text.replace(/npm (?:run )?([a-z-]+)(?: --(?= ))?/g, (words, name: string) =>
    SCRIPTS.includes(name) ? `${program()} ${name}` : words,
  );
}

function program(): string {
  return process.env["npm_command"] === "exec" ? "npx agentcity" : "agentcity";
}

/** Quotes for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
