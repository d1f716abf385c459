import { describe, expect, test } from 'bun:test'
import { clBool } from '@wattfeed/casper/types'
import { string } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { builtContract } from 'wattfeed/testing/installRegistries'
import {
  type ContractName,
  contractNames,
  packageKeyName,
} from '../../../packages/wattfeed/src/registry/installation.ts'
import { deployedHashes, openDeployment } from '../../../src/operator/contracts/deploymentFile.ts'
import { install } from '../../../src/operator/contracts/install.ts'
import type { Operation } from '../../../src/operator/contracts/operation.ts'
import { type ContractStatus, readStatus } from '../../../src/operator/contracts/status.ts'
import { upgrade } from '../../../src/operator/contracts/upgrade.ts'
import { readWasm, wasmFolder } from '../../../src/operator/contracts/wasmFile.ts'
import { wire } from '../../../src/operator/contracts/wire.ts'
import { type Bench, createBench, writeWasm } from '../../agent/support/operation.ts'
import { changedPackage, type Installed, oldContract, withoutNamedKeys } from './contractsChain.ts'

const whats = async (bench: Bench): Promise<string[]> => (await bench.chain.calls()).map(({ what }) => what)
const all = ['upgrade FeedRegistry', 'upgrade AttestationRegistry', 'upgrade EligibilityGate']

/** A chain with everything installed, and the registries in earlier versions. */
const oldBench = (): Promise<Bench> => createBench({ installed: 'old' })

const hashOf = async ({ chain }: Bench, name: ContractName): Promise<string> =>
  (await chain.packageOf(name)).packageHash

/** Installs earlier versions of the registries, without wiring them. */
async function installOld({ chain }: Bench, { signer }: Operation): Promise<void> {
  for (const name of ['FeedRegistry', 'AttestationRegistry'] as const)
    await chain.install(await oldContract(name, signer.accountHash))
}

describe('upgrade', () => {
  test('default: the FeedRegistry first; all data stays, the file knows the new versions, and new fields can be wired', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    const hashes = () => Promise.all(contractNames.map((name) => hashOf(bench, name)))
    const before = await hashes()
    const reports = await upgrade(operation, contractNames)
    expect(await whats(bench)).toEqual(all)
    expect(reports.map(({ step, state, payment_motes }) => [step, state, payment_motes])).toEqual([
      ['upgrade FeedRegistry', 'executed', '200000000000'],
      ['upgrade AttestationRegistry', 'executed', '200000000000'],
      ['upgrade EligibilityGate', 'executed', '240000000000'],
    ])
    expect(await hashes()).toEqual(before)
    const { packageHash, versions } = await bench.chain.packageOf('AttestationRegistry')
    expect((await bench.readFile())?.contracts.AttestationRegistry).toEqual({
      package_hash: packageHash,
      contract_hash: versions[1]?.contractHash ?? '',
      wasm_sha256: (await readWasm(wasmFolder, 'AttestationRegistry')).sha256,
    })
    const status = () => readStatus(operation.rpc, deployedHashes(operation.deployment))
    const [, { fields }] = (await status()).contracts as [ContractStatus, ContractStatus]
    expect([fields, (await status()).missing_wires]).toEqual([
      {
        attester: operation.signer.accountHash,
        feed_registry: `hash-${before[0]}`,
        total_attestations: 0,
      },
      ['FeedRegistry'],
    ])
    await wire(await bench.open())
    expect(await status()).toMatchObject({ is_complete: true })
  })

  test('default: the arguments that Odra asks for', async () => {
    using bench = await oldBench()
    const groups = [{ group_name: 'constructor_group', group_users: [] }]
    bench.chain.show(changedPackage(await hashOf(bench, 'EligibilityGate'), { groups }))
    // The gate already has this group, so creating it fails.
    expect((await errorOf(upgrade(await bench.open(), contractNames))).message).toContain(
      'Contract header error: 3',
    )
    const hashes = await Promise.all(contractNames.map((name) => hashOf(bench, name)))
    expect((await bench.chain.calls()).map(({ args }) => args)).toEqual(
      contractNames.map((name, index) => ({
        odra_cfg_is_upgrade: '01',
        odra_cfg_package_hash_to_upgrade: hashes[index] ?? '',
        odra_cfg_package_hash_key_name: string(`${name}_package_hash`),
        odra_cfg_allow_key_override: '01',
        odra_cfg_is_upgradable: '01',
        odra_cfg_is_factory_upgrade: '00',
        odra_cfg_create_upgrade_group: name === 'EligibilityGate' ? '01' : '00',
      })),
    )
  })

  test('behavior: contracts with the same wasm are skipped', async () => {
    using bench = await createBench()
    await install(await bench.open())
    expect((await upgrade(await bench.open(), contractNames)).map(({ state }) => state)).toEqual([
      'done',
      'done',
      'done',
    ])
    await writeWasm(bench.folder, 2)
    const changed = { wasmFolder: bench.folder.path }
    await upgrade(await bench.open(changed), contractNames)
    await upgrade(await bench.open(changed), contractNames)
    expect((await whats(bench)).slice(5)).toEqual(all)
  })

  test('behavior: a version by another program is not mistaken for this wasm', async () => {
    using bench = await createBench()
    await install(await bench.open())
    await bench.chain.upgrade('EligibilityGate')
    await upgrade(await bench.open(), contractNames)
    expect((await whats(bench)).slice(5)).toEqual(['upgrade EligibilityGate'])
  })

  test('behavior: a node that still returns the old version is called again', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    operation.onStep = ({ step }) => {
      if (step === 'settled') bench.chain.lag(2)
    }
    await upgrade(operation, contractNames)
    expect(await whats(bench)).toEqual(all)
    expect((await bench.readFile())?.contracts.EligibilityGate?.contract_hash).toBe(
      (await bench.chain.packageOf('EligibilityGate')).versions[1]?.contractHash ?? '',
    )
  })

  test('behavior: only those that are named', async () => {
    using bench = await oldBench()
    await upgrade(await bench.open(), ['FeedRegistry'])
    expect(await whats(bench)).toEqual(['upgrade FeedRegistry'])
    await upgrade(await bench.open(), ['AttestationRegistry'])
    expect(await whats(bench)).toEqual(all.slice(0, 2))
  })

  test('behavior: an AttestationRegistry that reads no FeedRegistry can be upgraded alone', async () => {
    using bench = await createBench()
    await installOld(bench, await bench.open())
    await upgrade(await bench.open(), ['AttestationRegistry'])
    expect(await whats(bench)).toEqual(['upgrade AttestationRegistry'])
  })

  test('behavior: a dry run sends nothing', async () => {
    using bench = await oldBench()
    const reports = await upgrade(await bench.open({ isDryRun: true }), contractNames)
    expect(reports.map(({ step, state }) => [step, state])).toEqual(all.map((step) => [step, 'planned']))
    expect([bench.chain.sent, await bench.readFile()]).toEqual([[], null])
  })

  test('behavior: interrupted, the same bytes are followed, and the rest is done', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    operation.onStep = ({ step }) => {
      if (step === 'accepted') throw new Error('killed')
    }
    await upgrade(operation, contractNames).catch(() => {})
    const reports = await upgrade(await bench.open(), contractNames)
    expect(await whats(bench)).toEqual(all)
    expect(reports.map(({ step, state }) => [step, state])).toEqual(all.map((step) => [step, 'executed']))
  })

  test('behavior: packages from the settings if the account has no named key for them', async () => {
    using bench = await oldBench()
    const packageHashes = {
      FeedRegistry: await hashOf(bench, 'FeedRegistry'),
      AttestationRegistry: await hashOf(bench, 'AttestationRegistry'),
      EligibilityGate: await hashOf(bench, 'EligibilityGate'),
    }
    bench.chain.show(withoutNamedKeys(...contractNames.map(packageKeyName)))
    await upgrade(await bench.open({ packageHashes }), contractNames)
    expect(await whats(bench)).toEqual(all)
  })
})

describe('rejected before anything is sent', () => {
  type Prepare = (bench: Bench, operation: Operation) => Promise<Partial<Operation>>
  const none = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }
  const cases: [string, Installed, Prepare, readonly ContractName[], object][] = [
    [
      'an AttestationRegistry before its FeedRegistry',
      'old',
      async () => ({}),
      ['AttestationRegistry'],
      { reason: 'old_version', message: expect.stringContaining('upgrade FeedRegistry first') },
    ],
    [
      'an AttestationRegistry that reads another FeedRegistry',
      'old',
      async ({ chain }) => {
        await chain.wire('AttestationRegistry', '77'.repeat(32))
        return {}
      },
      ['AttestationRegistry'],
      { reason: 'old_version', message: expect.stringContaining(`claimants from hash-${'77'.repeat(32)}`) },
    ],
    [
      'a locked package',
      'nothing',
      async (bench, operation) => {
        await installOld(bench, operation)
        const gate = await builtContract('EligibilityGate', operation.signer.accountHash)
        await bench.chain.install({ ...gate, args: { ...gate.args, odra_cfg_is_upgradable: clBool(false) } })
        return {}
      },
      contractNames,
      {
        reason: 'locked',
        message:
          'the package of EligibilityGate is locked: no one can upgrade it; upgrade the others with --only',
      },
    ],
    [
      'an account without the right to upgrade',
      'old',
      async (bench) => ({
        signer: bench.chain.stranger,
        deployment: await openDeployment(bench.path, 'casper-net-1', bench.chain.stranger),
        packageHashes: { ...none, FeedRegistry: await hashOf(bench, 'FeedRegistry') },
      }),
      ['FeedRegistry'],
      { reason: 'no_access', message: expect.stringContaining('is missing') },
    ],
    [
      'an account with the right to upgrade something else',
      'old',
      async (bench, { signer }) => {
        const packageHashes = { ...none, FeedRegistry: await hashOf(bench, 'FeedRegistry') }
        const another = await builtContract('FeedRegistry', signer.accountHash)
        const args = { ...another.args, odra_cfg_allow_key_override: clBool(true) }
        await bench.chain.install({ ...another, args })
        return { packageHashes }
      },
      contractNames,
      { reason: 'no_access', message: expect.stringContaining('belongs to another package') },
    ],
    [
      'a contract of which nothing is known',
      'nothing',
      async (bench, operation) => {
        await installOld(bench, operation)
        return {}
      },
      contractNames,
      { reason: 'not_installed', message: expect.stringContaining('no EligibilityGate found') },
    ],
  ]
  test.each(cases)('error: %s', async (_, installed, prepare, names, facts) => {
    using bench = await createBench({ installed })
    const changes = await prepare(bench, await bench.open())
    const error = await errorOf(upgrade(await bench.open(changes), names))
    expect({ ...error, message: error.message } as object).toMatchObject({ code: 'preflight', ...facts })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: settings and file that name different packages', async () => {
    using bench = await oldBench()
    await upgrade(await bench.open(), ['FeedRegistry'])
    const packageHashes = { ...none, FeedRegistry: '0'.repeat(64) }
    const error = await errorOf(upgrade(await bench.open({ packageHashes }), ['FeedRegistry']))
    expect(error.message).toContain('FEED_REGISTRY_PACKAGE_HASH and')
  })

  test('error: rights that are gone when it is the contract’s turn', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    const locked = changedPackage(await hashOf(bench, 'AttestationRegistry'), { lock_status: 'Locked' })
    operation.onStep = ({ step }) => {
      if (step === 'settled') bench.chain.show(locked)
    }
    expect(await errorOf(upgrade(operation, contractNames))).toMatchObject({ reason: 'locked' })
    expect(await whats(bench)).toEqual(['upgrade FeedRegistry'])
  })
})
