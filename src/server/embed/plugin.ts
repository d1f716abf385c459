import { Type } from '@sinclair/typebox'
import { lazy } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { casperTest } from 'wattfeed'
import { oneOf } from '../../runtime/settings/textTypes.ts'
import type { RenderPicture } from '../../web/chart/renderPicture.ts'
import { type ChartTheme, chartThemes } from '../../web/chart/theme.ts'
import type { TrustFields } from '../../web/cite/verifyCommand.ts'
import { feedParams, hidden } from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { headersSet } from '../http/headers.ts'
import { headersOfEmbeddedPage } from '../http/pages.ts'
import { facetQuery, strictQuery } from '../http/strictQuery.ts'
import { ASSETS_PATH, findBuilt } from '../pages/builtAssets.ts'
import type { HistoryReaders } from '../readers/historyReaders.ts'
import { rangeParameters } from '../readers/rangeRequest.ts'
import { rootAtOf, rootParameters } from '../readers/rootParameters.ts'
import { DatasetsUnsetError } from '../readers/seriesErrors.ts'
import type { SeriesReader } from '../readers/seriesReader.ts'
import { seriesParameters } from '../series/seriesParameters.ts'
import type { Server } from '../server.ts'
import { charts } from './charts.ts'
import { EMBED_PATH } from './embedErrorPage.ts'
import type { EmbeddedChart, EmbedScripts } from './embedPage.ts'
import { chartRange, readChart } from './feedChart.ts'
import { oembed } from './oembed.ts'
import { readSeriesChart, seriesPeriods } from './seriesChart.ts'

const hash = Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$', error: '64 hex digits' }))

/** The look of a chart, and what its readers trust. The names of the trust are those of `wattfeed verify`. */
const lookParameters = {
  theme: Type.Optional(oneOf(chartThemes, {})),
  trust: hash,
  'chain-name': Type.Optional(Type.String({ pattern: '^[\\w.-]{1,100}$', error: 'a name' })),
  'feed-registry': hash,
  'attestation-registry': hash,
}

/** The parameters of an embed code of a feed. */
export const embedParameters = { ...lookParameters, ...chartRange }

const { period_from, period_to } = rangeParameters('json')

/** The parameters of an embed code of a series, besides its facets. */
const seriesEmbedParameters = {
  ...seriesParameters,
  ...lookParameters,
  periods: seriesPeriods,
  period_from,
  period_to,
  ...rootParameters,
}

/** Charts of feeds: as pictures, as pages for frames in other people's pages, and the code of such a frame for editors. */
export function embed(
  server: Server,
  { readHistory }: Pick<HistoryReaders, 'readHistory'>,
  series: SeriesReader | null,
  renderPicture?: RenderPicture,
) {
  const { answerAt, network, site } = server
  const sources = { readHistory, site }
  const pageOf = async (
    { request, set }: { request: Request; set: { headers: Record<string, string | number> } },
    chart: EmbeddedChart,
    { theme, blockHash, registries }: Look,
  ): Promise<Response> => {
    const { formatEmbedPage } = await loadPage()
    const html = formatEmbedPage({
      chart,
      theme,
      chainName: network.chainName,
      isPublicChain: site.isPublicChain,
      verification:
        blockHash === undefined
          ? null
          : { trust: trustOf(blockHash, registries), scripts: await loadScripts() },
    })
    const headers = { ...headersSet(set), ...headersOfEmbeddedPage(html) }
    return contentResponse(request, createContent(html, 'text/html;charset=utf-8'), headers)
  }
  return new Elysia({ name: 'embed' })
    .use(charts(answerAt, sources, renderPicture))
    .get(
      `${EMBED_PATH}feeds/:id`,
      async ({ request, params: { id }, query, set }) => {
        const { theme = 'auto', trust: blockHash, periods, period_from, period_to, ...registries } = query
        const chart = await answerAt(set, (at) =>
          readChart(sources, at, id, { periods, period_from, period_to }),
        )
        return pageOf({ request, set }, chart, { theme, blockHash, registries })
      },
      { params: feedParams, ...strictQuery(embedParameters), ...hidden },
    )
    .get(
      `${EMBED_PATH}series`,
      async ({ request, query, set }) => {
        if (series === null) throw new DatasetsUnsetError()
        const { theme = 'auto', trust: blockHash, as_of, index, ...asked } = query
        const at = rootAtOf({ as_of, index })
        const chart = await answerAt(set, (snapshot) =>
          readSeriesChart({ reader: series, site }, snapshot, { ...asked, at }),
        )
        return pageOf({ request, set }, chart, { theme, blockHash, registries: asked })
      },
      { ...facetQuery(seriesEmbedParameters), ...hidden },
    )
    .use(oembed(server, series))
}

// Loaded with the first page, because it draws charts.
const loadPage = lazy(() => import('./embedPage.ts'))

interface Look {
  theme: ChartTheme
  blockHash: string | undefined
  registries: Registries
}

interface Registries {
  'chain-name'?: string | undefined
  'feed-registry'?: string | undefined
  'attestation-registry'?: string | undefined
}

/** Registries that the embed code does not name are those of the public network, never those that this server names. */
const trustOf = (blockHash: string, registries: Registries): TrustFields => ({
  blockHash: blockHash.toLowerCase(),
  chainName: registries['chain-name'] ?? casperTest.chainName,
  feedRegistry: (registries['feed-registry'] ?? casperTest.feedRegistryPackageHash).toLowerCase(),
  attestationRegistry: (
    registries['attestation-registry'] ?? casperTest.attestationRegistryPackageHash
  ).toLowerCase(),
})

const loadScripts = lazy(async (): Promise<EmbedScripts> => {
  const { explorerFiles } = await import('../pages/explorerFiles.ts')
  const verify = findBuilt(explorerFiles, 'verifyEmbed-')
  return {
    start: ASSETS_PATH + findBuilt(explorerFiles, 'startEmbed-').name,
    verify: ASSETS_PATH + verify.name,
    verifyBytes: Buffer.byteLength(verify.text),
  }
})
