/**
 * Reads feeds from Casper nodes, and proves them. For Bun, Node.js and browsers.
 *
 * @module wattfeed
 */

export type { Fetch } from '@wattfeed/base'
export { DecodeError, InvalidArgumentError, WattfeedError } from '@wattfeed/base'
export type { NewestBlock, RpcCallEvent, RpcRejection } from '@wattfeed/casper'
export {
  AbsenceNotProvenError,
  type AbsenceWay,
  AllNodesFailedError,
  ChainNameMismatchError,
  DeadlineError,
  HiddenValueError,
  JsonRpcError,
  MerkleProofError,
  PackageNotFoundError,
  StaleNodeError,
  StateNotKeptError,
  TransportError,
} from '@wattfeed/casper'
export type { Checkpoint, CheckpointStore } from '@wattfeed/casper/light-client'
export { NodesDisagreeError, VerificationError } from '@wattfeed/casper/light-client'
export type { DatasetSeries, ProvenLeaf, SeriesQuery, Statement } from '@wattfeed/dataset'
export type { Attestation } from '../registry/attestation.ts'
export { CountContradictedError } from '../registry/countContradictedError.ts'
export type { Feed } from '../registry/feed.ts'
export { type Reading, type ReadingJson, readingToJson } from '../registry/reading.ts'
export type { AbsenceEvent } from './absences.ts'
export type { Attester, AttesterAuthority } from './attester.ts'
export type { AttestingTransaction } from './attestingTransaction.ts'
export type { AdvanceEvent, ClientOptions } from './clientOptions.ts'
export type { ClientStatus } from './clientStatus.ts'
export { type Client, createClient } from './createClient.ts'
export {
  LaggingNodeError,
  ProofBusyError,
  TransactionNotFoundError,
  UnsupportedAccountError,
} from './errors.ts'
export type { EventLogs } from './feeds/eventLogs.ts'
export { casperTest, type Network } from './networks.ts'
export type { FeedAbsenceOptions, FeedProofOptions } from './proof/create/createFeedProof.ts'
export type {
  AbsenceEvidenceJson,
  AccountItem,
  AttesterProof,
  FeedAbsence,
  FeedAbsenceEvidence,
  FeedProof,
  FeedProofBlock,
  FeedProofItem,
  FeedsProof,
  HistoryProof,
  ProvenAtBlock,
  ProvenReading,
  ProvenRegistries,
  ProvenValue,
  RangeProof,
  SeriesProof,
} from './proof/feedProof.ts'
export type {
  CheckedLink,
  FeedProofCheck,
  FeedProofTrust,
  ProvenAbsence,
  ProvenFeeds,
  ProvenHistory,
  ProvenRange,
  ProvenSeries,
} from './proof/feedProofCheck.ts'
export type { HistoryRange, ReadOptions, Reads } from './reads.ts'
export type { Snapshot, StateRoot } from './snapshot.ts'
export type { Verification, VerifyLevel } from './verification.ts'
export { verifyFeedProof } from './verifyFeedProof.ts'
