import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRoot } from '@wattfeed/dataset'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import { killedAt } from '../../support/killedRun.ts'
import { runToEnd } from '../../support/program.ts'
import { rootOf, spotRow, spotRows, startDatasetApi, takeFrom } from './datasetApi.ts'
import { askAgain, createKeeperBench } from './keeperBench.ts'

test('behavior: killed at any change of a file: what has the name of a root is whole, and the next run ends it', async () => {
  const days = [20, 19, 18, 17]
  const rows = spotRows(
    days,
    Array.from({ length: 70 }, (_, number) => `S${number}`),
  )
  await using api = startDatasetApi(rows, { maxRows: 200 })
  await using earlier = startDatasetApi(spotRows(days, ['A']))
  const root = await rootOf(rows)
  let kills = 0
  for (let step = 0, isKilled = true; isKilled; step++) {
    using out = createFolder('in memory')
    const older = await takeFrom(earlier, out.path)
    isKilled = await killedAt(
      ({ number, operation, path }) => {
        // Removing a folder takes several steps, so it has another name by then.
        if (operation === 'rm') expect(isRoot(basename(path))).toBeFalse()
        return number === step
      },
      () => takeFrom(api, out.path, { keep: 1 }),
    )
    kills += Number(isKilled)
    const whole = readdirSync(out.path).filter(isRoot)
    for (const name of whole) expect((await checkSnapshot(folderFiles(join(out.path, name)))).root).toBe(name)
    expect([[older.manifest.root], [root, older.manifest.root].sort(), [root]]).toContainEqual(whole.sort())
    expect((await takeFrom(api, out.path, { keep: 1 })).manifest.root).toBe(root)
    expect(readdirSync(out.path)).toEqual([root])
  }
  expect(kills).toBeGreaterThan(15)
})

test('behavior: killed at any change of a file while a broken snapshot is replaced: the next run ends it', async () => {
  const rows = spotRows([20, 19], ['A', 'B'])
  await using api = startDatasetApi(rows)
  const root = await rootOf(rows)
  for (let step = 0, isKilled = true; isKilled; step++) {
    using out = createFolder('in memory')
    const { folder } = await takeFrom(api, out.path)
    rmSync(join(folder, 'tile'), { recursive: true })
    isKilled = await killedAt(
      ({ number }) => number === step,
      () => takeFrom(api, out.path),
    )
    await takeFrom(api, out.path)
    expect((await checkSnapshot(folderFiles(folder))).root).toBe(root)
    expect(readdirSync(out.path)).toEqual([root])
  }
})

test('behavior: killed at any change of a file while differences are adopted: what has the name of a root is whole', async () => {
  const rows = spotRows(
    [20, 19, 18, 17],
    Array.from({ length: 70 }, (_, number) => `S${number}`),
  )
  const revised = rows.with(3, spotRow('2026-11-20', 'S3', '7'))
  const root = await rootOf(revised)
  let kills = 0
  for (let step = 0, isKilled = true; isKilled; step++) {
    using bench = createKeeperBench(rows, { keep: 1 })
    const base = await bench.take()
    bench.api.rows = revised
    const ask = () => askAgain(bench, base, revised.slice(0, 9))
    isKilled = await killedAt(({ number }) => number === step, ask)
    kills += Number(isKilled)
    for (const name of bench.roots())
      expect((await checkSnapshot(folderFiles(join(bench.out, name)))).root).toBe(name)
    expect([[base], [base, root].sort()]).toContainEqual(bench.roots().sort())
    expect((await ask())?.manifest.root).toBe(root)
    expect(readdirSync(bench.out).sort()).toEqual([base, root].sort())
  }
  expect(kills).toBeGreaterThan(10)
})

test.skipIf(!hasSmallDisks)(
  'error: a full disk is named, leaves no snapshot, and the next run goes on',
  async () => {
    using folder = createFolder()
    const program = new URL('fullDisk.ts', import.meta.url).pathname
    const command = [...onSmallDisk(folder.path, '1m'), process.execPath, program, folder.path]
    const { exitCode, stdout, stderr } = await runToEnd(command, {}, dirname(program))
    expect([exitCode, stderr]).toEqual([0, ''])
    const full = (file: string, reason: string) => ({
      error: `${file} cannot be written (${reason}): the disk is full: free some space`,
      snapshots: [],
    })
    expect(JSON.parse(stdout)).toEqual({
      reading: full('/snapshots/stage.sqlite', 'SQLITE_FULL'),
      writing: full('/snapshots', 'ENOSPC'),
      said: ['resume'],
      isRight: true,
      left: 1,
    })
  },
)
