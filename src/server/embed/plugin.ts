import { Type } from '@sinclair/typebox'
import { lazy } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { casperTest } from 'wattfeed'
import { oneOf } from '../../runtime/settings/textTypes.ts'
import type { RenderPicture } from '../../web/chart/renderPicture.ts'
import { chartThemes } from '../../web/chart/theme.ts'
import type { TrustFields } from '../../web/cite/verifyCommand.ts'
import { feedParams, hidden } from '../http/apiDocs.ts'
import { contentResponse, createContent } from '../http/content.ts'
import { headersSet } from '../http/headers.ts'
import { headersOfEmbeddedPage } from '../http/pages.ts'
import { strictQuery } from '../http/strictQuery.ts'
import { ASSETS_PATH, findBuilt } from '../pages/builtAssets.ts'
import type { HistoryReaders } from '../readers/historyReaders.ts'
import type { Server } from '../server.ts'
import { charts } from './charts.ts'
import { EMBED_PATH } from './embedErrorPage.ts'
import type { EmbedScripts } from './embedPage.ts'
import { chartRange, readChart } from './feedChart.ts'
import { oembed } from './oembed.ts'

const hash = Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$', error: '64 hex digits' }))

/** The parameters of an embed code. The names of the trust are those of `wattfeed verify`. */
export const embedParameters = {
  theme: Type.Optional(oneOf(chartThemes, {})),
  trust: hash,
  'chain-name': Type.Optional(Type.String({ pattern: '^[\\w.-]{1,100}$', error: 'a name' })),
  'feed-registry': hash,
  'attestation-registry': hash,
  ...chartRange,
}

/** Charts of feeds: as pictures, as pages for frames in other people's pages, and the code of such a frame for editors. */
export function embed(
  server: Server,
  { readHistory }: Pick<HistoryReaders, 'readHistory'>,
  renderPicture?: RenderPicture,
) {
  const { answerAt, network, site } = server
  const sources = { readHistory, site }
  return new Elysia({ name: 'embed' })
    .use(charts(answerAt, sources, renderPicture))
    .get(
      `${EMBED_PATH}feeds/:id`,
      async ({ request, params: { id }, query, set }) => {
        const { theme = 'auto', trust: blockHash, periods, period_from, period_to, ...registries } = query
        const chart = await answerAt(set, (at) =>
          readChart(sources, at, id, { periods, period_from, period_to }),
        )
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
      },
      { params: feedParams, ...strictQuery(embedParameters), ...hidden },
    )
    .use(oembed(server))
}

// Loaded with the first page, because it draws charts.
const loadPage = lazy(() => import('./embedPage.ts'))

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
