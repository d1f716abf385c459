import { describe, expect, test } from 'bun:test'
import { renderMarkdown } from '../../src/web/docs/renderMarkdown.ts'
import { readPage, shownCommands, simpleCommands } from '../support/snippets.ts'
import { readRules } from './support/prometheus.ts'

const PAGE = 'docs/alerts.md'
const text = readPage(PAGE)

/** The section of each alert. */
const sections = new Map(
  text
    .split(/^#{2,3} /m)
    .filter((part) => part.startsWith('Wattfeed'))
    .map((part) => [part.slice(0, part.indexOf('\n')), part]),
)

const blocksOf = (section: string): string =>
  [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block).join('')

const namesIn = (part: string): string[] => part.match(/\bwattfeed_[a-z_]+/g) ?? []

/** The metrics that the programs print, with what a histogram adds. */
const metrics = new Set(
  [...readPage('docs/metrics.md').matchAll(/^\| `(wattfeed_\w+)` \| (\w+)/gm)].flatMap(
    ([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
  ),
)

describe(PAGE, () => {
  test('default: each alert of the rules has a section, in their order, and each section an alert', () => {
    expect([...sections.keys()]).toEqual(readRules().map(({ alert }) => alert))
  })

  test('default: the link of each alert leads to its section on a server', () => {
    const { html } = renderMarkdown(PAGE, text, (file) => file)
    for (const { alert, annotations } of readRules()) {
      const [address, id = ''] = annotations.runbook_url.split('#')
      expect([alert, address]).toEqual([alert, 'http://localhost:4030/docs/alerts'])
      expect(html).toContain(`<h3 id="${id}">${alert}</h3>`)
    }
  })

  test.each(readRules().map((rule) => [rule.alert, rule] as const))(
    'behavior: %s: its severity, what it means, commands, and what to do',
    (alert, { labels }) => {
      const [, severity, meaning = ''] =
        /^\w+\n\n\*\*(Page|Ticket)\.\*\* (.*?)\n\n```sh\n/s.exec(sections.get(alert) ?? '') ?? []
      expect(severity?.toLowerCase()).toBe(labels.severity)
      expect(meaning.length).toBeGreaterThan(40)
      const [, after = ''] = /```\n\n(.*)$/s.exec(sections.get(alert) ?? '') ?? []
      expect(after.trim().length).toBeGreaterThan(40)
    },
  )

  test('behavior: every metric that it names exists', () => {
    expect(namesIn(text).filter((name) => !metrics.has(name))).toEqual([])
    expect(namesIn(text).length).toBeGreaterThan(20)
  })

  test('behavior: every address that it requests is one of the server or the agent', () => {
    const get = [...readPage('docs/http.md').matchAll(/^### `GET ([^`]+)`$/gm)].map(([, path]) => path)
    const addresses = [...blocksOf(text).matchAll(/http:\/\/127\.0\.0\.1:(\d+)(\/\S*)?/g)]
    const known = addresses.filter(([, port, path = '']) =>
      port === '4030' ? get.includes(path) : port === '4031' ? path === '/health' : port === '9090',
    )
    expect(addresses.length).toBeGreaterThan(20)
    expect(known.map(([address]) => address)).toEqual(addresses.map(([address]) => address))
  })

  test('behavior: every phrase that it searches the log for is logged', () => {
    const listed = readPage('docs/operations.md')
    const phrases = shownCommands(PAGE)
      .filter(({ words }) => words[0] === 'grep' && !words.some((word) => word.startsWith('/etc/')))
      .flatMap(({ words }) => words.slice(1).filter((word) => word !== '-e'))
    expect(phrases.length).toBeGreaterThan(15)
    expect(phrases.filter((phrase) => !listed.includes(`| \`${phrase}\` |`))).toEqual([])
  })

  test('behavior: every setting that it names exists', () => {
    const named = text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []
    const settings = readPage('docs/settings.md')
    expect([...new Set(named)].filter((name) => !settings.includes(`\`${name}\``))).toEqual([])
  })

  test('error: the checks find what they look for', () => {
    expect(namesIn('rate(wattfeed_rpc_call_total[5m])').filter((name) => metrics.has(name))).toEqual([])
    expect(simpleCommands("grep -e 'a b'")).toEqual([['grep', '-e', 'a b']])
  })
})
