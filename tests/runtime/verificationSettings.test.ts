import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { formatSettings } from '../../src/runtime/settings/formatSettings.ts'
import { type Environment, parseSettings, SettingsError } from '../../src/runtime/settings/settings.ts'
import { verificationSettings } from '../../src/runtime/settings/verificationSettings.ts'

const HASH = 'ab'.repeat(32)
const schema = Type.Object(verificationSettings)

const defaults = {
  verify: 'off' as const,
  trustedBlockHash: null,
  maxHeadAgeMs: 300_000,
  requireAbsenceProof: false,
  checkpointFile: null,
}

function read(environment: Environment) {
  return parseSettings(schema, environment)
}

/** The message about invalid settings. */
function faultsOf(environment: Environment): readonly string[] {
  try {
    read(environment)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
  throw new Error('nothing is wrong with them')
}

describe('verificationSettings', () => {
  test('default: nothing is verified', () => {
    expect(read({})).toEqual(defaults)
  })

  test('behavior: every setting', () => {
    const settings = { VERIFY: 'full', TRUSTED_BLOCK_HASH: HASH.toUpperCase(), MAX_HEAD_AGE_MS: '60000' }
    expect(read(settings)).toEqual({
      ...defaults,
      verify: 'full',
      trustedBlockHash: HASH,
      maxHeadAgeMs: 60_000,
    })
  })

  test('behavior: a trusted block is needed at `full` alone', () => {
    for (const verify of ['off', 'proofs'] as const)
      expect(read({ VERIFY: verify, MAX_HEAD_AGE_MS: '5' })).toEqual({
        ...defaults,
        verify,
        maxHeadAgeMs: 5,
      })
  })

  test('error: settings of `full`, without it', () => {
    const withoutEffect = (name: string, verify: string): string =>
      `${name} has no effect with VERIFY=${verify}, which verifies nothing back to a trusted block; set VERIFY=full, or unset ${name}`
    const settings = { TRUSTED_BLOCK_HASH: HASH, CHECKPOINT_FILE: 'checkpoint.json' }
    expect(faultsOf(settings)).toEqual([
      withoutEffect('TRUSTED_BLOCK_HASH', 'off'),
      withoutEffect('CHECKPOINT_FILE', 'off'),
    ])
    expect(faultsOf({ VERIFY: 'proofs', TRUSTED_BLOCK_HASH: HASH })).toEqual([
      withoutEffect('TRUSTED_BLOCK_HASH', 'proofs'),
    ])
    expect(faultsOf({ VERIFY: 'ful', ...settings })).toEqual([
      'VERIFY is "ful": it must be one of off, proofs, full; unset it for off',
    ])
  })

  test('behavior: a proof of absence can be required', () => {
    for (const verify of ['proofs', 'full'])
      expect(
        read({
          VERIFY: verify,
          TRUSTED_BLOCK_HASH: verify === 'full' ? HASH : '',
          REQUIRE_ABSENCE_PROOF: 'true',
        }),
      ).toMatchObject({
        requireAbsenceProof: true,
      })
  })

  test('error: a required proof of absence at VERIFY=off', () => {
    const fault =
      'REQUIRE_ABSENCE_PROOF is true, but VERIFY is off, which proves nothing; set VERIFY=proofs or full'
    expect(faultsOf({ REQUIRE_ABSENCE_PROOF: 'true' })).toEqual([fault])
    expect(read({ REQUIRE_ABSENCE_PROOF: 'false' })).toMatchObject({ requireAbsenceProof: false })
  })

  test('error: `full` without a trusted block', () => {
    expect(faultsOf({ VERIFY: 'full' })).toEqual([
      'TRUSTED_BLOCK_HASH is not set: VERIFY=full starts at a block that you trust',
    ])
  })

  test('error: each one that breaks its rule', () => {
    expect(faultsOf({ VERIFY: 'yes', TRUSTED_BLOCK_HASH: 'genesis', MAX_HEAD_AGE_MS: '0' })).toEqual([
      'VERIFY is "yes": it must be one of off, proofs, full; unset it for off',
      `TRUSTED_BLOCK_HASH is "genesis": it must be a switch block's hash: 64 hex digits`,
      'MAX_HEAD_AGE_MS is "0": it must be a whole number from 1 to 2147483647; unset it for 300000',
    ])
    expect(faultsOf({ VERIFY: 'full', TRUSTED_BLOCK_HASH: `${HASH}0` })[0]).toStartWith('TRUSTED_BLOCK_HASH')
  })

  test('behavior: all of them are explained', () => {
    for (const name of ['VERIFY', 'TRUSTED_BLOCK_HASH', 'MAX_HEAD_AGE_MS', 'CHECKPOINT_FILE'])
      expect(formatSettings(schema)).toMatch(new RegExp(`^  ${name} `, 'm'))
  })
})
