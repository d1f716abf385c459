import type { AbortSignalLike } from '../../async/webTypes.ts'
import type { Node } from './node.ts'

export interface NodeCall {
  readonly node: Node
  readonly method: string
  readonly params: unknown
  readonly signal: AbortSignalLike
  /** Called right before the request goes out. */
  readonly onAttempt?: ((node: Node) => void) | undefined
  /** Whether an error is a valid answer, for example that a value is absent. */
  readonly isAnswer?: ((error: unknown) => boolean) | undefined
}

/** Sends a request and returns its `result`. {@link createRpc} wraps it in layers with one concern each. */
export type Call = (call: NodeCall) => Promise<unknown>
