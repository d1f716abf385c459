import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { casperTest } from 'wattfeed'
import { verifyCommand as verifyProgram } from '../../../src/verify.ts'
import { embedUrl, proofUrl, seriesEmbedUrl } from '../../../src/web/cite/addresses.ts'
import { citeApa, citeBibtex, formatBibtexText, type WebCitation } from '../../../src/web/cite/citation.ts'
import { formatEmbedCode } from '../../../src/web/cite/embedCode.ts'
import { trustParams, verifyCommand } from '../../../src/web/cite/verifyCommand.ts'
import { hostileText } from '../chart/hostileText.ts'

const url = 'https://feeds.example.com/explorer/feeds/EIA.PET.PRICE.WTI.DAILY'
const cited: WebCitation = {
  feedId: 'EIA.PET.PRICE.WTI.DAILY',
  title: 'WTI spot price',
  value: '64.03',
  unit: '$/bbl',
  period: '20 Nov 2026',
  attestedAt: Date.UTC(2026, 10, 21, 14, 5, 26),
  place: 'as of block 8123456 (ab12)',
  chain: 'casper-test',
  verify: verifyCommand(proofUrl('https://feeds.example.com', 'A', 7), casperTest, 'cd34'),
  url,
  accessedAt: Date.UTC(2026, 10, 24),
}

describe('a citation', () => {
  test('default: in APA style', () => {
    expect(citeApa(cited)).toBe(
      `WTI spot price: 64.03 $/bbl for 20 Nov 2026 [Data set]. (2026). wattfeed; attested 2026-11-21T14:05:26Z, as of block 8123456 (ab12) of casper-test. Retrieved November 24, 2026, from ${url} Verify: wattfeed verify https://feeds.example.com/v1/feeds/A/history/7/proof --trust cd34`,
    )
  })

  test('default: for BibTeX, with its special characters escaped', () => {
    expect(citeBibtex(cited)).toBe(`@misc{wattfeed-EIA-PET-PRICE-WTI-DAILY-20-Nov-2026,
  title = {{WTI spot price}},
  howpublished = {wattfeed. Data set, attested 2026-11-21T14:05:26Z, as of block 8123456 (ab12) of casper-test},
  year = {2026},
  note = {64.03 \\$/bbl for 20 Nov 2026. Accessed 2026-11-24. Verify: wattfeed verify https://feeds.example.com/v1/feeds/A/history/7/proof -{}-trust cd34},
  url = {${url}},
  urldate = {2026-11-24},
}`)
  })

  test('behavior: it says that the data of a development chain are invented', () => {
    const invented = { ...cited, chain: 'casper-devnet' }
    expect([citeApa(invented), citeBibtex(invented)]).toEqual([
      expect.stringContaining('[Invented data set]'),
      expect.stringContaining('Invented data set, attested'),
    ])
  })

  test.each([
    { chainName: 'casper-devnet' },
    { feedRegistryPackageHash: 'ab'.repeat(32) },
    { attestationRegistryPackageHash: 'ab'.repeat(32) },
  ])('behavior: the command names a chain and registries other than the public ones: %o', (changes) => {
    const network = { ...casperTest, ...changes }
    const { chainName, feedRegistryPackageHash: feeds, attestationRegistryPackageHash: values } = network
    expect(verifyCommand('u', network)).toBe(
      `wattfeed verify u --trust <block hash> --chain-name ${chainName} --feed-registry ${feeds} --attestation-registry ${values}`,
    )
  })

  test('default: a trust is named by flags that `wattfeed verify` has', () => {
    const flags = [...trustParams('cd34', casperTest).keys()].map((name) => `--${name}`)
    expect(verifyProgram.options.map(({ long }) => long)).toEqual(expect.arrayContaining(flags))
  })
})

describe('hostile texts in BibTeX', () => {
  /** Replaces each escape with a letter; what is left must not have any special character. */
  const withoutEscapes = (text: string): string =>
    text.replaceAll(/\\text[a-z]+\{\}|\\[$&#%_]|-\{\}(?=-)/g, 'x')

  test('default: no special character is left, and braces are balanced', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const escaped = formatBibtexText(text)
        expect(withoutEscapes(escaped)).not.toMatch(/[\\{}$&#%_^~<>|"]|--/)
        expect(escaped).not.toMatch(/[\p{Cc}\p{Cs}]/u)
      }),
      { examples: [['-->-->']] },
    )
  })

  test('default: an entry has the same fields whatever the texts are', () => {
    const namesOf = (entry: string) => [...entry.matchAll(/^ {2}([a-z]+) = \{/gm)].map(([, name]) => name)
    const names = namesOf(citeBibtex(cited))
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (title, unit, feedId) => {
        const entry = citeBibtex({ ...cited, title, unit, feedId })
        expect(namesOf(entry)).toEqual(names)
        expect(entry.split('\n')).toHaveLength(names.length + 2)
        expect(entry).toMatch(/^@misc\{wattfeed-[A-Za-z0-9-]*,\n/)
      }),
    )
  })
})

describe('the embed code', () => {
  const code = {
    page: embedUrl('https://feeds.example.com', 'A b/c'),
    title: 'WTI',
    theme: 'auto',
    trust: null,
    network: casperTest,
    width: null,
    height: 420,
  } as const

  test('default: a frame that may only run scripts and open tabs', () => {
    expect(formatEmbedCode(code)).toBe(
      '<iframe src="https://feeds.example.com/embed/feeds/A%20b%2Fc" title="WTI" width="100%" height="420" loading="lazy" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" style="border:0"></iframe>',
    )
  })

  test('behavior: it names the trusted hash, and registries other than the public ones', () => {
    const sourceOf = (changes: object) => /src="([^"]*)"/.exec(formatEmbedCode({ ...code, ...changes }))?.[1]
    expect(sourceOf({ trust: 'ab12', theme: 'dark', width: 240 })).toEndWith('?theme=dark&amp;trust=ab12')
    expect(sourceOf({ trust: 'ab12', network: { ...casperTest, chainName: 'x' } })).toContain(
      '?trust=ab12&amp;chain-name=x&amp;feed-registry=',
    )
    const series = { route: 'a/b', frequency: 'monthly', column: 'price', facets: { stateid: 'CA' } }
    expect(sourceOf({ page: seriesEmbedUrl('', series), trust: 'ab12' })).toBe(
      '/embed/series?route=a%2Fb&amp;frequency=monthly&amp;column=price&amp;facet.stateid=CA&amp;trust=ab12',
    )
  })

  test('default: hostile texts stay in their attributes', () => {
    const namesOf = (html: string) => [...html.matchAll(/ ([a-z]+)="[^"<>]*"/g)].map(([, name]) => name)
    const names = namesOf(formatEmbedCode(code))
    fc.assert(
      fc.property(hostileText, hostileText, (title, id) => {
        const page = embedUrl('https://feeds.example.com', id.toWellFormed())
        const html = formatEmbedCode({ ...code, title, page })
        expect(namesOf(html)).toEqual(names)
        expect(html.match(/[<>]/g)).toHaveLength(4)
      }),
    )
  })
})
