/**
 * Rechecks a value with its source at EIA. For Bun, Node.js and browsers.
 *
 * @module wattfeed/provenance
 */

export { WattfeedError } from '@wattfeed/base'
export type { EiaRow } from '@wattfeed/eia'
export {
  canonicalJson,
  type DescribedRecipe,
  describeRecipe,
  EiaError,
  formatRecipe,
  hashSource,
  PeriodError,
  parseRecipe,
  type Recipe,
  type Source,
  withoutRecipe,
} from '@wattfeed/eia'
export { parseEiaRows } from './parseEiaRows.ts'
export { readProvenance } from './readProvenance.ts'
export {
  type Attested,
  type Recheck,
  type RecheckInput,
  recheck,
  recheckArchived,
  sourceOf,
  type Verdict,
} from './recheck.ts'
export { type FeedRecheck, type RecheckOptions, recheckFeed } from './recheckFeed.ts'
export { createProvenance, findRecipe, type Provenance, type RecipeSource } from './recipes.ts'
