import { loadSdk } from '@wattfeed/casper/transaction'
import { getExecution, putTransaction } from '@wattfeed/casper-devnet/testing/sender'
import type { ContractCallBuilder } from 'casper-js-sdk'
import type { World } from 'wattfeed/testing/world'

const PAYMENT_MOTES = 2_500_000_000

/**
 * Calls a view of one version of a contract: by the contract's own hash, or as a version of its package. Returns the
 * error, or null. Throws the node's error if it rejects the transaction.
 */
export async function callPinned(
  { devnet, owner, tick }: World,
  pin: (builder: ContractCallBuilder) => ContractCallBuilder,
  entryPoint: string,
): Promise<string | null> {
  const sdk = await loadSdk()
  const pem = devnet.accounts.find(({ publicKey }) => publicKey === owner.publicKey)?.secretKeyPem ?? ''
  const transaction = pin(new sdk.ContractCallBuilder())
    .entryPoint(entryPoint)
    .from(sdk.PublicKey.fromHex(owner.publicKey))
    .chainName(devnet.chainName)
    .timestamp(new sdk.Timestamp(new Date(tick())))
    .payment(PAYMENT_MOTES, 1)
    .runtimeArgs(sdk.Args.fromMap({}))
    .build()
  transaction.sign(sdk.PrivateKey.fromPem(pem, sdk.KeyAlgorithm.ED25519))
  await putTransaction(devnet.call, { Version1: transaction.toJSON() })
  return (await getExecution(devnet.call, transaction.hash.toHex())).errorMessage
}
