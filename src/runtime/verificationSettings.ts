import { MAX_TIMER_MS } from '../client/argument.ts'
import type { ClientOptions } from '../client/index.ts'
import { type VerifyLevel, verifyLevels } from '../client/verification.ts'
import { type CheckpointFile, createCheckpointFile } from './checkpointFile.ts'
import { blockHash, integer, oneOf, path } from './parsers.ts'
import type { SettingsReader } from './settings.ts'

/** The client's options for verification. */
export type VerificationSettings = Pick<ClientOptions, 'trustedBlockHash'> &
  Required<Pick<ClientOptions, 'verify' | 'maxHeadAgeMs'>> & { checkpoint?: CheckpointFile }

/** How much is verified: the same settings in every program. */
export const verificationSettings = {
  verify: {
    name: 'VERIFY',
    meaning: 'how much of what a node says is checked',
    parse: oneOf(verifyLevels),
    default: 'off',
  },
  trustedBlockHash: {
    name: 'TRUSTED_BLOCK_HASH',
    meaning: 'hash of a switch block that you trust, where verification begins; refused at other levels',
    parse: blockHash,
    default: null,
    needed: { when: 'for VERIFY=full', why: 'VERIFY=full begins at a block that you trust' },
  },
  maxHeadAgeMs: {
    name: 'MAX_HEAD_AGE_MS',
    meaning:
      'a verified head that is older is refused; at VERIFY=off, a node this far behind the others comes last',
    parse: integer(1, MAX_TIMER_MS),
    default: 300_000,
  },
  checkpoint: {
    name: 'CHECKPOINT_FILE',
    meaning: 'for VERIFY=full: where to keep how far was verified; tried at start, refused at other levels',
    parse: path,
    default: null,
  },
} as const

/**
 * Reads {@link verificationSettings}. A setting that only `VERIFY=full` uses is a fault without it: it would give a false
 * sense of security.
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
