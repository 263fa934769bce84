import { expect } from "chai";
import type { Wallet } from "ethers";
import { attempt } from "../attacks/attempt.ts";
import { billOf, hash, lawOf, loadLegislature } from "../support/legislature.ts";
import { stillOpen } from "./still-open.ts";

/** As many proposals as a session takes. */
const COALITION = 63;

describe("known holes: who proposes", () => {
  stillOpen("as many voters as a session has places for proposals fill them before anybody else", async () => {
    const { legislation, steps, direct, register, voters } = await loadLegislature();
    const coalition: Wallet[] = [];
    for (let i = 0; i < COALITION; i++) coalition.push((await register(`member ${i} of the coalition`)).agent);
    const session = await steps.toProposing();
    for (const [i, agent] of coalition.entries()) {
      await legislation.connect(agent).propose(session, hash(`law ${i} of the coalition`), hash("cid"), direct(agent));
    }
    const { specHash } = billOf(lawOf());
    const [author] = voters as [Wallet];
    await attempt(legislation.connect(author).propose(session, specHash, hash("cid"), direct(author)));
    const { candidates } = await legislation.sessionOf(session);
    const listed = await Promise.all(
      Array.from({ length: Number(candidates) }, async (_, place) => (await legislation.candidateOf(session, place)).specHash),
    );
    expect(listed).to.include(specHash);
  });
});
