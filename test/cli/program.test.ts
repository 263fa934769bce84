import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { EXIT_MEANINGS } from "../../orchestrator/cli/exit-codes.ts";
import { asTyped, typedCommand, typedPath } from "../../orchestrator/cli/shell.ts";
import { foundHome } from "../support/city-home.ts";
import { outcomeIn, PROGRAM, PROJECT, refusalIn, runCli } from "../support/cli.ts";
import { smallInputs, smallMission } from "../support/small-mission.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";

const LIMIT_MS = 240_000;
const SEED = "7";

describe("the program agentcity", function () {
  this.timeout(600_000);
  const directory = suiteDirectory();
  const home = () => join(directory(), "home");
  const run = (...args: string[]) => runCli(args, { home: home(), cwd: directory(), limitMs: LIMIT_MS });

  it("prints one document with --json whatever is asked for, and ends with the code that the table has", async () => {
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [["--version"], 0, "done"],
      [["mission", "--help"], 0, "done"],
      [["start", "--bogus"], 2, "error"],
      [["dance"], 2, "error"],
      [["watchdog", "--bogus"], 2, "error"],
      [["mission", "nowhere.yaml"], 1, "error"],
    ];
    for (const [args, code, status] of cases) {
      const ended = await run(...args, "--json");
      expect(ended.code, args.join(" ")).to.equal(code);
      expect(JSON.parse(ended.stdout), args.join(" ")).to.include({ status });
      expect(ended.stderr).to.not.match(/\n {4}at /);
    }
    expect(readdirSync(directory()), "nothing was made").to.deep.equal([]);
  });

  it("helps with every command that a user meets", async () => {
    for (const command of ["start", "override", "watchdog", "modelcheck", "calibrate", "clearing", "bench"]) {
      const { code, stdout, stderr } = await run(command, "--help");
      expect({ command, code, stderr }).to.deep.equal({ command, code: 0, stderr: "" });
      expect(stdout).to.match(/usage/i);
    }
  });

  it("compiles nothing for production where a devnet is meant", async () => {
    for (const words of [["--network", "embedded"], ["--network=anvil"]]) {
      const { code, stderr } = await run("verify", ...words);
      expect({ words, code }).to.deep.equal({ words, code: 1 });
      expect(stderr).to.match(/^NoCityThere: /);
    }
  });

  it("starts through a link, as npm installs it, from any folder", () => {
    const link = join(directory(), "agentcity");
    symlinkSync(join(PROJECT, PROGRAM), link);
    const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
    expect(execFileSync(link, ["--version"], { cwd: directory(), encoding: "utf8" })).to.equal(`${version}\n`);
  });

  it("documents every exit code", () => {
    const page = readFileSync(join(PROJECT, "docs/commands.md"), "utf8");
    for (const [code, meaning] of EXIT_MEANINGS) expect(page).to.contain(`| ${code} | ${meaning} |`);
  });

  it("refuses an input that would never end", async () => {
    const pipe = join(directory(), "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of ["/dev/zero", pipe]) {
      writeFileSync(join(directory(), "endless.yaml"), smallMission(path, { input: { kind: "files", path } }));
      expect(refusalIn(await run("mission", "endless.yaml", "--json")).code, path).to.equal("InputUnreadable");
    }
  });

  it("runs a mission whose paths are relative to its file; stopped by Ctrl-C it leaves nothing held, and the same command ends it", async () => {
    const missions = join(directory(), "missions");
    const elsewhere = join(directory(), "elsewhere");
    for (const folder of [missions, elsewhere]) mkdirSync(folder);
    smallInputs(missions);
    const tasks = { hash: { service: "hash", over: "input", tier: 1 } };
    writeFileSync(join(missions, "m.yaml"), smallMission("work.csv", { tasks, output: { task: "hash", format: "json" } }));
    await foundHome(home(), SEED);
    const args = ["mission", "../missions/m.yaml", "--json"];
    const options = { home: home(), cwd: elsewhere, limitMs: LIMIT_MS } as const;

    const stopped = await runCli(args, { ...options, interrupt: { when: /small-estimates: 3 items/, signal: "SIGINT" } });
    expect(stopped.code).to.equal(130);
    const again = `agentcity ${args.join(" ")}`;
    expect(JSON.parse(stopped.stdout)).to.deep.equal({ status: "interrupted", signal: "SIGINT", continue: again });
    expect(stopped.stderr).to.contain(`to continue, run the same command again: ${again}`);
    const left = readdirSync(join(home(), "embedded"));
    expect(left.filter((name) => name === "lock" || name === "city.json" || name.endsWith(".tmp"))).to.deep.equal([]);

    const ended = await runCli(args, options);
    expect(ended.code, ended.stderr).to.equal(0);
    expect(ended.stderr).to.contain("resumed an interrupted run").and.to.not.contain("is gone");
    const { bundle, ...outcome } = outcomeIn(ended);
    expect(outcome).to.include({ status: "completed", session: "1" });
    const published = readFileSync(join(home(), bundle ?? "", "outcome.json"), "utf8");
    expect(published, "whoever gets the bundle learns nothing of this machine").to.not.contain(directory());
    expect(existsSync(join(elsewhere, ".agentcity"))).to.equal(false);
  });
});

describe("what was typed", () => {
  const env = { ...process.env };
  const argv = [...process.argv];
  afterEach(() => {
    for (const name of ["npm_lifecycle_event", "INIT_CWD", "npm_command"]) {
      const value = env[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    process.argv = [...argv];
  });

  function typed(script: string | undefined, words: readonly string[]): void {
    if (script === undefined) delete process.env["npm_lifecycle_event"];
    else process.env["npm_lifecycle_event"] = script;
    process.env["INIT_CWD"] = "/somewhere/else";
    delete process.env["npm_command"];
    process.argv = ["node", "agentcity", ...words];
  }

  it("is relative to where it was typed, which npm hides from its scripts", () => {
    typed("mission", ["mission", "../m/x.yaml"]);
    expect(typedPath("../m/x.yaml")).to.equal("/somewhere/m/x.yaml");
    expect(typedPath("/m/x.yaml")).to.equal("/m/x.yaml");
    typed(undefined, ["mission", "x.yaml"]);
    expect(typedPath("x.yaml")).to.equal("x.yaml");
    typed("test", ["mission", "x.yaml"]);
    expect(typedPath("x.yaml"), "another script's INIT_CWD says nothing").to.equal("x.yaml");
  });

  it("is how other commands are named: as npm runs them inside the project, as the program elsewhere", () => {
    const text = "sign: npm run override -- show x --as me; npm start -- --seed 8; npm run lint; npm run approve-codification";
    typed("mission", ["mission"]);
    expect(asTyped(text)).to.equal(text);
    typed(undefined, ["mission"]);
    const own = "sign: agentcity override show x --as me; agentcity start --seed 8; npm run lint; agentcity approve-codification";
    delete process.env["npm_command"];
    expect(asTyped(text)).to.equal(own);
    process.env["npm_command"] = "exec";
    expect(asTyped(text)).to.equal(own.replaceAll("agentcity", "npx agentcity"));
  });

  it("can be typed again as it was, but for --new-city, which would not continue", () => {
    typed("start", ["start", "--seed", "8", "--new-city"]);
    expect(typedCommand()).to.equal("npm start -- --seed 8");
    typed("mission", ["mission", "my mission's.yaml"]);
    expect(typedCommand()).to.equal("npm run mission -- 'my mission'\\''s.yaml'");
    typed(undefined, ["mission", "x.yaml", "--ask"]);
    expect(typedCommand()).to.equal("agentcity mission x.yaml --ask");
  });

  it("keeps no password of a URL, in either way of writing the flag", () => {
    typed(undefined, ["mission", "x.yaml", "--database", "postgres://me:s3cret@db/city", "--database=postgres://me:s3cret@db/city"]);
    expect(typedCommand()).to.equal("agentcity mission x.yaml --database postgres://me@db/city --database=postgres://me@db/city");
  });
});
