import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { loadSigner, signTransaction } from '@wattfeed/casper/transaction'
import { callRpc } from '@wattfeed/casper-devnet/testing/callRpc'
import { defaultProtocol } from '@wattfeed/casper-devnet/testing/internals'
import { createFolder } from '@wattfeed/testing/folder'
import { wattfeed } from './support/binary.ts'
import { takePort } from './support/ports.ts'

/** The output of `--json`. */
interface Printed {
  rpc_url: string
  chain_name: string
  trusted_block_hash: string
  accounts: { public_key: string; account_hash: string; secret_key_pem?: string; secret_key_path?: string }[]
}

const running = new Set<Bun.Subprocess>()
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL')
    await child.exited
  }
  running.clear()
})

function spawn(options: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...wattfeed('devnet'), ...options], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  return child
}

async function readUntil(output: ReadableStream<Uint8Array>, end: string): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    if (text.includes(end)) break
  }
  return text
}

async function start(...options: string[]) {
  const child = spawn(['--port', '0', '--json', '--protocol', defaultProtocol, ...options])
  const printed: Printed = JSON.parse(await readUntil(child.stdout, '\n'))
  return { child, printed, url: printed.rpc_url }
}

/** Like {@link start}, but the system rejects writes beyond this number of 512-byte blocks per file. */
async function startWithFileLimit(blocks: number, ...options: string[]) {
  const limited = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`
  const command = [...wattfeed('devnet'), '--port', '0', '--json', '--protocol', defaultProtocol, ...options]
  const child = Bun.spawn(['sh', '-c', limited, 'sh', ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const printed: Printed = JSON.parse(await readUntil(child.stdout, '\n'))
  return { child, printed, url: printed.rpc_url }
}

async function failure(...options: string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(['--port', '0', ...options])
  return { code: await child.exited, stderr: await new Response(child.stderr).text() }
}

/** Sends an invalid session, which fails and pays, and so makes a block. */
async function sendSession(url: string, keyPath: string, nonce: number): Promise<string> {
  const { signer } = await loadSigner(keyPath)
  const signed = await signTransaction(signer, {
    chainName: 'casper-devnet',
    target: { wasm: Uint8Array.of(0, nonce) },
    args: {},
    paymentMotes: 2_500_000_000n,
    timestamp: Date.now(),
  })
  const answer = await callRpc(url, 'account_put_transaction', { transaction: signed.transaction })
  expect(answer).toMatchObject({ result: { transaction_hash: { Version1: signed.hash } } })
  return signed.hash
}

const height = async (url: string): Promise<unknown> =>
  memberAt(await callRpc(url, 'info_get_status', null), 'result', 'last_added_block_info', 'height')

describe('devnet', () => {
  test('behavior: the protocol is that of the public test network, or the requested one', async () => {
    for (const [options, version] of [
      [[], '2.2.2'],
      [['--protocol', '2.0.3'], '2.0.0'],
    ] as const) {
      const { stdout } = spawn(['--port', '0', '--json', ...options])
      const { rpc_url: url }: Printed = JSON.parse(await readUntil(stdout, '\n'))
      const status = await callRpc(url, 'info_get_status')
      expect(memberAt(status, 'result', 'protocol_version')).toBe(version)
    }
  })

  test('default: it prints its address, genesis, accounts and a warning', async () => {
    const child = spawn(['--port', '0', '--accounts', '2'])
    const text = await readUntil(child.stdout, 'Ctrl-C')
    expect(text).toContain('FOR DEVELOPMENT ONLY')
    const url = /http:\/\/127\.0\.0\.1:\d+\/rpc/.exec(text)?.[0] ?? ''
    const genesis = memberAt(
      await callRpc(url, 'chain_get_block', { block_identifier: { Height: 0 } }),
      'result',
      'block_with_signatures',
      'block',
    )
    expect(text).toContain(String(memberAt(genesis, 'Version2', 'hash')))
    expect(text.match(/-----BEGIN PRIVATE KEY-----/g)).toHaveLength(2)
    expect(text.match(/\b01[0-9a-f]{64}\b/g)).toHaveLength(2)
  })

  test('behavior: its accounts are funded, and their keys can be loaded', async () => {
    using folder = createFolder()
    const { printed, url } = await start('--accounts', '1', '--keys', folder.path)
    const [account] = printed.accounts
    const path = account?.secret_key_path ?? ''
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { signer, warning } = await loadSigner(path)
    expect([signer.publicKey, signer.accountHash, warning]).toEqual([
      account?.public_key ?? '',
      account?.account_hash ?? '',
      null,
    ])
    expect(
      await callRpc(url, 'query_balance', {
        purse_identifier: { main_purse_under_public_key: account?.public_key },
      }),
    ).toMatchObject({ result: { balance: '1000000000000000000' } })
  })

  test('behavior: existing key files are kept; a different key is not overwritten', async () => {
    using folder = createFolder()
    const options = ['--accounts', '1', '--keys', folder.path]
    for (let times = 0; times < 2; times++) {
      const { child } = await start(...options)
      child.kill('SIGTERM')
      await child.exited
    }
    const path = `${folder.path}/account_0.pem`
    const before = readFileSync(path, 'utf8')
    expect(await failure(...options, '--seed', 'another')).toEqual({
      code: 1,
      stderr: `devnet: ${path} contains a different key and is not overwritten; use another --keys directory\n`,
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  test('behavior: it exits when its output is closed', async () => {
    const command = [...wattfeed('devnet'), '--port', '0', '--json']
    const child = Bun.spawn(['sh', '-c', '"$@" | head -c 0', 'sh', ...command], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.add(child)
    expect(await child.exited).toBe(0)
    expect(await new Response(child.stderr).text()).toBe('standard output: EPIPE\n')
  })

  test('behavior: the same seed gives the same accounts, another seed different ones', async () => {
    const keysOf = async (...options: string[]) =>
      (await start('--accounts', '2', ...options)).printed.accounts.map(({ public_key }) => public_key)
    const [first, again, other] = [await keysOf(), await keysOf(), await keysOf('--seed', 'another')]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  test('behavior: --fund funds an account by its public key', async () => {
    const publicKey = `0203${'ab'.repeat(32)}`
    const { url } = await start('--fund', publicKey)
    expect(
      await callRpc(url, 'query_balance', { purse_identifier: { main_purse_under_public_key: publicKey } }),
    ).toMatchObject({ result: { balance: '1000000000000000000' } })
  })

  test('behavior: --block-time makes blocks at intervals', async () => {
    const { url } = await start('--block-time', '5')
    let seen = 0
    while (seen < 3) seen = Number(await height(url))
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('behavior: %s stops it, exit code 0', async (name) => {
    const { child, url } = await start()
    child.kill(name)
    expect(await child.exited).toBe(0)
    await expect(callRpc(url, 'info_get_status')).rejects.toThrow()
  })

  test('behavior: after a kill it continues without losing a block', async () => {
    using folder = createFolder()
    using data = createFolder()
    const first = await start('--accounts', '1', '--keys', folder.path, '--data', data.path)
    const keyPath = first.printed.accounts[0]?.secret_key_path ?? ''
    const hashes: string[] = []
    for (let nonce = 0; nonce < 5; nonce++) hashes.push(await sendSession(first.url, keyPath, nonce))
    const before = await callRpc(first.url, 'chain_get_block')
    first.child.kill('SIGKILL')
    await first.child.exited
    const second = await start('--accounts', '1', '--data', data.path)
    expect(second.printed.trusted_block_hash).toBe(first.printed.trusted_block_hash)
    expect(await callRpc(second.url, 'chain_get_block')).toEqual(before)
    for (const hash of hashes)
      expect(
        await callRpc(second.url, 'info_get_transaction', { transaction_hash: { Version1: hash } }),
      ).toMatchObject({ result: { execution_info: { block_height: hashes.indexOf(hash) + 2 } } })
    await sendSession(second.url, keyPath, 9)
    expect(await height(second.url)).toBe(7)
  })

  test('behavior: killed while it makes blocks, it has every block that a client has seen', async () => {
    using folder = createFolder()
    using data = createFolder()
    const first = await start('--accounts', '1', '--keys', folder.path, '--data', data.path)
    const keyPath = first.printed.accounts[0]?.secret_key_path ?? ''
    const answered: string[] = []
    const sending = Array.from({ length: 30 }, async (_, nonce) => {
      answered.push(await sendSession(first.url, keyPath, nonce))
      if (answered.length === 5) first.child.kill('SIGKILL')
    })
    await Promise.allSettled(sending)
    await first.child.exited
    expect(answered.length).toBeGreaterThanOrEqual(5)
    const second = await start('--accounts', '1', '--data', data.path)
    for (const hash of answered)
      expect(
        await callRpc(second.url, 'info_get_transaction', { transaction_hash: { Version1: hash } }),
      ).toMatchObject({ result: { execution_info: { execution_result: {} } } })
  })

  test('behavior: on a full disk it logs an error and serves reads; with free space again, no block is lost', async () => {
    using folder = createFolder()
    using data = createFolder()
    const options = ['--accounts', '1', '--keys', folder.path, '--data', data.path]
    const full = await startWithFileLimit(500, ...options)
    const keyPath = full.printed.accounts[0]?.secret_key_path ?? ''
    const answered: string[] = []
    const fill = async (): Promise<void> => {
      for (let nonce = 0; nonce < 100; nonce++) answered.push(await sendSession(full.url, keyPath, nonce))
    }
    await expect(fill()).rejects.toThrow('blocks.db cannot be used')
    // Block 1 has no transaction.
    expect(await height(full.url)).toBe(answered.length + 1)
    full.child.kill('SIGTERM')
    expect(await new Response(full.child.stderr).text()).toMatch(/^devnet: [^\n]* cannot be used [^\n]*\n$/)
    const again = await start(...options)
    expect(await height(again.url)).toBe(answered.length + 1)
    for (const hash of answered)
      expect(
        await callRpc(again.url, 'info_get_transaction', { transaction_hash: { Version1: hash } }),
      ).toMatchObject({ result: { execution_info: { execution_result: {} } } })
    await sendSession(again.url, keyPath, 200)
  })

  test('error: a directory of another chain, seed or set of accounts, or one in use', async () => {
    using data = createFolder()
    const { child } = await start('--data', data.path)
    expect(await failure('--data', data.path)).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^devnet: [^\n]* is locked by process \d+; wait until it ends, or stop it\n$/,
      ),
    })
    child.kill('SIGTERM')
    await child.exited
    const log = readFileSync(`${data.path}/blocks.db`)
    for (const [options, rule] of [
      [['--chain-name', 'casper-test'], 'its chain name is "casper-devnet", not "casper-test"'],
      [['--seed', 'another'], 'its seed differs'],
      [['--accounts', '3'], 'its genesis accounts differ (--accounts, --fund)'],
    ] as const)
      expect(await failure('--data', data.path, ...options)).toEqual({
        code: 1,
        stderr: expect.stringContaining(rule),
      })
    expect(readFileSync(`${data.path}/blocks.db`)).toEqual(log)
  })

  test('error: a port in use is named in one line, from the option and from the environment', async () => {
    await using taken = await takePort()
    const { port } = taken
    const expected = {
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^devnet: port ${port} is in use[^\n]*\n$`)),
    }
    expect(await failure('--port', String(port))).toEqual(expected)
    const child = spawn([], { DEVNET_PORT: String(port) })
    expect({ code: await child.exited, stderr: await new Response(child.stderr).text() }).toEqual(expected)
  })
})
