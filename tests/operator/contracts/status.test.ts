import { describe, expect, test } from 'bun:test'
import { getStateRootHash } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createRecordedRegistries } from '@wattfeed/casper-devnet/testing/recordings'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { odraItemKey, u8, u32 } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { readPackage, upgradeContract } from 'wattfeed/testing/upgradeContract'
import { BRENT, createWorld, WTI } from 'wattfeed/testing/world'
import type { ContractName } from '../../../packages/wattfeed/src/registry/installation.ts'
import { formatStatus, readStatus } from '../../../src/operator/contracts/status.ts'
import { type Bench, createBench } from '../../agent/support/operation.ts'
import { createGatedWorld, recordedClaim } from '../../devnet/rules/gatedWorld.ts'
import { changedPackage } from './contractsChain.ts'

const none = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }

const hashOf = async ({ chain }: Bench, name: ContractName): Promise<string> =>
  (await chain.packageOf(name)).packageHash

describe('readStatus', () => {
  test('default: versions, seeds, owners, wiring and counts; the gate is found through the FeedRegistry', async () => {
    await using world = await createGatedWorld()
    const { owner, devnet } = world
    const { FeedRegistry, AttestationRegistry, Gate } = world.packages
    const done = [
      await world.setRoot(recordedClaim.merkleRoot),
      await world.setRoot(258n),
      await world.claim(),
      await world.register(owner, WTI),
      await world.register(owner, BRENT),
      await world.attest(owner, WTI, 1n),
      await upgradeContract(world, owner, { name: 'AttestationRegistry', packageHash: AttestationRegistry }),
    ]
    expect(done).toEqual(done.map(() => null))
    const locked = changedPackage(Gate, { lock_status: 'Locked' })
    const answer: AnswerRpc = async (method, params) =>
      locked(await devnet.call(method, params), method, params)
    const { chainName } = devnet
    const hashes = { FeedRegistry, AttestationRegistry, EligibilityGate: null }
    const rpc = rpcOf(answer, { chainName })
    const versionsOf = async (packageHash: string) => (await readPackage(world, packageHash)).versions
    const [feeds] = await versionsOf(FeedRegistry)
    const [attestations, newer] = await versionsOf(AttestationRegistry)
    const [gate] = await versionsOf(Gate)
    const seedOf = async (contractHash: string | undefined) => {
      const found = await devnet.call('query_global_state', { key: `hash-${contractHash}`, path: [] })
      return /"name":"state","key":"uref-(\w+)-007"/.exec(JSON.stringify(found))?.[1]
    }
    expect<unknown>(await readStatus(rpc, hashes)).toEqual({
      state_root_hash: (await getStateRootHash(rpc)).hash,
      contracts: [
        {
          contract: 'FeedRegistry',
          package_hash: FeedRegistry,
          state_seed: await seedOf(feeds?.contractHash),
          is_locked: false,
          versions: [{ version: '2.1', contract_hash: feeds?.contractHash, is_enabled: true }],
          entry_points: [
            'feed_count',
            'get_attester',
            'get_feed',
            'get_feed_at',
            'init',
            'register_feed',
            'set_eligibility_gate',
            'state_seed',
            'upgrade',
          ],
          fields: { owner: owner.accountHash, eligibility_gate: `hash-${Gate}`, feed_count: 2 },
        },
        {
          contract: 'AttestationRegistry',
          package_hash: AttestationRegistry,
          // An upgrade keeps it.
          state_seed: await seedOf(attestations?.contractHash),
          is_locked: false,
          versions: [
            { version: '2.1', contract_hash: attestations?.contractHash, is_enabled: false },
            { version: '2.2', contract_hash: newer?.contractHash, is_enabled: true },
          ],
          entry_points: [
            'attest',
            'attest_many',
            'get_at',
            'get_attester',
            'get_count',
            'get_latest',
            'init',
            'migrate_events',
            'set_feed_registry',
            'total_attestations',
            'upgrade',
          ],
          fields: {
            attester: owner.accountHash,
            feed_registry: `hash-${FeedRegistry}`,
            total_attestations: 1,
          },
        },
        {
          contract: 'EligibilityGate',
          package_hash: Gate,
          state_seed: await seedOf(gate?.contractHash),
          is_locked: true,
          versions: [{ version: '2.1', contract_hash: gate?.contractHash, is_enabled: true }],
          entry_points: [
            'claim',
            'get_roots',
            'granted_count',
            'init',
            'is_eligible',
            'remove_root',
            'revoke',
            'set_root',
            'upgrade',
          ],
          fields: { owner: owner.accountHash, roots: 2, granted_count: 1 },
        },
      ],
      unknown: [],
      missing_wires: [],
      is_complete: true,
    })
  })

  test('behavior: a gate of another kind is one that is not known', async () => {
    await using world = await createWorld()
    const { call, chainName } = world.devnet
    const { FeedRegistry } = world.packages
    expect(await readStatus(rpcOf(call, { chainName }), { ...none, FeedRegistry })).toMatchObject({
      unknown: ['AttestationRegistry', 'EligibilityGate'],
      is_complete: false,
    })
  })

  test('behavior: missing wires are named', async () => {
    using bench = await createBench({ installed: 'unwired' })
    const { rpc } = await bench.open()
    const status = await readStatus(rpc, {
      FeedRegistry: await hashOf(bench, 'FeedRegistry'),
      AttestationRegistry: await hashOf(bench, 'AttestationRegistry'),
      EligibilityGate: await hashOf(bench, 'EligibilityGate'),
    })
    expect(status).toMatchObject({
      unknown: [],
      missing_wires: ['FeedRegistry', 'AttestationRegistry'],
      is_complete: false,
    })
    expect(formatStatus('casper-net-1', status)).toEndWith(
      'wiring: not complete (FeedRegistry, AttestationRegistry: run wire)',
    )
    for (const { package_hash, state_seed } of status.contracts)
      expect(formatStatus('casper-net-1', status)).toContain(
        `  package ${package_hash}\n  state seed ${state_seed}\n`,
      )
  })

  test('error: a package that does not exist, or has no enabled version', async () => {
    using bench = await createBench({ installed: 'unwired' })
    const { rpc } = await bench.open()
    const hashes = { ...none, FeedRegistry: '0'.repeat(64) }
    expect(await errorOf(readStatus(rpc, hashes))).toMatchObject({ code: 'package_not_found' })
    const FeedRegistry = await hashOf(bench, 'FeedRegistry')
    bench.chain.show(changedPackage(FeedRegistry, { versions: [] }))
    expect((await errorOf(readStatus(rpc, { ...none, FeedRegistry }))).message).toContain(
      'no enabled version',
    )
  })

  test('error: package hashes that are swapped', async () => {
    using bench = await createBench({ installed: 'unwired' })
    const { rpc } = await bench.open()
    const hashes = { ...none, FeedRegistry: await hashOf(bench, 'AttestationRegistry') }
    expect((await errorOf(readStatus(rpc, hashes))).message).toContain(
      'no contract with the entry point "register_feed"',
    )
  })
})

describe('the recorded chain', () => {
  const chain = createRecordedRegistries()
  const feedsHash = chain.feedRegistryPackageHash.replace('hash-', '')

  /** Fills in the two fields that were never recorded. */
  const answer: AnswerRpc = (method, params) => {
    const text = JSON.stringify(params ?? null)
    const field6 = method === 'state_get_dictionary_item' && text.includes(odraItemKey(6))
    if (!field6) return chain.answer(method, params)
    const bytes = u32(33) + u8(1) + feedsHash
    return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes } } } }
  }

  test('default: the status of two real registries on a real node', async () => {
    const status = await readStatus(rpcOf(answer), {
      FeedRegistry: feedsHash,
      AttestationRegistry: chain.attestationRegistryPackageHash.replace('hash-', ''),
      EligibilityGate: null,
    })
    const owner = 'account-hash-5bf7304d39cdc9c99b8a391234f6ad85c5fdcf41646a55493c3d35b68d6bb193'
    expect(status.contracts.map(({ entry_points: _, ...rest }) => rest)).toEqual([
      {
        contract: 'FeedRegistry',
        package_hash: feedsHash,
        state_seed: '2ecb47e4668b0dca2f9f3a0eb31348d6971ba18ff1ac6750cb105c16861ac10b',
        is_locked: false,
        versions: [
          {
            version: '2.1',
            contract_hash: '15b3694abfd329c134f2323213f10d03ed7980cf756b34e92c5f21a04fe68da6',
            is_enabled: true,
          },
        ],
        fields: { owner, eligibility_gate: `hash-${feedsHash}`, feed_count: 43 },
      },
      {
        contract: 'AttestationRegistry',
        package_hash: chain.attestationRegistryPackageHash.replace('hash-', ''),
        state_seed: 'c7708494311597bcee27dde1035523a5ff1f4c6c589475ece7609bbf28a3fae3',
        is_locked: false,
        versions: [
          {
            version: '2.1',
            contract_hash: 'b2a550b752c8c0888b030def6ed4684c6c3196fdfc0684c0f737e42dacea5b62',
            is_enabled: true,
          },
        ],
        fields: {
          attester: owner,
          feed_registry: `hash-${feedsHash}`,
          total_attestations: expect.any(Number),
        },
      },
    ])
    expect([status.unknown, status.missing_wires]).toEqual([['EligibilityGate'], ['FeedRegistry']])
  })
})
