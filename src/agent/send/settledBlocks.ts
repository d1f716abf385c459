import { dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import { retry } from '../../async/retry.ts'
import { WattfeedError } from '../../errors.ts'
import { StateFileError } from '../../runtime/database.ts'
import { acquireLock, LockedError } from '../../runtime/lockFile.ts'
import type { Log } from '../../runtime/log.ts'
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { systemReason } from '../../runtime/systemReason.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'

const SettledBlock = Type.Object({
  height: Type.Number(),
  /** The transaction's expiry in epoch milliseconds. The block is not later. */
  before: Type.Number(),
})

/** The block that settled a feed's last transaction. */
export type SettledBlock = Readonly<Static<typeof SettledBlock>>

/** By feed id. Early versions stored only a time, which is not used. */
const Stored = Type.Record(Type.String(), Type.Union([SettledBlock, Type.Number()]))

/** A lagging node: its newest block is before a known one, so its values must not be used. */
export class LaggingValueError extends WattfeedError {
  static override readonly name = 'LaggingValueError'
  readonly code = 'lagging_value'
  readonly retryable = true

  constructor(
    readonly feedId: string,
    /** The height of the block with the feed's last transaction. */
    readonly settledHeight: number,
    /** The height of the node's newest block. */
    readonly height: number,
  ) {
    super(
      `the node lags: its newest block is ${height}, and block ${settledHeight} has the last transaction of ${feedId}; the feed will be polled again`,
    )
  }
}

/** A block at which the chain is read, and the known settled blocks. */
export interface DatedView {
  /** Its time is in epoch milliseconds. */
  readonly block: { readonly height: number; readonly time: number }
  readonly settled: ReadonlyMap<string, SettledBlock>
}

/**
 * Asserts that a block is not before the one that settled a feed's last transaction. A lower block that is later than
 * that transaction's expiry belongs to another chain, such as a restarted development chain.
 *
 * @throws {LaggingValueError}
 */
export function assertNotBefore(feedId: string, { block, settled }: DatedView): void {
  const last = settled.get(feedId)
  if (last === undefined || block.height >= last.height || block.time > last.before) return
  throw new LaggingValueError(feedId, last.height, block.height)
}

/** Stores the block that settled each feed's last transaction on disk, for the next run and other processes. */
export interface SettledBlocks {
  /** Returns the blocks by feed id. @throws {StateFileError} */
  read(): Promise<ReadonlyMap<string, SettledBlock>>
  /** Records the block of a transaction. Never throws: if the disk fails, the block stays in memory. */
  record(feedIds: readonly string[], block: SettledBlock): Promise<void>
}

/** Opens the file of a state folder. */
export function openSettledBlocks(path: string, log: Pick<Log, 'warn'>): SettledBlocks {
  const own = new Map<string, SettledBlock>()
  // This process waits for itself, and needs to retry the lock only because of others.
  const oneAtATime = pLimit(1)
  const lock = join(dirname(path), 'locks', 'newest')

  async function read(): Promise<Map<string, SettledBlock>> {
    const blocks = await readStored(path)
    for (const [feedId, block] of own) if (!isLater(blocks.get(feedId), block)) blocks.set(feedId, block)
    return blocks
  }

  async function write(): Promise<void> {
    // Another process between our read and our write would lose its blocks.
    using _ = await retry(async () => acquireLock(lock), WHILE_LOCKED)
    await writeAtomically(path, `${JSON.stringify(Object.fromEntries(await read()))}\n`)
  }

  return {
    read,
    async record(feedIds, block) {
      for (const feedId of feedIds) own.set(feedId, block)
      await oneAtATime(write).catch((error) =>
        log.warn(
          { path, reason: systemReason(error) },
          'cannot write newest.json; the last blocks are in memory only',
        ),
      )
    },
  }
}

/** Another process holds the lock for a few milliseconds. Some 20 seconds allow for a slow disk. */
const WHILE_LOCKED = {
  attempts: 200,
  minPauseMs: 2,
  maxPauseMs: 100,
  shouldRetry: (error: unknown) => error instanceof LockedError,
}

/** Compares by expiry, because heights decrease when a chain is restarted. */
const isLater = (a: SettledBlock | undefined, b: SettledBlock): boolean =>
  a !== undefined && a.before > b.before

async function readStored(path: string): Promise<Map<string, SettledBlock>> {
  const stored = await readJsonFile(path, {
    schema: Stored,
    kind: "a file of the feeds' last blocks",
    cure: 'remove the file once every node in CASPER_RPC_URL has the newest blocks',
    fail: (rule) => new StateFileError(path, rule),
  })
  return new Map(
    Object.entries(stored ?? {}).flatMap(([feedId, block]) =>
      typeof block === 'number' ? [] : [[feedId, block]],
    ),
  )
}
