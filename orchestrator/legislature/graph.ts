import { END, Send, START, StateGraph } from "@langchain/langgraph";
import type { Address } from "../primitives/hex.ts";
import { codify } from "./codify.ts";
import type { LegislatureContext } from "./context.ts";
import { deliberate } from "./deliberate.ts";
import { deploy } from "./deploy.ts";
import { identify } from "./identify.ts";
import { propose } from "./propose.ts";
import { refund } from "./refund.ts";
import { type SessionState, sessionState } from "./state.ts";
import { surveySchema } from "./survey.ts";
import { validate } from "./validate.ts";
import { vote } from "./vote.ts";

/**
 * The session as a graph: identify → propose → deliberate → vote → validate → codify → deploy. One effect kind per node (decision 45), so that
 * a node that runs again after a crash signs the same bytes, or asks for the same transaction.
 */
export function sessionGraph(context: LegislatureContext) {
  const stages = {
    ...identify(context),
    ...propose(context),
    ...deliberate(context),
    ...vote(context),
    ...validate(context),
    ...codify(context),
    ...deploy(context),
    ...refund(context),
  };
  const voters = (state: SessionState) => context.load(state.survey, surveySchema).voters;

  return (
    new StateGraph(sessionState)
      // identify
      .addNode("openSession", stages.openSession)
      .addNode("signAttestations", stages.signAttestations)
      .addNode("identify", stages.survey)
      .addNode("confirmIdentities", stages.confirmIdentities)
      // propose
      .addNode("draft", stages.draft)
      .addNode("endorse", stages.endorse)
      .addNode("signProposals", stages.signProposals)
      .addNode("sendProposals", stages.sendProposals)
      .addNode("signSponsorships", stages.signSponsorships)
      .addNode("sendSponsorships", stages.sendSponsorships)
      // deliberate
      .addNode("brief", stages.brief)
      .addNode("signBriefing", stages.signBriefing)
      .addNode("openDebate", stages.openDebate)
      .addNode("poll", stages.poll)
      .addNode("signStraws", stages.signStraws)
      .addNode("castStraws", stages.castStraws)
      .addNode("speak", stages.speak)
      .addNode("signSpeeches", stages.signSpeeches)
      .addNode("reconsider", stages.reconsider)
      // vote
      .addNode("awaitVoting", stages.awaitVoting)
      .addNode("openVoting", stages.openVoting)
      .addNode("signBallots", stages.signBallots)
      .addNode("castBallots", stages.castBallots)
      .addNode("awaitBallots", stages.awaitBallots)
      .addNode("tally", stages.tally)
      // validate
      .addNode("findWinner", stages.findWinner)
      .addNode("sendValidation", stages.sendValidation)
      // codify
      .addNode("delegate", stages.delegate)
      .addNode("sendCodification", stages.sendCodification)
      // deploy
      .addNode("awaitAudit", stages.awaitAudit)
      .addNode("signApprovals", stages.signApprovals)
      .addNode("approve", stages.approve)
      .addNode("verify", stages.verify)
      // no law
      .addNode("refund", stages.refund)

      .addEdge(START, "openSession")
      .addEdge("openSession", "signAttestations")
      .addEdge("signAttestations", "identify")
      .addEdge("identify", "confirmIdentities")
      .addConditionalEdges("confirmIdentities", (state: SessionState) => fanOut(state, voters(state)), ["draft", "awaitVoting"])
      .addEdge("draft", "endorse")
      .addEdge("endorse", "signProposals")
      .addEdge("signProposals", "sendProposals")
      .addEdge("sendProposals", "signSponsorships")
      .addEdge("signSponsorships", "sendSponsorships")
      .addConditionalEdges("sendSponsorships", (state: SessionState) => (stages.hasCandidates(state) ? "brief" : "awaitVoting"), [
        "brief",
        "awaitVoting",
      ])
      .addEdge("brief", "signBriefing")
      .addEdge("signBriefing", "openDebate")
      .addEdge("openDebate", "poll")
      .addEdge("poll", "signStraws")
      .addEdge("signStraws", "castStraws")
      .addEdge("castStraws", "speak")
      .addEdge("speak", "signSpeeches")
      .addEdge("signSpeeches", "reconsider")
      .addConditionalEdges("reconsider", (state: SessionState) => (stages.goesOn(state) ? "speak" : "openVoting"), ["speak", "openVoting"])
      .addEdge("awaitVoting", "openVoting")
      .addConditionalEdges("openVoting", (state: SessionState) => (state.outcome === "failed" ? "refund" : "signBallots"), [
        "signBallots",
        "refund",
      ])
      .addEdge("signBallots", "castBallots")
      .addEdge("castBallots", "awaitBallots")
      .addEdge("awaitBallots", "tally")
      .addConditionalEdges("tally", (state: SessionState) => (state.outcome === "failed" ? "refund" : "findWinner"), [
        "findWinner",
        "refund",
      ])
      .addEdge("findWinner", "sendValidation")
      .addEdge("sendValidation", "delegate")
      .addEdge("delegate", "sendCodification")
      .addEdge("sendCodification", "awaitAudit")
      .addEdge("awaitAudit", "signApprovals")
      .addEdge("signApprovals", "approve")
      .addEdge("approve", "verify")
      .addEdge("verify", END)
      .addEdge("refund", END)
  );
}

/** Voters that one run of a thinking node asks side by side: a checkpoint per run, so a thousand voters are not a thousand checkpoints. */
const COHORT = 50;

/** Runs of the drafting node, side by side, each for some of the voters. With nobody to ask, the session waits for its end. */
function fanOut({ survey }: SessionState, voters: readonly { readonly agent: Address }[]) {
  if (voters.length === 0) return "awaitVoting";
  const cohorts = Array.from({ length: Math.ceil(voters.length / COHORT) }, (_, at) => voters.slice(at * COHORT, (at + 1) * COHORT));
  return cohorts.map((cohort) => new Send("draft", { agents: cohort.map(({ agent }) => agent), survey }));
}
