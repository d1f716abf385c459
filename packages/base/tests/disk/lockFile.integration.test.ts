import { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { hasPidNamespaces, inPidNamespace } from '@wattfeed/testing/pidNamespace'
import { acquireLock, findHolder } from '../../src/disk/lockFile.ts'

async function firstLine({ stdout }: { stdout: ReadableStream<Uint8Array> }): Promise<string> {
  const { value } = await stdout.getReader().read()
  return new TextDecoder().decode(value).trim()
}

/** The error that it throws, as a promise. */
const tryLock = async (path: string): Promise<Disposable> => acquireLock(path)

const module = new URL('../../src/disk/lockFile.ts', import.meta.url).pathname

/** Runs a program that has `acquireLock` and `path`. */
const spawn = (path: string, program: string, before: readonly string[] = []) =>
  Bun.spawn(
    [
      ...before,
      process.execPath,
      '--eval',
      `const { acquireLock } = await import(${JSON.stringify(module)})
       const path = ${JSON.stringify(path)}
       ${program}`,
    ],
    { stdin: 'pipe', stdout: 'pipe' },
  )

/** Prints its process id once it holds the lock, until its input ends; otherwise prints the error. */
const rival = (path: string, before?: readonly string[]) =>
  spawn(
    path,
    `try {
       acquireLock(path)
       Bun.gc(true)
       console.log(process.pid)
     } catch (error) { console.log(error.code) }
     await Bun.stdin.text()`,
    before,
  )

async function end(processes: readonly ReturnType<typeof spawn>[]): Promise<void> {
  for (const { stdin } of processes) stdin.end()
  await Promise.all(processes.map(({ exited }) => exited))
}

async function deadProcessId(): Promise<number> {
  const child = Bun.spawn([process.execPath, '--version'], { stdout: 'ignore' })
  await child.exited
  return child.pid
}

const ownText = `${process.pid} ${hostname()}\n`

describe('acquireLock', () => {
  test('default: one holder at a time, even in one process; after release, another can acquire it', async () => {
    using folder = createFolder()
    const path = `${folder.path}/state/lock`
    {
      using _ = acquireLock(path)
      const error = await errorOf(tryLock(path))
      expect<unknown>([{ ...error }, error.message]).toEqual([
        { code: 'locked', retryable: true, path, holder: process.pid, host: hostname(), purpose: null },
        `${path} is locked by process ${process.pid}; wait until it ends, or stop it`,
      ])
    }
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(ownText)
  })

  test('behavior: an empty database and a text exist while it is held, and no file afterwards', () => {
    using folder = createFolder()
    {
      using _ = acquireLock(`${folder.path}/lock`)
      const files = readdirSync(folder.path).map((name) => ({ name, ...statSync(`${folder.path}/${name}`) }))
      expect(files.map(({ name, mode }) => [name, mode & 0o777]).toSorted()).toEqual([
        ['lock', 0o600],
        ['lock.db', 0o600],
      ])
      expect(files.find(({ name }) => name === 'lock.db')?.size).toBe(0)
    }
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('behavior: releasing twice does not release the lock of another holder', async () => {
    using folder = createFolder()
    const first = acquireLock(`${folder.path}/lock`)
    first[Symbol.dispose]()
    using _ = acquireLock(`${folder.path}/lock`)
    first[Symbol.dispose]()
    expect(await errorOf(tryLock(`${folder.path}/lock`))).toMatchObject({
      code: 'locked',
      holder: process.pid,
    })
  })

  test('behavior: other paths in the same folder are not locked', () => {
    using folder = createFolder()
    using _ = acquireLock(`${folder.path}/lock`)
    using other = acquireLock(`${folder.path}/other.lock`)
    expect(other).toBeDefined()
  })

  test('behavior: another process has it as soon as it is given back', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    const lock = acquireLock(path)
    await errorOf(tryLock(path))
    const refused = rival(path)
    expect(await firstLine(refused)).toBe('locked')
    lock[Symbol.dispose]()
    const next = rival(path)
    expect(await firstLine(next)).toBe(`${next.pid}`)
    expect(await errorOf(tryLock(path))).toMatchObject({ code: 'locked', holder: next.pid })
    await end([refused, next])
  })

  test('behavior: it waits as long as it may for another process that holds it', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    const holder = rival(path)
    await firstLine(holder)
    expect(await errorOf(tryLock(path))).toMatchObject({ code: 'locked', holder: holder.pid })
    holder.stdin.end()
    using _ = acquireLock(path, null, 60_000)
    expect(readFileSync(path, 'utf8')).toBe(ownText)
    await holder.exited
    expect(await errorOf(tryLock(path))).toMatchObject({ code: 'locked', holder: process.pid })
  })

  test('behavior: SIGKILL releases it, whatever remains in the folder', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    const killed = rival(path)
    expect(await firstLine(killed)).toBe(`${killed.pid}`)
    killed.kill('SIGKILL')
    await killed.exited
    expect(readFileSync(path, 'utf8')).toBe(`${killed.pid} ${hostname()}\n`)
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(ownText)
  })

  test('behavior: of two that find a dead holder at once, one takes over', async () => {
    using folder = createFolder()
    const path = folder.write('lock', `${await deadProcessId()} ${hostname()}\n`)
    const rivals = [rival(path), rival(path)]
    const said = await Promise.all(rivals.map(firstLine))
    const [winner] = said.filter((line) => line !== 'locked')
    expect({ said: said.toSorted(), holder: readFileSync(path, 'utf8') }).toEqual({
      said: [`${winner}`, 'locked'],
      holder: `${winner} ${hostname()}\n`,
    })
    expect(readdirSync(folder.path).toSorted()).toEqual(['lock', 'lock.db'])
    await end(rivals)
  })

  test('behavior: never two holders at a time, with many that acquire and release it', async () => {
    using folder = createFolder()
    const worker = `
      const { openSync, closeSync, rmSync } = await import('node:fs')
      let turns = 0
      // It ends without the lock, too, should the test be killed.
      for (let tries = 0; turns < 300 && tries < 1_000_000; tries++) {
        try {
          using _ = acquireLock(path)
          closeSync(openSync(path + '.inside', 'wx'))
          rmSync(path + '.inside')
          turns++
        } catch (error) {
          if (error.code !== 'locked') {
            console.log(String(error))
            break
          }
        }
      }
      console.log(turns)`
    const workers = Array.from({ length: 4 }, () => spawn(`${folder.path}/lock`, worker))
    const said = await Promise.all(workers.map(({ stdout }) => new Response(stdout).text()))
    expect(said).toEqual(['300\n', '300\n', '300\n', '300\n'])
  })

  test('error: a lock whose file is removed each time it is opened is locked, after 100 tries', () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    using removal = spyOn(Database.prototype, 'fileControl').mockImplementation((...[, moved]: unknown[]) => {
      rmSync(`${path}.db`)
      if (moved instanceof Int32Array) moved[0] = 1
      return 0
    })
    expect(() => acquireLock(path)).toThrow(`${path} is locked by another process`)
    expect(removal).toHaveBeenCalledTimes(100)
  })

  test.skipIf(!hasPidNamespaces)(
    'behavior: of two that are process 1, each of its own container, one holds it',
    async () => {
      using folder = createFolder()
      const path = `${folder.path}/lock`
      const first = rival(path, inPidNamespace)
      expect(await firstLine(first)).toBe('1')
      const second = rival(path, inPidNamespace)
      expect(await firstLine(second)).toBe('locked')
      await end([first])
      const third = rival(path, inPidNamespace)
      expect(await firstLine(third)).toBe('1')
      await end([second, third])
    },
  )

  test('behavior: a stale process id that another process has now does not block', async () => {
    using folder = createFolder()
    const path = folder.write('lock', `1 ${hostname()}\n`)
    folder.write('lock.db', '')
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(ownText)
  })

  test('behavior: a text that a crash cut off is replaced', () => {
    using folder = createFolder()
    const path = folder.write('lock', '')
    using _ = acquireLock(path)
    expect(readFileSync(path, 'utf8')).toBe(ownText)
  })

  test('error: the message has the host if it differs, and the purpose', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    using _ = acquireLock(path)
    folder.write('lock', '1 3f2a9c\n')
    expect((await errorOf(tryLock(path))).message).toContain('is locked by process 1 on 3f2a9c; wait')
    folder.write('lock', '1 3f2a9c agent\n')
    expect((await errorOf(tryLock(path))).message).toContain('is locked by process 1 on 3f2a9c (agent); wait')
    folder.write('lock', '')
    expect((await errorOf(tryLock(path))).message).toContain('is locked by another process; wait')
  })
})

describe('acquireLock without write permission', () => {
  /** Root may write everything. */
  const unprivileged = (path: string) =>
    spawn(
      path,
      `if (process.getuid() === 0) process.setuid(65534)
       try { acquireLock(path) } catch ({ code, path, reason, message }) {
         console.log(JSON.stringify({ code, path, reason, message }))
       }`,
    )

  test.each([
    ['folder', 0o555, 'unable to open database file'],
    ['database', 0o755, 'attempt to write a readonly database'],
  ])('error: a read-only %s', async (what, mode, reason) => {
    using folder = createFolder()
    if (what === 'database') folder.write('lock.db', '', 0o444)
    chmodSync(folder.path, mode)
    const path = `${folder.path}/lock`
    expect(JSON.parse(await firstLine(unprivileged(path)))).toEqual({
      code: 'unlockable',
      path: `${path}.db`,
      reason,
      message: `${path}.db cannot be locked (${reason}): this user must be able to write it and its folder`,
    })
    expect(existsSync(path)).toBeFalse()
  })

  test('error: a folder that cannot be created', async () => {
    using folder = createFolder()
    const path = `${folder.write('file', '')}/locks/lock`
    expect(await errorOf(tryLock(path))).toMatchObject({
      code: 'unlockable',
      path: `${path}.db`,
      reason: expect.stringMatching(/^ENOTDIR/),
    })
  })

  test('error: a folder, a file with content or a link in the place of the database; it stays as it is', () => {
    using folder = createFolder()
    const target = folder.write('target', '', 0o644)
    const path = `${folder.path}/lock`
    for (const put of [
      () => mkdirSync(`${path}.db`),
      () => symlinkSync(target, `${path}.db`),
      () => new Database(`${path}.db`).run('CREATE TABLE mine (x)'),
    ]) {
      put()
      const before = statSync(`${path}.db`).size
      for (const use of [acquireLock, findHolder])
        expect(() => use(path)).toThrow(
          `${path}.db cannot be locked (it is not an empty regular file): move it away`,
        )
      expect(statSync(`${path}.db`).size).toBe(before)
      rmSync(`${path}.db`, { recursive: true })
    }
    expect([statSync(target).mode & 0o777, readFileSync(target, 'utf8')]).toEqual([0o644, ''])
    acquireLock(path)[Symbol.dispose]()
  })
})

/** So many meet the moment at which the file is removed. */
const LOOKS = 20_000

describe('findHolder', () => {
  test('default: the holder, and null before and after; the files stay as they are', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    expect(findHolder(path)).toBeNull()
    const holder = rival(path)
    const id = Number(await firstLine(holder))
    expect(findHolder(path)).toEqual({ id, host: hostname(), purpose: null })
    expect(findHolder(path)).toEqual({ id, host: hostname(), purpose: null })
    holder.kill('SIGKILL')
    await holder.exited
    const left = readdirSync(folder.path).sort()
    expect([findHolder(path), left, readdirSync(folder.path).sort()]).toEqual([
      null,
      ['lock', 'lock.db'],
      left,
    ])
    acquireLock(path)[Symbol.dispose]()
  })

  test('behavior: a holder that ends while it is looked for is nobody, not an error', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    const holder = spawn(
      path,
      `console.log('ready')
       // findHolder tries the lock, so this may not get it. It ends by itself, too, should the test be killed.
       for (let turns = 0; turns < 1_000_000; turns++) try { acquireLock(path)[Symbol.dispose]() } catch {}`,
    )
    await firstLine(holder)
    try {
      for (let count = 0; count < LOOKS; count += 1) findHolder(path)
    } finally {
      holder.kill('SIGKILL')
      await holder.exited
    }
    expect(findHolder(path)).toBeNull()
  })

  test('error: a file that cannot be locked is looked at three times', () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    folder.write('lock.db', '')
    using other = new Database(folder.write('other.db', 'this is not a database'.repeat(100)))
    const read = () => other.query('SELECT * FROM sqlite_schema').all()
    using run = spyOn(Database.prototype, 'run').mockImplementation(() => {
      read()
      throw new Error('it was read')
    })
    expect(() => findHolder(path)).toThrow(`${path}.db cannot be locked (file is not a database)`)
    expect(run).toHaveBeenCalledTimes(3)
  })

  test('default: SQLite does not wait for a lock that is held', () => {
    using database = new Database(':memory:')
    expect(database.query('PRAGMA busy_timeout').get()).toEqual({ timeout: 0 })
  })

  test('behavior: it does not free a lock of its own process', async () => {
    using folder = createFolder()
    const path = `${folder.path}/lock`
    using _ = acquireLock(path, 'agent')
    expect(findHolder(path)).toMatchObject({ id: process.pid, purpose: 'agent' })
    const other = rival(path)
    expect(await firstLine(other)).toBe('locked')
    await end([other])
  })
})
