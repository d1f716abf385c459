import { cpus, loadavg, totalmem } from 'node:os'

/** Describes this machine in one line. */
export function describeMachine(): string {
  const [first] = cpus()
  const model = first?.model.trim() ?? 'unknown CPU'
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${model}, ${cpus().length} cores, ${memory}, ${process.platform} ${process.arch}, Bun ${Bun.version}`
}

/** Returns the load average of the last minute. */
export const measureBusyness = (): string => (loadavg()[0] ?? 0).toFixed(1)
