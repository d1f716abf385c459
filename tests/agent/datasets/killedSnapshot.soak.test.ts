import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from '@wattfeed/dataset'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { createFolder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { seedOf } from '@wattfeed/testing/seed'
import { IS_SOAK } from '@wattfeed/testing/soak'
import type { UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import { spawnProgram } from '../../support/program.ts'
import { rootOf, spotRow, spotRows, startDatasetApi } from './datasetApi.ts'

const seed = seedOf({ name: 'KILL_SEED', file: 'tests/agent/datasets/killedSnapshot.soak.test.ts' })
const ROUNDS = Number(process.env.KILL_ROUNDS ?? (IS_SOAK ? 300 : 3))
const KILLS_IN_A_ROW = 3

const program = new URL('snapshotProcess.ts', import.meta.url).pathname
const series = Array.from({ length: 100 }, (_, number) => `S${number}`)

/** EIA's rows after some releases: each adds a day, and revises a value further down. */
const stateOf = (releases: number): UpstreamRow[] => {
  const days = Array.from({ length: 10 + releases }, (_, day) => 11 + releases - day - 1)
  const rows = spotRows(days, series)
  return rows.with(-1 - releases, spotRow('2026-11-01', series.at(-1 - releases) ?? '', `7.${releases}`))
}

test(`behavior: killed ${KILLS_IN_A_ROW} times in a row at random times, while EIA releases rows: ${ROUNDS} times`, async () => {
  const random = createRandom(seed)
  let longestMs = 0
  for (let round = 0; round < ROUNDS; round++) {
    using out = createFolder()
    let releases = 0
    let first = Promise.withResolvers<void>()
    await using api = startDatasetApi(stateOf(0), {
      maxRows: 150,
      before(_, current) {
        first.resolve()
        if (random() < 0.04 && releases < 15) current.rows = stateOf(++releases)
        return undefined
      },
    })
    /** Starts the program, and returns it after its first request. */
    async function start() {
      first = Promise.withResolvers<void>()
      const running = spawnProgram([process.execPath, program, api.url, out.path], { env: {}, cwd: out.path })
      await running.until(first.promise)
      return running
    }
    for (let kill = 0; kill < KILLS_IN_A_ROW; kill++) {
      const running = await start()
      const dies = Promise.withResolvers<void>()
      // In the first round, nothing tells how long it takes.
      setTimeout(dies.resolve, random() * (longestMs || 100))
      await Promise.race([dies.promise, running.ended])
      await running.kill()
    }
    const startedMs = performance.now()
    const { exitCode, stdout, stderr } = await (await start()).ended
    longestMs = Math.max(longestMs, performance.now() - startedMs)
    const roots = new Set(
      await Promise.all(Array.from({ length: releases + 1 }, (_, state) => rootOf(stateOf(state)))),
    )
    const found = readdirSync(out.path).filter(isRoot)
    expect([round, exitCode, stderr, roots.has(stdout.trim())]).toEqual([round, 0, '', true])
    expect(found).toContain(stdout.trim())
    for (const root of found) {
      expect(roots.has(root)).toBeTrue()
      expect((await checkSnapshot(folderFiles(join(out.path, root)))).root).toBe(root)
    }
    expect(readdirSync(out.path).filter((name) => !isRoot(name))).toEqual([])
  }
}, 1_200_000)
