import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRuntimes, type Runtimes } from 'wattfeed/testing/runtimes'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'
import {
  answer,
  attested,
  type Exchange,
  positionOf,
  send,
  startScriptedServer,
  stream,
} from './streamScript.ts'

const chain = createSyntheticChain({ feeds: 2 })
for (let index = 0; index < 5; index++)
  chain.attest(syntheticFeedId(0), { period: 20_261_101 + index, amount: 10n ** 30n + BigInt(index) })
chain.advance()

const network = {
  chainName: chain.chainName,
  feedRegistryPackageHash: chain.feedRegistryPackageHash,
  attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
}
const shortHash = (packageHash: string): string => packageHash.replace('hash-', '').slice(0, 8)
const begin = `${shortHash(network.feedRegistryPackageHash)}-${shortHash(network.attestationRegistryPackageHash)}-00000000.f0.a0`

/** Watches the chain from its first event, and a server whose stream breaks after each item. */
const program = `
import { createClient } from './client/index.js'
import { watch, watchServer } from './live/index.js'
const rowOf = ({ event, data }) => [event, data?.log_index, String(data?.amount)]
async function fromNode(origin) {
  const client = createClient({ ...${JSON.stringify(network)}, rpcUrls: [origin + '/rpc'] })
  const rows = []
  for await (const item of watch(client, { from: '${begin}', ids: ['${syntheticFeedId(0)}'] })) {
    if (item.event !== 'position') rows.push(rowOf(item))
    if (item.data?.amount === ${10n ** 30n + 4n}n) return rows
  }
}
async function fromServer(url) {
  const rows = []
  for await (const item of watchServer(url, { from: '${positionOf(0)}', minPauseMs: 1 })) {
    if (rows.push(rowOf(item)) === 4) return rows
    await fetch(url + '/cut')
  }
}
export const run = async (url, origin) => [await fromServer(url), await fromNode(origin)]`

const attestedRows = Array.from({ length: 4 }, (_, index) => ['attested', index, String(index)])

// Each feed starts with one value. The other feed's value is not requested.
const chainRows = [
  ['feed', 0, 'null'],
  ['attested', 0, '0'],
  ...Array.from({ length: 5 }, (_, index) => ['attested', 2 + index, String(10n ** 30n + BigInt(index))]),
]

const expected = [attestedRows, chainRows]

/** Streams one event and half of the next, and disconnects on demand. */
function startBreakingServer() {
  let streaming: Exchange | null = null
  const headers = { 'access-control-allow-origin': '*' }
  return startScriptedServer((exchange) => {
    if (exchange.target === '/cut') {
      if (streaming !== null) send(streaming, attested(99).slice(0, 50))
      streaming?.socket.end()
      return answer(200, headers)(exchange)
    }
    streaming = exchange
    stream(attested(Number(/\.a(\d+)$/.exec(exchange.target)?.[1])))(exchange)
  })
}

let runtimes: Runtimes
let server: Awaited<ReturnType<typeof startBreakingServer>>

beforeAll(async () => {
  runtimes = await createRuntimes({ entries: ['client', 'live'], text: program, answer: chain.answer })
  server = await startBreakingServer()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await runtimes[Symbol.asyncDispose]()
})

describe('wattfeed/live', () => {
  test('default: watches a node and a server in Bun', async () => {
    expect(await runtimes.inBun(server.url, runtimes.origin)).toEqual(expected)
  })

  test('default: watches both in Node.js', async () => {
    expect(await runtimes.inNode(server.url, runtimes.origin)).toEqual(expected)
  })

  test.skipIf(!hasBrowser)(
    'default: watches both in Chromium, the server of another origin without asking it for leave',
    async () => {
      const before = server.exchanges.length
      expect(await runtimes.inChromium(server.url, runtimes.origin)).toEqual(expected)
      const asked = server.targets().slice(before)
      expect(asked.filter((target) => target !== '/cut')).toEqual(
        [0, 1, 2, 3].map((count) => `/v1/stream?from=${positionOf(count)}`),
      )
    },
  )
})
