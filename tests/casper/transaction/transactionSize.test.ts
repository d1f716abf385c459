import { describe, expect, test } from 'bun:test'
import { createTransaction, type Target } from '../../../src/casper/transaction/createTransaction.ts'
import { loadSdk } from '../../../src/casper/transaction/signer.ts'
import { countTransactionBytes } from '../../../src/casper/transaction/transactionSize.ts'
import { type Arguments, clListOfAny, clString, clU256 } from '../../../src/casper/types/arguments.ts'
import { installArguments } from '../../../src/registry/installation.ts'
import { type KeyFormat, testSigner } from '../../agent/support/keys.ts'

const account = `account-hash-${'22'.repeat(32)}`
const packageHash = '11'.repeat(32)
const sent: [string, Target, Arguments][] = [
  ['a call without arguments', { packageHash, entryPoint: 'init' }, {}],
  [
    'a call with arguments, one of them left out',
    { packageHash, entryPoint: 'attest_many' },
    {
      text: clString('°F 💡'),
      number: clU256(2n ** 200n),
      none: null,
      list: clListOfAny([new Uint8Array(70)]),
    },
  ],
  ['an installation', { wasm: new Uint8Array(70_000) }, installArguments('FeedRegistry', account)],
  ['an installation without wasm', { wasm: new Uint8Array() }, {}],
]

describe.each(['ed25519', 'secp256k1'] as const)(
  'countTransactionBytes, signed with %s',
  (key: KeyFormat) => {
    test.each(sent)('default: %s has as many bytes as the SDK writes', async (_, target, args) => {
      const signer = await testSigner(key)
      for (const initiator of [signer.publicKey, account]) {
        const terms = { chainName: 'casper-net-1', paymentMotes: 2_500_000_000n, timestamp: 0 }
        const request = { ...terms, initiator, target, args, transactionTtlMs: 1, gasPriceTolerance: 200 }
        for (const transaction of [createTransaction(await loadSdk(), request), signer.sign(request)])
          expect(countTransactionBytes(request, transaction)).toBe(
            transaction.getTransactionV1()?.toBytes().length ?? 0,
          )
      }
    })
  },
)
