import { readFile, rm } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { nullIfMissing, parseJson, systemReason, writeCure } from '@wattfeed/base'
import { writeAtomically } from '@wattfeed/base/disk'
import type { Checkpoint, CheckpointStore } from 'wattfeed'
import type { Log } from './log.ts'
import { SettingsError } from './settings/settings.ts'

export interface CheckpointFile extends CheckpointStore {
  readonly path: string
}

/**
 * Creates a store of a light client's checkpoint in a file. If it cannot be read, verification starts at the trusted
 * block again.
 */
export function createCheckpointFile(path: string): CheckpointFile {
  return {
    path,
    async load() {
      const text = await readFile(path, 'utf8').catch(() => '')
      return parse(text)
    },
    save: (checkpoint) => writeAtomically(path, `${JSON.stringify(checkpoint)}\n`),
  }
}

const blockHash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Stored = Type.Object({ chainName: Type.String(), trustedBlockHash: blockHash, blockHash })

function parse(text: string): Checkpoint | null {
  const stored = parseJson(text)
  return Value.Check(Stored, stored) ? stored : null
}

/**
 * Returns the client's option for `CHECKPOINT_FILE`, after checking that the file can be written. Logs if a later write
 * fails.
 *
 * @throws {SettingsError} if it cannot be written, or is not a checkpoint.
 */
export async function openCheckpoint(
  file: CheckpointFile | undefined,
  log: Log,
): Promise<{ checkpoint?: CheckpointFile }> {
  if (file === undefined) return {}
  await checkContent(file.path)
  await tryWriting(file.path)
  return { checkpoint: logFailures(file, log) }
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

/** A client continues silently without its checkpoint. Log the first failure, not every block's. */
function logFailures(file: CheckpointFile, log: Log): CheckpointFile {
  let isFailing = false
  return {
    ...file,
    async save(checkpoint) {
      try {
        await file.save(checkpoint)
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ path: file.path, reason: reasonOf(error) }, 'cannot save the checkpoint')
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
