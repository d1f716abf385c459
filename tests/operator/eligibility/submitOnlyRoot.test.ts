import { describe, expect, test } from 'bun:test'
import { createMemoryStore, type MemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import {
  type OnlyRootPlan,
  type OnlyRootSettings,
  submitOnlyRoot,
} from '../../../src/operator/eligibility/submitOnlyRoot.ts'
import { readTransactionFile } from '../../../src/operator/transaction/transactionFile.ts'
import { createGatedWorld, type GatedWorld } from '../../devnet/rules/gatedWorld.ts'

const CSPR = 1_000_000_000n

/** Arguments for the owner's calls, and their reports. */
function settingsOf({ devnet, owner, packages, tick }: GatedWorld) {
  const plans: OnlyRootPlan[] = []
  let executed = 0
  const settings: OnlyRootSettings & { store: MemoryStore } = {
    rpc: rpcOf(devnet.call, { chainName: devnet.chainName }),
    signer: owner,
    chainName: devnet.chainName,
    gatePackageHash: packages.Gate,
    store: createMemoryStore(),
    pollMs: 1,
    now: () => tick(),
    onPlan: (plan) => void plans.push(plan),
    onStep({ step }) {
      if (step === 'settled') executed++
    },
  }
  return { settings, plans, executed: () => executed }
}

async function createWorld(...roots: bigint[]): Promise<GatedWorld> {
  const world = await createGatedWorld()
  for (const root of roots) expect(await world.setRoot(root)).toBeNull()
  return world
}

describe('submitOnlyRoot', () => {
  test('behavior: with a file, the next call is written there, and nothing is sent', async () => {
    await using world = await createWorld(1n, 2n)
    const { settings, executed } = settingsOf(world)
    using folder = createFolder()
    const path = `${folder.path}/root.json`
    const run = () => submitOnlyRoot(2n, { ...settings, out: { path, lifetimeMs: 60_000 } })
    expect(await run()).toMatchObject({ state: 'written', written: { file: path } })
    expect((await readTransactionFile(path)).transaction).toMatchObject({
      entryPoint: 'remove_root',
      ttlMs: 60_000,
    })
    expect([executed(), await world.listRoots()]).toEqual([0, [1n, 2n]])
  })

  test('default: sets the root and removes all others; its payment is reported before', async () => {
    await using world = await createWorld(1n, 2n, 3n)
    const { settings, plans, executed } = settingsOf(world)
    const planned = await submitOnlyRoot(4n, { ...settings, isDryRun: true })
    const plan = { setsRoot: true, removed: [1n, 2n, 3n], paymentMotes: 10n * CSPR }
    expect([planned, await world.listRoots()]).toEqual([{ state: 'planned', plan }, [1n, 2n, 3n]])
    expect(await submitOnlyRoot(4n, settings)).toMatchObject({
      state: 'executed',
      removed: [1n, 2n, 3n],
      sent: Array.from({ length: 4 }, () => ({ executed: { errorMessage: null } })),
    })
    expect([await world.listRoots(), plans, executed()]).toEqual([[4n], [plan, plan], 4])
    expect(await submitOnlyRoot(4n, settings)).toEqual({ state: 'done' })
    expect(await submitOnlyRoot(4n, { ...settings, isDryRun: true })).toEqual({ state: 'done' })
    expect([plans.length, executed()]).toEqual([2, 4])
  })

  test('behavior: a root that is the newest is not set again; an older one is', async () => {
    await using world = await createWorld(1n, 2n)
    const { settings, plans } = settingsOf(world)
    expect(await submitOnlyRoot(2n, settings)).toMatchObject({ state: 'executed', removed: [1n] })
    expect(await world.setRoot(5n)).toBeNull()
    expect(await submitOnlyRoot(2n, settings)).toMatchObject({ state: 'executed', removed: [5n] })
    expect([await world.listRoots(), plans.map(({ setsRoot }) => setsRoot)]).toEqual([[2n], [false, true]])
  })

  test('behavior: the contract itself removes the oldest of sixteen', async () => {
    const roots = Array.from({ length: 16 }, (_, index) => BigInt(index + 1))
    await using world = await createWorld(...roots)
    const { settings, plans } = settingsOf(world)
    const removed = roots.slice(1)
    expect(await submitOnlyRoot(17n, settings)).toMatchObject({ state: 'executed', removed })
    expect([await world.listRoots(), plans]).toEqual([
      [17n],
      [{ setsRoot: true, removed, paymentMotes: 40n * CSPR }],
    ])
  })

  test('behavior: interrupted at any transaction, another run completes it, and sends none twice', async () => {
    for (const last of [1, 2, 3]) {
      await using world = await createWorld(1n, 2n)
      const { settings } = settingsOf(world)
      let executed = 0
      const stop = new AbortController()
      const hashes = new Set<string>()
      const onStep = ({ step, pending }: { step: string; pending: { transaction_hash: string } }) => {
        hashes.add(pending.transaction_hash)
        if (step === 'settled') executed++
        if (step === 'accepted' && hashes.size === last) stop.abort()
      }
      const interrupted = submitOnlyRoot(3n, { ...settings, onStep, signal: stop.signal })
      expect(await interrupted.catch(() => null)).toBeNull()
      const pending = await submitOnlyRoot(3n, { ...settings, isDryRun: true })
      expect([pending.state, executed]).toEqual(['pending', last - 1])
      await submitOnlyRoot(3n, { ...settings, onStep })
      expect([await world.listRoots(), settings.store.kept(), hashes.size]).toEqual([[3n], null, 3])
    }
  })

  test('error: the key of another account, or a balance that does not cover all payments: nothing is sent', async () => {
    await using world = await createWorld(1n, 2n)
    const { settings, plans, executed } = settingsOf(world)
    expect(await errorOf(submitOnlyRoot(3n, { ...settings, signer: world.alice }))).toMatchObject({
      reason: 'not_owner',
    })
    expect(plans).toEqual([])
    const dear = { ...settings, paymentMotes: 10n ** 30n }
    expect(await errorOf(submitOnlyRoot(3n, dear))).toMatchObject({ reason: 'balance' })
    expect([await world.listRoots(), executed()]).toEqual([[1n, 2n], 0])
  })
})
