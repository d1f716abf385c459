import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { WattfeedError } from '../../errors.ts'
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { sha256Hex } from '../../runtime/sha256.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'

const FeedEnd = Type.Object({
  /** Height of the block that ended the approval. */
  height: Type.Integer(),
  /** Time of a block at or after it, in epoch milliseconds. */
  before: Type.Integer(),
  /** The slot of the transaction's timestamp. */
  slot: Type.Integer(),
})

/** How a feed's last approval ended. */
export type FeedEnd = Readonly<Static<typeof FeedEnd>>

/**
 * Whether a block is before the one that ended a feed's last approval. Its state may lack the transaction, so a plan at its
 * root could attest the value again. A lower block that is later belongs to another chain, such as a restarted development
 * chain.
 */
export const isBeforeEnd = (
  block: { height: number; time: number },
  end: Pick<FeedEnd, 'height' | 'before'> | null,
): boolean => end !== null && block.height < end.height && block.time <= end.before

/** Stores how the last approval of each feed ended. */
export interface FeedEnds {
  /** Returns null if none has ended. @throws {FeedEndFileError} */
  read(feedId: string): Promise<FeedEnd | null>
  /** Returns when it is on disk and survives a crash of the machine. */
  write(feedId: string, end: FeedEnd): Promise<void>
}

/** A file of {@link FeedEnds} that cannot be read. Nothing was approved. */
export class FeedEndFileError extends WattfeedError {
  static override readonly name = 'FeedEndFileError'
  readonly code = 'feed_end_file'
  readonly retryable = false

  constructor(
    readonly path: string,
    /** The fault, and how to fix it. */
    readonly rule: string,
  ) {
    super(`${path} ${rule}`)
  }
}

/** Opens the folder of the ends: one file for each feed. */
export function openFeedEnds(folder: string): FeedEnds {
  // An id may be longer than a file name and contain any character.
  const pathOf = (feedId: string): string => join(folder, `${sha256Hex(feedId)}.json`)
  return {
    read(feedId) {
      const path = pathOf(feedId)
      return readJsonFile(path, {
        schema: FeedEnd,
        kind: 'the end of an approval',
        cure: 'stop the agent, remove the file and start the agent again',
        fail: (rule) => new FeedEndFileError(path, rule),
      })
    },
    write: (feedId, end) => writeAtomically(pathOf(feedId), `${JSON.stringify(end)}\n`),
  }
}
