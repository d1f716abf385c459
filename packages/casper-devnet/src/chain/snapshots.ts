import { InvalidArgumentError } from '@wattfeed/base'

/** Numbered snapshots of a chain. */
export class Snapshots<Snapshot> {
  private readonly kept = new Map<number, Snapshot>()
  private newestId = 0

  /** Returns the snapshot's number, which is never used again. */
  add(snapshot: Snapshot): number {
    this.newestId += 1
    this.kept.set(this.newestId, snapshot)
    return this.newestId
  }

  /**
   * Returns a snapshot, and forgets those that were taken after it: the chain that they belong to no longer exists.
   *
   * @throws {InvalidArgumentError} for an unknown snapshot.
   */
  returnTo(id: number): Snapshot {
    const found = this.kept.get(id)
    if (found === undefined) throw new InvalidArgumentError('snapshot', this.rule())
    for (const each of this.kept.keys()) if (each > id) this.kept.delete(each)
    return found
  }

  private rule(): string {
    const ids = [...this.kept.keys()].join(', ')
    return ids === '' ? 'the number of a snapshot, and there is none' : `the number of a snapshot: ${ids}`
  }
}
