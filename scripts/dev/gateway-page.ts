import { costInWords } from "../../orchestrator/gateway/command.ts";
import { COMMANDS } from "../../orchestrator/gateway/commands/table.ts";
import { MADE, table } from "./markdown.ts";

/** docs/gateway-commands.md, from the gateway's own table. */
export function gatewayPage(): string {
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  const sections = groups.map((group) => {
    const rows = COMMANDS.filter((row) => row.group === group).map((command) => {
      const { name, method, path, access, doc } = command;
      return [`\`${name}\``, `\`${method} ${path}\``, access, costInWords(command), doc];
    });
    return `\n## ${group}\n\n${table(["Command", "Route", "Who", "Cost", "Does"], rows)}`;
  });
  return [
    MADE("orchestrator/gateway/commands/table.ts"),
    "\n# Commands of the gateway\n\n",
    "Who: `open` is anyone; `reader` anyone, with a signature or session for [what its key may read](read-access.md); `bearer` a key by signature or session; `signed` a key by a signature of this request;\n",
    "`order` anyone: the body contains an order or message with its own signatures, which alone authorise it. Cost is charged to the\n",
    "allowance of the caller's address ([limits](gateway.md#limits)). All fields are in `GET /openapi.json` and on the page `/docs`.\n",
    ...sections,
  ].join("");
}
