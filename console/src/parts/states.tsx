import { Alert, Button, Loader, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link, useRouteError } from "react-router";
import { useBundle } from "../bundle/opened.tsx";
import type { MissionView } from "../bundle/view.ts";

/** A page's view of a mission, or its placeholder while there is none. */
export function WithMission({ children }: { readonly children: (view: MissionView) => ReactNode }) {
  const { state } = useBundle();
  if (state.kind === "opened" && state.view !== undefined) return children(state.view);
  if (state.kind === "opened") {
    if (state.verification.passed && state.verification.withheld !== undefined)
      return (
        <Alert title="A public copy" role="status">
          <Text>
            This mission is for its parties, and {state.verification.withheld.reduce((sum, { files }) => sum + files, 0)} files are withheld
            from this copy. This page needs them. <code>npm run audit</code> verifies its content; the sponsor has the complete bundle.
          </Text>
        </Alert>
      );
    return (
      <Alert color="red" title="The documents cannot be read" role="alert">
        <Text>{state.unreadable}</Text>
        <Text>Only the errors of this bundle can be shown: see Check.</Text>
      </Alert>
    );
  }
  if (state.kind === "reading" || state.kind === "verifying") return <Checking />;
  return (
    <Stack align="flex-start">
      <Title order={1}>No bundle is open</Title>
      <Text>This page shows one mission's bundle, and forgets it when it is reloaded.</Text>
      <Button component={Link} to="/">
        Open a bundle
      </Button>
    </Stack>
  );
}

export function Checking() {
  const { state } = useBundle();
  return (
    <div role="status" className="checking">
      <Loader size="sm" aria-hidden="true" />{" "}
      {state.kind === "verifying"
        ? `Checking ${state.files.toLocaleString("en")} files, ${(state.bytes / 1e6).toFixed(1)} MB, on this machine …`
        : "Reading the folder …"}
    </div>
  );
}

export function NotFound() {
  return (
    <Stack align="flex-start">
      <Title order={1}>There is no such page</Title>
      <Button component={Link} to="/">
        To the beginning
      </Button>
    </Stack>
  );
}

/** A fault of the console itself. */
export function Broken() {
  const error = useRouteError();
  return (
    <main>
      <Title order={1}>This page broke</Title>
      <Text>
        {error instanceof Error ? error.message.slice(0, 300) : "It gave no reason."} Nothing of the bundle was changed; reload the page to
        begin again.
      </Text>
    </main>
  );
}
