import { expect, test } from 'bun:test'
import { startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { residentMegabytes } from '../../../bench/rss.ts'
import { startServerProcess } from '../../../src/demo/programs.ts'

// By default a sample; `bun run soak` makes 50,000.
const MCP_CALLS = Number(process.env.MCP_CALLS ?? 400)

const AT_ONCE = 8

/** Maximum growth after the first fifth of the calls, which fill caches. */
const MAX_GROWTH_MB = 30

const feed = 'EIA.PET.PRICE.WTI.DAILY'

const calls = [
  ['search_feeds', { query: 'price' }],
  ['get_readings', { feeds: [feed, 'NO.SUCH.FEED'] }],
  ['get_history', { feed, vintages: 'all' }],
  ['get_status', {}],
  ['search_datasets', { query: 'retail sales' }],
  ['verify_claim', { feed, period: '2026-11-20', value: '70.04' }],
] as const

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Calls a tool, by the protocol of 2025 and of 2026 in turn. */
async function call(url: string, id: number): Promise<void> {
  const [name, args] = calls[id % calls.length] ?? calls[0]
  const isModern = id % 2 === 0
  const params = { name, arguments: args, ...(isModern ? { _meta: modern } : {}) }
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isModern
        ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
        : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  })
  const text = await response.text()
  if (response.status !== 200 || !text.includes('structuredContent') || text.includes('"isError":true'))
    throw new Error(`call ${id} of ${name}: ${response.status} ${text}`)
}

test(
  `behavior: the memory of the server stays flat over ${MCP_CALLS} calls of tools`,
  async () => {
    const node = await startRecordedNode()
    const server = await startServerProcess(
      {
        CASPER_RPC_URL: node.url,
        CASPER_CHAIN_NAME: node.chainName,
        FEED_REGISTRY_PACKAGE_HASH: node.feedRegistryPackageHash,
        ATTESTATION_REGISTRY_PACKAGE_HASH: node.attestationRegistryPackageHash,
        LOG_LEVEL: 'error',
        HOST: '127.0.0.1',
        PORT: '0',
      },
      'ignore',
    )
    try {
      let next = 0
      const run = async (end: number): Promise<void> => {
        const worker = async () => {
          while (next < end) await call(server.url, next++)
        }
        await Promise.all(Array.from({ length: AT_ONCE }, worker))
      }
      await run(MCP_CALLS / 5)
      const before = await residentMegabytes(server.pid)
      await run(MCP_CALLS)
      const after = await residentMegabytes(server.pid)
      if (MCP_CALLS >= 50_000) console.log({ calls: MCP_CALLS, before, after })
      expect(next).toBeGreaterThanOrEqual(MCP_CALLS)
      // A few hundred calls say nothing about leaks.
      if (MCP_CALLS >= 10_000) expect(after - before).toBeLessThan(MAX_GROWTH_MB)
    } finally {
      await server.stop()
      await node.stop()
    }
  },
  20 * 60_000,
)
