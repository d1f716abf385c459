import { MAX_TIMER_MS } from '../client/argument.ts'
import type { ClientOptions } from '../client/index.ts'
import { type VerifyLevel, verifyLevels } from '../client/verification.ts'
import { type CheckpointFile, createCheckpointFile } from './checkpointFile.ts'
import { blockHash, integer, oneOf, path } from './parsers.ts'
import type { SettingsReader } from './settings.ts'

/** What of a client's options says how much is verified. */
export type VerificationSettings = Pick<ClientOptions, 'verify' | 'trustedBlockHash'> &
  Required<Pick<ClientOptions, 'maxHeadAgeMs'>> & { checkpoint?: CheckpointFile }

/**
 * Reads `VERIFY`, `TRUSTED_BLOCK_HASH`, `MAX_HEAD_AGE_MS` and `CHECKPOINT_FILE`: they mean the same to every program.
 * It is a fault to name what only `VERIFY=full` uses without it: whoever does believes to be safe.
 */
export function readVerificationSettings(reader: SettingsReader): VerificationSettings {
  const verify = reader.optional({ name: 'VERIFY', parse: oneOf(verifyLevels) }, 'off')
  const trusted = { name: 'TRUSTED_BLOCK_HASH', parse: blockHash }
  const why = 'VERIFY=full begins at a block that you trust'
  const trustedBlockHash =
    verify === 'full' ? reader.required(trusted, null, why) : reader.optional(trusted, null)
  const maxHeadAge = { name: 'MAX_HEAD_AGE_MS', parse: integer(1, MAX_TIMER_MS) }
  const maxHeadAgeMs = reader.optional(maxHeadAge, 300_000)
  const checkpoint = reader.optional({ name: 'CHECKPOINT_FILE', parse: path }, null)
  if (verify !== 'full') {
    if (trustedBlockHash !== null) nameWithoutEffect(reader, 'TRUSTED_BLOCK_HASH', verify)
    if (checkpoint !== null) nameWithoutEffect(reader, 'CHECKPOINT_FILE', verify)
  }
  return {
    verify,
    maxHeadAgeMs,
    ...(trustedBlockHash === null ? {} : { trustedBlockHash }),
    ...(checkpoint === null ? {} : { checkpoint: createCheckpointFile(checkpoint) }),
  }
}

const nameWithoutEffect = (reader: SettingsReader, name: string, verify: VerifyLevel): void =>
  reader.conflict(
    ['VERIFY', name],
    `${name} is set, and without effect: VERIFY is ${verify}, which checks nothing back to a trusted block; set VERIFY=full, or unset ${name}`,
  )

/** Those settings, for people who ask for help at a terminal. */
export const verificationHelp = `  VERIFY                             off, proofs or full: how much of what a node says is checked (default off)
  TRUSTED_BLOCK_HASH                 for VERIFY=full: hash of a switch block, from a source that you trust
  MAX_HEAD_AGE_MS                    a verified head that is older is refused (default 300000)
  CHECKPOINT_FILE                    for VERIFY=full: where to keep how far was verified, so that a restart goes on there`
