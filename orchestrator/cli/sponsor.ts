import { join, resolve } from "node:path";
import { formatEther } from "viem";
import { z } from "zod";
import { CATALOG } from "../../services/catalog.ts";
import { KeyUnusable } from "../agent/keystore.ts";
import { DEVNET_CHAIN_ID } from "../chain/devnet.ts";
import { depositCalls } from "../city/missions/deposit.ts";
import { describeInput, readInput } from "../execution/inputs/read-input.ts";
import { bundleOutput } from "../gateway/commands/bundles.ts";
import { cityDocumentSchema } from "../gateway/commands/city.ts";
import { depositOutput, posted } from "../gateway/commands/sponsors.ts";
import { postElsewhere, type Signing } from "../gateway/elsewhere.ts";
import { privateKeyToAccount } from "../primitives/accounts.ts";
import { addressSchema } from "../primitives/address.ts";
import { formatMoney, TOKEN_DECIMALS } from "../primitives/amounts.ts";
import { AgentCityError } from "../primitives/errors.ts";
import type { JsonObject } from "../primitives/json.ts";
import { addressesOf } from "../protocol/addresses.ts";
import { parseMissionFile } from "../protocol/mission-file.ts";
import { parameter } from "../protocol/parameters.ts";
import { receiveBundle } from "../records/bundle.ts";
import { secretIn } from "./agent.ts";
import { askCity } from "./ask-city.ts";
import { audit } from "./audit.ts";
import { EXIT } from "./exit-codes.ts";
import { home } from "./home.ts";
import { withProgress } from "./progress.ts";
import { typedPath } from "./shell.ts";
import { wallTime } from "./wall-time.ts";

export interface SponsorOptions {
  readonly city: string;
  readonly key?: string;
  readonly passwordFile?: string;
  readonly again?: number;
  readonly input?: string;
  readonly text: string;
  readonly fileName: string;
  /** Base directory of the file's paths. */
  readonly directory: string;
  readonly json?: boolean;
}

/** The sponsor's balance does not cover the mission. */
class PurseShort extends AgentCityError {
  constructor(sponsor: string, has: string, needs: string) {
    super("PurseShort", `${sponsor} has ${has}, but the deposit requires ${needs}`, {
      action: "fund the account, then run the same command again: the city keeps the mission",
    });
  }
}

/** The city returned something that a sponsor must not sign or store. */
class CityDeceives extends AgentCityError {
  constructor(problem: string) {
    super("CityDeceives", `The city's response is not what was requested: ${problem}`, { action: "do not pay there" });
  }
}

/** Largest acceptable gas cost of a deposit, wei: the city proposes the transactions' fees. */
const MAX_GAS_MONEY = 50_000_000_000_000_000n;
/** Interval of polling the city, milliseconds. */
const LOOK = 1_000;
/** Displayed before payment. */
const WHO_READS = {
  parties:
    "its items, outputs and report are readable by its parties only; goal, law, verdicts, hashes and money are public (docs/read-access.md)",
  public: "its items, outputs and report become public once it is over; `visibility: parties` restricts them to its parties",
} as const;
const ENDED = ["completed", "failed", "aborted", "no-law"];

/** The city cannot go on with a mission, for a reason of its own. */
class MissionStopped extends AgentCityError {
  constructor(reason: string | null) {
    super("MissionStopped", `The city cannot go on with the mission: ${reason ?? "it does not say why"}`, {
      action: "ask its operator to restart it, then run the same command again: the deposit is on chain, and not paid twice",
    });
  }
}

interface Posted {
  readonly state: string;
  readonly reason: string | null;
}

/** Waits until a posted mission is over. Throws MissionStopped. */
export async function whenOver<Now extends Posted>(
  first: Now,
  of: {
    readonly look: () => Promise<Now>;
    readonly sleep: (milliseconds: number) => Promise<void>;
    readonly progress: (line: string) => void;
  },
): Promise<Now> {
  let now = first;
  for (let last = ""; !ENDED.includes(now.state); now = await of.look()) {
    if (now.state === "stopped") throw new MissionStopped(now.reason);
    const words = `${now.state}${now.reason === null ? "" : `: ${now.reason}`}`;
    if (words !== last) of.progress(words);
    last = words;
    await of.sleep(LOOK);
  }
  return now;
}

/**
 * Posts a mission to another operator's city, pays its deposit with one's own key, waits for the end, downloads the bundle, and verifies
 * it.
 */
export async function sponsor(options: SponsorOptions): Promise<void> {
  const { ended, folder } = await withProgress(({ progress, enter }) => commission(options, progress, enter));
  const { state, mission, reason } = ended;
  if (state !== "completed") process.exitCode = EXIT.FAILED;
  if (folder !== undefined) await audit(folder, { json: options.json === true });
  if (options.json === true) {
    if (folder === undefined) process.stdout.write(`${JSON.stringify({ status: state, reason })}\n`);
    return;
  }
  process.stdout.write(
    [`${state.toUpperCase()}  ${mission ?? "no mission"}`, ...(reason === null ? [] : [`WHY  ${reason}`]), ""].join("\n"),
  );
}

async function commission(options: SponsorOptions, progress: (line: string) => void, enter: (stage: string) => void) {
  const { city: url, key, passwordFile, text, fileName, directory, again } = options;
  if (key === undefined) throw new KeyUnusable("No keystore was given: add --key <keystore> and --password-file <file>");
  const account = privateKeyToAccount(secretIn(key, passwordFile));
  const budgetCap = parameter("MISSION_BUDGET_CAP").default * 10n ** BigInt(TOKEN_DECIMALS);
  const file = parseMissionFile(text, { fileName, catalog: CATALOG, budgetCap, visibility: "parties" });
  const path = options.input === undefined ? file.input.path : resolve(typedPath(options.input));
  const input = readInput({ ...file.input, path }, directory);
  progress(describeInput(input));
  const { document } = await askCity(url, "get_city", cityDocumentSchema);
  const addresses = addressesOf(document.addresses, `The city at ${url}`);
  const signing = { account, chainId: document.chainId, now: () => Math.floor(wallTime.millis() / 1_000) };
  const posting: JsonObject = { file: text, items: [...input.items], ...(again === undefined ? {} : { again }) };
  let now = await postElsewhere(url, "/v1/posted", posted, posting, signing);
  progress(`the city accepted ${now.title}, posted as ${now.id}`);
  progress(WHO_READS[file.visibility]);
  const terms = { sponsor: account.address, goal: file.goal, budget: file.budget };
  if (now.state === "unpaid") {
    enter("paying the deposit");
    if (document.chainId === DEVNET_CHAIN_ID) await fillPurse();
    now = await pay();
    progress(`${formatMoney(file.budget)} tokens are deposited by ${account.address}: session ${now.session}`);
  }
  enter("the city is working");
  const look = () => askCity(url, "get_posted_mission", posted, { posted: now.id });
  now = await whenOver(now, { look, sleep: wallTime.sleep, progress });
  return { ended: now, folder: now.mission === null ? undefined : await fetchBundle(url, now.mission, signing, progress) };

  /** On a devnet everyone gets test tokens once. */
  async function fillPurse(): Promise<void> {
    const { balance, wei } = await askCity(url, "prepare_deposit", depositOutput, { posted: now.id });
    if (BigInt(balance) >= file.budget && BigInt(wei) > 0n) return;
    await postElsewhere(url, "/v1/faucet", z.looseObject({}), { principal: account.address }, signing);
    progress("received test tokens from the devnet's faucet");
  }

  /** Signs only what pays for this mission, whatever the city proposes. */
  async function pay() {
    const { transactions, balance, wei } = await askCity(url, "prepare_deposit", depositOutput, { posted: now.id });
    const gas = transactions.reduce((sum, each) => sum + BigInt(each.gas) * BigInt(each.maxFeePerGas), 0n);
    if (gas > MAX_GAS_MONEY) throw new CityDeceives(`its transactions would cost ${formatEther(gas)} for gas`);
    if (BigInt(balance) < file.budget)
      throw new PurseShort(account.address, `${formatMoney(BigInt(balance))} tokens`, formatMoney(file.budget));
    if (BigInt(wei) < gas) throw new PurseShort(account.address, `${formatEther(BigInt(wei))} for gas`, formatEther(gas));
    const own = depositCalls(addresses, terms);
    const signed = await Promise.all(
      transactions.map((given) => {
        const call = own.find(({ to, data }) => to.toLowerCase() === given.to.toLowerCase() && data === given.data);
        if (call === undefined || given.chainId !== document.chainId)
          throw new CityDeceives("a transaction does something other than pay the deposit");
        if (BigInt(given.gas) > 2n * call.gas) throw new CityDeceives("a transaction asks for more gas than its call needs");
        return account.signTransaction({
          ...{ type: "eip1559", to: call.to, data: call.data, value: 0n, chainId: given.chainId, nonce: given.nonce },
          ...{ gas: BigInt(given.gas), maxFeePerGas: BigInt(given.maxFeePerGas), maxPriorityFeePerGas: BigInt(given.maxPriorityFeePerGas) },
        });
      }),
    );
    return postElsewhere(url, "/v1/deposits", posted, { posted: now.id, transactions: signed });
  }
}

/** Stores the bundle below this folder's missions; a bundle of another city whose mission had the same address is kept next to it. */
async function fetchBundle(url: string, mission: string, signing: Signing, progress: (line: string) => void): Promise<string> {
  const folder = join(home().root, "missions", addressSchema.parse(mission).toLowerCase());
  let count = 0;
  await receiveBundle(folder, async (take) => {
    // For a mission with `visibility: parties` only the sponsor gets the complete bundle.
    const { bearer } = await postElsewhere(url, "/v1/session", z.looseObject({ bearer: z.string() }), {}, signing);
    for (let after: string | null = ""; after !== null; ) {
      const given = { mission, ...(after === "" ? {} : { after }) };
      const page: z.output<typeof bundleOutput> = await askCity(url, "get_bundle", bundleOutput, given, bearer);
      for (const { path, base64 } of page.files) {
        // Names come from the city: none of them may escape the folder.
        if (!BUNDLE_PATH.test(path)) throw new CityDeceives(`a file of the bundle is named ${JSON.stringify(path.slice(0, 80))}`);
        take(path, Buffer.from(base64, "base64"));
        count += 1;
      }
      if (page.next !== null && (page.files.length === 0 || page.next <= after)) throw new CityDeceives("its bundle is too large");
      after = page.next;
    }
  });
  progress(`the bundle is in ${folder}: ${count} files`);
  return folder;
}

/** Folders and files with plain names. */
const BUNDLE_PATH = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,120}\/){0,4}[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;
