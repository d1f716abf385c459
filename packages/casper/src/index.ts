export {
  findContractKey,
  type OdraContract,
  odraContract,
  PackageNotFoundError,
  readOdraContract,
  stateUrefOf,
} from './odra/contract.ts'
export {
  type EventLog,
  eventNotThere,
  readCountedEvent,
  readEvent,
  readEventLogLength,
} from './odra/eventLog.ts'
export {
  decodeField,
  type FieldRead,
  itemKey,
  readAddress,
  readers,
  readField,
  readFields,
  readNumber,
  type Stored,
  type StoredKind,
} from './odra/field.ts'
export type { PathElement } from './proof/merkleProof.ts'
export { MerkleProofError } from './proof/merkleProofError.ts'
export { decodeTrieElement, hashTrieElement, type TrieElement } from './proof/trieElement.ts'
export { followElement, startWalk } from './proof/trieWalk.ts'
export { type AbsenceEvidence, verifyAbsence } from './proof/verifyAbsence.ts'
export {
  assertServedValue,
  unwrapDictionaryItem,
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
} from './rpc/nodeStatus.ts'
export { createRpc, type Rpc, type RpcRejection } from './rpc/rpc.ts'
export {
  AllNodesFailedError,
  DeadlineError,
  isRetryable,
  isStateNotKept,
  isUndecodable,
  StateNotKeptError,
  UnexpectedAnswerError,
} from './rpc/rpcErrors.ts'
export { type AbsenceEvidenceFinder, createAbsenceEvidenceFinder } from './state/absenceEvidence.ts'
export {
  AbsenceNotProvenError,
  type AbsenceWay,
  absentAsHidden,
  absentAsNull,
  HiddenValueError,
} from './state/absent.ts'
export { createProvenState } from './state/createProvenState.ts'
export {
  createAgreeingRpc,
  createGlobalState,
  createPastState,
  type GlobalState,
  getStateRootHash,
  type NodeStateRoot,
  PAST_AFTER_MS,
} from './state/globalState.ts'
