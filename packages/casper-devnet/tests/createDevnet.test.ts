import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { verifyMerkleProof } from '@wattfeed/casper'
import { NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { loadSigner } from '@wattfeed/casper/transaction'
import { createFolder } from '@wattfeed/testing/folder'
import { createDevnet, type Devnet } from '../src/createDevnet.ts'

const options = { now: () => NOW, accounts: 2 }

const result = async (node: Pick<Devnet, 'call'>, method: string, params?: unknown): Promise<unknown> =>
  memberAt(await node.call(method, params), 'result')

const rootOf = async (node: Pick<Devnet, 'call'>): Promise<string> =>
  String(memberAt(await result(node, 'chain_get_state_root_hash'), 'state_root_hash'))

const heightOf = async (node: Pick<Devnet, 'call'>): Promise<unknown> =>
  memberAt(await result(node, 'info_get_status'), 'last_added_block_info', 'height')

/** A balance from one node, proven against the state root from another one. */
async function provenBalance(node: Pick<Devnet, 'call'>, honest: Devnet): Promise<unknown> {
  const stateRootHash = await rootOf(honest)
  const [account] = honest.accounts
  const info = await result(honest, 'state_get_account_info', { account_identifier: account?.publicKey })
  const purse_uref = String(memberAt(info, 'account', 'main_purse'))
  const told = await result(node, 'state_get_balance', { state_root_hash: stateRootHash, purse_uref })
  verifyMerkleProof({
    merkleProof: String(memberAt(told, 'merkle_proof')),
    stateRootHash,
    key: purse_uref.replace('uref-', 'balance-').replace(/-007$/, ''),
    what: 'balance',
  })
  return memberAt(told, 'balance_value')
}

describe('createDevnet', () => {
  test('default: it executes calls in the process, and its accounts are funded', async () => {
    await using devnet = createDevnet(options)
    expect(devnet.chainName).toBe('casper-devnet')
    expect(await result(devnet, 'chain_get_block')).toMatchObject({
      block_with_signatures: { block: { Version2: { hash: devnet.genesisHash } } },
    })
    for (const { publicKey } of devnet.accounts)
      expect(
        await result(devnet, 'query_balance', {
          purse_identifier: { main_purse_under_public_key: publicKey },
        }),
      ).toEqual({ api_version: '2.0.0', balance: String(devnet.accountMotes) })
  })

  test('default: without options, ten accounts and the clock of this machine', async () => {
    const before = Date.now()
    await using devnet = createDevnet()
    expect(devnet.accounts).toHaveLength(10)
    const genesis = devnet.produceBlock()
    expect(genesis.timestampMs).toBeGreaterThanOrEqual(before)
  })

  test.each([
    ['2.2.2', '2.2.2'],
    ['2.0.3', '2.0.0'],
  ] as const)('behavior: a chain of %s and its forks say protocol %s', async (protocol, version) => {
    await using devnet = createDevnet({ ...options, protocol })
    for (const chain of [devnet, devnet.fork()]) {
      chain.produceBlock()
      expect(await result(chain, 'info_get_status')).toMatchObject({ protocol_version: version })
      expect(await result(chain, 'chain_get_block')).toMatchObject({
        block_with_signatures: { block: { Version2: { header: { protocol_version: version } } } },
      })
    }
  })

  test('error: an unknown protocol', () => {
    const unknown = { protocol: '2.1.0' } as object
    expect(() => createDevnet(unknown)).toThrow('protocol must be one of 2.2.2, 2.0.3')
  })

  test('behavior: the secret keys belong to the accounts', async () => {
    using folder = createFolder()
    await using devnet = createDevnet(options)
    for (const { publicKey, accountHash, secretKeyPem } of devnet.accounts) {
      const { signer } = await loadSigner(folder.write('key.pem', secretKeyPem))
      expect([signer.publicKey, signer.accountHash]).toEqual([publicKey, accountHash])
    }
  })

  test('behavior: the same seed and clock make the same chain', async () => {
    const hashes = async (changes = {}): Promise<string[]> => {
      await using devnet = createDevnet({ ...options, ...changes })
      return [
        devnet.genesisHash,
        devnet.produceBlock().hash,
        ...devnet.accounts.map(({ publicKey }) => publicKey),
      ]
    }
    expect(await hashes()).toEqual(await hashes())
    for (const change of [
      { seed: 'another' },
      { chainName: 'casper-test', now: () => NOW + 1 },
      { accounts: 3 },
    ])
      expect((await hashes(change))[0]).not.toBe((await hashes())[0])
  })

  test('behavior: a fork starts with the same blocks, and later changes are independent', async () => {
    await using devnet = createDevnet(options)
    const blocks = Array.from({ length: 40 }, () => devnet.produceBlock())
    await using fork = devnet.fork({ now: () => NOW + 60_000 })
    for (const { hash } of blocks)
      expect(await result(fork, 'chain_get_block', { block_identifier: { Hash: hash } })).toEqual(
        await result(devnet, 'chain_get_block', { block_identifier: { Hash: hash } }),
      )
    expect([fork.genesisHash, await rootOf(fork)]).toEqual([devnet.genesisHash, await rootOf(devnet)])
    expect(await provenBalance(fork, devnet)).toBe(String(devnet.accountMotes))

    const [own, others] = [devnet.produceBlock(), fork.produceBlock()]
    expect([own.height, others.height]).toEqual([41, 41])
    expect(others.timestampMs).toBe(NOW + 60_000)
    expect(
      await result(devnet, 'chain_get_block', { block_identifier: { Hash: others.hash } }),
    ).toBeUndefined()
    expect(await result(fork, 'chain_get_block', { block_identifier: { Hash: own.hash } })).toBeUndefined()
    await devnet.stop()
    for (let more = 0; more < 40; more++) fork.produceBlock()
    expect(await heightOf(fork)).toBe(81)
  })

  test('behavior: a fork has the last switch block', async () => {
    await using devnet = createDevnet(options)
    for (let height = 1; height <= 25; height++) devnet.produceBlock()
    await using fork = devnet.fork()
    const switchBlockOf = async (node: Devnet): Promise<unknown> =>
      memberAt(await result(node, 'info_get_status'), 'latest_switch_block_hash')
    expect(await switchBlockOf(fork)).toBe(await switchBlockOf(devnet))
  })

  test('behavior: a failed block is reported, and the next one is made', async () => {
    let isBroken = false
    const reported: unknown[] = []
    await using devnet = createDevnet({
      accounts: 1,
      blockTimeMs: 1,
      now: () => {
        if (isBroken) throw new Error('the clock broke')
        return NOW
      },
      report: (error) => {
        reported.push(error)
        isBroken = false
      },
    })
    isBroken = true
    while (reported.length === 0) await new Promise(setImmediate)
    expect(reported).toEqual([new Error('the clock broke')])
    const height = Number(await heightOf(devnet))
    while (Number(await heightOf(devnet)) <= height) await new Promise(setImmediate)
  })

  test('default: an era has 20 blocks, and three validators sign', async () => {
    await using devnet = createDevnet(options)
    const blocks = Array.from({ length: 40 }, () => devnet.produceBlock())
    expect(blocks.filter(({ isSwitchBlock }) => isSwitchBlock).map(({ height }) => height)).toEqual([20, 40])
    expect(blocks[0]?.json.proofs).toHaveLength(3)
  })

  test('behavior: blocks are made at intervals until it is stopped', async () => {
    const devnet = createDevnet({ accounts: 1, blockTimeMs: 1 })
    while (Number(await heightOf(devnet)) < 2) await new Promise(setImmediate)
    await devnet.stop()
    const height = await heightOf(devnet)
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    expect(await heightOf(devnet)).toBe(height)
  })
})
