import { defineError } from '@wattfeed/base'

/**
 * A part of a snapshot, or a proof, that breaks the specification.
 *
 * @example
 * ```ts
 * import { DatasetError, openSnapshot } from 'wattfeed/series'
 *
 * const files = { read: async () => new TextEncoder().encode('{}') }
 * await openSnapshot(files).catch((error) => {
 *   if (!(error instanceof DatasetError)) throw error
 *   console.warn(error.what, error.rule) // manifest.json not the manifest of a wattfeed dataset snapshot
 * })
 * ```
 */
export const DatasetError = defineError(
  'DatasetError',
  'dataset',
  (facts: {
    /** What is wrong: `leaf 12`, `tile/0/000`, `manifest.json`. */
    what: string
    /** The rule that it breaks. */
    rule: string
  }) => `${facts.what}: ${facts.rule}`,
)
export type DatasetError = InstanceType<typeof DatasetError>
