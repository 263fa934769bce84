import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { CityBusy } from "../../../orchestrator/chain/errors.ts";
import { acquireLock } from "../../../orchestrator/chain/lock.ts";
import { claimFolder, earlierCities, foundedSeed, NotACity, SeedDiffers } from "../../../orchestrator/city/founding/city-folder.ts";
import { CityWaits, makeRoom, TooManyCities } from "../../../orchestrator/city/missions/make-room.ts";
import { beginRun, endRun } from "../../../orchestrator/city/missions/runs.ts";
import { StateDamaged } from "../../../orchestrator/primitives/state-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe("make room for a new city", () => {
  const directory = temporaryDirectory();
  const dir = () => join(directory(), "embedded");
  const key = { command: "start", seed: "7", cheat: false };
  const facts = { mission: "licences", command: "npm start", decides: "simulation" } as const;
  let told: string[];
  beforeEach(() => {
    told = [];
  });

  function make(newCity = false): void {
    makeRoom({ dir: dir(), key, newCity, progress: (line) => told.push(line) });
  }

  /** A city's folder with something in it that only this one has. */
  function city(mark: string): void {
    claimFolder(dir(), "7");
    writeFileSync(join(dir(), "chain.ndjson"), mark);
  }

  it("does nothing where nothing is", () => {
    make();
    mkdirSync(dir());
    make();
    expect(readdirSync(dir())).to.deep.equal([]);
    expect(told).to.deep.equal([]);
  });

  for (const name of ["main.c", ".git", "deployment.json", "lock-picking.md"]) {
    it(`touches nothing in a folder that holds ${name} and is no city's`, () => {
      mkdirSync(dir());
      writeFileSync(join(dir(), name), "mine");
      for (const newCity of [false, true]) expect(() => make(newCity)).to.throw(NotACity, name);
      expect(() => claimFolder(dir(), "7")).to.throw(NotACity);
      expect(readdirSync(dir())).to.deep.equal([name]);
      expect(readFileSync(join(dir(), name), "utf8")).to.equal("mine");
    });
  }

  it("refuses a file where the folder should be", () => {
    writeFileSync(dir(), "mine");
    expect(() => make(true)).to.throw(NotACity);
    expect(readFileSync(dir(), "utf8")).to.equal("mine");
  });

  it("moves an earlier city aside whole, under the next number, and says where", () => {
    for (const mark of ["first", "second", "third"]) {
      city(mark);
      writeFileSync(join(dir(), "notes.txt"), `mine, ${mark}`);
      make();
      expect(existsSync(dir())).to.equal(false);
      expect(told.at(-1)).to.contain(`kept in ${dir()}.${told.length}`);
    }
    expect(earlierCities(dir())).to.deep.equal([1, 2, 3].map((number) => `${dir()}.${number}`));
    for (const [index, mark] of ["first", "second", "third"].entries()) {
      const aside = `${dir()}.${index + 1}`;
      expect(readFileSync(join(aside, "chain.ndjson"), "utf8")).to.equal(mark);
      expect(readFileSync(join(aside, "notes.txt"), "utf8")).to.equal(`mine, ${mark}`);
      expect(existsSync(join(aside, "lock")), "another process may open it there").to.equal(false);
      expect(foundedSeed(aside)).to.equal("7");
    }
  });

  it("numbers on after the highest, so that nothing is ever replaced", () => {
    city("new");
    mkdirSync(`${dir()}.4`);
    mkdirSync(`${dir()}.x`);
    make();
    expect(readFileSync(join(`${dir()}.5`, "chain.ndjson"), "utf8")).to.equal("new");
    expect(readdirSync(`${dir()}.4`)).to.deep.equal([]);
  });

  it("moves a link, never what it points to", () => {
    const elsewhere = join(directory(), "elsewhere");
    mkdirSync(elsewhere);
    claimFolder(elsewhere, "7");
    symlinkSync(elsewhere, dir());
    make();
    expect(foundedSeed(elsewhere)).to.equal("7");
    expect(existsSync(dir())).to.equal(false);
  });

  it("leaves the city of an interrupted run of the same key, unless a new city is insisted on", () => {
    city("mine");
    beginRun(dir(), key, facts, false);
    make();
    expect(readFileSync(join(dir(), "chain.ndjson"), "utf8")).to.equal("mine");
    make(true);
    expect(existsSync(dir())).to.equal(false);
    expect(readFileSync(join(`${dir()}.1`, "chain.ndjson"), "utf8")).to.equal("mine");
  });

  it("refuses while another run, a session or a case waits, naming each and how it goes on", () => {
    city("mine");
    const other = { command: "mission", file: "0x1" };
    beginRun(dir(), other, { mission: "audit", command: "npm run mission -- high.yaml --ask", decides: "terminal" }, false);
    mkdirSync(join(dir(), "waiting"));
    writeFileSync(join(dir(), "waiting", "session-1.request.json"), "{");
    writeFileSync(join(dir(), "waiting", "bloc-2.case.json"), "{}");
    expect(() => make()).to.throw(CityWaits, /npm run mission -- high\.yaml --ask[\s\S]*--new-city/);
    expect(() => make()).to.throw(CityWaits, /session-1\.request\.json/);
    expect(() => make()).to.throw(CityWaits, /bloc-2\.case\.json/);
    expect(existsSync(`${dir()}.1`)).to.equal(false);
    endRun(dir(), other);
    expect(() => make(), "the session still waits").to.throw(CityWaits);
    make(true);
    expect(readFileSync(join(`${dir()}.1`, "waiting", "session-1.request.json"), "utf8")).to.equal("{");
  });

  it("refuses a city that another process has open", () => {
    city("mine");
    const lock = acquireLock(dir(), () => {});
    expect(() => make(true)).to.throw(CityBusy);
    lock.release();
    make(true);
    expect(existsSync(dir())).to.equal(false);
  });

  it("keeps twenty earlier cities, then asks for room instead of deleting", () => {
    for (let number = 1; number <= 20; number += 1) mkdirSync(`${dir()}.${number}`);
    city("mine");
    expect(() => make(true)).to.throw(TooManyCities, `rm -r ${dir()}.1`);
    expect(readFileSync(join(dir(), "chain.ndjson"), "utf8")).to.equal("mine");
    expect(existsSync(join(dir(), "lock"))).to.equal(false);
  });

  for (const text of ["", "{", '{"seed":7}', '{"seed":"7"}x']) {
    it(`names a founding file that holds ${JSON.stringify(text)}`, () => {
      city("mine");
      const path = join(dir(), "founding.json");
      writeFileSync(path, text);
      for (const newCity of [false, true])
        expect(() => make(newCity))
          .to.throw(StateDamaged, "What to do")
          .with.property("path", path);
      expect(readdirSync(dirname(dir()))).to.deep.equal(["embedded"]);
    });
  }

  it("knows a city by its seed", () => {
    expect(claimFolder(dir(), "7")).to.equal(true);
    expect(claimFolder(dir(), "7")).to.equal(false);
    expect(() => claimFolder(dir(), "8")).to.throw(SeedDiffers);
  });
});
