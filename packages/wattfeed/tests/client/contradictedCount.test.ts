import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { itemKey } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { CountContradictedError } from 'wattfeed'
import { createHistory } from 'wattfeed/history'
import { clientOf } from 'wattfeed/testing/clientOf'
import { attestationRegistryField, feedRegistryField } from '../../src/registry/fields.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'

const id = testFeedId(0)
const chain = await createRegistryChain({ feeds: 2 })
for (const amount of [5n, 6n]) {
  chain.attest(id, { amount, period: 20_261_119 + Number(amount) })
  await chain.advance()
}

/** The dictionary items of the counts, by what they count. */
const items = {
  values: itemKey(attestationRegistryField.count(id).field, attestationRegistryField.count(id).key),
  feeds: itemKey(feedRegistryField.count.field),
}

/** A node that counts one more than there is. */
const counting =
  (what: keyof typeof items): AnswerRpc =>
  async (method, params) => {
    const answer = await chain.answer(method, params)
    const key = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
    if (key !== items[what] || !('result' in answer)) return answer
    return {
      result: raised(answer.result, (bytes) =>
        bytes.replace(/^(.{8})(..)/, (_, size, low) => size + plusOne(low)),
      ),
    }
  }

/** A node whose event logs are one event longer. */
const withLongerLogs =
  (honest: AnswerRpc): AnswerRpc =>
  async (method, params) => {
    const answer = await honest(method, params)
    const type = memberAt(answer, 'result', 'stored_value', 'CLValue', 'cl_type')
    if (type !== 'U32' || !('result' in answer)) return answer
    return { result: raised(answer.result, (bytes) => plusOne(bytes.slice(0, 2)) + bytes.slice(2)) }
  }

const plusOne = (low: string): string => (Number.parseInt(low, 16) + 1).toString(16).padStart(2, '0')

function raised(result: unknown, change: (bytes: string) => string): unknown {
  const changed = structuredClone(result)
  const value = Object(memberAt(changed, 'stored_value', 'CLValue'))
  value.bytes = change(value.bytes)
  return changed
}

function open(...nodes: AnswerRpc[]) {
  const rejected: string[] = []
  const asked: string[] = []
  const hosts = nodes.map((_, index) => `node${index}.test`)
  const client = clientOf(
    chain,
    hosts.map((host) => `http://${host}/rpc`),
    {
      fetch(url, init) {
        const { host } = new URL(url)
        asked.push(host)
        return localFetch(nodes[hosts.indexOf(host)] ?? chain.answer)(url, init)
      },
      observe: { rejected: ({ host, errorCode }) => rejected.push(`${host} ${errorCode}`) },
    },
  )
  return { client, rejected, asked }
}

describe('one node of three counts an item that is not there', () => {
  test('behavior: values: the others decide', async () => {
    const { client, rejected, asked } = open(counting('values'), chain.answer, chain.answer)
    expect((await client.getValueHistory(id)).length).toBe(3)
    expect(rejected).toContain('node0.test count_contradicted')
    asked.length = 0
    expect([await client.getValueCount(id), await client.getValueAt(id, 3)]).toEqual([3, null])
    expect(asked).not.toContain('node0.test')
  })

  test('behavior: a page of the history', async () => {
    const { client } = open(counting('values'), chain.answer, chain.answer)
    const page = await createHistory(client).page(id, { order: 'desc' })
    expect([page?.count, page?.items.length]).toEqual([3, 3])
  })

  test('behavior: feeds: the list is that of the others', async () => {
    const { client, rejected } = open(counting('feeds'), chain.answer, chain.answer)
    expect(await client.listFeedIds()).toEqual([testFeedId(0), testFeedId(1)])
    expect(rejected).toContain('node0.test count_contradicted')
  })

  test('behavior: feeds: more than there can be', async () => {
    const absurd: AnswerRpc = async (method, params) => {
      const answer = await chain.answer(method, params)
      const key = memberAt(params, 'dictionary_identifier', 'URef', 'dictionary_item_key')
      if (key !== items.feeds || !('result' in answer)) return answer
      return { result: raised(answer.result, (bytes) => `${bytes.slice(0, -2)}01`) }
    }
    const { client } = open(absurd, chain.answer, chain.answer)
    expect(await client.listFeedIds()).toEqual([testFeedId(0), testFeedId(1)])
  })

  test('behavior: events: the list follows the log of the others', async () => {
    const own = chain.fork()
    let first: AnswerRpc = own.answer
    const { client, rejected } = open((...call) => first(...call), own.answer, own.answer)
    await client.listReadings()
    first = withLongerLogs(own.answer)
    own.attest(id, { amount: 9n, period: 20_261_130 })
    await own.advance()
    expect((await client.listReadings()).map(({ amount }) => amount)).toContain(9n)
    expect(rejected).toContain('node0.test count_contradicted')
  })
})

test('behavior: one of two: the other decides, because the first contradicts itself', async () => {
  const { client } = open(counting('values'), chain.answer)
  expect((await client.getValueHistory(id)).length).toBe(3)
})

test('error: every node counts it: the error names the contradiction, and blames no node', async () => {
  const { client } = open(counting('values'), counting('values'))
  const error = await errorOf(client.getValueHistory(id))
  expect(error).toBeInstanceOf(CountContradictedError)
  expect({ ...error }).toMatchObject({ code: 'count_contradicted', retryable: true })
  expect(error.message).toBe(
    `contradiction: AttestationRegistry.history[${id}#3] is absent, but counted (node0.test: 4, node1.test: 4); retry, or add a node`,
  )
})
