import { expect } from "chai";
import { id, sha256, toUtf8Bytes, type Wallet, ZeroAddress, ZeroHash } from "ethers";
import { hashTypedData } from "viem";
import { hexSchema } from "../../../orchestrator/primitives/hex.ts";
import { randomStream } from "../../../orchestrator/primitives/random.ts";
import { ACTION_NAMES, ACTS, type ActionName, actionNumber as action, decodeActionData } from "../../../orchestrator/protocol/actions.ts";
import { actTypedData } from "../../../orchestrator/protocol/acts.ts";
import { parameterIndex } from "../../../orchestrator/protocol/parameters.ts";
import { randomOrder } from "../../support/acts.ts";
import { type City, ethers, keyOf, networkHelpers, tokens } from "../../support/city-fixture.ts";
import { seatPrincipal } from "../../support/judges.ts";
import { blankData, dataOf, openPanel, type Panel } from "../../support/panel.ts";

/** Signatures needed with seven seats, in the order of `enum Action`; m on a mission, r rotates. */
const ROWS: readonly [name: ActionName, signatures: number, flags: string][] = [
  ["FREEZE", 1, "m"],
  ["UNFREEZE", 1, "mr"],
  ["TERMINATE_MISSION", 1, "m"],
  ["APPROVE_POP", 1, "mr"],
  ["REJECT_POP", 1, "m"],
  ["AMEND_PARAMETER", 1, ""],
  ["ADJUST_REPUTATION", 2, ""],
  ["CLASSIFY_FALSE_POSITIVE", 1, "mr"],
  ["EMERGENCY_STOP", 1, "m"],
  ["CLEAR_EMERGENCY_STOP", 2, "m"],
  ["APPROVE_PREDICATE", 1, ""],
  ["VETO_OUTPUT", 1, "m"],
  ["RELEASE_OUTPUT", 1, "mr"],
  ["RESOLVE_APPEAL", 1, "m"],
  ["SLASH", 2, ""],
  ["FREEZE_PRINCIPAL", 2, ""],
  ["CLAIM_INSURANCE", 2, ""],
  ["DISBURSE", 2, ""],
  ["APPROVE_CODIFICATION", 1, ""],
  ["APPOINT_CLERK", 2, ""],
  ["SET_ENVELOPE", 2, ""],
  ["PUBLISH_TEMPLATE", 2, ""],
  ["REGISTER_ISSUER", 2, ""],
  ["ADMIT_ADJUDICATOR", 5, ""],
  ["AMEND_CONSTITUTION", 5, ""],
  ["RULE_ON_BLOC", 2, ""],
  ["IMPEACH", 5, ""],
  ["AUDIT_UNILATERAL", 2, ""],
  ["RELEASE_WATCHDOG", 2, ""],
  ["RESUME_WITH_AMENDMENT", 1, "mr"],
  ["SET_MANDATE", 2, ""],
  ["FAULT_SLOTS", 2, "m"],
  ["STOP_CITY", 2, ""],
  ["RESUME_CITY", 2, ""],
  ["FREEZE_AGENT", 2, ""],
];

/** Arguments of an act that say nothing. */
const blanks = (name: ActionName): readonly unknown[] => decodeActionData(name, blankData(name));

describe("AdjudicationProcedure", () => {
  let city: City;
  let contract: City["adjudication"];
  let seats: Panel["seats"];
  let mission: Panel["mission"];
  let seat: Panel["seat"];
  let override: Panel["override"];
  let wide: Panel["wide"];
  let signed: Panel["signed"];
  let act: Panel["act"];
  type Override = Awaited<ReturnType<Panel["override"]>>;

  beforeEach(async () => {
    ({ city, contract, seats, mission, seat, override, wide, signed, act } = await openPanel());
  });

  describe("act", () => {
    it("executes what one adjudicator signed, whoever relays it, and tells it once", async () => {
      const message = await override("APPROVE_POP");
      const relay = contract.connect(await city.account("relayer"));
      const call = relay.act(message, [await signed(message, seat(2))]);
      await expect(call)
        .to.emit(mission.contract, "Overridden")
        .withArgs(action("APPROVE_POP"), 3, message.target, message.data, city.addresses.ADJUDICATION);
      const digest = await contract.digestOf(message);
      await expect(call)
        .to.emit(contract, "OverrideExecuted")
        .withArgs(digest, message.action, message.mission, 3, message.target, [seat(2).address], sha256(toUtf8Bytes("why")), "why");
      expect(await contract.isExecuted(message)).to.equal(true);
      await expect(act(message, seat(2)))
        .to.be.revertedWithCustomError(contract, "AlreadyExecuted")
        .withArgs(digest);
      await expect(act(message, seat(3))).to.be.revertedWithCustomError(contract, "AlreadyExecuted");
    });

    it("hands every action on a mission to the mission, and knows no action NONE", async () => {
      for (const [name, signatures] of ROWS.filter(([, , flags]) => flags.includes("m"))) {
        // Who decided about a node resolves no appeal about it.
        const message = await override(name, name === "RESOLVE_APPEAL" ? { node: 4 } : {});
        await expect(act(message, ...seats.slice(0, signatures)), name)
          .to.emit(mission.contract, "Overridden")
          .withArgs(action(name), message.node, message.target, message.data, city.addresses.ADJUDICATION);
      }
      await expect(act(await override("NONE"), ...seats))
        .to.be.revertedWithCustomError(contract, "ActionUnavailable")
        .withArgs(0);
    });

    it("refuses a late action", async () => {
      const message = await override("FREEZE");
      await networkHelpers.time.increase(601);
      await expect(act(message, seat(0)))
        .to.be.revertedWithCustomError(contract, "Expired")
        .withArgs(message.deadline);
    });

    it("needs a signature, and distinct signers in ascending order", async () => {
      const message = await override("FREEZE");
      await expect(act(message)).to.be.revertedWithCustomError(contract, "NotEnoughSignatures").withArgs(0, 1);
      await expect(act(message, seat(1), seat(0)))
        .to.be.revertedWithCustomError(contract, "SignersUnsorted")
        .withArgs(seat(1).address, seat(0).address);
      await expect(act(message, seat(1), seat(1))).to.be.revertedWithCustomError(contract, "SignersUnsorted");
      await act(message, seat(0), seat(1));
    });

    it("refuses whoever has no seat", async () => {
      const stranger = keyOf("stranger");
      await expect(act(await override("FREEZE"), stranger))
        .to.be.revertedWithCustomError(contract, "NotAdjudicator")
        .withArgs(stranger.address);
      const message = await override("FREEZE");
      await city.roster.connect(seat(0)).resign();
      await expect(act(message, seat(0)))
        .to.be.revertedWithCustomError(contract, "NotAdjudicator")
        .withArgs(seat(0).address);
    });

    it("refuses a signature by another key, for another contract, over anything else", async () => {
      const message = await override("FREEZE");
      const invalid = (given: Override, signature: string) =>
        expect(contract.act(given, [{ adjudicator: seat(0).address, signature }]))
          .to.be.revertedWithCustomError(contract, "InvalidSignature")
          .withArgs(seat(0).address);
      await invalid(message, (await signed(message, seat(1))).signature);
      await invalid(message, await city.signOrder(message, seat(0), city.addresses.EXECUTION));
      const { signature } = await signed(message, seat(0));
      await invalid({ ...message, action: action("VETO_OUTPUT") }, signature);
      await invalid({ ...message, node: 4 }, signature);
      await invalid({ ...message, data: dataOf("FREEZE", 1) }, signature);
      await invalid({ ...message, because: "other" }, signature);
      await invalid({ ...message, salt: 99n }, signature);
      await invalid({ ...message, deadline: message.deadline + 1n }, signature);
      await invalid(message, "0x");
    });

    it("takes a contract wallet's signature (ERC-1271)", async () => {
      const owner = await city.account("owner of a wallet");
      const wallet = await ethers.deployContract("OwnedWallet", [owner.address]);
      const at = await wallet.getAddress();
      await city.token.mint(at, tokens(5000));
      await wallet.getFunction("approve")(city.addresses.TOKEN, city.addresses.ROSTER, tokens(5000));
      await city.roster.seat(at, keyOf("wallet's principal").address);
      const message = await override("FREEZE");
      const { signature } = await signed(message, owner);
      await expect(contract.act(message, [{ adjudicator: at, signature: (await signed(message, seat(0))).signature }]))
        .to.be.revertedWithCustomError(contract, "InvalidSignature")
        .withArgs(at);
      await expect(contract.act(message, [{ adjudicator: at, signature }])).to.emit(mission.contract, "Overridden");
    });

    it("acts on genuine missions only", async () => {
      const forged = await ethers.deployContract("MissionProbe");
      const message = await override("FREEZE", { mission: await forged.getAddress() });
      await expect(act(message, seat(0)))
        .to.be.revertedWithCustomError(contract, "NotGenuine")
        .withArgs(message.mission);
    });

    it("judges the state that was signed, unless it stops: nobody outruns a stop by changing the state", async () => {
      const first = await override("REJECT_POP");
      const second = await override("UNFREEZE");
      const stops = [await override("FREEZE"), await override("VETO_OUTPUT"), await override("EMERGENCY_STOP")];
      await act(first, seat(0));
      await expect(act(second, seat(0)))
        .to.be.revertedWithCustomError(contract, "StaleCase")
        .withArgs(second.caseHash, await mission.caseHash(3));
      for (const stop of stops) await expect(act(stop, seat(0))).to.emit(mission.contract, "Overridden");
      for (const stop of stops) await expect(act(stop, seat(0))).to.be.revertedWithCustomError(contract, "AlreadyExecuted");
      for (const [name] of ROWS.filter(([each, , flags]) => flags.includes("m") && ACTS[each].binds === "case")) {
        const onNode = name === "RESOLVE_APPEAL" ? { node: 4 } : {};
        const another = await override(name, { caseHash: id("another state"), ...onNode });
        await expect(act(another, ...seats), name).to.be.revertedWithCustomError(contract, "StaleCase");
      }
    });

    it("refuses what no wallet could show: fields of other acts, words out of range, data too short or too long", async () => {
      const refused = async (message: Override, error: string) => {
        await expect(
          contract.act(message, [{ adjudicator: seat(0).address, signature: "0x" }]),
          message.data,
        ).to.be.revertedWithCustomError(contract, error);
        await expect(contract.digestOf(message)).to.be.revertedWithCustomError(contract, error);
      };
      for (const name of ACTION_NAMES) {
        const { on, target, binds } = ACTS[name];
        const message = on === "city" ? await wide(name, keyOf("target").address, ...blanks(name)) : await override(name);
        await contract.digestOf(message);
        if (on === "city") await refused({ ...message, mission: mission.address }, "NotOfThisAct");
        if (on !== "node") await refused({ ...message, node: 1 }, "NotOfThisAct");
        if (target === undefined) await refused({ ...message, target: keyOf("target").address }, "NotOfThisAct");
        if (binds === "salt") await refused({ ...message, caseHash: id("case") }, "NotOfThisAct");
        else await refused({ ...message, salt: 1n }, "NotOfThisAct");
        if (message.data !== "0x") await refused({ ...message, data: hexSchema.parse(message.data.slice(0, -2)) }, "DataLength");
        await refused({ ...message, data: `${message.data}00` }, ACTS[name].carries === undefined ? "DataLength" : "NotWhatWasSigned");
      }
      const wideWord = `0x${"00".repeat(30)}0100`;
      await refused(await override("FREEZE", { data: wideWord }), "OutOfRange");
      const two = hexSchema.parse(`0x${"00".repeat(31)}02`);
      await refused({ ...(await wide("FREEZE_AGENT", keyOf("target").address, true)), data: two }, "OutOfRange");
      await refused(
        { ...(await wide("ADMIT_ADJUDICATOR", keyOf("target").address, ZeroAddress)), data: hexSchema.parse(`0x01${"00".repeat(31)}`) },
        "OutOfRange",
      );
    });

    it("refuses an adjudicator whose principal took part in the mission, also beside others", async () => {
      const owner = await city.account(`${"adjudicator 0"}'s principal`);
      const conflicted = await city.account("adjudicator 0");
      const message = await override("APPROVE_POP");
      await seatPrincipal(city, mission.address, owner);
      await expect(act(message, conflicted))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(conflicted.address, message.mission);
      await expect(act(message, ...seats)).to.be.revertedWithCustomError(contract, "Conflicted");
      await act(message, ...seats.filter(({ address }) => address !== conflicted.address));
      const elsewhere = await city.probe(2);
      await act(await override("APPROVE_POP", { mission: elsewhere.address }), conflicted);
    });

    it("refuses an approval on what the adjudicator's own house attested", async () => {
      const own = await city.account("adjudicator 0");
      const [lab, another] = [keyOf("lab"), keyOf("another lab")];
      await city.evidence.registerIssuer(lab.address, keyOf("adjudicator 0's principal").address, 1);
      const item = { slot: 0, index: 0, kind: 1, payload: ZeroHash, class: 0, proof: [], signature: "0x" } as const;
      const approval = (...issuers: Wallet[]) =>
        override("APPROVE_POP", {
          data: dataOf(
            "APPROVE_POP",
            1n,
            10_000,
            [],
            issuers.map(({ address }) => ({ ...item, issuer: address })),
          ),
        });
      const both = await approval(another, lab);
      await expect(act(both, own)).to.be.revertedWithCustomError(contract, "Conflicted").withArgs(own.address, both.mission);
      await act(await approval(another), own);
      await act(await approval(lab), ...seats.filter(({ address }) => address !== own.address).slice(0, 1));
    });

    it("bubbles what the mission answers, and executes nothing then", async () => {
      const message = await override("FREEZE");
      await mission.refuse();
      await expect(act(message, seat(0))).to.be.revertedWithCustomError(mission.contract, "Refused");
      expect(await contract.isExecuted(message)).to.equal(false);
    });
  });

  describe("a case that the chain opened", () => {
    it("is counted for those who signed what decides it, and for nobody by an act of their own", async () => {
      for (const name of ["FREEZE", "EMERGENCY_STOP", "UNFREEZE", "TERMINATE_MISSION"] as const) {
        await expect(act(await override(name), seat(0)), name).to.not.emit(city.roster, "CaseDecided");
      }
      await expect(act(await override("REJECT_POP"), seat(0), seat(1))).to.emit(city.roster, "CaseDecided");
      await expect(act(await override("APPROVE_POP"), seat(0))).to.not.emit(city.roster, "CaseDecided");
      await expect(act(await override("RESOLVE_APPEAL"), seat(2))).to.emit(city.roster, "CaseDecided");
    });
  });

  describe("STOP_CITY and RESUME_CITY", () => {
    const stop = (...by: Wallet[]) => wide("STOP_CITY", ZeroAddress).then((order) => act(order, ...by));
    const resume = (...by: Wallet[]) => wide("RESUME_CITY", ZeroAddress).then((order) => act(order, ...by));

    it("takes two, and two to end", async () => {
      await expect(stop(seat(0)))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(1, 2);
      await expect(stop(seat(0), seat(1))).to.emit(city.watchdog, "CityStopped");
      await expect(resume(seat(2))).to.be.revertedWithCustomError(contract, "NotEnoughSignatures");
      await expect(resume(seat(2), seat(3))).to.emit(city.watchdog, "CityResumed");
    });

    it("takes two thirds of the seats to prolong, and then as many to end", async () => {
      await stop(seat(0), seat(1));
      await expect(stop(...seats.slice(0, 4)))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(4, 5);
      // Within one second it would change nothing, and its estimate be too low for the next.
      await networkHelpers.time.increase(60);
      await stop(...seats.slice(0, 5));
      await expect(resume(seat(0), seat(1)))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(2, 5);
      await resume(...seats.slice(2, 7));
    });
  });

  describe("FAULT_SLOTS", () => {
    it("keeps who signed it from judging an appeal against it, and nobody else", async () => {
      await act(await override("FAULT_SLOTS"), seat(0), seat(1));
      for (const accuser of [seat(0), seat(1)]) {
        await expect(act(await override("RESOLVE_APPEAL"), accuser))
          .to.be.revertedWithCustomError(contract, "Conflicted")
          .withArgs(accuser.address, mission.address);
      }
      await act(await override("RESOLVE_APPEAL", { node: 4 }), seat(0));
      await act(await override("RESOLVE_APPEAL"), seat(2));
    });
  });

  describe("rotation", () => {
    const third = (by: Wallet, name: ActionName = "APPROVE_POP") =>
      override(name).then((message) =>
        expect(act(message, by))
          .to.be.revertedWithCustomError(contract, "RotationRequired")
          .withArgs(by.address, message.mission, message.action),
      );

    it("asks for somebody else after two sole approvals of one kind in one mission", async () => {
      await act(await override("APPROVE_POP"), seat(0));
      await act(await override("APPROVE_POP"), seat(0));
      await third(seat(0));
      await act(await override("UNFREEZE"), seat(0));
      await act(await override("UNFREEZE"), seat(0));
      await third(seat(0), "UNFREEZE");
      const elsewhere = await city.probe(2);
      await act(await override("APPROVE_POP", { mission: elsewhere.address }), seat(0));
      await third(seat(0));
      await act(await override("APPROVE_POP"), seat(1));
      await act(await override("APPROVE_POP"), seat(0));
      await act(await override("APPROVE_POP"), seat(0));
      await third(seat(0));
    });

    it("is satisfied by a shared approval", async () => {
      await act(await override("APPROVE_POP"), seat(0));
      await act(await override("APPROVE_POP"), seat(0));
      await act(await override("APPROVE_POP"), seat(0), seat(1));
      await act(await override("APPROVE_POP"), seat(0));
      await act(await override("APPROVE_POP"), seat(0));
      await third(seat(0));
    });

    it("never limits stopping and rejecting", async () => {
      for (const name of ["FREEZE", "REJECT_POP", "TERMINATE_MISSION"] as const) {
        for (let i = 0; i < 3; i++) await act(await override(name), seat(0));
      }
    });

    it("follows the parameter", async () => {
      await city.constitution.setParam(parameterIndex("SOLE_APPROVAL_LIMIT"), 1, id("why"));
      await act(await override("APPROVE_POP"), seat(0));
      await third(seat(0));
    });
  });

  describe("APPROVE_CODIFICATION", () => {
    const codification = async (session: bigint) => ({
      ...(await override("APPROVE_CODIFICATION")),
      mission: ZeroAddress,
      node: 0,
      caseHash: id("spec"),
      data: dataOf("APPROVE_CODIFICATION", session),
    });

    it("names no mission", async () => {
      const message = await codification(1n);
      await expect(act({ ...message, mission: mission.address }, seat(0)))
        .to.be.revertedWithCustomError(contract, "NotOfThisAct")
        .withArgs(message.action);
    });

    it("goes to the legislation, which judges session and spec; the session's sponsor is conflicted", async () => {
      const { legislation } = city;
      const sponsor = await city.account("adjudicator 0's principal");
      await city.fund(sponsor, city.addresses.LEGISLATION, tokens(100));
      await legislation.connect(sponsor).openSession(id("goal"), tokens(100), ZeroAddress);
      const conflicted = keyOf("adjudicator 0");
      const message = await codification(1n);
      await expect(act(message, conflicted))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(conflicted.address, ZeroAddress);
      const free = seats.find(({ address }) => address !== conflicted.address) ?? conflicted;
      await expect(act(message, free)).to.be.revertedWithCustomError(legislation, "WrongState");
    });
  });

  describe("city-wide rows", () => {
    const free = (except: Wallet) => seats.filter(({ address }) => address !== except.address);

    it("APPROVE_PREDICATE names a contract for the gates of laws", async () => {
      const predicate = keyOf("predicate").address;
      await act(await wide("APPROVE_PREDICATE", predicate, 7), seat(0));
      expect(await city.execution.predicateOf(7)).to.equal(predicate);
    });

    it("DISBURSE pays from the treasury; nobody signs a payment to itself or its principal", async () => {
      const giver = await city.account("giver");
      await city.fund(giver, city.addresses.TREASURY, tokens(250));
      await city.treasury.connect(giver).deposit(tokens(250), 0, id("fees"));
      const paid = seat(0);
      const payment = (target: string) => wide("DISBURSE", target, 0, tokens(50));
      await expect(act(await payment(paid.address), seat(0), seat(1)))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(paid.address, ZeroAddress);
      const principal = await city.roster.principalOf(paid.address);
      await expect(act(await payment(principal), seat(0), seat(1))).to.be.revertedWithCustomError(contract, "Conflicted");
      await expect(act(await payment(paid.address), seat(1))).to.be.revertedWithCustomError(contract, "NotEnoughSignatures");
      await act(await payment(paid.address), ...free(paid).slice(0, 2));
      expect(await city.token.balanceOf(paid.address)).to.equal(tokens(50));
    });

    it("CLAIM_INSURANCE goes to the treasury; who took part in the mission is conflicted", async () => {
      const owner = await city.account("adjudicator 0's principal");
      const conflicted = keyOf("adjudicator 0");
      await seatPrincipal(city, mission.address, owner);
      const target = keyOf("loser").address;
      const claim = await wide("CLAIM_INSURANCE", target, mission.address, 5n);
      await expect(act(claim, ...seats))
        .to.be.revertedWithCustomError(contract, "Conflicted")
        .withArgs(conflicted.address, ZeroAddress);
      await expect(act(claim, ...free(conflicted).slice(0, 2)))
        .to.be.revertedWithCustomError(city.treasury, "NotInsured")
        .withArgs(mission.address, target);
    });

    it("CLEAR_EMERGENCY_STOP needs as many as the constitution says", async () => {
      await city.constitution.setParam(parameterIndex("EMERGENCY_CLEAR_SIGNATURES"), 3, id("why"));
      await expect(act(await override("CLEAR_EMERGENCY_STOP"), seat(0), seat(1)))
        .to.be.revertedWithCustomError(contract, "NotEnoughSignatures")
        .withArgs(2, 3);
      expect((await contract.rowOf(action("CLEAR_EMERGENCY_STOP"))).signatures).to.equal(3);
      await act(await override("CLEAR_EMERGENCY_STOP"), seat(0), seat(1), seat(2));
    });
  });

  it("hashes each act as a wallet does, whatever it says", async () => {
    const random = randomStream(85, "digests");
    for (const name of ACTION_NAMES) {
      for (let k = 0; k < 5; k += 1) {
        const order = randomOrder(random, name);
        expect(await contract.digestOf(order), name).to.equal(hashTypedData(actTypedData(31337, city.addresses.ADJUDICATION, order)));
      }
    }
  });

  describe("rowOf", () => {
    it("show the table as it counts now, in the order of the enum", async () => {
      expect(ROWS.map(([name]) => name)).to.deep.equal(ACTION_NAMES);
      for (const [name, signatures, flags] of ROWS) {
        const row = [BigInt(signatures), flags.includes("m"), flags.includes("r")];
        expect(await contract.rowOf(action(name)), name).to.deep.equal(row);
      }
      await city.roster.connect(seat(0)).resign();
      expect((await contract.rowOf(action("ADMIT_ADJUDICATOR"))).signatures).to.equal(4);
    });
  });
});
