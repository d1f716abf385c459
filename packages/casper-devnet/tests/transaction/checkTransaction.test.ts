import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import {
  CHAIN_NAME,
  callByHash,
  json,
  keys,
  moduleSession,
  NOW,
  signedCall,
  signedDeploy,
  signedSession,
} from '@wattfeed/casper/testing/sdkTransactions'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { accountHashOfHex } from '@wattfeed/casper/types'
import { Deploy, ExecutableDeployItem, TransferDeployItem } from 'casper-js-sdk'
import { chainspecs } from '../../src/chainspec.ts'
import type { Protocol } from '../../src/protocol.ts'
import { checkAccount, checkTransaction } from '../../src/transaction/checkTransaction.ts'
import { parseTransaction } from '../../src/transaction/parseTransaction.ts'
import { type Refusal, refusalError } from '../../src/transaction/refusal.ts'
import type { Transaction } from '../../src/transaction/transaction.ts'
import { transactionRules } from '../../src/transaction/transactionRules.ts'
import { chainspec } from '../support/chainspec.ts'
import { exchangeOf, transactions } from '../support/recordings.ts'

const rules = transactionRules(chainspec)
const check = { chainName: CHAIN_NAME, nowMs: NOW + 1_000, rules }
const checkAt = (protocol: Protocol) => ({ ...check, rules: transactionRules(chainspecs[protocol]) })

const call = (): Transaction => parseTransaction({ Version1: json(signedCall('package hash').toJSON()) })

/** Returns a transaction with changed JSON; these tests do not check hash and signature. */
function changed(change: (payload: Record<string, unknown>) => void): Transaction {
  const copy = JSON.parse(JSON.stringify(call().json))
  change(copy.Version1.payload)
  return parseTransaction(copy)
}

const pricing = (fields: object): Transaction =>
  changed((payload) => Object.assign(Object(memberAt(payload.pricing_mode, 'PaymentLimited')), fields))

/** Returns one argument of this total length in bytes. */
const argumentsOf = (bytes: number): Transaction =>
  changed(({ fields }) =>
    Object.assign(Object(fields), {
      args: { Named: [['a', { cl_type: 'Any', bytes: '00'.repeat(bytes - 5 - 4 - 1 - 4 - 1) }]] },
    }),
  )

function paying(paymentMotes: number, argumentBytes: number): Transaction {
  const transaction = argumentsOf(argumentBytes)
  expect(transaction.argumentBytes).toBe(argumentBytes)
  return parseTransaction(
    JSON.parse(JSON.stringify(transaction.json).replace('3000000000', String(paymentMotes))),
  )
}

test.each<[Protocol, number[], bigint]>([
  ['2.2.2', [325, 1, 40, 2, 1], 812_500_000_000n],
  ['2.0.3', [650, 1, 80, 2, 1], 1_625_000_000_000n],
])('default: at protocol %s, a block takes %p transactions by lane, and %p gas', (protocol, counts, gas) => {
  const { nativeLane, installLane, wasmLanes, blockGasLimit } = transactionRules(chainspecs[protocol])
  const lanes = [nativeLane, installLane, ...wasmLanes]
  expect(lanes.map(({ maxTransactionsPerBlock }) => maxTransactionsPerBlock)).toEqual(counts)
  expect(blockGasLimit).toBe(gas)
})

describe('checkTransaction', () => {
  test('default: the lane of a call and of an install', () => {
    const install = parseTransaction({ Version1: json(signedSession(Uint8Array.of(1), true).toJSON()) })
    expect(checkTransaction(call(), check)).toMatchObject({ id: 5 })
    expect(checkTransaction(install, check)).toMatchObject({ id: 2 })
  })

  test.each([
    ['5 CSPR', 5_000_000_000, 512, 5],
    ['over 5 CSPR', 5_000_000_001, 512, 4],
    ['over 512 bytes of arguments', 3_000_000_000, 513, 4],
    ['100 CSPR', 100_000_000_000, 1_024, 4],
    ['over 100 CSPR', 100_000_000_001, 1_024, 3],
    ['812.5 CSPR', 812_500_000_000, 1_024, 3],
  ])('behavior: the lane of %s', (_, payment_amount, bytes, id) => {
    expect(checkTransaction(paying(payment_amount, bytes), check)).toMatchObject({ id })
  })

  test.each<[Protocol, number, number, Refusal | number]>([
    ['2.0.3', 1_000_000_000_000, 1_024, 3],
    ['2.0.3', 3_000_000_000, 1_025, 'noLane'],
    ['2.2.2', 812_500_000_001, 1_024, 'blockGasLimit'],
    ['2.2.2', 3_000_000_000, 2_048, 3],
    ['2.2.2', 3_000_000_000, 2_049, 'noLane'],
  ])(
    'behavior: at protocol %s, %d motes with %d bytes of arguments: %p',
    (protocol, motes, bytes, expected) => {
      const found = checkTransaction(paying(motes, bytes), checkAt(protocol))
      expect(typeof found === 'string' ? found : found.id).toBe(expected)
    },
  )

  test('behavior: any tolerance from the lowest price on is accepted', () => {
    for (const tolerance of [1, 4, 255])
      expect(checkTransaction(pricing({ gas_price_tolerance: tolerance }), check)).toMatchObject({ id: 5 })
  })

  test('behavior: code of over 64 KiB uses the next lane, even with a small payment', () => {
    const session = (wasmBytes: number): Transaction =>
      parseTransaction({ Version1: json(signedSession(new Uint8Array(wasmBytes), false).toJSON()) })
    const room = 65_536 - session(0).sizeBytes
    expect(checkTransaction(session(room), check)).toMatchObject({ id: 5 })
    expect(checkTransaction(session(room + 1), check)).toMatchObject({ id: 4 })
  })

  test('error: over 100 approvals', () => {
    const [approval] = call().approvals
    const approvedBy = (count: number): Transaction => ({ ...call(), approvals: Array(count).fill(approval) })
    expect(checkTransaction(approvedBy(100), check)).toMatchObject({ id: 5 })
    expect(checkTransaction(approvedBy(101), check)).toBe('approvalsCount')
  })

  test('error: a payment above the gas limit of a block', () => {
    const limitedTo = (blockGasLimit: bigint) => ({ ...check, rules: { ...rules, blockGasLimit } })
    expect(checkTransaction(call(), limitedTo(3_000_000_000n))).toMatchObject({ id: 5 })
    expect(checkTransaction(call(), limitedTo(2_999_999_999n))).toBe('blockGasLimit')
  })

  test.each<[string, () => Transaction, Refusal]>([
    [
      'another chain',
      () => changed((payload) => Object.assign(payload, { chain_name: 'casper' })),
      'chainName',
    ],
    [
      'an install above what its lane may use',
      () =>
        parseTransaction(
          JSON.parse(
            JSON.stringify({ Version1: json(signedSession(Uint8Array.of(1), true).toJSON()) }).replace(
              /"payment_amount":\d+/,
              '"payment_amount":1000000000001',
            ),
          ),
        ),
      'noLane',
    ],
    ['a tolerance of 0', () => pricing({ gas_price_tolerance: 0 }), 'gasPriceToleranceTooLow'],
    ['a payment that the session makes', () => pricing({ standard_payment: false }), 'pricingMode'],
    [
      'another pricing mode',
      () =>
        changed((payload) =>
          Object.assign(payload, {
            pricing_mode: { Fixed: { additional_computation_factor: 0, gas_price_tolerance: 1 } },
          }),
        ),
      'pricingMode',
    ],
    ['less than 2.5 CSPR', () => pricing({ payment_amount: 2_499_999_999 }), 'unspecified'],
    ['more than any lane', () => pricing({ payment_amount: 1_000_000_000_001 }), 'noLane'],
    [
      'arguments without names',
      () => changed(({ fields }) => Object.assign(Object(fields), { args: { Bytesrepr: '00' } })),
      'unspecified',
    ],
    [
      'a life of over 2 hours',
      () => changed((payload) => Object.assign(payload, { ttl: '2h 1ms' })),
      'timeToLive',
    ],
    [
      'a time over 2 s ahead',
      () => changed((payload) => Object.assign(payload, { timestamp: new Date(NOW + 3_001).toISOString() })),
      'timestampInFuture',
    ],
    [
      'a life that has ended',
      () =>
        changed((payload) =>
          Object.assign(payload, { timestamp: new Date(NOW).toISOString(), ttl: '999ms' }),
        ),
      'expired',
    ],
    [
      'a stored contract that is to be called without an entry point',
      () => changed(({ fields }) => Object.assign(Object(fields), { entry_point: 'Call' })),
      'entryPoint',
    ],
    [
      'a session without code',
      () => parseTransaction({ Version1: json(signedSession(new Uint8Array(), true).toJSON()) }),
      'emptyModule',
    ],
    [
      'an auction call',
      () =>
        changed(({ fields }) => Object.assign(Object(fields), { target: 'Native', entry_point: 'Delegate' })),
      'kind',
    ],
    [
      'a transfer without an amount',
      () =>
        changed(({ fields }) => Object.assign(Object(fields), { target: 'Native', entry_point: 'Transfer' })),
      'missingArgument',
    ],
    [
      'an install of over 750,000 bytes',
      () => parseTransaction({ Version1: json(signedSession(new Uint8Array(750_000), true).toJSON()) }),
      'size',
    ],
  ])('error: %s', (_, make, refusal) => expect(checkTransaction(make(), check)).toBe(refusal))

  test('behavior: the limits of time are included', () => {
    const early = changed((payload) =>
      Object.assign(payload, { timestamp: new Date(NOW + 3_000).toISOString() }),
    )
    const late = changed((payload) =>
      Object.assign(payload, { timestamp: new Date(NOW).toISOString(), ttl: '1s' }),
    )
    const long = changed((payload) => Object.assign(payload, { ttl: '2h' }))
    for (const transaction of [early, late, long])
      expect(checkTransaction(transaction, check)).toMatchObject({ id: 5 })
  })

  const deploy = (change: (copy: Record<string, unknown>) => void = () => {}): Transaction => {
    const copy = json(Deploy.toJSON(signedDeploy(callByHash())))
    change(Object(copy))
    return parseTransaction({ Deploy: copy })
  }

  test('default: the lane of a deploy', () =>
    expect(checkTransaction(deploy(), check)).toMatchObject({ id: 5 }))

  test('behavior: a deploy with wasm uses the wasm lanes, even if it installs', () => {
    const transaction = parseTransaction({ Deploy: json(Deploy.toJSON(signedDeploy(moduleSession()))) })
    expect(transaction.target).toMatchObject({ kind: 'session', isInstallOrUpgrade: true })
    expect(checkTransaction(transaction, check)).toMatchObject({ id: 5 })
  })

  test.each<[string, (copy: Record<string, unknown>) => void, Refusal]>([
    [
      'dependencies',
      ({ header }) => Object.assign(Object(header), { dependencies: ['ab'.repeat(32)] }),
      'dependencies',
    ],
    [
      'a gas price of 0',
      ({ header }) => Object.assign(Object(header), { gas_price: 0 }),
      'gasPriceToleranceTooLow',
    ],
    ['another chain', ({ header }) => Object.assign(Object(header), { chain_name: 'casper' }), 'chainName'],
    [
      'a payment without an amount',
      ({ payment }) => Object.assign(Object(payment).ModuleBytes, { args: [] }),
      'missingPayment',
    ],
    [
      'an amount that is no number',
      ({ payment }) =>
        Object.assign(Object(payment).ModuleBytes, {
          args: [['amount', { cl_type: 'String', bytes: '00000000' }]],
        }),
      'badPayment',
    ],
    [
      'payment code of its own',
      ({ payment }) => Object.assign(Object(payment).ModuleBytes, { module_bytes: '00' }),
      'paymentVariant',
    ],
  ])('error: a deploy with %s', (_, change, refusal) =>
    expect(checkTransaction(deploy(change), check)).toBe(refusal),
  )

  test('default: a transfer by deploy, at a fixed cost', () => {
    const session = new ExecutableDeployItem()
    session.transfer = TransferDeployItem.newTransfer('2500000000', keys.secp256k1.publicKey, null, 1)
    const transfer = parseTransaction({ Deploy: json(Deploy.toJSON(signedDeploy(session))) })
    expect(checkTransaction(transfer, check)).toMatchObject({ id: 0 })
    expect(transfer.pricing).toMatchObject({ paymentMotes: 100_000_000n })
  })
})

describe('checkAccount', () => {
  const accountHash = call().initiator.accountHash
  const account = {
    accountHash,
    namedKeys: new Map(),
    mainPurse: new Uint8Array(33),
    associatedKeys: [{ accountHash, weight: 1 }],
    actionThresholds: { deployment: 1, keyManagement: 1 },
  }
  const least = rules.minPaymentMotes

  test('default: its own key and a sufficient balance', () =>
    expect(checkAccount(call(), account, least, least)).toBeNull())

  test('error: another key, too little weight, too low a balance', () => {
    const stranger = parseTransaction({ Version1: json(signedCall('package hash', keys.secp256k1).toJSON()) })
    const heavy = { ...account, actionThresholds: { deployment: 2, keyManagement: 2 } }
    expect(checkAccount(stranger, account, least, least)).toBe('associatedKeys')
    expect(checkAccount({ ...call(), approvals: [] }, account, least, least)).toBe('associatedKeys')
    expect(checkAccount(call(), heavy, least, least)).toBe('signatureWeight')
    expect(checkAccount(call(), account, least - 1n, least)).toBe('balance')
  })

  test('behavior: the weights of all associated keys count once each, and a foreign key is ignored', () => {
    const [own] = call().approvals
    const [other] = parseTransaction({
      Version1: json(signedCall('package hash', keys.secp256k1).toJSON()),
    }).approvals
    if (own === undefined || other === undefined) throw new Error('a signature is missing')
    const check = (weights: readonly number[], deployment: number, approvals = [own, other]) => {
      const hashes = [accountHash, accountHashOfHex(other.signer)]
      const associatedKeys = weights.map((weight, index) => ({
        accountHash: hashes[index] ?? accountHash,
        weight,
      }))
      const actionThresholds = { deployment, keyManagement: deployment }
      return checkAccount(
        { ...call(), approvals },
        { ...account, associatedKeys, actionThresholds },
        least,
        least,
      )
    }
    expect(check([1, 2], 3)).toBeNull()
    expect(check([1, 2], 4)).toBe('signatureWeight')
    expect(check([1, 2], 2, [own, own])).toBe('signatureWeight')
    expect(check([200, 100], 255)).toBeNull()
    expect(check([1], 1)).toBeNull()
    expect(check([1], 2)).toBe('signatureWeight')
    expect(check([1], 1, [other])).toBe('associatedKeys')
  })
})

describe('refusalError', () => {
  const refusals: [string, Refusal][] = [
    ['payment 0.1 CSPR', 'unspecified'],
    ['wrong chain name', 'chainName'],
    ['gas price tolerance 0', 'gasPriceToleranceTooLow'],
    ['expired', 'expired'],
    ['account without funds (secp256k1)', 'noAccount'],
    ['bad signature', 'approval'],
    ['unknown package', 'noPackage'],
  ]

  test.each(refusals)('default: %s: code, message and data are the recorded ones', (note, refusal) => {
    const recorded = memberAt(exchangeOf(transactions, note), 'error')
    expect<unknown>(refusalError(refusal, 'Version1', 'transaction')).toEqual(recorded)
  })

  test('behavior: a deploy that is sent as a deploy gets the error of an invalid deploy', () => {
    const data = 'The deploy had an invalid chain name'
    expect(refusalError('chainName', 'Deploy', 'deploy')).toEqual({
      code: -32008,
      message: 'Invalid Deploy',
      data: `the deploy was invalid: ${data}`,
    })
    expect(refusalError('chainName', 'Deploy', 'transaction')).toEqual({
      code: -32016,
      message: 'Invalid transaction',
      data: `the transaction was invalid: ${data}`,
    })
  })
})

test('default: the minimum payment is the one that the sender of transactions knows', () => {
  expect(rules.minPaymentMotes).toBe(MIN_PAYMENT_MOTES)
})
