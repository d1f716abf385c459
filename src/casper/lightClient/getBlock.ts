import type { AbortSignalLike } from '../../async/webTypes.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { AllNodesFailedError, isWrongAnswer } from '../rpc/rpcErrors.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import { isRecord } from '../types/isRecord.ts'

/** A hash, a height, or null for the node's newest block. */
export type BlockIdentifier = { Hash: string } | { Height: number } | null

export interface BlockRequest<T> {
  identifier: BlockIdentifier
  /** Converts the node's `block_with_signatures` to a value, like {@link RpcRequest.decode}. */
  decode: RpcRequest<T>['decode']
  /** A node to skip. */
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/** Fetches a block through `chain_get_block` and returns its decoded `block_with_signatures`. */
export function getBlock<T>(rpc: Rpc, { identifier, decode, except, signal }: BlockRequest<T>): Promise<T> {
  return rpc.call<T>({
    method: 'chain_get_block',
    params: identifier === null ? {} : { block_identifier: identifier },
    except,
    signal,
    decode: (result, ...rest) => decode(isRecord(result) ? result.block_with_signatures : undefined, ...rest),
  })
}

/** A block with the JSON it was decoded from. */
export interface ServedBlock extends Block {
  /** The node's `block_with_signatures`. */
  json: unknown
}

/** Decodes a block and keeps its JSON. @throws {DecodeError} like `decodeBlock`. */
export function decodeServedBlock(json: unknown): ServedBlock {
  return { ...decodeBlock(json), json }
}

const NO_SUCH_BLOCK = -32001

/** Whether a node reports that it does not have the block. */
const isNotThere = (error: Error): boolean => error instanceof JsonRpcError && error.rpcCode === NO_SUCH_BLOCK

/** Returns whether a call failed because no node has the block. */
export function isNoSuchBlock(error: unknown): boolean {
  return error instanceof AllNodesFailedError && error.failures.every(({ error: each }) => isNotThere(each))
}

/** Returns whether a call failed because a node's block is not proven, or because a node does not have the block. */
export function isUnproven(error: unknown): boolean {
  if (!(error instanceof AllNodesFailedError)) return isWrongAnswer(error)
  return error.failures.some(({ error: each }) => isNotThere(each) || isUnproven(each))
}
