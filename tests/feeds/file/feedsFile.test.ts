import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, rmSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { openFeedsFile } from '../../../src/feeds/file/feedsFile.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { feedOf } from '../../agent/run/fakes.ts'

let folder: Folder
beforeEach(() => {
  folder = createFolder()
})
afterEach(() => folder[Symbol.dispose]())

const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }
const [a, b, c] = [feedOf('A'), feedOf('B'), feedOf('C')]

/** A feeds file on disk, followed by an agent whose clock goes on by a second at each reading. */
async function follow(feedIds: readonly string[] = []) {
  const path = folder.write('feeds.json', JSON.stringify([a, b]))
  const logged: [level: string, fields: object, message: string][] = []
  const at = (level: string) => (fields: object, message: string) =>
    void logged.push([level, fields, message])
  const log: Log = { info: at('info'), warn: at('warn'), error: at('error') }
  let time = 0
  const file = await openFeedsFile({ path, feedIds, log, now: () => (time += 1_000) })
  return {
    file,
    path,
    logged,
    write: (content: unknown) => folder.write('feeds.json', JSON.stringify(content)),
  }
}

describe('openFeedsFile', () => {
  test('default: a change is used after the next poll, and logged', async () => {
    const { file, logged, write } = await follow()
    expect([file.feeds, file.state, await file.readChanges(false)]).toEqual([
      [a, b],
      { loaded_at: 1_000, error: null },
      null,
    ])
    const changed = { ...a, decimals: 3 }
    write([changed, c])
    expect(await file.readChanges(false)).toEqual([changed, c])
    expect([file.feeds, file.state, await file.readChanges(false)]).toEqual([
      [changed, c],
      { loaded_at: 2_000, error: null },
      null,
    ])
    expect(logged).toEqual([
      ['info', { feeds: 2, added: ['EIA.C'], removed: ['EIA.B'], changed: ['EIA.A'] }, 'feeds file reloaded'],
    ])
  })

  test('behavior: a file that replaces it by a rename is seen, even with the same size', async () => {
    const { file, path } = await follow()
    renameSync(folder.write('new.json', JSON.stringify([a, c])), path)
    expect(await file.readChanges(false)).toEqual([a, c])
  })

  test('behavior: another formatting of the same feeds changes none', async () => {
    const { file, logged } = await follow()
    folder.write('feeds.json', JSON.stringify([a, b], null, 2))
    expect([await file.readChanges(false), file.state?.loaded_at, logged.length]).toEqual([null, 2_000, 1])
  })

  test('error: a file with faults keeps the previous feeds, and names every fault once', async () => {
    const { file, path, logged, write } = await follow()
    write([
      { ...a, decimals: -1 },
      { ...c, facets: 'none' },
    ])
    for (let looks = 0; looks < 3; looks++) expect(await file.readChanges(false)).toBeNull()
    const faults = [
      `${path}: entry 0 ("EIA.A"): decimals is -1: it must be a whole number from 0 to 255`,
      `${path}: entry 1 ("EIA.C"): facets is "none": it must be an object of facet ids and their values`,
    ]
    expect([file.feeds, file.state]).toEqual([[a, b], { loaded_at: 1_000, error: faults.join('\n') }])
    expect(logged).toEqual([
      ['error', { code: 'feeds_file', faults }, 'feeds file is invalid; keeping the previous feeds'],
    ])
    write([a, b])
    expect([await file.readChanges(false), file.state]).toEqual([null, { loaded_at: 2_000, error: null }])
  })

  test('error: an empty file keeps the previous feeds, and an agent does not start with one', async () => {
    const { file, path, write } = await follow()
    write([])
    const error = `${path}: has no feeds; add one with "feeds new", or stop the agent`
    expect([await file.readChanges(false), file.feeds, file.state?.error]).toEqual([null, [a, b], error])
    const started = openFeedsFile({ path, feedIds: [], log: silentLog, now: () => 0 })
    expect(await errorOf(started)).toMatchObject({ code: 'feeds_file', message: error })
  })

  test('error: the same for a file that was removed, is incomplete, or lacks a requested feed', async () => {
    const { file, path, logged, write } = await follow(['EIA.B'])
    expect(file.feeds).toEqual([b])
    rmSync(path)
    expect([await file.readChanges(false), await file.readChanges(false)]).toEqual([null, null])
    folder.write('feeds.json', '[{"feed_id": "EIA')
    expect(await file.readChanges(false)).toBeNull()
    write([a])
    expect(await file.readChanges(false)).toBeNull()
    expect(logged.map(([level, fields]) => [level, Object(fields).code])).toEqual([
      ['error', 'feeds_file'],
      ['error', 'feeds_file'],
      ['error', 'unknown_feed'],
    ])
    expect([file.feeds, file.state?.error]).toEqual([
      [b],
      'the feeds file has no feed "EIA.B"; "feeds list" shows all feeds',
    ])
  })

  test('behavior: on request, it is read again and logged, changed or not', async () => {
    const { file, logged } = await follow()
    expect([await file.readChanges(true), file.state?.loaded_at, logged.length]).toEqual([null, 2_000, 1])
  })

  test('behavior: the built-in feeds do not change', async () => {
    const file = await openFeedsFile({
      path: null,
      feedIds: [],
      log: silentLog,
      now: () => 0,
    })
    expect([file.feeds.length, file.state, file.pollMs, await file.readChanges(true)]).toEqual([
      36,
      null,
      Number.POSITIVE_INFINITY,
      null,
    ])
  })
})
