import type { Node } from '../rpc/nodePool.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type Block, decodeBlock } from '../types/block.ts'
import { isRecord } from '../types/isRecord.ts'

/** Which block: by hash or height, or the node's newest. */
export type BlockIdentifier = { Hash: string } | { Height: number } | null

export interface BlockRequest<T> {
  identifier: BlockIdentifier
  /** Turns the node's answer into a value. What it throws counts as the node's fault: another node is asked. */
  accept: (json: unknown, node: Node) => T | Promise<T>
  /** A node that is not asked. */
  except?: Node | undefined
  signal?: AbortSignal | undefined
}

/** A block by `chain_get_block`: what `accept` makes of its `block_with_signatures`. */
export function getBlock<T>(rpc: Rpc, { identifier, accept, except, signal }: BlockRequest<T>): Promise<T> {
  return rpc.call<T>({
    method: 'chain_get_block',
    params: identifier === null ? {} : { block_identifier: identifier },
    except,
    signal,
    decode: (result, node) => accept(isRecord(result) ? result.block_with_signatures : undefined, node),
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
