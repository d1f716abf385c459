import { defineError } from '@wattfeed/base'

/** A part of a snapshot, or a proof, that breaks the specification. */
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
