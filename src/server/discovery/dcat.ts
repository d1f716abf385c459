import { PARQUET_TYPE } from '../../tables/parquet.ts'
import { feedHref } from '../../web/site/feedPath.ts'
import { JSON_TYPE } from '../http/headers.ts'
import { type DescribedFeed, describeCatalog, EIA, pathsOf } from '../pages/describeFeed.ts'
import { SITE_NAME } from '../pages/explorerPages.ts'

const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
}

/** The terms of the EU's vocabulary, which has every frequency of EIA. */
const frequencies: Readonly<Record<string, string>> = {
  hourly: 'HOURLY',
  'local-hourly': 'HOURLY',
  daily: 'DAILY',
  weekly: 'WEEKLY',
  'four-week-average': 'WEEKLY',
  monthly: 'MONTHLY',
  quarterly: 'QUARTERLY',
  annual: 'ANNUAL',
}

const FREQUENCIES = 'http://publications.europa.eu/resource/authority/frequency/'
const MEDIA_TYPES = 'https://www.iana.org/assignments/media-types/'

const node = (iri: string) => ({ '@id': iri })
const english = (text: string) => ({ '@value': text, '@language': 'en' })
const time = (text: string) => ({ '@value': text, '@type': text.includes('T') ? 'xsd:dateTime' : 'xsd:date' })

const agency = { '@id': EIA.url, '@type': 'foaf:Organization', 'foaf:name': EIA.name }

/**
 * Returns the DCAT catalog of all feeds, as JSON-LD.
 *
 * @see https://www.w3.org/TR/vocab-dcat-3/
 */
export const createDcat = (
  feeds: readonly DescribedFeed[],
  origin: string,
  isPublicChain: boolean,
): object => ({
  '@context': CONTEXT,
  '@id': `${origin}/#catalog`,
  '@type': 'dcat:Catalog',
  'dct:title': english(SITE_NAME),
  'dct:description': english(describeCatalog(isPublicChain)),
  'foaf:homepage': node(`${origin}/`),
  'dcat:service': {
    '@id': `${origin}/#api`,
    '@type': 'dcat:DataService',
    'dct:title': english('HTTP API'),
    'dcat:endpointURL': node(`${origin}/v1`),
    'dcat:endpointDescription': node(`${origin}/openapi/json`),
  },
  'dcat:dataset': feeds.map((feed) => datasetOf(feed, origin)),
})

function datasetOf(feed: DescribedFeed, origin: string): object {
  const page = `${origin}${feedHref(feed.id) ?? '/'}`
  const { csv, parquet, json } = pathsOf(feed.id)
  const frequency = frequencies[feed.frequency]
  const rights = feed.isFromEia ? { 'dct:license': node(EIA.license) } : {}
  const distributionOf = (name: string, type: string, path: string) => ({
    '@id': `${page}#${name}`,
    '@type': 'dcat:Distribution',
    'dct:title': name,
    'dcat:accessURL': node(page),
    'dcat:downloadURL': node(origin + path),
    'dcat:mediaType': node(MEDIA_TYPES + type),
    ...rights,
  })
  return {
    '@id': `${page}#dataset`,
    '@type': 'dcat:Dataset',
    'dct:identifier': feed.id,
    'dct:title': english(feed.title),
    'dct:description': english(feed.description),
    'dcat:landingPage': node(page),
    ...(feed.modified && { 'dct:modified': time(feed.modified) }),
    ...(frequency && { 'dct:accrualPeriodicity': node(FREQUENCIES + frequency) }),
    ...(feed.coverage && {
      'dct:temporal': {
        '@type': 'dct:PeriodOfTime',
        'dcat:startDate': time(feed.coverage.start),
        'dcat:endDate': time(feed.coverage.end),
      },
    }),
    ...(feed.isFromEia && {
      'dct:creator': agency,
      'dct:publisher': agency,
      'dct:source': node(feed.sourceUrl ?? EIA.url),
    }),
    'dcat:distribution': [
      distributionOf('csv', 'text/csv', csv),
      distributionOf('parquet', PARQUET_TYPE, parquet),
      distributionOf('json', JSON_TYPE, json),
    ],
  }
}
