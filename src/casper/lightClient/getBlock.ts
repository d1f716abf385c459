import type { AbortSignalLike } from '../../async/webTypes.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/nodePool.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { AllNodesFailedError, isWrongAnswer } from '../rpc/rpcErrors.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import { isRecord } from '../types/isRecord.ts'

/** Which block: by hash or height, or the node's newest. */
export type BlockIdentifier = { Hash: string } | { Height: number } | null

export interface BlockRequest<T> {
  identifier: BlockIdentifier
  /** Turns the node's answer into a value. What it throws counts as the node's fault: another node is asked. */
  decode: (json: unknown, node: Node) => T
  /** A node that is not asked. */
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/** A block by `chain_get_block`: what `decode` makes of its `block_with_signatures`. */
export function getBlock<T>(rpc: Rpc, request: BlockRequest<T>): Promise<T> {
  return rpc.call<T>({
    ...blockCall(request),
    decode: (result, node) => request.decode(blockJson(result), node),
  })
}

export interface CheckedBlockRequest<T> extends Omit<BlockRequest<T>, 'decode'> {
  /** See {@link CheckedRequest.check}. */
  check: (json: unknown, node: Node, signal: AbortSignalLike) => Promise<T>
}

/** {@link getBlock} where it takes more calls, or time, to tell whether the block is good. */
export function getCheckedBlock<T>(rpc: Rpc, request: CheckedBlockRequest<T>): Promise<T> {
  return rpc.callChecked<T>({
    ...blockCall(request),
    check: (result, node, signal) => request.check(blockJson(result), node, signal),
  })
}

const blockCall = ({ identifier, except, signal }: Omit<BlockRequest<unknown>, 'decode'>) => ({
  method: 'chain_get_block',
  params: identifier === null ? {} : { block_identifier: identifier },
  except,
  signal,
})

const blockJson = (result: unknown): unknown => (isRecord(result) ? result.block_with_signatures : undefined)

/** A block with the JSON it was decoded from. */
export interface ServedBlock extends Block {
  /** The node's `block_with_signatures`. */
  json: unknown
}

/** Decodes a block and keeps its JSON. @throws {DecodeError} as `decodeBlock` does. */
export function decodeServedBlock(json: unknown): ServedBlock {
  return { ...decodeBlock(json), json }
}

const NO_SUCH_BLOCK = -32001

/** Whether a node says that it does not know the block. */
const isNotThere = (error: Error): boolean => error instanceof JsonRpcError && error.rpcCode === NO_SUCH_BLOCK

/** Whether an error of a call says that every node was there, and none knows the block. */
export function isNoSuchBlock(error: unknown): boolean {
  return error instanceof AllNodesFailedError && error.failures.every(({ error: each }) => isNotThere(each))
}

/** Whether an error says that a node was there, and what it named is not proven, or does not exist. */
export function isUnproven(error: unknown): boolean {
  if (!(error instanceof AllNodesFailedError)) return isWrongAnswer(error)
  return error.failures.some(({ error: each }) => isNotThere(each) || isUnproven(each))
}
