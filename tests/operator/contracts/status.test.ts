import { describe, expect, test } from 'bun:test'
import {
  createRecordedAnswers,
  describeRecording,
  readRecordedChain,
} from '../../../src/demo/recordedNode.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { install } from '../../../src/operator/contracts/install.ts'
import { deployedHashes } from '../../../src/operator/contracts/operation.ts'
import { formatStatus, readStatus } from '../../../src/operator/contracts/status.ts'
import { contractHash, entryPoints } from '../../agent/support/contractChain.ts'
import { createBench } from '../../agent/support/operation.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
import { hashOf, odraItemKey, u8, u32, u64, u512 } from '../../support/bytesrepr.ts'
import { errorOf } from '../../support/errorOf.ts'

const none = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }

describe('readStatus', () => {
  test('default: versions, owners, wiring and counts; the gate is found through the FeedRegistry', async () => {
    using bench = await createBench()
    const operation = await bench.open()
    await install(operation)
    const [feeds, attestations, gate] = [...bench.chain.contracts.values()]
    if (!feeds || !attestations || !gate) throw new Error('not installed')
    feeds.fields.set(4, u64(36))
    attestations.fields.set(5, u64(180))
    attestations.versions.push([...entryPoints.AttestationRegistry])
    gate.fields.set(2, u32(2) + u512(2n ** 255n) + u512(0n))
    gate.fields.set(5, u64(3))
    gate.isLocked = true
    const account = operation.signer.accountHash
    const version = (contract: typeof feeds, index: number, is_enabled = true) => ({
      version: `2.${index + 1}`,
      contract_hash: contractHash(contract, index),
      is_enabled,
    })
    const hashes = { ...deployedHashes(operation.deployment), EligibilityGate: null }
    expect(await readStatus(operation.rpc, hashes)).toEqual({
      state_root_hash: hashOf('root'),
      contracts: [
        {
          contract: 'FeedRegistry',
          package_hash: feeds.packageHash,
          is_locked: false,
          versions: [version(feeds, 0)],
          entry_points: [...entryPoints.FeedRegistry].sort(),
          fields: { owner: account, eligibility_gate: `hash-${gate.packageHash}`, feed_count: 36 },
        },
        {
          contract: 'AttestationRegistry',
          package_hash: attestations.packageHash,
          is_locked: false,
          versions: [version(attestations, 0, false), version(attestations, 1)],
          entry_points: [...entryPoints.AttestationRegistry].sort(),
          fields: { attester: account, feed_registry: `hash-${feeds.packageHash}`, total_attestations: 180 },
        },
        {
          contract: 'EligibilityGate',
          package_hash: gate.packageHash,
          is_locked: true,
          versions: [version(gate, 0)],
          entry_points: [...entryPoints.EligibilityGate].sort(),
          fields: { owner: account, roots: 2, granted_count: 3 },
        },
      ],
      unknown: [],
      missing_wires: [],
      is_complete: true,
    })
  })

  test('behavior: a gate of another kind is one that is not known', async () => {
    using bench = await createBench()
    const feeds = bench.chain.preinstall('FeedRegistry')
    const gate = bench.chain.preinstall('EligibilityGate', [['is_eligible']])
    feeds.fields.set(6, `01${gate.packageHash}`)
    const { rpc } = await bench.open()
    expect(await readStatus(rpc, { ...none, FeedRegistry: feeds.packageHash })).toMatchObject({
      unknown: ['AttestationRegistry', 'EligibilityGate'],
      is_complete: false,
    })
  })

  test('behavior: what is not wired is named', async () => {
    using bench = await createBench()
    const feeds = bench.chain.preinstall('FeedRegistry')
    const attestations = bench.chain.preinstall('AttestationRegistry')
    const gate = bench.chain.preinstall('EligibilityGate')
    const { rpc } = await bench.open()
    const status = await readStatus(rpc, {
      FeedRegistry: feeds.packageHash,
      AttestationRegistry: attestations.packageHash,
      EligibilityGate: gate.packageHash,
    })
    expect(status).toMatchObject({
      unknown: [],
      missing_wires: ['FeedRegistry', 'AttestationRegistry'],
      is_complete: false,
    })
    expect(formatStatus('casper-net-1', status)).toEndWith(
      'wiring: not complete (FeedRegistry, AttestationRegistry: run wire)',
    )
  })

  test('error: a package that is not there, or has no enabled version', async () => {
    using bench = await createBench()
    const { rpc } = await bench.open()
    const hashes = { ...none, FeedRegistry: '0'.repeat(64) }
    expect(await errorOf(readStatus(rpc, hashes))).toMatchObject({ code: 'package_not_found' })
    const feeds = bench.chain.preinstall('FeedRegistry', [])
    expect((await errorOf(readStatus(rpc, { ...none, FeedRegistry: feeds.packageHash }))).message).toContain(
      'no enabled version',
    )
  })

  test('error: package hashes that are swapped', async () => {
    using bench = await createBench()
    const { rpc } = await bench.open()
    const attestations = bench.chain.preinstall('AttestationRegistry')
    const hashes = { ...none, FeedRegistry: attestations.packageHash }
    expect((await errorOf(readStatus(rpc, hashes))).message).toContain(
      'no contract with the entry point "register_feed"',
    )
  })
})

describe('the recorded chain', () => {
  const exchanges = readRecordedChain()
  const chain = describeRecording(exchanges)
  const recorded = createRecordedAnswers(exchanges)
  const feedsHash = chain.feedRegistryPackageHash.replace('hash-', '')

  /** The two fields that were never recorded, filled in. */
  const answer: AnswerRpc = (method, params) => {
    const text = JSON.stringify(params ?? null)
    const field6 = method === 'state_get_dictionary_item' && text.includes(odraItemKey(6))
    if (!field6) return recorded(method, params)
    const bytes = u32(33) + u8(1) + feedsHash
    return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes } } } }
  }

  test('default: what a real node says of two real registries', async () => {
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
