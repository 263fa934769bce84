import { compareText } from "./items.ts";

/**
 * The sets of nodes that reach each other (Tarjan's strongly connected components) of more than one node, and nodes that reach
 * themselves at once. Each set is in order, and the sets by their first node. Not recursive: a chain may be thousands long.
 */
export function cyclesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const cycles: string[][] = [];

  const open = (node: string): { node: string; next: number } => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    stack.push(node);
    onStack.add(node);
    return { node, next: 0 };
  };
  const lower = (node: string, value: number): void => void low.set(node, Math.min(low.get(node) ?? value, value));
  const close = (node: string): void => {
    if (low.get(node) !== order.get(node)) return;
    const members = stack.splice(stack.lastIndexOf(node));
    for (const member of members) onStack.delete(member);
    if (members.length > 1 || edges.get(node)?.includes(node) === true) cycles.push(members.sort(compareText));
  };

  for (const root of [...edges.keys()].sort(compareText)) {
    if (order.has(root)) continue;
    const path = [open(root)];
    for (let frame = path.at(-1); frame !== undefined; frame = path.at(-1)) {
      const target = edges.get(frame.node)?.[frame.next];
      frame.next += 1;
      if (target === undefined) {
        close(frame.node);
        path.pop();
        const above = path.at(-1);
        if (above !== undefined) lower(above.node, low.get(frame.node) ?? 0);
      } else if (!order.has(target)) path.push(open(target));
      else if (onStack.has(target)) lower(frame.node, order.get(target) ?? 0);
    }
  }
  return cycles.sort((a, b) => compareText(a[0] ?? "", b[0] ?? ""));
}
