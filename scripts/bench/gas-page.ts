import { grouped } from "../../orchestrator/primitives/amounts.ts";
import { MADE, table } from "../dev/markdown.ts";
import { GAS_BUDGETS } from "./gas-budgets.ts";
import { readGasReport } from "./gas-report.ts";

/** `docs/gas.md`: gas costs and budgets. */
export function gasPage(): string {
  const { rows, sizes } = readGasReport();
  const gas = (value: number | null): string => (value === null || value === 0 ? "–" : grouped(value));
  const budgets = new Map(GAS_BUDGETS.map((budget) => [budget.operation, budget]));
  const verdict = ({ median, budget }: (typeof rows)[number]) => (budget === null ? "" : median <= budget ? "met" : "missed");
  const missed = GAS_BUDGETS.flatMap(({ operation, exception }) =>
    exception === undefined ? [] : [[`\`${operation}\``, gas(exception.limit), exception.why]],
  );
  return [
    MADE("bench/gas.json, which `npm run bench` writes"),
    "\n# Gas costs\n\n",
    "Median gas on the embedded chain, contracts compiled as for real networks (viaIR, 1,000 runs), with real signatures, in a city in\n",
    "use: accounts have balances, and one-time storage is already written. OpenZeppelin's Governor is deployed and measured in the\n",
    "same run with the same settings. *Reference* is the paper's estimate, which counts no token transfer and no signature, or the peer's\n",
    "number. `npm run bench -- --check` measures again in CI and fails if a row exceeds its budget (or its limit, below), or if a\n",
    "committed number differs by more than three percent.\n\n",
    table(
      ["operation", "median", "reference", "budget", "", "what is measured"],
      rows.map((row) => [
        `\`${row.operation}\``,
        gas(row.median),
        gas(row.reference),
        gas(row.budget),
        verdict(row),
        budgets.get(row.operation)?.measured ?? "",
      ]),
    ),
    ...(missed.length === 0
      ? []
      : [
          "\n## Missed budgets\n\nUntil its budget is met, a row may not exceed its limit.\n\n",
          table(["operation", "limit", "why"], missed),
        ]),
    "\n## Bytecode\n\nBytes; linked libraries are listed separately. CI refuses more than 24,000 in either profile.\n\n",
    table(
      ["contract", "default", "production"],
      sizes.map((size) => [size.contract, gas(size.default), gas(size.production)]),
    ),
  ].join("");
}
