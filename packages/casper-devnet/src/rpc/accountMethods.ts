import { accountHashOfHex, accountKey, formatServedValue, hashKey, isRecord } from '@wattfeed/casper/types'
import type { ChainView } from '../chain/chainView.ts'
import { InvalidParamsError, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { parseAccountHashText, parsePublicKey } from '../transaction/nodeReader.ts'
import { optionalBlock } from './identifiers.ts'
import { accountIdentifier, contractKey, entityKey, hashAfter } from './keyTexts.ts'
import { readServedValue, type ServedValue } from './readServedValue.ts'
import { noSuchAccount, noSuchEntity } from './refusedCall.ts'

export function stateGetAccountInfo(view: ChainView, params: unknown): object {
  const given = recordOf(params).public_key ?? requiredField(params, 'account_identifier')
  const found = readAt(view, params, 'account info', accountKey(accountIdentifier(textOf(given))))
  if (found?.value.kind !== 'Account') throw noSuchAccount()
  return { account: contentOf(found), merkle_proof: found.merkleProof }
}

/** `state_get_entity`: an account or a contract. This chain has no addressable entities. */
export function stateGetEntity(view: ChainView, params: unknown): object {
  const { name, content } = variantOf(requiredField(params, 'entity_identifier'), [
    'ContractHash',
    'PublicKey',
    'AccountHash',
    'EntityAddr',
  ])
  if (name === 'EntityAddr') {
    entityKey(textOf(content))
    throw noSuchEntity()
  }
  const key = entityKeyOf(name, textOf(content))
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

function entityKeyOf(name: 'ContractHash' | 'PublicKey' | 'AccountHash', text: string): Uint8Array {
  if (name === 'ContractHash') return contractKey(text)
  return accountKey(
    name === 'AccountHash' ? parseAccountHashText(text) : accountHashOfHex(parsePublicKey(text)),
  )
}

export function stateGetPackage(view: ChainView, params: unknown): object {
  const { name, content } = variantOf(requiredField(params, 'package_identifier'), [
    'PackageAddr',
    'ContractPackageHash',
  ])
  const prefix = name === 'PackageAddr' ? 'package-' : 'contract-package-'
  const hash = hashAfter([prefix], textOf(content))
  if (hash === null) throw new InvalidParamsError({ rule: 'invalid prefix' })
  const found = name === 'PackageAddr' ? null : readAt(view, params, 'package', hashKey(hash))
  if (found?.value.kind !== 'ContractPackage') throw noSuchEntity()
  return { package: { ContractPackage: contentOf(found) }, merkle_proof: found.merkleProof }
}

function readAt(view: ChainView, params: unknown, what: string, key: Uint8Array): ServedValue | null {
  const { stateRootHash } = optionalBlock(view, params)
  return readServedValue(view, { stateRootHash, what }, key)
}

function contentOf({ value }: ServedValue): unknown {
  const json = formatServedValue(value)
  return isRecord(json) ? json[value.kind] : null
}
