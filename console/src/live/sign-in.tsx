import { Button } from "@mantine/core";
import { useState } from "react";
import { Problem } from "../parts/asked.tsx";
import { useWallet, WithWallets } from "./wallets.tsx";

interface SignInProps {
  readonly children: string;
  readonly isSmall?: boolean;
}

/** Opens a session by a wallet's signature, for reading what adjudicators may read. */
export function SignIn({ children, isSmall = false }: SignInProps) {
  const { signIn } = useWallet();
  const [problem, setProblem] = useState<unknown>();
  const look = isSmall ? ({ size: "compact-sm", variant: "default", my: "xs" } as const) : ({ my: "sm" } as const);
  return (
    <>
      {problem !== undefined && <Problem error={problem} />}
      <Button {...look} onClick={() => void signIn().catch(setProblem)}>
        {children}
      </Button>
    </>
  );
}

/** The same, on a page without other signatures. */
export function SignInAlone(props: SignInProps) {
  return (
    <WithWallets>
      <SignIn {...props} />
    </WithWallets>
  );
}
