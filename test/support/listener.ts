/** What a program under test says, line by line, for whoever waits for some words. */
export function listener() {
  const said: string[] = [];
  const waiting = new Set<() => void>();
  return {
    said,
    progress(line: string): void {
      said.push(line);
      for (const look of waiting) look();
    },
    /** Resolves once a line begins so that is said from now on. */
    heard(words: string): Promise<void> {
      const from = said.length;
      return new Promise((resolve) => {
        const look = () => {
          if (!said.slice(from).some((line) => line.startsWith(words))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      });
    },
  };
}
