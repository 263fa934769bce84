import { statedGoalHash } from "../../client/compile-law.ts";
import { cloneRuntime, predictMission } from "../../client/predict-mission.ts";
import { parseContentId, sha256 } from "../../primitives/hash.ts";
import { canonicalBytes } from "../../primitives/json.ts";
import { planRecordSchema } from "../../protocol/mission-plan.ts";
import { cloneArgs } from "../../rules/law-codec.ts";
import { unpackMissionParams } from "../../rules/mission-params-codec.ts";
import { BUNDLE_FILES, blockFile } from "../bundle/bundle-layout.ts";
import { followsPlan } from "./follows-plan.ts";
import type { ChainCheck } from "./inspection.ts";

/** The document compiles to the law that was voted on, and the mission's code is that law (decisions 1–3, 14). */
export const law: ChainCheck = {
  name: "LAW",
  what: "plan, if producers made one → document → law → ballot's spec → address and code of the mission",
  file: BUNDLE_FILES.document,
  async run(about, seen) {
    const { client, document, documentBytes, block, session, mission, chain, record, name, law: enacted } = about;
    const contract = client.mission(mission);
    const opened = await client.legislation.sessionOf(session);
    const winner = await client.legislation.candidateOf(session, opened.winner);
    const context = await contract.context();
    seen.same(document.law, await contract.law(), "packed law against the mission's");
    seen.same(document.lawHash, enacted.hash, "law hash against the mission's");
    seen.same(document.docHash, context.docHash, "document hash against the mission's");
    seen.same(document.specHash, winner.specHash, "spec against the ballot's winner");
    seen.same(document.document.name, name, "mission's name", BUNDLE_FILES.city);
    const { plan: planned } = document.document;
    if (planned !== undefined) {
      const id = parseContentId(planned);
      await seen.part("plan", () => {
        const plan = planRecordSchema.parse(block(id));
        seen.same(plan.goal, document.document.goal, "goal of the plan", blockFile(id));
        followsPlan(seen, document.document, plan, "", BUNDLE_FILES.document);
      });
    }
    seen.same(statedGoalHash(document.document), opened.goalHash, "goal against the session's");
    seen.same(opened.mission, mission, "mission of the session", BUNDLE_FILES.city);
    seen.same(context.session, session, "session of the mission", BUNDLE_FILES.city);
    seen.same(context.sponsor, opened.sponsor, "sponsor of mission and session", BUNDLE_FILES.chain);
    const params = unpackMissionParams(opened.params);
    seen.same(context.params, params, "parameters against the session's snapshot", BUNDLE_FILES.chain);
    const proposed = record
      .events("LegislativeProcedure", "Proposed")
      .find(({ args }) => args.session === session && args.candidate === opened.winner);
    seen.same(sha256(documentBytes), proposed?.args.cid, "content digest against the winning proposal");
    const approved = record.events("LegislativeProcedure", "Approved").find(({ args }) => args.session === session);
    seen.same(document.specHash, approved?.args.specHash, "spec against the approval");
    seen.holds(await client.templates.isGenuine(mission), "mission", "is not one that the template registry deployed", BUNDLE_FILES.chain);

    const { implementation } = await client.templates.templateOf(await client.legislation.template(), opened.rules.template);
    const args = cloneArgs(document.law, {
      params,
      docHash: document.docHash,
      session,
      sponsor: opened.sponsor,
      deployedAt: context.deployedAt,
    });
    seen.same(
      mission,
      predictMission(client.templates.address, implementation, args, session),
      "address of the mission against CREATE2 of its law",
    );
    const code = await chain.publicClient.getCode({ address: mission });
    seen.same(code, cloneRuntime(implementation, args), "code of the mission against template and law");
    const { digest, count } = document.document.input;
    seen.same(enacted.header.inputHash, digest, "digest of the input: the mission's against the law's", BUNDLE_FILES.document);
    await seen.part("input", () => {
      const { items } = about;
      seen.same(sha256(canonicalBytes(items)), digest, "digest of the input against the law's", BUNDLE_FILES.input);
      seen.same(items.length, count, "number of items", BUNDLE_FILES.input);
    });
  },
};
