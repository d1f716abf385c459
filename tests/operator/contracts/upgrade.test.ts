import { describe, expect, test } from 'bun:test'
import { install } from '../../../src/operator/contracts/install.ts'
import { deployedHashes } from '../../../src/operator/contracts/operation.ts'
import { readStatus } from '../../../src/operator/contracts/status.ts'
import { upgrade } from '../../../src/operator/contracts/upgrade.ts'
import { type ContractName, contractNames } from '../../../src/registry/installation.ts'
import { contractHash, oldEntryPoints } from '../../agent/support/contractChain.ts'
import { type Bench, createBench, wasmSha256, writeWasm } from '../../agent/support/operation.ts'
import { string } from '../../support/bytesrepr.ts'
import { errorOf } from '../../support/errorOf.ts'

const whats = (bench: Bench): string[] => bench.chain.calls.map(({ what }) => what)
const all = ['upgrade FeedRegistry', 'upgrade AttestationRegistry', 'upgrade EligibilityGate']

/** A chain on which everything was installed, in the versions before these. */
async function oldBench(options: Parameters<typeof createBench>[0] = {}): Promise<Bench> {
  const bench = await createBench(options)
  const packages = contractNames.map((name) => bench.chain.preinstall(name, [oldEntryPoints[name]]))
  const [feeds, attestations, gate] = packages
  feeds?.fields.set(6, `01${gate?.packageHash}`)
  attestations?.fields.set(6, `01${feeds?.packageHash}`)
  return bench
}

const onChain = (bench: Bench, name: ContractName) => {
  const contract = bench.chain.contracts.get(name)
  if (contract === undefined) throw new Error(`${name} is not on the chain`)
  return contract
}

describe('upgrade', () => {
  test('default: the FeedRegistry first; all data stays, and the wiring is complete', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    const before = contractNames.map((name) => onChain(bench, name).packageHash)
    const reports = await upgrade(operation, contractNames)
    expect(whats(bench)).toEqual(all)
    expect(reports.map(({ step, state, payment_motes }) => [step, state, payment_motes])).toEqual([
      ['upgrade FeedRegistry', 'executed', '200000000000'],
      ['upgrade AttestationRegistry', 'executed', '200000000000'],
      ['upgrade EligibilityGate', 'executed', '240000000000'],
    ])
    expect(contractNames.map((name) => onChain(bench, name).packageHash)).toEqual(before)
    expect(await readStatus(operation.rpc, deployedHashes(operation.deployment))).toMatchObject({
      is_complete: true,
    })
  })

  test('default: the arguments that Odra asks for', async () => {
    using bench = await oldBench()
    onChain(bench, 'EligibilityGate').groups = ['constructor_group']
    await upgrade(await bench.open(), contractNames)
    expect(bench.chain.calls.map(({ args }) => args)).toEqual(
      contractNames.map((name) => ({
        odra_cfg_is_upgrade: '01',
        odra_cfg_package_hash_to_upgrade: onChain(bench, name).packageHash,
        odra_cfg_package_hash_key_name: string(`${name}_package_hash`),
        odra_cfg_allow_key_override: '01',
        odra_cfg_is_upgradable: '01',
        odra_cfg_is_factory_upgrade: '00',
        odra_cfg_create_upgrade_group: name === 'EligibilityGate' ? '01' : '00',
      })),
    )
  })

  test('default: the file knows the new versions', async () => {
    using bench = await oldBench()
    await upgrade(await bench.open(), contractNames)
    expect((await bench.readFile())?.contracts.AttestationRegistry).toEqual({
      package_hash: onChain(bench, 'AttestationRegistry').packageHash,
      contract_hash: contractHash(onChain(bench, 'AttestationRegistry'), 1),
      wasm_sha256: wasmSha256('AttestationRegistry'),
    })
  })

  test('behavior: what was made from the same wasm is left alone', async () => {
    using bench = await createBench()
    await install(await bench.open())
    expect((await upgrade(await bench.open(), contractNames)).map(({ state }) => state)).toEqual([
      'done',
      'done',
      'done',
    ])
    writeWasm(bench.folder, 2)
    await upgrade(await bench.open(), contractNames)
    await upgrade(await bench.open(), contractNames)
    expect(whats(bench).slice(5)).toEqual(all)
  })

  test('behavior: a version that someone else has put there is not taken for this wasm', async () => {
    using bench = await createBench()
    await install(await bench.open())
    onChain(bench, 'EligibilityGate').versions.push(['claim'])
    await upgrade(await bench.open(), contractNames)
    expect(whats(bench).slice(5)).toEqual(['upgrade EligibilityGate'])
  })

  test('behavior: a node that shows the old version for a while is asked again', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    operation.onProgress = ({ event }) => {
      if (event === 'executed') bench.chain.lag(2)
    }
    await upgrade(operation, contractNames)
    expect(whats(bench)).toEqual(all)
    expect((await bench.readFile())?.contracts.EligibilityGate?.contract_hash).toBe(
      contractHash(onChain(bench, 'EligibilityGate'), 1),
    )
  })

  test('behavior: only those that are named', async () => {
    using bench = await oldBench()
    await upgrade(await bench.open(), ['FeedRegistry'])
    expect(whats(bench)).toEqual(['upgrade FeedRegistry'])
    await upgrade(await bench.open(), ['AttestationRegistry'])
    expect(whats(bench)).toEqual(all.slice(0, 2))
  })

  test('behavior: an AttestationRegistry that asks no one can go alone', async () => {
    using bench = await oldBench()
    onChain(bench, 'AttestationRegistry').fields.delete(6)
    await upgrade(await bench.open(), ['AttestationRegistry'])
    expect(whats(bench)).toEqual(['upgrade AttestationRegistry'])
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
    operation.onProgress = ({ event }) => {
      if (event === 'accepted') throw new Error('killed')
    }
    await upgrade(operation, contractNames).catch(() => {})
    const reports = await upgrade(await bench.open(), contractNames)
    expect(whats(bench)).toEqual(all)
    expect(reports.map(({ step, state }) => [step, state])).toEqual(all.map((step) => [step, 'executed']))
  })

  test('behavior: packages from the settings, where the account has no named key for them', async () => {
    using bench = await oldBench()
    const packageHashes = {
      FeedRegistry: onChain(bench, 'FeedRegistry').packageHash,
      AttestationRegistry: onChain(bench, 'AttestationRegistry').packageHash,
      EligibilityGate: onChain(bench, 'EligibilityGate').packageHash,
    }
    for (const name of contractNames) bench.chain.namedKeys.delete(`${name}_package_hash`)
    await upgrade(await bench.open({ packageHashes }), contractNames)
    expect(whats(bench)).toEqual(all)
  })
})

describe('refused before anything is sent', () => {
  const cases: [string, (bench: Bench) => void, readonly ContractName[], object][] = [
    [
      'an AttestationRegistry before its FeedRegistry',
      () => {},
      ['AttestationRegistry'],
      { reason: 'old_version', message: expect.stringContaining('upgrade FeedRegistry first') },
    ],
    [
      'an AttestationRegistry that asks another FeedRegistry',
      (bench) => void onChain(bench, 'AttestationRegistry').fields.set(6, `01${'77'.repeat(32)}`),
      ['AttestationRegistry'],
      { reason: 'old_version', message: expect.stringContaining(`asks hash-${'77'.repeat(32)}`) },
    ],
    [
      'a locked package',
      (bench) => {
        onChain(bench, 'EligibilityGate').isLocked = true
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
      (bench) => void bench.chain.namedKeys.delete('FeedRegistry_package_hash_access_token'),
      contractNames,
      { reason: 'no_access', message: expect.stringContaining('is not there') },
    ],
    [
      'an account with the right to upgrade something else',
      (bench) =>
        void bench.chain.namedKeys.set(
          'FeedRegistry_package_hash_access_token',
          `uref-${'0'.repeat(64)}-007`,
        ),
      contractNames,
      { reason: 'no_access', message: expect.stringContaining('is of another package') },
    ],
    [
      'a contract of which nothing is known',
      (bench) => void bench.chain.namedKeys.delete('EligibilityGate_package_hash'),
      contractNames,
      { reason: 'not_installed', message: expect.stringContaining('no EligibilityGate is known') },
    ],
  ]
  test.each(cases)('error: %s', async (_, prepare, names, facts) => {
    using bench = await oldBench()
    prepare(bench)
    const error = await errorOf(upgrade(await bench.open(), names))
    expect({ ...error, message: error.message } as object).toMatchObject({ code: 'preflight', ...facts })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: settings and file that name different packages', async () => {
    using bench = await oldBench()
    await upgrade(await bench.open(), ['FeedRegistry'])
    const packageHashes = { FeedRegistry: '0'.repeat(64), AttestationRegistry: null, EligibilityGate: null }
    const error = await errorOf(upgrade(await bench.open({ packageHashes }), ['FeedRegistry']))
    expect(error.message).toContain('FEED_REGISTRY_PACKAGE_HASH and')
  })

  test('error: rights that are gone when it is the contract’s turn', async () => {
    using bench = await oldBench()
    const operation = await bench.open()
    operation.onProgress = ({ event }) => {
      if (event === 'executed') onChain(bench, 'AttestationRegistry').isLocked = true
    }
    expect(await errorOf(upgrade(operation, contractNames))).toMatchObject({ reason: 'locked' })
    expect(whats(bench)).toEqual(['upgrade FeedRegistry'])
  })
})
