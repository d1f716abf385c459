import { Type } from '@sinclair/typebox'
import { lazy } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { oneOf } from '../../runtime/settings/textTypes.ts'
import type { ChartLook } from '../../web/chart/drawChart.ts'
import { type RenderPicture, renderPicture } from '../../web/chart/renderPicture.ts'
import { chartThemes, heightOf } from '../../web/chart/theme.ts'
import type { AnswerAt } from '../answerAt.ts'
import { chainErrors, conditionalHeaders, feedParams, historyErrors, textAnswers } from '../http/apiDocs.ts'
import { type Content, contentResponse, createContent } from '../http/content.ts'
import { type AnswerHeaders, headersSet } from '../http/headers.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { PICTURE } from '../pages/describeFeed.ts'
import { type ChartRange, type ChartSources, chartRange, readChart } from './feedChart.ts'

const MIN_WIDTH = 240
const DEFAULT_WIDTH = 640

/** How much larger the picture is than what is drawn, so that its text is legible in a small preview. */
const ENLARGED = 2.5

const svgQuery = strictQuery({
  theme: Type.Optional(
    oneOf(chartThemes, { description: 'The colors; default `auto`, those of the reader.' }),
  ),
  width: Type.Optional(
    Type.Integer({
      minimum: MIN_WIDTH,
      maximum: 1_600,
      description: `Width in pixels; default ${DEFAULT_WIDTH}.`,
    }),
  ),
  ...chartRange,
})

const pngQuery = strictQuery({
  theme: Type.Optional(oneOf(['light', 'dark'] as const, { description: 'The colors; default `light`.' })),
  ...chartRange,
})

const SVG_TYPE = 'image/svg+xml'
const PNG_TYPE = 'image/png'

/** An SVG can be opened as a page. This one has nothing but its style. */
const svgHeaders: AnswerHeaders = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const errors = { ...historyErrors, ...chainErrors }

const DATA =
  'The latest value of each period, the newest value, and gaps where periods are missing. The response is 404 if the feed has no value.'

const details = {
  svg: {
    operationId: 'getChartSvg',
    summary: 'Draw a feed as SVG',
    description: `${DATA} The file has no scripts, and loads nothing.`,
    tags: ['feeds'],
    responses: textAnswers('The chart.', SVG_TYPE, '<svg xmlns="http://www.w3.org/2000/svg">…</svg>', errors),
  },
  png: {
    operationId: 'getChartPng',
    summary: 'Draw a feed as PNG',
    description: `${DATA} ${PICTURE.width} by ${PICTURE.height} pixels, the size of previews by Open Graph. Pictures are rendered one at a time; if too many wait, the response is 429.`,
    tags: ['feeds'],
    responses: textAnswers('The picture.', PNG_TYPE, '…', errors),
  },
}

// Loaded with the first chart, because a server that draws none does not need its libraries.
const loadDrawing = lazy(() => import('../../web/chart/drawChart.ts'))

interface Context<Query> {
  request: Request
  params: { id: string }
  query: Query
  set: { headers: Record<string, string | number> }
}

export function charts(
  answerAt: AnswerAt,
  sources: ChartSources,
  render: RenderPicture = (task) => renderPicture(task),
) {
  const pictureOf = createPictures(render)
  const draw = async ({ params: { id }, query, set }: Context<ChartRange>, look: ChartLook) => {
    const { drawChart } = await loadDrawing()
    return answerAt(set, async (at) => drawChart(await readChart(sources, at, id, query), look))
  }
  return new Elysia({ name: 'charts' })
    .get(
      '/v1/feeds/:id/chart.svg',
      async (context) => {
        const { theme = 'auto', width = DEFAULT_WIDTH, ...query } = context.query
        const svg = await draw({ ...context, query }, { theme, width, height: heightOf(width) })
        const headers = { ...headersSet(context.set), ...svgHeaders }
        return contentResponse(context.request, createContent(svg, SVG_TYPE), headers)
      },
      { params: feedParams, ...svgQuery, headers: conditionalHeaders, detail: details.svg },
    )
    .get(
      '/v1/feeds/:id/chart.png',
      async (context) => {
        const { theme = 'light', ...query } = context.query
        const [width, height] = [PICTURE.width / ENLARGED, PICTURE.height / ENLARGED]
        const svg = await draw({ ...context, query }, { theme, width, height })
        return contentResponse(context.request, await pictureOf(svg), headersSet(context.set))
      },
      { params: feedParams, ...pngQuery, headers: conditionalHeaders, detail: details.png },
    )
}

/** Maximum size of the kept pictures, with their SVG. */
const MAX_BYTES = 8 * 2 ** 20

/** Returns the function that makes the picture of an SVG. Keeps recent ones; concurrent requests share one rendering. */
function createPictures(render: RenderPicture): (svg: string) => Promise<Content> {
  const pictures = new LRUCache<string, Content>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }, svg) => body.length + svg.length,
    // Otherwise a picture that leaves the full cache while it is rendered would be an error.
    ignoreFetchAbort: true,
    fetchMethod: async (svg) => createContent(await render({ svg, width: PICTURE.width }), PNG_TYPE),
  })
  return (svg) => pictures.forceFetch(svg)
}
