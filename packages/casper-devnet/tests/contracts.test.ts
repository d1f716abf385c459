import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { InvalidArgumentError, memberAt } from '@wattfeed/base'
import { NOW } from '@wattfeed/casper/testing/sdkTransactions'
import { type ClValue, cl, createDevnet, createSender, type Devnet, type Sender } from '../src/index.ts'

const wasmOf = (name: string): Promise<Uint8Array> =>
  Bun.file(join(import.meta.dir, '../../../fixtures/devnet', `${name}.wasm`)).bytes()

/** Installs a contract of Odra, and returns the hash of its package. */
async function install(sender: Sender, name: string, args: Record<string, ClValue>): Promise<string> {
  await sender.send({
    target: { wasm: await wasmOf(name) },
    args: {
      odra_cfg_package_hash_key_name: cl.string(name),
      odra_cfg_allow_key_override: cl.bool(false),
      odra_cfg_is_upgradable: cl.bool(true),
      odra_cfg_is_upgrade: cl.bool(false),
      ...args,
    },
    paymentMotes: 300_000_000_000n,
  })
  return (await sender.namedKeys())[name] ?? ''
}

const CALL_MOTES = 5_000_000_000n

describe('a token contract of Odra', () => {
  let installed: Devnet
  let packageHash: string

  beforeAll(async () => {
    installed = createDevnet({ now: () => NOW, accounts: 2 })
    packageHash = await install(senderOf(installed, 0), 'Token', { total_supply: cl.u256(1000) })
  })

  const accountOf = ({ accounts }: Devnet, index: number) => {
    const account = accounts[index]
    if (account === undefined) throw new Error('no account')
    return account
  }
  const senderOf = (devnet: Devnet, index: number) => createSender(devnet, accountOf(devnet, index))
  const balanceOf = (devnet: Devnet, index: number): unknown => {
    const owner = cl.key(accountOf(devnet, index).accountHash)
    return devnet.view({ packageHash, entryPoint: 'balance_of', args: { owner } })
  }
  const transfer = (devnet: Devnet, amount: bigint) =>
    senderOf(devnet, 0).send({
      target: { packageHash, entryPoint: 'transfer' },
      args: { recipient: cl.key(accountOf(devnet, 1).accountHash), amount: cl.u256(amount) },
      paymentMotes: CALL_MOTES,
    })

  test('default: its installer has all tokens, and transfers some', async () => {
    await using devnet = installed.fork()
    expect([balanceOf(devnet, 0), balanceOf(devnet, 1)]).toEqual(['1000', '0'])
    await transfer(devnet, 300n)
    expect([balanceOf(devnet, 0), balanceOf(devnet, 1)]).toEqual(['700', '300'])
  })

  test('error: a transfer above the balance changes nothing', async () => {
    await using devnet = installed.fork()
    await expect(transfer(devnet, 1001n)).rejects.toThrow('transaction transfer failed: User error: 1')
    expect([balanceOf(devnet, 0), balanceOf(devnet, 1)]).toEqual(['1000', '0'])
  })

  test('behavior: a view changes nothing, has a caller and names the error of the entry point', async () => {
    await using devnet = installed.fork()
    const root = () => devnet.call('chain_get_state_root_hash')
    const before = await root()
    const args = { recipient: cl.key(accountOf(devnet, 1).accountHash), amount: cl.u256(1) }
    const view = { packageHash, entryPoint: 'transfer', args }
    expect(devnet.view({ ...view, caller: accountOf(devnet, 0).accountHash })).toBeNull()
    expect(() => devnet.view(view)).toThrow('view of transfer failed: User error: 1')
    expect(() => devnet.view({ ...view, entryPoint: 'burn' })).toThrow('No such method: burn')
    expect(await root()).toEqual(before)
    expect(balanceOf(devnet, 0)).toBe('1000')
  })

  test('error: the hash of the contract, where that of its package belongs', async () => {
    await using devnet = installed.fork()
    const found = await devnet.call('query_global_state', { key: packageHash, path: [] })
    const versions = memberAt(found, 'result', 'stored_value', 'ContractPackage', 'versions')
    const contract = String(memberAt(versions, '0', 'contract_hash')).replace('contract-', 'hash-')
    const message = `packageHash must be the hash of a package: ${contract} is the hash of a contract; its package is ${packageHash}`
    const target = { packageHash: contract, entryPoint: 'name' }
    const sent = senderOf(devnet, 0).send({ target, args: {}, paymentMotes: CALL_MOTES })
    await expect(sent).rejects.toThrow(new InvalidArgumentError('target.packageHash', message.slice(20)))
    expect(() => devnet.view(target)).toThrow(message)
  })

  test.each<[string, object, string]>([
    [
      'an entry point',
      { entryPoint: undefined, entrypoint: 'name' },
      'entrypoint must be left out: there is no such option; the nearest is entryPoint',
    ],
    ['no entry point', { entryPoint: undefined }, 'entryPoint must be of type string'],
    [
      'no package',
      { packageHash: undefined },
      'packageHash must be hash- and 64 hex digits, as the account’s named key has it, not undefined',
    ],
  ])('error: a view with a wrong member: %s', (_, change, message) => {
    expect(() => installed.view({ packageHash, entryPoint: 'name', ...change })).toThrow(message)
  })

  test('behavior: reverting takes the tokens back, and the contract itself', async () => {
    await using devnet = installed.fork()
    const id = devnet.snapshot()
    await transfer(devnet, 300n)
    devnet.revert(id)
    expect(balanceOf(devnet, 0)).toBe('1000')
    await transfer(devnet, 300n)
    expect(balanceOf(devnet, 1)).toBe('300')
  })
})

describe('what a sender refuses before it sends', () => {
  const target = { packageHash: 'ab'.repeat(32), entryPoint: 'count' }
  const request = { target, args: {}, paymentMotes: CALL_MOTES }

  test.each<[string, object, string]>([
    ['a plain value', { args: { by: 5 } }, 'args.by must be a value with its type, such as cl.u32(5), not 5'],
    [
      'a missing value',
      { args: { by: undefined } },
      'args.by must be a value with its type, such as cl.u32(5), not undefined',
    ],
    ['no arguments', { args: undefined }, 'args must be an object of values by name, not undefined'],
    ['motes as a number', { paymentMotes: 5 }, 'paymentMotes must be motes as a bigint, not 5'],
    [
      'no package hash',
      { target: { ...target, packageHash: undefined } },
      'target.packageHash must be hash- and 64 hex digits, as the account’s named key has it, not undefined',
    ],
    [
      'the hash of a contract',
      { target: { contractHash: target.packageHash, entryPoint: 'count' } },
      'target.contractHash must be left out: there is no such option; the nearest is target.packageHash',
    ],
    [
      'an entry point beside wasm',
      { target: { wasm: new Uint8Array(), entryPoint: 'count' } },
      'target.entryPoint must be left out',
    ],
    [
      'no entry point',
      { target: { packageHash: target.packageHash } },
      'target.entryPoint must be of type string',
    ],
    ['no target', { target: undefined }, 'target must be of type object'],
    [
      'an unknown member',
      { payment: 5n },
      'payment must be left out: there is no such option; the nearest is paymentMotes',
    ],
    [
      'a path of wasm',
      { target: { wasm: 'Counter.wasm' } },
      'target.wasm must be a Uint8Array, not "Counter.wasm"',
    ],
  ])('error: %s', async (_, change, message) => {
    await using devnet = createDevnet({ now: () => NOW, accounts: 1 })
    const [account] = devnet.accounts
    if (account === undefined) throw new Error('no account')
    await expect(createSender(devnet, account).send({ ...request, ...change })).rejects.toThrow(message)
  })
})
