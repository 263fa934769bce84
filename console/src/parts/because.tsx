import { Textarea } from "@mantine/core";

/** Why somebody acts: part of what is signed. */
export function Because({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  return (
    <Textarea
      label="Why: it is recorded with your signature, for everybody to read"
      required
      rows={3}
      maxLength={4_000}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
