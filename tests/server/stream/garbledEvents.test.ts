import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createManualClock, createStreamServer, listenTo, settle, until } from './streamWorld.ts'

const id = testFeedId(0)

/** Cuts an event's bytes, flips the first one of its name, or its last one. */
const garblers = {
  truncated: (bytes: string) => bytes.slice(0, -10),
  'of another name': (bytes: string) => bytes.replace('6576656e74', '6576656e75'),
  'of random bytes': (bytes: string) => bytes.replace(/..$/, () => randomByte()),
} as const

let drawn = 0
const randomByte = (): string => (++drawn % 256).toString(16).padStart(2, '0')

/** A node that garbles this number of reads of events. */
function garbling(chain: RegistryChain, garble: (bytes: string) => string) {
  const node = { left: 0 }
  const answer: AnswerRpc = async (method, params) => {
    const answered = await chain.answer(method, params)
    const key = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
    const isEvent = typeof key === 'string' && /^\d+$/.test(key)
    if (!isEvent || node.left === 0 || !('result' in answered)) return answered
    node.left -= 1
    const copy = structuredClone(answered)
    const value = Object(copy.result).stored_value.CLValue
    // A list of bytes: its length in four bytes, then the event.
    const event = garble(value.bytes.slice(8))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(event.length / 2)
    value.bytes = length.toString('hex') + event
    return copy
  }
  return { node, answer }
}

describe('a stream', () => {
  test.each(
    Object.entries(garblers).flatMap(([what, garble]) =>
      [1, 3, 20].map((times) => ({ what, times, garble })),
    ),
  )(
    'error: an event that a node garbles $times times, $what, is read again: it is sent once, without a reset',
    async ({ garble, times }) => {
      const chain = await createRegistryChain({ feeds: 2 })
      const { node, answer } = garbling(chain, garble)
      const clock = createManualClock()
      const server = createStreamServer(chain, clock, answer)
      const listener = await listenTo(server)
      await until(() => listener.blocks.length === 1)
      for (const amount of [7n, 8n, 9n]) {
        chain.attest(id, { amount })
        await chain.advance()
        node.left = amount === 8n ? times : 0
        while (listener.dataOf('attested').length < Number(amount) - 6) {
          await settle()
          clock.advance(1_000)
        }
      }
      expect(listener.blocks.filter(({ event }) => event === 'reset')).toEqual([])
      expect(listener.dataOf('attested').map(({ amount }) => amount)).toEqual(['7', '8', '9'])
    },
  )

  // The event still decodes, so only another read of it tells.
  test.each(['first', 'second'] as const)(
    'error: a new event with a wrong bit in its %s read is sent as it is on chain, without a reset',
    async (which) => {
      const chain = await createRegistryChain({ feeds: 2 })
      let reads = 0
      // The lowest bit of an amount of 0x1234567, which follows its length.
      const flip = (bytes: string): string =>
        bytes.includes('0467452301') && ++reads === (which === 'first' ? 1 : 2)
          ? bytes.replace('0467452301', '0466452301')
          : bytes
      const { node, answer } = garbling(chain, flip)
      node.left = Number.POSITIVE_INFINITY
      const clock = createManualClock()
      const server = createStreamServer(chain, clock, answer)
      const listener = await listenTo(server)
      await until(() => listener.blocks.length === 1)
      for (const amount of [7n, 0x1234567n, 9n]) {
        chain.attest(id, { amount })
        await chain.advance()
        const before = listener.blocks.length
        while (listener.blocks.length === before) {
          await settle()
          clock.advance(1_000)
        }
      }
      expect(listener.blocks.slice(1).map(({ event, data }) => [event, data.amount])).toEqual([
        ['attested', '7'],
        ['attested', '19088743'],
        ['attested', '9'],
      ])
    },
  )

  // The first list has the value, and the next root its event, which then looks like that of another chain.
  test('error: a wrong bit in the first read of the newest value resets nothing, and the next event is sent', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    chain.attest(id, { amount: 0x1234567n })
    await chain.advance()
    let reads = 0
    const clock = createManualClock()
    const server = createStreamServer(chain, clock, async (method, params) => {
      const answered = await chain.answer(method, params)
      const text = JSON.stringify(answered)
      const isValue = method === 'state_get_dictionary_item' && text.includes('0467452301')
      return isValue && ++reads === 1 ? JSON.parse(text.replaceAll('0467452301', '0466452301')) : answered
    })
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    for (const amount of [8n, 9n]) {
      chain.attest(id, { amount })
      await chain.advance()
      const before = listener.blocks.length
      while (listener.blocks.length === before) {
        await settle()
        clock.advance(1_000)
      }
    }
    expect(reads).toBeGreaterThan(1)
    expect(listener.blocks.slice(1).map(({ event, data }) => [event, data.amount])).toEqual([
      ['attested', '8'],
      ['attested', '9'],
    ])
  })

  test('behavior: a known event that a node garbles for a while resets nothing', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const { node, answer } = garbling(chain, garblers.truncated)
    const clock = createManualClock()
    const server = createStreamServer(chain, clock, answer)
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    const attest = async (amount: bigint) => {
      chain.attest(id, { amount })
      await chain.advance()
      const before = listener.dataOf('attested').length
      while (listener.dataOf('attested').length === before) {
        await settle()
        clock.advance(1_000)
      }
    }
    await attest(7n)
    node.left = 9
    while (node.left > 0) {
      await chain.advance()
      await settle()
      clock.advance(1_000)
    }
    await attest(8n)
    expect(listener.blocks.slice(1)).toMatchObject([
      { event: 'attested', data: { amount: '7' } },
      { event: 'attested', data: { amount: '8' } },
    ])
  })

  test('behavior: a chain that was replaced before any attestation resets it, even when it resumes', async () => {
    const [chain, other] = [await createRegistryChain(), await createRegistryChain()]
    chain.register('A')
    await chain.advance()
    const clock = createManualClock()
    const server = createStreamServer(chain, clock)
    const listener = await listenTo(server)
    await until(() => listener.blocks.length === 1)
    for (const feedId of ['B', 'C']) other.register(feedId)
    await other.advance()
    server.answerWith(other.answer)
    while (listener.blocks.length < 2) {
      await settle()
      clock.advance(1_000)
    }
    const reset = { event: 'reset', data: { reason: 'log', position: expect.stringContaining('.f2.a0') } }
    expect(listener.blocks[1]).toEqual(reset)
    const resumed = await listenTo(createStreamServer(other, clock), `?from=${listener.blocks[0]?.id}`)
    await until(() => resumed.blocks.length === 1)
    expect(resumed.blocks[0]).toEqual(reset)
  })
})
