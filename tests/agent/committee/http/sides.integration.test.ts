import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import type { Signer } from '@wattfeed/casper/transaction'
import { DatasetError, type Leaf } from '@wattfeed/dataset'
import { compareSides, type Side, sideOfFiles } from '@wattfeed/dataset/compare'
import { folderFiles, writeTree } from '@wattfeed/dataset/disk'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import {
  createDownloadLimits,
  SenderLimits,
  StrangerLimits,
} from '../../../../src/agent/committee/http/limits.ts'
import { nextLook } from '../../../support/nextLook.ts'
import {
  headerLines,
  outcomeOf,
  peersOf,
  type SentRequest,
  sendSigned,
  signedHeaders,
  startMember,
} from './exchange.ts'
import { threeSigners } from './threeSigners.ts'

let alice: Signer
/** The receiver, and also a sender. */
let bob: Signer
let carol: Signer
/** Two snapshots that differ a little. */
let earlier: WrittenSide
let later: WrittenSide

beforeAll(async () => {
  ;[alice, bob, carol] = await threeSigners()
  const leaves = Array.from({ length: 4_000 }, (_, at) => leafOf(Math.floor(at / 50), at % 50, `${at}`))
  earlier = await writeSide(leaves, 'the earlier')
  const revised = leaves.flatMap((leaf, at) => (at === 70 ? [] : at % 900 === 7 ? [revisedOf(leaf)] : [leaf]))
  later = await writeSide([...revised, leafOf(80, 3, '1')], 'the later')
})

afterAll(() => {
  earlier[Symbol.dispose]()
  later[Symbol.dispose]()
})

const FEED = 'EIA.R.F'

const leafOf = (series: number, period: number, value: string): Leaf => ({
  ...{ route: 'r', frequency: 'f', column: 'c', facets: { y: `Y${String(series).padStart(4, '0')}` } },
  ...{ period: String(1_000 + period), value, unit: 'u' },
})

const revisedOf = (leaf: Leaf): Leaf => ({ ...leaf, value: 'revised' })

interface WrittenSide extends Side, Disposable {}

/** Opens sorted leaves as a side, from files that are removed at the end. */
async function writeSide(leaves: readonly Leaf[], name: string): Promise<WrittenSide> {
  const folder = createFolder('in memory')
  const written = await writeTree(folder.path, leaves)
  const manifest = {
    ...{ route: 'r', frequency: 'f', columns: ['c'], facets: ['y'], periods: null, retrievedAt: 1 },
    ...written,
  }
  const side = await sideOfFiles(folderFiles(folder.path), manifest, { name })
  return { ...side, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** A side whose answers a test decides. */
const sideThat = (answer: () => Promise<Uint8Array>): Side => ({
  ...{ name: 'it', root: 'ab'.repeat(32), size: 4_000 },
  ...{ digestsOf: answer, leavesOf: answer },
})

/** Opens one side for every request. */
const only = (side: Side) => async () => side

const digestsBody = (changed: object = {}): string =>
  JSON.stringify({ feed_id: FEED, root: later.root, level: 4, runs: [[0, later.size]], ...changed })

const leavesBody = (changed: object = {}): string =>
  JSON.stringify({ feed_id: FEED, root: later.root, indices: [0], ...changed })

const download = (address: string, signer = alice, sent: SentRequest = {}) =>
  sendSigned(address, signer, bob, { path: '/v1/digests', body: digestsBody(), ...sent })

const remoteOf = (address: string, side: Pick<Side, 'root' | 'size'> = later) =>
  peersOf(alice, bob, address).sideOf(bob.keyHash, FEED, side)

describe('snapshots of another member', () => {
  test('default: a comparison over HTTP gives what one in memory gives', async () => {
    const opened: unknown[] = []
    await using bobs = startMember(bob, [alice], {
      async openSide(...args) {
        opened.push(args)
        return later
      },
    })
    const expected = await compareSides(earlier, later, { maxListed: 100 })
    expect(await compareSides(earlier, remoteOf(bobs.address), { maxListed: 100 })).toEqual(expected)
    expect(expected).toMatchObject({ changed: 5, onlyOwn: 1, onlyOther: 1 })
    expect([...new Set(opened.map((each) => JSON.stringify(each)))]).toEqual([
      JSON.stringify([FEED, later.root]),
    ])
    expect(bobs.logged).toEqual([])
  })

  test('default: answers are the bytes of the side', async () => {
    await using bobs = startMember(bob, [alice], { openSide: only(later) })
    const remote = remoteOf(bobs.address)
    const all = [{ first: 0, past: later.size }]
    expect({ ...remote, root: remote.root }).toMatchObject({
      ...{ name: 'member bob', root: later.root, size: later.size },
    })
    for (const level of [0, 1, 2, 3, 4])
      expect(await remote.digestsOf(level, all)).toEqual(await later.digestsOf(level, all))
    const indices = Array.from({ length: 1_024 }, (_, at) => 3 * at)
    expect(await remote.leavesOf(indices)).toEqual(await later.leavesOf(indices))
    const response = await download(bobs.address)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-type': 'application/octet-stream', 'cache-control': 'no-store' },
    })
  })

  test('behavior: the largest requests fit into a body', async () => {
    await using bobs = startMember(bob, [alice], { openSide: only(later) })
    const remote = remoteOf(bobs.address)
    const last = 2 ** 32 - 1
    const runs = Array(1_024).fill({ first: last - 1, past: last })
    const [digests, leaves] = [
      await errorOf(remote.digestsOf(4, runs)),
      await errorOf(remote.leavesOf(Array(1_024).fill(last))),
    ]
    expect(digests.message).toBe(
      `member bob answers HTTP 400: {"error":"the request: names the range from ${last - 1} to ${last}, of 4000 leaves"}`,
    )
    expect(leaves.message).toBe(
      `member bob answers HTTP 400: {"error":"the request: names leaf ${last} of 4000"}`,
    )
  })

  test.each<[string, string, () => string, string[]]>([
    ['a level that is too high', 'digests', () => digestsBody({ level: 5 }), ['body']],
    ['a level below 0', 'digests', () => digestsBody({ level: -1 }), ['body']],
    ['half a level', 'digests', () => digestsBody({ level: 1.5 }), ['body']],
    ['no ranges', 'digests', () => digestsBody({ runs: [] }), ['body']],
    ['too many ranges', 'digests', () => digestsBody({ runs: Array(1_025).fill([0, 1]) }), ['body']],
    ['a range of three', 'digests', () => digestsBody({ runs: [[0, 1, 2]] }), ['body']],
    ['a negative range', 'digests', () => digestsBody({ runs: [[-1, 1]] }), ['body']],
    ['a range beyond 32 bits', 'digests', () => digestsBody({ runs: [[0, 2 ** 32]] }), ['body']],
    ['a root in capitals', 'digests', () => digestsBody({ root: 'AB'.repeat(32) }), ['body']],
    ['a root that is a path', 'digests', () => digestsBody({ root: '../'.repeat(21) }), ['body']],
    ['a long feed id', 'digests', () => digestsBody({ feed_id: 'x'.repeat(257) }), ['body']],
    ['no JSON', 'digests', () => 'no JSON', ['body']],
    ['no leaves', 'leaves', () => leavesBody({ indices: [] }), ['body']],
    ['too many leaves', 'leaves', () => leavesBody({ indices: Array(1_025).fill(0) }), ['body']],
    ['a negative leaf', 'leaves', () => leavesBody({ indices: [-1] }), ['body']],
    ['a leaf beyond 32 bits', 'leaves', () => leavesBody({ indices: [2 ** 32] }), ['body']],
    ['half a leaf', 'leaves', () => leavesBody({ indices: [0.5] }), ['body']],
    ['a root that is a path, for leaves', 'leaves', () => leavesBody({ root: '..' }), ['body']],
    [
      'a range that the snapshot does not have',
      'digests',
      () => digestsBody({ level: 2, runs: [[1, 4_000]] }),
      ['body', 'the request: names the range from 1 to 4000, which the snapshot does not have'],
    ],
    [
      'leaves that it does not have',
      'leaves',
      () => leavesBody({ indices: [4_000] }),
      ['body', 'the request: names leaf 4000 of 4000'],
    ],
  ])('error: %s', async (_, endpoint, bodyOf, [reason = '', message]) => {
    let opened = 0
    await using bobs = startMember(bob, [alice], {
      async openSide() {
        opened += 1
        return later
      },
    })
    const send = (body: string) => download(bobs.address, alice, { path: `/v1/${endpoint}`, body })
    const response = await send(bodyOf())
    expect(await outcomeOf(response)).toEqual([400, reason])
    expect(await response.json()).toEqual({
      error: message ?? "the body is not JSON of the endpoint; compare the members' versions",
    })
    expect([opened, bobs.logged]).toEqual([message === undefined ? 0 : 1, []])
    // It has left its place.
    expect(await outcomeOf(send(endpoint === 'digests' ? digestsBody() : leavesBody()))).toEqual([200, null])
  })

  test('error: a body above 64 kB, and one that nobody signed', async () => {
    await using bobs = startMember(bob, [alice], { openSide: only(later) })
    const large = digestsBody({ more: 'x'.repeat(65_536) })
    expect((await download(bobs.address, alice, { body: large })).status).toBe(413)
    expect(await outcomeOf(download(bobs.address, carol))).toEqual([403, 'unknown_member'])
    expect(await outcomeOf(download(bobs.address, alice, { signedPath: '/v1/leaves' }))).toEqual([
      401,
      'invalid_signature',
    ])
    expect(await outcomeOf(fetch(`${bobs.address}/v1/digests`))).toEqual([404, 'unknown_path'])
  })

  test('error: a snapshot that the member does not have, or of another feed', async () => {
    await using bobs = startMember(bob, [alice], {
      openSide: async (feedId, root) => (feedId === FEED && root === later.root ? later : null),
    })
    const other = 'cd'.repeat(32)
    const requests: [string, string][] = [
      ['/v1/digests', digestsBody({ root: other })],
      ['/v1/leaves', leavesBody({ feed_id: '../secrets' })],
    ]
    for (const [path, body] of requests)
      expect(await outcomeOf(download(bobs.address, alice, { path, body }))).toEqual([404, 'unknown_root'])
    const missing = remoteOf(bobs.address, { root: other, size: 1 })
    expect((await errorOf(missing.leavesOf([0]))).message).toBe(
      `member bob answers HTTP 404: {"error":"this member does not have the snapshot ${other} of ${FEED}"}`,
    )
    expect(await outcomeOf(download(bobs.address))).toEqual([200, null])
  })

  test('error: a snapshot that cannot be read is logged and not shown', async () => {
    const broken = new DatasetError({ what: 'tile/0/000', rule: 'is missing' })
    await using bobs = startMember(bob, [alice], {
      openSide: only(sideThat(() => Promise.reject(broken))),
    })
    const response = await download(bobs.address)
    expect([response.status, await response.json()]).toEqual([500, { error: 'internal error' }])
    expect(bobs.logged).toEqual([['request of a member failed', { err: broken }]])
  })
})

describe('limits of downloads', () => {
  test('behavior: a member that asks too often is refused; its proposals and other members are served', async () => {
    await using bobs = startMember(bob, [alice, carol], {
      openSide: only(later),
      downloadLimits: new SenderLimits({ rate: { burst: 3, perSecond: 0.1 }, now: () => 0 }),
    })
    const flood = await Promise.all(Array.from({ length: 20 }, () => download(bobs.address)))
    const refused = flood.filter(({ status }) => status === 429)
    expect(flood.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(Array(17).fill('10'))
    expect(await outcomeOf(sendSigned(bobs.address, alice, bob))).toEqual([200, null])
    expect(await outcomeOf(download(bobs.address, carol))).toEqual([200, null])
  })

  test('default: the largest comparison is within the limits, and then one download in two seconds', () => {
    let time = 0
    const limits = createDownloadLimits(() => time)
    const enter = () => limits.enter('a', crypto.randomUUID())[Symbol.dispose]()
    for (let count = 0; count < 240; count++) enter()
    expect(enter).toThrow('a member may have at most 0.5 requests per second')
    time += 2_000
    enter()
    expect(enter).toThrow('a member may have at most 0.5 requests per second')
  })

  test('behavior: a member whose downloads take long is refused until it has paused ten times as long; another is served', async () => {
    let time = 0
    const slow = sideThat(async () => {
      time += 2_500
      return new Uint8Array(36)
    })
    await using bobs = startMember(bob, [alice, carol], {
      openSide: only(slow),
      downloadLimits: createDownloadLimits(() => time),
    })
    const answers = []
    for (let count = 0; count < 70; count++) answers.push((await download(bobs.address)).status)
    expect(answers).toEqual([...Array(54).fill(200), ...Array(16).fill(429)])
    const refused = await download(bobs.address)
    expect([refused.headers.get('retry-after'), await refused.text()]).toEqual([
      '18',
      '{"error":"a member may have at most 100 ms of work per second"}',
    ])
    expect((await download(bobs.address, carol)).status).toBe(200)
    time += 18_000
    expect((await download(bobs.address)).status).toBe(200)
    expect((await download(bobs.address)).status).toBe(429)
  })

  test('default: the signatures of as many messages and downloads as a member may send are checked', () => {
    const limits = new StrangerLimits({ total: { burst: 0, perSecond: 1 }, now: () => 0 })
    for (let count = 0; count < 640; count++) limits.count('203.0.113.7', 'a')
    expect(() => limits.count('203.0.113.7', 'a')).toThrow('too many requests without a ticket')
  })

  test('behavior: a proposal is answered while downloads of all members hang', async () => {
    const { side, begun } = hangingSide(2)
    await using bobs = startMember(bob, [alice, bob, carol], { openSide: only(side) })
    const hanging = [alice, bob, carol].map((signer) => download(bobs.address, signer).catch(() => {}))
    await begun
    for (const signer of [alice, carol]) {
      expect(await outcomeOf(sendSigned(bobs.address, signer, bob))).toEqual([200, null])
      expect(await outcomeOf(sendSigned(bobs.address, signer, bob, { path: '/v1/approvals' }))).toEqual([
        200,
        null,
      ])
    }
    await bobs[Symbol.asyncDispose]()
    await Promise.all(hanging)
  })

  test('behavior: two downloads are prepared at once, and a third member waits for its turn', async () => {
    const { side, begun, answer, counted } = hangingSide(2)
    const isThere = Promise.withResolvers<void>()
    await using bobs = startMember(bob, [alice, bob, carol], {
      openSide: only(side),
      onRequest: ({ member }) => (member === carol.keyHash ? isThere.resolve() : undefined),
    })
    const first = [alice, bob].map((signer) => outcomeOf(download(bobs.address, signer)))
    await begun
    const third = outcomeOf(download(bobs.address, carol))
    await isThere.promise
    expect(await outcomeOf(download(bobs.address, carol))).toEqual([429, 'too_many_requests'])
    expect(counted()).toBe(2)
    answer(new Uint8Array(1))
    expect<unknown>(await Promise.all([...first, third])).toEqual(Array(3).fill([200, null]))
    expect(counted()).toBe(3)
  })

  test('behavior: a member has one download in progress, also while nobody waits for it any more', async () => {
    const { side, begun, answer } = hangingSide(1)
    await using bobs = startMember(bob, [alice, carol], { openSide: only(side), timeoutMs: 1_000 })
    const late = await download(bobs.address)
    await begun
    expect([await outcomeOf(late), late.headers.get('retry-after')]).toEqual([[503, 'timeout'], '5'])
    const second = await download(bobs.address, alice, { path: '/v1/leaves', body: leavesBody() })
    expect([await outcomeOf(second), second.headers.get('retry-after')]).toEqual([
      [429, 'too_many_requests'],
      '5',
    ])
    answer(new Uint8Array(1))
    expect(await outcomeOf(download(bobs.address, carol))).toEqual([200, null])
    expect(await outcomeOf(download(bobs.address))).toEqual([200, null])
  })

  test('behavior: work that fails after its time limit leaves the place, and is not shown', async () => {
    const { side, begun, fail } = hangingSide(1)
    await using bobs = startMember(bob, [alice], { openSide: only(side), timeoutMs: 1_000 })
    expect(await outcomeOf(download(bobs.address))).toEqual([503, 'timeout'])
    await begun
    fail(new Error('s3cret'))
    expect((await download(bobs.address)).status).toBe(500)
  })

  test('behavior: a member that reads slowly gets no second answer until it has read the first', async () => {
    await using bobs = startMember(bob, [alice, carol], { openSide: only(sideThat(largeAnswer)) })
    const reader = readSlowly(bobs.server.port)
    await reader.begun
    expect(await outcomeOf(download(bobs.address))).toEqual([429, 'too_many_requests'])
    expect(await outcomeOf(sendSigned(bobs.address, alice, bob))).toEqual([200, null])
    expect((await download(bobs.address, carol)).status).toBe(200)
    reader.socket.resume()
    await reader.ended
    expect((await download(bobs.address)).status).toBe(200)
  })

  test('behavior: a member that leaves before the end of its answer leaves its place', async () => {
    await using bobs = startMember(bob, [alice], { openSide: only(sideThat(largeAnswer)) })
    const reader = readSlowly(bobs.server.port)
    await reader.begun
    reader.socket.destroy()
    expect(await isFreeSoon(bobs.address)).toBe(true)
  })

  test('error: an answer that is not read within the time limit is cut', async () => {
    await using bobs = startMember(bob, [alice], {
      openSide: only(sideThat(largeAnswer)),
      timeoutMs: 1_000,
    })
    const reader = readSlowly(bobs.server.port)
    await reader.begun
    expect(await isFreeSoon(bobs.address)).toBe(true)
    reader.socket.resume()
    await reader.closed
    expect(reader.received()).toBeLessThan(LARGE)
  })
})

/** More than the buffers of a connection hold. */
const LARGE = 32_000_000

const largeAnswer = async () => new Uint8Array(LARGE)

/** Returns whether alice can download again before the usual time limit. */
async function isFreeSoon(address: string): Promise<boolean> {
  for (let looks = 0; looks < 100; looks++) {
    if ((await download(address)).status === 200) return true
    await nextLook(50)
  }
  return false
}

/** A side whose answers wait for the test. */
function hangingSide(expected: number) {
  const begun = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<Uint8Array>()
  let count = 0
  const side = sideThat(() => {
    count += 1
    if (count === expected) begun.resolve()
    return answered.promise
  })
  return {
    side,
    begun: begun.promise,
    answer: answered.resolve,
    fail: answered.reject,
    counted: () => count,
  }
}

interface SlowReader {
  socket: Socket
  /** The first bytes have arrived. Then it reads no more until it is told to. */
  begun: Promise<void>
  ended: Promise<void>
  closed: Promise<void>
  received(): number
}

/** Asks for a download in alice's name over a connection of its own. */
function readSlowly(port: number): SlowReader {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1')
  let received = 0
  socket.on('data', (data) => {
    if (received === 0) socket.pause()
    received += data.length
    begun.resolve()
    if (data.subarray(-5).toString() === '0\r\n\r\n') ended.resolve()
  })
  socket.on('error', () => {})
  socket.on('close', () => closed.resolve())
  const body = digestsBody()
  const headers = headerLines(signedHeaders(alice, bob, { path: '/v1/digests', body }))
  socket.write(
    `POST /v1/digests HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`,
  )
  return {
    ...{ socket, received: () => received },
    ...{ begun: begun.promise, ended: ended.promise, closed: closed.promise },
  }
}
