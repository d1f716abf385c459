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
