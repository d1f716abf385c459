import { describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { elapse, settle, stopClock } from '@wattfeed/testing/clock'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

/** A client of a node whose status has a protocol version that a test can change, and the versions that the client has told. */
async function createBench(protocol_version?: unknown) {
  const chain = await createRegistryChain({ feeds: 1 })
  const node = { protocol_version }
  const answer: AnswerRpc = (method, params) =>
    method === 'info_get_status'
      ? { result: { chainspec_name: chain.chainName, ...node } }
      : chain.answer(method, params)
  const told: string[] = []
  const { client } = localClient(
    { ...chain, answer },
    { observe: { protocolVersion: (version) => told.push(version) } },
  )
  /** Reads a value, as its amount. Then asks for the version. */
  const read = async () => {
    const reading = await client.getReading(testFeedId(0))
    await settle()
    return [reading?.feed_id, client.status().protocolVersion]
  }
  return { client, node, told, read }
}

describe('the protocol version of a node that is believed', () => {
  test('default: it is known with the first answer, and told once', async () => {
    const { client, read, told } = await createBench('2.2.2')
    expect(client.status().protocolVersion).toBeNull()
    expect(await read()).toEqual([testFeedId(0), '2.2.2'])
    await read()
    expect(told).toEqual(['2.2.2'])
  })

  test('behavior: after an upgrade, the next poll of the status has it, and the next read tells it once', async () => {
    using _ = stopClock()
    const { node, read, told } = await createBench('2.2.2')
    await read()
    node.protocol_version = '2.3.0'
    expect(await read()).toEqual([testFeedId(0), '2.2.2'])
    await elapse(15_000)
    expect(await read()).toEqual([testFeedId(0), '2.3.0'])
    await read()
    expect(told).toEqual(['2.2.2', '2.3.0'])
  })

  test.each([undefined, null, 7, '', '2', 'x'.repeat(1_000)])(
    'behavior: the version %j is unknown, and everything is read all the same',
    async (version) => {
      const { read, told } = await createBench(version)
      expect([await read(), told]).toEqual([[testFeedId(0), null], []])
    },
  )
})
