import type { Metrics, Samples } from '../metrics.ts'

/** What a worker tells the process that started it. */
export type FromWorker =
  | { is: 'listening' }
  | { is: 'scrape'; id: number }
  | { is: 'samples'; samples: Samples }

/** What a worker is told: to hand over its metrics, or the metrics of all that it asked for. */
export type ToWorker = { is: 'sample' } | { is: 'text'; id: number; text: string }

/** A worker's side of its connection to the process that started it. */
export interface Parent {
  /** Says that this worker listens. */
  announce(): void
  /** Returns the metrics of all workers in the Prometheus text format. */
  metricsText(): Promise<string>
}

/** Connects a worker with the process that started it, and ends it at once when that one is gone. Null where none started it. */
export function joinParent(metrics: Pick<Metrics, 'samples'>): Parent | null {
  if (process.send === undefined) return null
  const tell = (message: FromWorker) => void process.send?.(message)
  const scrapes = new Map<number, (text: string) => void>()
  let lastId = 0

  process.on('disconnect', () => process.exit(1))
  process.on('message', async (message: ToWorker) => {
    if (message.is === 'sample') return tell({ is: 'samples', samples: await metrics.samples() })
    scrapes.get(message.id)?.(message.text)
    scrapes.delete(message.id)
  })
  return {
    announce: () => tell({ is: 'listening' }),
    metricsText: () =>
      new Promise((resolve) => {
        scrapes.set(++lastId, resolve)
        tell({ is: 'scrape', id: lastId })
      }),
  }
}
