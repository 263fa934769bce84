import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { filesIn, root } from "../../scripts/dev/files.ts";

interface HouseRule {
  reason: string;
  pattern: RegExp;
  files: readonly string[];
  except: readonly string[];
}

const SOURCES = ["orchestrator/**/*.ts", "deploy/**/*.ts", "services/**/*.ts", "scripts/**/*.ts", "test/**/*.ts", "*.ts"];
const CONTRACTS = ["contracts/**/*.sol"];
/** This file names what it forbids. */
const SELF = "test/architecture/house-rules.test.ts";

/** What no linter at hand says for us. */
const RULES: readonly HouseRule[] = [
  {
    reason: "time is a port: take a Clock",
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    files: ["orchestrator/**/*.ts", "deploy/**/*.ts", "services/**/*.ts"],
    // The package has no command line above it: its default clock is the machine's.
    except: ["orchestrator/primitives/clock.ts", "orchestrator/cli/wall-time.ts", "orchestrator/agent/index.ts"],
  },
  {
    reason: "chance is a port: take a random stream",
    pattern: /\bMath\.random\(/,
    files: ["orchestrator/**/*.ts", "deploy/**/*.ts", "services/**/*.ts"],
    except: ["orchestrator/primitives/random.ts"],
  },
  {
    reason: "a cast through unknown hides an error: narrow with a schema or a guard",
    pattern: /\bas unknown as\b|\bas any\b|@ts-ignore|@ts-expect-error|@ts-nocheck/,
    files: SOURCES,
    // What must not compile is what it tests.
    except: [SELF, "test/clearing/unrepresentable.test.ts"],
  },
  {
    reason: "a hook belongs to a describe: outside it runs before every test of every file in the process",
    pattern: /^(before|beforeEach|after|afterEach)\(/,
    files: ["test/**/*.ts"],
    except: [],
  },
  { reason: "nothing is left for later", pattern: /\b(TODO|FIXME|XXX|HACK)\b/, files: [...SOURCES, ...CONTRACTS], except: [SELF] },
  {
    reason: "domain code has no assembly and no require strings",
    pattern: /\bassembly\b\s*(\(|\{)|\brequire\([^;]*"/,
    files: CONTRACTS,
    except: [],
  },
  {
    reason: "the pragma is exact",
    pattern: /^pragma solidity (?!0\.8\.33;)/m,
    files: [...CONTRACTS, "test/contracts/**/*.sol"],
    except: [],
  },
];

/** Lines of `text` that break `rule`, as `path:line`. */
function breaks(rule: HouseRule, path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => (rule.pattern.test(line) ? [`${path}:${index + 1}`] : []));
}

describe("house rules", () => {
  for (const rule of RULES) {
    it(rule.reason, () => {
      const files = filesIn(rule.files).filter((path) => !rule.except.includes(path));
      const found = files.flatMap((path) => breaks(rule, path, readFileSync(join(root, path), "utf8")));
      expect(found).to.deep.equal([]);
    });
  }

  it("find what they look for", () => {
    const samples = [
      "  Date.now()",
      "Math.random()",
      "x as unknown as Y",
      "beforeEach(async () => {",
      "// TODO: later",
      "  assembly {",
      "pragma solidity ^0.8.33;",
    ];
    expect(RULES.map((rule, index) => breaks(rule, "sample", samples[index] ?? ""))).to.deep.equal(RULES.map(() => ["sample:1"]));
  });
});
