import { resizeDisk } from '@wattfeed/testing/smallDisk'

/** The disk of the agent's files. */
export interface AgentDisk {
  readonly folder: string
  /** Whether it is a disk of its own. Otherwise it is never full. */
  readonly canFill: boolean
  readonly isFull: boolean
  /** Leaves no free space, or plenty. */
  fill(isFull: boolean): void
  /** Does the simulation's own work with plenty of space, even while the disk is full. */
  withSpace<T>(work: () => T): T
}

/** The size of a disk that is not full, for `mount`. */
export const DISK_SIZE = '4g'

/** Describes the disk of a folder. */
export function createAgentDisk(folder: string, canFill: boolean): AgentDisk {
  let isFull = false
  const resize = () => resizeDisk(folder, isFull ? 'full' : DISK_SIZE)
  return {
    folder,
    canFill,
    get isFull() {
      return isFull
    },
    fill(now) {
      isFull = now && canFill
      if (canFill) resize()
    },
    withSpace(work) {
      if (!isFull) return work()
      resizeDisk(folder, DISK_SIZE)
      try {
        return work()
      } finally {
        resize()
      }
    },
  }
}
