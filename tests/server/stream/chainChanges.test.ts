import { describe, expect, test } from 'bun:test'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createManualClock, createStreamServer, listenTo, settle, until } from './streamWorld.ts'

const id = testFeedId(0)

/** A stream of a chain with two values of which the listener saw the second one. */
async function createListened() {
  const chain = await createRegistryChain({ feeds: 2 })
  const clock = createManualClock()
  const server = createStreamServer(chain, clock)
  const listener = await listenTo(server)
  await until(() => listener.blocks.length === 1)
  const before = chain.stateRootHash()
  chain.attest(id, { amount: 7n })
  await chain.advance()
  /** Polls until a condition holds; a poll may fail in between. */
  async function pollUntil(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await settle()
      clock.advance(1_000)
    }
  }
  await pollUntil(() => listener.dataOf('attested').length === 1)
  return { chain, clock, server, listener, behind: chain.answerAsOf(before), pollUntil }
}

describe('a stream whose server reads from another node', () => {
  test('behavior: a lagging node causes no repeated event and no reset, and the next event is sent once', async () => {
    const { chain, server, listener, behind, pollUntil } = await createListened()
    server.answerWith(behind)
    const warnings = () => server.lines.filter(({ level }) => level === 'warn')
    await pollUntil(() => warnings().length > 0)
    expect(warnings()).toMatchObject([{ message: expect.stringContaining('streams') }])
    const resumed = listenTo(server, `?from=${listener.lastId()}`)
    chain.attest(id, { amount: 8n })
    await chain.advance()
    server.answerWith(chain.answer)
    await pollUntil(() => listener.dataOf('attested').length === 2)
    expect(listener.blocks.map(({ event, data }) => [event, data?.amount])).toEqual([
      [undefined, undefined],
      ['attested', '7'],
      ['attested', '8'],
    ])
    const { blocks } = await resumed
    await until(() => blocks.length === 1)
    expect(blocks).toEqual(listener.blocks.slice(2))
  })

  test('behavior: a replaced chain with shorter logs resets the stream, and a resumed one', async () => {
    const { clock, server, listener, pollUntil } = await createListened()
    const other = await createRegistryChain({ feeds: 1, startMs: Date.now() })
    server.answerWith(other.answer)
    const last = listener.lastId()
    await pollUntil(() => listener.blocks.length === 3)
    const reset = { event: 'reset', data: { reason: 'log', position: expect.stringContaining('.f1.a1') } }
    expect(listener.blocks[2]).toEqual(reset)
    for (const amount of [1n, 2n, 3n]) other.attest(id, { amount })
    await other.advance()
    await pollUntil(() => listener.dataOf('attested').length === 4)
    const resumed = await listenTo(createStreamServer(other, clock), '', {
      'last-event-id': `${last?.replace('f2', 'f1')}`,
    })
    await until(() => resumed.blocks.length === 1)
    expect(resumed.blocks[0]).toMatchObject({
      event: 'reset',
      data: { reason: 'log', position: listener.lastId() },
    })
  })
})
