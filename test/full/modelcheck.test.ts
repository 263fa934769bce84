import { expect } from "chai";
import { explore } from "../modelcheck/explore.ts";
import { LAWS, WATCHED_SEQUENCE } from "../modelcheck/machines/mission/laws.ts";
import { mission } from "../modelcheck/machines/mission/mission.ts";
import { walk } from "../modelcheck/walks.ts";
import { stillTime } from "../support/city-fixture.ts";

const SEEDS = Array.from({ length: 10 }, (_, index) => 100 + index);
const STEPS = 40;

describe("model and contract, for long", function () {
  this.timeout(3_600_000);
  let restore: () => void;

  before(() => {
    restore = stillTime();
  });
  after(() => restore());

  for (const [name, law] of Object.entries(LAWS)) {
    it(`${name}: what one allows the other does, what one refuses the other refuses`, async () => {
      for (const seed of SEEDS) {
        const { differences } = await walk({ law, seed, steps: STEPS });
        expect(differences, `seed ${seed}`).to.deep.equal([]);
      }
    });
  }
});

describe("a bigger mission, whole", function () {
  this.timeout(3_600_000);

  it("two nodes in sequence, freezes and stops: nothing broken, anybody and time end all of it", () => {
    expect(explore(mission("two nodes, watched", WATCHED_SEQUENCE)).violation).to.equal(undefined);
  });
});
