/** Who judges, by what both would have: whom each may name, how often, and what is left to the lot. */
import { expect } from "chai";
import {
  type Act,
  type AgreementLife,
  commitmentOf,
  drawnOf,
  isOfNamed,
  judgesIn,
  keyOfDid,
  lifeAt,
  lifeOf,
  obligationOf,
  openLife,
  roundsOf,
  take,
} from "../../orchestrator/agreements/index.ts";
import type { Hash } from "../../orchestrator/primitives/hex.ts";
import type { ByteSigner } from "../../orchestrator/primitives/signing.ts";
import { accept, identityOf, nominating, opening, people, proposing, recordOf, START, sign, signerNamed } from "./acts.ts";
import { refusalOf } from "./refusals.ts";

const CLIENTS: Hash = `0x${"c1".repeat(32)}`;
const PROVIDERS: Hash = `0x${"d2".repeat(32)}`;
const evaluators = Array.from({ length: 5 }, (_, place) => signerNamed(`evaluator ${place} of a register`));
const [first, second, third, fourth, unfit] = evaluators;
if (first === undefined || second === undefined || third === undefined || fourth === undefined || unfit === undefined)
  throw new Error("five evaluators");
const register = evaluators.map((each) => recordOf(identityOf(each), { available: each !== unfit }));
const proposed = (mode: "mutual" | "random" = "mutual") =>
  proposing("mutual", START + 864_000, {
    escrow: { enabled: true, binding: { type: "manual" }, payment: { amount: "5.00", currency: "USDC" } },
    parties: {
      client: { identity: identityOf(people.client) },
      provider: { identity: identityOf(people.provider) },
      evaluator: { type: "agent_as_judge", selection: { mode, register, commitment: commitmentOf(CLIENTS) } },
    },
  });
const taken = (life: AgreementLife, act: Act, now = START) => take(life, act, { keyOf: keyOfDid, now });
const refusal = (life: AgreementLife, act: Act) => refusalOf(() => taken(life, act));
const opened = (act = proposed()) => openLife(act, { keyOf: keyOfDid, now: START });
const accepted = (act?: Act & { readonly act: "propose" }) => taken(opened(act), accept(opened(act), "provider"));
type Named = readonly (readonly [client: readonly ByteSigner[], provider: readonly ByteSigner[]])[];
const named = (rounds: Named, from = accepted()) =>
  rounds.reduce(
    (life, [client, provider]) =>
      [nominating(life, "client", client), nominating(life, "provider", provider)].reduce((at, act) => taken(at, act), life),
    from,
  );
const drawn = (life: AgreementLife) => taken(taken(life, opening(life, "provider", PROVIDERS)), opening(life, "client", CLIENTS));
const judgesOf = ({ judges }: AgreementLife) => judges.map(({ identity }) => identity.value);
const nameOf = (signer: ByteSigner) => identityOf(signer).value;
const byLot = judgesOf(drawn(accepted()));

describe("who judges, as both would have it", () => {
  it("is the first whom both name, and the lot draws those after it", () => {
    const chosen = [first, second, third, fourth].find((each) => nameOf(each) !== byLot[0]) ?? first;
    const others = [first, second, third, fourth].filter((each) => each !== chosen);
    const life = drawn(
      named([
        [
          [...others.slice(0, 1), chosen],
          [chosen, ...others.slice(1)],
        ],
      ]),
    );
    expect(judgesOf(life)[0]).to.equal(nameOf(chosen));
    expect(judgesOf(life).slice(1)).to.deep.equal(byLot.filter((each) => each !== nameOf(chosen)).slice(0, 2));
    expect(refusal(life, sign(life, "client"))).to.equal("accepted");
    const terms = { floor: "ATT", boundAt: "2027-01-15T08:00:00Z", nonces: life.nonces, rounds: roundsOf(life.nominations) };
    expect(obligationOf(life.agreement, terms).verifier_policy.verifiers).to.deep.equal([`w3c_did:${nameOf(chosen)}`]);
  });

  it("is whom the lot draws where they name nobody together in three rounds, and there is no fourth", () => {
    const apart: Named = [
      [[first], [second]],
      [[third], []],
      [[], [fourth]],
    ];
    const life = named(apart);
    expect(refusal(life, nominating(life, "client", [fourth]))).to.equal("TooManyRounds");
    expect(judgesOf(drawn(life))).to.deep.equal(byLot);
    // What is named in two rounds is named together in neither.
    expect(
      judgesOf(
        drawn(
          named([
            [[first], [second]],
            [[second], [third]],
          ]),
        ),
      ),
    ).to.deep.equal(byLot);
  });

  it("leaves neither waiting on the other: whoever would have the lot names nobody, or opens it", () => {
    const life = accepted();
    const once = taken(life, nominating(life, "client", [first]));
    expect(refusal(once, nominating(once, "client", [second])), "before the other has named").to.equal("NotYourTurn");
    expect(judgesOf(drawn(once))).to.deep.equal(byLot);
    const half = taken(once, opening(once, "provider", PROVIDERS));
    expect(refusal(half, nominating(half, "provider", [first])), "once the lot has begun").to.equal("IllegalTransition");
    expect(refusal(once, sign(once, "client")), "before it is drawn").to.equal("IllegalTransition");
    expect(lifeAt(once, START + 3_600).timed.state.status, "silence").to.equal("expired");
  });

  it("is nobody outside the register, nobody unfit, and nobody else once both have named one", () => {
    const life = accepted();
    for (const wrong of [people.evaluator, people.provider, unfit])
      expect(refusal(life, nominating(life, "provider", [first, wrong]))).to.equal("NoEvaluator");
    expect(refusal(life, nominating(life, "provider", [first], "client")), "for the other").to.equal("BadSignature");
    const both = named([[[first], [first]]]);
    for (const by of ["client", "provider"] as const) expect(refusal(both, nominating(both, by, [second]))).to.equal("Frozen");
    expect(refusal(opened(), nominating(opened(), "client", [first])), "while terms can change").to.equal("IllegalTransition");
    const random = accepted(proposed("random"));
    expect(refusal(random, nominating(random, "client", [first])), "where the lot alone decides").to.equal("IllegalTransition");
  });

  it("is known to whoever has the acts", () => {
    const life = accepted();
    const acts: Act[] = [
      proposed(),
      accept(opened(), "provider"),
      nominating(life, "provider", [fourth, first]),
      nominating(life, "client", [first]),
      opening(life, "provider", PROVIDERS),
      opening(life, "client", CLIENTS),
    ];
    const all = drawn(named([[[first], [fourth, first]]]));
    expect(judgesIn(acts).map(({ identity }) => identity.value)).to.deep.equal(judgesOf(all));
    const replayed = lifeOf(
      acts.map((act) => ({ act, at: START })),
      { keyOf: keyOfDid },
    );
    expect(judgesOf(replayed)).to.deep.equal(judgesOf(all));
    expect(drawnOf(life.agreement, all.nonces, roundsOf(all.nominations))[0]?.identity).to.deep.equal(identityOf(first));
    expect(isOfNamed(acts.slice(0, 2), nominating(life, "client", [first]), keyOfDid)).to.equal(true);
    expect(isOfNamed(acts.slice(0, 2), nominating(accepted(proposed("random")), "client", [first]), keyOfDid)).to.equal(false);
  });
});
