import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { absentAsNull, createAbsenceEvidenceFinder, createProvenState, createRpc } from '@wattfeed/casper'
import { json } from '@wattfeed/casper/testing/sdkTransactions'
import { encodeStoredValue } from '@wattfeed/casper/types'
import { Args, CLValue, ContractCallBuilder, KeyAlgorithm, PrivateKey, Timestamp } from 'casper-js-sdk'
import { verifyLevels } from '../../src/client/verification.ts'
import { createLaterWorld, type LaterProtocol, type LaterWorld } from '../support/laterWorld.ts'
import type { VerifiedWorld } from '../support/verifiedWorld.ts'
import { PERIOD, SOURCE_HASH, WTI } from '../support/world.ts'

const hash = 'ab'.repeat(32)
const REWARDS_HANDLING = `rewards-handling-${'00'.repeat(32)}`

/** A value under the key of tag 25, as a protocol 2.2 has it. */
const rewardsHandling = [
  `19${'00'.repeat(32)}`,
  encodeStoredValue({ kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(7) } }),
] as const

const EVM_KEY = '1a02ababababababab'
const KEY_NAME = '!token'

/** Adds a named key of a later kind to the accounts, before the others. */
const withLaterKey: NonNullable<LaterProtocol['values']> = (stored) =>
  [...stored]
    .filter(([key]) => key.startsWith('00'))
    .map(([key, value]) => {
      const count = new DataView(value.buffer, value.byteOffset).getUint32(33, true)
      const start = value.toHex().slice(2, 66)
      const entry = `06000000${Buffer.from(KEY_NAME).toString('hex')}${EVM_KEY}`
      const counted = Buffer.from(Uint32Array.of(count + 1).buffer).toString('hex')
      return [key, Uint8Array.fromHex(`01${start}${counted}${entry}${value.toHex().slice(74)}`)] as const
    })

/** Reads at a level, from the later node alone. */
async function read(later: LaterWorld, verify: (typeof verifyLevels)[number]) {
  const client = later.world.client([], { rpcUrls: [later.url], verify })
  const reading = await client.getReading(WTI)
  const attester = await client.getAttester(WTI)
  const transaction = await client.getTransaction(WTI, 1)
  return { client, reading, attester, transaction }
}

/** Attests with a call that names the major protocol version of the package. */
async function attestByMajor({ world, network }: VerifiedWorld): Promise<void> {
  const [account] = world.devnet.accounts
  const key = PrivateKey.fromPem(account?.secretKeyPem ?? '', KeyAlgorithm.ED25519)
  const transaction = new ContractCallBuilder()
    .byPackageHash(network.attestationRegistryPackageHash, undefined, 2)
    .entryPoint('attest')
    .from(key.publicKey)
    .chainName(world.devnet.chainName)
    .timestamp(new Timestamp(new Date(world.tick())))
    .payment(5_000_000_000, 1)
    .runtimeArgs(
      Args.fromMap({
        asset_id: CLValue.newCLString(WTI),
        period: CLValue.newCLUint64(PERIOD),
        amount: CLValue.newCLUInt512('7'),
        source_hash: CLValue.newCLString(SOURCE_HASH),
      }),
    )
    .build()
  transaction.sign(key)
  const sent = { transaction: { Version1: json(transaction.toJSON()) } }
  expect(await world.devnet.call('account_put_transaction', sent)).toHaveProperty('result')
}

/** A neighbor in the block, as a later node serves it. */
const neighbor = (changes: object, result: object = { Version2: { error_message: null } }) => ({
  transaction: {
    Version1: {
      hash,
      payload: {
        initiator_addr: { EvmAddress: 'ab'.repeat(20) },
        timestamp: '2026-11-20T00:00:00.000Z',
        ttl: '30m',
        chain_name: 'casper-devnet',
        pricing_mode: 'Later',
        fields: {},
        ...changes,
      },
      approvals: [],
    },
  },
  execution_info: { block_hash: hash, block_height: 1, execution_result: result },
})

const runtime = { Stored: { id: { ByPackageHash: { addr: hash, version: null } }, runtime: 'VmCasperV2' } }

const neighbors: [name: string, neighbor: object][] = [
  ['an initiator', neighbor({})],
  ['a runtime', neighbor({ initiator_addr: { PublicKey: `01${hash}` }, fields: { target: runtime } })],
  ['a result', neighbor({}, { Evm: { logs: [] } })],
]

describe.each(verifyLevels)('a chain of a later protocol, read at %s', (verify) => {
  test('default: the block has an EVM transaction, which its hash covers', async () => {
    await using later = await createLaterWorld({ listed: [{ Evm: hash }] })
    const { reading, transaction } = await read(later, verify)
    expect([reading?.amount, transaction?.isListed]).toEqual([7n, true])
  })

  test('behavior: the block has a transaction of an unknown kind: only its list is not verified', async () => {
    await using later = await createLaterWorld({ listed: [{ Later: { id: 7 } }, 'Nothing'] })
    const { reading, attester, transaction } = await read(later, verify)
    expect([reading?.amount, attester?.authority?.keys.length]).toEqual([7n, 1])
    expect([transaction?.isListed, transaction?.signers.map(({ weight }) => weight)]).toEqual([false, [1]])
  })

  test('default: the state has a key of tag 25', async () => {
    await using later = await createLaterWorld({ values: () => [rewardsHandling] })
    expect((await read(later, verify)).reading?.amount).toBe(7n)
    const rpc = createRpc({ urls: [later.url], chainName: later.world.network.chainName, fetch })
    const state = createProvenState({ rpc, evidence: createAbsenceEvidenceFinder({ rpc }) })
    const stored = {
      stateRootHash: later.stateRootHash,
      decode: (value: unknown) => value,
      absent: absentAsNull,
    }
    expect(await state.query({ ...stored, key: REWARDS_HANDLING })).toEqual({
      CLValue: { cl_type: 'U8', bytes: '07' },
    })
  })

  test('default: the account has a named key of an unknown kind', async () => {
    const plain = await createLaterWorld({})
    const { attester } = await read(plain, verify)
    await plain[Symbol.asyncDispose]()
    const account = String(attester?.account)
    const info = await plain.world.world.devnet.call('query_global_state', { key: account, path: [] })
    const served = structuredClone(memberAt(info, 'result', 'stored_value'))
    Object(memberAt(served, 'Account', 'named_keys')).unshift({ name: KEY_NAME, key: 'evm-storage-abababab' })
    await using later = await createLaterWorld({ values: withLaterKey, served: { [account]: served } })
    const found = await read(later, verify)
    expect(found.reading?.amount).toBe(7n)
    expect(found.attester).toEqual(attester)
    expect(found.transaction?.signers.map(({ weight }) => weight)).toEqual([1])
  })

  test('default: the value was attested by a call that names a major protocol version', async () => {
    await using later = await createLaterWorld({}, attestByMajor)
    const { reading, transaction } = await read(later, verify)
    expect([reading?.amount, transaction?.isListed, transaction?.signers.length]).toEqual([7n, true, 1])
  })

  test.each(neighbors)(
    'behavior: another transaction of the block has %s of an unknown kind',
    async (_, other) => {
      await using later = await createLaterWorld({
        listed: [{ Version1: hash }],
        transactions: { [hash]: other },
      })
      const { reading, transaction } = await read(later, verify)
      expect([reading?.amount, transaction?.isListed]).toEqual([7n, true])
    },
  )
})
