import { expect } from "chai";
import { type LocalAccount, privateKeyToAccount } from "viem/accounts";
import { enrol } from "../../../orchestrator/agent/enrol.ts";
import { CityLink } from "../../../orchestrator/agent/link.ts";
import type { City } from "../../../orchestrator/city/city.ts";
import { caseNamed, queueOf } from "../../../orchestrator/city/humans/case-queue.ts";
import { petitionName } from "../../../orchestrator/city/humans/petitions.ts";
import { newcomerDeadline } from "../../../orchestrator/city/missions/newcomer.ts";
import { type OpenSeats, openSeats } from "../../../orchestrator/city/missions/open-seats.ts";
import { RELAYED } from "../../../orchestrator/city/missions/relay-budget.ts";
import { signSessionMessage } from "../../../orchestrator/client/sign/session-message.ts";
import type { Petition } from "../../../orchestrator/protocol/calls.ts";
import { KINDS } from "../../../orchestrator/protocol/kinds.ts";
import { openHome } from "../../support/city-home.ts";
import { sendFirst } from "../../support/front-runner.ts";
import { millis, secretOf, wallClock } from "../../support/office-holder.ts";
import { rejection } from "../../support/rejection.ts";
import { suiteDirectory } from "../../support/temporary-directory.ts";

/** Two keys whose accounts begin with the same four bytes, as anybody finds them in a minute. */
const TWINS = ["twin 30073", "twin 72386"] as const;

describe("newcomers whose signatures somebody hands in first", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();

  it("are registered all the same, with their services and below another", async () => {
    const city = await openHome(`${directory()}/home`, "7");
    const seats = await openSeats(city, { clock: wallClock });
    try {
      const first = sendFirst(city);
      const principal = privateKeyToAccount(secretOf("a newcomer's owner"));
      const accounts = ["a newcomer", "its agent"].map((name) => privateKeyToAccount(secretOf(name)));
      for (const [place, account] of accounts.entries()) {
        const link = new CityLink(seats.url, account, millis);
        await link.card();
        const creator = place === 0 ? undefined : accounts[0];
        const enrolment = {
          client: city.client,
          account,
          link,
          principal,
          creator,
          kind: KINDS.PRODUCER,
          services: [],
          progress: () => {},
        };
        expect(await enrol(enrolment)).to.equal(principal.address);
      }
      expect(first).to.include.members(["permit", "register", "registerSubAgent"]);
    } finally {
      await seats.close();
      await city.close();
    }
  });
});

describe("petitions that come to a city's seats over HTTP", function () {
  this.timeout(60_000);
  const directory = suiteDirectory();
  let city: City;
  let seats: OpenSeats;

  beforeEach(async () => {
    city = await openHome(`${directory()}/${Math.floor(millis())}`, "7");
    // One petition of a principal, four of an address.
    seats = await openSeats(city, { clock: wallClock, relayGas: 40n * RELAYED.petition });
  });
  afterEach(async () => {
    await seats?.close();
    await city?.close();
  });

  async function petitionOf(account: LocalAccount, owner: string): Promise<Petition> {
    const principal = privateKeyToAccount(secretOf(owner));
    const asked = { account: account.address, principal: principal.address, office: 1, classes: 8 } as const;
    const words = { runtime: "a test", contact: `${owner}@example.org`, relations: "none" };
    const petition = { ...asked, ...words, deadline: await newcomerDeadline(city.client) };
    return {
      petition,
      byAccount: await signSessionMessage(city.client, account, "OfficePetition", petition),
      byPrincipal: await signSessionMessage(city.client, principal, "OfficePetition", petition),
    };
  }

  async function bring(name: string): Promise<Petition> {
    const account = privateKeyToAccount(secretOf(name));
    const link = new CityLink(seats.url, account, millis);
    await link.card();
    const petition = await petitionOf(account, `owner of ${name}`);
    await link.post("/v1/petitions", petition);
    return petition;
  }

  it("have each its own name: nobody's takes the place of another's, or is granted in its stead", async () => {
    const petitions = [await bring(TWINS[0]), await bring(TWINS[1])];
    const accounts = petitions.map(({ petition }) => petition.account);
    expect(new Set(accounts.map((account) => account.slice(0, 10).toLowerCase())).size, "the same four bytes").to.equal(1);
    expect(new Set(petitions.map(petitionName)).size).to.equal(2);
    expect(await queueOf(city)).to.have.length(2);
    for (const each of petitions) {
      const { subject } = await caseNamed(city, petitionName(each));
      expect(subject.kind === "petition" && subject.petition).to.deep.equal(each.petition);
    }
  });

  it("are so many of an address, whoever answers for them, and no other's are fewer for it", async () => {
    for (let at = 0; at < 4; at += 1) await bring(`of one address ${at}`);
    const refused = await rejection(bring("of one address too"));
    expect(refused.message).to.include("429 RelayQuota").and.to.include("address 127.0.0.1");
    await seats.desk.petition(await petitionOf(privateKeyToAccount(secretOf("of another")), "another"), "203.0.113.8");
    expect(await queueOf(city)).to.have.length(5);
  });
});
