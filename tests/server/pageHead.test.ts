import { describe, expect, test } from 'bun:test'
import { casperTest } from '../../src/client/index.ts'
import { formatTag } from '../../src/server/pageHead.ts'
import { ask, createTestApp } from './testApp.ts'

const development = { ...casperTest, chainName: 'wattfeed-demo' }
const publicUrl = 'https://feeds.example.com'

const pageOf = async (app: ReturnType<typeof createTestApp>, path: string) => {
  const response = await ask(app, path, { headers: { accept: 'text/html' } })
  return { robots: response.headers.get('x-robots-tag'), html: await response.text() }
}

describe('pages of a development chain', () => {
  const app = createTestApp({ network: development, publicUrl })

  test.each(['/', '/explorer/feeds/A', '/docs', '/docs/errors', '/openapi'])(
    'default: search engines leave %s out',
    async (path) => {
      const { robots, html } = await pageOf(app, path)
      expect(robots).toBe('noindex')
      expect(html).toContain('<meta name="robots" content="noindex">')
    },
  )
})

describe('pages of a public chain', () => {
  const app = createTestApp({ publicUrl })

  test.each(['/', '/explorer/feeds/A', '/docs', '/openapi'])('default: %s may be found', async (path) => {
    const { robots, html } = await pageOf(app, path)
    expect([robots, html.includes('noindex')]).toEqual([null, false])
  })
})

test('behavior: any text is only the value of an attribute', () => {
  expect(formatTag('meta', { content: '"><script>&' })).toBe('<meta content="&quot;&gt;&lt;script&gt;&amp;">')
})
