import { accountHashOfHex, accountKey } from '@wattfeed/casper/types'
import type { ChainView } from '../chain/chainView.ts'
import { balanceKey, decodeMotes } from '../engine/purse.ts'
import { hashOf, InvalidParamsError, requiredField, textOf, variantOf } from '../params.ts'
import { parseAccountHashText, parsePublicKey } from '../transaction/nodeReader.ts'
import { requestedState } from './identifiers.ts'
import { entityKey, parseUref } from './keyTexts.ts'
import { readServedValue, type StateRead } from './readServedValue.ts'
import { invalidPurse, purseNotFound, requestFailed } from './refusedCall.ts'

/** `query_balance`: the balance of a purse, or of the main purse of an account. */
export function queryBalance(view: ChainView, params: unknown): object {
  return { balance: String(requestedBalance(view, params).motes) }
}

/** `query_balance_details`: the balance with its proof. There are never holds, because each ends with its transaction. */
export function queryBalanceDetails(view: ChainView, params: unknown): object {
  const { motes, merkleProof } = requestedBalance(view, params)
  const balance = String(motes)
  return { total_balance: balance, available_balance: balance, total_balance_proof: merkleProof, holds: [] }
}

function requestedBalance(view: ChainView, params: unknown): Balance {
  const noBlock = () => requestFailed('balance', 'unexpectedly received an empty envelope')
  const { stateRootHash } = requestedState(view, params, noBlock)
  const read = { stateRootHash, what: 'balance' }
  return readBalance(view, read, requestedPurse(view, read, requiredField(params, 'purse_identifier')))
}

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
  const found = readServedValue(view, read, ownerKey(name, content))
  if (found?.value.kind !== 'Account') throw purseNotFound()
  return found.value.account.mainPurse
}

function ownerKey(name: string, content: unknown): Uint8Array {
  const text = textOf(content)
  if (name === 'main_purse_under_entity_addr') return entityKey(text)
  if (name === 'main_purse_under_account_hash') return accountKey(parseAccountHashText(text))
  return accountKey(accountHashOfHex(parsePublicKey(text)))
}

interface Balance {
  motes: bigint
  merkleProof: string
}

function readBalance(view: ChainView, read: StateRead, purse: Uint8Array): Balance {
  const found = readServedValue(view, read, balanceKey(purse))
  const motes = found === null ? null : decodeMotes(found.stored)
  if (found === null || motes === null) throw purseNotFound()
  return { motes, merkleProof: found.merkleProof }
}
