import { describe, expect, test } from 'bun:test'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import { startCountedNode } from '@wattfeed/casper-devnet/testing/countedNode'
import { always, onMethod } from '@wattfeed/casper-devnet/testing/faultPlan'
import { http429, wrongId } from '@wattfeed/casper-devnet/testing/faults'
import { startFaultyNode } from '@wattfeed/casper-devnet/testing/faultyNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { clientOf } from 'wattfeed/testing/clientOf'
import { createRegistryChain } from 'wattfeed/testing/registryChain'

const chain = await createRegistryChain({ feeds: 2 })

/** The chain's answers, with another error instead of "nothing is stored there". */
const refusingWith =
  (refusal: RpcAnswer): AnswerRpc =>
  async (method, params) => {
    const answer = await chain.answer(method, params)
    return 'error' in answer ? refusal : answer
  }

const refusal = (code: number, message: string, data?: unknown): RpcAnswer => ({
  error: { code, message, data },
})

describe('an item that does not exist', () => {
  test('default: absent is null', async () => {
    await using node = await startCountedNode(chain.answer)
    const client = clientOf(chain, [node.url])
    expect(await client.getReading('ABSENT')).toBeNull()
    expect(await client.getFeed('ABSENT')).toBeNull()
    expect(await client.getValue('ABSENT')).toBeNull()
    expect(await client.getValueAt('ABSENT', 0)).toBeNull()
    expect(await client.getClaimant('ABSENT')).toBeNull()
    expect(await client.feedIdAt(2)).toBeNull()
  })

  test.each([
    ['another code', refusal(-32002, 'Failed to parse query key', 'value was not found in the global state')],
    ['an internal error that speaks of absence', refusal(-32603, 'Internal error', 'ValueNotFound')],
    ['a failed query for another reason', refusal(-32003, 'Query failed', 'the node is catching up')],
    ['a failed query without a reason', refusal(-32003, 'Query failed')],
    ['an unknown state root', refusal(-32012, 'No such state root')],
    ['a code of no meaning', refusal(429, 'not found')],
  ])('error: %s is no absence', async (_, answer) => {
    await using node = await startCountedNode(refusingWith(answer))
    const client = clientOf(chain, [node.url])
    await errorOf(client.getReading('ABSENT'))
    await errorOf(client.getFeed('ABSENT'))
  })

  test('error: a refusal that belongs to another request is no absence', async () => {
    await using node = await startFaultyNode(
      chain.answer,
      onMethod('state_get_dictionary_item', always(wrongId)),
    )
    await errorOf(clientOf(chain, [node.url]).getFeed('ABSENT'))
  })

  test('error: an item that exists and one that must exist are distinguished', async () => {
    const gone: AnswerRpc = (method, params) =>
      method === 'state_get_dictionary_item'
        ? refusal(-32003, 'Query failed', 'value was not found in the global state')
        : chain.answer(method, params)
    await using node = await startCountedNode(gone)
    const client = clientOf(chain, [node.url])
    await errorOf(client.getFirstPartyAttester())
  })
})

describe('a node that is rate limited', () => {
  test('error: longer than the deadline: it is not called again', async () => {
    await using node = await startFaultyNode(chain.answer, always(http429('86400')))
    const options = { retryAfterMaxMs: 2 * patience.deadlineMs }
    await errorOf(clientOf(chain, [node.url], options).getFeed('ABSENT'))
    // Calls for both packages, the root and the status may go out together, before the first error arrives.
    expect(node.calls.total()).toBeWithin(1, 5)
  })
})
