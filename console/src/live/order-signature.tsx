import { Alert, Button, Code, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { plainText } from "../../../orchestrator/primitives/plain-text.ts";
import type { Draft } from "../city/answers.ts";
import { send } from "../city/gateway.ts";
import { askAgain, useLive } from "../city/live.tsx";
import { Asked, Problem } from "../parts/asked.tsx";
import { Copy } from "../parts/copy.tsx";
import { Quoted } from "../parts/quoted.tsx";
import { moment, short, span } from "../parts/words.ts";
import type { EvidenceState } from "./case-evidence.tsx";
import { type Asking, overrideCommand } from "./command-line.ts";
import { Consequences, inWords, type Seat, Signers } from "./order-consequences.tsx";
import { useWallet, type Wallet } from "./wallets.tsx";

export function Drafted({ asking, evidence }: { readonly asking: Asking; readonly evidence: EvidenceState }) {
  const draft = useQuery<Draft>({
    queryKey: ["draft", asking],
    queryFn: () => send<Draft>("/v1/orders/draft", asking),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Asked of={draft}>
      {(found) => <Signable draft={found} evidence={evidence} onAgain={() => void draft.refetch()} command={overrideCommand(asking)} />}
    </Asked>
  );
}

interface SignableProps {
  readonly draft: Draft;
  readonly evidence: EvidenceState;
  readonly onAgain?: (() => void) | undefined;
  readonly command?: string | undefined;
}

type Done = {
  readonly status: "executed" | "waiting";
  readonly digest: string;
  readonly transaction: string | null;
  readonly signatures: number;
  readonly needed: number;
};

/** Everything before a signature: what it does, who may, the exact message, what the chain says to it. Then the signature. */
export function Signable({ draft, evidence, onAgain, command }: SignableProps) {
  const wallet = useWallet();
  const { account, strays } = wallet;
  const { link } = useLive();
  const [problem, setProblem] = useState<unknown>();
  const [done, setDone] = useState<Done>();
  const [isBusy, setBusy] = useState(false);
  const { message, seats, signatures } = draft;
  const signed = signatures.map(({ adjudicator }) => adjudicator.toLowerCase());
  const own = seats.find(({ adjudicator }) => adjudicator.toLowerCase() === account?.toLowerCase());
  const needsEvidence = !draft.isStop && evidence !== "none" && evidence !== "whole";
  const hasSigned = account !== undefined && signed.includes(account.toLowerCase());
  const isOpen = draft.refusal === null && !draft.isExecuted && link.kind === "live";
  const canSign = own?.may === true && strays === undefined && !hasSigned && !needsEvidence && isOpen;

  const act = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      if (account === undefined) {
        await wallet.connect();
        return;
      }
      const signature = await wallet.signTypedData(draft.typedData);
      const answer = await send<Done>("/v1/orders", {
        message,
        signatures: [...signatures, { adjudicator: own?.adjudicator ?? account, signature }],
      });
      setDone(answer);
      await askAgain();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };

  if (done !== undefined)
    return (
      <Alert
        color="teal"
        variant="outline"
        role="status"
        title={done.status === "executed" ? "Carried out" : "Signed, and waits for another signature"}
        data-done={done.status}
      >
        {done.status === "executed" ? (
          <Text>
            Transaction <span className="mono">{done.transaction ?? "sent before"}</span>
          </Text>
        ) : (
          <Text>
            {done.signatures} of {done.needed} signatures. Another adjudicator finds it under{" "}
            <Link to={`/panel/orders/${done.digest}`}>this address</Link>, and in <Code>npm run override</Code>.
          </Text>
        )}
        <Link to="/panel">To the panel</Link>
      </Alert>
    );
  return (
    <div data-order={draft.action}>
      <Title order={3}>What it does</Title>
      <Text className="effect">It would {draft.effect}.</Text>
      <Text>
        Because: <Quoted text={draft.because} />
      </Text>
      {draft.refusal !== null && <Refusal refusal={draft.refusal} onAgain={onAgain} />}
      <Signers draft={draft} own={own?.adjudicator} />
      <Consequences draft={draft} own={own} />
      <TypedMessage draft={draft} />
      {needsEvidence && (
        <Alert color="orange" role="alert" title={evidence === "checking" ? "Evidence is being hashed" : "Evidence is missing"}>
          An act that releases, approves or pays is not signed here before every piece was fetched and its hash fits. What was not shown is
          not bad work; it is unknown.
        </Alert>
      )}
      {strays !== undefined && <OtherChain wallet={wallet} shown={strays} onProblem={setProblem} />}
      {problem !== undefined && <Problem error={problem} />}
      <Group my="sm">
        {account === undefined ? (
          <Button loading={isBusy} onClick={() => void act()}>
            Connect a wallet
          </Button>
        ) : (
          <Button loading={isBusy} disabled={!canSign} color={draft.isStop ? "red.9" : "teal.9"} onClick={() => void act()}>
            Sign {draft.action}
          </Button>
        )}
        <Text size="sm" className="muted">
          holds for {span(message.deadline - draft.asOf)} of chain time, until {moment(message.deadline)}
        </Text>
      </Group>
      {account !== undefined && !canSign && !hasSigned && <WhyNot account={account} seat={own} isLive={link.kind === "live"} />}
      {hasSigned && <Text>You have signed this already.</Text>}
      {command !== undefined && <InTerminal command={command} />}
    </div>
  );
}

interface OtherChainProps {
  readonly wallet: Wallet;
  readonly shown: number;
  readonly onProblem: (problem: unknown) => void;
}

/** A wallet signs for no chain but the one that it shows. */
function OtherChain({ wallet: { chain, showChain }, shown, onProblem }: OtherChainProps) {
  const change = () => {
    onProblem(undefined);
    void showChain().catch(onProblem);
  };
  return (
    <Alert color="orange" role="alert" title="The wallet shows another chain" my="sm" data-strays={shown}>
      <Text>
        It shows chain {shown}; this city is on chain {chain.id}, and the order is worth something there alone.
      </Text>
      <Button size="compact-sm" variant="default" onClick={change}>
        Have the wallet show chain {chain.id}
      </Button>
    </Alert>
  );
}

function InTerminal({ command }: { readonly command: string }) {
  return (
    <details>
      <summary>The same in a terminal</summary>
      <pre className="mono" data-command>
        {plainText(command)}
      </pre>
      <Copy text={command} />
      <Text size="sm" className="muted">
        It signs with the key in AGENTCITY_ADJUDICATOR_KEY, with <Code>--wallet</Code>, or on a devnet with <Code>--as adjudicator-1</Code>;{" "}
        <Code>--dry-run</Code> prints the same message as above.
      </Text>
    </details>
  );
}

function Refusal({ refusal, onAgain }: { readonly refusal: string; readonly onAgain: (() => void) | undefined }) {
  return (
    <Alert color="red" role="alert" title="The chain would refuse this from any signer">
      <Text>{inWords(refusal)}</Text>
      <Text size="sm" className="mono">
        {refusal}
      </Text>
      {onAgain !== undefined && (
        <Button size="compact-sm" variant="default" onClick={onAgain}>
          Draft it again on the state as it is now
        </Button>
      )}
    </Alert>
  );
}

function TypedMessage({ draft }: { readonly draft: Draft }) {
  return (
    <details className="typed">
      <summary>The exact message, and its three hashes</summary>
      <Text size="sm">
        A hardware wallet shows these. They are those of <Code>npm run override -- … --dry-run</Code>.
      </Text>
      <table>
        <tbody>
          {Object.entries(draft.hashes).map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="mono" data-hash={name}>
                {value}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <pre className="mono" data-typed>
        {draft.typedData}
      </pre>
    </details>
  );
}

function WhyNot({ account, seat, isLive }: { readonly account: string; readonly seat: Seat | undefined; readonly isLive: boolean }) {
  return (
    <Text role="status" data-why-not>
      {seat === undefined
        ? `${short(account)} has no seat on the panel.`
        : seat.may
          ? isLive
            ? ""
            : "The city does not answer."
          : `You may not sign: ${inWords(seat.because ?? seat.error ?? "")}.`}
    </Text>
  );
}
