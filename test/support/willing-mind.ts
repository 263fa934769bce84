import { HeuristicMind } from "../../orchestrator/minds/heuristic-mind.ts";
import type { DraftRequest, Ranking, RankRequest } from "../../orchestrator/minds/mind.ts";
import type { LawShape } from "../../orchestrator/protocol/law-shape.ts";

/** Wants a law, whichever; divides nothing, and pays the first task more with every law that failed, so that none comes twice. */
export class WillingMind extends HeuristicMind {
  override async draft(request: DraftRequest): Promise<LawShape> {
    const shape = await super.draft(request);
    const raised = (request.barred ?? []).length;
    const tasks = shape.tasks.map((task, index) => ({ ...task, shards: 1, weight: index === 0 ? 100 + raised : 100 * task.redundancy }));
    return { ...shape, tasks };
  }

  override async rank(request: RankRequest): Promise<Ranking> {
    const order = await super.rank(request);
    const noLaw = request.candidates.find(({ shape }) => shape === null)?.number;
    return noLaw === undefined ? order : [...order.filter((number) => number !== noLaw), noLaw];
  }
}
