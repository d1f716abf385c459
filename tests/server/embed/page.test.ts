import { expect, test } from 'bun:test'
import { casperTest } from 'wattfeed'
import { embedParameters } from '../../../src/server/embed/plugin.ts'
import { embedUrl } from '../../../src/web/cite/addresses.ts'
import { EMBED_HEIGHT, formatEmbedCode } from '../../../src/web/cite/embedCode.ts'
import { readPage, snippetsOf } from '../../support/snippets.ts'
import { createFakeClient, readingOf } from '../fakeClient.ts'
import { ask, createTestApp } from '../testApp.ts'

const PAGE = 'docs/embed.md'
const ID = 'EIA.PET.PRICE.WTI.DAILY'
const ORIGIN = 'https://feeds.example.com'
const client = createFakeClient({ readings: [readingOf({ feed_id: ID, title: 'PET PRICE WTI DAILY' })] })
const app = createTestApp({ client, publicUrl: ORIGIN, renderPicture: async () => new Uint8Array(1) })

test('default: its frame is the code that the explorer and oEmbed write', () => {
  const code = formatEmbedCode({
    page: embedUrl(ORIGIN, ID),
    title: 'PET PRICE WTI DAILY',
    theme: 'auto',
    trust: null,
    network: casperTest,
    width: null,
    height: EMBED_HEIGHT,
  })
  expect(snippetsOf(PAGE, 'html').map((text) => text.trim())).toEqual([code])
})

test('default: its table has the parameters of the frame', () => {
  const [table = ''] = readPage(PAGE).split('### Verify in the frame')
  const cells = [...table.matchAll(/^\| (`.*?`) \|/gm)].map(([, cell = '']) => cell)
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  expect(new Set(names)).toEqual(new Set(Object.keys(embedParameters)))
})

test('default: every address that it shows answers', async () => {
  const shown = snippetsOf(PAGE, 'sh').join('\n')
  const paths = [...shown.matchAll(/'https?:\/\/[^/]+(\/[^']*)'/g)].map(([, path = '']) => path)
  expect(paths).toHaveLength(3)
  for (const path of paths) expect([path, (await ask(app, path)).status]).toEqual([path, 200])
})
