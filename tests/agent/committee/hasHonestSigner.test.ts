import { expect, test } from 'bun:test'
import { hasHonestSigner } from '../../../src/agent/committee/hasHonestSigner.ts'

const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)
const signedBy = (keys: readonly string[]) => ({
  approvals: new Map(keys.map((signer) => [signer, { signer, signature: '' }])),
})

test('default: it needs one signer more than may be down and may sign twice, and two at least', () => {
  const needed = ([threshold, members]: readonly [number, number]) => {
    const weights = new Map(keysOf(members).map((key) => [key, 1]))
    const isEnough = (count: number) =>
      hasHonestSigner({ recovery: new Set() }, signedBy(keysOf(count)), { weights, threshold })
    return [...weights.keys()].findIndex((_, count) => isEnough(count))
  }
  const committees = [
    [2, 2],
    [2, 3],
    [3, 4],
    [3, 5],
    [4, 5],
    [5, 7],
    [6, 9],
    [7, 10],
  ] as const
  expect(committees.map(needed)).toEqual([-1, 2, 2, 2, 2, 3, 3, 4])
})

test('behavior: signatures of other keys and the weight of a recovery key that signs alone do not count', () => {
  const weights = new Map([...keysOf(7).map((key) => [key, 1] as const), ['r', 5]])
  const isHonest = (...keys: string[]) =>
    hasHonestSigner({ recovery: new Set(['r']) }, signedBy(keys), { weights, threshold: 5 })
  expect([isHonest('m0', 'm1', 'x'), isHonest('m0', 'm1', 'm2')]).toEqual([false, true])
})
