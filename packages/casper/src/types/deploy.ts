import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { DecodeError, encodeHex } from '@wattfeed/base'
import { type Described, encodeAs, fields, plain, variants } from './codec.ts'
import { strictReader } from './strictReader.ts'
import { assertApprovedOnce } from './transaction.ts'
import {
  approvals,
  bytes,
  hash,
  list,
  namedArguments,
  publicKey,
  type TransactionApproval,
  text,
  timestamp,
  ttl,
  u64,
  version,
} from './transactionV1.ts'

/** The payment or the session of a deploy. */
export const deployItem = variants(
  {
    ModuleBytes: fields({ module_bytes: bytes, args: namedArguments }),
    StoredContractByHash: fields({ hash, entry_point: text, args: namedArguments }),
    StoredContractByName: fields({ name: text, entry_point: text, args: namedArguments }),
    StoredVersionedContractByHash: fields({ hash, version, entry_point: text, args: namedArguments }),
    StoredVersionedContractByName: fields({ name: text, version, entry_point: text, args: namedArguments }),
    Transfer: fields({ args: namedArguments }),
  },
  plain,
)

/** The payment or the session of a deploy. */
export type DeployItem = Described<typeof deployItem>

/** What the hash of a deploy covers. */
export const deployHeader = fields({
  account: publicKey,
  timestamp,
  ttl,
  gas_price: u64,
  body_hash: hash,
  dependencies: list(hash, 'dependencies'),
  chain_name: text,
})

/** A legacy deploy, which casper-types encodes without any calltable. */
export const deploy = fields({
  hash,
  header: deployHeader,
  payment: deployItem,
  session: deployItem,
  approvals,
})

/** A decoded legacy deploy. Its hashes are those of its fields. */
export interface Deploy {
  /** 64 hex digits: the message that the approvals sign. */
  readonly hash: string
  readonly header: Described<typeof deployHeader>
  readonly session: DeployItem
  /** One for each key. The signatures are not verified. */
  readonly approvals: readonly TransactionApproval[]
}

/**
 * Decodes a deploy of a node's JSON, `{ "Deploy": … }`, and computes its hashes from its fields.
 *
 * @throws {DecodeError} if it is another kind of transaction, or a hash is not that of its fields.
 */
export function decodeDeploy(json: unknown): Deploy {
  const { name, content } = strictReader.variant(json, 'transaction', { Deploy: deploy })
  const decoded = deploy.parse(content, name, strictReader)
  const { hash, header, payment, session, approvals } = decoded
  const body = concatBytes(encodeAs(deployItem, payment), encodeAs(deployItem, session))
  if (hashOf(body) !== header.body_hash || hashOf(encodeAs(deployHeader, header)) !== hash)
    throw new DecodeError('deploy', `the content was changed: its hash is not ${hash}`)
  assertApprovedOnce(approvals)
  return decoded
}

const hashOf = (bytes: Uint8Array): string => encodeHex(blake2b(bytes, { dkLen: 32 }))
