/** A task and its dependencies. */
export interface Waiting {
  readonly name: string;
  readonly after: readonly string[];
}

/** Tasks in topological order, otherwise in the given order. Or a cycle: `a → b → a`. */
export function orderTasks<Task extends Waiting>(tasks: readonly Task[]): { order: Task[] } | { cycle: string[] } {
  const order: Task[] = [];
  const done = new Set<string>();
  let left = [...tasks];
  while (left.length > 0) {
    const ready = left.find((task) => task.after.every((name) => done.has(name)));
    if (ready === undefined) return { cycle: cycleAmong(left) };
    order.push(ready);
    done.add(ready.name);
    left = left.filter((task) => task !== ready);
  }
  return { order };
}

/** Every remaining task waits for another one, so following them finds a cycle. */
function cycleAmong(left: readonly Waiting[]): string[] {
  const path: string[] = [];
  let current = left[0]?.name ?? "";
  while (!path.includes(current)) {
    path.push(current);
    const task = left.find(({ name }) => name === current);
    current = task?.after.find((name) => left.some((other) => other.name === name)) ?? "";
  }
  return [...path.slice(path.indexOf(current)), current];
}
