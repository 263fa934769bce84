import { Button, Group, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { useNavigate } from "react-router";
import { useBundle } from "../bundle/opened.tsx";
import type { Found } from "../bundle/pick.ts";
import { tarOf } from "../bundle/tar.ts";
import type { BundlePart } from "../city/answers.ts";
import { pathOf, request } from "../city/gateway.ts";
import { Problem } from "../parts/asked.tsx";
import { save } from "../parts/save.ts";
import { useBearer } from "./bearer.tsx";

/** Wallets are loaded when a page first needs a signature. */
const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignInAlone }));

/** Every file of a mission's bundle, as the city serves it to anyone. */
async function fetchBundle(mission: string, bearer: string | undefined): Promise<readonly Found[]> {
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const found: Found[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const part: BundlePart = await request<BundlePart>(pathOf(`/v1/missions/${mission}/bundle`, { after: after ?? undefined }), {
      method: "GET",
      headers,
    });
    for (const { path, base64 } of part.files) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      found.push({ path, file: new Blob([bytes]) });
    }
    after = part.next;
  }
  return found;
}

/** Verifies a finished mission's documents in the browser, with the code of `npm run audit`. */
export function Verify({ mission, visibility }: { readonly mission: string; readonly visibility: "public" | "parties" }) {
  const { open } = useBundle();
  const { bearer } = useBearer();
  const navigate = useNavigate();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    const files = fetchBundle(mission, bearer?.bearer);
    try {
      await files;
      await navigate((await open(files)) ? "/mission" : "/bundle");
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const download = async () => {
    setProblem(undefined);
    try {
      save(`mission-${mission}.tar`, await tarOf(await fetchBundle(mission, bearer?.bearer)), "application/x-tar");
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <>
      <Group my="xs">
        <Button variant="default" size="compact-sm" loading={isBusy} onClick={() => void run()}>
          Fetch its bundle and check it in this browser
        </Button>
        <Button variant="default" size="compact-sm" onClick={() => void download()}>
          Save its bundle
        </Button>
        {visibility === "parties" && bearer === undefined && (
          <Suspense>
            <SignIn isSmall>Sign in as its sponsor for the complete copy; this one is public</SignIn>
          </Suspense>
        )}
        <Text size="sm" className="muted">
          or <code>npm run audit -- {mission}</code>, which also re-executes its blocks
        </Text>
      </Group>
      {problem !== undefined && <Problem error={problem} />}
    </>
  );
}
