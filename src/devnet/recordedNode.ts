import { type Exchange, readRecordedChain } from './exchange.ts'
import { createRecordedAnswers } from './recordedAnswers.ts'
import { describeRecording, type RecordedChain } from './recordedChain.ts'
import { type RpcEndpoint, type RpcEndpointOptions, startRpcEndpoint } from './rpcEndpoint.ts'

export interface RecordedNodeOptions extends Omit<RpcEndpointOptions, 'answer'> {
  /** @default the recordings in `fixtures/chain` */
  exchanges?: readonly Exchange[]
}

/** A running node, and what a client has to be told about its chain. */
export interface RecordedNode extends RpcEndpoint, RecordedChain {}

/**
 * Starts a JSON-RPC endpoint that answers from recorded exchanges of a real node.
 *
 * @example
 * ```ts
 * await using node = startRecordedNode()
 * const client = createClient({ rpcUrls: [node.url], ...node })
 * ```
 */
export function startRecordedNode(options: RecordedNodeOptions = {}): RecordedNode {
  const { exchanges = readRecordedChain(), ...endpoint } = options
  const answer = createRecordedAnswers(exchanges)
  return { ...startRpcEndpoint({ ...endpoint, answer }), ...describeRecording(exchanges) }
}
