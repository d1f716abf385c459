import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { Samples } from '../metrics.ts'
import type { WorkerProcess } from './workerProcess.ts'

type Counted = Pick<WorkerProcess, 'samples' | 'ended'>

/** The metrics of all workers together. */
export interface Totals {
  /** Counts a worker in, from when it listens. */
  add(worker: Counted): void
  /** Returns the sums in the Prometheus text format. */
  text(): Promise<string>
}

/** How long a worker that hangs is waited for: less than Prometheus waits. */
const MAX_WAIT_MS = 3_000

/**
 * Sums the metrics of workers. No counter goes back: a worker that does not answer counts as it did last, and one that ended
 * goes on counting as it did in the last scrape, because Prometheus would take a smaller sum for a restart and count all
 * again.
 *
 * @param wait resolves after some milliseconds
 */
export function createTotals(wait: (ms: number) => Promise<void>): Totals {
  const registry = new Registry()
  const registers = [registry]
  const answering = new Gauge({
    name: 'wattfeed_workers',
    help: 'Workers that answered this scrape.',
    registers,
  })
  const ends = new Counter({
    name: 'wattfeed_worker_ends_total',
    help: 'Workers that ended while the server went on, and were replaced.',
    registers,
  })
  const last = new Map<Counted, Samples>()
  let past: Samples = []

  function remove(worker: Counted): void {
    past = [...past, ...(last.get(worker) ?? []).filter(({ type }) => String(type) !== 'gauge')]
    last.delete(worker)
    ends.inc()
  }

  /** Returns whether the worker answered. */
  async function ask(worker: Counted): Promise<boolean> {
    const samples = await Promise.race([worker.samples(), wait(MAX_WAIT_MS).then(() => null)])
    if (samples === null || !last.has(worker)) return false
    last.set(worker, samples)
    return true
  }

  /** Keeps one value of what ended workers counted, however many there were. */
  async function sumPast(): Promise<void> {
    const before = past
    const sum = await AggregatorRegistry.aggregate([before]).getMetricsAsJSON()
    if (past === before) past = sum
  }

  return {
    add(worker) {
      last.set(worker, [])
      void worker.ended.then(() => remove(worker))
    },
    async text() {
      const answers = await Promise.all([...last.keys()].map(ask))
      answering.set(answers.filter((hasAnswered) => hasAnswered).length)
      const own = await registry.getMetricsAsJSON()
      const text = AggregatorRegistry.aggregate([...withoutUnknown([...last.values()]), past, own]).metrics()
      await sumPast()
      return text
    },
  }
}

/** Leaves out the values that are NaN, where another worker knows better. */
function withoutUnknown(all: readonly Samples[]): Samples[] {
  const isKnown = ({ value }: { value: number }): boolean => !Number.isNaN(value)
  const known = new Set(
    all
      .flat()
      .filter(({ values }) => values.some(isKnown))
      .map(({ name }) => name),
  )
  return all.map((samples) =>
    samples.map((each) => (known.has(each.name) ? { ...each, values: each.values.filter(isKnown) } : each)),
  )
}
