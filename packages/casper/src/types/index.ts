/**
 * Casper's data types: their `bytesrepr`, their JSON, and their keys in global state. It calls no node. For Bun, Node.js and browsers.
 *
 * `decode` and `encode` convert bytes, `parse` and `format` convert text and JSON. `read` and `write` are parts of a larger value.
 *
 * @module @wattfeed/casper/types
 */
export { type Account, type ParsedAccount, sumWeights, writeAccount } from './account.ts'
export {
  accountHashOfHex,
  accountHashOfText,
  accountHashPattern,
  formatAccountHash,
  isAccountHash,
  parseAccountHash,
  publicKeyPattern,
} from './accountHash.ts'
export { type AccountKeys, decodeAccountKeys } from './accountKeys.ts'
export { ArgumentError } from './argumentError.ts'
export {
  type Arguments,
  clAddress,
  clAny,
  clBool,
  clByteArray,
  clBytes,
  clList,
  clListOfAny,
  clString,
  clU8,
  clU64,
  clU256,
  countArgumentBytes,
  encodeText,
  presentArguments,
} from './arguments.ts'
export { type Block, decodeBlock, type FinalitySignature } from './block.ts'
export { hashBlockBody, type ListedTransaction, listTransactions } from './blockBody.ts'
export { type BlockHeader, type EraEnd, hashBlockHeader, type ValidatorWeight } from './blockHeader.ts'
export { type ClType, isKeyType, parseClType, type SimpleClType } from './clType.ts'
export {
  type ClValue,
  type DictionaryItem,
  decodeClValue,
  decodeDictionaryItem,
  encodeDictionaryItem,
  formatClValue,
  formatParsed,
  type NamedArgument,
  type PlainClValue,
  readClValue,
  unitValue,
  writeClValue,
} from './clValue.ts'
export {
  type Contract,
  type EntryPoint,
  type EntryPointAccess,
  type EntryPointType,
  readEntryPoint,
} from './contract.ts'
export {
  type ContractPackage,
  type ContractVersion,
  type ContractVersionKey,
  compareVersions,
  isEnabled,
  newestVersion,
  writeContractPackage,
} from './contractPackage.ts'
export { type Deploy, decodeDeploy } from './deploy.ts'
export { formatDuration, parseDuration } from './duration.ts'
export { isRecord } from './jsonField.ts'
export {
  accessRights,
  accountKey,
  addressKey,
  addressOf,
  createUref,
  dictionaryKey,
  eraSummaryKey,
  formatAccessRights,
  formatUref,
  hashKey,
  keyTags,
  normalizeKey,
  readUref,
  stateKey,
  urefKey,
} from './key.ts'
export { decodeKey, dictionaryAddress, encodeKey, formatKey, parseKey, readKey } from './keyKinds.ts'
export {
  type Lane,
  laneOf,
  MIN_PAYMENT_MOTES,
  NoLaneError,
  plannedSize,
  type TransactionSize,
} from './lane.ts'
export { blockMessageCountKey, type MessageTopic, messageKey, messageTopicKey } from './messageTopic.ts'
export { compareText, formatNamedKeys, type NamedKeys, readNamedKeys, sortedEntries } from './namedKeys.ts'
export {
  alwaysIntersect,
  countSigners,
  type DisjointQuorums,
  findDisjoint,
  type Quorums,
  type Tolerance,
  toleranceOf,
  totalWeight,
} from './quorum.ts'
export {
  decodeStoredValue,
  type EraInfo,
  encodeStoredValue,
  formatServedValue,
  formatStoredValue,
  readStoredValue,
  type StoredValue,
  type StoredValueJson,
  type UnknownValue,
} from './storedValue.ts'
export {
  type ContractNames,
  clValueBytes,
  decodeContract,
  isEntityReference,
  listPackageVersions,
  newestContractKey,
  newestEnabled,
  type PackageVersion,
  packageList,
} from './storedValueJson.ts'
export {
  type CalledVersion,
  decodeTransaction,
  type TransactionTarget,
  type TransactionV1,
} from './transaction.ts'
export { clU512, decodeU512, encodeBigUint, readU512 } from './u512.ts'
