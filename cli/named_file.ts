/** Reading a file that somebody named on the command line. */

import { invalidArg } from "./errors.ts";
import type { CommandContext } from "./types.ts";
import { unreadableReason } from "./unreadable_file.ts";

/** Which file, and the largest that is read. */
export interface NamedFile {
  path: string;
  limit: number;
}

/** @throws CliArgError when the file is larger than the limit or cannot be read */
export async function namedFileBytes(
  { host }: CommandContext,
  { path, limit }: NamedFile,
): Promise<Uint8Array> {
  try {
    return await host.factories.readFile(path, limit);
  } catch (error) {
    throw invalidArg(path, unreadableReason(error, limit));
  }
}

/** The file as text, whatever cannot be decoded replaced. @throws as {@link namedFileBytes} */
export async function namedFileText(context: CommandContext, file: NamedFile): Promise<string> {
  return new TextDecoder().decode(await namedFileBytes(context, file));
}
