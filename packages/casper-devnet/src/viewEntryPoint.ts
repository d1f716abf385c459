import { InvalidArgumentError } from '@wattfeed/base'
import { accountHashOfText, formatParsed } from '@wattfeed/casper/types'
import type { Chain } from './chain/createChain.ts'
import { DevnetTransactionError } from './createSender.ts'
import type { DevnetView } from './devnetView.ts'
import { namedArguments, packageHashOf } from './transaction/signRequest.ts'

/** @throws {DevnetTransactionError | InvalidArgumentError} */
export function viewEntryPoint(
  chain: Chain,
  { packageHash, entryPoint, args = {}, caller }: Required<Pick<DevnetView, 'caller'>> & DevnetView,
): unknown {
  const callerHash = accountHashOfText(caller)
  if (callerHash === null)
    throw new InvalidArgumentError('caller', 'a public key in hex, or account-hash- and 64 hex digits')
  const { error, returned } = chain.view({
    packageHash: Uint8Array.fromHex(packageHashOf(packageHash)),
    entryPoint,
    args: namedArguments(args),
    caller: callerHash,
  })
  if (error !== null) throw new DevnetTransactionError(entryPoint, error)
  return returned === null ? null : formatParsed(returned)
}
