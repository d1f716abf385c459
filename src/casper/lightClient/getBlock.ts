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
  /** Turns the node's `block_with_signatures` into a value, as {@link RpcRequest.decode} does. */
  decode: RpcRequest<T>['decode']
  /** A node not to ask. */
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/** Fetches a block by `chain_get_block` and returns its decoded `block_with_signatures`. */
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

/** Decodes a block and keeps its JSON. @throws {DecodeError} as `decodeBlock` does. */
export function decodeServedBlock(json: unknown): ServedBlock {
  return { ...decodeBlock(json), json }
}

const NO_SUCH_BLOCK = -32001

/** Whether a node reports that it does not have the block. */
const isNotThere = (error: Error): boolean => error instanceof JsonRpcError && error.rpcCode === NO_SUCH_BLOCK

/** Whether a call failed because every node answered that it does not have the block. */
export function isNoSuchBlock(error: unknown): boolean {
  return error instanceof AllNodesFailedError && error.failures.every(({ error: each }) => isNotThere(each))
}

/** Whether a call failed because some node answered, but with a block that is not proven or does not exist. */
export function isUnproven(error: unknown): boolean {
  if (!(error instanceof AllNodesFailedError)) return isWrongAnswer(error)
  return error.failures.some(({ error: each }) => isNotThere(each) || isUnproven(each))
}
