import type { Rpc } from '../../casper/rpc/rpc.ts'
import type { FollowOptions, TransactionEvent } from '../../casper/transaction/followTransaction.ts'
import type { ExecutedTransaction } from '../../casper/transaction/getTransaction.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import type { Client } from '../../client/createClient.ts'
import type { PendingRegistrationFile } from './pendingRegistration.ts'

/** What happens to a registration. */
export type RegistrationEvent =
  | { feedId: string; event: 'signed' | TransactionEvent; transactionHash: string }
  | { feedId: string; event: 'executed'; executed: ExecutedTransaction }

/** Everything that registering works with. */
export interface Registration {
  rpc: Rpc
  client: Client
  signer: Signer
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** What each transaction pays instead of what its feed needs. */
  paymentMotes: bigint | null
  isDryRun: boolean
  pending: PendingRegistrationFile
  follow: Omit<FollowOptions, 'rpc' | 'onEvent'>
  onProgress: (event: RegistrationEvent) => void
}
