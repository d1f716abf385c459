import { describe, expect, test } from 'bun:test'
import { WattfeedError } from '@wattfeed/base'
import { assertTyped, jsonLike } from '@wattfeed/testing/decoding'
import fc from 'fast-check'
import { TransportError } from '../../src/rpc/jsonRpc.ts'
import { ChainNameMismatchError, readChainName, readProtocolVersion } from '../../src/rpc/nodeStatus.ts'

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

describe('readProtocolVersion', () => {
  test('default', () => {
    expect(readProtocolVersion({ protocol_version: '2.10.0', build_version: '2.2.2-abc' })).toBe('2.10.0')
  })

  test('behavior: null without a version of three numbers', () => {
    const versions = [undefined, null, 7, '', '2.2', '2.2.2-rc1', ' 2.2.2', '2.2.2\n', '02.2.2', 'v2.2.2']
    const statuses = [null, '2.2.2', [], {}, ...versions.map((protocol_version) => ({ protocol_version }))]
    expect(statuses.map(readProtocolVersion)).toEqual(statuses.map(() => null))
  })

  test('behavior: any JSON gives a version or null', () => {
    fc.assert(
      fc.property(jsonLike({ protocol_version: fc.string() }), (status) => {
        expect(readProtocolVersion(status) ?? '0.0.0').toMatch(/^\d+\.\d+\.\d+$/)
      }),
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
