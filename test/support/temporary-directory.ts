import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory for each test of a suite, gone afterwards. Call inside `describe`. */
export function temporaryDirectory(): () => string {
  let path = "";
  beforeEach(() => {
    path = realpathSync(mkdtempSync(join(tmpdir(), "agentcity-test-")));
  });
  afterEach(() => rmSync(path, { recursive: true, force: true }));
  return () => path;
}

/** A directory for a whole suite, gone afterwards. Call inside `describe`. */
export function suiteDirectory(): () => string {
  let path = "";
  before(() => {
    path = realpathSync(mkdtempSync(join(tmpdir(), "agentcity-test-")));
  });
  after(() => rmSync(path, { recursive: true, force: true }));
  return () => path;
}
