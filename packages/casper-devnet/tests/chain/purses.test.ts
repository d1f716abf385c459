import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createByteWriter, memberAt } from '@wattfeed/base'
import type { Signer } from '@wattfeed/casper/transaction'
import { type Arguments, clU512, createUref, type NamedArgument } from '@wattfeed/casper/types'
import { createDevnet, type Devnet } from '../../src/createDevnet.ts'
import { type Protocol, protocols } from '../../src/protocol.ts'
import { encodeArguments } from '../engine/support/contractSession.ts'
import { encodeHostCalls, type HostCall, OUT, text } from '../support/engine/hostCalls.ts'
import { type Call, createSender, type Sender, signersOf } from '../support/sender.ts'

/** The result of a transaction in a node's JSON. */
interface Result {
  readonly error_message: string | null
  readonly cost: string
  readonly refund: string
  readonly consumed: string
  readonly transfers: readonly { readonly Version2: Record<string, unknown> }[]
  readonly effects: readonly { readonly key: string; readonly kind: unknown }[]
}

const [PURSE, OTHER, MAIN, HASH] = [OUT + 1_024, OUT + 1_088, OUT + 1_152, OUT + 1_216]
const nothing = Uint8Array.of(0)
const id = createByteWriter()
  .u8(1)
  .u64(2n ** 40n)
  .finish()
const motes = (amount: bigint): Uint8Array => clU512(amount).bytes
const stranger = new Uint8Array(32).fill(9)
const PAYMENT = 100_000_000_000n

const create = (pointer: number): HostCall => ({ name: 'create_purse', args: [pointer, 33] })
const readMain: HostCall = { name: 'get_main_purse', args: [MAIN] }
const toPurse = (source: number, target: number, amount: bigint): HostCall => ({
  name: 'transfer_from_purse_to_purse',
  args: [source, 33, target, 33, motes(amount), id],
})
const toAccount = (to: Uint8Array, amount: bigint, returns = 0): HostCall => ({
  name: 'transfer_to_account',
  args: [to, motes(amount), nothing, OUT],
  returns,
})
const fromPurse = (source: number, to: Uint8Array, amount: bigint): HostCall => ({
  name: 'transfer_from_purse_to_account',
  args: [source, 33, to, motes(amount), nothing, OUT],
})
const callSystem = (index: number, entryPoint: string, ...args: readonly NamedArgument[]): HostCall[] => [
  { name: 'get_system_contract', args: [index, HASH, 32] },
  { name: 'call_contract', args: [HASH, 32, text(entryPoint), encodeArguments(args), OUT] },
]
const drop: HostCall = { name: 'read_host_buffer', args: [OUT, 128, OUT + 512] }
const uref = (name: string, bytes: Uint8Array): NamedArgument => ({ name, clType: 'URef', bytes })

describe.each(protocols)('purses on a chain of protocol %s', (protocol: Protocol) => {
  let devnet: Devnet
  let sender: Sender
  let signers: Signer[]

  beforeEach(async () => {
    devnet = createDevnet({ protocol, accounts: 2, seed: 'purses', blockTimeMs: 'manual' })
    sender = createSender({ ...devnet, answer: devnet.call })
    signers = await signersOf(devnet.accounts)
  })
  afterEach(() => devnet.stop())

  const signerOf = (index: number): Signer => {
    const signer = signers[index]
    if (signer === undefined) throw new Error(`the chain has no account ${index}`)
    return signer
  }

  const run = (args: Arguments, ...calls: readonly HostCall[]): Promise<Result> =>
    send({ target: { wasm: encodeHostCalls(calls) }, args })

  async function send({ target, args }: Pick<Call, 'target' | 'args'>): Promise<Result> {
    const call = { signer: signerOf(0), target, args, paymentMotes: PAYMENT }
    const [executed] = await sender.send([call])
    const transaction_hash = { Version1: executed?.transactionHash }
    const found = await devnet.call('info_get_transaction', { transaction_hash })
    return Object(memberAt(found, 'result', 'execution_info', 'execution_result', 'Version2'))
  }

  const balanceOf = async (index: number): Promise<bigint> => {
    const purse_identifier = { main_purse_under_public_key: devnet.accounts[index]?.publicKey }
    return BigInt(
      String(memberAt(await devnet.call('query_balance', { purse_identifier }), 'result', 'balance')),
    )
  }
  const mainPurse = async (): Promise<Uint8Array> => {
    const account_identifier = devnet.accounts[0]?.publicKey
    const found = await devnet.call('state_get_account_info', { account_identifier })
    const [, address = ''] =
      /^uref-(.*)-007$/.exec(String(memberAt(found, 'result', 'account', 'main_purse'))) ?? []
    return createUref(Uint8Array.fromHex(address), 7)
  }

  test('default: a session moves motes in all ways, and its result lists the transfers', async () => {
    const other = Uint8Array.fromHex(signerOf(1).accountHash.replace('account-hash-', ''))
    const own = Uint8Array.fromHex(signerOf(0).accountHash.replace('account-hash-', ''))
    const before = [await balanceOf(0), await balanceOf(1)]
    const { error_message, transfers, cost, refund } = await run(
      { amount: clU512(1_000n) },
      create(PURSE),
      create(OTHER),
      readMain,
      toPurse(MAIN, PURSE, 100n),
      toPurse(PURSE, OTHER, 30n),
      toAccount(other, 20n),
      toAccount(stranger, 40n),
      toAccount(stranger, 2n),
      toAccount(own, 9n),
      fromPurse(PURSE, own, 5n),
      fromPurse(OTHER, other, 6n),
      fromPurse(OTHER, new Uint8Array(32).fill(8), 7n),
    )
    expect(error_message).toBeNull()
    expect(transfers.map(({ Version2: { amount } }) => amount)).toEqual([
      '100',
      '30',
      '20',
      '40',
      '2',
      '5',
      '6',
      '7',
    ])
    expect(transfers[0]?.Version2).toMatchObject({ gas: '100000000', id: 2 ** 40, to: null })
    const fee = BigInt(cost) - BigInt(refund)
    expect(await balanceOf(0)).toBe((before[0] ?? 0n) - fee - 100n - 20n - 42n + 5n)
    expect(await balanceOf(1)).toBe((before[1] ?? 0n) + 26n)
  })

  test('default: balances are without the payment on hold', async () => {
    const all = await balanceOf(0)
    const tooMuch = [toAccount(stranger, all - PAYMENT + 1n, 65_024), toAccount(stranger, all - PAYMENT)]
    const { error_message, effects } = await run({ amount: clU512(all) }, ...tooMuch)
    // The motes on hold are left, and pay for the transaction.
    expect(error_message).toBeNull()
    expect(effects.some(({ key, kind }) => key.startsWith('balance-hold-') && kind === 'Identity')).toBe(true)
  })

  test('default: the mint and the payments by their hashes', async () => {
    const purse = await mainPurse()
    const { error_message, transfers } = await run(
      { amount: clU512(1_000n) },
      ...callSystem(0, 'create'),
      drop,
      ...callSystem(0, 'mint', { name: 'amount', ...clU512(0n) }),
      drop,
      ...callSystem(0, 'mint', { name: 'amount', ...clU512(1n) }),
      drop,
      ...callSystem(0, 'balance', uref('purse', purse)),
      drop,
      ...callSystem(0, 'read_base_round_reward'),
      drop,
      ...callSystem(0, 'reduce_total_supply', { name: 'amount', ...clU512(1n) }),
      drop,
      ...callSystem(0, 'mint_into_existing_purse', { name: 'amount', ...clU512(1n) }, uref('purse', purse)),
      drop,
      ...callSystem(
        0,
        'transfer',
        { name: 'to', clType: { Option: { ByteArray: 32 } }, bytes: nothing },
        uref('source', purse),
        uref('target', purse),
        { name: 'amount', ...clU512(5n) },
        { name: 'id', clType: { Option: 'U64' }, bytes: id },
      ),
      drop,
      ...callSystem(0, 'burn', uref('purse', createUref(purse.subarray(0, 32), 5)), {
        name: 'amount',
        ...clU512(5n),
      }),
      drop,
      ...callSystem(1, 'get_refund_purse'),
      drop,
      ...callSystem(1, 'get_payment_purse'),
      drop,
    )
    expect(error_message).toBeNull()
    expect(transfers).toHaveLength(1)
  })

  test('default: a transaction calls the mint without a session', async () => {
    const { effects } = await run({}, create(PURSE))
    const packageHash = effects[2]?.key.replace('hash-', '') ?? ''
    const { error_message, consumed } = await send({
      target: { packageHash, entryPoint: 'create' },
      args: {},
    })
    expect([error_message, consumed]).toEqual([null, '2500000000'])
    const unknown = await send({ target: { packageHash, entryPoint: 'steal' }, args: {} })
    expect([unknown.error_message, unknown.consumed]).toEqual(['No such method: steal', '2500000000'])
  })

  test('error: who burns the motes for the fee pays none, and its transaction has an error and its effects', async () => {
    const purse = await mainPurse()
    const all = await balanceOf(0)
    const burn = callSystem(0, 'burn', uref('purse', purse), { name: 'amount', ...clU512(all) })
    const { error_message, refund, effects } = await run({}, ...burn)
    expect(error_message).toBe(
      protocol === '2.2.2' ? 'HandlePayment error: Arithmetic overflow' : 'Mint error: Insufficient funds',
    )
    expect(refund).toBe('0')
    expect(effects.at(-1)?.kind).toEqual({ Prune: effects[0]?.key })
    expect(await balanceOf(0)).toBe(0n)
  })

  test.each<[string, readonly HostCall[]]>([
    ['No such method: steal', callSystem(0, 'steal')],
    ['ApiError::MissingArgument [2]', callSystem(0, 'balance')],
    [
      'Missing system contract hash: standard payment',
      [{ name: 'get_system_contract', args: [2, HASH, 32] }],
    ],
    ['The imputed operation is invalid', [{ name: 'get_block_info', args: [9, OUT] }]],
    ['Interpreter error: trap: Code(UnexpectedSignature)', [{ name: 'get_block_info', args: [256, OUT] }]],
    [
      `Tracking copy error: Key Key::Balance(${stranger.toHex()}) not found`,
      [{ name: 'get_balance', args: [createUref(stranger, 7), OUT] }],
    ],
    [
      `Forged reference: URef(${stranger.toHex()}, READ_ADD_WRITE)`,
      [
        create(PURSE),
        {
          name: 'transfer_from_purse_to_purse',
          args: [createUref(stranger, 7), PURSE, 33, motes(1n), nothing],
        },
      ],
    ],
  ])('error: %s', async (message, calls) => {
    expect((await run({}, ...calls)).error_message).toBe(message)
  })
})
