/** A city whose gateway keeps agreements, opened once for a suite: its clock, its desk, and how it is asked over HTTP. */
import { join } from "node:path";
import { z } from "zod";
import type { Act } from "../../orchestrator/agreements/index.ts";
import type { City } from "../../orchestrator/city/city.ts";
import { AgreementDesk, type AgreementDeskOptions } from "../../orchestrator/gateway/agreements/desk.ts";
import { type Gateway, type ServeOptions, serveGateway } from "../../orchestrator/gateway/serve.ts";
import { canonicalJson } from "../../orchestrator/primitives/json.ts";
import { PATIENT, START } from "../agreements/acts.ts";
import { openHome } from "../support/city-home.ts";
import { suiteDirectory } from "../support/temporary-directory.ts";
import { serveOptions } from "./gateway-city.ts";

const errorSchema = z.object({ error: z.object({ code: z.string() }) });

/** What goes over the wire of an act. */
export function fieldsOf(act: Act): Readonly<Record<string, unknown>> {
  const { act: _, ...fields } = z.looseObject({ act: z.string() }).parse(act);
  return fields;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Null for an answer without a body. */
  readonly body: z.infer<ReturnType<typeof z.json>>;
  /** The error's, or `taken`; nothing for an answer without a body. */
  readonly code: string;
  readonly etag: string;
}

export class AgreementCity {
  /** Of agreements without an escrow, unix seconds. */
  now = START;
  readonly #served: Partial<ServeOptions>;
  #city: City | undefined;
  #gateway: Gateway | undefined;

  /** To be made inside a suite, which it opens for and closes after. `served`: what its gateway is served with besides. */
  constructor(served: Partial<ServeOptions> = {}) {
    this.#served = served;
    const directory = suiteDirectory();
    before(async () => {
      this.#city = await openHome(join(directory(), "home"), "7");
    });
    after(async () => {
      await this.#gateway?.close();
      await this.#city?.close();
    });
  }

  get city(): City {
    if (this.#city === undefined) throw new Error("the suite has not begun");
    return this.#city;
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error("nothing is served");
    return this.#gateway;
  }

  /** The gateway's own desk. */
  get served(): AgreementDesk {
    const { agreements } = this.gateway.world;
    if (agreements === undefined) throw new Error("no agreements");
    return agreements;
  }

  /** Serves the city, again if it is served. */
  async serve(options: Partial<ServeOptions> = {}): Promise<Gateway> {
    await this.#gateway?.close();
    this.#gateway = await serveGateway(this.city, { ...serveOptions, millis: () => this.now * 1_000, ...this.#served, ...options });
    return this.#gateway;
  }

  /** A desk beside the gateway's, over the same records, which bears with whoever plays every case in one second. */
  desk(options: Partial<AgreementDeskOptions> = {}): AgreementDesk {
    const { database: sql, chain, client } = this.city;
    const { CityToken: token } = client.addresses;
    return new AgreementDesk({ sql, chain, token, escrow: undefined, limits: PATIENT, millis: () => this.now * 1_000, ...options });
  }

  /** A GET, or a POST where there is a body. */
  async call(
    path: string,
    { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: object } = {},
  ): Promise<Answer> {
    const json = { method: "POST", body: canonicalJson({ ...body }), headers: { "content-type": "application/json", ...headers } };
    const answer = await fetch(this.gateway.url + path, body === undefined ? { headers } : json);
    const text = await answer.text();
    const said = text === "" ? null : z.json().parse(JSON.parse(text));
    const code = said === null ? "" : (errorSchema.safeParse(said).data?.error.code ?? "taken");
    return { status: answer.status, text, body: said, code, etag: answer.headers.get("etag") ?? "" };
  }
}
