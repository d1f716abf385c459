import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { type AnswerRpc, noSuchStateRoot, queryFailed, type RpcAnswer } from '@wattfeed/casper-devnet'
import { createLocalRpc, localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { type Exchange, readRecording } from '@wattfeed/casper-devnet/testing/recordings'
import { errorOf } from '@wattfeed/testing/errorOf'
import type { RpcCallEvent } from '../../src/rpc/layers.ts'
import type { RpcRejection } from '../../src/rpc/rpc.ts'
import { AllNodesFailedError } from '../../src/rpc/rpcErrors.ts'
import { createAbsenceEvidenceFinder } from '../../src/state/absenceEvidence.ts'
import { absentAsNull } from '../../src/state/absent.ts'
import { createProvenState } from '../../src/state/createProvenState.ts'
import type { GlobalState } from '../../src/state/globalState.ts'
import { clValueBytes } from '../../src/types/storedValueJson.ts'

const exchanges = readRecording('snapshot')

function find(method: string, nth: number): Exchange & { result: object } {
  const found = exchanges.filter((each) => each.method === method && 'result' in each)[nth]
  if (found === undefined || !('result' in found)) throw new Error('no such exchange is recorded')
  return { ...found, result: Object(found.result) }
}

const item = find('state_get_dictionary_item', 0)
const other = find('state_get_dictionary_item', 1)
const query = find('query_global_state', 0)

/** A node that gives its answers in order, and repeats the last one. */
function saying(...answers: readonly RpcAnswer[]): AnswerRpc {
  let next = 0
  return () => answers[Math.min(next++, answers.length - 1)] ?? queryFailed
}

const honest = saying({ result: item.result })
const silent: RpcAnswer = { error: { code: -32603, message: 'Internal error' } }
const hiding = saying(queryFailed)

interface Setup {
  proven: GlobalState
  /** The calls in order, as `host method`. */
  calls: RpcCallEvent[]
  rejected: RpcRejection[]
}

/** Proven reads from several nodes, in this order. */
function open(...nodes: readonly AnswerRpc[]): Setup {
  const calls: RpcCallEvent[] = []
  const rejected: RpcRejection[] = []
  const fetches = nodes.map((answer) =>
    localFetch((method, params) =>
      method === 'info_get_status' ? { result: { chainspec_name: 'test' } } : answer(method, params),
    ),
  )
  const rpc = createLocalRpc(() => silent, {
    urls: nodes.map((_, index) => `http://node${index}.test/rpc`),
    fetch: (url, init) => {
      const request = fetches[Number(/node(\d+)/.exec(url)?.[1])]
      if (request === undefined) throw new Error(`no node at ${url}`)
      return request(url, init)
    },
    onCall: (call) => calls.push(call),
    onRejected: (rejection) => rejected.push(rejection),
  })
  return {
    proven: createProvenState({ rpc, evidence: createAbsenceEvidenceFinder({ rpc, now: () => 0 }) }),
    calls,
    rejected,
  }
}

const uref = memberAt(item.params, 'dictionary_identifier', 'URef')

/** Reads the recorded item, as hex. */
function readItem({ proven }: Pick<Setup, 'proven'>): Promise<string | null> {
  return proven.item({
    stateRootHash: String(memberAt(item.params, 'state_root_hash')),
    seedUref: String(memberAt(uref, 'seed_uref')),
    itemKey: String(memberAt(uref, 'dictionary_item_key')),
    what: 'item',
    decode: (stored) => clValueBytes(stored, 'item').toHex(),
    absent: absentAsNull,
  })
}

/** Reads the recorded package or contract. */
function readQuery({ proven }: Setup, stateRootHash: string | null): Promise<unknown> {
  const key = String(memberAt(query.params, 'key'))
  return proven.query({ stateRootHash, key, decode: (stored) => stored, absent: absentAsNull })
}

const recordedRoot = String(memberAt(query.params, 'state_identifier', 'StateRootHash'))
const recordedBytes = String(memberAt(item.result, 'stored_value', 'CLValue', 'bytes'))

/** The recorded answer with another value next to the proof. */
const withServed = (bytes: string): RpcAnswer => ({
  result: {
    ...item.result,
    stored_value: { CLValue: { ...Object(memberAt(item.result, 'stored_value', 'CLValue')), bytes } },
  },
})

const withProof = (merkle_proof: unknown): RpcAnswer => ({ result: { ...item.result, merkle_proof } })

describe.concurrent('a value', () => {
  test('default: an item is the proven value', async () => {
    const setup = open(honest)
    expect([await readItem(setup), setup.rejected]).toEqual([recordedBytes, []])
  })

  test('default: the result of a query is the proven value', async () => {
    const stored = await readQuery(open(saying({ result: query.result })), recordedRoot)
    expect(stored).toEqual(memberAt(query.result, 'stored_value'))
  })

  test('behavior: the served value is ignored, only the proven one counts', async () => {
    const setup = open(saying(withServed('00')))
    expect([await readItem(setup), setup.rejected]).toEqual([recordedBytes, []])
  })

  test('behavior: it costs one call, however many nodes there are', async () => {
    const setup = open(honest, honest, honest)
    await readItem(setup)
    expect(setup.calls.filter(({ method }) => method !== 'info_get_status')).toHaveLength(1)
  })

  const changed = `${String(memberAt(item.result, 'merkle_proof')).slice(0, -2)}00`
  const lies: [string, RpcAnswer, string][] = [
    ['a changed proof', withProof(changed), 'merkle_proof'],
    ['the proof of another item', { result: other.result }, 'merkle_proof'],
    ['no proof', withProof(undefined), 'decode'],
    ['a proof that is no text', withProof(['00']), 'decode'],
    ['a result that is no object', { result: 'here you are' }, 'decode'],
  ]
  test.each(lies)('error: %s: the node is passed over, and its lie counted', async (_, lie, errorCode) => {
    const setup = open(saying(lie), honest)
    expect(await readItem(setup)).toBe(recordedBytes)
    expect(setup.rejected).toEqual([{ host: 'node0.test', errorCode }])
  })

  test.each(lies)('error: %s, without another node', async (_, lie, errorCode) => {
    const setup = open(saying(lie))
    const error = await errorOf(readItem(setup))
    expect(error).toBeInstanceOf(AllNodesFailedError)
    expect(setup.rejected[0]).toEqual({ host: 'node0.test', errorCode })
  })

  test('error: a state root that the proof does not lead to', async () => {
    const setup = open(saying({ result: query.result }))
    const error = await errorOf(readQuery(setup, '0'.repeat(64)))
    expect(error.message).toContain('state root: the proof leads to')
    expect(setup.rejected[0]?.errorCode).toBe('merkle_proof')
  })

  test('error: a read at no state root cannot be proven', async () => {
    const error = await errorOf(readQuery(open(saying({ result: query.result })), null))
    expect(error.message).toContain('cannot be proven without a state root')
  })

  test('error: bytes that are proven and do not decode', async () => {
    const setup = open(honest)
    const error = await errorOf(
      setup.proven.query({
        stateRootHash: recordedRoot,
        key: 'hash-',
        decode: () => null,
        absent: absentAsNull,
      }),
    )
    expect(error.message).toContain('expected a key of global state')
  })
})

describe.concurrent('nothing stored', () => {
  test('default: a single node is believed', async () => {
    const setup = open(hiding)
    expect([await readItem(setup), setup.rejected]).toEqual([null, []])
  })

  test('default: two nodes must agree', async () => {
    const setup = open(hiding, hiding, honest)
    expect([await readItem(setup), setup.rejected]).toEqual([null, []])
    const asked = setup.calls
      .filter(({ method }) => method === 'state_get_dictionary_item')
      .map(({ host }) => host)
    expect(asked).toEqual(['node0.test', 'node1.test'])
  })

  test('behavior: a node that hides a value is passed over, and counted', async () => {
    const setup = open(hiding, honest)
    expect([await readItem(setup), setup.rejected]).toEqual([
      recordedBytes,
      [{ host: 'node0.test', errorCode: 'hidden_value' }],
    ])
    expect(await readItem(setup)).toBe(recordedBytes)
    expect(setup.calls.at(-1)?.host).toBe('node1.test')
    expect(setup.rejected).toHaveLength(1)
  })

  test('behavior: failures in between do not count as agreement', async () => {
    const setup = open(hiding, saying(withProof('00')), honest)
    expect([await readItem(setup), setup.rejected.map(({ errorCode }) => errorCode)]).toEqual([
      recordedBytes,
      ['merkle_proof', 'hidden_value'],
    ])
  })

  const mute: [string, RpcAnswer][] = [
    ['lies', withProof('00')],
    ['does not know the state root', noSuchStateRoot('dictionary item')],
    ['fails', silent],
  ]
  test.each(mute)('error: the other node %s: not reported as absent', async (_, answer) => {
    const error = await errorOf(readItem(open(hiding, saying(answer))))
    expect(error).toBeInstanceOf(AllNodesFailedError)
    expect(error.message).toContain('node1.test')
  })

  test('error: another refusal is no absence', async () => {
    expect(await errorOf(readItem(open(saying(noSuchStateRoot('dictionary item')))))).toBeInstanceOf(
      AllNodesFailedError,
    )
  })
})
