import type { ChainView } from '../chain/chainView.ts'
import { hashOf, requiredField, variantOf } from '../params.ts'
import { parseDeploy } from '../transaction/deploy.ts'
import { parseTransaction } from '../transaction/parseTransaction.ts'
import { refusalError } from '../transaction/refusal.ts'
import { isForSecondVm } from '../transaction/secondVm.ts'
import { noSuchDeploy, noSuchTransaction, RefusedCallError } from './refusedCall.ts'

export function accountPutTransaction(view: ChainView, params: unknown): object {
  const given = requiredField(params, 'transaction')
  // A node checks the VM first. The codec of transactions does not know the second one.
  if (isForSecondVm(given))
    throw new RefusedCallError({ error: refusalError('runtime', 'Version1', 'transaction') })
  const transaction = parseTransaction(given)
  const refusal = view.put(transaction)
  if (refusal !== null)
    throw new RefusedCallError({ error: refusalError(refusal, transaction.version, 'transaction') })
  return { transaction_hash: { [transaction.version]: transaction.hash } }
}

export function accountPutDeploy(view: ChainView, params: unknown): object {
  const deploy = parseDeploy(requiredField(params, 'deploy'))
  const refusal = view.put(deploy)
  if (refusal !== null) throw new RefusedCallError({ error: refusalError(refusal, deploy.version, 'deploy') })
  return { deploy_hash: deploy.hash }
}

export function infoGetTransaction(view: ChainView, params: unknown): object {
  const { name, content } = variantOf(requiredField(params, 'transaction_hash'), ['Deploy', 'Version1'])
  const hash = hashOf(content)
  const found = view.getTransaction(name, hash)
  if (found === null)
    throw noSuchTransaction(shortHash(name === 'Deploy' ? 'deploy' : 'transaction-v1', hash))
  return { transaction: found.json, execution_info: found.executionInfo }
}

export function infoGetDeploy(view: ChainView, params: unknown): object {
  const hash = hashOf(requiredField(params, 'deploy_hash'))
  const found = view.getTransaction('Deploy', hash)
  if (found === null) throw noSuchDeploy(shortHash('deploy', hash))
  return { deploy: found.json.Deploy, execution_info: found.executionInfo }
}

/** Shortens a hash like the node's messages. */
const shortHash = (kind: string, hash: string): string =>
  `${kind}-hash(${hash.slice(0, 4)}..${hash.slice(-4)})`
