import { Button, Group, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SidePanelProps {
  /** Id of the panel's heading. */
  readonly id: string;
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The selected item, next to its list. */
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
