import { expect, test } from 'bun:test'
import type { SnapshotStep } from '../../src/agent/datasets/snapshotInput.ts'
import { watchSnapshot } from '../../src/operator/watchSnapshot.ts'

/** Shows steps at times in milliseconds; a `!` marks lines that logs have, too. */
function show(steps: readonly (readonly [number, SnapshotStep])[]): string[] {
  const lines: string[] = []
  let nowMs = 0
  const terminal = {
    progress: (line: string) => lines.push(line),
    milestone: (line: string) => lines.push(`! ${line}`),
  }
  const watch = watchSnapshot(terminal, () => nowMs)
  for (const [ms, step] of steps) {
    nowMs = ms
    watch(step)
  }
  return lines
}

const page = (pages: number, step: 'page' | 'resume' = 'page'): SnapshotStep => ({
  ...{ step, pages, rows: pages * 5_000, total: 2_000_000 },
})

test('default: pages, rows, the rate and the time left', () => {
  const steps = [
    [0, page(1)],
    [500, page(2)],
    [200_000, page(201)],
    [300_000, page(400)],
    [305_000, { step: 'check', done: 3, pages: 12 }],
    [310_000, { step: 'write', values: 10_000 }],
    [310_000, { step: 'mend', folder: 'datasets/ab', why: 'index: is missing' }],
    [310_000, { step: 'not_kept', snapshots: [{ root: 'ab', why: 'the disk is full' }] }],
    [310_000, { step: 'not_recorded', why: 'EIA coal: HTTP 500' }],
  ] as const
  expect(show(steps)).toEqual([
    '1 page, 5,000 of 2,000,000 rows',
    '2 pages, 10,000 of 2,000,000 rows, 10,000 rows/s, 4 min left',
    '201 pages, 1,005,000 of 2,000,000 rows, 5,000 rows/s, 4 min left',
    '400 pages, 2,000,000 of 2,000,000 rows, 6,650 rows/s, 0 s left',
    '! all 2,000,000 rows are read',
    '3 of 12 pages read again',
    '10,000 values written',
    '! writing datasets/ab again: index: is missing',
    '! the archive does not keep ab: the disk is full',
    '! what EIA says beside the rows is not recorded, or not all of it: EIA coal: HTTP 500',
  ])
})

test('behavior: the rate is that of this run, and of this reading', () => {
  const steps = [
    [10_000, page(300, 'resume')],
    [11_000, page(301)],
    [12_000, { step: 'again', why: 'the rows moved between two pages' }],
    [20_000, page(1)],
    [21_000, page(2)],
  ] as const
  expect(show(steps)).toEqual([
    '! resuming after 300 pages, 1,500,000 of 2,000,000 rows',
    '301 pages, 1,505,000 of 2,000,000 rows, 5,000 rows/s, 99 s left',
    '! reading all rows again: the rows moved between two pages',
    '1 page, 5,000 of 2,000,000 rows',
    '2 pages, 10,000 of 2,000,000 rows, 5,000 rows/s, 7 min left',
  ])
})
