import { Button, Group, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SidePanelProps {
  /** Names the panel's heading. */
  readonly id: string;
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What was chosen, beside what it was chosen from. */
export function SidePanel({ id, title, onClose, children }: SidePanelProps) {
  return (
    <aside className="panel" aria-labelledby={id}>
      <Group justify="space-between">
        <Title order={2} id={id}>
          {title}
        </Title>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
      {children}
    </aside>
  );
}
