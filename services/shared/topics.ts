import type { Item } from "./contract.ts";
import { listField, textField } from "./items.ts";
import { wordsOf } from "./text.ts";

/** Topics and the words that speak for them. Earlier topics win ties. */
const TOPICS: readonly (readonly [topic: string, words: string])[] = [
  ["testing", "test testing tests assert assertion mocha chai tap coverage fuzz property-based mock spec runner"],
  ["blockchain", "ethereum evm solidity blockchain web3 hardhat abi wallet erc20 contract contracts rpc keccak transaction"],
  ["crypto", "crypto cryptography hash sha256 sha3 secp256k1 ed25519 signature encryption elliptic curve hmac digest rlp"],
  ["ai", "ai llm langchain openai anthropic agent agents model tokenizer embedding prompt gpt"],
  ["types", "types typescript type definitions declaration typings schema validation validator zod"],
  ["lint", "lint linter eslint format formatter prettier style code-style solhint"],
  ["build", "build bundler bundle compiler compile transpile loader webpack rollup esbuild minify binary platform"],
  ["database", "database postgres postgresql sql sqlite query orm pg redis mongodb storage"],
  ["web", "http https server browser html css router middleware cookie url fetch request cors websocket react dom"],
  ["cli", "cli command argv args arguments terminal console color colour ansi prompt option options spinner"],
  ["parsing", "parse parser parsing ast grammar tokenizer lexer json yaml toml csv markdown serialize stringify"],
  ["files", "fs file files filesystem directory path glob find watch stream streams zip tar temp"],
  ["async", "async await promise promises event events emitter queue concurrency worker debounce stream callback"],
  ["text", "string strings text unicode regex regexp utf8 encoding encode decode base64 diff case escape"],
  ["data", "object array list map set collection clone merge sort iterator iterable immutable data math number bignumber"],
  ["system", "node process env environment os platform module modules require resolve package npm version semver dependency"],
];

/** Different words of one topic that a text must have, and their share of its words: a few occur in any text. */
const LEAST_WORDS = 3;
const LEAST_SHARE = 0.03;
const TEXT_HEAD = 2_000;

/**
 * The topic for which the most words speak: keywords count twice, then name and description, and a text when it is about the topic rather
 * than mentions it. `unknown` when nothing speaks for any.
 */
export function topicOf(item: Item): string {
  const keywords = listField(item, "keywords").flatMap((keyword) => wordsOf(keyword));
  const named = [...keywords, ...keywords, ...wordsOf(textField(item, "name")), ...wordsOf(textField(item, "description"))];
  const text = wordsOf(textField(item, "text").slice(0, TEXT_HEAD));
  let best = "unknown";
  let most = 0;
  for (const [topic, list] of TOPICS) {
    const known = new Set(list.split(" "));
    const hits = named.filter((word) => known.has(word)).length + evidenceIn(text, known);
    if (hits > most) {
      best = topic;
      most = hits;
    }
  }
  return best;
}

/** Words of the topic in a text, or 0 when they are too few to say what it is about. */
function evidenceIn(text: readonly string[], known: ReadonlySet<string>): number {
  const hits = text.filter((word) => known.has(word));
  return new Set(hits).size >= LEAST_WORDS && hits.length >= LEAST_SHARE * text.length ? hits.length : 0;
}
