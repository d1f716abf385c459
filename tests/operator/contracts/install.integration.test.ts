import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { WattfeedError } from '@wattfeed/base'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'
import { string } from '@wattfeed/testing/bytesrepr'
import { errorOf } from '@wattfeed/testing/errorOf'
import { builtContract, openGate, plainContract } from 'wattfeed/testing/installRegistries'
import { type ContractName, packageKeyName } from '../../../packages/wattfeed/src/registry/installation.ts'
import { deployedHashes, stepPurposeOf } from '../../../src/operator/contracts/deploymentFile.ts'
import { install } from '../../../src/operator/contracts/install.ts'
import type { Operation } from '../../../src/operator/contracts/operation.ts'
import { readStatus } from '../../../src/operator/contracts/status.ts'
import { readWasm, wasmFolder } from '../../../src/operator/contracts/wasmFile.ts'
import { type Bench, createBench, START, writeWasm } from '../../agent/support/operation.ts'
import { oldContract, withoutEntryPoint } from './contractsChain.ts'

const CSPR = 1_000_000_000n
/** The consumed gas, plus a quarter of the rest. */
const chargedMotes = (payment: bigint, consumed: bigint): bigint => payment - ((payment - consumed) * 3n) / 4n
const allSteps = [
  'install FeedRegistry',
  'install AttestationRegistry',
  'install EligibilityGate',
  'FeedRegistry.set_eligibility_gate',
  'AttestationRegistry.set_feed_registry',
]
const shortOf = (reports: readonly { step: string; state: string }[]): string[] =>
  reports.map(({ step, state }) => `${step}: ${state}`)
const whats = async (bench: Bench): Promise<string[]> => (await bench.chain.calls()).map(({ what }) => what)

describe('installed', () => {
  let bench: Bench
  let reports: Awaited<ReturnType<typeof install>>
  beforeAll(async () => {
    bench = await createBench()
    reports = await install(await bench.open())
  })
  afterAll(() => bench[Symbol.dispose]())

  test('default: installs all three, wires them, and reports the cost', async () => {
    const executed = await Promise.all(bench.chain.sent.map((hash) => getExecution(bench.chain.answer, hash)))
    const blocks = executed.map(({ blockHeight }) => blockHeight - (executed[0]?.blockHeight ?? 0))
    expect(blocks).toEqual([0, 1, 2, 3, 4])
    expect(reports).toEqual(
      allSteps.map((step, index) => {
        const paymentMotes = [200n * CSPR, 200n * CSPR, 240n * CSPR][index] ?? MIN_PAYMENT_MOTES
        const { consumedMotes = 0n, blockHeight = 0 } = executed[index] ?? {}
        return {
          step,
          state: 'executed',
          transaction_hash: bench.chain.sent[index] ?? '',
          block_height: blockHeight,
          payment_motes: `${paymentMotes}`,
          consumed_motes: `${consumedMotes}`,
          charged_motes: `${chargedMotes(paymentMotes, consumedMotes)}`,
        }
      }),
    )
    expect(await whats(bench)).toEqual(allSteps)
  })

  test('default: the arguments that Odra and the contracts ask for', async () => {
    const { signer } = await bench.open()
    const account = `00${signer.accountHash.replace('account-hash-', '')}`
    const config = (name: string) => ({
      odra_cfg_is_upgradable: '01',
      odra_cfg_is_upgrade: '00',
      odra_cfg_allow_key_override: '00',
      odra_cfg_package_hash_key_name: string(`${name}_package_hash`),
    })
    const hashOf = async (name: ContractName) => (await bench.chain.packageOf(name)).packageHash
    expect((await bench.chain.calls()).map(({ args }) => args)).toEqual([
      { owner: account, ...config('FeedRegistry') },
      { attester: account, ...config('AttestationRegistry') },
      { owner: account, ...config('EligibilityGate') },
      { gate: `01${await hashOf('EligibilityGate')}` },
      { feed_registry: `01${await hashOf('FeedRegistry')}` },
    ])
  })

  test('default: the deployment file', async () => {
    const { signer } = await bench.open()
    const deployed = async (name: ContractName) => {
      const { packageHash, versions } = await bench.chain.packageOf(name)
      const { sha256 } = await readWasm(wasmFolder, name)
      return { package_hash: packageHash, contract_hash: versions[0]?.contractHash, wasm_sha256: sha256 }
    }
    expect<unknown>(await bench.readFile()).toEqual({
      chain_name: 'casper-net-1',
      account: signer.accountHash,
      public_key: signer.publicKey,
      contracts: {
        FeedRegistry: await deployed('FeedRegistry'),
        AttestationRegistry: await deployed('AttestationRegistry'),
        EligibilityGate: await deployed('EligibilityGate'),
      },
      transactions: reports.map(({ step: _, state: __, ...settled }, index) => ({
        ...settled,
        step: [
          { kind: 'install', contract: 'FeedRegistry' },
          { kind: 'install', contract: 'AttestationRegistry' },
          { kind: 'install', contract: 'EligibilityGate' },
          { kind: 'wire', contract: 'FeedRegistry' },
          { kind: 'wire', contract: 'AttestationRegistry' },
        ][index],
        error: null,
      })),
    })
  })

  test('default: afterwards the wiring is complete', async () => {
    const operation = await bench.open()
    expect(await readStatus(operation.rpc, deployedHashes(operation.deployment))).toMatchObject({
      is_complete: true,
      missing_wires: [],
    })
  })

  test('behavior: again, there is nothing to do', async () => {
    expect(shortOf(await install(await bench.open()))).toEqual(allSteps.map((step) => `${step}: done`))
    expect(bench.chain.sent).toHaveLength(5)
  })
})

describe('install', () => {
  test('behavior: a dry run sends and writes nothing, and reports the payments', async () => {
    using bench = await createBench()
    const reports = await install(await bench.open({ isDryRun: true }))
    expect(reports.map(({ step, state, payment_motes }) => [step, state, payment_motes])).toEqual([
      ['install FeedRegistry', 'planned', `${200n * CSPR}`],
      ['install AttestationRegistry', 'planned', `${200n * CSPR}`],
      ['install EligibilityGate', 'planned', `${240n * CSPR}`],
      ['FeedRegistry.set_eligibility_gate', 'planned', '2500000000'],
      ['AttestationRegistry.set_feed_registry', 'planned', '2500000000'],
    ])
    expect([bench.chain.sent, existsSync(bench.path)]).toEqual([[], false])
  })

  test('behavior: a node that does not return a new package yet is called again', async () => {
    using bench = await createBench()
    const operation = await bench.open()
    operation.onStep = ({ pending: { purpose }, step }) => {
      if (step === 'settled' && stepPurposeOf(purpose).step.kind === 'install') bench.chain.lag(3)
    }
    await install(operation)
    expect(await whats(bench)).toEqual(allSteps)
  })

  test('error: a node that never shows it: it stays pending, and the next run finds it', async () => {
    using bench = await createBench()
    const operation = await bench.open()
    operation.onStep = ({ step }) => {
      if (step === 'settled') bench.chain.lag(1_000)
    }
    expect(await errorOf(install(operation))).toMatchObject({ code: 'not_there_yet', retryable: true })
    expect(await bench.listPending()).toHaveLength(1)
    bench.chain.lag(0)
    await install(await bench.open())
    expect(await whats(bench)).toEqual(allSteps)
  })

  test('behavior: pending transactions are reported', async () => {
    using bench = await createBench({ looks: 1 })
    await install(await bench.open())
    expect(bench.progress.slice(0, 6)).toEqual([
      'install FeedRegistry: signed',
      'install FeedRegistry: written',
      'install FeedRegistry: accepted',
      'install FeedRegistry: pending',
      'install FeedRegistry: settled',
      'install FeedRegistry: removed',
    ])
  })
})

describe('an interrupted install', () => {
  /** A run that ends like a killed process when it sends a transaction. */
  async function interrupt(bench: Bench, at: number): Promise<void> {
    const operation = await bench.open()
    const { onStep } = operation
    let signed = 0
    operation.onStep = (step) => {
      onStep?.(step)
      if (step.step === 'written' && signed++ === at) throw new Error('killed')
    }
    await install(operation).catch(() => {})
  }

  test.each([0, 1, 2, 3, 4])(
    'behavior: killed before transaction %p is sent: the next run sends the same stored bytes',
    async (at) => {
      using bench = await createBench()
      await interrupt(bench, at)
      const [pending] = await bench.listPending()
      expect(bench.chain.sent).toHaveLength(at)
      const reports = await install(await bench.open())
      expect(bench.chain.sent[at]).toBe(pending?.transaction_hash ?? '')
      expect(await whats(bench)).toEqual(allSteps)
      expect(new Set(bench.chain.executed).size).toBe(5)
      expect(shortOf(reports)).toEqual(
        allSteps.map((step, index) => `${step}: ${index < at ? 'done' : 'executed'}`),
      )
    },
  )

  test.each([0, 1, 2, 3, 4])(
    'behavior: killed after transaction %p went out: it is followed, and not made again',
    async (at) => {
      using bench = await createBench({ looks: 1 })
      const operation = await bench.open()
      let accepted = 0
      operation.onStep = ({ step }) => {
        if (step === 'accepted' && accepted++ === at) throw new Error('killed')
      }
      await expect(install(operation)).rejects.toThrow('killed')
      await install(await bench.open())
      expect(await whats(bench)).toEqual(allSteps)
      expect(new Set(bench.chain.sent).size).toBe(5)
    },
  )

  test('behavior: killed between execution and file: found executed', async () => {
    using bench = await createBench()
    const operation = await bench.open()
    operation.onStep = ({ step }) => {
      if (step === 'settled') throw new Error('killed')
    }
    await install(operation).catch(() => {})
    expect(await bench.listPending()).toHaveLength(1)
    await install(await bench.open())
    expect(await whats(bench)).toEqual(allSteps)
  })

  test('behavior: a dry run reports the pending transaction, and plans the rest', async () => {
    using bench = await createBench()
    await interrupt(bench, 1)
    expect(shortOf(await install(await bench.open({ isDryRun: true })))).toEqual([
      'install FeedRegistry: done',
      'install AttestationRegistry: pending',
      'install EligibilityGate: planned',
      'FeedRegistry.set_eligibility_gate: planned',
      'AttestationRegistry.set_feed_registry: planned',
    ])
    expect(bench.chain.sent).toHaveLength(1)
  })

  test('behavior: one that expired unsent is made again', async () => {
    const expired = { code: -32016, message: 'Invalid transaction', data: 'transaction has expired' }
    let time = START
    using bench = await createBench({ puts: [{ error: expired }, 'accept'], time: () => time })
    await interrupt(bench, 0)
    const later = START + 3_600_000
    time = later
    await install(await bench.open({ now: () => later }))
    expect(await whats(bench)).toEqual(allSteps)
    expect((await bench.readFile())?.transactions[0]).toMatchObject({
      error: expect.stringContaining('expired'),
    })
  })

  test('behavior: without its file: packages in the account’s named keys are not installed again', async () => {
    using bench = await createBench()
    await interrupt(bench, 2)
    rmSync(bench.path)
    const reports = await install(await bench.open())
    expect(shortOf(reports).slice(0, 2)).toEqual([
      'install FeedRegistry: done',
      'install AttestationRegistry: done',
    ])
    expect(await whats(bench)).toEqual(allSteps)
    expect((await bench.readFile())?.contracts.FeedRegistry?.wasm_sha256).toBeNull()
  })

  test('error: a package that another run installs meanwhile is not replaced', async () => {
    using bench = await createBench()
    const operation = await bench.open()
    const { accountHash } = operation.signer
    operation.onStep = async ({ pending: { purpose }, step }) => {
      if (step === 'settled' && stepPurposeOf(purpose).step.contract === 'FeedRegistry')
        await bench.chain.install(await builtContract('AttestationRegistry', accountHash))
    }
    expect(await errorOf(install(operation))).toMatchObject({ code: 'preflight', reason: 'deployment_file' })
    expect(await whats(bench)).toEqual(['install FeedRegistry'])
  })
})

describe('rejected before anything is sent', () => {
  type Prepare = (bench: Bench, operation: Operation) => void | Promise<void>
  const cases: [string, Parameters<typeof createBench>[0], Prepare, object][] = [
    [
      'an account that the chain does not know',
      { isKnown: false },
      () => {},
      { code: 'preflight', reason: 'no_account' },
    ],
    [
      'another chain',
      { chainName: 'casper' },
      () => {},
      {
        code: 'all_nodes_failed',
        message: expect.stringContaining('the node serves the chain "casper", not "casper-net-1"'),
      },
    ],
    [
      'wasm that is not there',
      {},
      ({ folder }) => folder[Symbol.dispose](),
      { code: 'wasm', message: expect.stringContaining('FeedRegistry.wasm cannot be read') },
    ],
    [
      'wasm that does not match its checksum',
      {},
      ({ folder }) => void folder.write('EligibilityGate.wasm', 'other'),
      { code: 'wasm', message: expect.stringContaining('does not match its checksum in SHA256SUMS') },
    ],
    [
      'wasm without a checksum',
      {},
      ({ folder }) => void folder.write('SHA256SUMS', ''),
      { code: 'wasm', message: expect.stringContaining('has no checksum') },
    ],
    [
      'an old FeedRegistry',
      {},
      async ({ chain }, { signer }) =>
        void (await chain.install(await oldContract('FeedRegistry', signer.accountHash))),
      {
        code: 'preflight',
        reason: 'old_version',
        message: expect.stringContaining('FeedRegistry has no set_eligibility_gate'),
      },
    ],
    [
      'a FeedRegistry that cannot be asked',
      {},
      async ({ chain }, { signer }) => {
        await chain.install(await builtContract('FeedRegistry', signer.accountHash))
        chain.show(withoutEntryPoint('state_seed'))
      },
      {
        code: 'preflight',
        reason: 'old_version',
        message: expect.stringContaining('FeedRegistry has no state_seed'),
      },
    ],
    [
      'a FeedRegistry of someone else',
      {},
      async ({ chain }) =>
        void (await chain.install(await builtContract('FeedRegistry', chain.stranger.accountHash))),
      { code: 'preflight', reason: 'not_owner' },
    ],
    [
      'a named key of another contract',
      {},
      async ({ chain }) => {
        const { wasm } = openGate()
        await chain.install(plainContract(packageKeyName('EligibilityGate'), wasm))
      },
      { code: 'package_not_found' },
    ],
  ]
  test.each(cases)('error: %s', async (_, options, prepare, facts) => {
    using bench = await createBench(options)
    await writeWasm(bench.folder)
    const operation = await bench.open({ wasmFolder: bench.folder.path })
    await prepare(bench, operation)
    const error = await errorOf(install(operation))
    expect({ ...error, message: error.message } as object).toMatchObject(facts)
    expect(bench.chain.sent).toEqual([])
  })

  test('behavior: a balance of just the payments is enough', async () => {
    using bench = await createBench({ balance: 645n * CSPR })
    expect(await install(await bench.open())).toHaveLength(5)
  })

  test('error: a mote too little', async () => {
    using bench = await createBench({ balance: 645n * CSPR - 1n })
    const error = await errorOf(install(await bench.open()))
    expect(error.message).toBe(
      'the account has 644.999999999 CSPR, but the payments come to 645 CSPR; send it 0.000000001 CSPR more',
    )
    expect(bench.chain.sent).toEqual([])
  })

  test('error: a payment that no block holds', async () => {
    using bench = await createBench({ balance: 10_000n * CSPR })
    const operation = await bench.open()
    const wasm = { ...operation.payments.wasm, EligibilityGate: 813n * CSPR }
    const error = await errorOf(install(await bench.open({ payments: { ...operation.payments, wasm } })))
    expect([error.code, bench.chain.sent]).toEqual(['no_lane', []])
  })

  test('error: wasm that fits no lane', async () => {
    using bench = await createBench()
    await writeWasm(bench.folder)
    const bytes = new Uint8Array(749_500)
    bench.folder.write('EligibilityGate.wasm', bytes)
    const sums = await Bun.file(`${bench.folder.path}/SHA256SUMS`).text()
    const sum = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(
      `${bench.folder.path}/SHA256SUMS`,
      sums.replace(/.{64} {2}EligibilityGate/, `${sum}  EligibilityGate`),
    )
    const error = await errorOf(install(await bench.open({ wasmFolder: bench.folder.path })))
    expect([error.code, bench.chain.sent]).toEqual(['no_lane', []])
  })

  test('error: a deployment file of another chain', async () => {
    using bench = await createBench()
    await install(await bench.open())
    const text = await Bun.file(bench.path).text()
    writeFileSync(bench.path, text.replace('"casper-net-1"', '"casper-test"'))
    expect((await errorOf(bench.open())).message).toContain(
      'belongs to the chain casper-test, not casper-net-1',
    )
  })

  test('error: a deployment file of another account', async () => {
    using bench = await createBench()
    const { signer } = await bench.open()
    await install(await bench.open())
    const text = await Bun.file(bench.path).text()
    writeFileSync(bench.path, text.replace(signer.accountHash, `account-hash-${'0'.repeat(64)}`))
    expect((await errorOf(bench.open())).message).toContain(
      `belongs to the account account-hash-${'0'.repeat(64)}`,
    )
  })
})

describe('transactions that the chain rejects', () => {
  test('error: refused: nothing is pending, and the next run tries again', async () => {
    const refusal = { code: -32016, message: 'Invalid transaction', data: 'insufficient balance' }
    using bench = await createBench({ puts: ['accept', { error: refusal }, 'accept'] })
    const error = await errorOf(install(await bench.open()))
    expect(error).toMatchObject({ code: 'transaction_refused', reason: 'balance' })
    const file = await bench.readFile()
    expect([await bench.listPending(), file?.transactions.map((each) => each.error)]).toEqual([
      [],
      [null, `TransactionRefusedError: ${error.message}`],
    ])
    await install(await bench.open())
    expect(await whats(bench)).toEqual(allSteps)
  })

  test('error: failed: recorded with its cost', async () => {
    using bench = await createBench()
    const { payments } = await bench.open()
    const wasm = { ...payments.wasm, FeedRegistry: MIN_PAYMENT_MOTES }
    const error = await errorOf(install(await bench.open({ payments: { ...payments, wasm } })))
    expect(error).toBeInstanceOf(WattfeedError)
    const file = await bench.readFile()
    const [hash = ''] = bench.chain.sent
    expect(file?.transactions).toEqual([
      {
        step: { kind: 'install', contract: 'FeedRegistry' },
        transaction_hash: hash,
        payment_motes: `${MIN_PAYMENT_MOTES}`,
        block_height: (await bench.chain.blockOf(hash)).blockHeight,
        consumed_motes: `${MIN_PAYMENT_MOTES}`,
        charged_motes: `${MIN_PAYMENT_MOTES}`,
        error: 'Out of gas error',
      },
    ])
    expect(await bench.listPending()).toEqual([])
  })

  test('error: a node that dies after taking it: it stays pending, and the next run finds it executed', async () => {
    using bench = await createBench({ puts: ['takeAndDie', 'accept'] })
    const late = { now: () => START + 3_600_000 }
    const operation = await bench.open()
    let looks = 0
    operation.now = () => (looks++ < 1 ? START : late.now())
    expect(await errorOf(install(operation))).toMatchObject({ code: 'transaction_unresolved' })
    expect(await bench.listPending()).toHaveLength(1)
    bench.chain.revive()
    await install(await bench.open())
    expect(await whats(bench)).toEqual(allSteps)
  })
})
