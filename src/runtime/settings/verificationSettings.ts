import { Type } from '@sinclair/typebox'
import { MAX_TIMER_MS, verifyLevels } from 'wattfeed/internal'
import { notSet, type SettingValues } from './settings.ts'
import { blockHash, oneOf, path, trueOrFalse } from './textTypes.ts'

export const verificationSettings = {
  VERIFY: oneOf(verifyLevels, {
    conflicts: verificationConflicts,
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
  REQUIRE_ABSENCE_PROOF: trueOrFalse({
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

export type VerificationSettings = Partial<SettingValues<typeof verificationSettings>>

/**
 * Lists conflicts between {@link verificationSettings}. A setting that only `VERIFY=full` uses is rejected at other levels:
 * accepting it would give a false sense of security. A setting whose text is wrong is missing here: it is a fault of its own.
 */
export function verificationConflicts({
  verify,
  trustedBlockHash,
  checkpointFile,
  requireAbsenceProof,
}: VerificationSettings): string[] {
  if (verify === undefined) return []
  if (verify === 'full')
    return trustedBlockHash === null
      ? [notSet('TRUSTED_BLOCK_HASH', verificationSettings.TRUSTED_BLOCK_HASH)]
      : []
  const unproven =
    verify === 'off' && requireAbsenceProof === true
      ? ['REQUIRE_ABSENCE_PROOF is true, but VERIFY is off, which proves nothing; set VERIFY=proofs or full']
      : []
  const withoutEffect = Object.entries({
    TRUSTED_BLOCK_HASH: trustedBlockHash,
    CHECKPOINT_FILE: checkpointFile,
  })
    .filter(([, value]) => value)
    .map(
      ([name]) =>
        `${name} has no effect with VERIFY=${verify}, which verifies nothing back to a trusted block; set VERIFY=full, or unset ${name}`,
    )
  return [...withoutEffect, ...unproven]
}
