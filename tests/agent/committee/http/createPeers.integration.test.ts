import { beforeAll, describe, expect, test } from 'bun:test'
import { testSigner } from '@wattfeed/casper/testing/keys'
import type { Signer } from '@wattfeed/casper/transaction'
import { compareSides, sideLimits } from '@wattfeed/dataset/compare'
import { errorOf } from '@wattfeed/testing/errorOf'
import { PeerError } from '../../../../src/agent/committee/http/callMember.ts'
import type { PeerCall } from '../../../../src/agent/committee/http/createPeers.ts'
import type { Peers } from '../../../../src/agent/committee/memberState.ts'
import { freePort } from '../../../support/ports.ts'
import { peersOf, transactionOf } from './exchange.ts'

let alice: Signer
let bob: Signer

beforeAll(async () => {
  alice = await testSigner()
  bob = await testSigner('secp256k1')
})

/** Serves one answer for every request. */
const serve = (answer: (request: Request) => Response | Promise<Response>) => {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  return {
    address: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

const send = (peers: Peers) => peers.send(bob.keyHash, transactionOf(alice))

/** Returns the reason why a request failed. */
async function reasonOf(peers: Peers): Promise<string> {
  const error = await errorOf(send(peers))
  if (error instanceof PeerError) return error.reason
  throw error
}

describe('createPeers', () => {
  test.each<[string, () => Response, string]>([
    [
      'an answer with a code that this version does not know',
      () => Response.json({ refusal: { code: 'new' } }),
      'answers HTTP 200: {"refusal":{"code":"new"}}',
    ],
    ['no JSON', () => new Response('<p>'), 'answers HTTP 200: <p>'],
    ['an error', () => new Response('bad\u001b[1m', { status: 502 }), 'answers HTTP 502: bad\\u{1b}[1m'],
    [
      'an answer above 64 kB',
      () => new Response('x'.repeat(65_537)),
      'sends an answer that is larger than 65536 bytes',
    ],
    [
      'an answer that is not in its encoding',
      () => new Response('x', { headers: { 'content-encoding': 'gzip' } }),
      'sends an answer that is compressed in a way that cannot be unpacked',
    ],
  ])('error: %s', async (_, answer, reason) => {
    await using server = serve(answer)
    expect(await reasonOf(peersOf(alice, bob, server.address))).toBe(reason)
  })

  test('error: a redirect is not followed', async () => {
    let followed = 0
    await using other = serve(() => Response.json({ refusal: null, followed: followed++ }))
    await using server = serve(() => Response.redirect(other.address, 307))
    expect(await reasonOf(peersOf(alice, bob, server.address))).toBe('answers HTTP 307: ')
    expect(followed).toBe(0)
  })

  test('error: a member that hangs, before or in its answer, and one that is down', async () => {
    await using silent = serve(() => new Promise<Response>(() => {}))
    await using slow = serve(() => new Response(new ReadableStream({ start: (body) => body.enqueue('{') })))
    const late = 'does not answer within 50 ms'
    expect(await reasonOf(peersOf(alice, bob, silent.address, { timeoutMs: 50 }))).toBe(late)
    expect(await reasonOf(peersOf(alice, bob, slow.address, { timeoutMs: 50 }))).toBe(late)
    const down = `http://127.0.0.1:${await freePort()}`
    expect(await reasonOf(peersOf(alice, bob, down))).toBe('refuses or closes the connection')
  })

  test('behavior: each call is reported, and an announcement never throws', async () => {
    const calls: PeerCall[] = []
    const reported = Promise.withResolvers<void>()
    let time = 0
    const down = `http://127.0.0.1:${await freePort()}`
    const peers = peersOf(alice, bob, down, {
      now: () => (time += 5),
      onCall(call) {
        calls.push(call)
        reported.resolve()
      },
    })
    expect(peers.members).toEqual([bob.keyHash])
    peers.announce(bob.keyHash, 'EIA.A')
    await reported.promise
    expect(calls).toEqual([
      {
        member: bob.keyHash,
        path: '/v1/announcements',
        durationMs: expect.any(Number),
        error: new PeerError('bob', 'refuses or closes the connection'),
      },
    ])
  })

  test('behavior: a member that asks for a pause gets no request until then', async () => {
    let time = 0
    let requests = 0
    await using server = serve(() => {
      requests += 1
      return requests === 1
        ? Response.json({}, { status: 429, headers: { 'retry-after': '7' } })
        : Response.json({ refusal: null })
    })
    const peers = peersOf(alice, bob, server.address, { now: () => time })
    expect(await reasonOf(peers)).toBe('answers HTTP 429: {}')
    time = 6_999
    expect([await reasonOf(peers), requests]).toEqual(['has asked for a pause', 1])
    time = 7_000
    expect([await send(peers), requests]).toEqual([null, 2])
  })

  test('behavior: a member that hangs gets a few connections, and a limited number of requests waits', async () => {
    const begun = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    let requests = 0
    await using server = serve(async () => {
      if (++requests === 8) begun.resolve()
      await answer.promise
      return Response.json({ refusal: null })
    })
    const peers = peersOf(alice, bob, server.address)
    const sent = Array.from({ length: 208 }, () => send(peers))
    await begun.promise
    expect([await reasonOf(peers), requests]).toEqual(['is too slow: 200 requests wait', 8])
    answer.resolve()
    expect(await Promise.all(sent)).toEqual(sent.map(() => null))
  })
})

const BYTES = { 'content-type': 'application/octet-stream' }

/** Answers with bytes that never end. */
const endless = () =>
  new Response(new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(65_536)) }), {
    headers: BYTES,
  })

const sideOf = (peers: Peers) => peers.sideOf(bob.keyHash, 'EIA.R.F', { root: 'ab'.repeat(32), size: 100 })

const askDigests = (peers: Peers) => sideOf(peers).digestsOf(4, [{ first: 0, past: 100 }])

const askLeaves = (peers: Peers) => sideOf(peers).leavesOf([0])

describe('createPeers with the snapshot of another member', () => {
  test('default: what is asked for, signed, and the bytes of the answer', async () => {
    const asked: unknown[] = []
    await using server = serve(async (request) => {
      const { pathname } = new URL(request.url)
      asked.push([request.method, pathname, await request.json(), request.headers.has('wattfeed-signature')])
      return new Response(new Uint8Array([1, 2, 3]), { headers: BYTES })
    })
    const peers = peersOf(alice, bob, server.address)
    const side = sideOf(peers)
    expect([side.name, side.root, side.size]).toEqual(['member bob', 'ab'.repeat(32), 100])
    const runs = [
      { first: 0, past: 7 },
      { first: 7, past: 100 },
    ]
    expect(await side.digestsOf(3, runs)).toEqual(new Uint8Array([1, 2, 3]))
    expect(await side.leavesOf([5, 6])).toEqual(new Uint8Array([1, 2, 3]))
    const snapshot = { feed_id: 'EIA.R.F', root: 'ab'.repeat(32) }
    const digests = {
      ...snapshot,
      level: 3,
      runs: [
        [0, 7],
        [7, 100],
      ],
    }
    expect(asked).toEqual([
      ['POST', '/v1/digests', digests, true],
      ['POST', '/v1/leaves', { ...snapshot, indices: [5, 6] }, true],
    ])
    expect(() => peers.sideOf(alice.keyHash, 'EIA.R.F', side)).toThrow(`${alice.keyHash} is not a peer`)
  })

  const bytesOf = (length: number) => new Response(new Uint8Array(length), { headers: BYTES })
  const tooLong = (max: number) => `sends an answer that is larger than ${max} bytes`

  test.each<[string, typeof askLeaves, () => Response, string]>([
    [
      'more bytes than digests may have',
      askDigests,
      () => bytesOf(sideLimits.digestBytes + 1),
      tooLong(1_179_648),
    ],
    [
      'more bytes than leaves may have',
      askLeaves,
      () => bytesOf(sideLimits.leafBytes + 1),
      tooLong(4_196_352),
    ],
    ['endless digests', askDigests, endless, tooLong(1_179_648)],
    ['endless leaves', askLeaves, endless, tooLong(4_196_352)],
    [
      'an error above 64 kB',
      askLeaves,
      () => new Response(' '.repeat(65_537), { status: 500 }),
      tooLong(65_536),
    ],
    ['JSON', askDigests, () => Response.json({ refusal: null }), 'answers HTTP 200: {"refusal":null}'],
    ['text', askDigests, () => new Response('A'), 'answers HTTP 200: A'],
    [
      'bytes with another status',
      askDigests,
      () => new Response('A', { status: 206, headers: BYTES }),
      'answers HTTP 206: A',
    ],
    ['a redirect', askLeaves, () => Response.redirect('http://127.0.0.1:9', 307), 'answers HTTP 307: '],
  ])('error: %s', async (_, ask, answer, reason) => {
    await using server = serve(answer)
    const error = await errorOf(ask(peersOf(alice, bob, server.address)))
    expect([error.constructor, error.message]).toEqual([PeerError, `member bob ${reason}`])
  })

  test('error: a member that hangs, before or in its answer', async () => {
    await using silent = serve(() => new Promise<Response>(() => {}))
    await using slow = serve(
      () =>
        new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(36)) }), {
          headers: BYTES,
        }),
    )
    for (const { address } of [silent, slow]) {
      const peers = peersOf(alice, bob, address, { timeoutMs: 50 })
      expect((await errorOf(askLeaves(peers))).message).toBe('member bob does not answer within 50 ms')
    }
  })

  test.each<[string, number, string]>([
    ['no bytes', 0, 'end before leaf 100'],
    ['too few bytes', 35, 'are cut: a range has 36 bytes'],
    ['other bytes', 36, 'have one of 0 leaves at leaf 0, in a range that ends before leaf 100'],
  ])('error: a comparison with a member that answers with %s', async (_, length, rule) => {
    await using server = serve(() => bytesOf(length))
    const other = sideOf(peersOf(alice, bob, server.address))
    const own = { ...other, root: 'cd'.repeat(32), digestsOf: async () => new Uint8Array(0) }
    const error = await errorOf(compareSides({ ...own, name: 'own', size: 0 }, other, { maxListed: 1 }))
    expect(error.message).toBe(`member bob: its ranges of level 4: ${rule}`)
  })

  test('behavior: one download runs at a time, and messages wait for none', async () => {
    const begun = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    let downloads = 0
    await using server = serve(async (request) => {
      if (new URL(request.url).pathname !== '/v1/leaves') return Response.json({ refusal: null })
      downloads += 1
      begun.resolve()
      await answer.promise
      return bytesOf(2)
    })
    const peers = peersOf(alice, bob, server.address)
    const waiting = Array.from({ length: 201 }, () => askLeaves(peers))
    await begun.promise
    for (let count = 0; count < 20; count++) expect(await send(peers)).toBeNull()
    expect(downloads).toBe(1)
    expect((await errorOf(askLeaves(peers))).message).toBe('member bob is too slow: 200 requests wait')
    answer.resolve()
    expect(await Promise.all(waiting)).toEqual(Array(201).fill(new Uint8Array(2)))
  })

  test('behavior: a pause of downloads stops no message, and a pause of messages no download', async () => {
    let time = 0
    const busy = () => Response.json({}, { status: 429, headers: { 'retry-after': '7' } })
    let refused = '/v1/leaves'
    let requests = 0
    await using server = serve((request) => {
      requests += 1
      const { pathname } = new URL(request.url)
      if (pathname === refused) return busy()
      return pathname === '/v1/leaves' ? bytesOf(2) : Response.json({ refusal: null })
    })
    const peers = peersOf(alice, bob, server.address, { now: () => time })
    expect((await errorOf(askLeaves(peers))).message).toBe('member bob answers HTTP 429: {}')
    refused = '/v1/proposals'
    expect((await errorOf(askLeaves(peers))).message).toBe('member bob has asked for a pause')
    expect(requests).toBe(1)
    time = 7_000
    expect(await reasonOf(peers)).toBe('answers HTTP 429: {}')
    expect(await askLeaves(peers)).toEqual(new Uint8Array(2))
    expect(requests).toBe(3)
  })

  test('behavior: downloads are not reported as calls, because a refused one is no fault of the member', async () => {
    const calls: PeerCall[] = []
    await using server = serve(() => Response.json({ error: 'unknown root' }, { status: 404 }))
    const peers = peersOf(alice, bob, server.address, { onCall: (call) => calls.push(call) })
    expect((await errorOf(askLeaves(peers))).message).toContain('HTTP 404')
    expect(calls).toEqual([])
  })
})
