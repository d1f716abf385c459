import { describe, expect, test } from 'bun:test'
import { describePeriod, formatUtc } from '@wattfeed/eia'
import { formatAmount } from '../../../src/web/explorer/format/amount.ts'
import { formatAge } from '../../../src/web/explorer/format/moment.ts'
import { describeSigners } from '../../../src/web/explorer/format/signers.ts'
import { showText } from '../../../src/web/explorer/format/untrusted.ts'
import { feedHref, feedIdOf } from '../../../src/web/site/feedPath.ts'

describe('a period in words', () => {
  test.each([
    ['annual', 2025, '2025', '2025'],
    ['quarterly', 202607, 'Q3 2026', '2026-07'],
    ['monthly', 202610, 'October 2026', '2026-10'],
    ['weekly', 20261113, 'week ending 13 Nov 2026', '2026-11-13'],
    ['weekly', 20261116, 'on Monday 16 Nov 2026', '2026-11-16'],
    ['weekly', 20210101, 'week ending 1 Jan 2021', '2021-01-01'],
    ['four-week-average', 20261113, '4 weeks ending 13 Nov 2026', '2026-11-13'],
    ['daily', 20261120, '20 Nov 2026', '2026-11-20'],
    ['hourly', 1_795_183_200, 'hour ending 20 Nov 2026, 14:00 UTC', '2026-11-20T14:00Z'],
    ['local-hourly', 1_795_183_200, 'hour ending 20 Nov 2026, 14:00 UTC', '2026-11-20T14:00Z'],
    ['monthly', 202613, 'period 202613', null],
    ['fortnightly', 20261113, 'period 20261113', null],
    ['hourly', 2 ** 64, 'period 18446744073709552000', null],
  ])('default: %s %d is %s', (frequency, period, words, machine) => {
    expect(describePeriod({ route: 'any', frequency }, period)).toEqual({ words, machine })
  })
})

describe('an amount', () => {
  test.each([
    ['3049380', 6, '3.04938'],
    ['5878', 2, '58.78'],
    ['1234500', 3, '1,234.5'],
    ['2398463', 0, '2,398,463'],
    ['5', 3, '0.005'],
    ['0', 6, '0'],
    ['100', 0, '100'],
  ])('default: %s with %d decimals is %s', (amount, decimals, text) => {
    expect(formatAmount(amount, decimals)).toBe(text)
  })

  test('behavior: one of 155 digits is cut, and one with 255 decimals', () => {
    expect(formatAmount(String(2n ** 512n), 0)).toBe('1.34078…e+154')
    expect(formatAmount(String(2n ** 512n), 255)).toBe(`0.${'0'.repeat(24)}…`)
  })
})

describe('a moment', () => {
  test('default: in UTC; an invalid date is "no date"', () => {
    expect([formatUtc(1_795_183_500_000), formatUtc(Number.NaN), formatUtc(1e300)]).toEqual([
      '20 Nov 2026, 14:05 UTC',
      'no date',
      'no date',
    ])
  })

  test.each([
    [-5_000, 'just now'],
    [4_999, 'just now'],
    [19_000, '19 s ago'],
    [200_000, '3 min ago'],
    [7_200_000, '2 h ago'],
    [3 * 86_400_000, '3 days ago'],
    [100 * 86_400_000, '3 months ago'],
    [1000 * 86_400_000, '2 years ago'],
  ])('default: %d ms are %s', (ageMs, words) => {
    expect(formatAge(ageMs)).toBe(words)
  })
})

describe('a text that a stranger wrote', () => {
  test('default: as it is', () => {
    expect(showText('US retail diesel price', 80)).toBe('US retail diesel price')
  })

  test('behavior: characters that hide, break lines or turn the text become visible', () => {
    expect(showText('a\u3164\ufe0f', 80)).toBe('a\\u{3164}\\u{fe0f}')
    expect(showText('a\u202eb\u0000\n\ud800\u200b', 80)).toBe('a\\u{202e}b\\u{0}\\u{a}\\u{d800}\\u{200b}')
  })

  test('behavior: a long one is cut between characters', () => {
    expect(showText('😀'.repeat(10), 5)).toBe('😀😀😀😀…')
    expect([...showText('x'.repeat(1_000_000), 80)]).toHaveLength(80)
  })
})

describe('the address of a feed', () => {
  test.each(['EIA.PET.PRICE.WTI.DAILY', 'a/b?c#d%e', ' ', '💡', '...'])('default: of %p, and back', (id) => {
    const href = feedHref(id) ?? ''
    expect(feedIdOf(new URL(href, 'http://localhost').pathname)).toBe(id)
  })

  test.each(['', '.', '..'])('behavior: none of %p, which no address can hold', (id) => {
    expect(feedHref(id)).toBeNull()
  })

  test.each(['/', '/explorer/feeds', '/explorer/feeds/', '/explorer/feeds/a/b', '/explorer/feeds/%ff'])(
    'behavior: %s is of no feed',
    (path) => expect(feedIdOf(path)).toBeNull(),
  )
})

describe('describeSigners', () => {
  test.each<[sentence: string, keys: number, minSigners: number]>([
    ['One key signs alone.', 1, 1],
    ['One of 3 keys can sign alone.', 3, 1],
    ['4 of 5 keys must sign.', 5, 4],
    ['No set of keys can sign.', 2, 0],
  ])('behavior: %s', (sentence, count, min_signers) => {
    const keys = Array.from({ length: count }, () => ({ account_hash: '', weight: 1 }))
    expect(describeSigners({ keys, min_signers })).toBe(sentence)
  })
})
