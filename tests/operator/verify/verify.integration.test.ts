import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import type { FeedProof, FeedsProof, HistoryProof } from 'wattfeed'
import { withValue } from 'wattfeed/testing/jsonLeaves'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { PERIOD, WTI } from 'wattfeed/testing/world'
import { wattfeed } from '../../support/binary.ts'
import { type Ended, runToEnd } from '../../support/program.ts'
import { type RunningServer, startServer } from './runningServer.ts'
import { tamperWith } from './tamperedProofs.ts'

// The tests run two dozen processes.
const root = fileURLToPath(new URL('../../..', import.meta.url))

let world: VerifiedWorld
let folder: Folder
let server: RunningServer
let url: string
/** What a stranger fetched from the server. */
let proof: FeedProof

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  folder = createFolder()
  server = await startServer(world)
  url = `${server.url}/v1/feeds/${WTI}/proof`
  proof = (await (await fetch(`${url}?from=${world.genesisHash}`)).json()) as FeedProof
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const command = wattfeed('verify')

/** What names this chain's registries. */
function network(): string[] {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = world.network
  return [
    '--chain-name',
    chainName,
    '--feed-registry',
    feedRegistryPackageHash,
    '--attestation-registry',
    attestationRegistryPackageHash,
  ]
}

/** Checks against this chain's registries. */
const verify = (...args: readonly string[]): Promise<Ended> =>
  runToEnd([...command, ...args, ...network()], {}, root)

const trusting = (hash = world.genesisHash): readonly string[] => ['--trust', hash]

const write = (json: unknown): string => folder.write('proof.json', JSON.stringify(json))

const lastLine = ({ stdout }: Ended): string => stdout.trimEnd().split('\n').at(-1) ?? ''

describe('the list of all feeds that a running server serves', () => {
  test('default: is proven from its URL and from a file', async () => {
    const list = `${server.url}/v1/feeds.proof`
    const ended = await verify(list, ...trusting())
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    const served = (await (await fetch(`${list}?from=${world.genesisHash}`)).json()) as FeedsProof
    const { feed_count, feed_ids, block } = served
    const { height } = Object(block.header)
    expect(ended.stdout).toContain(`✓ list of feeds: all ${feed_count} ids\n`)
    expect(lastLine(ended)).toMatch(
      new RegExp(`^proven: ${feed_count} feeds are registered, and no others, as of block \\d+$`),
    )
    const fromFile = await verify(write(served), ...trusting(), '--json')
    expect(JSON.parse(fromFile.stdout)).toMatchObject({
      proven: true,
      reading: null,
      feeds: { feed_ids, block_height: height },
    })
  })

  test('error: an id is left out, or the URL answers with another proof', async () => {
    const list = await (await fetch(`${server.url}/v1/feeds.proof?from=${world.genesisHash}`)).json()
    const { feed_count, feed_ids, items } = list as FeedsProof
    const shorter = { ...Object(list), feed_count: feed_count - 1 }
    const refuted = await verify(
      write({ ...shorter, feed_ids: feed_ids.slice(0, -1), items: items.slice(0, -1) }),
      ...trusting(),
    )
    expect([refuted.exitCode, lastLine(refuted)]).toEqual([
      1,
      `refuted: FeedRegistry ids[${feed_count - 1}] does not hold`,
    ])
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(proof) })
    const ended = await verify(`http://127.0.0.1:${other.port}/v1/feeds.proof`, ...trusting())
    expect([ended.exitCode, lastLine(ended)]).toEqual([1, 'refuted: what was asked for does not hold'])
  })
})

describe('the history that a running server serves', () => {
  test('default: is proven from its URL and from a file', async () => {
    const path = `${server.url}/v1/feeds/${WTI}/history.proof`
    const ended = await verify(path, ...trusting())
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toContain(`✓ what was asked for: ${WTI}, all its values\n`)
    expect(lastLine(ended)).toStartWith(`proven: ${WTI}, its complete history (count 1, block `)
    const served = (await (await fetch(`${path}?from=${world.genesisHash}`)).json()) as HistoryProof
    const fromFile = await verify(write(served), ...trusting(), '--json')
    const { feed_id, values } = served
    expect(JSON.parse(fromFile.stdout)).toMatchObject({ proven: true, history: { feed_id, values } })
  })

  test('error: the URL answers with the proof of one value', async () => {
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(proof) })
    const ended = await verify(`http://127.0.0.1:${other.port}/v1/feeds/${WTI}/history.proof`, ...trusting())
    expect([ended.exitCode, lastLine(ended)]).toEqual([1, 'refuted: what was asked for does not hold'])
  })
})

describe('a reading that a running server has served', () => {
  test('default: is proven offline, from only a trusted hash', async () => {
    const ended = await verify(write(proof), ...trusting())
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout.split('\n').filter((line) => line.startsWith('✓ '))).toHaveLength(17)
    expect(lastLine(ended)).toBe(
      `proven: ${WTI} = 59.91 $/bbl (amount 59910000, period ${PERIOD}, number 1 of 1)`,
    )
  })

  test('behavior: no request is sent', async () => {
    const preload = folder.write('offline.ts', "globalThis.fetch = () => { throw new Error('offline') }")
    const offline = [process.execPath, '--preload', preload, 'src/verify.ts']
    const check = (source: string) => runToEnd([...offline, source, ...trusting(), ...network()], {}, root)
    expect((await check(write(proof))).exitCode).toBe(0)
    expect((await check(url)).exitCode).toBe(2)
  })

  test('behavior: from its URL, which is requested from the trusted block on', async () => {
    expect((await verify(url, ...trusting())).exitCode).toBe(0)
    expect((await verify(`${url}?from=${world.genesisHash}`, ...trusting())).exitCode).toBe(0)
  })

  test('behavior: from its URL, without the path to the trusted block', async () => {
    const ended = await verify(`${url}?from=${proof.switch_blocks[1]?.hash}`, ...trusting())
    expect([ended.exitCode, lastLine(ended)]).toEqual([1, 'refuted: trusted block does not hold'])
  })

  test('behavior: by the package’s script', async () => {
    // Scripts call `bun`, which need not be on the PATH.
    await symlink(process.execPath, `${folder.path}/bun`)
    const script = [process.execPath, 'run', '--silent', 'verify', write(proof), ...trusting(), ...network()]
    const { exitCode, stderr } = await runToEnd(script, { PATH: `${folder.path}:${process.env.PATH}` }, root)
    expect([exitCode, stderr]).toEqual([0, ''])
  })

  test('behavior: from standard input', async () => {
    const child = Bun.spawn([...command, '-', ...trusting(), ...network()], {
      cwd: root,
      env: {},
      // As some shells write it, with a byte order mark.
      stdin: new Blob(['\ufeff', JSON.stringify(proof)]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
    expect(await new Response(child.stdout).text()).toContain(`proven: ${WTI} = 59.91 $/bbl`)
  })

  test('behavior: as JSON', async () => {
    const ended = await verify(write(proof), ...trusting(), '--json')
    const { proven, reading, links } = JSON.parse(ended.stdout)
    expect([ended.exitCode, ended.stderr, proven, reading]).toEqual([0, '', true, proof.reading])
    expect(links.at(-1)).toEqual({
      link: 'reading',
      holds: true,
      detail: `${WTI} = 59.91 $/bbl, period ${PERIOD}, number 1 of 1`,
    })
  })

  test('behavior: no older than it may be', async () => {
    expect((await verify(write(proof), ...trusting(), '--max-age', '3600000')).exitCode).toBe(0)
    const ended = await verify(write(proof), ...trusting(), '--max-age', '0')
    expect([ended.exitCode, lastLine(ended)]).toEqual([1, 'refuted: age does not hold'])
  })
})

describe('a past value', () => {
  const pastUrl = () => url.replace('/proof', '/history/0/proof')

  test('default: is proven from its URL, with its index', async () => {
    const ended = await verify(pastUrl(), ...trusting())
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toContain(`✓ what was asked for: ${WTI}, its value at index 0\n`)
    expect(lastLine(ended)).toBe(
      `proven: ${WTI} = 59.91 $/bbl (amount 59910000, period ${PERIOD}, index 0, number 1 of 1)`,
    )
  })

  test('default: from a file, as JSON', async () => {
    const saved = await (await fetch(`${pastUrl()}?from=${world.genesisHash}`)).json()
    const { proven, index } = JSON.parse((await verify(write(saved), ...trusting(), '--json')).stdout)
    expect([saved.index, proven, index]).toEqual([0, true, 0])
  })

  test('error: a server that passes off another value, or another feed', async () => {
    const saved = await (await fetch(`${pastUrl()}?from=${world.genesisHash}`)).json()
    await using liar = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(saved) })
    for (const path of [`${WTI}/history/1/proof`, `${WTI}/proof`, 'OTHER/history/0/proof']) {
      const ended = await verify(`http://127.0.0.1:${liar.port}/v1/feeds/${path}`, ...trusting())
      expect([ended.exitCode, lastLine(ended)]).toEqual([1, 'refuted: what was asked for does not hold'])
    }
  })
})

describe('a tampered copy', () => {
  test('error: each is rejected, and the link named', async () => {
    for (const tampered of tamperWith(proof)) {
      const { exitCode, stdout, stderr } = await verify(write(tampered.proof), ...trusting())
      expect([tampered.name, exitCode, stderr]).toEqual([tampered.name, 1, ''])
      expect(stdout.trimEnd().split('\n').at(-1)).toStartWith(`refuted: ${tampered.link}`)
      expect(stdout.split('\n').filter((line) => line.startsWith('✗ '))).toHaveLength(1)
      expect(stdout).not.toContain('proven:')
    }
  })

  test('error: as JSON', async () => {
    const ended = await verify(write(withValue(proof, ['reading', 'unit'], '€/bbl')), ...trusting(), '--json')
    const { proven, reading, links } = JSON.parse(ended.stdout)
    expect([ended.exitCode, proven, reading]).toEqual([1, false, null])
    expect(links.at(-1)).toEqual({
      link: 'reading',
      holds: false,
      detail: 'its "unit" differs from the proven value',
    })
  })

  test('error: another trusted block, chain or registry', async () => {
    const other = await verify(write(proof), ...trusting('ab'.repeat(32)))
    expect([other.exitCode, lastLine(other)]).toEqual([1, 'refuted: trusted block does not hold'])
    const path = write(proof)
    const { exitCode, stdout } = await runToEnd([...command, path, ...trusting()], {}, root)
    expect([exitCode, stdout]).toEqual([
      1,
      '✗ registries: it is of the chain casper-devnet, not casper-test\nrefuted: registries does not hold\n',
    ])
  })
})

describe('a feed that is not registered', () => {
  const unknown = (): string => url.replace(WTI, 'NOPE')

  test('default: is proven from its URL', async () => {
    const ended = await verify(unknown(), ...trusting())
    expect([ended.exitCode, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toContain('✓ what was asked for: NOPE\n')
    expect(ended.stdout).toContain('✓ FeedRegistry feeds[NOPE] is absent: dictionary-')
    expect(lastLine(ended)).toMatch(/^proven: NOPE is not registered as of block \d+$/)
  })

  test('default: is proven from a file, as JSON', async () => {
    const body = await (await fetch(`${unknown()}?from=${world.genesisHash}`)).json()
    const ended = await verify(write(body), ...trusting(), '--json')
    expect(ended.exitCode).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({
      proven: true,
      reading: null,
      absence: { feed_id: 'NOPE', absent: 'feed' },
    })
  })

  test('error: changed evidence refutes nothing but itself', async () => {
    const body = await (await fetch(`${unknown()}?from=${world.genesisHash}`)).json()
    body.absence.evidence = { trie_elements: ['00'] }
    const ended = await verify(write(body), ...trusting())
    expect(ended.exitCode).toBe(1)
    expect(lastLine(ended)).toBe('refuted: FeedRegistry feeds[NOPE] is absent does not hold')
  })
})

describe('an unreadable proof', () => {
  test('error: a file that does not exist, or no proof', async () => {
    const missing = await verify('missing.json', ...trusting())
    expect(missing).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'unreadable: missing.json cannot be read; name a file, a URL, or - for standard input\n',
    })
    const other = await verify(write({ some: 'JSON' }), ...trusting())
    expect([other.exitCode, other.stdout]).toEqual([2, ''])
    expect(other.stderr).toBe('unreadable: cannot decode feed proof: "reading" must have a valid "feed_id"\n')
  })

  test('error: an address without a proof, as JSON', async () => {
    const gone = `${new URL(url).origin}/v1/feeds/NOPE`
    const ended = await verify(gone, ...trusting(), '--json')
    expect(ended.exitCode).toBe(2)
    expect(JSON.parse(ended.stdout)).toEqual({
      error: {
        code: 'unreadable_proof',
        message: `${gone} answers HTTP 404: {"error":"feed not found on-chain: NOPE"}`,
      },
    })
  })

  const wrong: [string, string[], RegExp][] = [
    ['no trusted hash', ['proof.json'], /required option '--trust <block hash>' not specified/],
    [
      'a hash that is none',
      ['proof.json', '--trust', 'genesis'],
      /It must be a switch block's hash: 64 hex digits/,
    ],
    [
      'a hash of a package',
      ['proof.json', '--trust', `hash-${'ab'.repeat(32)}`],
      /It must be a switch block's hash/,
    ],
    ['no proof', ['--trust', 'ab'.repeat(32)], /missing required argument 'source'/],
    [
      'an age that is none',
      ['proof.json', '--trust', 'ab'.repeat(32), '--max-age', '1h'],
      /It must be a whole number from 0 to 999999999999999/,
    ],
    ['an option that is none', ['proof.json', '--trust', 'ab'.repeat(32), '--fast'], /unknown option/],
  ]
  test.each(wrong)('error: %s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await runToEnd([...command, ...args], {}, root)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(message)
  })
})
