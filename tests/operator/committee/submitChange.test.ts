import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { readBlockPlace } from '@wattfeed/casper/light-client'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { alwaysIntersect, findDisjoint, toleranceOf } from '@wattfeed/casper/types'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import fc from 'fast-check'
import { type Committee, quorumsOf } from '../../../src/committee/committee.ts'
import { type CommitteeChain, createCommitteeChain, LIFETIME_MS } from './committeeChain.ts'

const ones = (...members: readonly number[]): Record<number, number> =>
  Object.fromEntries(members.map((member) => [member, 1]))

/** The numbers of the members whose keys an account has. */
const numbersOf = ({ members }: CommitteeChain, { weights }: Committee): number[] =>
  [...weights.keys()].map((key) => members.findIndex(({ accountHash }) => accountHash === key))

/** Compares committees whatever the order of their keys is. */
const sorted = ({ weights, deployment, keyManagement }: Committee) => ({
  weights: [...weights].sort(),
  deployment,
  keyManagement,
})

/** A chain whose account has a committee already. */
async function createWith(
  threshold: number,
  weights: Readonly<Record<number, number>>,
  recovery: readonly number[] = [],
): Promise<CommitteeChain> {
  const chain = await createCommitteeChain()
  const target = chain.committee(threshold, weights, recovery)
  await chain.change(target, { isStepwise: true })
  for (let steps = 0; steps < 3; steps += 1) {
    chain.wait(LIFETIME_MS)
    const before = await chain.read()
    if (Bun.deepEquals(sorted(before), sorted(target))) return chain
    await chain.changeTogether(target, numbersOf(chain, before), { isStepwise: true })
  }
  throw new Error('the account has not reached the target')
}

describe('submitChange', () => {
  test('default: a single key becomes 4 of 5 in two steps, a lifetime apart', async () => {
    const chain = await createCommitteeChain()
    const target = chain.committee(4, ones(0, 1, 2, 3, 4))
    expect(await errorOf(chain.change(target))).toMatchObject({ reason: 'several_steps' })
    expect(chain.node.sent).toEqual([])

    expect(await chain.change(target, { isStepwise: true })).toMatchObject({ state: 'executed' })
    const between = await chain.read()
    expect([between.weights.size, between.deployment, between.keyManagement]).toEqual([2, 2, 2])
    expect(await errorOf(chain.change(target))).toMatchObject({ reason: 'too_early' })

    chain.wait(LIFETIME_MS)
    expect(await errorOf(chain.change(target))).toMatchObject({ reason: 'too_light' })
    expect(await chain.changeTogether(target, numbersOf(chain, between))).toBeNull()
    expect(sorted(await chain.read())).toEqual(sorted(target))
    expect(await chain.change(target)).toEqual({ state: 'done' })
  })

  test('behavior: a key of 4 of 5 is replaced by four of its members', async () => {
    const chain = await createWith(4, ones(0, 1, 2, 3, 4))
    const target = chain.committee(4, ones(0, 1, 2, 3, 5))
    expect(await chain.changeTogether(target, [0, 1, 2, 3])).toBeNull()
    expect(sorted(await chain.read())).toEqual(sorted(target))
  })

  test('behavior: changes that undo each other do not hide who could sign in between', async () => {
    const chain = await createCommitteeChain()
    const both = chain.committee(2, ones(0, 1))
    await chain.change(both)
    chain.wait(LIFETIME_MS)
    expect(await chain.changeTogether(chain.committee(1, ones(0)), [0, 1])).toBeNull()
    const { timestamp } = await readBlockPlace(chain.rpc, null)
    chain.wait(1_000)
    expect(await chain.change(both)).toMatchObject({ state: 'executed' })
    const replacedAt = (await readBlockPlace(chain.rpc, null)).timestamp
    expect(replacedAt).toBeGreaterThan(timestamp)

    const other = chain.committee(1, ones(1))
    expect(await errorOf(chain.change(other))).toMatchObject({
      reason: 'too_early',
      message: expect.stringContaining(new Date(replacedAt + LIFETIME_MS).toISOString()),
    })
    chain.wait(LIFETIME_MS)
    expect(await chain.changeTogether(other, [0, 1])).toBeNull()
  })

  test('behavior: a lost key of 3 of 5 is replaced in two steps without it', async () => {
    const chain = await createWith(3, ones(0, 1, 2, 3, 4))
    const target = chain.committee(3, ones(0, 1, 2, 3, 5))
    expect(await errorOf(chain.change(target))).toMatchObject({
      reason: 'several_steps',
      message: expect.stringContaining('they share no key; "plan" shows 2 steps'),
    })
    expect(await chain.changeTogether(target, [0, 1, 2], { isStepwise: true })).toBeNull()
    chain.wait(LIFETIME_MS)
    expect(await chain.changeTogether(target, [1, 2, 3], { isStepwise: true })).toBeNull()
    expect(sorted(await chain.read())).toEqual(sorted(target))
  })

  test('behavior: the key of an account with one key is replaced in two steps', async () => {
    const chain = await createCommitteeChain()
    const target = chain.committee(1, { 1: 1 })
    expect(await chain.change(target, { isStepwise: true })).toMatchObject({ state: 'executed' })
    chain.wait(LIFETIME_MS)
    expect(await chain.changeTogether(target, [0, 1])).toBeNull()
    expect(sorted(await chain.read())).toEqual(sorted(target))
  })

  test('behavior: a recovery key changes the keys alone, and is removed as one', async () => {
    const chain = await createWith(4, { ...ones(1, 2, 3, 4, 5), 0: 4 }, [0])
    const replaced = chain.committee(4, { ...ones(1, 2, 3, 4, 6), 0: 4 }, [0])
    expect(await chain.change(replaced)).toMatchObject({ state: 'executed' })
    chain.wait(LIFETIME_MS)

    const members = chain.committee(4, ones(1, 2, 3, 4, 6))
    expect(await errorOf(chain.change(members))).toMatchObject({ reason: 'several_steps' })
    const removedRecovery = [chain.members[0]?.accountHash ?? '']
    expect(await chain.change(members, { removedRecovery })).toMatchObject({ state: 'executed' })
    expect(sorted(await chain.read())).toEqual(sorted(members))
  })

  test('behavior: a change within a lifetime of another one that keeps a common key needs no wait', async () => {
    const chain = await createWith(4, { ...ones(1, 2, 3, 4), 0: 2 })
    const next = chain.committee(5, { ...ones(1, 2, 3, 4), 0: 2 })
    expect(await chain.changeTogether(next, [0, 1, 2])).toBeNull()
    const back = chain.committee(4, { ...ones(1, 2, 3, 4), 0: 2 })
    expect(await chain.changeTogether(back, [0, 1, 2, 3, 4])).toBeNull()
  })

  /** Ends a run like a crash when it reaches a step. */
  const crashAt = (step: string) => ({
    onStep(reached: { step: string }) {
      if (reached.step === step) throw new Error('killed')
    },
  })

  const steps = ['signed', 'written', 'accepted', 'settled', 'removed']
  test.each(steps)(
    'behavior: a run after a crash at the step "%s" completes the change once',
    async (step) => {
      const chain = await createCommitteeChain()
      const target = chain.committee(2, ones(0, 1))
      await expect(chain.change(target, crashAt(step))).rejects.toThrow('killed')
      expect(await chain.change(target)).toMatchObject({
        state: step === 'settled' || step === 'removed' ? 'done' : 'executed',
      })
      expect(chain.node.executed).toHaveLength(1)
      expect(sorted(await chain.read())).toEqual(sorted(target))
      expect(chain.store.kept()).toBeNull()
    },
  )

  test('behavior: a change that was pending for another members file is settled first', async () => {
    const chain = await createCommitteeChain()
    await expect(chain.change(chain.committee(2, ones(0, 1)), crashAt('written'))).rejects.toThrow('killed')
    const other = chain.committee(2, ones(0, 2))
    expect(await errorOf(chain.change(other))).toMatchObject({ reason: 'account_changed' })
    expect(sorted(await chain.read())).toEqual(sorted(chain.committee(2, ones(0, 1))))
  })

  test('error: the keys changed before the change was executed', async () => {
    const chain: CommitteeChain = await createCommitteeChain({
      beforeBlock: async () => {
        await chain.changeTogether(chain.committee(2, { 0: 2, 2: 1 }), [0], { store: createMemoryStore() })
      },
    })
    expect(await errorOf(chain.change(chain.committee(2, ones(0, 1))))).toMatchObject({
      reason: 'session_failed',
      message: expect.stringContaining("the account's keys are not those that the change was planned for"),
    })
    expect(sorted(await chain.read())).toEqual(sorted(chain.committee(2, { 0: 2, 2: 1 })))
  })

  /** A committee of the first member, which signs alone, and others of weight 1. Their account hashes are invented. */
  const withOthers = (chain: CommitteeChain, from: number, count: number): Committee => {
    const { weights, ...own } = chain.committee(40, { 0: 40 })
    const others = Array.from(
      { length: count },
      (_, index) => `account-hash-${`${from + index}`.padStart(64, '0')}`,
    )
    return { ...own, weights: new Map([...weights, ...others.map((key) => [key, 1] as const)]) }
  }

  test('behavior: the payment covers what a change of many keys consumes', async () => {
    const chain = await createCommitteeChain()
    for (const target of [
      withOthers(chain, 0, 12),
      withOthers(chain, 100, 12),
      chain.committee(1, { 0: 1 }),
    ]) {
      const outcome = await chain.change(target)
      const { limitMotes = 0n, consumedMotes = 0n } = outcome.state === 'executed' ? outcome.executed : {}
      expect(consumedMotes).toBeGreaterThan(limitMotes / 3n)
      expect(consumedMotes).toBeLessThan(limitMotes)
      chain.wait(LIFETIME_MS)
    }
  })

  test('behavior: keys that do not fit in one transaction are changed in two steps', async () => {
    const chain = await createCommitteeChain()
    const target = withOthers(chain, 3, 13)
    await chain.change(withOthers(chain, 0, 13))
    chain.wait(LIFETIME_MS)
    expect(await errorOf(chain.change(target))).toMatchObject({
      message:
        'the keys before and after this change do not fit in one transaction; "plan" shows 2 steps that avoid this, and --step makes the first of them',
    })
    expect(await chain.change(target, { isStepwise: true })).toMatchObject({ state: 'executed' })
    expect(await chain.change(target, { isStepwise: true })).toMatchObject({ state: 'executed' })
    expect(sorted(await chain.read())).toEqual(sorted(target))
  })

  test('behavior: when nodes no longer keep the state of the change, its keys are read at the newest block', async () => {
    const chain = await createCommitteeChain({}, 1)
    const [, other] = chain.members
    const [, signer] = chain.signers
    if (other === undefined || signer === undefined) throw new Error('the chain has two members')
    let isLate = false
    const answer: AnswerRpc = async (method, params) => {
      const isCheck =
        chain.node.executed.length > 0 && memberAt(params, 'block_identifier', 'Height') !== undefined
      if (isCheck && !isLate) {
        isLate = true
        chain.wait(30_000)
        const { accountHash } = other
        const keys = chain.committee(1, ones(1, 2))
        await chain.change(keys, { accountHash, signer, store: createMemoryStore(), rpc: chain.rpc })
      }
      return chain.node.answer(method, params)
    }
    const rpc = rpcOf(answer, { chainName: chain.devnet.chainName })
    const target = chain.committee(2, ones(0, 1))
    expect(await chain.change(target, { rpc })).toMatchObject({ state: 'executed' })
    expect([isLate, sorted(await chain.read())]).toEqual([true, sorted(target)])
  })

  test('error: a node shows other keys after the execution', async () => {
    const chain = await createCommitteeChain()
    const answer: AnswerRpc = async (method, params) => {
      const answered = await chain.node.answer(method, params)
      const account = memberAt(answered, 'result', 'stored_value', 'Account')
      if (chain.node.executed.length === 0 || account === undefined) return answered
      const action_thresholds = { deployment: 1, key_management: 1 }
      return { result: { stored_value: { Account: { ...Object(account), action_thresholds } } } }
    }
    const rpc = rpcOf(answer, { chainName: chain.devnet.chainName })
    expect(await errorOf(chain.change(chain.committee(2, ones(0, 1)), { rpc }))).toMatchObject({
      reason: 'account_differs',
    })
  })

  test('error: an account that the chain does not know, and more keys than fit in a transaction', async () => {
    const chain = await createCommitteeChain()
    const target = chain.committee(1, { 0: 1 })
    const accountHash = `account-hash-${'0'.repeat(64)}`
    expect(await errorOf(chain.change(target, { accountHash }))).toMatchObject({ reason: 'no_account' })
    const others = Array.from({ length: 30 }, (_, index) => `account-hash-${`${index}`.padStart(64, '0')}`)
    const tooMany = {
      ...target,
      weights: new Map(others.map((key) => [key, 1])),
      deployment: 16,
      keyManagement: 16,
    }
    expect(await errorOf(chain.change(tooMany))).toMatchObject({ reason: 'no_steps' })
  })

  test('error: keys of too little weight change nothing', async () => {
    const chain = await createWith(4, ones(0, 1, 2, 3, 4))
    const target = chain.committee(4, ones(0, 1, 2, 3, 5))
    await expect(chain.changeTogether(target, [0, 1, 2])).rejects.toThrow()
    expect(sorted(await chain.read())).toEqual(sorted(chain.committee(4, ones(0, 1, 2, 3, 4))))
  })

  test('behavior: random changes on the chain leave an account that can sign, with a common key', async () => {
    const chain = await createCommitteeChain()
    const anyCommittee = fc.record({
      weights: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 3 })), {
        selector: ([member]) => member,
        minLength: 1,
      }),
      above: fc.nat(),
    })
    for (const { weights, above } of fc.sample(anyCommittee, { numRuns: 40, seed: 33 })) {
      const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
      const least = Math.floor(total / 2) + 1
      const target = chain.committee(least + (above % (total - least + 1)), Object.fromEntries(weights))
      const before = await chain.read()
      await chain.changeTogether(target, numbersOf(chain, before), { isStepwise: true })
      const after = await chain.read()
      expect(toleranceOf(quorumsOf(after))).not.toBeNull()
      expect(alwaysIntersect(quorumsOf(after))).toBe(true)
      expect(findDisjoint(quorumsOf(before), quorumsOf(after))).toBeNull()
      chain.wait(LIFETIME_MS)
    }
  })
})
