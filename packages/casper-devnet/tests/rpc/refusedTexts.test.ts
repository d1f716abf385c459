import { describe, expect, test } from 'bun:test'
import { keys } from '@wattfeed/casper/testing/sdkTransactions'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'

const ask = createAnswerRpc(createTestChain())
const nowhere = '0'.repeat(64)
const publicKey = keys.ed25519.publicKey.toHex()
const accountHash = keys.ed25519.publicKey.accountHash().toPrefixedString()

const invalidParams = (rule: string) => ({
  error: { code: -32602, message: 'Invalid params', data: `Failed to parse 'params' field: ${rule}` },
})
const length = 'could not convert slice to array'

describe('a text that a node does not parse', () => {
  // The messages are those of casper-types 6.0.1, key.rs.
  test.each([
    ['hash-ab', `hash-key from string error: ${length}`],
    ['unbond-ab', `unbond-key from string error: ${length}`],
    ['account-hash-ab', `account-key from string error: hash from string error: ${length}`],
    ['account-hash-xy', "account-key from string error: decode from hex: Invalid byte `b'x'`, at index 0."],
    [
      'block-time-ab',
      'block-message-count-key form string error: Failed to deserialize global block time key',
    ],
    [
      'block-message-count-x',
      'block-message-count-key form string error: Base16 data cannot have length 1 (must be even)',
    ],
    ['era-summary-00', 'era-summary-key from string error: Failed to deserialize era summary key'],
    [
      'system-entity-registry-00',
      'system-contract-registry-key from string error: Failed to deserialize system registry key',
    ],
    [
      'checksum-registry-00',
      'checksum-registry-key from string error: Failed to deserialize checksum registry key',
    ],
    ['other-00', 'unknown prefix for key'],
  ])('error: the key %s', (key, rule) => {
    expect(ask('query_global_state', { key, path: [] })).toEqual(invalidParams(rule))
  })

  test.each([
    ['main_purse_under_account_hash', `account-hash${nowhere}`, 'invalid prefix'],
    ['main_purse_under_account_hash', publicKey, 'invalid prefix'],
    ['main_purse_under_account_hash', 'account-hash-ab', `hash from string error: ${length}`],
    [
      'main_purse_under_public_key',
      accountHash,
      'decoding from hex: Base16 data cannot have length 77 (must be even)',
    ],
  ])('error: %s of %s', (name, text, rule) => {
    const asked = ask('query_balance', { purse_identifier: { [name]: text } })
    expect(asked).toEqual(invalidParams(rule))
  })

  test.each([
    ['AccountHash', publicKey],
    ['PublicKey', accountHash],
  ])('error: an entity by %s %s', (name, text) => {
    const asked = ask('state_get_entity', { entity_identifier: { [name]: text } })
    expect(asked).toMatchObject({ error: { code: -32602 } })
  })
})

test('error: a transaction for the second VM, which is disabled', () => {
  const text = JSON.stringify(sessionOf(1).json)
  const runtime = '{"VmCasperV2":{"transferred_value":0,"seed":null}}'
  const transaction = JSON.parse(text.replace('"VmCasperV1"', runtime))
  expect(JSON.stringify(transaction)).toContain('VmCasperV2')
  expect(ask('account_put_transaction', { transaction })).toEqual({
    error: {
      code: -32016,
      message: 'Invalid transaction',
      data: 'the transaction was invalid: invalid transaction runtime',
    },
  })
})
