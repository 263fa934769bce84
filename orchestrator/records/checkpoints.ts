import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { Database } from "./database.ts";
import { asDamage } from "./sql.ts";

const SCHEMA = "checkpoints";

/** Reports damage of the database as the other stores do, and writes only once `ready` has returned. */
class CitySaver extends PostgresSaver {
  readonly #where: string;
  readonly #ready: () => Promise<void>;

  constructor({ pool, where }: Database, ready: () => Promise<void>) {
    super(pool, undefined, { schema: SCHEMA });
    this.#where = where;
    this.#ready = ready;
  }

  override setup(): Promise<void> {
    return this.#named(super.setup());
  }

  override getTuple(...args: Parameters<PostgresSaver["getTuple"]>): ReturnType<PostgresSaver["getTuple"]> {
    return this.#named(super.getTuple(...args));
  }

  override put(...args: Parameters<PostgresSaver["put"]>): ReturnType<PostgresSaver["put"]> {
    return this.#named(this.#ready().then(() => super.put(...args)));
  }

  override putWrites(...args: Parameters<PostgresSaver["putWrites"]>): ReturnType<PostgresSaver["putWrites"]> {
    return this.#named(this.#ready().then(() => super.putWrites(...args)));
  }

  async #named<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw asDamage(error, this.#where);
    }
  }
}

/** LangGraph's checkpointer over the city's own database. A session's id is its `thread_id`. */
export async function openCheckpointer(database: Database, ready: () => Promise<void> = async () => {}): Promise<PostgresSaver> {
  const saver = new CitySaver(database, ready);
  await saver.setup();
  return saver;
}
