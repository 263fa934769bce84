import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { programUrl } from "../../scripts/kept-program.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

describe("scripts/kept-program", () => {
  const directory = temporaryDirectory();
  const write = (path: string, text: string) => writeFileSync(join(directory(), path), text);
  const kept = () => readdirSync(join(directory(), "node_modules/.cache/agentcity/program"));
  /** What the program of the project in the directory exports. */
  const program = async (): Promise<{ readonly url: string; readonly answer: number; readonly where: string; fail(): void }> => {
    const url = await programUrl(realpathSync(directory()));
    return { url, ...(await import(url)) };
  };

  beforeEach(() => {
    for (const folder of ["console/build", "deploy", "orchestrator", "scripts", "services", "node_modules"])
      mkdirSync(join(directory(), folder), { recursive: true });
    mkdirSync(join(directory(), "orchestrator/cli"));
    mkdirSync(join(directory(), "scripts/economy"));
    write("node_modules/.package-lock.json", "{}");
    write("orchestrator/answer.ts", "export const answer: number = 42;\n\nexport function fail(): void {\n  throw new Error();\n}\n");
    write("orchestrator/cli/gateway-thread.ts", 'export * from "../answer.ts";\n');
    write("scripts/economy/worker.ts", "export {};\n");
    write("scripts/programs.ts", 'export * from "../orchestrator/answer.ts";\nexport const where = import.meta.url;\n');
  });

  it("keeps one file for many, which knows where its sources lie and tells of errors by them", async () => {
    const { url, answer, where, fail } = await program();
    expect(answer).to.equal(42);
    expect(url).to.include("/node_modules/.cache/");
    expect(where).to.equal(pathToFileURL(join(realpathSync(directory()), "scripts/programs.ts")).href);
    let stack: string | undefined;
    try {
      fail();
    } catch (error) {
      stack = error instanceof Error ? error.stack : undefined;
    }
    expect(stack).to.include("orchestrator/answer.ts:4:");
    expect(await programUrl(realpathSync(directory()))).to.equal(url);
  });

  it("sees an edited, an added and an installed file at once", async () => {
    const urls = [(await program()).url];
    write("orchestrator/answer.ts", "export const answer: number = 43;\n");
    const { url, answer } = await program();
    expect(answer).to.equal(43);
    urls.push(url);
    write("services/other.ts", "export {};\n");
    urls.push((await program()).url);
    write("node_modules/.package-lock.json", '{"packages":{}}');
    urls.push((await program()).url);
    expect(new Set(urls).size).to.equal(4);
  });

  it("keeps a thread's own program beside the other", async () => {
    const thread = await programUrl(realpathSync(directory()), "gateway-thread");
    expect((await import(thread)).answer).to.equal(42);
    expect(thread).not.to.equal((await program()).url);
    expect(kept()).to.have.length(1);
  });

  it("is made by several processes at once, and once in the end", async () => {
    const urls = await Promise.all([program(), program(), program()]);
    expect(new Set(urls.map(({ url }) => url)).size).to.equal(1);
    expect(kept()).to.have.length(1);
  });

  it("does not grow without end", async () => {
    for (let answer = 0; answer < 10; answer += 1) {
      write("orchestrator/answer.ts", `export const answer: number = ${answer};\n`);
      expect((await program()).answer).to.equal(answer);
    }
    expect(kept()).to.have.length(8);
  });

  it("runs from the sources where nothing can be kept, and where they do not compile", async () => {
    const sources = pathToFileURL(join(realpathSync(directory()), "scripts/programs.ts")).href;
    write("orchestrator/answer.ts", "export const answer: number = ;\n");
    expect(await programUrl(realpathSync(directory()))).to.equal(sources);
    write("orchestrator/answer.ts", "export const answer: number = 44;\n");
    write("node_modules/.cache", "a file");
    expect((await program()).answer).to.equal(44);
    expect(await programUrl(realpathSync(directory()))).to.equal(sources);
  });
});
