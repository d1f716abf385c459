import { describe, expect, test } from 'bun:test'
import { settle } from '@wattfeed/testing/clock'
import type { Client } from 'wattfeed'
import { holdAnswers, localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId
const patient = { deadlineMs: 120_000, timeoutMs: 60_000 }

type Read = (client: Client, signal: AbortSignal) => Promise<unknown>

const reads: [string, Read][] = [
  ['getValue', (client, signal) => client.getValue(id(0), { signal })],
  ['getFeed', (client, signal) => client.getFeed(id(0), { signal })],
  ['getReading', (client, signal) => client.getReading(id(0), { signal })],
  ['feedCount', (client, signal) => client.feedCount({ signal })],
  ['feedIdAt', (client, signal) => client.feedIdAt(0, { signal })],
  ['listFeedIds', (client, signal) => client.listFeedIds({ signal })],
  ['listReadings', (client, signal) => client.listReadings({ signal })],
  ['getValueAt', (client, signal) => client.getValueAt(id(0), 0, { signal })],
  ['getValueCount', (client, signal) => client.getValueCount(id(0), { signal })],
  ['getValueHistory', (client, signal) => client.getValueHistory(id(0), { signal })],
  ['totalAttestations', (client, signal) => client.totalAttestations({ signal })],
  ['getFirstPartyAttester', (client, signal) => client.getFirstPartyAttester({ signal })],
  ['getClaimant', (client, signal) => client.getClaimant(id(0), { signal })],
  ['getLogLengths', (client, signal) => client.getLogLengths({ signal })],
  ['getFeedProof', (client, signal) => client.getFeedProof(id(0), { signal })],
  ['snapshot', (client, signal) => client.snapshot({ signal })],
  ['withSnapshot', (client, signal) => client.withSnapshot((at) => at.getFirstPartyAttester(), { signal })],
]

const reason = new Error('nobody waits any more')

describe('signal', () => {
  test.each(reads)('default: %s ends with the reason of its signal', async (_, read) => {
    const chain = await createRegistryChain({ feeds: 1 })
    const held = holdAnswers(chain.answer, () => true)
    const { client } = localClient({ ...chain, answer: held.answer }, patient)
    const controller = new AbortController()
    const outcome = read(client, controller.signal).catch((error: unknown) => error)
    await settle()
    controller.abort(reason)
    expect(await outcome).toBe(reason)
  })

  test.each(reads)('behavior: %s makes no call if the signal is already aborted', async (_, read) => {
    const { client, calls } = localClient(await createRegistryChain({ feeds: 1 }), patient)
    expect(await read(client, AbortSignal.abort(reason)).catch((error: unknown) => error)).toBe(reason)
    await settle()
    expect(calls.total()).toBe(0)
  })

  test('behavior: shared work continues for other callers', async () => {
    const chain = await createRegistryChain({ feeds: 2 })
    const held = holdAnswers(chain.answer, () => true)
    const { client, answerWith } = localClient({ ...chain, answer: held.answer }, patient)
    const controller = new AbortController()
    const ended = client.listReadings({ signal: controller.signal }).catch((error: unknown) => error)
    const others = client.listReadings()
    await settle()
    controller.abort(reason)
    answerWith(chain.answer)
    while (held.held() > 0) {
      held.release()
      await settle()
    }
    expect(await ended).toBe(reason)
    expect([...(await others)]).toEqual(chain.readings())
  })

  test('behavior: a history asks for no more values', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    for (let block = 0; block < 4; block++) {
      for (let index = 0; index < 50; index++) chain.attest(id(0), { amount: 1n })
      await chain.advance()
    }
    const controller = new AbortController()
    const { client, calls } = localClient(
      {
        ...chain,
        answer(method, params) {
          if (calls.total() > 20) controller.abort(reason)
          return chain.answer(method, params)
        },
      },
      { ...patient, concurrency: 2 },
    )
    const read = client.getValueHistory(id(0), { signal: controller.signal })
    expect(await read.catch((error: unknown) => error)).toBe(reason)
    await settle()
    expect(calls.total()).toBeLessThan(40)
  })

  test('behavior: reads of a snapshot take one too', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { client } = localClient(chain, patient)
    const at = await client.snapshot()
    const outcome = at
      .getFirstPartyAttester({ signal: AbortSignal.abort(reason) })
      .catch((error: unknown) => error)
    expect(await outcome).toBe(reason)
  })
})
