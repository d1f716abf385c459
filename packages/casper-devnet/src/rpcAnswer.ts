/** The `error` of a JSON-RPC reply. */
export interface RpcError {
  /** The node's error code, such as -32003. */
  code: number
  /** The node's message. */
  message: string
  /** Details, in the node's format; absent if there are none. */
  data?: unknown
}

/** The `result` or the `error` of a JSON-RPC reply. */
export type RpcAnswer = { result: unknown } | { error: RpcError }

/** Executes a JSON-RPC call: a node without its network. */
export type AnswerRpc = (method: string, params: unknown) => RpcAnswer | Promise<RpcAnswer>
