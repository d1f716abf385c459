import { assertOptions, assertType, InvalidArgumentError } from '@wattfeed/base'
import { accountHashOfText, decodeStoredValue, formatParsed, hashKey } from '@wattfeed/casper/types'
import type { Chain } from './chain/createChain.ts'
import { contractHashError, DevnetTransactionError } from './createSender.ts'
import type { DevnetView } from './devnetView.ts'
import { namedArguments, packageHashOf } from './transaction/signRequest.ts'

/**
 * @param faucet account hash of the default caller
 * @throws {DevnetTransactionError | InvalidArgumentError}
 */
export function viewEntryPoint(chain: Chain, view: DevnetView, faucet: string): unknown {
  assertOptions(view, { packageHash: 1, entryPoint: 1, args: 1, caller: 1 })
  const { packageHash, entryPoint, args = {}, caller = faucet } = view
  const hash = Uint8Array.fromHex(packageHashOf(packageHash, 'packageHash'))
  assertType('entryPoint', entryPoint, 'string')
  const callerHash = accountHashOfText(caller)
  if (callerHash === null)
    throw new InvalidArgumentError('caller', 'a public key in hex, or account-hash- and 64 hex digits')
  assertPackage(chain, hash)
  const { error, returned } = chain.view({
    packageHash: hash,
    entryPoint,
    args: namedArguments(args),
    caller: callerHash,
  })
  if (error !== null) throw new DevnetTransactionError(entryPoint, error, 'view of')
  return returned === null ? null : formatParsed(returned)
}

function assertPackage(chain: Chain, hash: Uint8Array): void {
  const found = chain.read(chain.tip().stateRootHash, hashKey(hash))
  const stored = found === null ? null : decodeStoredValue(found.stored)
  if (stored?.kind === 'Contract')
    throw contractHashError('packageHash', hash.toHex(), stored.contract.packageHash.toHex())
}
