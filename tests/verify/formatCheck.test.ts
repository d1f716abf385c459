import { expect, test } from 'bun:test'
import type { FeedProofCheck, Reading } from '../../src/client/index.ts'
import { checkJson, formatCheck } from '../../src/verify/runVerify.ts'

const reading: Reading = {
  feed_id: 'A.FEED\u001b[2J',
  decimals: 2,
  unit: '$/\u202ebbl',
  title: 'A feed',
  source: 'EIA',
  route: 'a/route',
  frequency: 'daily',
  description: 'invented',
  value: 1.5,
  amount: 150n,
  period: 20261120,
  source_hash: 'ab',
  updated_at: 1,
}

const proven: FeedProofCheck = {
  reading,
  links: [
    { link: 'registries', holds: true, detail: '' },
    { link: 'reading', holds: true, detail: 'a\nb' },
  ],
}

const refuted: FeedProofCheck = {
  reading: null,
  links: [
    { link: 'registries', holds: true, detail: 'casper' },
    { link: 'block', holds: false, detail: 'its header does not hash to \u001b]0;x\u0007' },
  ],
}

test('default: a check mark for each link, and the proven reading', () => {
  expect(formatCheck(proven)).toBe(
    '✓ registries\n✓ reading: a\\u{a}b\nproven: A.FEED\\u{1b}[2J = 1.5 $/\\u{202e}bbl (amount 150, period 20261120)',
  )
})

test('default: the broken link, without the reading', () => {
  expect(formatCheck(refuted)).toBe(
    '✓ registries: casper\n✗ block: its header does not hash to \\u{1b}]0;x\\u{7}\nrefuted: block does not hold',
  )
})

test('default: as JSON, with the amount as text', () => {
  expect(checkJson(proven)).toEqual({
    proven: true,
    reading: { ...reading, amount: '150' },
    links: proven.links,
  })
  expect(checkJson(refuted)).toEqual({ proven: false, reading: null, links: refuted.links })
})
