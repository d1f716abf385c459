import { describe, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EIA_RECORD, isRoot } from '@wattfeed/dataset'
import { openArchived } from '@wattfeed/dataset/archive'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import { restoreSnapshot } from '../../../src/agent/datasets/restoreSnapshot.ts'
import { killedAt } from '../../support/killedRun.ts'
import { runToEnd } from '../../support/program.ts'
import { spotRow, spotRows, startDatasetApi, takeFrom } from './datasetApi.ts'

const MAX_BYTES = 2 ** 26

const SERIES = Array.from({ length: 30 }, (_, number) => `S${number}`)

/** The rows of a version: some values are its own. */
const rowsOf = (version: number) =>
  spotRows([20, 19, 18], SERIES).map((row, at) =>
    at % 10 === version % 10 ? spotRow('2026-11-18', `R${at}`, `${version}.5`) : row,
  )

type Options = Parameters<typeof takeFrom>[2]

/** Takes snapshots of versions, one after the other, and returns their roots. */
async function takeVersions(
  out: string,
  versions: readonly number[],
  options: Options = {},
): Promise<{ roots: string[]; said: string[] }> {
  const [roots, said]: [string[], string[]] = [[], []]
  for (const version of versions) {
    await using api = startDatasetApi(rowsOf(version))
    const now = () => 1_795_000_000_000 + version
    const taken = await takeFrom(api, out, { keep: 1, archived: null, now, ...options })
    roots.push(taken.manifest.root)
    said.push(...taken.said)
  }
  return { roots, said }
}

const archiveIn = (out: string): string[] =>
  existsSync(join(out, 'archive'))
    ? readdirSync(join(out, 'archive'))
        .map((name) => name.replace('.diff', ''))
        .sort()
    : []

const rootsIn = (out: string): string[] => readdirSync(out).filter(isRoot).sort()

/** Asserts that every difference rebuilds its snapshot. */
async function assertWhole(out: string): Promise<void> {
  for (const root of archiveIn(out))
    expect(await openArchived(folderFiles(out), root, MAX_BYTES)).not.toBeNull()
}

test.skipIf(!hasSmallDisks)(
  'error: a full disk: the newest root wins, and what is not kept is said',
  async () => {
    using folder = createFolder()
    const program = new URL('fullArchive.ts', import.meta.url).pathname
    const command = [...onSmallDisk(folder.path, '4m'), process.execPath, program, folder.path]
    const { exitCode, stdout, stderr } = await runToEnd(command, {}, dirname(program))
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      ...{ isWhole: true, folders: 1, archive: ['root 2.diff'] },
      notKept: ['root 0 the disk is full', 'root 1 the disk is full'],
    })
  },
)

describe('the archive', () => {
  test.each([
    [0, []],
    [1, [2]],
    [2, [1, 2]],
    [null, [0, 1, 2]],
  ])('default: of three older snapshots, %p keeps %p', async (archived, kept) => {
    using folder = createFolder('in memory')
    const { roots } = await takeVersions(folder.path, [1, 2, 3, 4], { archived })
    expect(rootsIn(folder.path)).toEqual(roots.slice(3))
    expect(archiveIn(folder.path)).toEqual(kept.map((at) => roots[at] ?? '').sort())
    await assertWhole(folder.path)
  })

  test('default: a snapshot is restored byte for byte, without what EIA said', async () => {
    using folder = createFolder('in memory')
    using original = createFolder('in memory')
    const { roots } = await takeVersions(folder.path, [1, 2], { keep: null })
    for (const root of roots) cpSync(join(folder.path, root), join(original.path, root), { recursive: true })
    await takeVersions(folder.path, [3, 4, 5])
    const [, second = ''] = roots
    expect(await restoreSnapshot(folder.path, second)).toEqual({
      folder: join(folder.path, second),
      isNew: true,
    })
    expect(await checkSnapshot(folderFiles(join(folder.path, second)))).toMatchObject({ root: second })
    const namesIn = (path: string) => readdirSync(path, { recursive: true }).map(String).sort()
    const [restored, first] = [join(folder.path, second), join(original.path, second)]
    rmSync(join(first, EIA_RECORD))
    expect(namesIn(restored)).toEqual(namesIn(first))
    for (const name of namesIn(first)) {
      const file = Bun.file(join(first, name))
      if (!(await file.exists())) continue
      expect([name, await Bun.file(join(restored, name)).bytes()]).toEqual([name, await file.bytes()])
    }
    expect(await restoreSnapshot(folder.path, second)).toMatchObject({ isNew: false })
    await expect(restoreSnapshot(folder.path, 'ab'.repeat(32))).rejects.toThrow('archive has no')
  })

  test('behavior: EIA takes changes back: the same root is archived again, and none loses its base', async () => {
    using folder = createFolder('in memory')
    const { roots } = await takeVersions(folder.path, [1, 2])
    const back = await takeVersions(folder.path, [1, 3, 2, 4])
    expect(back.roots[0]).toBe(roots[0])
    expect(rootsIn(folder.path)).toEqual(back.roots.slice(3))
    expect(archiveIn(folder.path)).toEqual([...new Set([...roots, back.roots[1] ?? ''])].sort())
    await assertWhole(folder.path)
    for (const archived of [2, 1, 0]) {
      await takeVersions(folder.path, [4], { archived })
      expect(archiveIn(folder.path)).toHaveLength(archived)
      await assertWhole(folder.path)
    }
  })

  test('error: a difference whose base is gone is removed, and said', async () => {
    using folder = createFolder('in memory')
    const { roots } = await takeVersions(folder.path, [1, 2, 3])
    rmSync(join(folder.path, 'archive', `${roots[1]}.diff`))
    const said: unknown[] = []
    await takeVersions(folder.path, [4], {
      onProgress: (step) => void (step.step === 'not_kept' && said.push(step)),
    })
    expect(said).toEqual([
      { step: 'not_kept', snapshots: [{ root: roots[0], why: 'a snapshot that it needs is not kept' }] },
    ])
    expect(archiveIn(folder.path)).toEqual(roots.slice(2))
  })

  test('error: a snapshot that is damaged cannot be archived, which is said, and the newest is taken', async () => {
    using folder = createFolder('in memory')
    const { roots } = await takeVersions(folder.path, [1])
    rmSync(join(folder.path, roots[0] ?? '', 'tile', 'entries'), { recursive: true })
    const said: unknown[] = []
    const next = await takeVersions(folder.path, [2], {
      onProgress: (step) => void (step.step === 'not_kept' && said.push(...step.snapshots)),
    })
    expect(said).toEqual([{ root: roots[0], why: expect.stringContaining('is missing') }])
    expect([rootsIn(folder.path), archiveIn(folder.path)]).toEqual([next.roots, []])
  })

  test('behavior: killed at any change of a file, each root is whole or archived, and the next run ends it', async () => {
    let kills = 0
    for (let step = 0, isKilled = true; isKilled; step++) {
      using folder = createFolder('in memory')
      const before = await takeVersions(folder.path, [1, 2, 3])
      isKilled = await killedAt(
        ({ number, operation, path }) => {
          if (operation === 'rm') expect(isRoot(basename(path))).toBeFalse()
          return number === step
        },
        () => takeVersions(folder.path, [4]),
      )
      kills += Number(isKilled)
      const all = new Set([...rootsIn(folder.path), ...archiveIn(folder.path)].filter(isRoot))
      for (const root of before.roots) expect([step, all.has(root)]).toEqual([step, true])
      for (const root of rootsIn(folder.path))
        expect((await checkSnapshot(folderFiles(join(folder.path, root)))).root).toBe(root)
      const { roots } = await takeVersions(folder.path, [4])
      expect([rootsIn(folder.path), archiveIn(folder.path)]).toEqual([roots, before.roots.toSorted()])
      await assertWhole(folder.path)
    }
    expect(kills).toBeGreaterThan(15)
  })
})
