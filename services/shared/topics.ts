import type { Item } from "./contract.ts";
import { listField, textField } from "./items.ts";
import { wordsOf } from "./text.ts";

/** Topics and the words that speak for them, plurals beside singulars left out. Earlier topics win ties. */
const TOPICS: readonly (readonly [topic: string, words: string])[] = [
  [
    "testing",
    "test testing assert assertion mocha chai jest vitest tap coverage fuzz property-based mock stub spec runner expect fixture snapshot",
  ],
  [
    "blockchain",
    "ethereum evm solidity blockchain web3 hardhat foundry abi wallet erc20 erc721 contract rpc transaction token vyper viem ethers wei gas onchain",
  ],
  [
    "crypto",
    "crypto cryptography hash hashing sha1 sha256 sha512 sha3 md5 keccak ripemd secp256k1 ed25519 ecdsa signature encryption encrypt decrypt cipher aes cbc elliptic curve hmac digest rlp",
  ],
  ["ai", "ai llm langchain openai anthropic claude agent model tokenizer embedding prompt gpt chatbot inference"],
  [
    "types",
    "type types typescript typing typed definition declaration schema validation validator validate zod type-safe generics inference",
  ],
  ["lint", "lint linter linting eslint format formatter formatting prettier style code-style solhint"],
  ["build", "build bundler bundle compiler compile transpile loader webpack rollup esbuild minify binary plugin"],
  ["database", "database postgres postgresql mysql sql sqlite query orm pg redis mongodb key-value backend storage pool client"],
  [
    "web",
    "http https server browser html css router middleware cookie url fetch request response header cors websocket react dom cache caching",
  ],
  ["cli", "cli command argv argument terminal console color colour ansi prompt option spinner shell table column"],
  ["parsing", "parse parser parsing ast grammar tokenizer lexer json yaml toml csv xml markdown serialize stringify expression"],
  ["files", "fs file filesystem directory folder path glob find watch watching watcher recursive zip tar temp"],
  ["async", "async await promise event eventemitter emitter listener queue concurrency worker debounce stream buffer pipe callback"],
  ["text", "string text unicode regex regexp utf8 encoding encode decode base64 diff case escape"],
  ["data", "object array list map set collection clone merge flatten nested sort iterator iterable immutable data math number bignumber"],
  ["system", "node process spawn env environment os platform module require resolve package npm version semver dependency git"],
  [
    "incidents",
    "incident outage downtime alert root-cause postmortem rollback mitigation impact on-call restored deploy failover latency crash",
  ],
  [
    "finance",
    "invoice payment pay paid price amount tax vat budget account bank cost revenue profit loan credit interest ledger refund due currency audit",
  ],
  [
    "legal",
    "law legal clause agreement party parties liability court copyright licence license licensee warranty patent hereby notwithstanding rights terms sublicense redistribute infringement jurisdiction",
  ],
  [
    "work",
    "job application apply applicant position role salary employer employee team hire interview experience colleague manager career vacancy curriculum",
  ],
  [
    "customer service",
    "customer complaint delivery delivered ordered order return returned refund replacement support service arrived product warranty disappointed satisfied shipping parcel",
  ],
  [
    "meeting",
    "meeting minutes agenda attendee attendees motion approved chair action items discussed present apologies board committee adjourned",
  ],
  [
    "health",
    "patient doctor hospital treatment symptom disease medicine dose clinical therapy blood pain health nurse diagnosis drug vaccine",
  ],
  ["travel", "flight hotel travel trip airport train ticket journey tourist beach passport booking tour station luggage city"],
  [
    "food",
    "recipe cook cooking bake oven flour sugar salt butter water dough bread minutes tablespoon cup restaurant taste meal dish coffee",
  ],
  [
    "science",
    "experiment theory hypothesis sample measurement species energy particle equation physics chemistry biology laboratory scientist research",
  ],
  ["education", "student teacher school university course lesson exam lecture grade pupil learning curriculum homework study"],
  ["politics", "government election parliament minister president vote party policy senate congress campaign citizen reform"],
  ["sport", "match team goal player coach season league score win championship race tournament stadium"],
  ["music", "song album band guitar piano concert singer melody orchestra music musician composer"],
];

/** Words that stand in any text about software: they speak for their topic when a keyword or a name says them. */
const COMMON = new Set(
  "node package module npm require version platform type types test build file option string object array number data list set map client request team function model process order service support client text case find table".split(
    " ",
  ),
);
const COMMON_WEIGHT = 0.3;

const KNOWN: readonly (readonly [topic: string, words: ReadonlySet<string>])[] = TOPICS.map(([topic, list]) => [
  topic,
  new Set(list.split(" ").map(singular)),
]);

/** What a text must say of a topic: different words, and together a share of its words; a few occur in any text. */
const MIN_WORDS = 3;
/** Of a short text two are enough. */
const SHORT = 80;
const MIN_SHARE = 0.015;
const TEXT_HEAD = 6_000;
/** So often counts what its name and its first line say. */
const TITLE = 4;

/**
 * The topic for which the most words speak: keywords count twice, then name and description, and a text when it is about the topic rather
 * than mentions it; its name and its first line count most. `unknown` when nothing speaks for any.
 */
export function topicOf(item: Item): string {
  const keywords = listField(item, "keywords").flatMap((keyword) => wordsOf(keyword));
  const named = [...keywords, ...keywords, ...wordsOf(textField(item, "name")), ...wordsOf(textField(item, "description"))].map(singular);
  const prose = proseOf(textField(item, "text").slice(0, TEXT_HEAD));
  const title = wordsOf(`${textField(item, "name").replace(/[-_.\d]+/g, " ")} ${prose.split("\n", 1)[0] ?? ""}`).map(singular);
  const text = wordsOf(prose).map(singular);
  let best = "unknown";
  let most = 0;
  for (const [topic, known] of KNOWN) {
    const hits = named.filter((word) => known.has(word)).length + evidenceIn(text, title, known);
    if (hits > most) {
      best = topic;
      most = hits;
    }
  }
  return best;
}

/** What the words of a text say for a topic, each less the more often it is said; 0 when they are too few to say what it is about. */
function evidenceIn(text: readonly string[], title: readonly string[], known: ReadonlySet<string>): number {
  const counts = new Map<string, number>();
  for (const word of text) if (known.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const said = [...counts].reduce((sum, [, count]) => sum + count, 0);
  const names = [...new Set(title.filter((word) => known.has(word)))];
  const needed = text.length < SHORT ? MIN_WORDS - 1 : MIN_WORDS;
  if (new Set([...counts.keys(), ...names]).size < needed || said < MIN_SHARE * text.length) return 0;
  const weightOf = (word: string) => (COMMON.has(word) ? COMMON_WEIGHT : 1);
  const body = [...counts].reduce((sum, [word, count]) => sum + weightOf(word) * (1 + Math.log(count)), 0);
  return body + TITLE * names.reduce((sum, word) => sum + weightOf(word), 0);
}

/** A text without code, tags, pictures, addresses, and the parts that every project has; the words of links stay. */
function proseOf(text: string): string {
  return text
    .replace(/^#+ *(?:licen[cs]e|copyright|contribut|sponsor|install)[^\n]*\n[^#]*/gim, " ")
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/!\[[^\]]*\]/g, " ")
    .replace(/\]\([^)]*\)|\]\[[^\]]*\]|^\s*\[[^\]]*\]:.*$/gm, " ")
    .replace(/\b(?:https?|ftp):\/\/\S+/g, " ")
    .replace(/^[\s#=*_>|[-]+/, "");
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !/(?:ss|us|is|os|ics|https|css|redis)$/.test(word) ? word.slice(0, -1) : word;
}
