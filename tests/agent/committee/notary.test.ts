import { beforeAll, describe, expect, test } from 'bun:test'
import { pemOf, testSigner } from '@wattfeed/casper/testing/keys'
import {
  type createTransaction,
  loadSdk,
  loadSigner,
  type Sdk,
  type Signer,
} from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { parseTransaction } from '../../../packages/casper-devnet/src/transaction/parseTransaction.ts'
import { attestArguments } from '../../../packages/wattfeed/src/registry/calls.ts'
import type { AccountKeys } from '../../../src/agent/committee/accountKeys.ts'
import type { Notary } from '../../../src/agent/committee/memberState.ts'
import { createNotary } from '../../../src/agent/committee/notary.ts'
import {
  formatTransaction,
  type Proposal,
  type TransactionJson,
} from '../../../src/agent/committee/proposal.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const value = (feed_id: string) => ({
  feed_id,
  period: 20261119,
  amount: 41_234n,
  source_hash: 'ab'.repeat(16),
})
const terms = {
  chainName: 'casper-net-1',
  packageHash: 'cd'.repeat(32),
  offersMany: true,
  paymentMotes: null as bigint | null,
}

let sdk: Sdk
/** The account's own key. */
let first: Signer
/** A key that is associated with the account. */
let second: Signer
let [one, two]: Notary[] = []
let keys: AccountKeys

const notaryOf = (signer: Signer, changes: Partial<typeof terms> = {}) =>
  createNotary({ ...terms, ...changes, sdk, signer })

beforeAll(async () => {
  sdk = await loadSdk()
  first = await testSigner()
  using folder = createFolder()
  const path = folder.write('key.pem', pemOf('secp256k1'))
  second = (await loadSigner(path, first.accountHash)).signer
  one = notaryOf(first)
  two = notaryOf(second)
  keys = { weights: new Map([first, second].map(({ keyHash }) => [keyHash, 1])), threshold: 2 }
})

const own = (notary: Notary | undefined): Notary => {
  if (notary === undefined) throw new Error('not created yet')
  return notary
}

async function transactionOf(
  by: readonly (Notary | undefined)[],
  proposal: Proposal,
): Promise<TransactionJson> {
  const approvals = await Promise.all(
    by.map(async (each) => [own(each).keyHash, await own(each).sign(proposal)] as const),
  )
  // Through text, as other members receive it.
  return JSON.parse(JSON.stringify(formatTransaction({ proposal, approvals: new Map(approvals) })))
}

describe('createNotary', () => {
  test.each([1, 3])(
    'default: %i values are proposed by one key, approved by another, and read by both',
    async (count) => {
      const values = Array.from({ length: count }, (_, index) => value(`EIA.${index}`))
      for (const [proposer, approver] of [
        [one, two],
        [two, one],
      ]) {
        const proposal = await own(proposer).create(values, NOW)
        const read = await own(approver).read(await transactionOf([proposer], proposal), keys)
        if ('refusal' in read) throw new Error(JSON.stringify(read.refusal))
        expect(read.proposal).toEqual(proposal)
        expect([...read.approvals.keys()]).toEqual([own(proposer).keyHash])
        const both = await transactionOf([proposer, approver], read.proposal)
        const { hasValidHash, approvals } = parseTransaction(both)
        expect([hasValidHash, approvals.length]).toEqual([true, 2])
      }
    },
  )

  test('behavior: only valid approvals of associated keys count, each once', async () => {
    const proposal = await own(one).create([value('EIA.A')], NOW)
    const { Version1 } = await transactionOf([one, two], proposal)
    const [a, b] = Version1.approvals
    const forged = { signer: b?.signer, signature: `02${'11'.repeat(64)}` }
    const signersOf = async (approvals: unknown, weights = keys.weights) => {
      const read = await own(one).read({ Version1: { ...Version1, approvals } }, { ...keys, weights })
      return 'refusal' in read ? read.refusal.code : [...read.approvals.keys()]
    }
    expect(await signersOf([a, a, b])).toEqual([first.keyHash, second.keyHash])
    expect(await signersOf([a, forged])).toEqual([first.keyHash])
    expect(await signersOf([forged])).toBe('invalid_terms')
    // Of one key, only the first is checked.
    expect(await signersOf([a, forged, b])).toEqual([first.keyHash])
    expect(await signersOf([a, b], new Map([[second.keyHash, 1]]))).toEqual([second.keyHash])
  })

  test('behavior: the payload that is passed on is the built one, whatever the received one adds', async () => {
    const proposal = await own(one).create([value('EIA.A')], NOW)
    const { Version1 } = await transactionOf([one], proposal)
    const added = { Version1: { ...Version1, payload: { ...Object(Version1.payload), chain_name: 'other' } } }
    const read = await own(two).read(added, keys)
    expect('proposal' in read && read.proposal.payload).toEqual(proposal.payload)
  })

  const others: readonly (readonly [string, Partial<Parameters<typeof createTransaction>[1]>, string])[] = [
    ['chain', { chainName: 'casper' }, 'chain_name is "casper", but here "casper-net-1"'],
    ['package', { target: { packageHash: 'ee'.repeat(32), entryPoint: 'attest' } }, `is "${'ee'.repeat(32)}`],
    ['entry point', { target: { packageHash: 'cd'.repeat(32), entryPoint: 'attest_many' } }, 'attest_many'],
    ['lifetime', { transactionTtlMs: 60_000 }, 'ttl is "1m", but here "2m"'],
    ['gas price', { gasPriceTolerance: 2 }, 'gas_price_tolerance is 2, but here 1'],
    ['payment', { paymentMotes: 2_500_000_001n }, 'PAYMENT_MOTES'],
    ['too small payment', { paymentMotes: 1_000n }, 'the payment is 1000'],
    ['payment that no lane takes', { paymentMotes: 2_499_999_999n }, 'no lane takes'],
    [
      'arguments',
      {
        args: {
          ...attestArguments(value('EIA.A')),
          feed: null,
          asset: attestArguments(value('B')).asset_id ?? null,
        },
      },
      'attest',
    ],
  ]

  test.each(others)('error: another %s is refused as invalid_terms', async (_, changes, named) => {
    const request = {
      initiator: first.initiator,
      chainName: terms.chainName,
      target: { packageHash: terms.packageHash, entryPoint: 'attest' },
      args: attestArguments(value('EIA.A')),
      paymentMotes: 2_500_000_000n,
      timestamp: NOW,
      transactionTtlMs: 120_000,
      ...changes,
    }
    const json = JSON.parse(JSON.stringify(first.sign(request).toJSON()))
    const read = await own(two).read({ Version1: json }, keys)
    expect('refusal' in read && read.refusal).toMatchObject({
      code: 'invalid_terms',
      detail: expect.stringContaining(named),
    })
  })

  test.each([
    ['a payment below the least', { paymentMotes: 2_499_999_999n }, {}],
    ['too many bytes of arguments', { paymentMotes: 100_000_000_000n }, { source_hash: 'x'.repeat(2_100) }],
  ])('error: %s, which no lane takes, is not proposed', async (_, changes, argument) => {
    const created = notaryOf(first, changes).create([{ ...value('EIA.A'), ...argument }], NOW)
    expect(await errorOf(created)).toMatchObject({ code: 'no_lane' })
  })

  test.each(['1969-12-31T23:59:59.999Z', '2026-13-01T00:00:00.000Z'])(
    'error: the timestamp %s is refused',
    async (timestamp) => {
      const { Version1 } = await transactionOf([one], await own(one).create([value('EIA.A')], NOW))
      const changed = { Version1: { ...Version1, payload: { ...Object(Version1.payload), timestamp } } }
      const read = await own(two).read(changed, keys)
      expect('refusal' in read && read.refusal).toEqual({
        code: 'invalid_terms',
        detail: `its timestamp ${timestamp} does not exist`,
      })
    },
  )

  test('error: another account is refused', async () => {
    const stranger = await testSigner('secp256k1')
    const proposal = await notaryOf(stranger).create([value('EIA.A')], NOW)
    const read = await own(one).read(await transactionOf([notaryOf(stranger)], proposal), keys)
    expect('refusal' in read && read.refusal).toMatchObject({
      code: 'invalid_terms',
      detail: expect.stringContaining('its account is'),
    })
  })

  test.each([[null], [{}], [{ Version1: {} }], [{ Deploy: {} }]])(
    'error: %j is refused',
    async (transaction) => {
      const read = await own(one).read(transaction, keys)
      expect('refusal' in read && read.refusal.code).toBe('invalid_terms')
    },
  )
})
