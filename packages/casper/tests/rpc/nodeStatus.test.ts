import { describe, expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { assertTyped, jsonLike } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { TransportError } from '../../src/rpc/jsonRpc.ts'
import { ChainNameMismatchError, readChainName } from '../../src/rpc/nodeStatus.ts'

describe('readChainName', () => {
  test('default', () => {
    expect(readChainName({ api_version: '2.0.0', chainspec_name: 'casper-test' })).toBe('casper-test')
  })

  test('error: it has no chainspec_name', () => {
    for (const status of [null, 'casper-test', ['casper-test'], {}, { chainspec_name: 7 }])
      expect(() => readChainName(status)).toThrow(new TransportError('info_get_status has no chainspec_name'))
  })

  test('behavior: any JSON gives a text or a typed error', () => {
    fc.assert(
      fc.property(jsonLike({ chainspec_name: fc.string() }), (status) =>
        assertTyped(() => expect(readChainName(status)).toBeString()),
      ),
    )
  })
})

describe('ChainNameMismatchError', () => {
  test('default', () => {
    const error = new ChainNameMismatchError('casper-test', 'casper\n"x"')
    expect(error).toBeInstanceOf(WattfeedError)
    expect({ ...error, name: error.name, message: error.message }).toEqual({
      name: 'ChainNameMismatchError',
      code: 'chain_name_mismatch',
      retryable: false,
      expected: 'casper-test',
      actual: 'casper\n"x"',
      message:
        'the node serves the chain "casper\\n\\"x\\"", not "casper-test"; check the chain name and the node URL',
    })
  })
})
