/**
 * Reads the global state of a Casper 2 network, with Merkle proofs. It also reads the storage of contracts made with Odra. For Bun, Node.js and
 * browsers.
 *
 * Absent values are null where a function says so. Every error is a {@link WattfeedError} with a literal `code`, facts as fields, and
 * `retryable`. Hashes are 64 hex digits in lower case. Durations are in milliseconds, amounts of CSPR in motes as `bigint`.
 *
 * @module @wattfeed/casper
 */

export {
  type AbortSignalLike,
  DecodeError,
  type DecodeErrorKind,
  type Fetch,
  InvalidArgumentError,
  type LimitedTime,
  WattfeedError,
} from '@wattfeed/base'
export {
  findContractKey,
  odraContract,
  PackageNotFoundError,
  readOdraContract,
  stateUrefOf,
} from './odra/contract.ts'
export {
  type EventLog,
  type EventRequest,
  eventNotThere,
  readCountedEvent,
  readEvent,
  readEventLogLength,
} from './odra/eventLog.ts'
export { decodeField, type FieldRead, itemKey, readField } from './odra/field.ts'
export type { OdraContract } from './odra/odraContract.ts'
export {
  readAddress,
  readers,
  readNumber,
  readStruct,
  type Stored,
  type StoredKind,
} from './odra/struct.ts'
export type { MerkleProof, PathElement, ProofStep } from './proof/merkleProof.ts'
export { MerkleProofError, type ProofLink } from './proof/merkleProofError.ts'
export { decodeTrieElement, hashTrieElement, type Pointer, type TrieElement } from './proof/trieElement.ts'
export { followElement, startWalk, type TriePlace } from './proof/trieWalk.ts'
export {
  type AbsenceEvidence,
  type AbsenceRequest,
  type AbsenceVerdict,
  verifyAbsence,
} from './proof/verifyAbsence.ts'
export {
  assertServedValue,
  type DictionaryItemProofRequest,
  type MerkleProofRequest,
  unwrapDictionaryItem,
  type VerifiedProof,
  verifyDictionaryItem,
  verifyMerkleProof,
  verifyProof,
} from './proof/verifyMerkleProof.ts'
export { JsonRpcError, TransportError } from './rpc/jsonRpc.ts'
export type { BackOff, RpcCallEvent } from './rpc/layers.ts'
export type { Node } from './rpc/node.ts'
export {
  ChainNameMismatchError,
  MAX_CLOCK_AHEAD_MS,
  type NewestBlock,
  readNewestBlock,
  readProtocolVersion,
} from './rpc/nodeStatus.ts'
export { createRpc, type Rpc, type RpcOptions, type RpcRejection, type RpcRequest } from './rpc/rpc.ts'
export {
  AllNodesFailedError,
  DeadlineError,
  isRetryable,
  isStateNotKept,
  isUndecodable,
  StaleNodeError,
  StateNotKeptError,
  UnexpectedAnswerError,
} from './rpc/rpcErrors.ts'
export {
  type AbsenceEvidenceFinder,
  type AbsenceEvidenceOptions,
  createAbsenceEvidenceFinder,
  type FoundEvidence,
} from './state/absenceEvidence.ts'
export {
  AbsenceNotProvenError,
  type AbsenceWay,
  absentAsHidden,
  absentAsNull,
  HiddenValueError,
} from './state/absent.ts'
export { createProvenState, type ProvenStateOptions } from './state/createProvenState.ts'
export {
  type AbsenceCheck,
  type AgreeingOptions,
  createAgreeingRpc,
  createGlobalState,
  createPastState,
  type DictionaryItemRead,
  type GlobalState,
  getStateRootHash,
  type NodeStateRoot,
  PAST_AFTER_MS,
  type StateQuery,
} from './state/globalState.ts'
