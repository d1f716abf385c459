import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hasBrowser } from '@wattfeed/testing/browser'
import { createRuntimes, type Runtimes } from 'wattfeed/testing/runtimes'
import { createSyntheticChain, syntheticFeedId } from 'wattfeed/testing/syntheticChain'

const chain = createSyntheticChain({ feeds: 1 })
for (let index = 0; index < 150; index++)
  chain.attest(syntheticFeedId(0), { period: 20_261_101 + (index % 30), amount: 10n ** 30n + BigInt(index) })
chain.advance()

const network = {
  chainName: chain.chainName,
  feedRegistryPackageHash: chain.feedRegistryPackageHash,
  attestationRegistryPackageHash: chain.attestationRegistryPackageHash,
}

/** Reads each period's latest value, page by page. */
const program = `
import { createClient } from './client/index.js'
import { createHistory } from './history/index.js'
export async function run(origin) {
  const client = createClient({ ...${JSON.stringify(network)}, rpcUrls: [origin + '/rpc'] })
  const rows = []
  const items = createHistory(client).items('${syntheticFeedId(0)}', { vintages: 'latest', limit: 20 })
  for await (const { index, period_start, revision, amount } of items) rows.push([index, period_start, revision, String(amount)])
  return rows
}`

const expected = Array.from({ length: 30 }, (_, day) => {
  const date = `2026-11-${String(day + 1).padStart(2, '0')}`
  // The chain's first value, of another amount, is of 20 November.
  return [121 + day, date, date === '2026-11-20' ? 5 : 4, String(10n ** 30n + 120n + BigInt(day))]
})

let runtimes: Runtimes

beforeAll(async () => {
  runtimes = await createRuntimes({ entries: ['client', 'history'], text: program, answer: chain.answer })
})

afterAll(() => runtimes[Symbol.asyncDispose]())

describe('wattfeed/history', () => {
  test('default: reads a past in Bun', async () => {
    expect(await runtimes.inBun(runtimes.origin)).toEqual(expected)
  })

  test('default: reads a past in Node.js', async () => {
    expect(await runtimes.inNode(runtimes.origin)).toEqual(expected)
  })

  test.skipIf(!hasBrowser)('default: reads a past in Chromium', async () => {
    expect(await runtimes.inChromium(runtimes.origin)).toEqual(expected)
  })
})
