import { MAX_TIMER_MS } from '../client/argument.ts'
import type { ClientOptions } from '../client/index.ts'
import { type VerifyLevel, verifyLevels } from '../client/verification.ts'
import { type CheckpointFile, createCheckpointFile } from './checkpointFile.ts'
import { blockHash, integer, oneOf, path } from './parsers.ts'
import type { SettingsReader } from './settings.ts'

/** What of a client's options says how much is verified. */
export type VerificationSettings = Pick<ClientOptions, 'verify' | 'trustedBlockHash'> &
  Required<Pick<ClientOptions, 'maxHeadAgeMs'>> & { checkpoint?: CheckpointFile }

/** How much is verified: these mean the same to every program. */
export const verificationSettings = {
  verify: {
    name: 'VERIFY',
    meaning: 'how much of what a node says is checked',
    parse: oneOf(verifyLevels),
    default: 'off',
  },
  trustedBlockHash: {
    name: 'TRUSTED_BLOCK_HASH',
    meaning: 'the block that verification begins at, from a source that you trust; refused without VERIFY=full',
    parse: blockHash,
    default: null,
    needed: { when: 'with VERIFY=full', why: 'VERIFY=full begins at a block that you trust' },
  },
  maxHeadAgeMs: {
    name: 'MAX_HEAD_AGE_MS',
    meaning:
      'a verified head that is older is refused; with VERIFY=off, a node that is further behind the others comes last',
    parse: integer(1, MAX_TIMER_MS),
    default: 300_000,
  },
  checkpoint: {
    name: 'CHECKPOINT_FILE',
    meaning:
      'where to keep how far was verified, so that a restart goes on there; tried at start, refused without VERIFY=full',
    parse: path,
    default: null,
  },
} as const

/**
 * Reads {@link verificationSettings}. It is a fault to name what only `VERIFY=full` uses without it: whoever does
 * believes to be safe.
 */
export function readVerificationSettings(reader: SettingsReader): VerificationSettings {
  const verify = reader.read(verificationSettings.verify)
  const trustedBlockHash = reader.read(verificationSettings.trustedBlockHash, verify === 'full')
  const maxHeadAgeMs = reader.read(verificationSettings.maxHeadAgeMs)
  const checkpoint = reader.read(verificationSettings.checkpoint)
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
