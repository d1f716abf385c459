import { beforeAll, describe, expect, test } from 'bun:test'
import { testSigner } from '@wattfeed/casper/testing/keys'
import type { Signer } from '@wattfeed/casper/transaction'
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
