import { expect, test } from 'bun:test'
import { encodeLeaf } from '@wattfeed/dataset'
import { canonicalJson } from '../../src/provenance/sourceHash.ts'

test('default: the leaf of a value has the text that a feed hashes for it', () => {
  const source = {
    route: 'petroleum/pri/spt',
    frequency: 'daily',
    facets: { series: 'RWTC', product: 'EPCWTI' },
    period: '2026-11-16',
    value: '59.91',
    unit: '$/BBL',
  }
  const leaf = new TextDecoder().decode(encodeLeaf({ column: 'value', ...source }))
  expect(leaf).toBe(`{"column":"value","source":${canonicalJson(source)}}`)
})
