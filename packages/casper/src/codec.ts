/**
 * The schemas of a version 1 transaction and of a legacy deploy, which read their JSON and write the bytes that their hash covers. For
 * programs that build or check transactions without `casper-js-sdk`. For Bun, Node.js and browsers.
 *
 * @module @wattfeed/casper/codec
 */
export {
  type Codec,
  countCalltable,
  type Described,
  encodeAs,
  type Fields,
  type Frame,
  fields,
  type JsonReader,
  optionalMembers,
  plain,
  type Variant,
  variants,
} from './types/codec.ts'
export { type DeployItem, deploy, deployHeader, deployItem } from './types/deploy.ts'
export type { Decode } from './types/jsonField.ts'
export {
  approvals,
  args,
  bytes,
  entryPointName,
  fittingTarget,
  hash,
  initiatorAddr,
  list,
  namedArguments,
  type Payload,
  payload,
  publicKey,
  type TransactionApproval,
  text,
  timestamp,
  transactionV1,
  ttl,
  u64,
  version,
} from './types/transactionV1.ts'
