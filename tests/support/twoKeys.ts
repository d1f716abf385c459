import { decodeHex, memberAt } from '@wattfeed/base'
import { signTransaction } from '@wattfeed/casper/transaction'
import type { Arguments } from '@wattfeed/casper/types'
import { encodeHostCalls } from '@wattfeed/casper-devnet/testing/engine/hostCalls'
import { getExecution, putTransaction } from '@wattfeed/casper-devnet/testing/sender'
import type { World } from 'wattfeed/testing/world'

/** Calls a contract with the signatures of both keys; throws if it fails. */
type CallWithBoth = (packageHash: string, entryPoint: string, args: Arguments) => Promise<void>

const PAYMENT_MOTES = 33_000_000_000n
const [DEPLOYMENT, KEY_MANAGEMENT] = [0, 1]

/** Gives the owner's account a second key, that of another account. From now on, both must sign. */
export async function requireTwoKeys({ devnet, sender, tick, owner, alice }: World): Promise<CallWithBoth> {
  const second = { ...alice, initiator: owner.initiator }
  const wasm = encodeHostCalls([
    {
      name: 'add_associated_key',
      args: [decodeHex(second.keyHash.replace('account-hash-', ''), 'hash'), 1],
    },
    { name: 'set_action_threshold', args: [KEY_MANAGEMENT, 2] },
    { name: 'set_action_threshold', args: [DEPLOYMENT, 2] },
  ])
  tick()
  const call = { target: { wasm }, args: {}, paymentMotes: PAYMENT_MOTES }
  assertExecuted(await sender.send([{ signer: owner, ...call }]))
  return async (packageHash, entryPoint, args) => {
    const terms = {
      target: { packageHash, entryPoint },
      args,
      paymentMotes: PAYMENT_MOTES,
      chainName: devnet.chainName,
      timestamp: tick(),
    }
    const signed = await signTransaction(owner, terms)
    const again = await signTransaction(second, terms)
    const approvals = [signed, again].flatMap(({ transaction }) =>
      Object(memberAt(transaction, 'Version1', 'approvals')),
    )
    const { Version1 } = Object(signed.transaction)
    await putTransaction(sender.answer, { Version1: { ...Version1, approvals } })
    devnet.produceBlock()
    assertExecuted([await getExecution(sender.answer, signed.hash)])
  }
}

function assertExecuted(executed: readonly { errorMessage: string | null }[]): void {
  for (const { errorMessage } of executed) if (errorMessage !== null) throw new Error(errorMessage)
}
