import { beforeAll, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { Chain } from '../../src/chain/createChain.ts'
import { createAnswerRpc } from '../../src/rpc/createAnswerRpc.ts'
import type { AnswerRpc } from '../../src/rpcAnswer.ts'
import { createFakeEngine } from '../support/fakeEngine.ts'
import { type Exchange, readRecording } from '../support/recordings.ts'
import { createTestChain, sessionOf } from '../support/testChain.ts'
import { readRecordedState } from './recordedState.ts'

const recordedReads = readRecordedState()
let chain: Chain
let answer: AnswerRpc

beforeAll(() => {
  const writes = [
    ...new Map(recordedReads.map(({ key, stored }) => [key.toHex(), [key, stored] as const])).values(),
  ]
  chain = createTestChain({ engine: createFakeEngine(() => ({ writes })) })
  chain.put(sessionOf(1))
  answer = createAnswerRpc(chain)
})

const recordedRoot = /0e2366b6f42f2dbaa223ab84c5adb81047531cb319df98419ec487869bd4de5a/g

/** A recorded request, sent for this chain's root. */
const paramsOf = ({ params }: Exchange): unknown =>
  params === undefined
    ? undefined
    : JSON.parse(JSON.stringify(params).replace(recordedRoot, chain.tip().stateRootHash))

const withoutProof = (result: unknown): unknown => ({ ...Object(result), merkle_proof: null })

describe('createAnswerRpc', () => {
  test('default: responses equal the recorded ones, except for proofs', async () => {
    expect(recordedReads.length).toBeGreaterThan(300)
    for (const { exchange } of recordedReads) {
      const answered = await answer(exchange.method, paramsOf(exchange))
      const recorded = 'result' in exchange ? exchange.result : null
      expect(JSON.stringify(withoutProof(memberAt(answered, 'result')))).toBe(
        JSON.stringify(withoutProof(recorded)),
      )
    }
  })

  test.each(readRecording('errors').map((each) => [each.note ?? '', each] as const))(
    'error: recorded: %s',
    async (_, exchange) => {
      const expected = JSON.parse(
        JSON.stringify('error' in exchange ? exchange.error : null).replace('"high":265', '"high":1'),
      )
      expect(await answer(exchange.method, paramsOf(exchange))).toEqual({ error: expected })
    },
  )

  test('error: recorded: unknown account', async () => {
    const exchange = readRecording('accounts').find((each) => each.note === 'unknown account')
    expect(await answer('query_balance', exchange?.params)).toEqual({
      error: exchange !== undefined && 'error' in exchange ? exchange.error : { code: 0, message: '' },
    })
  })
})

/** Returns names of fields and kinds of values, recursively; lists by their first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shapeOf(item)]))
}

describe('createAnswerRpc about blocks', () => {
  const recorded = readRecording('blocks-3-validators')
  const resultOf = (exchange: Exchange | undefined): unknown =>
    exchange !== undefined && 'result' in exchange ? exchange.result : null
  const isSwitchBlock = (exchange: Exchange): boolean =>
    JSON.stringify(resultOf(exchange)).includes('next_era_gas_price')

  test('default: a block, an era’s last block, an era summary and the auction have the recorded shape', async () => {
    for (let height = 2; height <= 41; height++) chain.produceBlock()
    const blocks = recorded.filter(({ method }) => method === 'chain_get_block')
    const ordinary = blocks.find((each) => !isSwitchBlock(each))
    const last = blocks.findLast(isSwitchBlock)
    const ask = async (method: string, params?: unknown): Promise<unknown> =>
      memberAt(await answer(method, params), 'result')
    expect(shapeOf(await ask('chain_get_block'))).toEqual(shapeOf(resultOf(ordinary)))
    const named = (text: string): string =>
      text.replace(/"0[12][0-9a-f]{64,66}":\[[^\]]*\]/g, '"validator":[""]')
    const ours = JSON.parse(
      named(JSON.stringify(await ask('chain_get_block', { block_identifier: { Height: 40 } }))),
    )
    const theirs = JSON.parse(named(JSON.stringify(resultOf(last))))
    expect(shapeOf(ours)).toEqual(shapeOf(theirs))
    for (const method of ['chain_get_era_summary', 'chain_get_state_root_hash'])
      expect(shapeOf(await ask(method))).toEqual(
        shapeOf(resultOf(recorded.find((each) => each.method === method))),
      )
  })

  test('default: the auction of the second form has the recorded shape', async () => {
    const auction = resultOf(recorded.find((each) => each.method === 'state_get_auction_info_v2'))
    expect(shapeOf(memberAt(await answer('state_get_auction_info_v2', null), 'result'))).toEqual(
      shapeOf(auction),
    )
  })

  test('default: the auction has the weights of the previous, the current and the next era', async () => {
    const { eraId } = chain.tip()
    const state = memberAt(await answer('state_get_auction_info', null), 'result', 'auction_state')
    const eras = memberAt(state, 'era_validators')
    expect(Array.isArray(eras) ? eras.map((each) => memberAt(each, 'era_id')) : null).toEqual([
      eraId - 1,
      eraId,
      eraId + 1,
    ])
  })

  test('default: the status has the recorded fields', async () => {
    const status = readRecording('snapshot').find(({ method }) => method === 'info_get_status')
    expect(Object.keys(Object(memberAt(await answer('info_get_status', null), 'result')))).toEqual(
      Object.keys(Object(resultOf(status))),
    )
  })
})
