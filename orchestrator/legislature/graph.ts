import { END, Send, START, StateGraph } from "@langchain/langgraph";
import { TransactionReverted } from "../chain/errors.ts";
import { partsOf } from "../primitives/lists.ts";
import { blocs } from "./blocs.ts";
import { codify } from "./codify.ts";
import { type LegislatureContext, openedSession } from "./context.ts";
import { convene } from "./convene.ts";
import { deliberate } from "./deliberate.ts";
import { deploy } from "./deploy.ts";
import { identify } from "./identify.ts";
import { officeDraft } from "./office-draft.ts";
import { propose } from "./propose.ts";
import { isOver, refund } from "./refund.ts";
import { specify } from "./specify.ts";
import { draftKey, type SessionState, sessionState } from "./state.ts";
import { validate } from "./validate.ts";
import { vote } from "./vote.ts";

/**
 * An order as a graph: convene → identify → propose → deliberate → vote → validate → codify → deploy; without a law expire → refund, and
 * from there, where the constitution allows it, another session: revised after a refusal, amended after too low a turnout. Each node has
 * one kind of effect (decision 45), so that a node repeated after a crash signs the same bytes, or requests the same transaction.
 */
export function sessionGraph(context: LegislatureContext) {
  const stages = {
    ...convene(context),
    ...identify(context),
    ...propose(context),
    ...officeDraft(context),
    ...deliberate(context),
    ...vote(context),
    ...blocs(context),
    ...validate(context),
    ...codify(context),
    ...specify(context),
    ...deploy(context),
    ...refund(context),
  };
  const send = (node: Stage) => expiring(context, node);

  return (
    new StateGraph(sessionState)
      // convene
      .addNode({
        findBackers: stages.findBackers,
        signPetition: stages.signPetition,
        sendPetition: stages.sendPetition,
        adopt: send(stages.adopt),
        amend: stages.amend,
        signReintroduction: stages.signReintroduction,
        reintroduce: stages.reintroduce,
        openSession: stages.openSession,
      })
      // identify
      .addNode({
        requestIdentities: stages.requestIdentities,
        signAttestations: stages.signAttestations,
        identify: stages.survey,
        confirmIdentities: send(stages.confirmIdentities),
      })
      // propose
      .addNode("draft", stages.draft)
      .addNode({
        endorse: stages.endorse,
        signProposals: stages.signProposals,
        sendProposals: send(stages.sendProposals),
        signSponsorships: stages.signSponsorships,
        sendSponsorships: send(stages.sendSponsorships),
        draftPlainest: stages.draftPlainest,
        sendDraft: send(stages.sendDraft),
      })
      // deliberate
      .addNode({
        brief: stages.brief,
        signBriefing: stages.signBriefing,
        openDebate: send(stages.openDebate),
        poll: stages.poll,
        signStraws: stages.signStraws,
        castStraws: send(stages.castStraws),
        speak: stages.speak,
        signSpeeches: stages.signSpeeches,
        reconsider: stages.reconsider,
      })
      // vote
      .addNode({
        awaitVoting: stages.awaitVoting,
        openVoting: send(stages.openVoting),
        rank: stages.poll,
        signBallots: stages.signBallots,
        castBallots: send(stages.castBallots),
        awaitBallots: stages.awaitBallots,
        tally: send(stages.tally),
        flagBlocs: send(stages.flagBlocs),
      })
      // validate
      .addNode({
        findWinner: stages.findWinner,
        sendValidation: send(stages.sendValidation),
      })
      // codify
      .addNode({
        compile: stages.compile,
        delegate: send(stages.delegate),
        sendCodification: send(stages.sendCodification),
      })
      // deploy
      .addNode({
        specify: stages.specify,
        checkSpecification: stages.checkSpecification,
        awaitAudit: stages.awaitAudit,
        relayAudit: stages.relayAudit,
        awaitRuling: stages.awaitRuling,
        signApprovals: stages.signApprovals,
        approve: send(stages.approve),
        verify: stages.verify,
      })
      // no law
      .addNode({
        expire: stages.expire,
        refund: stages.refund,
      })

      .addConditionalEdges(START, (state: SessionState) => beginning(context, state), [
        "findBackers",
        "openSession",
        "requestIdentities",
        "expire",
      ])
      .addEdge("findBackers", "signPetition")
      .addEdge("signPetition", "sendPetition")
      .addConditionalEdges("sendPetition", (state: SessionState) => (state.session === "" ? END : "requestIdentities"), [
        END,
        "requestIdentities",
      ])
      .addConditionalEdges("adopt", goOn("sendValidation"), ["sendValidation", "expire"])
      .addEdge("openSession", "requestIdentities")
      .addEdge("requestIdentities", "signAttestations")
      .addEdge("signAttestations", "identify")
      .addEdge("identify", "confirmIdentities")
      .addConditionalEdges("confirmIdentities", (state: SessionState) => fanOut(context, state), [
        "draft",
        "endorse",
        "awaitVoting",
        "expire",
      ])
      .addEdge("draft", "endorse")
      .addEdge("endorse", "signProposals")
      .addEdge("signProposals", "sendProposals")
      .addConditionalEdges(
        "sendProposals",
        (state: SessionState) => goOn(stages.isIncomplete(state) ? "signProposals" : "signSponsorships")(state),
        ["signProposals", "signSponsorships", "expire"],
      )
      .addEdge("signSponsorships", "sendSponsorships")
      .addConditionalEdges(
        "sendSponsorships",
        async (state: SessionState) => {
          if (stages.isIncomplete(state)) return goOn("signSponsorships")(state);
          return goOn((await stages.hasCandidates(state)) ? "brief" : "draftPlainest")(state);
        },
        ["signSponsorships", "brief", "draftPlainest", "expire"],
      )
      .addEdge("draftPlainest", "sendDraft")
      .addConditionalEdges("sendDraft", goOn("awaitVoting"), ["awaitVoting", "expire"])
      .addEdge("brief", "signBriefing")
      .addEdge("signBriefing", "openDebate")
      .addConditionalEdges("openDebate", goOn("poll"), ["poll", "expire"])
      .addEdge("poll", "signStraws")
      .addEdge("signStraws", "castStraws")
      .addConditionalEdges(
        "castStraws",
        async (state: SessionState) => goOn((await stages.goesOn(state)) ? "speak" : "openVoting")(state),
        ["speak", "openVoting", "expire"],
      )
      .addEdge("speak", "signSpeeches")
      .addEdge("signSpeeches", "reconsider")
      .addConditionalEdges("reconsider", async (state: SessionState) => ((await stages.goesOn(state)) ? "speak" : "openVoting"), [
        "speak",
        "openVoting",
      ])
      .addEdge("awaitVoting", "openVoting")
      // Without a debate no one has ranked the laws yet.
      .addConditionalEdges("openVoting", (state: SessionState) => goOn(state.opinions === null ? "rank" : "signBallots")(state), [
        "rank",
        "signBallots",
        "expire",
      ])
      .addEdge("rank", "signBallots")
      .addEdge("signBallots", "castBallots")
      .addConditionalEdges("castBallots", goOn("awaitBallots"), ["awaitBallots", "expire"])
      .addEdge("awaitBallots", "tally")
      .addConditionalEdges("tally", goOn("flagBlocs"), ["flagBlocs", "expire"])
      .addConditionalEdges("flagBlocs", goOn("findWinner"), ["findWinner", "expire"])
      .addConditionalEdges(
        "findWinner",
        async (state: SessionState) => goOn((await stages.isUnpaid(state)) ? "adopt" : "sendValidation")(state),
        ["adopt", "sendValidation", "expire"],
      )
      .addConditionalEdges("sendValidation", goOn("compile"), ["compile", "expire"])
      .addEdge("compile", "delegate")
      .addConditionalEdges("delegate", goOn("sendCodification"), ["sendCodification", "expire"])
      .addConditionalEdges("sendCodification", goOn("specify"), ["specify", "expire"])
      .addEdge("specify", "checkSpecification")
      .addEdge("checkSpecification", "awaitAudit")
      .addConditionalEdges("awaitAudit", goOn("relayAudit"), ["relayAudit", "expire"])
      .addConditionalEdges("relayAudit", ({ refused }: SessionState) => (refused === null ? "awaitRuling" : "awaitAudit"), [
        "awaitRuling",
        "awaitAudit",
      ])
      .addConditionalEdges("awaitRuling", goOn("signApprovals"), ["signApprovals", "expire"])
      .addEdge("signApprovals", "approve")
      .addConditionalEdges("approve", goOn("verify"), ["verify", "expire"])
      .addEdge("verify", END)
      .addEdge("expire", "refund")
      .addConditionalEdges(
        "refund",
        async (state: SessionState) => {
          // The parent mission, or the external sponsor, decides on another session.
          if (openedSession(context.options) !== undefined) return END;
          if (state.outcome === "refused") return state.revisions < MAX_REVISIONS ? "openSession" : END;
          return (await stages.mayReturn(state)) ? "amend" : END;
        },
        ["openSession", "amend", END],
      )
      .addConditionalEdges("amend", (state: SessionState) => (state.amendment === null ? END : "signReintroduction"), [
        "signReintroduction",
        END,
      ])
      .addConditionalEdges("signReintroduction", (state: SessionState) => (state.amendment === null ? END : "reintroduce"), [
        "reintroduce",
        END,
      ])
      .addEdge("reintroduce", "requestIdentities")
  );
}

/** The first node: an open session that can yield no law expires at once. */
function beginning({ options }: LegislatureContext, { outcome }: SessionState) {
  if (openedSession(options) !== undefined) return goOn("requestIdentities")({ outcome });
  return options.byPetition === true ? "findBackers" : "openSession";
}

/** Number of times a law that the constitution rejects is revised and resubmitted (AgentCity B.10). */
const MAX_REVISIONS = 2;

type Stage = (state: SessionState) => Promise<Partial<SessionState>>;

/** A stage that comes too late is no error but a fact about the session: it expired, or was ended. */
function expiring(context: LegislatureContext, stage: Stage): Stage {
  return async (state) => {
    try {
      return await stage(state);
    } catch (error) {
      if (!(error instanceof TransactionReverted) || !(await isOver(context, BigInt(state.session)))) throw error;
      return { outcome: "overdue" };
    }
  };
}

/** Continues with the next stage, unless the session is over. */
function goOn<Next extends string>(next: Next): (state: Pick<SessionState, "outcome">) => Next | "expire" {
  return ({ outcome }) => (outcome === "open" ? next : "expire");
}

/**
 * Voters asked concurrently in one run of a thinking node: a checkpoint per run, so that a thousand voters do not mean a thousand
 * checkpoints.
 */
const COHORT = 50;

/** Concurrent runs of the drafting node, each for some of the voters without a draft. Without any, the session waits for its end. */
function fanOut(context: LegislatureContext, { session, survey, reading, barred, drafts, outcome }: SessionState) {
  if (outcome !== "open") return "expire";
  const { voters } = context.survey(survey);
  if (voters.length === 0) return "awaitVoting";
  const agents = voters.map(({ agent }) => agent).filter((agent) => drafts[draftKey(reading, agent)] === undefined);
  if (agents.length === 0) return "endorse";
  return partsOf(agents, COHORT).map((cohort) => new Send("draft", { agents: cohort, session, survey, reading, barred }));
}
