import type { Found } from "./pick.ts";

const BLOCK = 512;
const OCTAL = 8;

/** A ustar header (POSIX.1-1988): a plain file, writable by its owner and readable by all, without a time. */
function headerOf(path: string, size: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const name = new TextEncoder().encode(path);
  if (name.length > 100) throw new RangeError(`${path} is too long for an archive`);
  const put = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
  const octal = (value: number, digits: number) => value.toString(OCTAL).padStart(digits, "0");
  header.set(name, 0);
  put(100, `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0`);
  // The sum counts its own field as spaces.
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\x0000");
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 6)}\0 `);
  return header;
}

/** Files as one archive, which any `tar -xf` opens. */
export async function tarOf(files: readonly Found[]): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const { path, file } of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    parts.push(headerOf(path, bytes.length), bytes, new Uint8Array((BLOCK - (bytes.length % BLOCK)) % BLOCK));
  }
  return new Uint8Array(await new Blob([...parts, new Uint8Array(2 * BLOCK)]).arrayBuffer());
}
