/** URefs of an Odra contract's fields and events. An upgrade does not change them. */
export interface OdraContract {
  /** Seed URef of the dictionary that stores all fields. */
  stateUref: string
  /** The event log, or null if the contract has none. */
  events: { seedUref: string; lengthUref: string } | null
  /** All of a contract; of an addressable entity, those that were looked for. */
  entryPoints: ReadonlySet<string>
}
