import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { patientSettings } from '@wattfeed/testing/patience'
import { runToEnd } from '../../support/program.ts'
import { callTool, type Era, eras } from './mcpClient.ts'
import { createWorld, henryHub, type World, wti } from './world.ts'

const entry = fileURLToPath(new URL('../../../src/mcp.ts', import.meta.url))

let world: World

beforeAll(async () => {
  world = await createWorld(Date.now() - 100_000)
})
afterAll(() => world[Symbol.asyncDispose]())

interface Started extends AsyncDisposable {
  client: Client
  /** Resolves with what it wrote to standard error when it has ended. */
  logged: Promise<string>
}

/** Starts the command as an assistant does. */
async function start(era: Era, settings: Record<string, string> = {}, args: string[] = []): Promise<Started> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry, ...args],
    env: {
      PATH: process.env.PATH ?? '',
      CASPER_RPC_URL: world.node.url,
      CASPER_CHAIN_NAME: world.chain.chainName,
      FEED_REGISTRY_PACKAGE_HASH: world.chain.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: world.chain.attestationRegistryPackageHash,
      ...patientSettings,
      ...settings,
    },
    stderr: 'pipe',
  })
  let log = ''
  const logged = new Promise<string>((resolve) => {
    transport.stderr?.on('data', (chunk) => (log += chunk))
    transport.stderr?.on('end', () => resolve(log))
  })
  const versions = era === '2025-11-25' ? {} : { versionNegotiation: { mode: 'auto' as const } }
  const client = new Client({ name: 'test', version: '1' }, versions)
  await client.connect(transport)
  return { client, logged, [Symbol.asyncDispose]: () => client.close() }
}

const claim = { feed: wti, period: '2026-11-20', value: '70.04' }

describe.each(eras)('wattfeed mcp, for a client of %s', (era) => {
  test('default: it answers from the chain, proves a claim itself, and ends with its input', async () => {
    const { client, logged } = await start(era)
    expect(client.getNegotiatedProtocolVersion()).toBe(era)
    expect((await client.listTools()).tools).toHaveLength(6)
    const { data, text } = await callTool(client, 'get_readings', { feeds: [henryHub] })
    expect(data.readings).toMatchObject([{ value: '3.04938', proof: null }])
    expect(text).toContain(`Verify: wattfeed verify <server>/v1/feeds/${henryHub}/proof --trust <block hash>`)
    expect(text).toContain('none was given with --server')
    const trusted = { ...claim, trusted_block_hash: world.genesisHash }
    expect((await callTool(client, 'verify_claim', trusted)).data).toMatchObject({
      verdict: 'proven',
      checked_by: 'wattfeed on this machine, from the answers of Casper nodes',
    })
    expect((await callTool(client, 'verify_claim', claim)).data.verdict).toBe('matches')
    await client.close()
    expect(await logged).toContain('"msg":"starting"')
  })
})

test.each([
  ['off', null],
  ['full', expect.any(Number)],
])(
  'behavior: TRUSTED_BLOCK_HASH is the block that claims are proven from, with VERIFY=%s; nothing is read from the server that --server names',
  async (VERIFY, block) => {
    const settings = { VERIFY, TRUSTED_BLOCK_HASH: world.genesisHash }
    await using started = await start('2026-07-28', settings, ['--server', 'https://feeds.example/base'])
    const { data } = await callTool(started.client, 'verify_claim', claim)
    expect(data).toMatchObject({ verdict: 'proven', block })
    const { text } = await callTool(started.client, 'get_readings', { feeds: [wti] })
    expect(text).toContain(`wattfeed verify https://feeds.example/v1/feeds/${wti}/proof --trust`)
  },
)

test('error: a dead node is a tool error 502', async () => {
  const dead = { CASPER_RPC_URL: 'http://127.0.0.1:1/rpc', REQUEST_DEADLINE_MS: '200' }
  await using started = await start('2026-07-28', dead)
  const { isError, data } = await callTool(started.client, 'search_feeds')
  expect([isError, data.error]).toMatchObject([true, { status: 502 }])
})

test('error: a wrong setting is a line, and the exit code is 1', async () => {
  const { exitCode, stderr, stdout } = await runToEnd([process.execPath, entry], { RPC_CONCURRENCY: 'x' })
  expect([exitCode, stdout]).toEqual([1, ''])
  expect(stderr).toStartWith('mcp: RPC_CONCURRENCY')
})
