import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { testSigner } from '@wattfeed/casper/testing/keys'
import type { Signer } from '@wattfeed/casper/transaction'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { PeerError } from '../../../../src/agent/committee/http/callMember.ts'
import { SenderLimits, StrangerLimits } from '../../../../src/agent/committee/http/limits.ts'
import { openTickets } from '../../../../src/agent/committee/http/ticketFile.ts'
import type { Refusal } from '../../../../src/agent/committee/refusal.ts'
import { nextLook } from '../../../support/nextLook.ts'
import {
  headerLines,
  outcomeOf,
  peersOf,
  sendSigned,
  signedHeaders,
  startMember,
  TIME,
  termsOf,
  transactionOf,
} from './exchange.ts'

let alice: Signer
/** The receiver. There are two keys for tests, so it is also the second sender, and the stranger. */
let bob: Signer

beforeAll(async () => {
  alice = await testSigner('ed25519')
  bob = await testSigner('secp256k1')
})

describe('startCommitteeServer', () => {
  test('default: a proposal, an approval, an announcement and the terms', async () => {
    const refusal: Refusal = { code: 'not_released', detail: 'EIA has no such period' }
    const received: unknown[] = []
    const requests: unknown[] = []
    const held = { feed_id: 'EIA.A', root: 'a'.repeat(64), size: 7, period: 20_261_120, began: TIME }
    const announced = Promise.withResolvers<unknown>()
    await using bobs = startMember(bob, [alice], {
      roots: () => [held],
      member: {
        async receive(transaction) {
          received.push(transaction)
          return received.length === 1 ? null : refusal
        },
        async announced(...args) {
          announced.resolve(args)
        },
      },
      onRequest: (request) => requests.push(request),
    })
    const peers = peersOf(alice, bob, `${bobs.address}/`)
    expect(await peers.send(bob.keyHash, transactionOf(alice))).toBeNull()
    expect(await peers.send(bob.keyHash, transactionOf(alice, 2))).toEqual(refusal)
    peers.announce(bob.keyHash, 'EIA.A')
    expect(await announced.promise).toEqual(['EIA.A'])
    expect(received).toEqual([transactionOf(alice), transactionOf(alice, 2)])
    expect(requests).toEqual(
      ['/v1/proposals', '/v1/approvals', '/v1/announcements'].map((path) => ({
        member: alice.keyHash,
        path,
      })),
    )
    const terms = await fetch(`${bobs.address}/v1/terms`)
    expect<unknown>(await terms.json()).toEqual({
      ...termsOf(bob),
      clock: TIME + 1,
      block: { height: 7, time: TIME },
      roots: [held],
    })
    expect(bobs.logged).toEqual([])
  })

  test('default: an announcement of a snapshot, of which the member gets no more than the protocol says', async () => {
    await using bobs = startMember(bob, [alice])
    const root = { root: 'ab'.repeat(32), size: 2_000_000, period: 20261120, began: TIME }
    peersOf(alice, bob, bobs.address).announce(bob.keyHash, 'EIA.A', root)
    const announce = (root: object) =>
      outcomeOf(
        sendSigned(bobs.address, alice, bob, {
          path: '/v1/announcements',
          body: JSON.stringify({ feed_id: 'EIA.A', root, more: 1 }),
        }),
      )
    expect(await announce({ ...root, more: 1 })).toEqual([200, null])
    while (bobs.received.length < 2) await nextLook()
    expect(bobs.received).toEqual(Array(2).fill({ feedId: 'EIA.A', from: alice.keyHash, root }))
    const wrong = [
      { root: 'AB'.repeat(32) },
      ...[0, -1, 1.5, 2 ** 32, '1', null].map((size) => ({ size })),
      ...[-1, 1.5, 2 ** 53, null].map((period) => ({ period })),
      ...[-1, 1.5, 1e300, 8.64e15 + 2, null].map((began) => ({ began })),
    ]
    for (const each of wrong)
      expect([each, await announce({ ...root, ...each })]).toEqual([each, [400, 'body']])
    expect(bobs.received).toHaveLength(2)
  })

  test('error: a request that no member signed for this receiver, path and body causes no work', async () => {
    await using bobs = startMember(bob, [alice])
    const { address } = bobs
    const send = (sent: Parameters<typeof sendSigned>[3], signer = alice) =>
      outcomeOf(sendSigned(address, signer, bob, sent))
    expect(await outcomeOf(fetch(`${address}/v1/proposals`, { method: 'POST', body: '{}' }))).toEqual([
      401,
      'unsigned',
    ])
    expect(await send({}, bob)).toEqual([403, 'unknown_member'])
    expect(await send({ signedBody: '{ }' })).toEqual([401, 'invalid_signature'])
    expect(await send({ signedPath: '/v1/approvals' })).toEqual([401, 'invalid_signature'])
    expect(await send({ path: '/v1/proposals?a=1', signedPath: '/v1/proposals' })).toEqual([
      401,
      'invalid_signature',
    ])
    expect(await send({ receiver: alice.keyHash })).toEqual([401, 'invalid_signature'])
    const forged = {
      ...bob,
      approve: (hash: string) => ({ ...bob.approve(hash), signer: alice.publicKey }),
    }
    expect(await send({}, forged)).toEqual([401, 'invalid_signature'])
    expect(await send({ nonce: 'short' })).toEqual([401, 'unsigned'])
    expect(await send({ body: 'no JSON' })).toEqual([400, 'body'])
    expect(await send({ path: '/v1/announcements' })).toEqual([400, 'body'])
    expect(bobs.received).toEqual([])
    expect(await send({})).toEqual([200, null])
  })

  test('error: an old request, by the time of blocks, one of the future, and a repeated one', async () => {
    await using bobs = startMember(bob, [alice])
    const send = (sent: Parameters<typeof sendSigned>[3]) =>
      outcomeOf(sendSigned(bobs.address, alice, bob, sent))
    expect(await send({ time: TIME - 300_001 })).toEqual([401, 'stale_request'])
    expect(await send({ time: TIME - 300_000 })).toEqual([200, null])
    // The receiver's node may lag.
    expect(await send({ time: TIME + 300_001 })).toEqual([200, null])
    expect(await send({ time: TIME + 300_002 })).toEqual([401, 'future_request'])
    const nonce = crypto.randomUUID()
    expect(await send({ nonce })).toEqual([200, null])
    expect(await send({ nonce })).toEqual([401, 'repeated_nonce'])
    expect(bobs.received).toHaveLength(3)
  })

  test('behavior: a member that sends too much is refused, others are served', async () => {
    await using bobs = startMember(bob, [alice, bob], {
      limits: new SenderLimits({ rate: { burst: 3, perSecond: 0.1 }, now: () => 0 }),
    })
    const flood = await Promise.all(
      Array.from({ length: 20 }, () => sendSigned(bobs.address, alice, bob, { path: '/v1/approvals' })),
    )
    const refused = flood.filter(({ status }) => status === 429)
    expect(flood.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '10'))
    expect(refused).toHaveLength(17)
    expect(await outcomeOf(sendSigned(bobs.address, bob, bob))).toEqual([200, null])
  })

  test('behavior: while strangers flood with the name of a member, its own requests are answered', async () => {
    await using bobs = startMember(bob, [alice], {
      strangerLimits: new StrangerLimits({ now: () => 0 }),
    })
    const known = peersOf(alice, bob, bobs.address)
    expect(await known.send(bob.keyHash, transactionOf(alice))).toBeNull()
    const flood = (count: number, addressOf: (index: number) => string) =>
      Promise.all(Array.from({ length: count }, (_, index) => sendForged(bobs.server.port, addressOf(index))))
    const statusesOf = (answers: readonly string[]) =>
      [401, 429].map((status) => answers.filter((each) => each.startsWith(`HTTP/1.1 ${status} `)).length)
    // None of them waits for the body.
    const fromOne = await flood(300, () => '203.0.113.7')
    expect(statusesOf(fromOne)).toEqual([100, 200])
    expect(fromOne.at(-1)?.toLowerCase()).toContain('retry-after: 1\r\n')
    // A member that has no ticket yet, at another address.
    const headers = { 'x-forwarded-for': '203.0.113.7, 198.51.100.1' }
    expect(await outcomeOf(sendSigned(bobs.address, alice, bob, { headers }))).toEqual([200, null])
    const fromMany = await flood(300, (index) => `2001:db8:${index.toString(16)}::1`)
    expect(statusesOf(fromMany)).toEqual([198, 102])
    expect(await outcomeOf(sendSigned(bobs.address, alice, bob))).toEqual([429, 'too_many_requests'])
    const both = flood(100, () => '203.0.113.7')
    for (let count = 0; count < 50; count++)
      expect(await known.send(bob.keyHash, transactionOf(alice))).toBeNull()
    expect(statusesOf(await both)).toEqual([0, 100])
    expect(bobs.received).toHaveLength(52)
  })

  test('behavior: with a clock that is slow, a member goes by the time of its blocks', async () => {
    await using bobs = startMember(bob, [alice], { now: () => TIME - 86_400_000 })
    expect(await outcomeOf(sendSigned(bobs.address, alice, bob, { time: TIME + 300_000 }))).toEqual([
      200,
      null,
    ])
  })

  test('behavior: with tickets on disk, a member is served while strangers flood, after both have started again', async () => {
    using folder = createFolder()
    const exhausted = () => new StrangerLimits({ total: { burst: 0, perSecond: 0.1 }, now: () => 0 })
    const start = async (strangerLimits: StrangerLimits) => {
      const own = await openTickets(`${folder.path}/bob`, { warn() {} })
      return startMember(bob, [alice], { strangerLimits, ticketSecret: own.secret })
    }
    const open = () => openTickets(`${folder.path}/alice`, { warn() {} })
    {
      await using bobs = await start(new StrangerLimits())
      await using kept = await open()
      const peers = peersOf(alice, bob, bobs.address, { tickets: kept.received })
      expect(await peers.send(bob.keyHash, transactionOf(alice))).toBeNull()
    }
    await using bobs = await start(exhausted())
    await using kept = await open()
    const stranger = peersOf(alice, bob, bobs.address)
    expect((await errorOf(stranger.send(bob.keyHash, transactionOf(alice)))).message).toContain('HTTP 429')
    const peers = peersOf(alice, bob, bobs.address, { tickets: kept.received })
    expect(await peers.send(bob.keyHash, transactionOf(alice))).toBeNull()
  })

  test('error: what exceeds the checks of a ticket counts as that of a stranger', async () => {
    const strangerLimits = new StrangerLimits({
      perTicket: { burst: 2, perSecond: 0.1 },
      total: { burst: 2, perSecond: 0.1 },
      now: () => 0,
    })
    await using bobs = startMember(bob, [alice], { strangerLimits })
    const { ticket } = await (await sendSigned(bobs.address, alice, bob)).json()
    const send = () =>
      outcomeOf(sendSigned(bobs.address, alice, bob, { headers: { 'wattfeed-ticket': ticket } }))
    expect([await send(), await send(), await send(), await send()]).toEqual([
      [200, null],
      [200, null],
      [200, null],
      [429, 'too_many_requests'],
    ])
  })

  test('error: a ticket of another member, or an invented one, is none', async () => {
    const strangerLimits = new StrangerLimits({ total: { burst: 1, perSecond: 0.1 }, now: () => 0 })
    await using bobs = startMember(bob, [alice, bob], { strangerLimits })
    const { ticket } = await (await sendSigned(bobs.address, bob, bob)).json()
    const send = (signer: Signer, ticket: string) =>
      outcomeOf(sendSigned(bobs.address, signer, bob, { headers: { 'wattfeed-ticket': ticket } }))
    expect(await send(bob, ticket)).toEqual([200, null])
    expect(await send(alice, ticket)).toEqual([429, 'too_many_requests'])
    expect(await send(alice, 'ab'.repeat(32))).toEqual([429, 'too_many_requests'])
  })

  test('behavior: work that does not end takes only its sender’s places', async () => {
    const work = Promise.withResolvers<null>()
    const begun = Promise.withResolvers<void>()
    let count = 0
    await using bobs = startMember(bob, [alice, bob], {
      member: {
        receive() {
          if (++count === 2) begun.resolve()
          return count <= 2 ? work.promise : Promise.resolve(null)
        },
        announced: async () => {},
      },
      limits: new SenderLimits({ concurrency: 2 }),
    })
    const waiting = [1, 2].map(() => outcomeOf(sendSigned(bobs.address, alice, bob)))
    await begun.promise
    const third = await sendSigned(bobs.address, alice, bob)
    expect([await outcomeOf(third), third.headers.get('retry-after')]).toEqual([
      [429, 'too_many_requests'],
      '5',
    ])
    expect(await outcomeOf(sendSigned(bobs.address, bob, bob))).toEqual([200, null])
    work.resolve(null)
    expect(await Promise.all(waiting)).toEqual([
      [200, null],
      [200, null],
    ])
    expect(await outcomeOf(sendSigned(bobs.address, alice, bob))).toEqual([200, null])
  })

  test('behavior: a request with an invalid body takes no place', async () => {
    await using bobs = startMember(bob, [alice], { limits: new SenderLimits({ concurrency: 1 }) })
    const send = (body: string) => outcomeOf(sendSigned(bobs.address, alice, bob, { body }))
    expect(await send('no JSON')).toEqual([400, 'body'])
    expect(await send('{}')).toEqual([200, null])
  })

  test('behavior: an announcement is answered before the fetch from EIA, and its failure is logged', async () => {
    const fetching = Promise.withResolvers<void>()
    const logged = Promise.withResolvers<unknown>()
    await using bobs = startMember(bob, [alice], {
      member: { receive: async () => null, announced: () => fetching.promise },
      log: { warn: (_fields, message) => logged.resolve(message) },
    })
    const response = await sendSigned(bobs.address, alice, bob, {
      path: '/v1/announcements',
      body: '{"feed_id":"EIA.A"}',
    })
    expect(await response.json()).toMatchObject({ refusal: null })
    fetching.reject(new Error('EIA is down'))
    expect(await logged.promise).toBe('request of a member failed')
  })

  test('error: a body above 64 kB, announced or not', async () => {
    await using bobs = startMember(bob, [alice])
    const body = JSON.stringify({ Version1: 'x'.repeat(65_536) })
    expect((await sendSigned(bobs.address, alice, bob, { body })).status).toBe(413)
    const socket = connect(bobs.server.port, '127.0.0.1')
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const answered = Promise.withResolvers<string>()
    socket.on('data', (data) => answered.resolve(data.toString()))
    socket.on('error', answered.reject)
    socket.write(
      `POST /v1/proposals HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n${lateHeaders()}\r\n`,
    )
    for (let count = 0; count < 6; count++) socket.write(chunk)
    expect(await answered.promise).toMatch(/^HTTP\/1.1 413 /)
    socket.destroy()
    expect(bobs.received).toEqual([])
  })

  test('error: a body that does not arrive, and work that takes too long', async () => {
    await using bobs = startMember(bob, [alice], {
      timeoutMs: 50,
      member: { receive: () => new Promise(() => {}), announced: async () => {} },
    })
    const socket = connect(bobs.server.port, '127.0.0.1')
    const answered = Promise.withResolvers<string>()
    socket.on('data', (data) => answered.resolve(data.toString()))
    socket.write(`POST /v1/proposals HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n${lateHeaders()}\r\n{`)
    expect(await answered.promise).toMatch(/^HTTP\/1.1 408 /)
    socket.destroy()
    const late = await sendSigned(bobs.address, alice, bob)
    expect([await outcomeOf(late), late.headers.get('retry-after')]).toEqual([[503, 'timeout'], '5'])
  })

  test('error: a defect is logged and not shown', async () => {
    await using bobs = startMember(bob, [alice], {
      member: { receive: () => Promise.reject(new Error('s3cret')), announced: async () => {} },
    })
    const response = await sendSigned(bobs.address, alice, bob)
    expect([response.status, await response.json()]).toEqual([500, { error: 'internal error' }])
    expect(bobs.logged).toEqual([['request of a member failed', { err: new Error('s3cret') }]])
  })

  test('error: a failure that may pass, such as that of the node', async () => {
    await using bobs = startMember(bob, [alice], {
      member: { receive: () => Promise.reject(new PeerError('x', 'hangs')), announced: async () => {} },
    })
    const response = await sendSigned(bobs.address, alice, bob)
    expect([await outcomeOf(response), response.headers.get('retry-after')]).toEqual([
      [503, 'unavailable'],
      '5',
    ])
    expect(await response.json()).toEqual({ error: 'this member cannot answer now: peer' })
  })

  test('error: an unknown path', async () => {
    await using bobs = startMember(bob, [alice])
    expect(await outcomeOf(fetch(`${bobs.address}/v1/feeds`))).toEqual([404, 'unknown_path'])
    expect(await outcomeOf(fetch(`${bobs.address}/v1/proposals`))).toEqual([404, 'unknown_path'])
  })

  test('error: an address that is in use', async () => {
    await using bobs = startMember(bob, [])
    const { port } = bobs.server
    const listen = { host: '127.0.0.1', port }
    const error = await errorOf(Promise.resolve().then(() => startMember(alice, [], { listen })))
    expect<unknown>({ ...error }).toEqual({
      code: 'committee_listen',
      retryable: false,
      host: '127.0.0.1',
      port,
      reason: 'EADDRINUSE',
    })
  })
})

/** The headers of alice's request for a body that does not arrive. */
const lateHeaders = (): string => headerLines(signedHeaders(alice, bob, { body: '' }))

/** The headers of a stranger who names alice's key, and announces a body that never arrives. */
const forgedHeaders = (address: string): string =>
  [
    `x-forwarded-for: ${address}`,
    'content-length: 65536',
    `wattfeed-member: ${alice.publicKey}`,
    `wattfeed-time: ${TIME}`,
    `wattfeed-nonce: ${crypto.randomUUID()}`,
    `wattfeed-body: ${'00'.repeat(32)}`,
    `wattfeed-signature: 01${'00'.repeat(64)}`,
    '',
  ].join('\r\n')

/** Sends a stranger's request over a connection of its own. Returns the head of the answer. */
function sendForged(port: number, address: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1')
  socket.on('data', (data) => {
    resolve(data.toString())
    socket.destroy()
  })
  socket.on('error', reject)
  socket.write(`POST /v1/proposals HTTP/1.1\r\nhost: x\r\n${forgedHeaders(address)}\r\n`)
  return promise
}
