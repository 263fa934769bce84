import { intentKey } from "../../chain/outbox.ts";
import type { Intent } from "../../chain/sender.ts";
import type { LogNote } from "../../client/base.ts";
import { signMessage } from "../../client/sign/sign-message.ts";
import { writeEach } from "../../client/write.ts";
import type { Signing } from "../../execution/seat.ts";
import type { World } from "../../execution/world.ts";
import { unlessAbsent } from "../../minds/absence.ts";
import type { Address } from "../../primitives/hex.ts";
import { unpackPayment } from "../../rules/payments.ts";

/** How long a withdrawal's signature holds, seconds of chain time. */
const VALIDITY = 86_400n;

/**
 * Withdraws what the vault owes to executors, verifiers and appellants of this mission: each signs for itself, a relayer sends. Absent
 * members withdraw later themselves, as may who did so meanwhile.
 */
export async function payOut(world: World, mission: Address): Promise<void> {
  const claims = await world.client.mission(mission).history("Claimed");
  const bonds = await world.client.mission(mission).history("BondReturned");
  const paid = claims.flatMap(({ args }) => args.payments.map((payment) => unpackPayment(payment).account));
  const owed = new Set<Address>([...paid, ...bonds.map(({ args }) => args.appellant)]);
  const payees = [...world.workers, ...world.verifiers, world.sponsor].filter(({ account }) => owed.has(account.address));
  // Missions side by side pay the same accounts, and each withdrawal uses up a nonce.
  await world.bidding.run(async () => {
    const signed = await Promise.all(payees.map(async (payee) => ({ payee, intent: await withdrawal(world, mission, payee) })));
    const withdrawals = signed.flatMap(({ payee, intent }) => (intent === undefined ? [] : [{ payee, intent }]));
    await writeEach(world.client, withdrawals, ({ payee: { account } }, reason) =>
      world.progress(`a withdrawal of ${account.address} was refused (${reason}): what it has not withdrawn stays in the vault`),
    );
  });
}

/** Undefined if nothing is owed, or the account does not sign. */
async function withdrawal(
  { client }: World,
  mission: Address,
  { account }: Pick<Signing, "account">,
): Promise<Intent<LogNote> | undefined> {
  const by = account.address;
  if ((await client.treasury.creditOf(by)) === 0n) return undefined;
  const nonce = await client.treasury.nonceOf(by);
  const message = { account: by, by, to: by, nonce, deadline: Number(client.chain.clock.now() + VALIDITY) };
  const signature = await unlessAbsent(() => signMessage(client, account, "Withdrawal", message));
  if (signature === undefined) return undefined;
  return client.treasury.call.withdrawFor([message, signature], { intent: intentKey("withdraw", mission, by, nonce) });
}
