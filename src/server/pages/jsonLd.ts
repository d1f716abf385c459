import type { DataCatalog, Dataset, WithContext } from 'schema-dts'
import { escapeUnit, printableJson } from '../../runtime/printable.ts'
import { PARQUET_TYPE } from '../../tables/parquet.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import { JSON_TYPE } from '../http/headers.ts'
import { type DescribedFeed, describeCatalog, EIA, pathsOf } from './describeFeed.ts'
import { SITE_NAME } from './explorerPages.ts'

const CONTEXT = 'https://schema.org'

/**
 * Formats the description of a feed as a dataset, for search engines.
 *
 * @see https://developers.google.com/search/docs/appearance/structured-data/dataset
 */
export function formatDatasetScript(feed: DescribedFeed, origin: string): string {
  const page = `${origin}${feedHref(feed.id) ?? '/'}`
  const paths = pathsOf(feed.id)
  const dataset: WithContext<Dataset> = {
    '@context': CONTEXT,
    '@type': 'Dataset',
    '@id': `${page}#dataset`,
    name: feed.title,
    description: feed.description,
    identifier: feed.id,
    url: page,
    isAccessibleForFree: true,
    includedInDataCatalog: {
      '@type': 'DataCatalog',
      '@id': catalogId(origin),
      name: SITE_NAME,
      url: `${origin}/`,
    },
    variableMeasured: { '@type': 'PropertyValue', name: feed.title, unitText: feed.unit },
    measurementTechnique:
      'Statistics of the publisher, attested on the Casper blockchain by signed transactions',
    distribution: [
      { '@type': 'DataDownload', encodingFormat: 'text/csv', contentUrl: origin + paths.csv },
      { '@type': 'DataDownload', encodingFormat: PARQUET_TYPE, contentUrl: origin + paths.parquet },
      { '@type': 'DataDownload', encodingFormat: JSON_TYPE, contentUrl: origin + paths.json },
    ],
    ...(feed.coverage && { temporalCoverage: `${feed.coverage.start}/${feed.coverage.end}` }),
    ...(feed.modified && { dateModified: feed.modified }),
    ...(feed.isFromEia && publisherOf(feed)),
  }
  return formatScript(dataset)
}

function publisherOf({ sourceUrl }: DescribedFeed) {
  const agency = { '@type': 'GovernmentOrganization', name: EIA.name, url: EIA.url } as const
  return {
    creator: agency,
    publisher: agency,
    license: EIA.license,
    creditText: EIA.credit,
    isBasedOn: sourceUrl ?? EIA.url,
  }
}

const catalogId = (origin: string): string => `${origin}/#catalog`

export function formatCatalogScript(origin: string): string {
  const catalog: WithContext<DataCatalog> = {
    '@context': CONTEXT,
    '@type': 'DataCatalog',
    '@id': catalogId(origin),
    name: SITE_NAME,
    description: describeCatalog(true),
    url: `${origin}/`,
    isAccessibleForFree: true,
  }
  return formatScript(catalog)
}

/**
 * Formats JSON-LD as an element of a page. It is data, which browsers do not execute. No text in it can end the element.
 *
 * @see https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements
 */
const formatScript = (data: object): string =>
  `<script type="application/ld+json">${printableJson(JSON.stringify(data)).replaceAll(/[<>&]/g, escapeUnit)}</script>`
