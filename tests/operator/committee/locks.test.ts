import { describe, expect, test } from 'bun:test'
import { alwaysIntersect, findDisjoint, toleranceOf, totalWeight } from '@wattfeed/casper/types'
import fc from 'fast-check'
import { type Committee, MAX_TOTAL_WEIGHT, quorumsOf } from '../../../src/committee/committee.ts'
import { planRotation } from '../../../src/operator/committee/rotation.ts'
import { committeeOf } from './committeeOf.ts'
import { type EngineAccount, execute, type KeyTransaction } from './engineModel.ts'

/** The keys of a members file that keeps the file's rules. */
const anyTarget: fc.Arbitrary<Committee> = fc
  .record({
    weights: fc.uniqueArray(fc.tuple(fc.constantFrom(...'ABCDEFGH'), fc.integer({ min: 1, max: 40 })), {
      selector: ([name]) => name,
      minLength: 1,
      maxLength: 6,
    }),
    above: fc.nat(),
    higher: fc.nat(),
    hasRecovery: fc.boolean(),
  })
  .map(({ weights, above, higher, hasRecovery }) => {
    const total = totalWeight({ weights: new Map(weights) })
    const least = Math.floor(total / 2) + 1
    const deployment = least + (above % (total - least + 1))
    const keyManagement = deployment + (higher % (total - deployment + 1))
    const isHeavy = total + keyManagement > MAX_TOTAL_WEIGHT
    const recovery = hasRecovery && !isHeavy ? { R: keyManagement } : {}
    return {
      ...committeeOf(
        deployment,
        { ...Object.fromEntries(weights), ...recovery },
        Object.keys(recovery).join(''),
      ),
      keyManagement,
    }
  })

/** What happens next: an operator's command at an old or new view of the account, or a delivery of what was sent. */
const anyEvent = fc.oneof(
  fc.record({ kind: fc.constant('apply' as const), target: anyTarget, seen: fc.nat(), signers: fc.nat() }),
  fc.record({ kind: fc.constant('deliver' as const), which: fc.nat(), isLost: fc.boolean() }),
)

/** Builds what `committee apply --step` sends for the account as it was seen. */
function createTransaction(seen: EngineAccount, target: Committee, signers: number): KeyTransaction | null {
  const before = { ...seen, recovery: new Set(['R']) }
  const [next] = planRotation(before, target) ?? []
  const keys = [...seen.weights.keys()].filter((_, index) => ((signers >> index) & 1) === 0)
  return next === undefined ? null : { current: before.weights, next, signers: keys }
}

describe('committee apply', () => {
  test('behavior: no order of commands, crashes and retries locks an account or lets quorums part', () => {
    let changes = 0
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 5, maxLength: 40 }), (events) => {
        const seen: EngineAccount[] = [{ weights: new Map([['A', 1]]), deployment: 1, keyManagement: 1 }]
        const sent: KeyTransaction[] = []
        for (const event of events) {
          const account = seen.at(-1) ?? fail()
          if (event.kind === 'apply') {
            const view = seen.at(-1 - (event.seen % Math.min(2, seen.length))) ?? fail()
            const transaction = createTransaction(view, event.target, event.signers & event.seen)
            if (transaction !== null) sent.push(transaction)
          } else if (sent.length > 0) {
            const [transaction = fail()] = sent.splice(event.which % sent.length, 1)
            if (event.isLost) continue
            const changed = execute(account, transaction)
            if (changed === account) continue
            changes += 1
            assertSafe(account, changed)
            seen.push(changed)
          }
        }
      }),
      { numRuns: 200 },
    )
    expect(changes).toBeGreaterThan(80)
  })
})

function fail(): never {
  throw new Error('unreachable')
}

function assertSafe(before: EngineAccount, after: EngineAccount): void {
  const [old, changed] = [before, after].map((account) => quorumsOf({ ...account, recovery: new Set(['R']) }))
  if (old === undefined || changed === undefined) fail()
  expect(after.deployment).toBeLessThanOrEqual(after.keyManagement)
  expect(totalWeight(after)).toBeGreaterThanOrEqual(after.keyManagement)
  expect(totalWeight(after)).toBeLessThanOrEqual(MAX_TOTAL_WEIGHT)
  expect(toleranceOf(changed)).not.toBeNull()
  expect(alwaysIntersect(changed)).toBe(true)
  expect(findDisjoint(old, changed)).toBeNull()
}
