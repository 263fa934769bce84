import { Textarea } from "@mantine/core";

/** The reason of an act: part of the signed message. */
export function Because({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  return (
    <Textarea
      label="Why: it is recorded publicly with your signature"
      required
      rows={3}
      maxLength={4_000}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
