import { encodePart } from '../../../cite/addresses.ts'

export interface Snippet {
  readonly name: string
  /** Its effect, or the place for it. */
  readonly note: string
  readonly code: string
}

/**
 * Returns snippets that read a feed from a server.
 *
 * @param origin - `http://localhost:4030`
 */
export function snippetsOf(origin: string, feedId: string): readonly Snippet[] {
  const url = `${origin}/v1/feeds/${encodePart(feedId)}`
  return [
    {
      name: 'curl',
      note: 'The newest value, and its history in pages.',
      code: `curl '${url}'\ncurl '${url}/history?order=desc&limit=100'`,
    },
    {
      name: 'TypeScript',
      note: 'From this server, or from the chain without a server.',
      code: typescript(url, feedId),
    },
    {
      name: 'Python',
      note: 'After pip install wattfeed. Until it is on PyPI, install clients/python of the repository: /docs/python.',
      code: python(origin, feedId),
    },
    {
      name: 'pandas',
      note: 'The newest values as a data frame.',
      code: pandas(url),
    },
    {
      name: 'Excel',
      note: 'Data → Get Data → From Other Sources → Blank Query → Advanced Editor: paste this.',
      code: excel(url),
    },
    {
      name: 'Assistant (MCP)',
      note: 'For an assistant that supports MCP. With wattfeed mcp on your own machine, it checks proofs itself: /docs/mcp.',
      code: assistant(origin),
    },
    {
      name: 'Contract',
      note: 'Odra on Casper, with the crate contracts/wattfeed. Its example has a build and a test: /docs/consume-a-feed.',
      code: contract(feedId),
    },
  ]
}

const assistant = (origin: string): string =>
  JSON.stringify({ mcpServers: { wattfeed: { type: 'http', url: `${origin}/mcp` } } }, null, 2)

const typescript = (url: string, feedId: string): string => `const answer = await fetch('${url}')
const { value, unit, period } = await answer.json()

// Or from a Casper node:
import { createClient } from 'wattfeed'

const reading = await createClient().getReading(${typescriptQuoted(feedId)})
console.log(reading?.value, reading?.unit)`

const python = (origin: string, feedId: string): string => `from wattfeed import Client
reading = Client("${origin}").reading(${pythonQuoted(feedId)})
print(reading.period, reading.amount, reading.unit)`

const pandas = (url: string): string => `import pandas as pd

history = pd.read_csv(
    "${url}/history.csv?vintages=latest&order=desc",
    dtype={"amount": "string"}, parse_dates=["period_start"],
)
print(history.set_index("period_start")["value"])`

const excel = (url: string): string => `let
    Answer = Json.Document(Web.Contents("${url}/history?vintages=latest&order=desc&limit=1000")),
    Rows = Table.FromRecords(Answer[items], {"period", "period_start", "value", "revision", "attested_at"}),
    History = Table.TransformColumnTypes(Rows, {{"value", type number}})
in
    History`

const contract = (feedId: string): string => `let feed_id = String::from(${rustQuoted(feedId)});
let feed = wattfeed::FeedPin { feed_id, attester, unit, decimals, max_age_ms };
// Reverts unless the newest value has the attester, the unit and the decimals, and is recent.
let reading = feed.read(&self.registries);
// reading.amount / 10^reading.decimals`

/** A string literal of TypeScript. It is ASCII only, so that no character is invisible or changes the reading direction. */
const typescriptQuoted = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A string literal, with the other characters written by their code points. */
const literalOf = (text: string, write: (hex: string) => string): string =>
  `"${[...text].map((char) => (/[^ -~]|["\\]/.test(char) ? write(char.codePointAt(0)?.toString(16) ?? '') : char)).join('')}"`

const rustQuoted = (text: string): string => literalOf(text, (hex) => `\\u{${hex}}`)

const pythonQuoted = (text: string): string => literalOf(text, (hex) => `\\U${hex.padStart(8, '0')}`)
