import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { z } from "zod";
import { charNgrams } from "../../../orchestrator/execution/guardian/char-ngrams.ts";
import { cosineDistance } from "../../../orchestrator/execution/guardian/deviation.ts";
import { DIMENSIONS, type Embedder, type Vector } from "../../../orchestrator/execution/guardian/embedder.ts";
import { keepingVectors } from "../../../orchestrator/execution/guardian/kept-vectors.ts";
import { EmbeddingUnusable, langChainEmbedder } from "../../../orchestrator/execution/guardian/langchain-embedder.ts";
import { openScorerPair, SCORERS, ScorerUnknown, scorersBy } from "../../../orchestrator/execution/guardian/scorers.ts";
import { wordProjection } from "../../../orchestrator/execution/guardian/word-projection.ts";
import { PARAMETERS } from "../../../orchestrator/protocol/parameters.ts";
import { expectNear, expectOrder } from "../../support/fractions.ts";
import { rejection } from "../../support/rejection.ts";

const NOTE = "The login of the shop failed because a key had expired; it was renewed and an alarm was added.";
const NEAR = "The login of the shop failed since a key had expired; we renewed it and added an alarm.";
const FAR = "Quarterly rainfall exceeded every forecast, and harvests of barley suffered accordingly.";

const one = async (embedder: Embedder, input: string): Promise<Vector> => {
  const [vector] = await embedder.embed([input]);
  return vector!;
};
const distance = async (embedder: Embedder, a: string, b: string) => cosineDistance(await one(embedder, a), await one(embedder, b));

describe("execution/guardian/scorers", () => {
  for (const embedder of [charNgrams, wordProjection]) {
    describe(embedder.id, () => {
      it("gives unit vectors of 3,072 dimensions, the same for the same text for ever", async () => {
        const vector = await one(embedder, NOTE);
        expect(vector).to.have.length(DIMENSIONS);
        expectNear(
          vector.reduce((sum, value) => sum + value * value, 0),
          1,
          1e-12,
        );
        expect(await one(embedder, NOTE)).to.deep.equal(vector);
        const peak = vector.reduce((best, value, index) => (Math.abs(value) > Math.abs(vector[best]!) ? index : best), 0);
        expect(`${peak} ${vector[peak]!.toFixed(12)}`).to.equal(PEAKS[embedder.id]);
      });

      it("puts a paraphrase nearer than another subject, and unrelated texts at right angles", async () => {
        const [near, far] = [await distance(embedder, NOTE, NEAR), await distance(embedder, NOTE, FAR)];
        expectOrder(near, "<", far - 0.2);
        expectNear(await distance(embedder, "abcdefgh", "mnopqrst"), 1, 0.15);
      });

      it("has a zero vector for a text with nothing in it", async () => {
        expect((await one(embedder, " ,")).every((value) => value === 0)).to.equal(true);
        expect(await distance(embedder, " ,", " ,")).to.equal(0);
        expect(await distance(embedder, " ,", NOTE)).to.equal(1);
      });
    });
  }

  it("are of different families: one sees spelling and not words, the other words and not their order", async () => {
    const shuffled = NOTE.split(" ").reverse().join(" ");
    expectOrder(await distance(wordProjection, NOTE, shuffled), "<", 1e-12);
    expectOrder(await distance(charNgrams, NOTE, shuffled), ">", 0.05);
    expectOrder(await distance(charNgrams, "classified", "classifier"), "<", 0.5);
    expectOrder(await distance(wordProjection, "classified", "classifier"), ">", 0.7);
  });

  it("take numbers of one magnitude for one word", async () => {
    expectOrder(await distance(wordProjection, "takes 3.5 days", "takes 9 days"), "<", 1e-12);
    expectOrder(await distance(wordProjection, "takes 3.5 days", "takes 900 days"), ">", 0.1);
  });

  it("are opened by the number the constitution has, two by default", async () => {
    const code = Number(PARAMETERS.find(({ name }) => name === "EMBEDDING_SCORERS")!.default);
    const open = scorersBy({});
    expect([(await open(code & 0xff)).id, (await open(code >> 8)).id]).to.deep.equal([charNgrams.id, wordProjection.id]);
    expect(await open(1)).to.equal(await open(1));
    for (const number of [0, 200]) expect(await rejection((async () => open(number))())).to.be.instanceOf(ScorerUnknown);
    expect(new Set(SCORERS.map(({ number }) => number)).size).to.equal(SCORERS.length);
  });

  it("are a pair only of two different ones", async () => {
    expect((await openScorerPair(["word-projection", "char-ngrams"], {})).map(({ id }) => id)).to.deep.equal([
      wordProjection.id,
      charNgrams.id,
    ]);
    for (const names of [
      ["char-ngrams"],
      ["char-ngrams", "char-ngrams"],
      ["char-ngrams", "nothing"],
      ["char-ngrams", "word-projection", "openai"],
    ])
      expect(await rejection(openScorerPair(names, {})), names.join()).to.be.instanceOf(ScorerUnknown);
    expect(await rejection(openScorerPair(["char-ngrams", "openai"], {}))).to.include({ code: "KeyMissing" });
  });

  it("keep vectors without changing them, and ask for each text once", async () => {
    const asked: string[] = [];
    const counted: Embedder = {
      ...wordProjection,
      embed: (texts) => {
        asked.push(...texts);
        return wordProjection.embed(texts);
      },
    };
    const keeping = keepingVectors(counted);
    const texts = [NOTE, FAR, NOTE];
    expect(await keeping.embed(texts)).to.deep.equal(await wordProjection.embed(texts));
    await keeping.embed([FAR, NEAR]);
    expect(asked).to.deep.equal([NOTE, FAR, NEAR]);
    const many = Array.from({ length: 600 }, (_, index) => `word${index}`);
    expect(await keeping.embed(many)).to.deep.equal(await wordProjection.embed(many));
  });

  describe("over a served model", () => {
    const requestSchema = z.looseObject({ model: z.string(), input: z.array(z.string()) });
    const asked: z.infer<typeof requestSchema>[] = [];
    let dimensions = 3_072;
    let server: Server;
    let url = "";

    before((done) => {
      server = createServer((request, response) => {
        void text(request).then((body) => {
          const question = requestSchema.parse(JSON.parse(body));
          asked.push(question);
          const data = question.input.map((input, index) => ({
            object: "embedding",
            index,
            embedding: Array.from({ length: dimensions }, (_, at) => (at === 0 ? input.length : at === 1 ? 1 : 0)),
          }));
          const answer = { object: "list", data, model: question.model, usage: { prompt_tokens: 1, total_tokens: 1 } };
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
        });
      });
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/v1`;
        done();
      });
    });
    after((done) => {
      server.close(done);
    });

    const open = () => scorersBy({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: url })(3);

    it("asks for the paper's model and cuts a long output into parts", async () => {
      asked.length = 0;
      dimensions = 3_072;
      const vector = await one(await open(), "x".repeat(20_000));
      expect(asked.map(({ model, input }) => [model, input.map(({ length }) => length)])).to.deep.equal([
        ["text-embedding-3-large", [8_000, 8_000, 4_000]],
      ]);
      expect(vector).to.have.length(3_072);
      expectNear(
        vector.reduce((sum, value) => sum + value * value, 0),
        1,
        1e-12,
      );
    });

    it("refuses vectors of another size", async () => {
      dimensions = 8;
      expect(await rejection(one(await open(), "a text"))).to.be.instanceOf(EmbeddingUnusable);
    });
  });

  it("refuse a model that leaves a text out or answers with no number, and cut between characters", async () => {
    const seen: string[] = [];
    const answering = (answer: (texts: string[]) => number[][]) =>
      langChainEmbedder({ embedDocuments: async (texts) => answer(texts) }, { id: "m", dimensions: 2, maxCharacters: 3 });
    expect(
      await rejection(
        one(
          answering(() => []),
          "a",
        ),
      ),
    ).to.be.instanceOf(EmbeddingUnusable);
    expect(
      await rejection(
        one(
          answering(() => [[Number.NaN, 1]]),
          "a",
        ),
      ),
    ).to.be.instanceOf(EmbeddingUnusable);
    await one(
      answering((texts) => texts.map((part) => [seen.push(part), 1])),
      "ab😀cd",
    );
    expect(seen).to.deep.equal(["ab", "😀c", "d"]);
  });
});

/** Place and value of each scorer's largest component of NOTE: a change of algorithm needs a new id. */
const PEAKS: Readonly<Record<string, string>> = { "char-ngrams/1": "37 0.106399035320", "word-projection/1": "466 0.110978275077" };
