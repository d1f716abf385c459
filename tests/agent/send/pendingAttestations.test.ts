import { describe, expect, spyOn, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pendingFolder } from '../../../src/casper/transaction/pendingStore.ts'
import { errorOf } from '../../support/errorOf.ts'
import { attestationOf, createOutboxBench } from './outboxBench.ts'

const UUID = '0123abcd-0000-4000-8000-000000000000'

describe('an outbox whose files fail', () => {
  test('error: a broken file stops every call before anything is sent, until it is gone', async () => {
    using bench = await createOutboxBench()
    const path = bench.pendingPath('1'.repeat(64))
    mkdirSync(dirname(path), { recursive: true })
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

  test('behavior: a transaction that is pending at another registry stays, and blocks nothing', async () => {
    using bench = await createOutboxBench()
    const path = `${pendingFolder(bench.stateDir, bench.chain.chainName, '11'.repeat(32))}/${'1'.repeat(64)}.json`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'x')
    const outbox = bench.open()
    expect(await outbox.resume()).toEqual([])
    await outbox.attest([attestationOf(0)])
    expect(bench.files()).toEqual([`${'1'.repeat(64)}.json`])
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
      mkdirSync(dirname(bench.pendingPath('')), { recursive: true })
      const outbox = bench.open({
        observe: (step) => {
          if (step.step !== 'signed' || bench.steps.length > 2) return
          // Where the text goes before it gets its name.
          symlinkSync('/dev/full', `${bench.pendingPath(step.transactionHash)}.${UUID}.new`)
        },
      })
      const uuid = spyOn(crypto, 'randomUUID').mockReturnValue(UUID)
      const error = await errorOf(outbox.attest([attestationOf(0)]))
      uuid.mockRestore()
      expect({ code: error.code, message: error.message }).toEqual({
        code: 'pending_file',
        message: expect.stringMatching(
          /cannot be written \(ENOSPC\); the transaction was not sent: the disk is full: free some/,
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
        path = bench.pendingPath(step.transactionHash)
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

  test('behavior: an incomplete file is left to its writer, and removed when the writer has died', async () => {
    using bench = await createOutboxBench()
    const path = `${bench.pendingPath('ab'.repeat(32))}.${UUID}.new`
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '{"form')
    await bench.open().resume()
    expect(bench.files().length).toBe(1)
    utimesSync(path, 0, 0)
    await bench.open().resume()
    expect(bench.files()).toEqual([])
  })

  test('error: an incomplete file cannot be removed', async () => {
    using bench = await createOutboxBench()
    const path = `${bench.pendingPath('ab'.repeat(32))}.${UUID}.new`
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
        const path = bench.pendingPath(step.transactionHash)
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
        message: 'cannot delete the file of a settled transaction',
      },
    ])
    await outbox.attest([attestationOf(0, 20261120)])
  })

  test('behavior: a settled transaction is not pending, although its file remains', async () => {
    using bench = await createOutboxBench()
    const outbox = bench.open({
      observe: (step) => {
        if (step.step !== 'recorded') return
        const path = bench.pendingPath(step.transactionHash)
        renameSync(path, `${bench.stateDir}/text`)
        mkdirSync(`${path}/taken`, { recursive: true })
      },
    })
    const { executed } = await outbox.attest([attestationOf(0)])
    const transactionHash = executed?.transactionHash ?? ''
    const path = bench.pendingPath(transactionHash)
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
