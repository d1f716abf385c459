/**
 * What the programs of this repository need beyond the public entries. Not in the tarball: it may change at any time.
 *
 * @module wattfeed/internal
 * @internal
 */

export { createAbsences } from './client/absences.ts'
export { MAX_TIMER_MS, parseHttpUrl, parsePackageHash } from './client/argument.ts'
export type { RootSource } from './client/chainSource.ts'
export { connect } from './client/createClient.ts'
export { formatLengths } from './client/feeds/eventLogs.ts'
export { checkBlock, checkSwitchBlocks } from './client/proof/checkBlocks.ts'
export { assertLink, BrokenLink, type Checker, createChecker } from './client/proof/checker.ts'
export { checkRegistries } from './client/proof/checkHead.ts'
export { contractKeyOf, dictionaryKeyOf } from './client/proof/create/registryItems.ts'
export { decodeProofBlock } from './client/proof/feedProof.ts'
export { parseTrust } from './client/proof/parseTrust.ts'
export { verifyLevels } from './client/verification.ts'
export { createVerifiedChain, type VerifiedChain } from './client/verifiedChain.ts'
export { loadVerifier } from './client/verifyFeedProof.ts'
export { itemOf, readCounted } from './history/feedHistory.ts'
export {
  assertHistoryQuery,
  certainRows,
  endOf,
  isByPeriod,
  isHourly,
  limitOf,
  neededValues,
  rangeOf,
  resolvePeriods,
  vintageKinds,
} from './history/historyQuery.ts'
export { createRevisionCounter, isSamePrint, type Print } from './history/revisions.ts'
export { type FollowLogsOptions, followLogs, type LogUpdate, type Reached } from './live/followLogs.ts'
export {
  isOfOtherRegistries,
  type LogView,
  lastEventOf,
  lengthsOf,
  type ReadEvent,
  readEvent,
  readSnapshot,
  readSteps,
  resetReason,
  type Step,
} from './live/logView.ts'
export {
  assertPosition,
  isAhead,
  isSamePlace,
  MAX_POSITION_WAIT_MS,
  NO_EVENT,
  POSITION_RULE,
} from './live/position.ts'
export { recheckWithLater } from './provenance/recheckWithLater.ts'
export { hashedUnit, isDatasetFeed, recipeOf } from './provenance/recipe.ts'
export { rowsByPeriod } from './provenance/rowsByPeriod.ts'
export {
  type BoardValue,
  boardField,
  boardIdOf,
  encodePinnedSeries,
  type PinnedSeries,
} from './registry/board.ts'
export {
  attestArguments,
  attestManyArguments,
  type NewAttestation,
  registerArguments,
} from './registry/calls.ts'
export { decodeAttestBytes } from './registry/decodeAttestCall.ts'
export { decodeRevenueAttested } from './registry/events.ts'
export { emptyFeed, feedOrder } from './registry/feed.ts'
export { attestationRegistryField, feedRegistryField } from './registry/fields.ts'
export {
  accessKeyName,
  type ContractName,
  contractNames,
  installArguments,
  odraArguments,
  packageKeyName,
  upgradeArguments,
  type WiredContract,
  wiredContracts,
  wiringArguments,
  wiringCalls,
} from './registry/installation.ts'
export {
  attestationRegistryFields,
  eligibilityGateFields,
  feedRegistryFields,
  ownEntryPoints,
  type RegistryName,
} from './registry/layout.ts'
export {
  type FieldKind,
  fieldMeanings,
  pick,
  type ReadingField,
  readingFields,
  readingOrder,
} from './registry/reading.ts'
export { createRegistryContract, type RegistryContract } from './registry/registryContract.ts'
export type { FieldRequest } from './registry/rootReader.ts'
export { assertTableCovered } from './series/assertTableCovered.ts'
export { rangeProofOf } from './series/createRangeProof.ts'
export { seriesProofOf } from './series/createSeriesProof.ts'
export {
  type ByRoot,
  type IndexedReading,
  isByNewestRoot,
  listRoots,
  type RootAt,
  readByRoot,
  readNewestRoot,
} from './series/datasetRoots.ts'
export { FACET_PARAMETER } from './series/facetParameter.ts'
export {
  findAttestedRange,
  findRangeEvidence,
  MAX_RANGE_VALUES,
  type RangeQuery,
} from './series/findAttestedRange.ts'
export {
  assertSeries,
  describeFacets,
  findAttestedEvidence,
  findAttestedSeries,
  type SeriesAt,
} from './series/findAttestedSeries.ts'
export { formatRangeCursor, parseRangeCursor, type RangeCursor } from './series/rangeCursor.ts'
export { readTable, type TablePage } from './series/readTable.ts'
export { type Revision, revisionOf } from './series/revisionOf.ts'
