import { MAX_TIMER_MS } from '../client/argument.ts'
import type { ClientOptions } from '../client/index.ts'
import { verifyLevels } from '../client/verification.ts'
import { createCheckpointFile } from './checkpointFile.ts'
import { blockHash, integer, oneOf, path } from './parsers.ts'
import type { SettingsReader } from './settings.ts'

/** What of a client's options says how much is verified. */
export type VerificationSettings = Pick<ClientOptions, 'verify' | 'trustedBlockHash' | 'checkpoint'> &
  Required<Pick<ClientOptions, 'maxHeadAgeMs'>>

/** Reads `VERIFY`, `TRUSTED_BLOCK_HASH`, `MAX_HEAD_AGE_MS` and `CHECKPOINT_FILE`: they mean the same to every program. */
export function readVerificationSettings(reader: SettingsReader): VerificationSettings {
  const verify = reader.optional({ name: 'VERIFY', parse: oneOf(verifyLevels) }, 'off')
  const trusted = { name: 'TRUSTED_BLOCK_HASH', parse: blockHash }
  const why = 'VERIFY=full begins at a block that you trust'
  const trustedBlockHash =
    verify === 'full' ? reader.required(trusted, null, why) : reader.optional(trusted, null)
  const maxHeadAge = { name: 'MAX_HEAD_AGE_MS', parse: integer(1, MAX_TIMER_MS) }
  const maxHeadAgeMs = reader.optional(maxHeadAge, 300_000)
  const checkpoint = reader.optional({ name: 'CHECKPOINT_FILE', parse: path }, null)
  return {
    verify,
    maxHeadAgeMs,
    ...(trustedBlockHash === null ? {} : { trustedBlockHash }),
    ...(checkpoint === null ? {} : { checkpoint: createCheckpointFile(checkpoint) }),
  }
}

/** Those settings, for people who ask for help at a terminal. */
export const verificationHelp = `  VERIFY                             off, proofs or full: how much of what a node says is checked (default off)
  TRUSTED_BLOCK_HASH                 for VERIFY=full: hash of a switch block, from a source that you trust
  MAX_HEAD_AGE_MS                    a verified head that is older is refused (default 300000)
  CHECKPOINT_FILE                    where to keep how far was verified, so that a restart goes on from there`
