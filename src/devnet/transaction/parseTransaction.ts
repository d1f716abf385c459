import { requiredField, variantOf } from '../params.ts'
import { parseDeploy } from './parseDeploy.ts'
import { parseTransactionV1 } from './parseTransactionV1.ts'
import type { Transaction } from './transaction.ts'

/**
 * Reads the `transaction` that `account_put_transaction` is given: `{ "Version1": … }` or `{ "Deploy": … }`.
 *
 * Throws an `InvalidParamsError`.
 */
export function parseTransaction(value: unknown): Transaction {
  const { name } = variantOf(value, ['Deploy', 'Version1'])
  const content = requiredField(value, name)
  return name === 'Deploy' ? parseDeploy(content) : parseTransactionV1(content)
}
