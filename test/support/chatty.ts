/** A service that says one thing more than the constitution lets it, once it has all the notes (a trial shows it fewer). */
export const CHATTY = `
export const about = {
  id: "chatty", title: "Talks too much", description: "Talks.", accepts: ["files", "items"], produces: "items", perItem: false,
  input: { type: "object" }, output: { type: "object", required: ["items"] },
  capabilities: [0, 0, 0, 0, 0, 0, 0, 60, 0, 0], deterministic: true,
};
export default function chatty(input, ctx) {
  for (let said = 0; input.items.length > 2 && said <= 120; said += 1) ctx.message("again");
  return { items: input.items };
}`;
