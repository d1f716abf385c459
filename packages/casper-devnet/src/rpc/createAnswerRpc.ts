import { InvalidArgumentError } from '@wattfeed/base'
import type { ChainView } from '../chain/chainView.ts'
import { methodNotFound } from '../nodeErrors.ts'
import { hasNoParams, InvalidParamsError, namedParams } from '../params.ts'
import { type ReportFault, reportFault } from '../reportFault.ts'
import type { AnswerRpc, RpcAnswer } from '../rpcAnswer.ts'
import { discover } from './discover.ts'
import { methods, type RpcMethod } from './methods.ts'
import { RefusedCallError } from './refusedCall.ts'

/**
 * Returns a function that executes calls with casper-node's results and errors. Any other error becomes an internal error
 * and is passed to `report`.
 *
 * @param ownMethods methods that a node does not have
 */
export function createAnswerRpc(
  view: ChainView,
  report: ReportFault = reportFault,
  ownMethods: ReadonlyMap<string, RpcMethod> = new Map(),
): AnswerRpc {
  const all = new Map([...methods, ...ownMethods])
  return (method, params) => {
    if (method === 'rpc.discover')
      return { result: { api_version: API_VERSION, ...discover(API_VERSION, all) } }
    const found = all.get(method)
    if (found === undefined) return methodNotFound(method)
    try {
      const fault = found.checkParams(params)
      if (fault !== null) return invalidParams(fault)
      const named = hasNoParams(params) ? params : namedParams(params, found.params, found.aliases)
      return { result: { api_version: API_VERSION, ...found.answer(view, named) } }
    } catch (error) {
      return errorAnswer(error, report)
    }
  }
}

function errorAnswer(error: unknown, report: ReportFault): RpcAnswer {
  if (error instanceof RefusedCallError) return { error: error.error }
  if (error instanceof InvalidParamsError || error instanceof InvalidArgumentError)
    return invalidParams(error.message)
  report(error)
  const data = error instanceof Error ? error.message : String(error)
  return { error: { code: -32603, message: 'Internal error', data } }
}

const invalidParams = (data: string): RpcAnswer => ({
  error: { code: -32602, message: 'Invalid params', data },
})

const API_VERSION = '2.0.0'
