import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { EIA_RECORD } from '@wattfeed/dataset'
import { createFolder } from '@wattfeed/testing/folder'
import type { UpstreamRow } from '../../../packages/eia/src/answerEia.ts'
import {
  createDatasetKeeper,
  type KeeperOptions,
  type KeptSnapshot,
} from '../../../src/agent/datasets/datasetKeeper.ts'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import type { AgentEvent } from '../../../src/agent/events.ts'
import { datasetConfig } from './fakes.ts'
import { createMemoryEia, keyOf } from './memoryEia.ts'

export const never = new AbortController().signal

/** A keeper of spot prices in a temporary folder, with EIA in memory. */
export function createKeeperBench(
  rows: readonly UpstreamRow[],
  {
    periods = null,
    memory,
    ...changes
  }: Partial<KeeperOptions> & {
    periods?: number | null
    memory?: Parameters<typeof createMemoryEia>[1]
  } = {},
) {
  const folder = createFolder('in memory')
  const feed = datasetConfig({ dataset: { columns: ['value'], periods } })
  const api = createMemoryEia(rows, memory)
  const events: AgentEvent[] = []
  let time = 1_795_000_000_000
  const keeper = createDatasetKeeper({
    eia: api.eia,
    takeSnapshot,
    folder: folder.path,
    keep: null,
    archived: 0,
    report: (event) => events.push(event),
    now: () => time,
    random: () => 0,
    ...changes,
  })
  const out = join(folder.path, feed.feed_id.toLowerCase())
  return {
    ...{ api, keeper, feed, out, events },
    /** Takes a snapshot of what EIA has now, an hour after the last one, and returns its root. */
    async take(spare: string | null = null, pauseMs = 3_600_000): Promise<string> {
      time += pauseMs
      const newest = spare === null ? null : { source_hash: spare, amount: 0n }
      const { manifest } = await keeper.take(feed, newest, never)
      api.requests.length = 0
      return manifest.root
    },
    roots: () => readdirSync(out).filter((name) => name.length === 64),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export type KeeperBench = ReturnType<typeof createKeeperBench>

/** The files of a snapshot by their paths: texts, and what `eia.json` says, whose names may be in another order. */
export function filesIn(folder: string): Record<string, unknown> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return Object.fromEntries(
    files.map((file) => {
      const text = readFileSync(file, 'latin1')
      return [relative(folder, file), file.endsWith(EIA_RECORD) ? JSON.parse(text) : text]
    }),
  )
}

/** Asks EIA again for the keys of rows. Returns what is adopted; null if nothing is. */
export async function askAgain(
  { keeper, feed }: Pick<KeeperBench, 'keeper' | 'feed'>,
  root: string,
  about: readonly UpstreamRow[],
): Promise<KeptSnapshot | null> {
  const adopted = await keeper.askAgain(feed, root, about.map(keyOf), never)
  return typeof adopted === 'string' ? null : adopted
}
