import { describe, expect, test } from 'bun:test'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {
  createAttestationStore,
  createAttestPurpose,
  type Destination,
  type PendingAttestations,
} from '../../../src/agent/outbox/pendingAttestations.ts'
import { createPending } from '../../../src/casper/transaction/pendingStore.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder, type Folder } from '../../support/folder.ts'
import { attestationOf, createOutboxBench } from './outboxBench.ts'

const here = { chainName: 'casper-net-1', attestationRegistryPackageHash: '11'.repeat(32) }
const pendingOf = (digit: string, to = here) =>
  createPending(
    {
      hash: digit.repeat(64),
      expiresAt: 1_800_001_800_000,
      transaction: { Version1: { hash: digit.repeat(64), payload: {} } },
    },
    5_000_000_000n,
    createAttestPurpose(to, [attestationOf(0), attestationOf(1)]),
  )

const listPending = (stateDir: string, to: Destination) => createAttestationStore(stateDir, to).list()
const writePending = (stateDir: string, pending: PendingAttestations) =>
  createAttestationStore(stateDir, here).write(pending)
const removePending = (stateDir: string, pending: PendingAttestations) =>
  createAttestationStore(stateDir, here).remove(pending)
const pendingPath = (stateDir: string, hash: string): string => `${stateDir}/pending/${hash}.json`

/** Writes a file as some other program would. */
function put(folder: Folder, name: string, text: string): string {
  mkdirSync(`${folder.path}/pending`, { recursive: true })
  const path = `${folder.path}/pending/${name}`
  writeFileSync(path, text)
  return path
}

describe('pending transactions', () => {
  test('default: written for the owner only, listed by hash, removed', async () => {
    using folder = createFolder()
    const [one, two] = [pendingOf('2'), pendingOf('1')]
    await writePending(folder.path, one)
    await writePending(folder.path, two)
    expect(await listPending(folder.path, here)).toEqual([two, one])
    expect(statSync(pendingPath(folder.path, one.transaction_hash)).mode & 0o777).toBe(0o600)
    expect(readdirSync(`${folder.path}/pending`)).toEqual([
      `${'1'.repeat(64)}.json`,
      `${'2'.repeat(64)}.json`,
    ])
    await removePending(folder.path, one)
    await removePending(folder.path, one)
    expect(await listPending(folder.path, here)).toEqual([two])
  })

  test('default: no folder holds nothing', async () => {
    using folder = createFolder()
    expect(await listPending(`${folder.path}/none`, here)).toEqual([])
  })

  test('behavior: what a crash cut off while it was written was never sent', async () => {
    using folder = createFolder()
    put(folder, `${'1'.repeat(64)}.json.123.new`, '{"form')
    expect(await listPending(folder.path, here)).toEqual([])
  })

  const good = pendingOf('1')
  const broken: [string, string, string][] = [
    ['nothing', `${'1'.repeat(64)}.json`, ''],
    ['half of it', `${'1'.repeat(64)}.json`, JSON.stringify(good).slice(0, 200)],
    ['another format', `${'1'.repeat(64)}.json`, JSON.stringify({ ...good, format: 2 })],
    ['a list', `${'1'.repeat(64)}.json`, '[]'],
    ['no attestations', `${'1'.repeat(64)}.json`, JSON.stringify({ ...good, attestations: [] })],
    [
      'a payment that is no number',
      `${'1'.repeat(64)}.json`,
      JSON.stringify({ ...good, payment_motes: '1.5' }),
    ],
    [
      'another transaction',
      `${'1'.repeat(64)}.json`,
      JSON.stringify({ ...good, transaction: { Version1: { hash: '2'.repeat(64) } } }),
    ],
    ['what another name says', `${'2'.repeat(64)}.json`, JSON.stringify(good)],
    ['something under a name of its own', 'copy.json', JSON.stringify(good)],
  ]
  test.each(broken)('error: a file that holds %s', async (_, name, text) => {
    using folder = createFolder()
    const path = put(folder, name, text)
    const error = await errorOf(listPending(folder.path, here))
    expect({ ...error, rule: '' } as object).toEqual({
      code: 'pending_file',
      retryable: false,
      path,
      rule: '',
    })
    expect(error.message).toMatch(
      /^\S+ holds no pending transaction .* look up the transaction .* remove the file/,
    )
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('behavior: a file that another process removes while the folder is read is not pending', async () => {
    using folder = createFolder()
    const store = createAttestationStore(folder.path, here)
    await store.write(pendingOf('1'))
    // Listed, and not there when it is read.
    symlinkSync(`${folder.path}/removed`, pendingPath(folder.path, '2'.repeat(64)))
    expect(await store.list()).toEqual([pendingOf('1')])
  })

  test('error: transactions of other chains and registries are all named', async () => {
    using folder = createFolder()
    const chain = { ...here, chainName: 'casper-test' }
    const registry = { ...here, attestationRegistryPackageHash: '22'.repeat(32) }
    await writePending(folder.path, pendingOf('1'))
    await writePending(folder.path, pendingOf('2', chain))
    await writePending(folder.path, pendingOf('3', registry))
    const paths = ['2', '3'].map((digit) => pendingPath(folder.path, digit.repeat(64)))
    const error = await errorOf(listPending(folder.path, here))
    expect({ ...error, message: error.message } as object).toEqual({
      code: 'foreign_pending',
      retryable: false,
      paths,
      destinations: [
        `chain casper-test, AttestationRegistry hash-${'11'.repeat(32)}`,
        `chain casper-net-1, AttestationRegistry hash-${'22'.repeat(32)}`,
      ],
      message: `transactions of another chain or contract are pending: ${paths[0]} (chain casper-test, AttestationRegistry hash-${'11'.repeat(32)}), ${paths[1]} (chain casper-net-1, AttestationRegistry hash-${'22'.repeat(32)}); settle them with its settings, or choose another AGENT_STATE_DIR`,
    })
  })

  test('error: a folder that is none', async () => {
    using folder = createFolder()
    folder.write('pending', '')
    expect((await errorOf(listPending(folder.path, here))).message).toBe(
      `${folder.path}/pending cannot be read (ENOTDIR); nothing was sent: let this user read it`,
    )
  })

  test('error: a file that cannot be read', async () => {
    using folder = createFolder()
    mkdirSync(`${folder.path}/pending/${'1'.repeat(64)}.json`, { recursive: true })
    expect((await errorOf(listPending(folder.path, here))).message).toContain('cannot be read (EISDIR)')
  })
})

describe('an outbox whose files fail', () => {
  test('error: a broken file stops every call before anything is sent, until it is gone', async () => {
    using bench = await createOutboxBench()
    mkdirSync(`${bench.stateDir}/pending`)
    const path = pendingPath(bench.stateDir, '1'.repeat(64))
    writeFileSync(path, 'x')
    const outbox = bench.open()
    expect(await errorOf(outbox.resume())).toMatchObject({ code: 'pending_file', path })
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'pending_file', path })
    expect({ sent: bench.chain.sent, files: bench.files() }).toEqual({
      sent: [],
      files: [`${'1'.repeat(64)}.json`],
    })
    rmSync(path)
    expect(await outbox.resume()).toEqual([])
    await outbox.attest([attestationOf(0)])
  })

  test('error: what is pending elsewhere stops every call', async () => {
    using bench = await createOutboxBench()
    await writePending(bench.stateDir, pendingOf('1'))
    const outbox = bench.open()
    expect(await errorOf(outbox.resume())).toMatchObject({ code: 'foreign_pending' })
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'foreign_pending' })
    expect(bench.chain.sent).toEqual([])
  })

  test('error: a state directory that is a file', async () => {
    using bench = await createOutboxBench()
    const stateDir = `${bench.stateDir}/file`
    writeFileSync(stateDir, '')
    const outbox = bench.open({ stateDir })
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'pending_file' })
    expect(bench.chain.sent).toEqual([])
  })

  test.if(process.platform === 'linux')(
    'error: the disk is full: nothing is sent, nothing is left',
    async () => {
      using bench = await createOutboxBench()
      mkdirSync(`${bench.stateDir}/pending`)
      const outbox = bench.open({
        observe: (step) => {
          if (step.step !== 'signed' || bench.steps.length > 2) return
          // Where the text goes before it gets its name.
          symlinkSync('/dev/full', `${pendingPath(bench.stateDir, step.transactionHash)}.${process.pid}.new`)
        },
      })
      const error = await errorOf(outbox.attest([attestationOf(0)]))
      expect({ code: error.code, message: error.message }).toEqual({
        code: 'pending_file',
        message: expect.stringMatching(
          /cannot be written \(ENOSPC\); the transaction was not sent: the disk is full: make room/,
        ),
      })
      expect({ sent: bench.chain.sent, files: bench.files() }).toEqual({ sent: [], files: [] })
      await outbox.attest([attestationOf(0)])
      expect(await bench.chain.attested()).toEqual([attestationOf(0)])
    },
  )

  test('error: a name that is taken: nothing is sent, and the feed is as good as pending', async () => {
    using bench = await createOutboxBench()
    let path = ''
    const outbox = bench.open({
      observe: (step) => {
        if (step.step !== 'signed' || path !== '') return
        path = pendingPath(bench.stateDir, step.transactionHash)
        mkdirSync(`${path}/taken`, { recursive: true })
      },
    })
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'pending_file', path })
    expect(bench.chain.sent).toEqual([])
    // Neither written nor removed: the file may be there, so these bytes are settled before any others.
    expect(await errorOf(outbox.attest([attestationOf(0)]))).toMatchObject({ code: 'feed_pending' })
    rmSync(path, { recursive: true })
    expect(await outbox.resume()).toMatchObject([{ outcome: 'executed' }])
    expect(await bench.chain.attested()).toEqual([attestationOf(0)])
  })

  test('behavior: what is half-written is left to its writer, and removed when that is gone', async () => {
    using bench = await createOutboxBench()
    const path = `${pendingPath(bench.stateDir, 'ab'.repeat(32))}.1.new`
    mkdirSync(`${bench.stateDir}/pending`)
    writeFileSync(path, '{"form')
    await bench.open().resume()
    expect(bench.files().length).toBe(1)
    utimesSync(path, 0, 0)
    await bench.open().resume()
    expect(bench.files()).toEqual([])
  })

  test('error: what a crash cut off cannot be removed', async () => {
    using bench = await createOutboxBench()
    const path = `${pendingPath(bench.stateDir, 'ab'.repeat(32))}.1.new`
    mkdirSync(`${path}/taken`, { recursive: true })
    utimesSync(path, 0, 0)
    expect(await errorOf(bench.open().resume())).toMatchObject({ code: 'pending_file', path })
  })

  test('behavior: a file that cannot be removed changes nothing about the outcome', async () => {
    using bench = await createOutboxBench()
    const warnings: unknown[] = []
    const outbox = bench.open({
      log: {
        info: () => {},
        error: () => {},
        warn: (fields, message) => warnings.push({ ...fields, message }),
      },
      observe: (step) => {
        if (step.step !== 'recorded') return
        const path = pendingPath(bench.stateDir, step.transactionHash)
        const text = readFileSync(path, 'utf8')
        rmSync(path)
        mkdirSync(path)
        writeFileSync(`${path}/text`, text)
      },
    })
    const { executed } = await outbox.attest([attestationOf(0)])
    const transaction_hash = executed?.transactionHash
    expect(warnings).toEqual([
      {
        transaction_hash,
        error: expect.stringContaining('cannot be removed'),
        message: 'a settled file stays',
      },
    ])
    await outbox.attest([attestationOf(0, 20261120)])
  })

  test('behavior: what is settled is not pending, although its file stays', async () => {
    using bench = await createOutboxBench()
    const outbox = bench.open({
      observe: (step) => {
        if (step.step !== 'recorded') return
        const path = pendingPath(bench.stateDir, step.transactionHash)
        renameSync(path, `${bench.stateDir}/text`)
        mkdirSync(`${path}/taken`, { recursive: true })
      },
    })
    const { executed } = await outbox.attest([attestationOf(0)])
    const transactionHash = executed?.transactionHash ?? ''
    const path = pendingPath(bench.stateDir, transactionHash)
    rmSync(path, { recursive: true })
    renameSync(`${bench.stateDir}/text`, path)
    expect([bench.files().length, await outbox.listPending()]).toEqual([1, []])
    // The next run cannot know, and settles it again, which does no harm.
    const next = bench.open()
    expect(await next.listPending()).toMatchObject([{ transaction_hash: transactionHash }])
    expect(await next.resume()).toMatchObject([{ transactionHash, outcome: 'executed' }])
    expect([(await bench.chain.attested()).length, bench.files(), await next.listPending()]).toEqual([
      1,
      [],
      [],
    ])
  })
})
