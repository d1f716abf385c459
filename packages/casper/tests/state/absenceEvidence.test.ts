import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { AnswerRpc, RpcAnswer } from '@wattfeed/casper-devnet'
import { createStateTrie } from '@wattfeed/casper-devnet/testing/internals'
import { createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { blake2b, list, u8, u32 } from '@wattfeed/testing/bytesrepr'
import { createAbsenceEvidenceFinder } from '../../src/state/absenceEvidence.ts'
import { formatKey } from '../../src/types/keyKinds.ts'

const value = Uint8Array.fromHex(`00${list(u8(7))}03`)
const keyOf = (index: number): string => `09${blake2b(u32(index))}`
const nameOf = (key: string): string => formatKey(Uint8Array.fromHex(key))

const trie = createStateTrie()
const root = trie.commit(
  trie.emptyRootHash,
  Array.from({ length: 5_000 }, (_, index) => [keyOf(index), value] as const),
)
const stored = keyOf(7)
const absent = keyOf(5_001)

const refused: RpcAnswer = {
  error: { code: -32019, message: 'Function needed to execute this request is disabled', data: '' },
}

const serving: AnswerRpc = (_, params) => ({
  result: { maybe_trie_bytes: trie.element(String(memberAt(params, 'trie_key')))?.toHex() ?? null },
})

/** A finder whose node gives these answers, with its calls and its clock. */
function open(answer: AnswerRpc) {
  const node = { answer }
  const clock = { ms: 0 }
  const calls: string[] = []
  const rejected: string[] = []
  const rpc = createLocalRpc(
    (method, params) => {
      calls.push(method)
      return node.answer(method, params)
    },
    { onRejected: ({ errorCode }) => rejected.push(errorCode) },
  )
  const finder = createAbsenceEvidenceFinder({ rpc, now: () => clock.ms })
  const find = async (key: string) => (await finder.find(root, nameOf(key)))?.verdict ?? null
  return { node, clock, calls, rejected, finder, find }
}

describe('a walk down the trie', () => {
  test('default: decides, with at most 7 calls, and fewer for the next key', async () => {
    const { find, calls } = open(serving)
    expect([await find(absent), await find(stored)]).toEqual(['absent', 'present'])
    expect(calls.length).toBeLessThanOrEqual(7)
    const before = calls.length
    expect(await find(absent)).toBe('absent')
    expect(calls.length).toBe(before)
  })

  test('behavior: a node that refuses it is probed again after an hour', async () => {
    const { find, calls, clock, node } = open(() => refused)
    expect([await find(absent), await find(stored), calls.length]).toEqual([null, null, 1])
    node.answer = serving
    clock.ms = 3_599_999
    expect([await find(absent), calls.length]).toEqual([null, 1])
    clock.ms = 3_600_000
    expect(await find(absent)).toBe('absent')
  })

  test('behavior: a node without the method is probed again after an hour, too', async () => {
    const { find, calls, clock } = open(() => ({ error: { code: -32601, message: 'Method not found' } }))
    expect(await find(absent)).toBeNull()
    clock.ms = 3_599_999
    expect([await find(absent), calls.length]).toEqual([null, 1])
  })

  test('behavior: after a protocol upgrade, nodes are probed at once', async () => {
    const { find, finder, node } = open(() => refused)
    expect(await find(absent)).toBeNull()
    node.answer = serving
    finder.askAgain()
    expect(await find(absent)).toBe('absent')
  })

  test('behavior: a node that lacks an element decides nothing, and is probed again after a minute', async () => {
    const { find, clock, node } = open(() => ({ result: { maybe_trie_bytes: null } }))
    expect(await find(absent)).toBeNull()
    node.answer = serving
    clock.ms = 59_999
    expect(await find(absent)).toBeNull()
    clock.ms = 60_000
    expect(await find(absent)).toBe('absent')
  })

  test('error: a changed element decides nothing, and the node is penalized', async () => {
    for (const bytes of [`01${'00'.repeat(256)}`, '', 'xy', trie.element(trie.emptyRootHash)?.toHex()]) {
      const { find, rejected } = open(() => ({ result: { maybe_trie_bytes: bytes } }))
      expect([await find(absent), await find(stored)]).toEqual([null, null])
      expect(rejected).toEqual(bytes === '' ? [] : ['decode'])
    }
  })

  test('error: no walk for a key whose kind has several lengths', async () => {
    const { find, calls } = open(serving)
    expect([await find(`0f00${'22'.repeat(32)}`), calls]).toEqual([null, []])
  })
})

describe('kept proofs', () => {
  const keep = (finder: ReturnType<typeof open>['finder'], index: number, stateRootHash = root): void =>
    finder.keep(stateRootHash, nameOf(keyOf(index)), trie.prove(root, keyOf(index))?.toHex() ?? '')

  /** The stored item whose key shares the most digits with the absent one. */
  const near = Array.from({ length: 5_000 }, (_, index) => index).reduce((best, index) => {
    const shared = (key: string): number => [...key].findIndex((digit, at) => digit !== absent[at])
    return shared(keyOf(index)) > shared(keyOf(best)) ? index : best
  })

  test('default: the nearest one decides without a call', async () => {
    const { find, finder, calls } = open(() => refused)
    for (const index of [1, near, 2, 3]) keep(finder, index)
    expect([await find(absent), calls]).toEqual(['absent', []])
    expect([await find(keyOf(near)), calls]).toEqual(['present', []])
  })

  test('behavior: those of another root decide nothing', async () => {
    const { find, finder } = open(() => refused)
    keep(finder, near, 'ab'.repeat(32))
    expect(await find(absent)).toBeNull()
  })

  test('behavior: two roots and 64 proofs are kept', async () => {
    const { find, finder } = open(() => refused)
    keep(finder, near)
    keep(finder, 1, 'ab'.repeat(32))
    expect(await find(absent)).toBe('absent')
    keep(finder, 1, 'cd'.repeat(32))
    expect(await find(absent)).toBeNull()
    keep(finder, near)
    for (let index = 0; index < 64; index++) keep(finder, index === near ? 4_999 : index)
    expect(await find(absent)).toBeNull()
  })
})
