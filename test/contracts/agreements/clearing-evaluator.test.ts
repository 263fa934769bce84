import { expect } from "chai";
import { id } from "ethers";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { typesOf } from "../../../orchestrator/protocol/typed-data.ts";
import { AMOUNT, openEscrow, Status } from "../../support/agreement-fixture.ts";
import { ethers, keyOf, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { BUDGET, Class, HEARING, HOUR, JobStatus, LAYOUT, Outcome, openEvaluator, Result } from "../../support/evaluator-fixture.ts";
import { turnHostile } from "../../support/hostile-token.ts";

const PASS = {};
const FAIL = { result: Result.FAIL };

describe("ClearingEvaluator", () => {
  describe("register", () => {
    it("takes both parties' signatures from anybody, or a party's own call", async () => {
      const { contract, client, provider, base, createJob, register, signed } = await openEvaluator();
      const terms = { ...base, jobId: await createJob() };
      await expect(register(terms)).to.emit(contract, "Registered");
      const second = { ...base, jobId: await createJob() };
      await contract.connect(client).register(second, "0x", await signed(provider, second));
      await expect(register(second)).to.be.revertedWithCustomError(contract, "AlreadyRegistered");
    });

    it("takes no other signature, and none late", async () => {
      const { contract, client, provider, issuer, base, createJob, register } = await openEvaluator();
      const terms = { ...base, jobId: await createJob() };
      await expect(register(terms, [issuer, provider])).to.be.revertedWithCustomError(contract, "InvalidSignature");
      await expect(register(terms, [client, client])).to.be.revertedWithCustomError(contract, "InvalidSignature");
      await expect(register({ ...terms, deadline: 1 })).to.be.revertedWithCustomError(contract, "Expired");
    });

    it("takes only the job of these parties that names this contract and outlives the hearings", async () => {
      const { contract, client, provider, issuer, base, createJob, register, nobody } = await openEvaluator();
      const refused = (terms: typeof base, by: readonly [typeof client, typeof client] = [client, provider]) =>
        expect(register(terms, by)).to.be.revertedWithCustomError(contract, "NotTheJob").withArgs(terms.escrow, terms.jobId);
      const jobId = await createJob();
      await refused({ ...base, jobId: jobId + 1n });
      await refused({ ...base, jobId, client: issuer.address }, [issuer, provider]);
      await refused({ ...base, jobId, provider: issuer.address }, [client, issuer]);
      await refused({ ...base, jobId, layout: LAYOUT.packed });
      await refused({ ...base, jobId, layout: 0x03_02_04_07 });
      await refused({ ...base, jobId, hearing: 2 * HEARING });
      await refused({ ...base, jobId, escrow: keyOf("no contract").address });
      await refused({ ...base, jobId: await createJob(keyOf("another evaluator").address) });
      expect((await contract.hearingOf(nobody, 0)).panels).to.equal(0);
    });

    it("takes a job of our own escrow where its evaluator has time for every hearing, from when the work was submitted", async () => {
      const { contract, at, city, client, provider, base, nobody, register } = await openEvaluator();
      const ours = await openEscrow(city);
      await city.fund(client, ours.at, AMOUNT);
      const parties = { client: client.address, provider: provider.address, evaluator: at, backup: nobody };
      const long = base.deliverBy + 3 * HEARING + HOUR - (await networkHelpers.time.latest());
      const offer = async (nonce: bigint, evaluatorTimeout: number) => {
        const jobId = await ours.open({ ...parties, evaluatorTimeout, nonce }, [client, provider]);
        return { ...base, escrow: ours.at, layout: LAYOUT.ours, graduated: true, jobId };
      };
      const refused = (terms: typeof base) => expect(register(terms)).to.be.revertedWithCustomError(contract, "NotTheJob");
      await refused(await offer(2n, long - 60));
      await register(await offer(3n, long));
      const [waiting, submitted] = [await offer(4n, long - HOUR), await offer(5n, long - HOUR)];
      await ours.escrow.connect(client).fund(submitted.jobId, AMOUNT, "0x");
      await ours.escrow.connect(provider).submit(submitted.jobId, id("the deliverable"), "0x");
      await networkHelpers.time.increase(2 * HOUR);
      await register(waiting);
      await refused(submitted);
    });

    it("takes the city's word for whose a party is that it knows", async () => {
      const { contract, base, createJob, register, city, provider, providerPrincipal } = await openEvaluator();
      const house = await city.account("provider's real house");
      await city.register("evaluator's provider", { principal: house });
      expect(await city.producers.principalOf(provider.address)).to.equal(house.address);
      const terms = { ...base, jobId: await createJob() };
      await expect(register(terms))
        .to.be.revertedWithCustomError(contract, "OtherHouse")
        .withArgs(provider.address, house.address, providerPrincipal.address);
      await register({ ...terms, providerPrincipal: house.address });
    });

    it("refuses terms that decide nothing or never end, and a panel that nobody could sit on", async () => {
      const { contract, base, createJob, register, city, clientPrincipal } = await openEvaluator();
      const jobId = await createJob();
      const unsound: Partial<typeof base>[] = [
        { questions: 0 },
        { questions: 4 },
        { panelSize: 0 },
        { panelSize: 8 },
        { minConfidence: 10_001 },
        { passScore: 10_001 },
        { hearing: 599 },
        { hearing: 31 * 24 * HOUR },
        { deliverBy: 1 },
        { providerPrincipal: clientPrincipal.address },
        { providerPrincipal: "0x0000000000000000000000000000000000000000" },
      ];
      for (const change of unsound)
        await expect(register({ ...base, jobId, ...change }), Object.keys(change).join()).to.be.revertedWithCustomError(
          contract,
          "InvalidTerms",
        );
      await expect(register({ ...base, jobId, panelSize: 7 })).to.be.revertedWithCustomError(city.evidence, "PanelUnavailable");
    });
  });

  describe("deliver", () => {
    it("is the provider's, once and in time", async () => {
      const { contract, client, provider, issuer, base, createJob, register, workOf, recordOf, increase } = await openEvaluator();
      const terms = { ...base, jobId: await createJob() };
      await register(terms);
      const work = await workOf(terms, [{ class: Class.ATT, issuer }]);
      const deliver = (by: typeof client, of = terms) => contract.connect(by).deliver(of, work.opening);
      await expect(contract.evaluate(terms, recordOf(work, []))).to.be.revertedWithCustomError(contract, "NotDelivered");
      await expect(contract.redraw(terms)).to.be.revertedWithCustomError(contract, "NotDelivered");
      await expect(deliver(client)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      await expect(deliver(provider, { ...terms, floor: Class.SELF })).to.be.revertedWithCustomError(contract, "UnknownTerms");
      await expect(deliver(provider)).to.emit(contract, "PanelDrawn");
      await expect(deliver(provider)).to.be.revertedWithCustomError(contract, "AlreadyDelivered");
      const late = { ...base, jobId: await createJob() };
      await register(late);
      await increase(24 * HOUR + 1);
      await expect(deliver(provider, late)).to.be.revertedWithCustomError(contract, "TooLate");
    });
  });

  describe("evaluate", () => {
    it("decides by more than half of the drawn weight, at the floor", async () => {
      const { contract, delivered, hearing } = await openEvaluator();
      const { terms, evaluate } = await delivered();
      await expect(evaluate([PASS])).to.be.revertedWithCustomError(contract, "Undecided");
      await expect(evaluate([PASS, FAIL])).to.be.revertedWithCustomError(contract, "Undecided");
      await evaluate([PASS, FAIL, PASS]);
      const { outcome, complete } = await hearing(terms);
      expect([Number(outcome), complete]).to.deep.equal([Outcome.PASS, true]);
    });

    it("takes evidence for no more than the provider claimed and its issuer signed", async () => {
      const { contract, delivered, issuer } = await openEvaluator();
      const claimedLess = await delivered({}, [{ class: Class.ATT, issuer, claimed: Class.SIGN }]);
      await expect(claimedLess.evaluate([PASS, PASS, PASS])).to.be.revertedWithCustomError(contract, "Undecided");
      const signedLess = await delivered({}, [{ class: Class.REC, issuer, claimed: Class.ATT }]);
      await expect(signedLess.evaluate([PASS, PASS, PASS])).to.be.revertedWithCustomError(contract, "Undecided");
      const unproven = await delivered();
      await expect(unproven.evaluate([PASS, PASS, PASS], [])).to.be.revertedWithCustomError(contract, "Undecided");
    });

    it("takes a basis for no more than its weakest item", async () => {
      const { contract, delivered, issuer } = await openEvaluator();
      const { evaluate } = await delivered({}, [
        { class: Class.ATT, issuer },
        { class: Class.WIT, issuer },
      ]);
      const both = { basis: 0b11n };
      await expect(evaluate([both, both, both])).to.be.revertedWithCustomError(contract, "Undecided");
      await evaluate([{ basis: 0b01n }, { basis: 0b01n }, both]);
    });

    it("takes no item that is not in the envelope, whose issuer is unknown, a party's, or did not sign it", async () => {
      const { contract, delivered, city, clientPrincipal, provider } = await openEvaluator();
      const [unknown, ours] = [keyOf("unknown lab"), keyOf("client's lab")];
      await city.evidence.registerIssuer(ours.address, clientPrincipal.address, 1 << Class.ATT);
      const good = await delivered();
      const forged = good.work.proofs.map((list) => ({
        ...list,
        items: list.items.map((item) => (typeof item === "string" ? item : { ...item, payload: hexSchema.parse(id("another")) })),
      }));
      const all = [PASS, PASS, PASS];
      await expect(good.evaluate(all, forged)).to.be.revertedWithCustomError(contract, "ItemNotInEnvelope");
      const unsigned = good.work.proofs.map((list) => ({ ...list, signature: hexSchema.parse(`0x${"11".repeat(65)}`) }));
      await expect(good.evaluate(all, unsigned)).to.be.revertedWithCustomError(contract, "ProofRejected");
      const strange = await delivered({}, [{ class: Class.ATT, issuer: unknown }]);
      await expect(strange.evaluate(all)).to.be.revertedWithCustomError(contract, "IssuerNotRegistered");
      const partial = await delivered({}, [{ class: Class.ATT, issuer: ours }]);
      await expect(partial.evaluate(all)).to.be.revertedWithCustomError(contract, "IssuerConflict");
      await city.evidence.registerIssuer(provider.address, keyOf("nobody's house").address, 1 << Class.ATT);
      const own = await delivered({}, [{ class: Class.ATT, issuer: provider }]);
      await expect(own.evaluate(all)).to.be.revertedWithCustomError(contract, "IssuerConflict");
    });

    it("takes a proof from a contract alone, and a quote for this item alone", async () => {
      const { contract, delivered, city, issuer } = await openEvaluator();
      const { keccak256, toUtf8Bytes, hexlify, AbiCoder } = ethers;
      const coder = AbiCoder.defaultAbiCoder();
      const verifier = await ethers.deployContract("PreimageVerifier");
      const proof = hexlify(toUtf8Bytes("a proof"));
      const proven = {
        at: await verifier.getAddress(),
        payload: (obligation: string) => keccak256(coder.encode(["bytes32", "bytes32"], [obligation, keccak256(proof)])),
        sign: async () => proof,
      };
      await city.evidence.registerIssuer(proven.at, keyOf("prover's house").address, 1 << Class.PROOF);
      const all = [PASS, PASS, PASS];
      const good = await delivered({ floor: Class.PROOF }, [{ class: Class.PROOF, issuer, contract: proven }]);
      await good.evaluate(all);
      const wrong = await delivered({ floor: Class.PROOF }, [
        { class: Class.PROOF, issuer, contract: { ...proven, sign: async () => "0x00" } },
      ]);
      await expect(wrong.evaluate(all)).to.be.revertedWithCustomError(contract, "ProofRejected");
      const keyed = keyOf("a key that proves");
      await city.evidence.registerIssuer(keyed.address, keyOf("prover's house").address, 1 << Class.PROOF);
      const signed = await delivered({ floor: Class.PROOF }, [{ class: Class.PROOF, issuer: keyed }]);
      await expect(signed.evaluate(all)).to.be.revertedWithCustomError(contract, "ProofRejected");

      const platform = keyOf("platform");
      const adapter = await ethers.deployContract("QuoteAdapter", [platform.address, id("code")]);
      const quoted = {
        at: await adapter.getAddress(),
        payload: () => id("measured"),
        sign: async (statement: string) => {
          const report = keccak256(coder.encode(["bytes32", "bytes32"], [id("code"), statement]));
          return coder.encode(["bytes32", "bytes"], [id("code"), platform.signingKey.sign(report).serialized]);
        },
      };
      await city.evidence.registerIssuer(quoted.at, keyOf("platform's house").address, 1 << Class.ATT);
      const measured = await delivered({}, [{ class: Class.ATT, issuer, contract: quoted }]);
      await measured.evaluate(all);
      const replayed = { ...quoted, sign: async () => quoted.sign(id("another item")) };
      const stale = await delivered({}, [{ class: Class.ATT, issuer, contract: replayed }]);
      await expect(stale.evaluate(all)).to.be.revertedWithCustomError(contract, "ProofRejected");
    });

    it("hears the panel alone, on this work under these terms, each member once and in time", async () => {
      const { contract, delivered, voice, recordOf, seat, increase } = await openEvaluator();
      const { terms, work, judges, voices, evaluate } = await delivered();
      const evaluated = (list: Awaited<ReturnType<typeof voices>>) => expect(contract.evaluate(terms, recordOf(work, list)));
      const [first = keyOf("nobody")] = judges;
      const outsider = await seat("outsider");
      await evaluated([await voice(outsider, work, PASS)]).to.be.revertedWithCustomError(contract, "NotOnPanel");
      await evaluated([await voice(first, work, PASS, FAIL)]).to.be.revertedWithCustomError(contract, "DuplicateVerdict");
      for (const other of [{ obligation: hexSchema.parse(id("another job")) }, { work: hexSchema.parse(id("other work")) }])
        await evaluated([await voice(first, { ...work, ...other }, PASS)]).to.be.revertedWithCustomError(contract, "InvalidSignature");
      const [said] = await voices([PASS]);
      if (said === undefined) throw new Error("unreachable");
      await evaluated([{ ...said, signature: hexSchema.parse(`0x${"22".repeat(65)}`) }]).to.be.revertedWithCustomError(
        contract,
        "InvalidSignature",
      );
      await evaluated([{ ...said, deadline: 1 }]).to.be.revertedWithCustomError(contract, "Expired");
      await increase(HEARING + 1);
      await expect(evaluate([PASS, PASS, PASS])).to.be.revertedWithCustomError(contract, "TooLate");
    });

    it("reads a record of this work alone, and of lists about other jobs too what is about this one", async () => {
      const { contract, city, at, delivered, voice, recordOf, hearing } = await openEvaluator();
      const { terms, work, judges } = await delivered();
      const voices = await Promise.all(
        judges.map(async (judge) => {
          const { verdicts, deadline, ...said } = await voice(judge, work, PASS);
          const elsewhere = { ...verdicts[0], obligation: id("another job") };
          const list = { verifier: judge.address, verdicts: [elsewhere, ...verdicts], deadline };
          const signature = hexSchema.parse(await city.sign("Verdicts", at, list, judge));
          const hash = hexSchema.parse(
            ethers.TypedDataEncoder.hashStruct("Verdict", { Verdict: typesOf("Verdicts")["Verdict"] ?? [] }, elsewhere),
          );
          return { ...said, deadline, signature, verdicts: [hash, ...verdicts] };
        }),
      );
      const record = recordOf(work, voices);
      const refused = (bytes: string, error: string) =>
        expect(contract.evaluate(terms, bytes)).to.be.revertedWithCustomError(contract, error);
      await refused("0x", "MalformedWave");
      await refused(`0x02${record.slice(4)}`, "MalformedWave");
      await refused(`${record}00`, "MalformedWave");
      await refused(record.slice(0, -2), "MalformedWave");
      await refused(recordOf({ ...work, opening: { ...work.opening, salt: hexSchema.parse(id("other work")) } }, voices), "OtherWork");
      await expect(contract.evaluate({ ...terms, floor: Class.SELF }, record)).to.be.revertedWithCustomError(contract, "UnknownTerms");
      await contract.evaluate(terms, record);
      expect((await hearing(terms)).complete).to.equal(true);
    });

    it("lets a score only rise, whoever leaves verdicts out", async () => {
      const { delivered, hearing } = await openEvaluator();
      const { terms, evaluate } = await delivered({ panelSize: 5 });
      const scored = (...scores: (number | undefined)[]) => evaluate(scores.map((score) => (score === undefined ? undefined : { score })));
      await scored(10_000, undefined, 7000, 3000);
      expect(Number((await hearing(terms)).score)).to.equal(3000);
      await scored(10_000, 8000, 7000);
      expect(Number((await hearing(terms)).score)).to.equal(7000);
      await scored(undefined, 8000, 7000, 3000);
      expect(Number((await hearing(terms)).score)).to.equal(7000);
    });

    it("asks both questions, and a violation is a failure", async () => {
      const { contract, delivered, hearing, voice, recordOf } = await openEvaluator();
      const { terms, work, judges } = await delivered({ questions: 3 });
      const answers = (policy: number) =>
        Promise.all(judges.map((judge) => voice(judge, work, { question: 0 }, { question: 1, result: policy })));
      const half = await Promise.all(judges.map((judge) => voice(judge, work, { question: 0 })));
      await expect(contract.evaluate(terms, recordOf(work, half))).to.be.revertedWithCustomError(contract, "Undecided");
      await contract.evaluate(terms, recordOf(work, await answers(Result.FAIL)));
      expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.FAIL);
    });

    it("is over early once every member counts on both", async () => {
      const { contract, delivered, hearing, voice, recordOf } = await openEvaluator();
      const { terms, work, judges } = await delivered({ questions: 3 });
      const [first, second] = [{ question: 0 }, { question: 1 }];
      const complete = async (...answers: Parameters<typeof voice>[2][][]) => {
        const voices = await Promise.all(judges.map((judge, i) => voice(judge, work, ...(answers[i] ?? []))));
        await contract.evaluate(terms, recordOf(work, voices));
        return (await hearing(terms)).complete;
      };
      const both = [first, second];
      expect(await complete(both, both, [first])).to.equal(false);
      expect(await complete(both, both, [second])).to.equal(false);
      expect(await complete(both, both, [first, { ...second, confidence: 100 }])).to.equal(false);
      expect(await complete(both, both, both)).to.equal(true);
    });
  });

  describe("redraw", () => {
    it("draws a second panel after an undecided first, for as long again and no third", async () => {
      const { contract, delivered, panel, voice, recordOf, hearing, increase, statusOf } = await openEvaluator();
      const { terms, work, jobId } = await delivered();
      await expect(contract.redraw(terms)).to.be.revertedWithCustomError(contract, "TooEarly");
      await increase(HEARING + 1);
      await expect(contract.finalise(terms, ethers.ZeroAddress)).to.be.revertedWithCustomError(contract, "TooEarly");
      await contract.redraw(terms);
      const judges = await panel(terms);
      const said = await Promise.all(judges.map((judge) => voice(judge, work, PASS)));
      await contract.evaluate(terms, recordOf(work, said));
      expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.PASS);
      await expect(contract.redraw(terms)).to.be.revertedWithCustomError(contract, "AlreadyDecided");
      await contract.finalise(terms, ethers.ZeroAddress);
      expect(await statusOf(jobId)).to.equal(JobStatus.COMPLETED);
      const other = await delivered();
      await increase(2 * HEARING + 1);
      await expect(contract.redraw(other.terms)).to.be.revertedWithCustomError(contract, "TooLate");
    });
  });

  describe("a panel whose block is forgotten", () => {
    const forgotten = 300;

    it("decides if anybody pinned the block in time", async () => {
      const { city, delivered, hearing } = await openEvaluator();
      const { terms, evaluate } = await delivered();
      await city.evidence.pinSeed((await hearing(terms)).drawBlock);
      await networkHelpers.mine(forgotten, { interval: 0 });
      await evaluate([PASS, PASS, PASS]);
      expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.PASS);
    });

    it("decides nothing otherwise, and a second one is drawn, which decides", async () => {
      const { contract, city, delivered, hearing, panel, voice, recordOf, increase } = await openEvaluator();
      const { terms, work, evaluate } = await delivered();
      await networkHelpers.mine(forgotten, { interval: 0 });
      await expect(evaluate([PASS, PASS, PASS])).to.be.revertedWithCustomError(city.evidence, "SeedUnknown");
      await increase(HEARING + 1);
      await contract.redraw(terms);
      const said = await Promise.all((await panel(terms)).map((judge) => voice(judge, work, PASS)));
      await contract.evaluate(terms, recordOf(work, said));
      expect(Number((await hearing(terms)).outcome)).to.equal(Outcome.PASS);
    });
  });

  describe("challenge", () => {
    const BOND = tokens(3);
    const small = { panelSize: 1, bond: BOND };

    it("is a party's, once, for the bond, and within as long again once the first panel is over", async () => {
      const { contract, delivered, client, provider, issuer, increase, hearing, balanceOf, at, nobody } = await openEvaluator();
      const one = await delivered({ panelSize: 2, bond: BOND });
      await expect(one.challenge(client)).to.be.revertedWithCustomError(contract, "NotChallengeable");
      await one.evaluate([PASS, PASS]);
      await expect(contract.finalise(one.terms, nobody)).to.be.revertedWithCustomError(contract, "TooEarly");
      await expect(contract.connect(issuer).challenge(one.terms)).to.be.revertedWithCustomError(contract, "NotAuthorised");
      const held = await balanceOf({ address: at });
      await expect(one.challenge(client)).to.emit(contract, "Challenged");
      expect((await balanceOf({ address: at })) - held).to.equal(BOND);
      expect(Number((await hearing(one.terms)).panels)).to.equal(2);
      await expect(one.challenge(provider)).to.be.revertedWithCustomError(contract, "NotChallengeable");
      await expect(contract.redraw(one.terms)).to.be.revertedWithCustomError(contract, "AlreadyDecided");
      const late = await delivered(small);
      await late.evaluate([PASS]);
      await increase(HEARING + 1);
      await expect(late.challenge(client)).to.be.revertedWithCustomError(contract, "TooLate");
      await contract.finalise(late.terms, nobody);
    });

    it("has a larger panel decide finally, and returns the bond if the share moves the challenger's way", async () => {
      const { contract, delivered, client, balanceOf, statusOf, hearing, nobody } = await openEvaluator();
      const one = await delivered(small);
      await one.evaluate([PASS]);
      await one.challenge(client);
      const without = await balanceOf(client);
      await one.decideAgain(FAIL);
      const { standing, outcome, complete } = await hearing(one.terms);
      expect([Number(standing), Number(outcome), complete]).to.deep.equal([Outcome.PASS, Outcome.FAIL, true]);
      await expect(contract.finalise(one.terms, nobody)).to.emit(contract, "BondCredited");
      await contract.withdraw(client);
      expect(await statusOf(one.jobId)).to.equal(JobStatus.REJECTED);
      expect((await balanceOf(client)) - without).to.equal(BUDGET + BOND);
    });

    it("gives the bond of a challenge that changed nothing to the party that waited", async () => {
      const { contract, delivered, client, provider, balanceOf, statusOf, nobody } = await openEvaluator();
      for (const [result, by, waited] of [
        [PASS, client, provider],
        [FAIL, provider, client],
      ] as const) {
        const one = await delivered(small);
        await one.evaluate([result]);
        await one.challenge(by);
        const before = await balanceOf(waited);
        await one.decideAgain(result);
        await contract.finalise(one.terms, nobody);
        await contract.withdraw(waited);
        expect(await statusOf(one.jobId)).to.equal(result === PASS ? JobStatus.COMPLETED : JobStatus.REJECTED);
        expect((await balanceOf(waited)) - before).to.equal(BUDGET + BOND);
      }
    });

    it("gains nothing by silence: the first decision stands, and the bond is the other's", async () => {
      const { contract, delivered, client, provider, increase, balanceOf, statusOf, nobody } = await openEvaluator();
      const one = await delivered(small);
      await one.evaluate([PASS]);
      await one.challenge(client);
      const before = await balanceOf(provider);
      await expect(contract.finalise(one.terms, nobody)).to.be.revertedWithCustomError(contract, "TooEarly");
      await increase(HEARING + 1);
      await contract.finalise(one.terms, nobody);
      await contract.withdraw(provider);
      expect(await statusOf(one.jobId)).to.equal(JobStatus.COMPLETED);
      expect((await balanceOf(provider)) - before).to.equal(BUDGET + BOND);
    });

    it("is there only where the terms name a bond, and enough verifiers are left for it", async () => {
      const { contract, delivered, client, base, createJob, register, city } = await openEvaluator();
      const none = await delivered({ panelSize: 1 });
      await none.evaluate([PASS]);
      await expect(none.challenge(client)).to.be.revertedWithCustomError(contract, "NotChallengeable");
      const three = { ...base, jobId: await createJob(), panelSize: 3, bond: BOND };
      await expect(register(three)).to.be.revertedWithCustomError(city.evidence, "PanelUnavailable");
      await expect(register({ ...three, panelSize: 4 })).to.be.revertedWithCustomError(contract, "InvalidTerms");
    });

    it("keeps a bond for a party that its token blocks, and holds up nobody else's payment for it", async () => {
      const { contract, delivered, client, provider, balanceOf, city, statusOf, nobody } = await openEvaluator();
      const one = await delivered(small);
      await one.evaluate([PASS]);
      await one.challenge(client);
      await one.decideAgain(PASS);
      await contract.finalise(one.terms, nobody);
      expect(await statusOf(one.jobId)).to.equal(JobStatus.COMPLETED);
      const other = await delivered(small);
      await other.evaluate([FAIL]);
      await other.challenge(provider);
      await other.decideAgain(FAIL);
      await contract.finalise(other.terms, nobody);
      expect([await contract.creditOf(provider), await contract.creditOf(client)]).to.deep.equal([BOND, BOND]);
      const token = await turnHostile(city);
      await token.block(provider.address);
      await expect(contract.withdraw(provider)).to.be.revertedWithCustomError(token.contract, "Blocked");
      const before = [await balanceOf(client), await balanceOf(provider)] as const;
      await contract.withdraw(client);
      await token.block(provider.address, false);
      await contract.withdraw(provider);
      await expect(contract.withdraw(provider)).to.be.revertedWithCustomError(contract, "NothingToPay");
      expect([(await balanceOf(client)) - before[0], (await balanceOf(provider)) - before[1]]).to.deep.equal([BOND, BOND]);
    });
  });

  describe("finalise", () => {
    for (const escrow of ["draft", "packed"] as const)
      it(`completes what passed and rejects what failed, in an escrow of the ${escrow} order`, async () => {
        const { contract, delivered, provider, balanceOf, statusOf, nobody } = await openEvaluator({ escrow });
        const good = await delivered();
        await good.evaluate([PASS, PASS, PASS]);
        await expect(contract.finalise(good.terms, nobody)).to.emit(contract, "Finalised");
        expect([await statusOf(good.jobId), await balanceOf(provider)]).to.deep.equal([JobStatus.COMPLETED, BUDGET]);
        await expect(contract.finalise(good.terms, nobody)).to.be.revertedWithCustomError(contract, "Closed");
        const bad = await delivered();
        await bad.evaluate([FAIL, FAIL, FAIL]);
        await contract.finalise(bad.terms, nobody);
        const poor = await delivered();
        await poor.evaluate([{ score: 5999 }, { score: 5999 }, { score: 5999 }]);
        await contract.finalise(poor.terms, nobody);
        expect([await statusOf(bad.jobId), await statusOf(poor.jobId)]).to.deep.equal([JobStatus.REJECTED, JobStatus.REJECTED]);
        expect(await balanceOf(provider)).to.equal(BUDGET);
      });

    it("waits for the hearing's end while a member could still be heard", async () => {
      const { contract, delivered, increase, statusOf, nobody } = await openEvaluator();
      const { terms, evaluate, jobId } = await delivered();
      await evaluate([PASS, PASS]);
      await expect(contract.finalise(terms, nobody)).to.be.revertedWithCustomError(contract, "TooEarly");
      await increase(HEARING + 1);
      await contract.finalise(terms, nobody);
      expect(await statusOf(jobId)).to.equal(JobStatus.COMPLETED);
    });

    it("refunds every silence: the provider's, one panel's, both panels'", async () => {
      const { contract, delivered, client, base, jobs, createJob, register, increase, balanceOf, statusOf, nobody } = await openEvaluator();
      const before = await balanceOf(client);
      const heard = await delivered();
      await increase(2 * HEARING + 1);
      await contract.finalise(heard.terms, nobody);
      const twice = await delivered();
      await increase(HEARING + 1);
      await contract.redraw(twice.terms);
      await expect(contract.finalise(twice.terms, nobody)).to.be.revertedWithCustomError(contract, "TooEarly");
      await increase(HEARING + 1);
      await contract.finalise(twice.terms, nobody);
      const silent = { ...base, jobId: await createJob() };
      await register(silent);
      await jobs.connect(client).fund(silent.jobId, BUDGET, "0x");
      await expect(contract.finalise(silent, nobody)).to.be.revertedWithCustomError(contract, "TooEarly");
      await increase(24 * HOUR);
      await contract.finalise(silent, nobody);
      for (const { jobId } of [heard, twice, silent]) expect(await statusOf(jobId)).to.equal(JobStatus.REJECTED);
      expect(await balanceOf(client)).to.equal(before);
    });

    it("never says what the escrow did not do: what refuses is tried again, what expired stays refunded", async () => {
      const { contract, delivered, jobs, hearing, increase, statusOf, nobody } = await openEvaluator();
      const { terms, evaluate, jobId } = await delivered();
      await evaluate([PASS, PASS, PASS]);
      await jobs.pause(true);
      await expect(contract.finalise(terms, nobody)).to.be.revertedWithCustomError(jobs.contract, "WrongStatus");
      expect((await hearing(terms)).closed).to.equal(false);
      await jobs.pause(false);
      await contract.finalise(terms, nobody);
      const late = await delivered();
      await late.evaluate([PASS, PASS, PASS]);
      await increase(60 * HOUR);
      await jobs.claimRefund(late.jobId);
      await expect(contract.finalise(late.terms, nobody)).to.be.revertedWithCustomError(jobs.contract, "WrongStatus");
      expect([await statusOf(jobId), await statusOf(late.jobId)]).to.deep.equal([JobStatus.COMPLETED, JobStatus.EXPIRED]);
    });

    it("gives what the escrow pays its evaluator to whoever ends the job", async () => {
      const { contract, city, at, delivered, balanceOf } = await openEvaluator({ fee: 500 });
      const { terms, evaluate } = await delivered();
      await evaluate([PASS, PASS, PASS]);
      const ender = await city.account("ender");
      await city.token.mint(at, 7n);
      await contract.connect(ender).finalise(terms, city.addresses.TOKEN);
      expect([await balanceOf(ender), await balanceOf({ address: at })]).to.deep.equal([BUDGET / 20n, 7n]);
    });

    it("pays the score as a share where the escrow can", async () => {
      const { city, contract, at, delivered, client, provider, nobody } = await openEvaluator();
      const ours = await openEscrow(city);
      await city.fund(client, ours.at, tokens(20));
      const open = async (nonce: bigint) => {
        const now = await networkHelpers.time.latest();
        const message = {
          ...ours.terms,
          client: client.address,
          provider: provider.address,
          evaluator: at,
          evaluatorTimeout: 24 * HOUR + 4 * HEARING,
          challengeWindow: 0,
          deliverBy: now + 24 * HOUR,
          deadline: now + HOUR,
          fundBy: now + HOUR,
          nonce,
        };
        await ours.escrow.open(message, await ours.signed(client, message), await ours.signed(provider, message));
        const jobId = BigInt(await ours.escrow.digestOf(message));
        await ours.escrow.connect(client).fund(jobId, AMOUNT, "0x");
        await ours.escrow.connect(provider).submit(jobId, id("the deliverable"), "0x");
        return jobId;
      };
      const there = { escrow: ours.at, layout: LAYOUT.ours, graduated: true };
      const good = await delivered({ ...there, jobId: await open(21n) });
      await good.evaluate([{ score: 8501 }, { score: 8501 }, { score: 9999 }]);
      await contract.finalise(good.terms, nobody);
      expect(await ours.creditOf(provider)).to.equal((AMOUNT * 8501n) / 10_000n);
      const bad = await delivered({ ...there, jobId: await open(22n) });
      await bad.evaluate([FAIL, FAIL]);
      await networkHelpers.time.increase(HEARING + 1);
      await contract.finalise(bad.terms, nobody);
      expect(await ours.statusOf(bad.jobId)).to.equal(Status.REJECTED);
    });
  });

  describe("the floor", () => {
    it("completes by no basis below it, of all bases and floors", async () => {
      const { contract, delivered, recordOf, issuer } = await openEvaluator();
      // Every set of classes below PROOF, which needs a contract: 31 bases, 5 floors.
      const covers: Record<number, readonly number[]> = { 0: [], 1: [0], 2: [1], 3: [1], 4: [2, 3] };
      const below = (one: number): Set<number> => new Set([one, ...(covers[one] ?? []).flatMap((next) => [...below(next)])]);
      const classes = [Class.SELF, Class.SIGN, Class.WIT, Class.REC, Class.ATT];
      let admitted = 0;
      for (const floor of classes) {
        const { terms, work, judges, voices } = await delivered(
          { floor },
          classes.map((one) => ({ class: one, issuer })),
        );
        // SELF is nobody's to raise.
        const proofs = work.proofs.filter((_, i) => classes[i] !== Class.SELF);
        for (let basis = 1n; basis < 32n; basis++) {
          const decided = await contract
            .preview(terms, recordOf(work, await voices(judges.map(() => ({ basis }))), proofs))
            .then(({ result }) => Number(result) === 1);
          const sound = classes.every((one, i) => (basis & (1n << BigInt(i))) === 0n || below(one).has(floor));
          expect(decided, `${basis} at ${floor}`).to.equal(sound);
          if (decided) admitted++;
        }
      }
      expect(admitted).to.equal(31 + 15 + 3 + 3 + 1);
    });
  });
});
