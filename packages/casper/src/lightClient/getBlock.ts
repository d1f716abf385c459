import type { AbortSignalLike } from '@wattfeed/base'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { AllNodesFailedError, isWrongAnswer } from '../rpc/rpcErrors.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import { isRecord } from '../types/jsonField.ts'
import { NodesDisagreeError } from './nodesDisagreeError.ts'

/** A hash, a height, or null for the node's newest block. */
export type BlockIdentifier = { Hash: string } | { Height: number } | null

/** Which block to fetch, and how to decode it. */
export interface BlockRequest<T> {
  identifier: BlockIdentifier
  /** Converts the node's `block_with_signatures` to a value, like {@link RpcRequest.decode}. */
  decode: RpcRequest<T>['decode']
  /** Converts an error, like {@link RpcRequest.refused}. */
  refused?: RpcRequest<T>['refused'] | undefined
  except?: Node | undefined
  signal?: AbortSignalLike | undefined
}

/** Fetches a block through `chain_get_block` and returns its decoded `block_with_signatures`. */
export function getBlock<T>(
  rpc: Rpc,
  { identifier, decode, refused, except, signal }: BlockRequest<T>,
): Promise<T> {
  return rpc.call<T>({
    method: 'chain_get_block',
    params: identifier === null ? {} : { block_identifier: identifier },
    ...(refused && { refused }),
    except,
    signal,
    decode: (result, ...rest) => decode(isRecord(result) ? result.block_with_signatures : undefined, ...rest),
  })
}

/**
 * Fetches a block that is on chain by its height. A node that answers with another block, or does not have it yet, is retried like
 * one that fails: behind a load balancer, the next call may reach another node.
 *
 * @throws {NodesDisagreeError} when no node returns the block.
 */
export async function getBlockAt<T extends { readonly height: number }>(
  rpc: Rpc,
  height: number,
  { decode, signal }: { decode: (json: unknown) => T; signal?: AbortSignalLike | undefined },
): Promise<T> {
  try {
    return await getBlock(rpc, {
      identifier: { Height: height },
      signal,
      decode(json) {
        const block = decode(json)
        if (block.height !== height) throw new NodesDisagreeError(height)
        return block
      },
      refused(error) {
        throw isBehind(error, height) ? new NodesDisagreeError(height) : error
      },
    })
  } catch (error) {
    if (!(error instanceof AllNodesFailedError)) throw error
    const found = error.failures.map((failure) => failure.error)
    throw found.find((each) => !(each instanceof NodesDisagreeError)) ? error : found[0]
  }
}

const NO_SUCH_BLOCK = -32001

/** Returns whether a node reports that it does not have the block. */
const isNotThere = (error: unknown): error is JsonRpcError =>
  error instanceof JsonRpcError && error.rpcCode === NO_SUCH_BLOCK

/** Returns whether a node reports that it does not have a block, and that its newest block is below. */
const isBehind = (error: unknown, height: number): boolean =>
  isNotThere(error) && Number(/"high":(\d+)/.exec(error.data)?.[1]) < height

/** A block with the JSON it was decoded from. */
export interface ServedBlock extends Block {
  json: unknown
}

/** Decodes a block and keeps its JSON. */
export function decodeServedBlock(json: unknown): ServedBlock {
  return { ...decodeBlock(json), json }
}

/** Returns whether a call failed because no node has the block. */
export function isNoSuchBlock(error: unknown): boolean {
  return error instanceof AllNodesFailedError && error.failures.every(({ error: each }) => isNotThere(each))
}

/** Returns whether a call failed because a node's block is not proven, or because a node does not have the block. */
export function isUnproven(error: unknown): boolean {
  if (!(error instanceof AllNodesFailedError)) return isWrongAnswer(error)
  return error.failures.some(({ error: each }) => isNotThere(each) || isUnproven(each))
}
