import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { formatXmlText } from '../../runtime/formatXmlText.ts'
import { embedUrl, seriesEmbedUrl } from '../../web/cite/addresses.ts'
import { EMBED_HEIGHT, formatEmbedCode } from '../../web/cite/embedCode.ts'
import { feedIdOf } from '../../web/site/feedPath.ts'
import { SERIES_PATH, seriesOf } from '../../web/site/seriesPath.ts'
import { clip } from '../feedTexts.ts'
import { chainErrors, conditionalHeaders, errorAnswers, errorOf, textAnswers } from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { headersSet } from '../http/headers.ts'
import { defineHttpError } from '../http/httpError.ts'
import { knownQuery } from '../http/strictQuery.ts'
import { readReading } from '../notFound.ts'
import { PICTURE, pathsOf } from '../pages/describeFeed.ts'
import { requireOrigin } from '../publicSite.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import type { Server } from '../server.ts'
import { EMBED_PATH } from './embedErrorPage.ts'
import { readSeriesChart } from './seriesChart.ts'

const OembedUrlError = defineHttpError(
  'OembedUrlError',
  'oembed_url',
  (facts: { url: string; origin: string }) =>
    `${JSON.stringify(clip(facts.url, MAX_SHOWN))} is not the page of a feed or a series below ${facts.origin}`,
  { status: 404 },
)

const OembedFormatError = defineHttpError(
  'OembedFormatError',
  'oembed_format',
  (facts: { format: string }) =>
    `the format ${JSON.stringify(clip(facts.format, MAX_SHOWN))} is not supported; use json or xml`,
  { status: 501 },
)

const MAX_SHOWN = 200

const OEMBED_PATH = '/oembed'

const pixels = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description }))

// Editors add parameters of their own: WordPress sends `dnt=1`.
const query = knownQuery({
  url: Type.String({ description: 'Address of the page of a feed or of a series, or of its chart.' }),
  format: Type.Optional(Type.String({ description: '`json`, the default, or `xml`.' })),
  maxwidth: pixels('Maximum width of the chart in pixels.'),
  maxheight: pixels('Maximum height of the chart in pixels.'),
})

const MAX_WIDTH = 640
const MAX_TITLE = 150

/** The response by the specification. */
type Oembed = Readonly<Record<string, string | number>>

const example = {
  version: '1.0',
  type: 'rich',
  title: 'NG PRICE HENRYHUB DAILY',
  provider_name: 'wattfeed',
  provider_url: 'https://feeds.example.com/',
  html: '<iframe …></iframe>',
  width: MAX_WIDTH,
  height: EMBED_HEIGHT,
}

const detail = {
  operationId: 'getOembed',
  summary: 'Get the code that embeds a chart',
  description:
    'oEmbed 1.0 for the page of a feed or of a series: editors turn its address into a chart. Parameters that they add are ignored. The server needs `PUBLIC_URL`; without it, and for an address of another server, the response is 404. A format other than `json` and `xml` is a 501.',
  tags: ['feeds'],
  responses: textAnswers('The code and its size.', 'application/json', example, {
    400: errorAnswers[400],
    404: errorOf(
      'The server does not know its own address, `url` is not that of a feed or a series of this server, or it has no value.',
    ),
    501: errorOf('The format is not supported.'),
    ...chainErrors,
  }),
}

/**
 * `GET /oembed`: the code that embeds a feed's chart, for editors.
 *
 * @see https://oembed.com
 */
export const oembed = ({ answerAt, network, site }: Server, reader: SeriesReader | null) =>
  new Elysia({ name: 'oembed' }).get(
    OEMBED_PATH,
    async ({ request, query: { url, format = 'json', maxwidth, maxheight }, set }) => {
      const origin = requireOrigin(site, OEMBED_PATH)
      if (format !== 'json' && format !== 'xml') throw new OembedFormatError({ format })
      const place = placeIn(url, origin)
      const feedId = place === null ? null : feedIdIn(place)
      const series = place === null ? null : seriesIn(place)
      const { title, page } = await answerAt(set, async (at) => {
        if (feedId !== null) {
          const { title } = await readReading(at, feedId)
          const name = clip(title, MAX_TITLE).trim() || clip(feedId, MAX_TITLE)
          return { title: name, page: embedUrl(origin, feedId) }
        }
        if (series === null || reader === null) throw new OembedUrlError({ url, origin })
        const { title } = await readSeriesChart({ reader, site }, at, { ...series, periods: 2, at: null })
        return { title: clip(title, MAX_TITLE), page: seriesEmbedUrl(origin, series) }
      })
      const size = {
        width: Math.min(MAX_WIDTH, maxwidth ?? MAX_WIDTH),
        height: Math.min(EMBED_HEIGHT, maxheight ?? EMBED_HEIGHT),
      }
      const html = formatEmbedCode({ page, title, theme: 'auto', trust: null, network, ...size })
      const fits =
        PICTURE.width <= (maxwidth ?? PICTURE.width) && PICTURE.height <= (maxheight ?? PICTURE.height)
      const body: Oembed = {
        version: '1.0',
        type: 'rich',
        title,
        provider_name: 'wattfeed',
        provider_url: `${origin}/`,
        html,
        ...size,
        ...(fits && feedId !== null ? thumbnailOf(origin, feedId) : {}),
      }
      const content =
        format === 'json'
          ? createContent(JSON.stringify(body))
          : createContent(formatXml(body), 'text/xml;charset=utf-8')
      return contentResponse(request, content, headersSet(set))
    },
    { ...query, headers: conditionalHeaders, detail },
  )

/** Returns the address of a page of this server, where that of a chart is that of its page; null for another server. */
function placeIn(url: string, origin: string): URL | null {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.origin !== new URL(origin).origin) return null
  parsed.pathname = parsed.pathname.replace(EMBED_PATH, (path, at) => (at === 0 ? '/explorer/' : path))
  return parsed
}

const feedIdIn = ({ pathname }: URL): string | null => feedIdOf(pathname)

const seriesIn = ({ pathname, searchParams }: URL) =>
  pathname === SERIES_PATH ? seriesOf(searchParams) : null

/** A thumbnail must fit into the requested size, and there is only one size. */
const thumbnailOf = (origin: string, feedId: string): Oembed => ({
  thumbnail_url: origin + pathsOf(feedId).picture,
  thumbnail_width: PICTURE.width,
  thumbnail_height: PICTURE.height,
})

const formatXml = (body: Oembed): string =>
  `<?xml version="1.0" encoding="utf-8" standalone="yes"?><oembed>${Object.entries(body)
    .map(([name, value]) => `<${name}>${formatXmlText(String(value))}</${name}>`)
    .join('')}</oembed>`
