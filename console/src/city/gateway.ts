/** Requests to the city's gateway, through the public API only. */

/** Whether a city's gateway serves this page; otherwise it only opens bundles. */
export const isOfCity = document.documentElement.dataset["face"] === "city";

/** The gateway refused a request, with a reason and a remedy. */
export class GatewayRefusal extends Error {
  readonly code: string;
  readonly action: string | undefined;
  readonly status: number;
  constructor(status: number, code: string, message: string, action?: string) {
    super(message);
    this.name = "GatewayRefusal";
    this.status = status;
    this.code = code;
    this.action = action;
  }
}

/** The gateway did not answer. */
export class GatewaySilent extends Error {
  readonly code = "GatewaySilent";
  readonly action = "the page continues automatically when the city is back";
  constructor() {
    super("The city does not answer");
    this.name = "GatewaySilent";
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Sending {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

/** `/v1/missions?limit=50` */
export function pathOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Throws GatewayRefusal, or GatewaySilent. */
export async function request<Answer>(path: string, { method, headers = {}, body, signal }: Sending): Promise<Answer> {
  let response: Response;
  try {
    const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    response = await fetch(path, {
      method,
      headers: { ...json, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: signal ?? null,
      cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new GatewaySilent();
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Answer;
  const refusal = (
    answer as
      | { readonly error?: { readonly code?: string; readonly message?: string; readonly details?: string; readonly action?: string } }
      | undefined
  )?.error;
  const message = [refusal?.message ?? `The gateway answered ${response.status}`, refusal?.details]
    .filter((each) => each !== undefined)
    .join(": ");
  throw new GatewayRefusal(response.status, refusal?.code ?? "GatewayFailed", message, refusal?.action);
}

export function ask<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer> {
  return request<Answer>(pathOf(path, query), { method: "GET", signal });
}

export function send<Answer>(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
  return request<Answer>(path, { method: "POST", body: JSON.stringify(body), ...(headers === undefined ? {} : { headers }) });
}
