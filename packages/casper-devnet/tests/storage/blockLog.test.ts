import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  constants,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { acquireLock, LockedError } from '@wattfeed/base/disk'
import fc from 'fast-check'
import { createFolder } from '../../../../tests/support/folder.ts'
import { type ChainIdentity, ForeignDataError, openBlockLog } from '../../src/storage/blockLog.ts'
import { CorruptRecordError } from '../../src/storage/record.ts'

const identity: ChainIdentity = { chainName: 'casper-devnet', seedHash: 'aa', accountsHash: 'bb' }

/** Opens the log of a folder, appends some records and closes it; returns its earlier contents. */
function session(directory: string, append: readonly unknown[] = [], as = identity): unknown[] {
  const records: unknown[] = []
  const log = openBlockLog(directory, as, (record) => records.push(record))
  try {
    for (const record of append) log.append(record)
  } finally {
    log.close()
  }
  return records
}

/** Returns the target of this process's file descriptor; nothing if it was closed meanwhile. */
function linkOf(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return null
  }
}

describe('openBlockLog', () => {
  test('default: appended records are replayed in order', () => {
    using folder = createFolder()
    const records = [{ height: 0, text: '°F\n€' }, [1, null], 'three']
    expect(session(folder.path, records.slice(0, 2))).toEqual([])
    expect(session(folder.path, records.slice(2))).toEqual(records.slice(0, 2))
    expect(session(folder.path)).toEqual(records)
  })

  test('behavior: any JSON is restored, even in logs that are longer than the read buffer', () => {
    using folder = createFolder()
    const long = { text: 'x'.repeat(700_000) }
    session(folder.path, [long, long, long])
    expect(session(folder.path)).toEqual([long, long, long])
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (values) => {
        using other = createFolder()
        session(other.path, values)
        expect(session(other.path)).toEqual(JSON.parse(JSON.stringify(values)))
      }),
      { numRuns: 20 },
    )
  })

  test('behavior: the remains of a failed write do not damage later records', () => {
    using folder = createFolder()
    const log = openBlockLog(folder.path, identity, () => {})
    log.append({ height: 0 })
    appendFileSync(`${folder.path}/blocks.log`, 'half of a rec')
    log.append({ height: 1 })
    log.append({ height: 2 })
    log.close()
    expect(session(folder.path)).toEqual([{ height: 0 }, { height: 1 }, { height: 2 }])
  })

  test.skipIf(process.platform !== 'linux')('behavior: an appended record is on the disk immediately', () => {
    using folder = createFolder()
    const log = openBlockLog(folder.path, identity, () => {})
    const file = readdirSync('/proc/self/fd').find((fd) => linkOf(fd) === `${folder.path}/blocks.log`)
    const [, flags = ''] =
      /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')) ?? []
    expect(Number.parseInt(flags, 8) & constants.O_SYNC).toBe(constants.O_SYNC)
    log.close()
  })

  test('behavior: a truncated last record is dropped, and the log continues', () => {
    using folder = createFolder()
    session(folder.path, [{ height: 0 }])
    const path = `${folder.path}/blocks.log`
    const whole = statSync(path).size
    session(folder.path, [{ height: 1 }])
    const content = readFileSync(path)
    for (let length = whole; length < content.length; length++) {
      writeFileSync(path, content)
      truncateSync(path, length)
      expect(session(folder.path, [{ height: 'again' }])).toEqual([{ height: 0 }])
      expect(session(folder.path)).toEqual([{ height: 0 }, { height: 'again' }])
    }
  })

  test('behavior: a partially written last record is dropped', () => {
    using folder = createFolder()
    session(folder.path, [{ height: 0 }, { height: 1 }])
    const path = `${folder.path}/blocks.log`
    const content = readFileSync(path)
    content.fill(0, content.length - 8, content.length - 1)
    writeFileSync(path, content)
    expect(session(folder.path)).toEqual([{ height: 0 }])
  })

  test('behavior: a truncated first record is written again', () => {
    using folder = createFolder()
    session(folder.path)
    const path = `${folder.path}/blocks.log`
    const first = readFileSync(path)
    for (let length = 0; length < first.length; length++) {
      writeFileSync(path, first.subarray(0, length))
      session(folder.path)
      expect(readFileSync(path)).toEqual(first)
    }
  })

  test.each(['my notes', 'a line\n', '{}\n', '\0\0'])('error: a file that is no log: %p', (text) => {
    using folder = createFolder()
    writeFileSync(`${folder.path}/blocks.log`, text)
    expect(() => session(folder.path)).toThrow(ForeignDataError)
    expect(readFileSync(`${folder.path}/blocks.log`, 'utf8')).toBe(text)
  })

  test('error: a damaged record before others', () => {
    using folder = createFolder()
    session(folder.path, [{ height: 0 }, { height: 1 }])
    const path = `${folder.path}/blocks.log`
    writeFileSync(path, readFileSync(path, 'utf8').replace('"height":0', '"height":7'))
    expect(() => session(folder.path)).toThrow(CorruptRecordError)
  })

  test.each([
    ['name', { chainName: 'casper-test' }, 'its chain name is "casper-devnet", not "casper-test"'],
    ['seed', { seedHash: 'ab' }, 'its seed differs'],
    ['accounts', { accountsHash: 'bc' }, 'its genesis accounts differ'],
  ])('error: the directory of a chain with another %s', (_, change, rule) => {
    using folder = createFolder()
    session(folder.path, [{ height: 0 }])
    const open = () => session(folder.path, [], { ...identity, ...change })
    expect(open).toThrow(ForeignDataError)
    expect(open).toThrow(rule)
    expect(session(folder.path)).toEqual([{ height: 0 }])
  })

  test('error: lines that are no records', () => {
    using folder = createFolder()
    appendFileSync(`${folder.path}/blocks.log`, 'one\ntwo\n')
    expect(() => session(folder.path)).toThrow(CorruptRecordError)
  })

  test('error: a directory that is in use', () => {
    using folder = createFolder()
    const log = openBlockLog(folder.path, identity, () => {})
    expect(() => session(folder.path)).toThrow(LockedError)
    expect(() => acquireLock(join(folder.path, 'lock'))).toThrow(LockedError)
    log.close()
    expect(session(folder.path)).toEqual([])
  })

  // In a restarted container, a program may have the id of its killed predecessor. No process has the other.
  test.each([process.pid, 4_194_305])('behavior: a lock that process %d has left is taken over', (id) => {
    using folder = createFolder()
    folder.write('lock', `${id}\n`)
    expect(session(folder.path)).toEqual([])
  })
})
