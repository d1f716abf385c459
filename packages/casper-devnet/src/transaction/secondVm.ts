import { memberAt } from '@wattfeed/base'

/** Returns whether a transaction is for the second VM, which is disabled on this chain as on the public networks. */
export function isForSecondVm(transaction: unknown): boolean {
  const target = memberAt(transaction, 'Version1', 'payload', 'fields', 'target')
  return ['Stored', 'Session'].some((kind) => memberAt(target, kind, 'runtime', 'VmCasperV2') !== undefined)
}
