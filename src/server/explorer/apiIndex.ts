import manifest from '../../../package.json' with { type: 'json' }
import { type ApiIndexBody, apiIndexBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import { conditionalHeaders } from '../http/apiDocs.ts'
import type { Server } from '../server.ts'

const endpoints: ApiIndexBody['endpoints'] = {
  '/v1/feeds': 'the newest reading of every feed; ?q=, ?family=, ?route=, ?frequency= and ?unit= filter',
  '/v1/feeds.csv': 'the same as a table; ?fields= selects columns',
  '/v1/feeds.proof': 'the proof that the list of feeds is complete',
  '/v1/readings?id={id}': 'several readings; repeat ?id=, and select fields with &fields=',
  '/v1/recent?id={id}': 'the newest periods of several feeds, one value per period; &periods= sets how many',
  '/v1/feeds/{id}': 'one reading',
  '/v1/feeds/{id}/status': 'whether the feed is up to date',
  '/v1/status': 'whether each feed is up to date',
  '/v1/calendar': 'planned releases, and how punctual past ones were; ?id= selects feeds',
  '/calendar.ics': 'planned releases for calendar programs',
  '/feed.atom': 'new values for feed readers',
  '/v1/feeds/{id}/proof': 'its proof; ?from= is the block that you trust',
  '/v1/feeds/{id}/history/{index}/transaction': 'the transaction of a value, and who signed it',
  '/v1/feeds/{id}/attester': 'who may attest to it, and how many keys must sign',
  '/v1/feeds/{id}/provenance': 'the source of its newest value; ?index= selects an earlier one',
  '/v1/feeds/{id}/history': 'all its attested values',
  '/v1/feeds/{id}/history.csv': 'the same as a table; also history.parquet',
  '/v1/history.csv?id={id}': 'the histories of several feeds in one table; also history.parquet',
  '/v1/feeds/{id}/history.proof': 'the proof that they are complete',
  '/v1/feeds/{id}/history/{index}/proof': 'the proof of one of them',
  '/v1/feeds/{id}/chart.svg': 'its chart; also chart.png',
  '/embed/feeds/{id}': 'its chart as a page for frames in other pages',
  '/oembed?url={url}': 'the code that embeds the chart of a feed',
  '/v1/stream': 'new values as Server-Sent Events; ?id= selects feeds, ?from= or Last-Event-ID resumes',
  '/v1/datasets': 'the catalog of EIA datasets; ?family= and ?q= filter',
  '/v1/datasets/attested': 'the datasets whose roots are on chain, so that each of their series can be read',
  '/datapackage.json': 'all feeds as a Data Package; needs PUBLIC_URL',
  '/dcat.jsonld': 'all feeds as a DCAT catalog; needs PUBLIC_URL',
  '/sitemap.xml': 'the pages, for search engines; needs PUBLIC_URL',
  '/mcp': 'tools for language models, by the Model Context Protocol; with POST',
  '/health': 'whether the process is alive',
  '/ready': 'whether feeds can be read',
  '/metrics': 'Prometheus metrics',
  '/openapi': 'interactive documentation',
  '/openapi/json': 'OpenAPI document',
}

/** Listed only where DATASETS is set, so that a page can tell whether to ask. */
const seriesEndpoints: ApiIndexBody['endpoints'] = {
  '/v1/datasets/codes?route={route}&frequency={frequency}&facet={facet}':
    'the codes of a facet, with how many values have each; ?q= filters',
  '/v1/series?route={route}&frequency={frequency}&column={column}':
    'one series of a whole dataset; &facet.{id}= for each facet, and &period=',
  '/v1/series/proof': 'the proof of it, with the same parameters and ?from=',
  '/v1/series/history?route={route}&frequency={frequency}&column={column}':
    'its values in pages; &facet.{id}= for each facet, &period_from=, &period_to=, &order=, &limit= and &cursor=; also history.csv and history.parquet',
  '/v1/series/revisions?route={route}&frequency={frequency}&column={column}&period={period}':
    'what each root says of one value, in pages; &facet.{id}= for each facet, &order=, &limit= and &cursor=',
  '/v1/series/history/proof': 'the proof that a range is complete, with the same parameters and ?from=',
  '/v1/series/table?route={route}&frequency={frequency}':
    'rows of many series, in pages; &column= and &facet.{id}= filter, &sort= orders; also table.csv and table.parquet',
  '/eia/v2/{route}/data': 'the same as EIA’s API has them; also /eia/v2 and all below it',
  '/eia/as-of/{date}/v2/{route}/data': 'the same as of an earlier day',
}

/** Returns the body of `GET /` for programs. */
export const apiIndexOf = (network: Server['network'], hasSeries: boolean): ApiIndexBody => ({
  service: 'wattfeed',
  version: manifest.version,
  registries: {
    chain_name: network.chainName,
    feed_registry_package_hash: network.feedRegistryPackageHash,
    attestation_registry_package_hash: network.attestationRegistryPackageHash,
  },
  endpoints: hasSeries ? { ...endpoints, ...seriesEndpoints } : endpoints,
})

export const apiIndexDocs = {
  headers: conditionalHeaders,
  response: answerSchema('Index', apiIndexBody, { description: 'The endpoints.' }),
  detail: {
    operationId: 'listEndpoints',
    summary: 'List the endpoints',
    description:
      'Includes the chain and the registries that this server reads. Clients that prefer `text/html`, such as browsers, get the explorer.',
    tags: ['service'],
  },
}
