/** What only the programs of this repository use. The tarball does not export it. */

export {
  answerEia,
  type EiaApi,
  type FacetAnswer,
  pathBelowV2,
  type RequestedRows,
  type UpstreamDataset,
  type UpstreamRow,
} from './answerEia.ts'
export { EIA_API_VERSION, type EiaEnvelope, envelopeOf } from './api/eiaEnvelope.ts'
export { type EiaFrequency, eiaFrequency } from './api/eiaFrequency.ts'
export { type EiaParameters, type EiaSort, MAX_X_PARAMS, parseEiaParameters } from './api/eiaParameters.ts'
export {
  describeRefusal,
  type EiaAnswer,
  type EiaOption,
  type EiaOptions,
  incompleteReturn,
  lengthOutOfRange,
  notFound,
  refuse,
  refuseKey,
  refuseOption,
  refuseOptions,
} from './api/eiaRefusals.ts'
export { findRouteLevel, type RouteLevel, type RouteText } from './api/routeLevel.ts'
export { findNameMembers, isFacetName } from './facetNames.ts'
export { textMember } from './parseExactJson.ts'
