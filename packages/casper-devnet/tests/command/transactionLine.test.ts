import { expect, test } from 'bun:test'
import { isRecord } from '@wattfeed/casper/types'
import { formatCall } from '../../src/command/transactionLine.ts'
import { transactions } from '../support/recordings.ts'

const HASH = 'ab'.repeat(32)

const stored = (id: object, entryPoint: string) => ({
  Version1: {
    payload: {
      fields: {
        target: { Stored: { id, runtime: 'VmCasperV1' } },
        entry_point: { Custom: entryPoint },
      },
    },
  },
})

test.each<[object, string]>([
  [stored({ ByHash: HASH }, 'count'), 'count of hash-ababababab…'],
  [stored({ ByName: 'counter' }, 'count'), 'count of counter'],
  [stored({ ByPackageHash: { addr: HASH, version: 1 } }, 'count'), 'count of hash-ababababab…'],
  [stored({ ByPackageName: { name: 'counter' } }, 'count'), 'count of counter'],
  [
    { Deploy: { session: { StoredContractByHash: { hash: HASH, entry_point: 'count', args: [] } } } },
    'count of hash-ababababab…',
  ],
  [
    { Deploy: { session: { StoredVersionedContractByName: { name: 'counter', entry_point: 'count' } } } },
    'count of counter',
  ],
  [{ Deploy: { session: { ModuleBytes: { module_bytes: '00'.repeat(2000), args: [] } } } }, 'wasm of 2 kB'],
  [
    {
      Deploy: {
        session: {
          Transfer: {
            args: [
              ['target', { parsed: `01${HASH}` }],
              ['amount', { parsed: '2500000000' }],
            ],
          },
        },
      },
    },
    'transfer of 2.5 CSPR to 01abababab…',
  ],
])('default: %j', (transaction, text) => expect(formatCall(transaction)).toBe(text))

test('behavior: every recorded transaction has a form', () => {
  const sent = transactions.flatMap(({ params }) => {
    if (!isRecord(params)) return []
    return 'transaction' in params
      ? [params.transaction]
      : 'deploy' in params
        ? [{ Deploy: params.deploy }]
        : []
  })
  expect(sent.length).toBeGreaterThan(10)
  const unclear = sent
    .map(formatCall)
    .filter((text) => !/^(transfer of|wasm of|\w+ of) ?\S/.test(text) || text.includes('undefined'))
  expect(unclear).toEqual([])
})
