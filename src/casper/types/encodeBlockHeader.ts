import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { encodeBigUint, encodeLittleEndian } from '../../bytes/littleEndian.ts'
import type { BlockHeader, EraEnd } from './blockHeader.ts'

/** The `bytesrepr` of a block header: what its hash is made of. */
export function encodeBlockHeader(header: BlockHeader): Uint8Array {
  const { parentHash, stateRootHash, bodyHash, randomBit, accumulatedSeed, eraEnd } = header
  return concatBytes(
    hexToBytes(parentHash),
    hexToBytes(stateRootHash),
    hexToBytes(bodyHash),
    Uint8Array.of(randomBit ? 1 : 0),
    hexToBytes(accumulatedSeed),
    option(eraEnd && (header.version === 1 ? encodeEraEndOf1(eraEnd) : encodeEraEndOf2(eraEnd))),
    encodeLittleEndian(header.timestamp, 8),
    encodeLittleEndian(header.eraId, 8),
    encodeLittleEndian(header.height, 8),
    ...header.protocolVersion.map((part) => encodeLittleEndian(part, 4)),
    ...tailOf2(header),
  )
}

/** What protocol 2 has put behind. */
function tailOf2({ version, proposer, currentGasPrice, lastSwitchBlockHash }: BlockHeader): Uint8Array[] {
  if (version === 1) return []
  return [
    hexToBytes(proposer ?? '00'),
    Uint8Array.of(currentGasPrice ?? 0),
    option(lastSwitchBlockHash === null ? null : hexToBytes(lastSwitchBlockHash)),
  ]
}

function encodeEraEndOf2(end: EraEnd): Uint8Array {
  return concatBytes(
    list(end.equivocators.map(hexToBytes)),
    list(end.inactiveValidators.map(hexToBytes)),
    encodeWeights(end),
    list(
      end.rewards.map(([validator, amounts]) =>
        concatBytes(hexToBytes(validator), list(amounts.map(encodeBigUint))),
      ),
    ),
    Uint8Array.of(end.nextEraGasPrice ?? 0),
  )
}

function encodeEraEndOf1(end: EraEnd): Uint8Array {
  return concatBytes(
    list(end.equivocators.map(hexToBytes)),
    list(
      end.rewards.map(([validator, [reward = 0n]]) =>
        concatBytes(hexToBytes(validator), encodeLittleEndian(reward, 8)),
      ),
    ),
    list(end.inactiveValidators.map(hexToBytes)),
    encodeWeights(end),
  )
}

const encodeWeights = ({ nextEraValidatorWeights }: EraEnd): Uint8Array =>
  list(
    nextEraValidatorWeights.map(({ validator, weight }) =>
      concatBytes(hexToBytes(validator), encodeBigUint(weight)),
    ),
  )

const list = (items: readonly Uint8Array[]): Uint8Array =>
  concatBytes(encodeLittleEndian(items.length, 4), ...items)

const option = (value: Uint8Array | null): Uint8Array =>
  value === null ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), value)
