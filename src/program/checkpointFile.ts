import { readFile } from 'node:fs/promises'
import type { Checkpoint, CheckpointStore } from '../client/index.ts'
import { writeAtomically } from './writeAtomically.ts'

/**
 * Keeps a light client's checkpoint in a file. What is no checkpoint counts as none: then the way from the trusted
 * block is verified again.
 *
 * @example
 * ```ts
 * createClient({ verify: 'full', trustedBlockHash, checkpoint: createCheckpointFile('checkpoint.json') })
 * ```
 */
export function createCheckpointFile(path: string): CheckpointStore {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch(() => '')
      return parse(text)
    },
    save: (checkpoint) => writeAtomically(path, `${JSON.stringify(checkpoint)}\n`),
  }
}

function parse(text: string): Checkpoint | null {
  try {
    const { chainName, trustedBlockHash, blockHash } = JSON.parse(text)
    const isCheckpoint = [trustedBlockHash, blockHash].every((hash) => /^[0-9a-f]{64}$/.test(hash))
    return isCheckpoint ? { chainName, trustedBlockHash, blockHash } : null
  } catch {
    return null
  }
}
