import { afterAll, describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { StateFileError } from '@wattfeed/base/disk'
import { formatTransaction } from '../../../src/agent/committee/proposal.ts'
import type { Refusal } from '../../../src/agent/committee/refusal.ts'
import { LIFETIME_MS, SLOT_MS } from '../../../src/agent/committee/slot.ts'
import {
  approvalsOf,
  createMemberBench,
  feed,
  groupBy,
  names,
  planOf,
  proposalBy,
  T,
  value,
} from './memberBench.ts'
import { createDisk } from './simulation/disk.ts'
import { createModelNotary } from './simulation/notary.ts'

const disks = new DisposableStack()
afterAll(() => disks.dispose())

const createBench = (name: string, disk = disks.use(createDisk())) => createMemberBench(name, disk)

const full = new StateFileError({ path: 'wattfeed.db', rule: 'cannot be written (ENOSPC)' })

describe('receive', () => {
  test('default: a member approves, records it, sends it to all, and delivers what has enough weight', async () => {
    const { member, disk, sent, delivered } = createBench('b')
    const { proposal, transaction } = await proposalBy('a', T)
    expect(await member.receive(transaction)).toBeNull()
    expect(disk.approved()).toEqual([proposal.hash])
    expect(sent).toEqual(['a', 'c'].map((to) => ({ to, hash: proposal.hash, signers: ['a', 'b'] })))
    expect(delivered.map(({ transaction_hash }) => transaction_hash)).toEqual([proposal.hash])
    expect(await member.receive(transaction)).toBeNull()
    expect([sent.length, delivered.length]).toEqual([2, 1])
  })

  test('behavior: the feed is free again when the transaction is executed, for blocks from that one on', async () => {
    const { member, world } = createBench('c')
    const { proposal, transaction } = await proposalBy('a', T)
    await member.receive(transaction)
    world.plans.set(feed, { ...planOf(feed), steps: [[{ ...value, period: 3 }]] })
    world.time += SLOT_MS
    const next = await proposalBy('b', world.time, { period: 3 })
    const conflict = { code: 'conflicting_approval', transaction_hash: proposal.hash, until: T + LIFETIME_MS }
    expect(await member.receive(next.transaction)).toMatchObject(conflict)
    world.executed.set(proposal.hash, world.height + 1)
    await member.tick()
    expect(await member.receive(next.transaction)).toMatchObject({ code: 'stale_node' })
    world.height += 1
    expect(await member.receive(next.transaction)).toBeNull()
  })

  test('behavior: an unexecuted transaction excludes others until a block is later than its expiry', async () => {
    const { member, world } = createBench('c')
    await member.receive((await proposalBy('a', T)).transaction)
    world.time = T + LIFETIME_MS
    const { transaction: next } = await proposalBy('b', world.time)
    await member.tick()
    expect(await member.receive(next)).toMatchObject({ code: 'conflicting_approval' })
    world.time += 1
    await member.tick()
    expect(await member.receive(next)).toBeNull()
  })

  test('behavior: a live proposal of past values is approved even if the feed has newer ones', async () => {
    const { member, world } = createBench('b')
    const newest = { ...value, amount: 200n }
    const past = { ...value, period: 1 }
    world.plans.set(feed, { ...planOf(feed), latest: newest })
    world.past = { own: new Map([[1, past]]), prints: new Map([[1, past]]) }
    const notary = createModelNotary('a')
    const proposal = await notary.create([past, newest], T)
    const approvals = new Map([['a', await notary.sign(proposal)]])
    const transaction = formatTransaction({ proposal, approvals })
    expect(await member.receive(transaction)).toMatchObject({ code: 'stale_node' })
    world.past = { ...world.past, prints: new Map() }
    expect(await member.receive(transaction)).toBeNull()
  })

  test('error: only the leader of its slot may propose', async () => {
    const { member } = createBench('c')
    const { transaction } = await proposalBy('b', T)
    expect(await member.receive(transaction)).toMatchObject({ code: 'not_leader' })
    const { transaction: earlier } = await proposalBy('c', T - 1)
    expect(await member.receive(earlier)).toBeNull()
  })

  test('error: a proposal of a slot that this node has not reached is stale_node, and approved later', async () => {
    const { member, world } = createBench('c')
    const { transaction } = await proposalBy('b', T + SLOT_MS)
    expect(await member.receive(transaction)).toMatchObject({ code: 'stale_node' })
    world.time += SLOT_MS
    expect(await member.receive(transaction)).toBeNull()
  })

  test('error: a member holds a late proposal that only its leader has signed for a slot, and shows it to all', async () => {
    const { member, world, sent } = createBench('c')
    const { proposal, transaction } = await proposalBy('b', T - 2 * SLOT_MS)
    const held: Refusal = {
      code: 'stale_node',
      detail: 'its slot is over, and too few members have signed it',
    }
    expect(await member.receive(transaction)).toEqual(held)
    expect(await member.receive(transaction)).toEqual(held)
    expect(sent).toEqual(['a', 'b'].map((to) => ({ to, hash: proposal.hash, signers: ['b'] })))
    world.time += SLOT_MS - 1
    expect(await member.receive(transaction)).toEqual(held)
    world.time += 1
    expect(await member.receive(transaction)).toBeNull()
  })

  test('behavior: a proposal is late 3 s after its slot, by the machine or the newest block', async () => {
    const late = T + SLOT_MS + 3_000
    for (const [blockTime, clock, isHeld] of [
      [T, late - 1, false],
      [T, late, true],
      [late - 1, T, false],
      [late, T, true],
    ] as const) {
      const { member, world } = createBench('c')
      Object.assign(world, { time: blockTime, clock })
      const refusal = await member.receive((await proposalBy('a', T)).transaction)
      expect([blockTime, clock, refusal !== null]).toEqual([blockTime, clock, isHeld])
    }
  })

  test('behavior: the leader of the current slot completes a late proposal, and then all sign it', async () => {
    const leader = createBench('a')
    const { proposal, transaction } = await proposalBy('b', T - 2 * SLOT_MS)
    expect(await leader.member.receive(transaction)).toBeNull()
    const approvals = await approvalsOf(proposal, 'b', 'a')
    expect(await createBench('c').member.receive(formatTransaction({ proposal, approvals }))).toBeNull()
  })

  test('behavior: a late proposal is held until more members have signed it than may be hostile: in 5 of 7, three', async () => {
    const { member, world } = createBench('c')
    Object.assign(world, { keys: [...'abcdefg'], threshold: 5 })
    const late = (...others: string[]) => groupBy('b', T - 2 * SLOT_MS, [feed], ...others)
    expect(await member.receive(await late('d'))).toMatchObject({ code: 'stale_node' })
    expect(await member.receive(await late('e'))).toBeNull()
  })

  test('error: a leader whose transaction has expired may not propose its feeds together with others again', async () => {
    const { member, world } = createBench('c')
    Object.assign(world, { keys: [...'abcdefg'], threshold: 5 })
    for (const each of ['EIA.B', 'EIA.C']) world.plans.set(each, planOf(each))
    expect(await member.receive(await groupBy('a', T, [feed, 'EIA.B']))).toBeNull()
    world.time = T + LIFETIME_MS + 1
    await member.tick()
    const own = await groupBy('a', T + 3 * SLOT_MS, [feed, 'EIA.C'])
    expect(await member.receive(own)).toEqual({
      code: 'stale_node',
      detail: 'a transaction with EIA.A has expired, so it must be proposed apart',
    })
    // Only two of seven have signed, so that honest members may not know of it.
    expect(await member.receive(await groupBy('b', world.time, [feed, 'EIA.C']))).toBeNull()
    expect(await member.receive(await groupBy('a', T + 3 * SLOT_MS + 1, ['EIA.B']))).toBeNull()
  })

  test('error: feeds of an expired transaction are apart also if the node failed when it was looked for', async () => {
    const { member, world, sent } = createBench('c')
    world.plans.set('EIA.C', planOf('EIA.C'))
    // This member does not attest the feed D, and has signed nothing.
    await member.receive(await groupBy('a', T, [feed, 'EIA.D'], 'b'))
    world.time = T + LIFETIME_MS + 1
    const { onFind } = world
    world.onFind = () => {
      throw new Error('the node is down')
    }
    const { transaction } = await proposalBy('b', T + LIFETIME_MS + 1, { feed_id: 'EIA.B' })
    expect(await member.receive(transaction)).toMatchObject({ code: 'invalid_terms' })
    world.plans.set('EIA.B', planOf('EIA.B'))
    // It does the rest of its work all the same.
    await expect(member.tick()).rejects.toThrow('the node is down')
    expect(sent.map(({ signers }) => signers)).toEqual([
      ['b', 'c'],
      ['b', 'c'],
    ])
    world.onFind = onFind
    await member.tick()
    const together = await groupBy('b', T + LIFETIME_MS + 1, [feed, 'EIA.C'])
    expect(await member.receive(together)).toMatchObject({ code: 'stale_node' })
  })

  test('error: no leader may propose the feeds together if an honest member had signed what expired before', async () => {
    const { member, world } = createBench('c')
    world.plans.set('EIA.C', planOf('EIA.C'))
    // This member does not attest the feed D, and has signed nothing.
    const expired = await groupBy('a', T, [feed, 'EIA.D'], 'b')
    expect(await member.receive(expired)).toMatchObject({ code: 'invalid_terms' })
    const before = await groupBy('b', T + LIFETIME_MS, [feed, 'EIA.C'])
    const after = await groupBy('b', T + LIFETIME_MS + 1, [feed, 'EIA.C'])
    world.time = T + LIFETIME_MS + 1
    await member.tick()
    expect(await member.receive(after)).toMatchObject({ code: 'stale_node' })
    // The chain has another value of a later period since.
    world.plans.set(feed, { ...planOf(feed), latest: { ...value, period: 3 } })
    expect(await member.receive(after)).toBeNull()
    const other = createBench('c')
    other.world.plans.set('EIA.C', planOf('EIA.C'))
    await other.member.receive(expired)
    other.world.time = T + LIFETIME_MS + 1
    await other.member.tick()
    expect(await other.member.receive(before)).toBeNull()
  })

  test('behavior: while a late proposal is held, one of the current slot is signed', async () => {
    const { member, disk } = createBench('c')
    await member.receive((await proposalBy('b', T - 2 * SLOT_MS)).transaction)
    const { proposal, transaction } = await proposalBy('a', T)
    expect(await member.receive(transaction)).toBeNull()
    expect(disk.approved()).toEqual([proposal.hash])
  })

  test('error: two proposals for the same feed and slot: the leader is refused, and both are passed on', async () => {
    const { member, sent, events, disk } = createBench('c')
    const [first, second] = [await proposalBy('a', T), await proposalBy('a', T - 3 * SLOT_MS)]
    expect(await member.receive(first.transaction)).toBeNull()
    expect(await member.receive(second.transaction)).toMatchObject({ code: 'conflicting_approval' })
    const twin = await proposalBy('a', T, { amount: 7n })
    sent.length = 0
    expect(await member.receive(twin.transaction)).toMatchObject({ code: 'not_leader' })
    expect(sent.map(({ to, hash }) => [to, hash])).toEqual(
      [first, twin].flatMap(({ proposal }) => ['a', 'b'].map((to) => [to, proposal.hash])),
    )
    expect(events.map(({ event }) => event)).toContain('equivocated')
    expect(disk.convicted().length).toBe(1)
    const other = await proposalBy('a', T, { feed_id: 'EIA.B' })
    expect(await member.receive(other.transaction)).toMatchObject({ code: 'not_leader' })
  })

  test('error: evidence that cannot be stored is passed on, and its leader refused, all the same', async () => {
    const { member, world, sent, events, disk } = createBench('c')
    const [first, twin] = [await proposalBy('a', T), await proposalBy('a', T, { amount: 7n })]
    expect(await member.receive(first.transaction)).toBeNull()
    world.atWrite = () => {
      throw full
    }
    sent.length = 0
    expect(await member.receive(twin.transaction)).toMatchObject({ code: 'not_leader' })
    expect(sent.map(({ to, hash }) => [to, hash])).toEqual(
      [first, twin].flatMap(({ proposal }) => ['a', 'b'].map((to) => [to, proposal.hash])),
    )
    expect(events).toContainEqual(expect.objectContaining({ event: 'equivocated', storeError: full }))
    expect(disk.convicted()).toEqual([])
  })

  test('behavior: a leader that sends many proposals does not keep out the proof of its equivocation', async () => {
    const { member, events } = createBench('c')
    const [first, twin] = [await proposalBy('a', T), await proposalBy('a', T, { amount: 7n })]
    expect(await member.receive(first.transaction)).toBeNull()
    for (let count = 0; count < 300; count++) {
      const { transaction } = await proposalBy('a', T + SLOT_MS + count)
      expect(await member.receive(transaction)).toMatchObject({ code: 'stale_node' })
    }
    const approvals = await approvalsOf(twin.proposal, 'a', 'b')
    await member.receive(formatTransaction({ proposal: twin.proposal, approvals }))
    expect(events.map(({ event }) => event)).toContain('equivocated')
  })

  test('behavior: a proposal of later values is reconsidered when the own node shows the earlier ones', async () => {
    const { member, world } = createBench('c')
    const next = { ...value, period: 3 }
    world.plans.set(feed, { ...planOf(feed), steps: [[value], [next]] })
    const { transaction } = await proposalBy('a', T, { period: 3 })
    expect(await member.receive(transaction)).toMatchObject({ code: 'invalid_terms' })
    world.plans.set(feed, { ...planOf(feed), steps: [[next]] })
    expect(await member.receive(transaction)).toBeNull()
  })

  test('error: a member whose key the account does not have at its newest block signs nothing', async () => {
    const { member, world } = createBench('c')
    world.keys = ['a', 'b']
    const { transaction } = await proposalBy('a', T)
    expect(await member.receive(transaction)).toMatchObject({
      code: 'stale_node',
      detail: "this member's key is not associated at block 100",
    })
    world.keys = names
    expect(await member.receive(transaction)).toBeNull()
  })

  test('behavior: approvals of keys that the account has no more neither count nor are sent', async () => {
    const { member, world, delivered } = createBench('c')
    world.threshold = 3
    const { proposal, transaction } = await proposalBy('a', T)
    expect(await member.receive(transaction)).toBeNull()
    Object.assign(world, { keys: ['b', 'c'], threshold: 2 })
    await member.tick()
    expect(delivered).toEqual([])
    const approvals = await approvalsOf(proposal, 'a', 'b')
    expect(await member.receive(formatTransaction({ proposal, approvals }))).toBeNull()
    const signers = delivered.flatMap((each) => memberAt(each.transaction, 'Version1', 'approvals'))
    expect(signers).toMatchObject([{ signer: 'c' }, { signer: 'b' }])
  })

  test('error: with keys of which two groups can sign without a common one, a member neither signs nor proposes', async () => {
    const { member, world, sent } = createBench('a')
    world.keys = [...names, 'd']
    const { transaction } = await proposalBy('c', T - 1)
    expect(await member.receive(transaction)).toEqual({
      code: 'invalid_terms',
      detail:
        'two groups of keys can sign without a common key, because 2 of a total weight of 4 sign; raise the deployment threshold to at least 3 with "committee apply", or list a key that may sign alone with "recovery": true',
    })
    member.found(feed)
    await member.tick()
    expect(sent).toEqual([])
    world.threshold = 3
    expect(await member.receive(transaction)).toBeNull()
  })

  test('behavior: a declared recovery key that can sign alone does not count for this', async () => {
    const { member, world } = createBench('b')
    world.weightOf = (key) => (key === 'r' ? 2 : 1)
    world.keys = [...names, 'r']
    const { transaction } = await proposalBy('a', T)
    expect(await member.receive(transaction)).toMatchObject({ code: 'invalid_terms' })
    world.recovery.add('r')
    expect(await member.receive(transaction)).toBeNull()
  })

  test('error: an expired proposal is refused', async () => {
    const { member, world } = createBench('b')
    const { transaction } = await proposalBy('a', T)
    world.time += LIFETIME_MS + 1
    expect(await member.receive(transaction)).toMatchObject({ code: 'invalid_terms' })
  })
})

describe('tick', () => {
  test('default: the leader proposes what was found, once', async () => {
    const { member, world, sent } = createBench('a')
    member.found(feed)
    await member.tick()
    expect(sent.map(({ to, signers }) => [to, signers])).toEqual([
      ['b', ['a']],
      ['c', ['a']],
    ])
    world.time += 5_000
    await member.tick()
    expect(sent.length).toBe(2)
  })

  test('error: a leader whose key the account does not have at its newest block proposes nothing', async () => {
    const { member, world, sent } = createBench('a')
    world.keys = ['b', 'c']
    member.found(feed)
    await member.tick()
    expect(sent).toEqual([])
    world.keys = names
    await member.tick()
    expect(sent.length).toBe(2)
  })

  test('behavior: a leader completes a live proposal that it can approve now, before it makes one of its own', async () => {
    const { member, world, sent, delivered } = createBench('b')
    const { proposal, transaction } = await proposalBy('a', T)
    world.plans.delete(feed)
    expect(await member.receive(transaction)).toMatchObject({ code: 'invalid_terms' })
    world.plans.set(feed, planOf(feed))
    world.time += SLOT_MS
    member.found(feed)
    await member.tick()
    expect(delivered.map(({ transaction_hash }) => transaction_hash)).toEqual([proposal.hash])
    expect(new Set(sent.map(({ hash }) => hash))).toEqual(new Set([proposal.hash]))
  })

  test('behavior: a leader completes a live proposal of a value that it has just fetched for its own', async () => {
    const { member, world, sent, delivered } = createBench('b')
    const { proposal, transaction } = await proposalBy('a', T)
    world.plans.delete(feed)
    await member.receive(transaction)
    world.time += SLOT_MS
    member.found(feed)
    let count = 0
    world.onPlan = async () => {
      // The first plan is that of the proposal's check.
      if (++count === 2) world.plans.set(feed, planOf(feed))
    }
    await member.tick()
    expect(delivered.map(({ transaction_hash }) => transaction_hash)).toEqual([proposal.hash])
    expect(new Set(sent.map(({ hash }) => hash))).toEqual(new Set([proposal.hash]))
  })

  test('behavior: the leader makes no second proposal for a feed in its slot, even if the first is executed', async () => {
    const { member, world, sent, disk } = createBench('a')
    member.found(feed)
    await member.tick()
    const [hash = ''] = disk.approved()
    world.executed.set(hash, world.height)
    world.time += 5_000
    await member.tick()
    expect([sent.length, disk.approved().length]).toEqual([2, 0])
    world.time = T + 3 * SLOT_MS
    await member.tick()
    expect(sent.length).toBe(4)
  })

  test('behavior: a leader proposes past values if its own rules allow them and nothing newer is due, until disposed', async () => {
    const { member, world, sent, events } = createBench('a')
    const newest = { ...value, amount: 200n }
    const past = { ...value, period: 1 }
    world.past = { own: new Map([[1, past]]), prints: new Map() }
    const plan = { ...planOf(feed), latest: newest }
    const proposed = () =>
      events.flatMap((event) => (event.event === 'proposed' ? [event.proposal.attestations] : []))
    const values = [past, newest]
    const turn = async (slots: number) => {
      world.time = T + slots * 3 * SLOT_MS
      await member.tick()
    }
    {
      using _ = member.backfill(feed, values)
      world.plans.set(feed, plan)
      await turn(0)
      world.plans.set(feed, { ...plan, steps: [] })
      world.past = { ...world.past, prints: new Map([[1, past]]) }
      await turn(1)
      expect(proposed()).toEqual([])
      world.past = { ...world.past, prints: new Map() }
      await turn(2)
      expect(proposed()).toEqual([values])
      world.time += 5_000
      await member.tick()
      expect([proposed().length, sent.length]).toEqual([1, 2])
    }
    world.time += 3 * LIFETIME_MS
    await turn(7)
    expect(proposed().length).toBe(1)
  })

  test('behavior: a leader whose node lags behind the end of its slot does not propose', async () => {
    const bench = createBench('a')
    const { member, world } = bench
    member.found(feed)
    world.time = T + SLOT_MS
    await member.tick()
    expect(bench.sent).toEqual([])
  })

  test('behavior: a leader whose slot has ended while it was reading EIA does not propose', async () => {
    const { member, world, sent } = createBench('a')
    member.found(feed)
    world.onPlan = async () => {
      world.time += SLOT_MS
    }
    await member.tick()
    expect(sent).toEqual([])
  })

  test('behavior: a leader reads several feeds at the same time', async () => {
    const { member, world } = createBench('a')
    for (const each of [feed, 'EIA.B', 'EIA.C']) member.found(each)
    let running = 0
    const counts: number[] = []
    world.onPlan = async () => {
      running += 1
      counts.push(running)
      await new Promise(setImmediate)
      running -= 1
    }
    await member.tick()
    expect(counts).toEqual([1, 2, 3])
  })

  test('behavior: the feeds of an expired transaction are proposed apart until the chain has their values, or later ones', async () => {
    const { member, world } = createBench('a')
    world.time += SLOT_MS
    for (const each of ['EIA.B', 'EIA.C', 'EIA.D']) world.plans.set(each, planOf(each))
    expect(await member.receive(await groupBy('b', world.time, ['EIA.B', 'EIA.C']))).toBeNull()
    // Only its leader has signed it: it may be junk.
    expect(await member.receive(await groupBy('b', world.time, ['EIA.D', 'junk']))).not.toBeNull()
    const apartAt = async (slot: number) => {
      world.time = T + slot * SLOT_MS
      for (const each of ['EIA.B', 'EIA.C', 'EIA.D']) member.found(each)
      await member.tick()
      return world.alone
    }
    expect(await apartAt(6)).toEqual(['EIA.B', 'EIA.C'])
    world.plans.set('EIA.B', { ...planOf('EIA.B'), latest: value, steps: [[{ ...value, period: 3 }]] })
    world.plans.set('EIA.C', { ...planOf('EIA.C'), latest: { ...value, amount: 7n } })
    expect(await apartAt(12)).toEqual(['EIA.C', 'EIA.D'])
  })

  test('behavior: feeds of an executed transaction share the next one', async () => {
    const { member, world, disk } = createBench('a')
    const feedIds = ['EIA.B', 'EIA.C']
    for (const each of feedIds) world.plans.set(each, planOf(each))
    world.time += SLOT_MS
    expect(await member.receive(await groupBy('b', world.time, feedIds))).toBeNull()
    const [hash = ''] = disk.approved()
    world.executed.set(hash, world.height)
    // It was revised since.
    const latest = { ...value, amount: 7n }
    for (const each of feedIds)
      world.plans.set(each, { ...planOf(each), latest, steps: [[{ ...value, feed_id: each, period: 3 }]] })
    world.time = T + 6 * SLOT_MS
    for (const each of feedIds) member.found(each)
    await member.tick()
    expect(world.alone).toEqual([])
  })

  test('error: with a full disk, a member approves nothing more, but still sends what it has approved', async () => {
    const { member, world, sent, disk } = createBench('b')
    const first = await proposalBy('a', T)
    await member.receive(first.transaction)
    const second = await proposalBy('a', T, { feed_id: 'EIA.B' })
    world.plans.set('EIA.B', planOf('EIA.B'))
    world.atWrite = () => {
      throw full
    }
    await expect(member.receive(second.transaction)).rejects.toThrow('ENOSPC')
    sent.length = 0
    world.time += 10_000
    await expect(member.tick()).rejects.toThrow('ENOSPC')
    expect(new Set(sent.map(({ hash }) => hash))).toEqual(new Set([first.proposal.hash]))
    expect(disk.approved()).toEqual([first.proposal.hash])
  })

  test('error: an approval whose write failed at its end is not sent, and excludes others of its feed', async () => {
    const { member, world, sent, disk } = createBench('b')
    const { proposal, transaction } = await proposalBy('a', T)
    let calls = 0
    world.atWrite = () => {
      calls += 1
      if (calls === 2) throw full
    }
    await expect(member.receive(transaction)).rejects.toThrow('ENOSPC')
    expect([disk.approved(), sent]).toEqual([[proposal.hash], []])
    const { transaction: other } = await proposalBy('a', T - 3 * SLOT_MS, { amount: 7n })
    expect(await member.receive(other)).toMatchObject({ code: 'conflicting_approval' })
  })

  test('behavior: after a restart, a member sends its live approval again', async () => {
    const before = createBench('b')
    const { proposal, transaction } = await proposalBy('a', T)
    await before.member.receive(transaction)
    const { member, sent } = createBench('b', before.disk)
    await member.start()
    await member.tick()
    expect(sent.map(({ hash, signers }) => [hash, signers])).toEqual(
      [1, 2].map(() => [proposal.hash, ['a', 'b']]),
    )
  })
})
