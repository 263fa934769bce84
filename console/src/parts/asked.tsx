import { Alert, Loader, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { GatewayRefusal, GatewaySilent } from "../city/gateway.ts";

/** An answer, or its placeholder: loading, refused with a reason, or missing. Earlier data stays while the city is away. */
export function Asked<Answer>({ of, children }: { readonly of: UseQueryResult<Answer>; readonly children: (answer: Answer) => ReactNode }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error !== null) return <Problem error={of.error} />;
  return (
    <div role="status" className="checking">
      <Loader size="sm" aria-hidden="true" /> Loading …
    </div>
  );
}

/** Why something failed, and the remedy. */
export function Problem({ error }: { readonly error: unknown }) {
  const failure = error instanceof Error ? error : new Error("It gave no reason");
  const code =
    failure instanceof GatewayRefusal || failure instanceof GatewaySilent || "code" in failure
      ? String((failure as { code?: unknown }).code ?? "")
      : "";
  const action = "action" in failure && typeof failure.action === "string" ? failure.action : undefined;
  return (
    <Alert color="red" role="alert" title={code === "" ? "This did not work" : code} my="sm">
      <Text>{failure.message.slice(0, 500)}</Text>
      {action !== undefined && <Text>What to do: {action}.</Text>}
    </Alert>
  );
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="muted empty">{children}</p>;
}
