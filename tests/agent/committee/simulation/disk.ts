import type { FeedEnd, FeedEnds } from '../../../../src/agent/committee/feedEnds.ts'
import type { AttestPurpose, PendingAttestations } from '../../../../src/agent/send/pendingAttestations.ts'
import type { PendingStore } from '../../../../src/casper/transaction/pendingStore.ts'
import type { JsonLines } from '../../../../src/runtime/jsonLines.ts'

/** The contents of a member's state folder. */
export interface Files {
  approvals: ReadonlyMap<string, PendingAttestations>
  ends: ReadonlyMap<string, FeedEnd>
  evidence: readonly string[]
}

export const emptyFiles = (): Files => ({ approvals: new Map(), ends: new Map(), evidence: [] })

/** A disk whose process may be killed before, during and after each write. */
export interface Disk {
  files: Files
}

export interface DiskAccess {
  readonly store: PendingStore<AttestPurpose>
  readonly ends: FeedEnds
  readonly evidence: JsonLines
}

/**
 * Opens a disk for a process.
 *
 * @param mayCrash kills the process at some points of a write: then it never resolves
 * @param seek takes the time that a write needs
 */
export function openDisk(
  disk: Disk,
  mayCrash: () => Promise<void>,
  seek: () => Promise<void> = async () => {},
): DiskAccess {
  async function write(change: (files: Files) => Partial<Files>): Promise<void> {
    await mayCrash()
    await seek()
    await mayCrash()
    disk.files = { ...disk.files, ...change(disk.files) }
    await mayCrash()
  }
  return {
    store: {
      list: async () => [...disk.files.approvals.values()],
      write: (pending) =>
        write(({ approvals }) => ({
          approvals: new Map([...approvals, [pending.transaction_hash, pending]]),
        })),
      remove: ({ transaction_hash }) =>
        write(({ approvals }) => ({
          approvals: new Map([...approvals].filter(([hash]) => hash !== transaction_hash)),
        })),
    },
    ends: {
      read: async (feedId) => disk.files.ends.get(feedId) ?? null,
      write: (feedId, end) => write(({ ends }) => ({ ends: new Map([...ends, [feedId, end]]) })),
    },
    evidence: {
      append: (lines) => write(({ evidence }) => ({ evidence: [...evidence, ...lines] })),
    },
  }
}
