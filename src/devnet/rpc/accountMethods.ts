import { decodeHex } from '../../bytes/hex.ts'
import { accountHashOfHex } from '../../casper/types/accountHash.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { accountKey, hashKey } from '../../casper/types/key.ts'
import { encodeStoredValue, formatServedValue } from '../../casper/types/storedValue.ts'
import type { ChainView } from '../chain/chainView.ts'
import { balanceKey, decodeMotes } from '../chain/purse.ts'
import { hashOf, InvalidParamsError, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { parsePublicKey } from '../transaction/nodeReader.ts'
import { hashAfter, parseUref } from './keyTexts.ts'
import { readState, type ServedValue, type StateRead } from './readState.ts'
import { invalidPurse, noSuchAccount, noSuchEntity, purseNotFound, requestFailed } from './refusedCall.ts'
import { namedBlock, requestedState } from './requestedBlock.ts'

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
  const key = name === 'ContractHash' ? contractKey(textOf(content)) : accountKey(accountHashParam(content))
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
  const { stateRootHash } = namedBlock(view, params) ?? view.tip()
  return readState(view, { stateRootHash, what }, key)
}

function contentOf({ value }: ServedValue): unknown {
  const json = formatServedValue(value)
  return isRecord(json) ? json[value.kind] : null
}

export function accountHashParam(value: unknown): Uint8Array {
  const text = textOf(value)
  return hashAfter(['account-hash-'], text) ?? accountHashOfHex(parsePublicKey(text))
}

/** Parses either form like {@link accountHashParam}, but with the message of the node's untagged enum. */
function accountIdentifier(text: string): Uint8Array {
  try {
    return accountHashParam(text)
  } catch (error) {
    if (!(error instanceof InvalidParamsError)) throw error
    throw new InvalidParamsError({
      rule: 'data did not match any variant of untagged enum AccountIdentifier',
    })
  }
}

function contractKey(text: string): Uint8Array {
  const hash = hashAfter(['contract-'], text)
  if (hash === null) throw new InvalidParamsError({ rule: 'invalid prefix' })
  return hashKey(hash)
}

function entityKey(text: string): Uint8Array {
  const [, kind, hash = ''] = /^entity-(account|contract)-([0-9a-f]{64})$/i.exec(text) ?? []
  if (kind === undefined) throw new InvalidParamsError({ rule: "prefix is not 'entity-'" })
  const bytes = decodeHex(hash, 'entity')
  return kind === 'account' ? accountKey(bytes) : hashKey(bytes)
}

/** `query_balance`: the balance of a purse, or of the main purse of an account. */
export function queryBalance(view: ChainView, params: unknown): object {
  return { balance: String(requestedBalance(view, params).motes) }
}

/** `query_balance_details`: the balance with its proof. There are never holds, because each ends with its transaction. */
export function queryBalanceDetails(view: ChainView, params: unknown): object {
  const { motes, merkleProof } = requestedBalance(view, params)
  const balance = String(motes)
  return {
    total_balance: balance,
    available_balance: balance,
    total_balance_proof: merkleProof,
    holds: [],
  }
}

function requestedBalance(view: ChainView, params: unknown): Balance {
  const { stateRootHash } = requestedState(view, params, () => requestFailed('balance', EMPTY_ENVELOPE))
  const read = { stateRootHash, what: 'balance' }
  return readBalance(view, read, requestedPurse(view, read, requiredField(params, 'purse_identifier')))
}

const EMPTY_ENVELOPE = 'unexpectedly received an empty envelope'

/** `state_get_balance`: the balance of a purse with its proof. */
export function stateGetBalance(view: ChainView, params: unknown): object {
  const read = { stateRootHash: hashOf(requiredField(params, 'state_root_hash')), what: 'balance' }
  const purse = parseUref(textOf(requiredField(params, 'purse_uref')), invalidPurse)
  const { motes, merkleProof } = readBalance(view, read, purse)
  return { balance_value: String(motes), merkle_proof: merkleProof }
}

function requestedPurse(view: ChainView, read: StateRead, identifier: unknown): Uint8Array {
  const { name, content } = variantOf(identifier, [
    'main_purse_under_public_key',
    'main_purse_under_account_hash',
    'main_purse_under_entity_addr',
    'purse_uref',
  ])
  if (name === 'purse_uref') return parseUref(textOf(content), (rule) => new InvalidParamsError({ rule }))
  const key =
    name === 'main_purse_under_entity_addr'
      ? entityKey(textOf(content))
      : accountKey(accountHashParam(content))
  const found = readState(view, read, key)
  if (found?.value.kind !== 'Account') throw purseNotFound()
  return found.value.account.mainPurse
}

interface Balance {
  motes: bigint
  merkleProof: string
}

function readBalance(view: ChainView, read: StateRead, purse: Uint8Array): Balance {
  const found: ServedValue | null = readState(view, read, balanceKey(purse))
  const motes = found === null ? null : decodeMotes(encodeStoredValue(found.value))
  if (found === null || motes === null) throw purseNotFound()
  return { motes, merkleProof: found.merkleProof }
}
