import { decodeHex } from '../../bytes/hex.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { accountKey, hashKey } from '../../casper/types/key.ts'
import { formatStoredValue } from '../../casper/types/storedValue.ts'
import type { ChainView } from '../chain/chainView.ts'
import { InvalidParamsError, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { accountHashOf, parsePublicKey } from '../transaction/publicKey.ts'
import { namedBlock } from './blockIdentifier.ts'
import { hashAfter } from './keyParam.ts'
import { readState, type ServedValue } from './readState.ts'
import { noSuchAccount, noSuchEntity, noSuchPackage } from './refusedCall.ts'

/** `state_get_account_info`: an account by its public key or its account hash. */
export function stateGetAccountInfo(view: ChainView, params: unknown): object {
  const given = recordOf(params).account_identifier ?? requiredField(params, 'public_key')
  const found = readAt(view, params, 'account info', accountKey(accountHashParam(given)))
  if (found?.value.kind !== 'Account') throw noSuchAccount()
  return { account: contentOf(found), merkle_proof: found.merkleProof }
}

/** `state_get_entity`: an account or a contract. */
export function stateGetEntity(view: ChainView, params: unknown): object {
  const { name, content } = variantOf(requiredField(params, 'entity_identifier'), [
    'PublicKey',
    'AccountHash',
    'EntityAddr',
  ])
  const key = name === 'EntityAddr' ? entityKey(textOf(content)) : accountKey(accountHashParam(content))
  const found = readAt(view, params, 'entity', key)
  if (found?.value.kind === 'Account')
    return { entity: { Account: contentOf(found) }, merkle_proof: found.merkleProof }
  if (found?.value.kind === 'Contract')
    return {
      entity: { Contract: { contract: contentOf(found), wasm: null } },
      merkle_proof: found.merkleProof,
    }
  throw noSuchEntity()
}

/** `state_get_package`: a contract package. */
export function stateGetPackage(view: ChainView, params: unknown): object {
  const { content } = variantOf(requiredField(params, 'package_identifier'), [
    'PackageAddr',
    'ContractPackageHash',
  ])
  const hash = hashAfter(['contract-package-', 'package-', 'hash-'], textOf(content))
  if (hash === null) throw new InvalidParamsError("prefix is not 'contract-package-'")
  const found = readAt(view, params, 'package', hashKey(hash))
  if (found?.value.kind !== 'ContractPackage') throw noSuchPackage()
  return { package: { ContractPackage: contentOf(found) }, merkle_proof: found.merkleProof }
}

function readAt(view: ChainView, params: unknown, what: string, key: Uint8Array): ServedValue | null {
  const { stateRootHash } = namedBlock(view, params) ?? view.tip()
  return readState(view, { stateRootHash, what }, key)
}

/** The inside of `{ "Account": … }`. */
function contentOf({ value }: ServedValue): unknown {
  const json = formatStoredValue(value)
  return isRecord(json) ? json[value.kind] : null
}

/** The account hash of a public key or of `account-hash-…`. Throws an {@link InvalidParamsError}. */
export function accountHashParam(value: unknown): Uint8Array {
  const text = textOf(value)
  return hashAfter(['account-hash-'], text) ?? accountHashOf(parsePublicKey(text))
}

/** The key of an account or a contract from `entity-account-…` or `entity-contract-…`. */
export function entityKey(text: string): Uint8Array {
  const [, kind, hash = ''] = /^entity-(account|contract)-([0-9a-f]{64})$/i.exec(text) ?? []
  if (kind === undefined) throw new InvalidParamsError("prefix is not 'entity-'")
  const bytes = decodeHex(hash, 'entity')
  return kind === 'account' ? accountKey(bytes) : hashKey(bytes)
}
