/** What a sponsor elsewhere posts: one work package, estimated by three. */
export const POSTED_ITEMS = [{ id: "row-1", name: "survey", fields: {}, values: { optimistic: 3, likely: 6, pessimistic: 9 } }];

/** Its mission file; `tokens` is the budget. */
export function postedMission(name: string, goal: string, tokens: number): string {
  return `mission: ${name}
goal: ${goal}
budget: "${tokens}.00"
deadline: 20m
risk: LOW
input: { kind: csv, path: work.csv }
tasks:
  estimate: { service: [estimate-by-median, estimate-by-pert, estimate-by-triangle], over: input, tier: 2 }
output: { task: estimate, format: json }
`;
}
