import { READ_ACCESS, READERS, readers, readObjects } from "../../orchestrator/protocol/read-access.ts";
import { MADE, table } from "./markdown.ts";

const MOMENTS = {
  "at once": "at once",
  revealed: "once nobody can commit to the attempt any more, and its outputs are revealed",
  over: "once the mission is over",
  never: "never",
} as const;

/** docs/read-access.md, from the one table of who reads what. */
export function readAccessPage(): string {
  const objects = readObjects.map((object) => {
    const { what, everybody, readers: allowed, from } = READ_ACCESS[object];
    const own = allowed.length === 0 ? "" : `${allowed.join(", ")}: ${MOMENTS[from]}`;
    return [object, what, MOMENTS[everybody.public], MOMENTS[everybody.parties], own];
  });
  return [
    MADE("orchestrator/protocol/read-access.ts"),
    "\n# Who reads what of a mission\n\n",
    "A mission file may say `visibility: public` or `visibility: parties`. The law repeats it, so that everybody sees what holds, and the audit compares\n",
    "it with the file. Where the file says nothing, a mission that a sponsor posts to a city (`npm run mission -- … --city`) and one on a network that\n",
    "lives are for their parties; the demonstration, what a city of one's own carries out on its devnet and its `--demo` missions are public, so\n",
    "that people see something. A mission below another is for whom the one above is for.\n\n",
    table(["object", "is", "everybody, `public`", "everybody, `parties`", "who has a part"], objects),
    "\n",
    table(
      ["role", "is"],
      readers.map((reader) => [reader, READERS[reader]]),
    ),
    "\nA part is one in *this mission and node*: who bid elsewhere, was not drawn, sponsors another mission or has a seat without an open case is anybody.\n",
    "Whoever asks shows its key by a signature or a [bearer](gateway.md#signing); one that has expired is refused. What one may not read is answered\n",
    "as what is not there (404).\n\n",
    "| face | tells nobody in particular of `parties` |\n|---|---|\n",
    "| `get_work`, `get_payload`, `get_report` | that nothing is there |\n",
    "| `list_events`, `get_event`, the stream, MCP, A2A, webhooks | records of work by kind, time and salted seal; ids, hashes and salts of their payloads are null; a search for words does not look into them. The stream is everybody's: parties ask `list_events` |\n",
    "| `get_clearings`, `list_verdicts`, `get_mission_money` | verdicts, classes of evidence, claims by hash, money |\n",
    "| `get_bundle` | the public copy: chain, log, law, debate, verdicts. Its manifest lists what is withheld, and [its audit](audit.md#a-copy-without-everything) says *n blocks withheld* |\n",
    "| bundles of other missions of the city | their own work; of this one what the public copy has |\n",
    "| `get_case` | for adjudicators: one without an interest in the mission, while the case waits |\n",
    "| an IPFS mirror | what everybody may read |\n",
    "| console | what everybody may read; it says so on the mission's page |\n",
    "| `/rpc`, any node of the chain | everything on chain, see below |\n\n",
    "## What cannot be hidden, and what is not promised\n\n",
    "* **The law is everybody's**: goal, tasks, options and rubrics stand in it, since whoever votes, bids or judges reads it. Say nothing secret there.\n",
    "* **The chain is everybody's**: who paid, bid, worked, judged and was paid; digests of the input and of every revealed output, whose salts are public\n",
    "  then; the reasons of human orders, word for word. A digest tells nothing to who cannot guess the bytes, and everything to who can: an output of a\n",
    "  few possible answers is found by trying them.\n",
    "* **A log is its city's**: every bundle has kind, time and hash of every record up to its end, also of missions that were not over then.\n",
    "* **The operator reads everything** that is not sealed, and may show it to anybody. So may **executors, issuers and verifiers**: each gets the\n",
    "  items of the *whole* mission with its question, since the law has one digest for all of them. Encrypt what nobody is to see, or do not post it.\n",
    "* What an adjudicator writes as its reason, and what a speaker says in a debate, is public whatever it quotes.\n\n",
    "Every role asks for every object, in both kinds of mission, while it runs and once it is over, through a served gateway:\n",
    "`test/gateway/read-access.test.ts`.\n",
  ].join("");
}
