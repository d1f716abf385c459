import { defineError } from '@wattfeed/base'
import type { ChainView } from '../chain/chainView.ts'
import { noSuchStateRoot, queryFailed } from '../nodeErrors.ts'
import type { RpcError } from '../rpcAnswer.ts'

/** A call that a node answers with an error. The functions here create those that it has. */
export const RefusedCallError = defineError(
  'RefusedCallError',
  'refused_call',
  (facts: { error: RpcError }) => facts.error.message,
)
export type RefusedCallError = InstanceType<typeof RefusedCallError>

const refused = (code: number, message: string, data: unknown): RefusedCallError =>
  new RefusedCallError({ error: { code, message, data } })

export function noSuchBlock(view: ChainView): RefusedCallError {
  const message = 'no block found for the provided identifier'
  const range = { low: 0, high: view.tip().height }
  return refused(-32001, 'No such block', { message, available_block_range: range })
}

export const notStored = (): RefusedCallError => new RefusedCallError(queryFailed)

/** @param what the node's term for the requested item: `dictionary item` */
export const unknownStateRoot = (what: string): RefusedCallError =>
  new RefusedCallError(noSuchStateRoot(what))

/** @param rule the node's message about the key */
export const invalidDictionaryKey = (rule: string): RefusedCallError =>
  refused(-32002, 'Failed to parse query key', `the provided dictionary key was invalid: ${rule}`)

export const noSuchAccount = (): RefusedCallError =>
  refused(-32009, 'No such account', 'the requested account was not found')

export const noSuchEntity = (): RefusedCallError =>
  refused(-32020, 'No such addressable entity', 'the requested addressable entity was not found')

export const requestFailed = (what: string, reason: string): RefusedCallError =>
  refused(-32018, 'Node request failure', `request for ${what} has failed: ${reason}`)

export const purseNotFound = (): RefusedCallError =>
  refused(
    -32026,
    'Purse not found',
    'request for balance has failed: purse was not found for given identifier',
  )

/** @param rule the node's message about the URef */
export const invalidPurse = (rule: string): RefusedCallError =>
  refused(-32005, 'Failed to parse get-balance URef', `the requested purse URef was invalid: ${rule}`)

/** @param hash in the format `transaction-v1-hash(0000..0000)` */
export const noSuchTransaction = (hash: string): RefusedCallError =>
  refused(-32014, 'No such transaction', `no transaction for hash ${hash}`)

/** @param hash in the format `deploy-hash(0000..0000)` */
export const noSuchDeploy = (hash: string): RefusedCallError =>
  refused(-32000, 'No such deploy', `no deploy for hash ${hash}`)
