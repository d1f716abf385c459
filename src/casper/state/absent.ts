import { WattfeedError } from '../../errors.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'

const QUERY_FAILED = -32003

/**
 * Null for the one refusal that means "nothing is stored there"; throws every other error again.
 *
 * A node says the same of an unknown dictionary seed or package, so whoever asks must know that those exist.
 */
export function absentAsNull(error: unknown): null {
  if (
    error instanceof JsonRpcError &&
    error.rpcCode === QUERY_FAILED &&
    /not found|ValueNotFound/i.test(`${error.rpcMessage} ${error.data}`)
  )
    return null
  throw error
}

/** A node that said that nothing is stored where another one has a value. */
export class HiddenValueError extends WattfeedError {
  static override readonly name = 'HiddenValueError'
  readonly code = 'hidden_value'
  readonly retryable = true

  constructor(readonly what: string) {
    super(`the node hides ${what}, which another one has; ask another node`)
  }
}
