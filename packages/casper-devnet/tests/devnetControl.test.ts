import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { json, keys, NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { NativeTransferBuilder, Timestamp } from 'casper-js-sdk'
import { createDevnet, type Devnet } from '../src/createDevnet.ts'
import { createSender } from '../src/createSender.ts'

const DAY_MS = 86_400_000
const options = { now: () => NOW, accounts: 2 }

const timeOf = (ms: number): string => new Date(ms).toISOString()

async function balanceOf(devnet: Devnet, publicKey: string): Promise<unknown> {
  const params = { purse_identifier: { main_purse_under_public_key: publicKey } }
  return memberAt(await devnet.call('query_balance', params), 'result', 'balance')
}

/** A transfer of 2.5 CSPR as an SDK sends it, with the time of the machine. */
function sdkTransfer(devnet: Devnet, timestampMs: number): object {
  const transaction = new NativeTransferBuilder()
    .from(keys.ed25519.publicKey)
    .target(keys.secp256k1.publicKey)
    .amount('2500000000')
    .timestamp(new Timestamp(new Date(timestampMs)))
    .chainName(devnet.chainName)
    .payment(100_000_000)
    .build()
  transaction.sign(keys.ed25519)
  return { transaction: { Version1: json(transaction.toJSON()) } }
}

describe('methods of a devnet', () => {
  test('default: devnet_mine makes blocks, and says which is the newest', async () => {
    await using devnet = createDevnet({ ...options, blockTimeMs: 'manual' })
    const one = await devnet.call('devnet_mine')
    expect(one).toEqual({
      result: {
        api_version: '2.0.0',
        block_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        block_height: 1,
        timestamp: timeOf(NOW + 1),
      },
    })
    expect(await devnet.call('devnet_mine', { blocks: 5 })).toMatchObject({ result: { block_height: 6 } })
    expect(await devnet.call('devnet_mine', [2])).toMatchObject({ result: { block_height: 8 } })
  })

  test('default: the time moves, and transactions of SDKs, which have the machine’s, are still accepted', async () => {
    await using devnet = createDevnet({ ...options, fund: [keys.ed25519.publicKey.toHex()] })
    expect(await devnet.call('devnet_increase_time', { duration: '1day 1h' })).toMatchObject({
      result: { timestamp: timeOf(NOW + 25 * 3_600_000) },
    })
    const put = await devnet.call('account_put_transaction', sdkTransfer(devnet, NOW))
    expect(put).toMatchObject({ result: { transaction_hash: {} } })
    expect(await devnet.call('devnet_set_time', { timestamp: timeOf(NOW + 9 * DAY_MS) })).toMatchObject({
      result: { timestamp: timeOf(NOW + 9 * DAY_MS) },
    })
    expect(devnet.produceBlock()).toMatchObject({ height: 2, timestampMs: NOW + 9 * DAY_MS })
    expect(devnet.now()).toBe(NOW + 9 * DAY_MS)
  })

  test('behavior: devnet_set_time returns the time that was set, although the clock goes on', async () => {
    let ticks = 0
    await using devnet = createDevnet({ ...options, now: () => NOW + ticks++ })
    expect(await devnet.call('devnet_set_time', { timestamp: timeOf(NOW + DAY_MS) })).toMatchObject({
      result: { timestamp: timeOf(NOW + DAY_MS) },
    })
    expect(devnet.now()).toBeGreaterThan(NOW + DAY_MS)
  })

  test('default: devnet_snapshot and devnet_revert', async () => {
    await using devnet = createDevnet(options)
    expect(await devnet.call('devnet_snapshot')).toMatchObject({ result: { snapshot_id: 1 } })
    devnet.produceBlock()
    expect(await devnet.call('devnet_revert', { snapshot_id: 1 })).toMatchObject({
      result: { block_hash: devnet.genesisHash, block_height: 0 },
    })
    expect(devnet.produceBlock().height).toBe(1)
  })

  test('default: devnet_fund transfers from an account of genesis', async () => {
    await using devnet = createDevnet(options)
    const publicKey = keys.secp256k1.publicKey.toHex()
    const funded = await devnet.call('devnet_fund', { account: publicKey, amount: '7500000000' })
    const transaction_hash = memberAt(funded, 'result', 'transaction_hash')
    expect(await balanceOf(devnet, publicKey)).toBe('7500000000')
    expect(await devnet.call('info_get_transaction', { transaction_hash })).toMatchObject({
      result: {
        execution_info: { block_height: 1, execution_result: { Version2: { error_message: null } } },
      },
    })
    for (let times = 0; times < 2; times++)
      await devnet.call('devnet_fund', { account: publicKey, amount: '2500000000' })
    expect(await balanceOf(devnet, publicKey)).toBe('12500000000')
  })

  test.each<[string, object, string]>([
    ['devnet_mine', { blocks: 0 }, 'blocks must be from 1 to 10000'],
    ['devnet_mine', { count: 1 }, 'unknown field `count`'],
    ['devnet_increase_time', {}, 'missing field `duration`'],
    ['devnet_increase_time', { duration: '5' }, 'time unit needed'],
    ['devnet_increase_time', { duration: '0s' }, 'time must be increased by whole milliseconds'],
    ['devnet_set_time', { timestamp: timeOf(NOW) }, 'time must be after that of the newest block'],
    ['devnet_set_time', { timestamp: 'tomorrow' }, 'timestamp format is invalid'],
    ['devnet_revert', { snapshot_id: 1 }, 'snapshot must be the number of a snapshot, and there is none'],
    ['devnet_fund', { account: 'me', amount: '5' }, 'to must be a public key in hex, or account-hash-'],
    [
      'devnet_fund',
      { account: keys.ed25519.publicKey.toHex(), amount: '2.5' },
      'amount must be motes as text',
    ],
  ])('error: %s %p', async (method, params, message) => {
    await using devnet = createDevnet(options)
    expect(await devnet.call(method, params)).toEqual({
      error: { code: -32602, message: 'Invalid params', data: expect.stringContaining(message) },
    })
  })

  test('error: less than the network allows to transfer', async () => {
    await using devnet = createDevnet(options)
    const params = { account: keys.ed25519.publicKey.toHex(), amount: '1' }
    expect(await devnet.call('devnet_fund', params)).toMatchObject({
      error: {
        code: -32602,
        data: expect.stringContaining('motes must be at least 2500000000, which is 2.5 CSPR, not 1'),
      },
    })
  })

  test('error: a sender and the faucet refuse less than that', async () => {
    await using devnet = createDevnet(options)
    const [alice, bob] = devnet.accounts
    if (alice === undefined || bob === undefined) throw new Error('no account')
    const motes = 2_499_999_999n
    const message = `motes must be at least 2500000000, which is 2.5 CSPR, not ${motes}`
    await expect(createSender(devnet, alice).transfer({ to: bob.publicKey, motes })).rejects.toThrow(message)
    await expect(devnet.fund(bob.publicKey, motes)).rejects.toThrow(message)
    await devnet.fund(bob.publicKey, motes + 1n)
  })

  test('default: rpc.discover lists them', async () => {
    await using devnet = createDevnet(options)
    const methods = memberAt(await devnet.call('rpc.discover'), 'result', 'schema', 'methods')
    const names = (methods as { name: string }[]).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('devnet_'))).toEqual([
      'devnet_mine',
      'devnet_increase_time',
      'devnet_set_time',
      'devnet_snapshot',
      'devnet_revert',
      'devnet_fund',
    ])
  })
})

describe('fund and transfer', () => {
  test('default: an account without motes gets some, in every block mode', async () => {
    for (const blockTimeMs of [null, 'manual'] as const) {
      await using devnet = createDevnet({ ...options, blockTimeMs })
      const [alice] = devnet.accounts
      if (alice === undefined) throw new Error('no account')
      const { publicKey } = keys.ed25519
      await devnet.fund(publicKey.accountHash().toPrefixedString(), 5_000_000_000n)
      await createSender(devnet, alice).transfer({ to: publicKey.toHex(), motes: 3_000_000_000n })
      expect(await balanceOf(devnet, publicKey.toHex())).toBe('8000000000')
    }
  })

  test('error: an amount that is not motes', async () => {
    await using devnet = createDevnet(options)
    const { accountHash } = devnet.accounts[0] ?? { accountHash: '' }
    await expect(devnet.fund(accountHash, 2.5 as never)).rejects.toThrow('u512 must be an integer from 0')
  })

  test('behavior: a fork has the faucet, and its own time and snapshots', async () => {
    await using devnet = createDevnet(options)
    devnet.increaseTime(DAY_MS)
    const id = devnet.snapshot()
    await using fork = devnet.fork()
    expect(fork.now()).toBe(NOW + DAY_MS)
    expect(() => fork.revert(id)).toThrow('there is none')
    await fork.fund(devnet.accounts[0]?.publicKey ?? '', 2_500_000_000n)
    expect([fork.produceBlock().height, devnet.produceBlock().height]).toEqual([2, 1])
  })
})
