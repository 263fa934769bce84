/** Dropped or picked files, and the bundle among them. */

/** Far above any bundle: a whole disk dropped by mistake is refused without being read. */
const MAX_FILES = 20_000;
const MAX_BYTES = 1_000_000_000;
const MANIFEST = "manifest.json";

/** The input is not a bundle; the message is for the person. */
export class NoBundle extends Error {}

/** Something to read, by its path. */
export interface Found {
  readonly path: string;
  readonly file: Pick<File, "size" | "arrayBuffer">;
}

/** The dropped files, including all subfolders. */
export async function droppedFiles(items: DataTransferItemList): Promise<readonly Found[]> {
  // Take the entries before the first await: the list is emptied then.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: Found[] = [];
  for (const entry of entries) await walk(entry, "", found);
  return found;
}

/** Files of a picked folder. */
export function pickedFiles(files: FileList): readonly Found[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath, file }));
}

/** Bytes of the bundle: all files in the folder of the only manifest. Throws NoBundle. */
export async function readBundle(found: readonly Found[]): Promise<(readonly [string, Uint8Array])[]> {
  if (found.length === 0) throw new NoBundle("There are no files. Drop the folder of a finished mission.");
  const depth = ({ path }: Found) => path.split("/").length;
  const manifests = found.filter(({ path }) => path === MANIFEST || path.endsWith(`/${MANIFEST}`)).sort((a, b) => depth(a) - depth(b));
  const [manifest, other] = manifests;
  if (manifest === undefined) {
    throw new NoBundle(
      `No ${MANIFEST} is in it, so it is not a bundle. The bundle is the folder below missions/ that npm start names after CHECK.`,
    );
  }
  if (other !== undefined && depth(other) === depth(manifest)) {
    throw new NoBundle(`It contains ${manifests.length} bundles. Drop one of them: a folder below missions/.`);
  }
  const folder = manifest.path.slice(0, -MANIFEST.length);
  const inside = found.filter(({ path }) => path.startsWith(folder));
  const size = inside.reduce((sum, { file }) => sum + file.size, 0);
  if (size > MAX_BYTES)
    throw new NoBundle(`It holds ${Math.round(size / 1e6)} MB; the page reads up to ${MAX_BYTES / 1e6} MB. Use npm run audit.`);
  return Promise.all(inside.map(async ({ path, file }) => [path.slice(folder.length), new Uint8Array(await file.arrayBuffer())] as const));
}

async function walk(entry: FileSystemEntry, prefix: string, found: Found[]): Promise<void> {
  const path = `${prefix}${entry.name}`;
  if (found.length >= MAX_FILES) throw new NoBundle(`It holds more than ${MAX_FILES} files. Drop the folder of one mission.`);
  if (isFile(entry)) {
    found.push({ path, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
  } else if (isFolder(entry)) {
    const reader = entry.createReader();
    // A reader hands out a hundred at a time, and an empty list at the end.
    for (;;) {
      const page = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (page.length === 0) break;
      for (const each of page) await walk(each, `${path}/`, found);
    }
  }
}

// Chromium has no classes of these names to ask for.
function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
