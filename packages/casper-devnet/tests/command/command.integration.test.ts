import { afterEach, describe, expect, test } from 'bun:test'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { memberAt } from '@wattfeed/base'
import { callRpc } from '../support/callRpc.ts'

const program = join(import.meta.dir, '../../bin/casper-devnet.js')
const running = new Set<Bun.Subprocess>()
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL')
    await child.exited
  }
  running.clear()
})

function spawn(runtime: string, ...args: string[]) {
  const child = Bun.spawn([runtime, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  return child
}

/** Reads until a line, and returns all lines so far. */
async function readLines(reader: ReadableStreamDefaultReader<Uint8Array>, end: RegExp): Promise<string> {
  let text = ''
  while (!end.test(text)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the program has ended: ${text}`)
    text += new TextDecoder().decode(value)
  }
  return text
}

async function start(...args: string[]) {
  const child = spawn(process.execPath, '--port', '0', '--accounts', '1', ...args)
  const reader = child.stdout.getReader()
  const text = await readLines(reader, /Ctrl-C to stop\.\n|^\{.*\}\n/)
  return { child, reader, text, url: /http:\/\/\S+\/rpc/.exec(text)?.[0].split('"')[0] ?? '' }
}

async function command(url: string, ...args: string[]) {
  const child = spawn(process.execPath, ...args, '--url', url)
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, stdout, stderr }
}

const height = async (url: string): Promise<unknown> =>
  memberAt(await callRpc(url, 'info_get_status', null), 'result', 'last_added_block_info', 'height')

describe('casper-devnet', () => {
  test('default: it prints its addresses, how to make blocks, and each transaction', async () => {
    const { child, reader, text, url } = await start('--block-time', 'manual')
    expect(text).toContain(
      `JSON-RPC            ${url}\n  events              ${url.replace('/rpc', '/events')}\n`,
    )
    expect(text).toContain('blocks              on request: casper-devnet mine, or the method devnet_mine\n')
    const first = Number(await height(url))
    const account = /account-hash-[0-9a-f]{64}/.exec(text)?.[0] ?? ''
    const funded = await command(url, 'fund', account, '2500000000')
    expect(funded).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await height(url)).toBe(first)
    const mined = await command(url, 'mine', '2')
    expect(mined.stdout).toMatch(new RegExp(`^block ${first + 2}  [0-9a-f]{64}  .*Z\n$`))
    const line = await readLines(reader, /ok\n/)
    expect(line).toStartWith(`block ${first + 1}  tx ${funded.stdout.trim()}  from 01`)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test('default: snapshot, time and revert', async () => {
    const { url } = await start()
    const first = await height(url)
    expect(await command(url, 'snapshot')).toEqual({ exitCode: 0, stdout: '1\n', stderr: '' })
    expect((await command(url, 'time', '2100-01-01T00:00:00Z')).stdout).toBe('2100-01-01T00:00:00.000Z\n')
    expect((await command(url, 'time', '1day 1h')).stdout).toStartWith('2100-01-02T01:00:0')
    expect((await command(url, 'mine')).stdout).toContain('  2100-01-02T01:00:')
    expect((await command(url, 'revert', '1')).stdout).toStartWith(`block ${first}  `)
    expect(await height(url)).toBe(first)
  })

  test.each([
    [
      ['revert', '9'],
      'casper-devnet: devnet_revert: snapshot must be the number of a snapshot, and there is none\n',
    ],
    [
      ['fund', 'me'],
      'casper-devnet: devnet_fund: to must be a public key in hex, or account-hash- and 64 hex digits, not "me"\n',
    ],
    [
      ['fund', `account-hash-${'ab'.repeat(32)}`, '10'],
      'casper-devnet: devnet_fund: motes must be at least 2500000000, which is 2.5 CSPR, not 10\n',
    ],
  ])('error: %p', async (args, stderr) => {
    const { url } = await start('--json')
    expect(await command(url, ...args)).toEqual({ exitCode: 1, stdout: '', stderr })
  })

  test.each(['soon', '5', '2030-01-01 noon'])('error: the time %p', async (text) => {
    expect(await command('http://127.0.0.1:1/rpc', 'time', text)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error: command-argument value '${text}' is invalid for argument 'duration | timestamp'. It must be a duration with its unit, such as 5s, 1h or "1day 2h", or a time such as 2030-01-01T00:00:00Z.\n`,
    })
  })

  test('error: an unknown command', async () => {
    const child = spawn(process.execPath, 'mien')
    expect(await new Response(child.stderr).text()).toBe(
      "error: unknown command 'mien'; the nearest is mine\n",
    )
    expect(await child.exited).toBe(1)
  })

  test('error: a chain that is not there', async () => {
    expect(await command('http://127.0.0.1:1/rpc', 'mine')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'casper-devnet: no chain answers at http://127.0.0.1:1/rpc (ECONNREFUSED); start it, or name its --url\n',
    })
  })

  test('behavior: --host listens elsewhere, with a warning; without it, nothing warns', async () => {
    const quiet = await start()
    quiet.child.kill('SIGTERM')
    expect(await new Response(quiet.child.stderr).text()).toBe('')
    const { child, url } = await start('--host', '0.0.0.0')
    const other = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    if (other !== undefined)
      expect(await height(url.replace('127.0.0.1', other.address))).toBe(await height(url))
    child.kill('SIGTERM')
    expect(await new Response(child.stderr).text()).toStartWith('WARNING: all who can reach 0.0.0.0:')
  })

  test('error: an address that is not of this machine', async () => {
    const child = spawn(process.execPath, '--port', '0', '--host', '192.0.2.1')
    expect(await new Response(child.stderr).text()).toBe(
      'casper-devnet: cannot listen on 192.0.2.1 (EADDRNOTAVAIL); name an address of this machine (--host), or 0.0.0.0 for all of them\n',
    )
    expect(await child.exited).toBe(1)
  })

  test('behavior: Node.js starts it in the Bun of the path, and says when there is none', async () => {
    const env = { ...process.env, PATH: `${join(process.execPath, '..')}:${process.env.PATH}` }
    const found = Bun.spawn(['node', program, '--version'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    expect(await new Response(found.stdout).text()).toMatch(/^\d+\.\d+\.\d+\n$/)
    const node = Bun.which('node') ?? 'node'
    const alone = Bun.spawn([node, program], { env: { PATH: '/nowhere' }, stdio: ['ignore', 'pipe', 'pipe'] })
    expect(await new Response(alone.stderr).text()).toStartWith(
      'casper-devnet needs Bun 1.4.4 or newer, and found no "bun" on the path.',
    )
    expect(await alone.exited).toBe(1)
  })
})
