/**
 * Rechecks a value with its source at EIA. For Bun, Node.js and browsers.
 *
 * @module wattfeed/provenance
 */

export { InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export type { EiaRow } from '@wattfeed/eia'
export { EiaError, PeriodError } from '@wattfeed/eia'
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
export {
  type DescribedRecipe,
  describeRecipe,
  formatRecipe,
  parseRecipe,
  type Recipe,
  withoutRecipe,
} from './recipe.ts'
export { createProvenance, findRecipe, type Provenance, type RecipeSource } from './recipes.ts'
export { canonicalJson, hashSource, type Source } from './sourceHash.ts'
