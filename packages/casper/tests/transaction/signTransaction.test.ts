import { describe, expect, test } from 'bun:test'
import { verify } from 'node:crypto'
import { encodeHex, memberAt } from '@wattfeed/base'
import { exchangeOf, transactions } from '@wattfeed/casper-devnet/testing/recordings'
import { blake2b, string } from '@wattfeed/testing/bytesrepr'
import { createTransaction, type TransactionRequest } from '../../src/transaction/createTransaction.ts'
import { loadSdk } from '../../src/transaction/sdk.ts'
import { assertTransactionLane, signTransaction } from '../../src/transaction/signTransaction.ts'
import { type Arguments, clString, clU64 } from '../../src/types/arguments.ts'
import { assertLane, NoLaneError } from '../../src/types/lane.ts'
import { clU512 } from '../../src/types/u512.ts'
import { testSigner } from '../support/keys.ts'
import { type PayloadJson, payloadBytes } from '../support/transactionBytes.ts'

interface Recorded {
  hash: string
  payload: PayloadJson
  approvals: { signer: string; signature: string }[]
}

/** A transaction as it was sent to the recorded node. */
function recorded(note: string): Recorded {
  const { params } = exchangeOf(transactions, note)
  return JSON.parse(JSON.stringify(memberAt(params, 'transaction', 'Version1')))
}

const attest = (feedId: string, period: number, amount: bigint, sourceHash: string): Arguments => ({
  asset_id: clString(feedId),
  period: clU64(period),
  amount: clU512(amount),
  source_hash: clString(sourceHash),
})

const outage = 'EIA.NUC.OUTAGE.US_PCT.DAILY'
const accepted: [string, Arguments][] = [
  ['attest accepted', attest(outage, 20261119, 41234n, 'ab'.repeat(16))],
  ['attest by a stranger accepted', attest(outage, 20261119, 1n, 'x')],
]

const rebuild = async (note: string, args: Arguments) =>
  createTransaction(await loadSdk(), requestOf(note, args))

function requestOf(note: string, args: Arguments): TransactionRequest {
  const { payload } = recorded(note)
  const { target } = payload.fields
  return {
    transactionTtlMs: 30 * 60_000,
    initiator: payload.initiator_addr.PublicKey,
    chainName: payload.chain_name,
    target: {
      packageHash: 'Stored' in target ? target.Stored.id.ByPackageHash.addr : '',
      entryPoint: 'attest',
    },
    args,
    paymentMotes: BigInt(payload.pricing_mode.PaymentLimited.payment_amount),
    timestamp: Date.parse(payload.timestamp),
  }
}

describe('createTransaction', () => {
  test.each(accepted)('default: %s: hash, payload and body are the recorded ones', async (note, args) => {
    const transaction = await rebuild(note, args)
    const { hash, payload, approvals } = recorded(note)
    const [approval] = approvals
    expect(JSON.parse(JSON.stringify(transaction.toJSON()))).toEqual({ hash, payload, approvals: [] })
    expect(transaction.hash.toHex()).toBe(hash)
    const spki = `302a300506032b6570032100${approval?.signer.slice(2)}`
    const key = { key: Buffer.from(spki, 'hex'), format: 'der', type: 'spki' } as const
    const signature = Buffer.from(approval?.signature.slice(2) ?? '', 'hex')
    expect(verify(null, transaction.hash.toBytes(), key, signature)).toBeTrue()
  })

  test('default: the bytes are those that an independent encoder writes', async () => {
    for (const [note, args] of accepted) {
      const transaction = await rebuild(note, args)
      const bytes = encodeHex(transaction.getTransactionV1()?.payload.toBytes() ?? new Uint8Array())
      expect(bytes).toBe(payloadBytes(recorded(note).payload))
      expect(transaction.hash.toHex()).toBe(blake2b(bytes))
    }
  })

  test('behavior: the node estimated the same size', async () => {
    const transaction = await rebuild(...(accepted[0] ?? ['', attest('', 0, 0n, '')]))
    const v1 = transaction.getTransactionV1()
    v1?.approvals.push(...(await signedLikeRecorded()))
    expect(v1?.toBytes().length).toBe(659)
  })

  test('behavior: any text and any number reach the chain as they are', async () => {
    const args = attest('°F €/MWh 💡', 2 ** 53 - 1, 2n ** 512n - 1n, '')
    const transaction = await rebuild('attest accepted', args)
    const json = JSON.parse(JSON.stringify(transaction.toJSON()))
    const bytes = payloadBytes(json.payload)
    expect(blake2b(bytes)).toBe(transaction.hash.toHex())
    expect(json.payload.fields.args.Named).toEqual([
      ['asset_id', { cl_type: 'String', bytes: string('°F €/MWh 💡') }],
      ['period', { cl_type: 'U64', bytes: 'ffffffffffff1f00' }],
      ['amount', { cl_type: 'U512', bytes: `40${'ff'.repeat(64)}` }],
      ['source_hash', { cl_type: 'String', bytes: '00000000' }],
    ])
  })
})

async function signedLikeRecorded() {
  const signer = await testSigner()
  return signer.sign(requestOf('attest accepted', attest('', 0, 0n, ''))).approvals
}

describe('signTransaction', () => {
  const wasm = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)

  test('default: an installation: hash, body and expiry', async () => {
    const signer = await testSigner()
    const signed = await signTransaction(signer, {
      chainName: 'casper-net-1',
      target: { wasm },
      args: { owner: clString('me') },
      paymentMotes: 200_000_000_000n,
      timestamp: 1_800_000_000_000,
      transactionTtlMs: 30 * 60_000,
      gasPriceTolerance: 3,
    })
    const json = JSON.parse(JSON.stringify(signed.transaction.Version1))
    expect(json.payload).toEqual({
      initiator_addr: { PublicKey: signer.publicKey },
      timestamp: '2027-01-15T08:00:00.000Z',
      ttl: '30m',
      chain_name: 'casper-net-1',
      pricing_mode: {
        PaymentLimited: { payment_amount: 200_000_000_000, gas_price_tolerance: 3, standard_payment: true },
      },
      fields: {
        args: { Named: [['owner', { cl_type: 'String', bytes: '020000006d65' }]] },
        target: {
          Session: { module_bytes: encodeHex(wasm), is_install_upgrade: true, runtime: 'VmCasperV1' },
        },
        entry_point: 'Call',
        scheduling: 'Standard',
      },
    })
    expect(signed.hash).toBe(blake2b(payloadBytes(json.payload)))
    expect(signed.expiresAt).toBe(1_800_001_800_000)
  })

  test('behavior: the same again is the same, to the byte', async () => {
    const signer = await testSigner('ed25519')
    const request = {
      chainName: 'casper-net-1',
      target: { packageHash: '11'.repeat(32), entryPoint: 'attest' },
      args: attest(outage, 20261119, 1n, 'x'),
      paymentMotes: 2_500_000_000n,
      timestamp: 1_800_000_000_000,
    }
    expect(await signTransaction(signer, request)).toEqual(await signTransaction(signer, request))
  })

  test('behavior: a stored transaction is the same after a round trip through its file', async () => {
    const signer = await testSigner('secp256k1')
    const signed = await signTransaction(signer, {
      chainName: 'casper-net-1',
      target: { packageHash: '11'.repeat(32), entryPoint: 'attest' },
      args: {},
      paymentMotes: 2_500_000_000n,
      timestamp: 0,
    })
    expect(JSON.parse(JSON.stringify(signed))).toEqual(signed)
  })
})

const noLane: [string, number, number, bigint, string][] = [
  ['a payment below the least', 0, 0, 2_499_999_999n, 'the payment must be at least 2500000000 motes'],
  ['arguments that fit no lane', 2_100, 0, 2_500_000_000n, 'up to 5000000000 motes with 512 bytes'],
  ['a call above a block of gas', 0, 0, 812_500_000_001n, 'up to 812500000000 motes with 2048 bytes'],
  [
    'an installation above a block of gas',
    0,
    1_000,
    812_500_000_001n,
    'up to 812500000000 motes with 2048 bytes',
  ],
  ['wasm that is too large', 0, 749_700, 200_000_000_000n, 'in 750000 bytes'],
]
test.each(noLane)('error: %s', async (_, textBytes, wasmBytes, paymentMotes, rule) => {
  const target =
    wasmBytes > 0
      ? { wasm: new Uint8Array(wasmBytes) }
      : { packageHash: '11'.repeat(32), entryPoint: 'attest' }
  const request = {
    initiator: (await testSigner()).publicKey,
    chainName: 'casper-net-1',
    target,
    args: { text: clString('x'.repeat(textBytes)) },
    paymentMotes,
    timestamp: 0,
  }
  const transaction = createTransaction(await loadSdk(), request)
  expect(() => assertTransactionLane(request, transaction)).toThrow(rule)
})

test('behavior: arguments of 512, 1024 and 2048 bytes have a lane', () => {
  const lanes = [
    { argumentBytes: 512, paymentMotes: 5_000_000_000n },
    { argumentBytes: 1_024, paymentMotes: 100_000_000_000n },
    { argumentBytes: 1_024, paymentMotes: 2_500_000_000n },
    { argumentBytes: 2_048, paymentMotes: 2_500_000_000n },
  ]
  for (const size of lanes)
    expect(() => assertLane('call', { ...size, transactionBytes: 2_000 })).not.toThrow()
})

describe('assertLane', () => {
  const large = { argumentBytes: 2_048, paymentMotes: 5_000_000_000n, transactionBytes: 750_000 }
  const old = { argumentBytes: 1_024, paymentMotes: 5_000_000_000n, transactionBytes: 262_144 }

  test.each(['2.2.0', '2.2.2', '2.3.0', '2.10.0', '3.0.0', null])(
    'behavior: the third lane of protocol %s takes 2,048 bytes of arguments in 750,000',
    (version) => {
      expect(() => assertLane('call', large, version)).not.toThrow()
      expect(() => assertLane('call', { ...large, argumentBytes: 2_049 }, version)).toThrow(NoLaneError)
      expect(() => assertLane('call', { ...large, transactionBytes: 750_001 }, version)).toThrow(NoLaneError)
    },
  )

  test.each(['1.5.8', '2.0.0', '2.0.3', '2.1.0'])(
    'behavior: that of protocol %s takes 1,024 bytes in 262,144',
    (version) => {
      expect(() => assertLane('call', old, version)).not.toThrow()
      expect(() => assertLane('call', { ...old, argumentBytes: 1_025 }, version)).toThrow(
        'or up to 812500000000 motes with 1024 bytes of arguments in 262144 bytes',
      )
      expect(() => assertLane('call', { ...old, transactionBytes: 262_145 }, version)).toThrow(NoLaneError)
      expect(() => assertLane('install', large, version)).not.toThrow()
    },
  )
})
