import { memberAt } from '@wattfeed/base'
import type { Devnet } from '../createDevnet.ts'
import { formatTransaction } from './transactionLine.ts'

/** Prints a line for each transaction of a new block, in their order. Returns a function that ends it. */
export function printTransactions(
  { call, subscribe }: Pick<Devnet, 'call' | 'subscribe'>,
  print: (line: string) => void,
): () => void {
  // A line may need a call, and the next one waits for it.
  let last = Promise.resolve()
  const inOrder = (work: () => void | Promise<void>): void => {
    last = last.then(work)
  }
  return subscribe((event) => {
    if ('Printed' in event) inOrder(() => print(`prints  ${event.Printed.text}`))
    if ('Reverted' in event) inOrder(() => print(`reverted to block ${event.Reverted.block_height}`))
    if ('TransactionExpired' in event) {
      const [hash] = Object.values(event.TransactionExpired.transaction_hash)
      inOrder(() => print(`expired  ${hash}`))
    }
    if ('TransactionProcessed' in event)
      inOrder(() => printProcessed(event.TransactionProcessed.transaction_hash))
  })

  async function printProcessed(transaction_hash: object): Promise<void> {
    const { result } = { result: undefined, ...(await call('info_get_transaction', { transaction_hash })) }
    const executionInfo = memberAt(result, 'execution_info')
    // The chain may have been reverted since.
    if (executionInfo === undefined || executionInfo === null) return
    print(
      formatTransaction({
        height: Number(memberAt(executionInfo, 'block_height')),
        hash: String(Object.values(transaction_hash)),
        transaction: memberAt(result, 'transaction'),
        executionResult: memberAt(executionInfo, 'execution_result'),
      }),
    )
  }
}
