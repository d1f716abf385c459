import { memberAt } from '@wattfeed/base'
import type { Signer } from '@wattfeed/casper/transaction'
import type { Arguments } from '@wattfeed/casper/types'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import type { Call, Sender } from '@wattfeed/casper-devnet/testing/sender'

/** Enough for each contract of ours. */
export const WASM_MOTES = 240_000_000_000n

/** The signer of installations, and the account that the engine executes them for. */
export interface Installer {
  signer: Signer
  /** `account-hash-…` */
  account: string
}

/** A contract's wasm and its installation arguments. */
export interface Installable {
  wasm: Uint8Array
  args: Arguments
  /** The named key of its package. */
  keyName: string
}

/** Installs a contract, and returns its package hash, 64 hex digits. Throws if the installation fails. */
export async function installContract(
  sender: Sender,
  { signer, account }: Installer,
  { wasm, args, keyName }: Installable,
): Promise<string> {
  await sendOrThrow(sender, {
    signer,
    target: { wasm },
    args,
    paymentMotes: WASM_MOTES,
  })
  const packageHash = (await readNamedKeys(sender.answer, account)).get(keyName)
  if (packageHash === undefined) throw new Error(`${account} has no named key ${keyName}`)
  return packageHash.replace('hash-', '')
}

/** Sends a call that must succeed. */
export async function sendOrThrow(sender: Sender, call: Call): Promise<void> {
  const [executed] = await sender.send([call])
  if (executed?.errorMessage !== null) throw new Error(`failed: ${executed?.errorMessage}`)
}

/** The named keys of an account. */
async function readNamedKeys(answer: AnswerRpc, account: string): Promise<Map<string, string>> {
  const found = await answer('query_global_state', { key: account, path: [] })
  const { named_keys } = Object(memberAt(found, 'result', 'stored_value', 'Account'))
  return new Map(named_keys.map(({ name, key }: { name: string; key: string }) => [name, key]))
}
