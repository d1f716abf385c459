import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ChartContent, drawChart } from '../../../src/web/chart/drawChart.ts'
import { formatValue } from '../../../src/web/chart/formatValue.ts'
import { timeAxis } from '../../../src/web/chart/scales.ts'
import { estimateWidth, fitText } from '../../../src/web/chart/text.ts'
import { chartOf, look, pointAt } from './chartOf.ts'
import { hostileText } from './hostileText.ts'

const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([\s\S]*?)<\/text>/g)].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''))

const linesOf = (svg: string): string => /class="wf-line" d="([^"]*)"/.exec(svg)?.[1] ?? ''

const draw = (changes: Partial<ChartContent> = {}, changedLook = {}): string =>
  drawChart(chartOf(changes), { ...look, ...changedLook })

describe('drawChart', () => {
  test('default: the title, the newest value with its unit and period, and ticks on both axes', () => {
    expect(textsOf(draw())).toEqual([
      'WTI',
      '81.5 $/bbl · 26 Jan 2026',
      '60',
      '65',
      '70',
      '75',
      '80',
      '85',
      ...[5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25].map((day) => `${day} Jan`),
    ])
  })

  test('default: it has a name and a description for readers who do not see it', () => {
    const svg = draw()
    expect(svg).toContain('role="img"')
    expect(svg).toContain('<title>WTI: 81.5 $/bbl, 26 Jan 2026</title>')
    expect(svg).toContain(
      '<desc>Line chart of 9 values in $/bbl. First: 5 Jan 2026. Last: 26 Jan 2026. Lowest: 60.5 (5 Jan 2026). Highest: 81.5 (26 Jan 2026). Values are missing in 1 place.</desc>',
    )
  })

  test('default: the line has a gap where periods are missing, and none over a weekend', () => {
    const line = linesOf(draw())
    expect(line.match(/M/g)).toHaveLength(2)
    expect(linesOf(draw({ maxStepMs: null })).match(/M/g)).toHaveLength(1)
  })

  test('behavior: a value between two gaps is a dot, and the newest one a larger dot', () => {
    const points = [pointAt(0, '1'), pointAt(1, '2'), pointAt(10, '3'), pointAt(20, '4')]
    const svg = draw({ points, newest: pointAt(20, '4') })
    const dots = /class="wf-line wf-alone" d="([^"]*)"/.exec(svg)?.[1] ?? ''
    expect(dots).toMatch(/^(M[\d.]+,[\d.]+h0){2}$/)
    expect(svg).toContain('.wf-alone{stroke-width:4}')
    expect([...svg.matchAll(/ r="([^"]+)"/g)].map(([, radius]) => radius)).toEqual(['3.5'])
    expect(linesOf(svg).match(/M/g)).toHaveLength(1)
    expect(draw()).not.toContain('wf-line wf-alone')
  })

  test('behavior: the newest value has no dot if the chart does not show it', () => {
    expect(draw({ newest: pointAt(99, '5') })).not.toContain('<circle')
  })

  test('behavior: a value holds until the next one in a stepped chart', () => {
    const points = [pointAt(0, '1'), pointAt(1, '2')]
    const cornersOf = (isStepped: boolean) => linesOf(draw({ points, isStepped })).split('L').length
    expect([cornersOf(false), cornersOf(true)]).toEqual([2, 3])
  })

  test.each([
    ['no values', [], 'No values in this range.'],
    ['one value', [pointAt(0, '3.5')], '5 Jan 2026'],
    ['equal values', [pointAt(0, '0'), pointAt(1, '0')], '0.0'],
    ['negative values', [pointAt(0, '-37.63'), pointAt(1, '-1')], '-40'],
    ['large values', [pointAt(0, '1000000'), pointAt(1, '3000000')], '2M'],
    ['huge values', [pointAt(0, `1${'0'.repeat(150)}`), pointAt(1, `3${'0'.repeat(150)}`)], '2.00e+150'],
  ])('behavior: %s', (_, points, text) => {
    const svg = draw({ points })
    expect(textsOf(svg)).toContain(text)
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })

  test('behavior: colors follow the reader, or are those of one theme', () => {
    const styleOf = (theme: string) => /<style>([^<]*)/.exec(draw({}, { theme }))?.[1] ?? ''
    expect(styleOf('auto')).toContain('@media screen and (prefers-color-scheme:dark)')
    expect(styleOf('light')).not.toContain('@media')
    expect(styleOf('dark')).not.toBe(styleOf('light'))
  })

  test('behavior: texts that do not fit are cut, and a narrow chart has the period in its own line', () => {
    const svg = draw({ title: 'W'.repeat(200), caption: 'c'.repeat(200) }, { width: 240, height: 170 })
    const [title = '', newest, period, ...others] = textsOf(svg)
    expect([newest, period]).toEqual(['81.5 $/bbl', '26 Jan 2026'])
    expect([title, others.at(-1)].every((text) => text?.endsWith('…'))).toBeTrue()
    expect(estimateWidth(title, 14)).toBeLessThan(240)
  })

  test('default: the same content is the same picture', () => {
    expect(draw()).toBe(draw())
  })
})

describe('timeAxis', () => {
  test('behavior: the labels of its ticks neither overlap nor leave the picture', () => {
    const spans = fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1, max: 1e12 }))
    fc.assert(
      fc.property(spans, fc.integer({ min: 240, max: 1_600 }), ([from, span], width) => {
        const { ticks } = timeAxis([from, from + span], [40, width - 12], { fontSize: 12, width })
        const labels = ticks.map(({ at, label }) => [at, estimateWidth(label, 12) / 2] as const)
        const edges = labels.flatMap(([at, half]) => [at - half, at + half])
        expect([0, ...edges, width]).toEqual([0, ...edges, width].toSorted((a, b) => a - b))
      }),
    )
  })
})

describe('hostile texts', () => {
  /** The elements and attributes without texts. */
  const skeletonOf = (svg: string): string =>
    svg.replaceAll(/(?<=>)[^<]+/g, '').replaceAll(/(?<==")[^"]*/g, '')

  test('default: they never become elements, attributes or characters that XML forbids', () => {
    const expected = skeletonOf(draw({ caption: 'c' }))
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (title, unit, caption) => {
        const svg = draw({ title, unit, caption })
        expect(skeletonOf(svg)).toBe(expected)
        expect(svg).not.toMatch(/&(?!(amp|lt|gt|quot|#x27|#39);)/)
        expect(svg.isWellFormed()).toBeTrue()
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML forbids them
        expect(svg).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\u202a-\u202e]/)
      }),
    )
  })
})

describe('fitText', () => {
  test('default: a cut text fits, and a text that fits stays', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 30, max: 300 }),
        (text, width) => {
          const fitted = fitText(text, 12, width)
          if (estimateWidth(text, 12) <= width) expect(fitted).toBe(text)
          else expect(estimateWidth(fitted, 12)).toBeLessThanOrEqual(width + 24)
        },
      ),
    )
  })
})

describe('formatValue', () => {
  test.each([
    ['1234567.125', '1,234,567.125'],
    ['-1234.5', '-1,234.5'],
    ['0', '0'],
    [`1${'0'.repeat(40)}`, '1.00000e+40'],
  ])('default: %s is %s', (value, shown) => {
    expect(formatValue(value)).toBe(shown)
  })
})
