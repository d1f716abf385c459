import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { InvalidArgumentError } from '@wattfeed/base'
import { AllNodesFailedError, PackageNotFoundError, type RpcCallEvent } from '@wattfeed/casper'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { type RecordedNode, startRecordedNode } from '@wattfeed/casper-devnet/testing/recordedNode'
import { deadNodeUrl } from '@wattfeed/testing/deadNodeUrl'
import { errorOf } from '@wattfeed/testing/errorOf'
import { clientOf } from 'wattfeed/testing/clientOf'
import type { ClientOptions } from '../../src/client/clientOptions.ts'
import { createClient } from '../../src/client/createClient.ts'
import { casperTest } from '../../src/client/networks.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'
import { decodedHistory } from './decodedHistory.ts'

const fixture = (name: string) => Bun.file(new URL(`../../../../fixtures/chain/${name}`, import.meta.url))
const network = await fixture('network.json').json()
const expectedText = await fixture('expected-readings.json').text()

let node: RecordedNode
beforeAll(async () => {
  node = await startRecordedNode()
})
afterAll(() => node.stop())

const recordedClient = (options: ClientOptions = {}) => clientOf(node, [node.url], options)

const firstParty = 'account-hash-5bf7304d39cdc9c99b8a391234f6ad85c5fdcf41646a55493c3d35b68d6bb193'
const operator = 'account-hash-1ace33e66142d5a0679ba5507ef75b9c09888d1567e86100d1db535fa819a962'
const henryHub = 'EIA.NG.PRICE.HENRYHUB.DAILY'
const hash64 = 'ab'.repeat(32)
const absent = 'ABSENT.FEED.DAILY'
const unregistered = 'UNREGISTERED.VALUE.DAILY'
const withoutValue = 'TEST.NOVALUE.DAILY'

const henryHubHistory = [
  {
    period: 20261118,
    amount: 123450000n,
    source_hash: '54469f44688f748c933ef6dbe21bf16d',
    attester: firstParty,
    timestamp: 1795168488459,
  },
  {
    period: 20261118,
    amount: 3024690n,
    source_hash: '0480a93d2e9b094b89e08e01976089ac',
    attester: firstParty,
    timestamp: 1795168718179,
  },
  {
    period: 20261119,
    amount: 3037035n,
    source_hash: '8721d664ef60096aa559e1aa6c72caf1',
    attester: firstParty,
    timestamp: 1795168722277,
  },
  {
    period: 20261120,
    amount: 3049380n,
    source_hash: '88450b082ec4df2fdccd3a626c6e489b',
    attester: firstParty,
    timestamp: 1795168726426,
  },
]

/** The form in HTTP, where an amount is text. */
const asJson = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item))

describe('the recorded chain', () => {
  test('default: listReadings matches an independent computation, in the same order of keys', async () => {
    const feeds = await recordedClient().listReadings()
    expect(asJson({ count: feeds.length, feeds })).toBe(JSON.stringify(JSON.parse(expectedText)))
  })

  test('behavior: getReading gives every reading of the list, whether or not the list is known', async () => {
    const expected = JSON.parse(expectedText).feeds
    const [listed, unlisted] = [recordedClient(), recordedClient()]
    await listed.listReadings()
    for (const client of [listed, unlisted]) {
      const { getReading } = await client.snapshot()
      const ids: string[] = network.feed_ids
      const readings = (await Promise.all(ids.map((feedId) => getReading(feedId)))).filter(Boolean)
      expect(JSON.parse(asJson(readings))).toEqual(expected)
    }
  })

  test('behavior: getFeed', async () => {
    const client = recordedClient()
    expect(await client.getFeed('TEST.HUGE.MONTHLY')).toEqual({
      decimals: 255,
      unit: '€/MWh',
      title: 'Ünïcödé “title” – 日本語 🚀',
      source: 'EIA',
      route: 'test/huge',
      frequency: 'monthly',
      description: 'line1\nline2\t"quoted" \\ backslash',
    })
    expect(await client.getFeed(withoutValue)).toEqual({
      decimals: 2,
      unit: 'MWh',
      title: 'Registered without value',
      source: 'EIA',
      route: 'test/none',
      frequency: 'daily',
      description: '',
    })
    expect([await client.getFeed(absent), await client.getFeed(unregistered)]).toEqual([null, null])
  })

  test('behavior: getValue', async () => {
    const client = recordedClient()
    expect(await client.getValue(henryHub)).toEqual(henryHubHistory[3] as never)
    expect(await client.getValue('OP.NODE1.DAILY')).toEqual({
      period: 20261119,
      amount: 123456n,
      source_hash: '037aeaeaf4bbf26ddabe7256a8294dc5',
      attester: operator,
      timestamp: 1795168738718,
    })
    expect(await client.getValue('TEST.WIDE.QUARTERLY')).toEqual({
      period: 2 ** 64,
      amount: 1n,
      source_hash: '',
      attester: firstParty,
      timestamp: 1795168705887,
    })
    expect([await client.getValue(absent), await client.getValue(withoutValue)]).toEqual([null, null])
  })

  test('behavior: a value without a feed is a value, and no reading', async () => {
    const client = recordedClient()
    expect(await client.getValue(unregistered)).toEqual({
      period: 20260101,
      amount: 42n,
      source_hash: '0bfe935e70c321c7ca3afc75ce0d0ca2',
      attester: firstParty,
      timestamp: 1795168709984,
    })
    expect([await client.getReading(unregistered), await client.getClaimant(unregistered)]).toEqual([
      null,
      null,
    ])
    await client.listReadings()
    expect(await client.getReading(unregistered)).toBeNull()
  })

  test('behavior: an odd id is an id, and ids are case-sensitive', async () => {
    const client = recordedClient()
    expect(await client.getReading('test/odd id?#%&+ é')).toMatchObject({ value: 1.5, amount: 15n })
    for (const id of [
      'test/odd id?#%&+ e\u0301',
      'TEST/ODD ID?#%&+ É',
      henryHub.toLowerCase(),
      `${henryHub} `,
      '',
    ])
      expect(await client.getReading(id)).toBeNull()
  })

  test('behavior: feedCount, feedIdAt and listFeedIds', async () => {
    const client = recordedClient()
    expect([await client.feedCount(), (await client.listFeedIds()).length]).toEqual([43, 43])
    expect(await client.listFeedIds()).toEqual(network.feed_ids)
    expect([await client.feedIdAt(0), await client.feedIdAt(40), await client.feedIdAt(42)]).toEqual([
      henryHub,
      'test/odd id?#%&+ é',
      'OP.NODE1.DAILY',
    ])
    expect([await client.feedIdAt(43), await client.feedIdAt(2 ** 53 - 1)]).toEqual([null, null])
    expect(await client.feedCount()).toBe(43)
  })

  test('behavior: getValueCount and getValueAt', async () => {
    const client = recordedClient()
    expect([await client.getValueCount(henryHub), await client.getValueCount(withoutValue)]).toEqual([4, 0])
    expect(await client.getValueCount(absent)).toBe(0)
    for (const [index, value] of henryHubHistory.entries())
      expect(await client.getValueAt(henryHub, index)).toEqual(value)
    expect([await client.getValueAt(henryHub, 4), await client.getValueAt(absent, 0)]).toEqual([null, null])
  })

  test('behavior: the history of every feed', async () => {
    const snapshot = await recordedClient().snapshot()
    const expected = decodedHistory()
    expect([...expected.values()].flat()).toHaveLength(49)
    for (const feedId of network.feed_ids) {
      const history = await snapshot.getValueHistory(feedId)
      expect([feedId, history]).toEqual([feedId, expected.get(feedId) ?? []])
      expect(await snapshot.getValueCount(feedId)).toBe(history.length)
      expect(await snapshot.getValue(feedId)).toEqual(history.at(-1) ?? null)
    }
  })

  test('behavior: totalAttestations, getFirstPartyAttester and getClaimant', async () => {
    const client = recordedClient()
    expect([await client.totalAttestations(), await client.getFirstPartyAttester()]).toEqual([50, firstParty])
    expect(await client.getClaimant('OP.NODE1.DAILY')).toBe(operator)
    expect([await client.getClaimant(henryHub), await client.getClaimant(withoutValue)]).toEqual([
      firstParty,
      firstParty,
    ])
    expect(await client.getClaimant(absent)).toBeNull()
  })

  test('behavior: a call that was not recorded is an error, not absence', async () => {
    const error = await errorOf(recordedClient().getValueCount(unregistered))
    expect(error.message).toContain('Not recorded')
  })
})

describe('createClient', () => {
  test('default: the public test network', async () => {
    const asked: string[] = []
    const { fetch } = {
      fetch: async (url: string) => {
        asked.push(url)
        return new Response('', { status: 403 })
      },
    }
    expect((await errorOf(createClient({ fetch }).feedCount())).message).toContain('HTTP 403')
    expect(new Set(asked)).toEqual(new Set(casperTest.rpcUrls))
  })

  test('default: the fetch of the platform, looked up when it is used', async () => {
    const client = createClient({ rpcUrls: ['http://node.test/rpc'] })
    const original = globalThis.fetch
    let calls = 0
    globalThis.fetch = Object.assign(
      async () => {
        calls++
        return new Response('', { status: 403 })
      },
      { preconnect: original.preconnect },
    )
    try {
      expect((await errorOf(client.feedCount())).message).toContain('HTTP 403')
    } finally {
      globalThis.fetch = original
    }
    expect(calls).toBeGreaterThan(0)
  })

  test('behavior: no request is sent before the first read', async () => {
    let calls = 0
    createClient({
      fetch: async () => {
        calls++
        return new Response()
      },
    })
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(calls).toBe(0)
  })

  test('behavior: package hashes with and without their prefix', async () => {
    const strip = (hash: string) => hash.replace('hash-', '').toUpperCase()
    const client = recordedClient({
      feedRegistryPackageHash: strip(node.feedRegistryPackageHash),
      attestationRegistryPackageHash: strip(node.attestationRegistryPackageHash),
    })
    expect([await client.feedCount(), await client.totalAttestations()]).toEqual([43, 50])
  })

  test('behavior: every call is reported, one by one', async () => {
    const events: RpcCallEvent[] = []
    const client = recordedClient({ observe: { rpcCall: (event) => events.push(event) } })
    await client.listReadings()
    const counts = Object.groupBy(events, ({ method }) => method)
    expect(Object.fromEntries(Object.entries(counts).map(([method, all]) => [method, all?.length]))).toEqual({
      info_get_status: 1,
      chain_get_state_root_hash: 1,
      query_global_state: 6,
      state_get_dictionary_item: 1 + 3 * 43,
    })
    const { host } = new URL(node.url)
    // One of the feeds has no value: that is an answer, not a failure.
    expect(events.filter(({ errorCode }) => errorCode !== null)).toEqual([])
    expect(events.every((event) => event.host === host && event.durationMs >= 0)).toBeTrue()
  })

  test('behavior: functions need no client around them', async () => {
    const { getReading, snapshot } = recordedClient()
    const { feedCount } = await snapshot()
    expect([(await getReading(henryHub))?.value, await feedCount()]).toEqual([3.04938, 43])
  })

  test('behavior: at most so many calls are under way at once', async () => {
    const chain = await createRegistryChain({ feeds: 30 })
    let underWay = 0
    let most = 0
    await using counted = await startCountedNode(chain.answer)
    const client = clientOf(chain, [counted.url], {
      concurrency: 5,
      async fetch(url, init) {
        most = Math.max(most, ++underWay)
        const text = await (await fetch(url, init)).text()
        underWay--
        return new Response(text)
      },
    })
    expect([...(await client.listReadings())]).toEqual(chain.readings())
    expect(most).toBe(5)
  })

  test('behavior: credentials of a URL go into a header', async () => {
    const headers: unknown[] = []
    const { host } = new URL(node.url)
    const client = recordedClient({
      rpcUrls: [`http://user:pass%20word@${host}/rpc`],
      fetch: (url, init) => {
        headers.push(init.headers)
        expect(url).toBe(node.url)
        return fetch(url, init)
      },
    })
    expect(await client.feedCount()).toBe(43)
    for (const each of headers)
      expect(each).toMatchObject({ authorization: `Basic ${btoa('user:pass word')}` })
  })

  test('error: credentials of a URL are in no message', async () => {
    const { host } = new URL(await deadNodeUrl())
    const url = `http://user:secret@${host}/token-secret?key=secret`
    const error = await errorOf(recordedClient({ rpcUrls: [url] }).feedCount())
    expect(error.message).toContain(host)
    expect(Bun.inspect(error, { depth: 10 })).not.toContain('secret')
  })

  test('error: a node of another chain', async () => {
    const error = await errorOf(recordedClient({ chainName: 'casper' }).getReading(henryHub))
    expect(error).toBeInstanceOf(AllNodesFailedError)
    expect(error.retryable).toBeFalse()
    expect(error.message).toContain('the node serves the chain "casper-net-1", not "casper"')
  })

  test('error: a package that does not exist', async () => {
    const hash = '00'.repeat(32)
    for (const [registry, options] of [
      ['FeedRegistry', { feedRegistryPackageHash: hash }],
      ['AttestationRegistry', { attestationRegistryPackageHash: hash }],
    ] as const)
      for (const id of [henryHub, absent])
        expect(await errorOf(recordedClient(options).getReading(id))).toEqual(
          new PackageNotFoundError(registry, hash, 'no contract package'),
        )
  })
})

/** Options from JavaScript, with the option's name and its rule. */
function untyped(values: Record<string, [unknown, string][]>): [ClientOptions, string, string][] {
  return Object.entries(values).flatMap(([name, cases]) =>
    cases.map(([value, rule]): [ClientOptions, string, string] => [{ [name]: value }, name, rule]),
  )
}

describe('options', () => {
  const positive = 'a positive integer'
  const duration = 'an integer from 1 to 2147483647'
  const url = 'a URL that starts with http:// or https://'
  const hash = '64 hex digits, with or without "hash-" before them'
  const broken: [ClientOptions, string, string][] = [
    [{ rpcUrls: [] }, 'rpcUrls', 'a list of at least one URL'],
    [{ rpcUrls: ['http://a/rpc', 'ftp://user:secret@a/rpc'] }, 'rpcUrls', url],
    [{ rpcUrls: ['user:secret@node'] }, 'rpcUrls', url],
    [{ feedRegistryPackageHash: 'hash-12' }, 'feedRegistryPackageHash', hash],
    [{ attestationRegistryPackageHash: '' }, 'attestationRegistryPackageHash', hash],
    [{ timeoutMs: 0 }, 'timeoutMs', duration],
    [{ timeoutMs: -1 }, 'timeoutMs', duration],
    [{ deadlineMs: 0.5 }, 'deadlineMs', duration],
    [{ deadlineMs: Number.NaN }, 'deadlineMs', duration],
    [{ deadlineMs: Number.POSITIVE_INFINITY }, 'deadlineMs', duration],
    // A timer of more than 2^31 - 1 ms fires immediately.
    [{ deadlineMs: 2 ** 31 }, 'deadlineMs', duration],
    [{ timeoutMs: Number.MAX_SAFE_INTEGER }, 'timeoutMs', duration],
    [{ maxStalenessMs: -1 }, 'maxStalenessMs', 'an integer from 0 to 2147483647'],
    [{ maxStalenessMs: Number.NaN }, 'maxStalenessMs', 'an integer from 0 to 2147483647'],
    [{ maxStalenessMs: '5' as unknown as number }, 'maxStalenessMs', 'an integer from 0 to 2147483647'],
    [{ concurrency: 0 }, 'concurrency', positive],
    [{ retryAfterMaxMs: -1 }, 'retryAfterMaxMs', 'an integer from 0 to 2147483647'],
    ...untyped({
      rpcUrls: [
        ['http://a/rpc', 'a list of at least one URL'],
        [{ 0: 'http://a/rpc', length: 1 }, 'a list of at least one URL'],
        [null, 'a list of at least one URL'],
        [[5], url],
        [[new URL('http://a/rpc')], url],
        [[null], url],
      ],
      chainName: [
        [5, 'of type string'],
        [null, 'of type string'],
      ],
      fetch: [
        [5, 'of type function'],
        ['http://a/rpc', 'of type function'],
      ],
      observe: [
        [5, 'of type object'],
        [null, 'of type object'],
      ],
      checkpoint: [
        ['file', 'of type object'],
        [null, 'of type object'],
      ],
      feedRegistryPackageHash: [[5, hash]],
    }),
    [{ concurrency: '8' as unknown as number }, 'concurrency', positive],
  ]
  const named = broken.map(([options, ...rest]) => {
    const [name, value] = Object.entries(options)[0] ?? []
    return [`${name}: ${String(value).replace('secret', '…')}`, options, ...rest] as const
  })
  test.each(named)('error: %s', (_, options, argument, rule) => {
    let error: unknown = null
    try {
      createClient(options)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toEqual(new InvalidArgumentError(argument, rule))
    expect(Bun.inspect(error)).not.toContain('secret')
  })

  test('error: members that are no functions', () => {
    const wrong: [object, string][] = [
      [{ observe: { rpcCall: 5 } }, 'observe.rpcCall'],
      [{ observe: { advance: null } }, 'observe.advance'],
      [{ checkpoint: { load: () => null } }, 'checkpoint.save'],
      [{ checkpoint: { save: () => {} } }, 'checkpoint.load'],
    ]
    for (const [options, argument] of wrong)
      expect(() => createClient(options)).toThrow(new InvalidArgumentError(argument, 'of type function'))
    createClient({ ...Object({ observe: { rpcCall: undefined } }) })
  })

  test.each([
    [{ rpcUrl: 'http://a/rpc' }, 'rpcUrl', 'rpcUrls'],
    [{ url: 'http://a/rpc' }, 'url', 'rpcUrls'],
    [{ chain: 'casper' }, 'chain', 'chainName'],
    [{ timeout: 5 }, 'timeout', 'timeoutMs'],
    [{ feedRegistry: 'ab' }, 'feedRegistry', 'feedRegistryPackageHash'],
    [{ Verify: 'proofs' }, 'Verify', 'verify'],
    [{ __proto__: null, constructor: 1 }, 'constructor', 'concurrency'],
    [{ TimeoutMs: undefined }, 'TimeoutMs', 'timeoutMs'],
    [{ observe: { RpcCall: () => {} } }, 'observe.RpcCall', 'observe.rpcCall'],
  ])('error: %p: the option does not exist, and the nearest one is named', (options, argument, nearest) => {
    expect(() => createClient(options as ClientOptions)).toThrow(
      new InvalidArgumentError(argument, `left out: there is no such option; the nearest is ${nearest}`),
    )
  })

  test('behavior: every option of the type exists', () => {
    const every: Required<ClientOptions> = {
      ...casperTest,
      rpcAuthorization: {},
      timeoutMs: 1,
      deadlineMs: 1,
      retryAfterMaxMs: 1,
      concurrency: 1,
      maxStalenessMs: 1,
      verify: 'full',
      trustedBlockHash: hash64,
      maxHeadAgeMs: 1,
      requireAbsenceProof: true,
      checkpoint: { load: async () => null, save: async () => {} },
      fetch: globalThis.fetch,
      observe: {
        rpcCall: () => {},
        rejected: () => {},
        advance: () => {},
        absence: () => {},
        checkpointFailed: () => {},
      },
    }
    expect(createClient(every).status().block).toBeNull()
  })

  test.each([
    [{}, 'feedRegistryPackageHash and attestationRegistryPackageHash'],
    [{ feedRegistryPackageHash: hash64 }, 'attestationRegistryPackageHash'],
    [{ attestationRegistryPackageHash: hash64 }, 'feedRegistryPackageHash'],
  ])('error: another chain with %p: the missing package hashes are named', (hashes, missing) => {
    const options = { rpcUrls: ['http://127.0.0.1:11101/rpc'], chainName: 'casper-devnet', ...hashes }
    expect(() => createClient(options)).toThrow(
      new InvalidArgumentError(missing, 'given: the defaults are on casper-test, not on casper-devnet'),
    )
  })

  test('error: options that are no object', () => {
    for (const options of [null, 5, 'http://a/rpc', () => {}])
      expect(() => Reflect.apply(createClient, null, [options])).toThrow(
        new InvalidArgumentError('options', 'of type object'),
      )
  })
})

describe('arguments', () => {
  test('error: an argument that breaks a rule is not sent to a node', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    await using counted = await startCountedNode(chain.answer)
    const client = clientOf(chain, [counted.url])
    const id = testFeedId(0)
    const reads: [string, Promise<unknown>][] = [
      ['feedId', client.getValue('\ud800')],
      ['feedId', client.getFeed('\ud800')],
      ['feedId', client.getReading('\ud800')],
      ['feedId', client.getValueAt('\ud800', 0)],
      ['feedId', client.getValueCount('\ud800')],
      ['feedId', client.getValueHistory('\ud800')],
      ['feedId', client.getClaimant('\ud800')],
      ['index', client.feedIdAt(-1)],
      ['index', client.getValueAt(id, -1)],
      ['from', client.getValueHistory(id, { from: -1 })],
      ['to', client.getValueHistory(id, { to: 0.5 })],
    ]
    for (const [argument, read] of reads) {
      const error = await errorOf(read)
      expect(error).toBeInstanceOf(InvalidArgumentError)
      expect(error).toMatchObject({ argument })
    }
    expect(counted.calls.total()).toBe(0)
  })
})
