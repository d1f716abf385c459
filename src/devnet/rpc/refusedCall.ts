import { defineError } from '../../defineError.ts'
import type { ChainView } from '../chain/chainView.ts'
import { noSuchStateRoot, queryFailed } from '../nodeErrors.ts'
import type { RpcError } from '../rpcAnswer.ts'

export const RefusedCallError = defineError(
  'RefusedCallError',
  'refused_call',
  (facts: { error: RpcError }) => facts.error.message,
)
export type RefusedCallError = InstanceType<typeof RefusedCallError>

export function noSuchBlock(view: ChainView): RefusedCallError {
  const message = 'no block found for the provided identifier'
  const data = { message, available_block_range: { low: 0, high: view.tip().height } }
  return new RefusedCallError({ error: { code: -32001, message: 'No such block', data } })
}

export const notStored = (): RefusedCallError => new RefusedCallError({ error: queryFailed.error })

export const unknownStateRoot = (what: string): RefusedCallError =>
  new RefusedCallError({ error: noSuchStateRoot(what).error })

/** @param rule the node's message about the key */
export function invalidDictionaryKey(rule: string): RefusedCallError {
  const data = `the provided dictionary key was invalid: ${rule}`
  return new RefusedCallError({ error: { code: -32002, message: 'Failed to parse query key', data } })
}

export const noSuchAccount = (): RefusedCallError =>
  new RefusedCallError({
    error: {
      code: -32009,
      message: 'No such account',
      data: 'the requested account was not found',
    },
  })

export const noSuchEntity = (): RefusedCallError =>
  new RefusedCallError({
    error: {
      code: -32020,
      message: 'No such addressable entity',
      data: 'the requested addressable entity was not found',
    },
  })

export const requestFailed = (what: string, reason: string): RefusedCallError =>
  new RefusedCallError({
    error: {
      code: -32018,
      message: 'Node request failure',
      data: `request for ${what} has failed: ${reason}`,
    },
  })

export const purseNotFound = (): RefusedCallError =>
  new RefusedCallError({
    error: {
      code: -32026,
      message: 'Purse not found',
      data: 'request for balance has failed: purse was not found for given identifier',
    },
  })

/** @param rule the node's message about the URef */
export function invalidPurse(rule: string): RefusedCallError {
  const data = `the requested purse URef was invalid: ${rule}`
  return new RefusedCallError({ error: { code: -32005, message: 'Failed to parse get-balance URef', data } })
}

/** @param hash in the format `transaction-v1-hash(0000..0000)` */
export const noSuchTransaction = (hash: string): RefusedCallError =>
  new RefusedCallError({
    error: {
      code: -32014,
      message: 'No such transaction',
      data: `no transaction for hash ${hash}`,
    },
  })

/** @param hash in the format `deploy-hash(0000..0000)` */
export const noSuchDeploy = (hash: string): RefusedCallError =>
  new RefusedCallError({
    error: { code: -32000, message: 'No such deploy', data: `no deploy for hash ${hash}` },
  })
