/** The keys that may sign for the committee's account, at one block. */
export interface AccountKeys {
  /** By account hash. */
  readonly weights: ReadonlyMap<string, number>
  /** The least total weight of a transaction's approvals. */
  readonly threshold: number
}
