import { decodeHex } from '../../bytes/hex.ts'
import { hashOf, recordOf, requiredField, textOf, variantOf } from '../params.ts'
import { encodeCalltable } from './calltable.ts'
import { encodeText } from './encode.ts'
import { encodeVersion, parseVersion } from './packageVersion.ts'
import type { Target } from './transaction.ts'

const tag = (value: number): Uint8Array => Uint8Array.of(value)

/** Which stored contract a TransactionV1 calls, with its bytes. Throws an `InvalidParamsError`. */
export function parseInvocation(
  value: unknown,
  entryPoint: string,
): { target: Target; bytes: Uint8Array; json: object } {
  const { name, content } = variantOf(value, ['ByHash', 'ByName', 'ByPackageHash', 'ByPackageName'])
  if (name === 'ByHash') {
    const hash = hashOf(content)
    const contractHash = decodeHex(hash, 'contract hash')
    return {
      target: { kind: 'contract', contractHash, entryPoint },
      bytes: encodeCalltable([tag(0), contractHash]),
      json: { ByHash: hash },
    }
  }
  if (name === 'ByName') {
    const named = textOf(content)
    return {
      target: { kind: 'contractName', name: named, entryPoint },
      bytes: encodeCalltable([tag(1), encodeText(named)]),
      json: { ByName: named },
    }
  }
  const version = parseVersion(recordOf(content).version)
  if (name === 'ByPackageHash') {
    const addr = hashOf(requiredField(content, 'addr'))
    const packageHash = decodeHex(addr, 'package hash')
    return {
      target: { kind: 'package', packageHash, version, entryPoint },
      bytes: encodeCalltable([tag(2), packageHash, encodeVersion(version)]),
      json: { ByPackageHash: { addr, version } },
    }
  }
  const named = textOf(requiredField(content, 'name'))
  return {
    target: { kind: 'packageName', name: named, version, entryPoint },
    bytes: encodeCalltable([tag(3), encodeText(named), encodeVersion(version)]),
    json: { ByPackageName: { name: named, version } },
  }
}
