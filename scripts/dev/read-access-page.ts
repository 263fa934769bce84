import { READ_ACCESS, READERS, readers, readObjects } from "../../orchestrator/protocol/read-access.ts";
import { MADE, table } from "./markdown.ts";

const MOMENTS = {
  "at once": "at once",
  revealed: "once the attempt accepts no more commitments and its outputs are revealed",
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
    "\n# Read access\n\n",
    "A mission file may say `visibility: public` or `visibility: parties`. The law repeats it, so that everyone sees it, and the audit compares it with the\n",
    "file. If the file says nothing, a mission posted to a city (`npm run mission -- … --city`) and one on a live network are for their parties; missions on\n",
    "your own devnet, including the sample and `--demo`, are public. A mission below another has the visibility of the one above.\n\n",
    table(["object", "content", "everyone, `public`", "everyone, `parties`", "participants"], objects),
    "\n",
    table(
      ["role", "meaning"],
      readers.map((reader) => [reader, READERS[reader]]),
    ),
    "\nRoles are specific to *this mission and node*: an agent that bid elsewhere, a verifier that was not drawn, the sponsor of another mission, or an\n",
    "adjudicator without an open case has no special access. Callers authenticate with a signature or a [bearer](gateway.md#signing); an expired one is\n",
    "refused. Data that a caller may not read appears not to exist (404).\n\n",
    "| interface | shown to everyone of a mission for its `parties` |\n|---|---|\n",
    "| `get_work`, `get_payload`, `get_report` | nothing: it appears not to exist |\n",
    "| `list_events`, `get_event`, the stream, MCP, A2A, webhooks | records of work by kind, time and salted seal; ids, hashes and salts of their payloads are null, and text search excludes them. The stream is public: parties use `list_events` |\n",
    "| `get_clearings`, `list_verdicts`, `get_mission_money` | verdicts, classes of evidence, claims by hash, money |\n",
    "| `get_bundle` | the public copy: chain, log, law, debate, verdicts. Its manifest lists the withheld files, and [its audit](audit.md#a-copy-without-everything) says *n blocks withheld* |\n",
    "| bundles of other missions of the city | their own work, and the public copy of this mission |\n",
    "| `get_case` | nothing; an adjudicator without an interest in the mission sees it while the case waits |\n",
    "| an IPFS mirror | public data |\n",
    "| console | public data, with a notice on the mission's page |\n",
    "| `/rpc`, any node of the chain | everything on chain, see below |\n\n",
    "## What cannot be hidden, and what is not promised\n\n",
    "* **The law is public**: goal, tasks, options and rubrics are in it, since voters, bidders and judges must read them. Do not put secrets there.\n",
    "* **The chain is public**: who paid, bid, worked, judged and was paid; digests of the input and of every revealed output, with their salts;\n",
    "  and the reasons of human orders, verbatim. A digest reveals the bytes to anyone who can guess them: an output with\n",
    "  few possible values is found by trial.\n",
    "* **The log covers the whole city**: every bundle has kind, time and hash of every record up to its end, including those of unfinished missions.\n",
    "* **The operator reads everything** that is not sealed, and can show it to anyone. So can **executors, issuers and verifiers**: each gets the\n",
    "  items of the *whole* mission with its question, since the law has one digest for all of them. Encrypt anything they must not see, or do not post it.\n",
    "* Adjudicators' reasons and speeches in a debate are public, including any quotations.\n\n",
    "A test requests every object in every role, for both kinds of mission, during and after the mission, from a served gateway:\n",
    "`test/gateway/read-access.test.ts`.\n",
  ].join("");
}
