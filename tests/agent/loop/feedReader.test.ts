import { describe, expect, test } from 'bun:test'
import { feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { createFeedReader, loadSeenTimes, saveSeenTimes } from '../../../src/agent/loop/feedReader.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'
import { attestationOf, createFakeChain, feedOf, firstBlock, owner, ROOT } from './fakes.ts'

const feeds = [feedOf('A'), feedOf('B')]

describe('createFeedReader', () => {
  test('default: what the chain holds of a feed, at one state root', async () => {
    const chain = createFakeChain(feeds)
    const latest = attestationOf()
    chain.set('EIA.A', { latest })
    const reader = createFeedReader(chain.client, firstBlock)
    expect(await reader.read('EIA.A')).toEqual({
      feedId: 'EIA.A',
      feed: feedMetadata(feedOf('A')),
      latest,
      claimant: owner,
    })
    expect(await reader.read('EIA.NOPE')).toEqual({
      feedId: 'EIA.NOPE',
      feed: null,
      latest: null,
      claimant: null,
    })
    expect(chain.snapshots()).toBe(2)
  })

  test('error: a node that does not know a value that was read or attested before', async () => {
    const chain = createFakeChain(feeds)
    const reader = createFeedReader(chain.client, firstBlock)
    chain.set('EIA.A', { latest: attestationOf({ timestamp: 1_000 }) })
    await reader.read('EIA.A')
    chain.set('EIA.A', { latest: null })
    const error = await errorOf(reader.read('EIA.A'))
    expect<unknown>({ ...error }).toEqual({
      code: 'lagging_value',
      retryable: true,
      feedId: 'EIA.A',
      seenAt: 1_000,
    })
    chain.set('EIA.A', { latest: attestationOf({ timestamp: 1_000 }) })
    reader.saw('EIA.A', { timestamp: 2_000 })
    reader.saw('EIA.A', { timestamp: 500 })
    expect((await errorOf(reader.read('EIA.A'))).message).toBe(
      'the node lags behind: it does not know the value of EIA.A of 1970-01-01T00:00:02.000Z yet; it is asked again later',
    )
  })

  test('behavior: a node with a later block does not lag, the chain was started anew', async () => {
    const chain = createFakeChain(feeds)
    let block = { stateRootHash: ROOT, timestamp: 2_000 }
    const reader = createFeedReader(chain.client, async () => block)
    const set = (timestamp: number) => chain.set('EIA.A', { latest: attestationOf({ timestamp }) })
    reader.saw('EIA.A', { timestamp: 2_000 })
    set(1_000)
    const factsOf = async () => ({ ...(await errorOf(reader.read('EIA.A'))) })
    expect(await factsOf()).toMatchObject({ code: 'lagging_value' })
    // The block is another node's: it says nothing of the state that was read.
    block = { stateRootHash: '00'.repeat(32), timestamp: 3_000 }
    expect(await factsOf()).toMatchObject({ code: 'lagging_value' })
    block = { stateRootHash: ROOT, timestamp: 2_001 }
    expect((await reader.read('EIA.A')).latest?.timestamp).toBe(1_000)
    // From now on it counts what this chain says.
    block = { stateRootHash: ROOT, timestamp: 0 }
    set(1_500)
    await reader.read('EIA.A')
    set(1_400)
    expect(await factsOf()).toMatchObject({ code: 'lagging_value', seenAt: 1_500 })
  })

  test('behavior: transactions that settle together keep all that they attested', async () => {
    using folder = createFolder()
    const path = `${folder.path}/newest.json`
    const ids = Array.from({ length: 20 }, (_, index) => `EIA.${index}`)
    await Promise.all(ids.map((id, index) => saveSeenTimes(path, new Map([[id, index]]))))
    expect([...loadSeenTimes(path)]).toEqual(ids.map((id, index) => [id, index]))
  })

  test('behavior: after a restart, what was attested before is still known: a node without it lags', async () => {
    using folder = createFolder()
    const path = `${folder.path}/state/newest.json`
    expect(loadSeenTimes(path)).toEqual(new Map())
    await saveSeenTimes(path, new Map([['EIA.A', 2_000]]))
    // Another process on the same folder, which knows other feeds, and older values.
    await saveSeenTimes(
      path,
      new Map([
        ['EIA.A', 1_000],
        ['EIA.B', 3_000],
      ]),
    )
    const seen = loadSeenTimes(path)
    expect([...seen]).toEqual([
      ['EIA.A', 2_000],
      ['EIA.B', 3_000],
    ])
    const chain = createFakeChain(feeds)
    chain.set('EIA.A', { latest: attestationOf({ timestamp: 1_000 }) })
    const error = await errorOf(createFeedReader(chain.client, firstBlock, seen).read('EIA.A'))
    expect(error).toMatchObject({ code: 'lagging_value', seenAt: 2_000 })
    folder.write('broken.json', '{"EIA.A":')
    expect(loadSeenTimes(`${folder.path}/broken.json`)).toEqual(new Map())
  })
})
