import { Alert, Button, List, Text, Title } from "@mantine/core";
import { type DragEvent, useCallback, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useBundle } from "../bundle/opened.tsx";
import { droppedFiles, pickedFiles } from "../bundle/pick.ts";
import { Checking } from "../parts/states.tsx";

/** The first page: choose a folder. */
export function OpenPage() {
  const { state, open } = useBundle();
  const navigate = useNavigate();
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement | null>(null);
  // React does not know the attribute by its type.
  const asFolder = useCallback((input: HTMLInputElement | null) => {
    picker.current = input;
    input?.setAttribute("webkitdirectory", "");
  }, []);
  const give = async (found: Parameters<typeof open>[0]) => {
    if (await open(found)) await navigate("/mission");
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void give(droppedFiles(event.dataTransfer.items));
  };
  const isBusy = state.kind === "reading" || state.kind === "verifying";
  return (
    <>
      <Title order={1}>See and check what a mission did</Title>
      <Text>
        Open the bundle of a finished mission. It is read on this machine and not sent anywhere; no city, chain or network is needed.
      </Text>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a pointer; the button below does the same by keyboard */}
      <div
        className="drop"
        data-over={isOver}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {isBusy ? (
          <Checking />
        ) : (
          <>
            <Text size="lg">Drop the mission's folder here</Text>
            <Text className="muted">or</Text>
            <Button onClick={() => picker.current?.click()}>Choose a folder</Button>
          </>
        )}
        <input
          ref={asFolder}
          type="file"
          multiple
          hidden
          aria-label="Folder of a mission"
          onChange={({ currentTarget }) => {
            const { files } = currentTarget;
            if (files !== null && files.length > 0) void give(Promise.resolve(pickedFiles(files)));
          }}
        />
      </div>
      {state.kind === "refused" && (
        <Alert color="red" title="This cannot be opened" role="alert">
          {state.problem}
        </Alert>
      )}
      <Title order={2} size="h3">
        Where is it?
      </Title>
      <List>
        <List.Item>
          <code>npm start</code> prints its path at the end: <code>.agentcity/missions/0x…</code>, the folder with{" "}
          <code>manifest.json</code>.
        </List.Item>
        <List.Item>Bundles of others work as well: the check is for them.</List.Item>
      </List>
    </>
  );
}
