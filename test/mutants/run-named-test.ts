/** Runs the tests of one file that have one of the titles given, and prints what came of them as JSON. */
import { join } from "node:path";
import Mocha from "mocha";
import { root } from "../../scripts/dev/files.ts";

const [file = "", ...titles] = process.argv.slice(2);
class Silent extends Mocha.reporters.Base {}

const mocha = new Mocha({ timeout: 900_000, reporter: Silent });
mocha.addFile(join(root, file));
await mocha.loadFilesAsync();
/** Everything else goes, so that a hook that runs before all runs for these tests alone. */
function keep(suite: Mocha.Suite): number {
  suite.tests = suite.tests.filter((test) => titles.includes(test.title));
  return suite.tests.length + suite.suites.reduce((sum, inner) => sum + keep(inner), 0);
}
const found = keep(mocha.suite);
const failures: { title: string; hook: boolean; message: string }[] = [];
/** Of a walk: the seed and step that broke the invariant; else what the assertion says. */
const messageOf = ({ actual, message }: { actual?: unknown; message: string }): string =>
  Array.isArray(actual) && typeof actual[0] === "string" ? actual[0] : message;
await new Promise<void>((resolve) => {
  mocha
    .run(() => resolve())
    .on("fail", (test, error) => failures.push({ title: test.title, hook: String(test.type) === "hook", message: messageOf(error) }));
});
console.log(`RESULT ${JSON.stringify({ found, failures })}`);
process.exit(0);
