import { Type } from '@sinclair/typebox'
import type { ClientOptions } from 'wattfeed'
import { MAX_TIMER_MS, verifyLevels } from 'wattfeed/internal'
import { type CheckpointFile, createCheckpointFile } from '../checkpointFile.ts'
import { notSet, type SettingValues } from './settings.ts'
import { blockHash, oneOf, path } from './textTypes.ts'

export type VerificationSettings = Pick<ClientOptions, 'trustedBlockHash'> &
  Required<Pick<ClientOptions, 'verify' | 'maxHeadAgeMs' | 'requireAbsenceProof'>> & {
    checkpoint?: CheckpointFile
  }

export const verificationSettings = {
  VERIFY: oneOf(verifyLevels, {
    description: 'how much of the data from nodes is verified',
    default: 'off',
  }),
  TRUSTED_BLOCK_HASH: Type.Optional(
    blockHash({
      description:
        'hash of a switch block that you trust, where verification starts; rejected at other levels',
      needed: { when: 'for VERIFY=full', why: 'VERIFY=full starts at a block that you trust' },
    }),
  ),
  MAX_HEAD_AGE_MS: Type.Integer({
    minimum: 1,
    maximum: MAX_TIMER_MS,
    default: 300_000,
    description:
      'a verified head older than this is rejected; at VERIFY=off, a node this far behind the others is called last',
  }),
  REQUIRE_ABSENCE_PROOF: oneOf(['true', 'false'], {
    description:
      'whether a value that is reported as absent is an error unless that is proven; true is refused at VERIFY=off',
    default: 'false',
  }),
  CHECKPOINT_FILE: Type.Optional(
    path({
      description:
        'for VERIFY=full: file that stores the last verified block; checked at start, rejected at other levels',
    }),
  ),
}

type Values = SettingValues<typeof verificationSettings>

/**
 * Lists conflicts between {@link verificationSettings}. A setting that only `VERIFY=full` uses is rejected at other levels:
 * accepting it would give a false sense of security. A setting whose text is wrong is missing here: it is a fault of its own.
 */
export function verificationConflicts({
  VERIFY: verify,
  TRUSTED_BLOCK_HASH = '',
  CHECKPOINT_FILE = '',
  REQUIRE_ABSENCE_PROOF,
}: Partial<Values>): string[] {
  if (verify === undefined) return []
  if (verify === 'full')
    return TRUSTED_BLOCK_HASH === null
      ? [notSet('TRUSTED_BLOCK_HASH', verificationSettings.TRUSTED_BLOCK_HASH)]
      : []
  const unproven =
    verify === 'off' && REQUIRE_ABSENCE_PROOF === 'true'
      ? ['REQUIRE_ABSENCE_PROOF is true, but VERIFY is off, which proves nothing; set VERIFY=proofs or full']
      : []
  const withoutEffect = Object.entries({ TRUSTED_BLOCK_HASH, CHECKPOINT_FILE })
    .filter(([, value]) => value)
    .map(
      ([name]) =>
        `${name} has no effect with VERIFY=${verify}, which verifies nothing back to a trusted block; set VERIFY=full, or unset ${name}`,
    )
  return [...withoutEffect, ...unproven]
}

export const verificationOptions = ({
  VERIFY: verify,
  TRUSTED_BLOCK_HASH: trustedBlockHash,
  MAX_HEAD_AGE_MS: maxHeadAgeMs,
  REQUIRE_ABSENCE_PROOF: requireAbsenceProof,
  CHECKPOINT_FILE: checkpoint,
}: Values): VerificationSettings => ({
  verify,
  maxHeadAgeMs,
  requireAbsenceProof: requireAbsenceProof === 'true',
  ...(trustedBlockHash === null ? {} : { trustedBlockHash }),
  ...(checkpoint === null ? {} : { checkpoint: createCheckpointFile(checkpoint) }),
})
