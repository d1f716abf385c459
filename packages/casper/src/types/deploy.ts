import { blake2b } from '@noble/hashes/blake2.js'
import { DecodeError, encodeHex } from '@wattfeed/base'
import { accountHashOfHex } from './accountHash.ts'
import { type Described, encodeAs, fields, plain, variants } from './codec.ts'
import { strictReader } from './strictReader.ts'
import { assertApprovedOnce, type TransactionTarget, type TransactionV1 } from './transaction.ts'
import {
  approvals,
  bytes,
  hash,
  list,
  namedArguments,
  publicKey,
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

/** A decoded legacy deploy, as far as it has what a transaction of version 1 has. */
export type Deploy = Pick<
  TransactionV1,
  | 'hash'
  | 'initiator'
  | 'chainName'
  | 'timestampMs'
  | 'ttlMs'
  | 'target'
  | 'entryPoint'
  | 'args'
  | 'approvals'
>

/**
 * Decodes a deploy of a node's JSON, `{ "Deploy": … }`, and computes its hashes from its fields.
 *
 * @throws {DecodeError} if it is another kind of transaction, or a hash is not that of its fields.
 */
export function decodeDeploy(json: unknown): Deploy {
  const { name, content } = strictReader.variant(json, 'transaction', { Deploy: deploy })
  const { header, payment, session, ...signed } = deploy.parse(content, name, strictReader)
  const bodyHash = blake2b256(encodeAs(deployItem, payment), encodeAs(deployItem, session))
  if (bodyHash !== header.body_hash || blake2b256(encodeAs(deployHeader, header)) !== signed.hash)
    throw new DecodeError('deploy', `the content was changed: its hash is not ${signed.hash}`)
  assertApprovedOnce(signed.approvals)
  return {
    hash: signed.hash,
    initiator: { publicKey: header.account, accountHash: accountHashOfHex(header.account) },
    chainName: header.chain_name,
    timestampMs: header.timestamp,
    ttlMs: header.ttl,
    ...decodeSession(session),
    args: session.value.args,
    approvals: signed.approvals,
  }
}

function blake2b256(...parts: readonly Uint8Array[]): string {
  const state = blake2b.create({ dkLen: 32 })
  for (const part of parts) state.update(part)
  return encodeHex(state.digest())
}

function decodeSession({ kind, value }: DeployItem): { target: TransactionTarget; entryPoint: string } {
  switch (kind) {
    case 'Transfer':
      return { target: { kind: 'native' }, entryPoint: 'Transfer' }
    case 'ModuleBytes':
      // The session of a deploy can always install and upgrade.
      return {
        target: { kind: 'session', wasm: value.module_bytes, isInstallOrUpgrade: true },
        entryPoint: 'call',
      }
    case 'StoredContractByHash':
      return { target: { kind: 'contract', contractHash: value.hash }, entryPoint: value.entry_point }
    case 'StoredContractByName':
      return { target: { kind: 'name', name: value.name }, entryPoint: value.entry_point }
    case 'StoredVersionedContractByHash':
      return {
        target: { kind: 'package', packageHash: value.hash, version: value.version },
        entryPoint: value.entry_point,
      }
    case 'StoredVersionedContractByName':
      return {
        target: { kind: 'packageName', name: value.name, version: value.version },
        entryPoint: value.entry_point,
      }
  }
}
