import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { createFeedLocks } from '../../../src/agent/send/feedLocks.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder } from '../../support/folder.ts'
import { hasPidNamespaces, inPidNamespace } from '../../support/pidNamespace.ts'

const module = new URL('../../../src/agent/send/feedLocks.ts', import.meta.url).pathname

/** A process that holds feed A until it is killed. */
async function startHolder(stateDir: string, purpose: string, before: readonly string[] = []) {
  const program = `
    const { createFeedLocks } = await import(${JSON.stringify(module)})
    createFeedLocks(${JSON.stringify(stateDir)}, '${purpose}').hold('A')
    Bun.gc(true)
    console.log('held')
    await Bun.stdin.text()`
  const child = Bun.spawn([...before, process.execPath, '--eval', program], { stdin: 'pipe', stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('held\n')
  return {
    pid: child.pid,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

const hold = async (locks: { hold(feedId: string): Disposable }, feedId: string): Promise<Disposable> =>
  locks.hold(feedId)
const assertFree = async (locks: { assertFree(feedId: string): void }, feedId: string): Promise<void> =>
  locks.assertFree(feedId)

describe('createFeedLocks', () => {
  test('default: a feed that another process attests to is rejected, with holder and purpose; others are free', async () => {
    using folder = createFolder()
    const locks = createFeedLocks(folder.path, 'agent')
    const holder = await startHolder(folder.path, 'attest')
    for (const error of [await errorOf(hold(locks, 'A')), await errorOf(assertFree(locks, 'A'))])
      expect<unknown>([{ ...error }, error.message]).toEqual([
        {
          code: 'feed_pending',
          retryable: true,
          feedId: 'A',
          transactionHash: null,
          waitsUntil: null,
          holder: { id: holder.pid, host: hostname(), purpose: 'attest' },
        },
        `A is being attested by process ${holder.pid} (attest); wait until that is done`,
      ])
    locks.assertFree('B')
    locks.hold('B')[Symbol.dispose]()
    await holder.kill()
    locks.hold('A')[Symbol.dispose]()
    expect(readdirSync(`${folder.path}/locks`)).toEqual([])
  })

  test('behavior: while a backfill holds it, the error is backfilling', async () => {
    using folder = createFolder()
    const locks = createFeedLocks(folder.path, 'agent')
    const holder = await startHolder(folder.path, 'backfill')
    const error = await errorOf(assertFree(locks, 'A'))
    expect<unknown>([error, error.message]).toMatchObject([
      { code: 'backfilling', retryable: true, feedId: 'A', holder: { id: holder.pid, purpose: 'backfill' } },
      `A is being backfilled by process ${holder.pid} (backfill); the agent skips it until then and resumes by itself`,
    ])
    await holder.kill()
    // What the killed one left is cleared away.
    expect(readdirSync(`${folder.path}/locks`).length).toBe(2)
    locks.assertFree('A')
    expect(readdirSync(`${folder.path}/locks`)).toEqual([])
  })

  test('behavior: a process may lock a feed several times; it is free when the last lock is disposed of', async () => {
    using folder = createFolder()
    const [locks, others] = [createFeedLocks(folder.path, 'backfill'), createFeedLocks(folder.path, 'agent')]
    const [whole, batch] = [locks.hold('A'), locks.hold('A')]
    locks.assertFree('A')
    batch[Symbol.dispose]()
    batch[Symbol.dispose]()
    expect(await errorOf(hold(others, 'A'))).toMatchObject({ code: 'backfilling' })
    whole[Symbol.dispose]()
    others.hold('A')[Symbol.dispose]()
  })

  test('behavior: any feed id of any length; checking a feed that is not locked creates no file', () => {
    using folder = createFolder()
    const locks = createFeedLocks(folder.path, 'agent')
    for (const feedId of ['../../etc/passwd', 'x'.repeat(1_000), '', 'ÄÖ\0']) {
      locks.assertFree(feedId)
      expect(existsSync(`${folder.path}/locks`)).toBe(feedId !== '../../etc/passwd')
      using _ = locks.hold(feedId)
      expect(readdirSync(`${folder.path}/locks`).length).toBe(2)
    }
  })

  test.skipIf(!hasPidNamespaces)('behavior: a process of another container holds it, too', async () => {
    using folder = createFolder()
    const locks = createFeedLocks(folder.path, 'agent')
    const holder = await startHolder(folder.path, 'attest', inPidNamespace)
    expect(await errorOf(hold(locks, 'A'))).toMatchObject({ code: 'feed_pending', holder: { id: 1 } })
    await holder.kill()
    // `unshare` ends before its child may have.
    for (;;) {
      try {
        locks.hold('A')[Symbol.dispose]()
        break
      } catch (error) {
        expect(error).toMatchObject({ code: 'feed_pending' })
        await new Promise(setImmediate)
      }
    }
  })
})
