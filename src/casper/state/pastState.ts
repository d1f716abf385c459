import { JsonRpcError } from '../rpc/jsonRpc.ts'
import { StateNotKeptError } from '../rpc/rpcErrors.ts'
import type { GlobalState } from './globalState.ts'

/**
 * How long ago a state root was replaced if a node that does not know it no longer keeps it. A node that lags so far behind does not
 * catch up while a read is retried.
 */
export const PAST_AFTER_MS = 20_000

const NO_SUCH_STATE_ROOT = -32012

/**
 * Wraps `state` for reads at the root of an old block. A root that a node does not know is then one that it no longer keeps, and a
 * {@link StateNotKeptError} for that node, which is not retried.
 *
 * @param isPast whether the root was replaced {@link PAST_AFTER_MS} ago
 */
export function createPastState(state: GlobalState, isPast: () => boolean): GlobalState {
  const withCheck = <T extends { absent: (error: unknown, what: string) => unknown }>(request: T): T => ({
    ...request,
    absent(error: unknown, what: string) {
      if (error instanceof JsonRpcError && error.rpcCode === NO_SUCH_STATE_ROOT && isPast())
        throw new StateNotKeptError(what)
      return request.absent(error, what)
    },
  })
  return {
    isProven: state.isProven,
    query: (request) => state.query(withCheck(request)),
    item: (request) => state.item(withCheck(request)),
  }
}
