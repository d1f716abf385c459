import { readFile, rm } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { nullIfMissing, parseJson, systemReason, writeCure } from '@wattfeed/base'
import { writeAtomically } from '@wattfeed/base/disk'
import type { Checkpoint, CheckpointStore } from 'wattfeed'
import type { Log } from './log.ts'
import { SettingsError } from './settings/settings.ts'

/**
 * Creates a store of a light client's checkpoint in a file. If it cannot be read, verification starts at the trusted
 * block again.
 *
 * @param log where a failed write is logged, because a client continues silently without its checkpoint. @default nowhere
 */
export function createCheckpointFile(path: string, log?: Log): CheckpointStore {
  let isFailing = false
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch(() => '')
      return parse(text)
    },
    async save(checkpoint) {
      try {
        await writeAtomically(path, `${JSON.stringify(checkpoint)}\n`)
        isFailing = false
      } catch (error) {
        // The first failure, not every block's.
        if (!isFailing) log?.warn({ path, reason: reasonOf(error) }, 'cannot save the checkpoint')
        isFailing = true
        throw error
      }
    },
  }
}

const reasonOf = (error: unknown): string => {
  const reason = systemReason(error)
  return `${reason}: ${writeCure(reason)}`
}

const blockHash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Stored = Type.Object({ chainName: Type.String(), trustedBlockHash: blockHash, blockHash })

function parse(text: string): Checkpoint | null {
  const stored = parseJson(text)
  return Value.Check(Stored, stored) ? stored : null
}

/**
 * Asserts that `CHECKPOINT_FILE` can be written, and has no other content than a checkpoint.
 *
 * @param path null if it is not set
 * @throws {SettingsError}
 */
export async function assertCheckpointFile(path: string | null): Promise<void> {
  if (path === null) return
  await checkContent(path)
  await tryWriting(path)
}

/** Asserts that an existing file is a checkpoint: this program will replace it. An empty one is a start that was cut off. */
async function checkContent(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => '')
  if (text !== '' && parse(text) === null)
    throw new SettingsError({
      faults: [
        `CHECKPOINT_FILE is ${JSON.stringify(path)}: it is not a checkpoint; remove the file, then this start verifies from TRUSTED_BLOCK_HASH on, or name another file`,
      ],
    })
}

/**
 * Replaces the file with itself. Checking permissions is not enough: a mounted file has them, but cannot be replaced.
 */
async function tryWriting(path: string): Promise<void> {
  try {
    const before = await readFile(path).catch(nullIfMissing)
    await writeAtomically(path, before ?? '')
    if (before === null) await rm(path)
  } catch (error) {
    const reason = systemReason(error)
    throw new SettingsError({
      faults: [
        `CHECKPOINT_FILE is ${JSON.stringify(path)}: it cannot be written (${reason}): ${writeCure(reason)}, name a file elsewhere, or unset it: then every start verifies from TRUSTED_BLOCK_HASH on`,
      ],
    })
  }
}
