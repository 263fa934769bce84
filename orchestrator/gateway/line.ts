import type { MessagePort } from "node:worker_threads";
import { z } from "zod";
import { AgentCityError, messageOf } from "../primitives/errors.ts";

/** The thread at the other end of a line ended before it answered. */
export class LineClosed extends AgentCityError {
  constructor() {
    super("LineClosed", "The other thread ended before it answered");
  }
}

/** An error from the other side, with the parts that callers inspect: a node's refusal code, a reverted call's data. */
class ThrownElsewhere extends Error {
  readonly code: string | number | undefined;
  readonly data: unknown;
  constructor({ message, code, data }: z.infer<typeof thrownSchema>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const plainSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  details: z.string().optional(),
  action: z.string().optional(),
});
const thrownSchema = z.strictObject({
  message: z.string(),
  code: z.union([z.string(), z.number()]).optional(),
  data: z.unknown().optional(),
});
const messageSchema = z.union([
  z.strictObject({ ask: z.int(), question: z.unknown() }),
  z.strictObject({ to: z.int(), answer: z.unknown() }),
  z.strictObject({ to: z.int(), refusal: plainSchema }),
  z.strictObject({ to: z.int(), thrown: thrownSchema }),
]);
type Message = z.infer<typeof messageSchema>;

/** Requests and answers over a message port, both ways. Each side validates what it receives. */
export interface Line {
  /** Throws the other side's error, or LineClosed. */
  ask(question: unknown): Promise<unknown>;
  /** Resolves when either side has closed it. */
  readonly closed: Promise<void>;
  close(): void;
}

export function openLine(port: MessagePort, answer: (question: unknown) => Promise<unknown>): Line {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const closed = Promise.withResolvers<void>();
  let [last, isClosed] = [0, false];
  const say = (message: Message) => port.postMessage(message);

  async function reply(to: number, question: unknown): Promise<void> {
    try {
      say({ to, answer: (await answer(question)) ?? null });
    } catch (error) {
      say(thrown(to, error));
    }
  }

  port.on("message", (given: unknown) => {
    const message = messageSchema.parse(given);
    if ("ask" in message) return void reply(message.ask, message.question);
    const asked = waiting.get(message.to);
    waiting.delete(message.to);
    if ("refusal" in message) {
      const { code, message: text, ...more } = message.refusal;
      asked?.reject(new AgentCityError(code, text, more));
    } else if ("thrown" in message) asked?.reject(new ThrownElsewhere(message.thrown));
    else asked?.resolve(message.answer);
  });
  port.on("close", () => {
    isClosed = true;
    for (const { reject } of waiting.values()) reject(new LineClosed());
    waiting.clear();
    closed.resolve();
  });
  return {
    closed: closed.promise,
    ask(question) {
      if (isClosed) return Promise.reject(new LineClosed());
      last += 1;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(last, asked);
      say({ ask: last, question });
      return asked.promise;
    },
    close: () => port.close(),
  };
}

function thrown(to: number, error: unknown): Message {
  if (error instanceof AgentCityError) return { to, refusal: error.toPlain() };
  const facts: { code?: string | number; data?: string } = {};
  if (error instanceof Error && "code" in error && (typeof error.code === "number" || typeof error.code === "string"))
    facts.code = error.code;
  if (error instanceof Error && "data" in error && typeof error.data === "string") facts.data = error.data;
  return { to, thrown: { message: messageOf(error), ...facts } };
}
