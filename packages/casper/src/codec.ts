/**
 * The schema of a version 1 transaction, which reads its JSON and writes the bytes that its hash covers. Its parts make other
 * schemas, too, such as a deploy's. For programs that build or check transactions without `casper-js-sdk`. For Bun, Node.js and
 * browsers.
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
export type { Decode } from './types/jsonField.ts'
export {
  approvals,
  args,
  bytes,
  entryPointName,
  fittingTarget,
  hash,
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
