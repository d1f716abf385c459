import type { Reading, Snapshot } from '../../client/index.ts'
import { printableJson } from '../../runtime/printable.ts'
import { feedHref } from '../../site/feedPath.ts'
import { type Content, createContent } from '../http/content.ts'
import { JSON_TYPE } from '../http/headers.ts'
import { createVariantCache } from '../http/memo.ts'
import type { PublicSite } from '../publicSite.ts'
import { createDataPackage } from './dataPackage.ts'
import { createDcat } from './dcat.ts'
import { type DescribedFeed, describeFeed } from './describeFeed.ts'
import type { FirstPeriodOf } from './firstPeriods.ts'

export interface DiscoveryFiles {
  dataPackage(at: Snapshot): Promise<Content>
  dcat(at: Snapshot): Promise<Content>
  /** The sitemap, and its parts if one file cannot hold it. */
  sitemap(at: Snapshot): Promise<{ main: Content; parts: readonly Content[] }>
}

/** The media type of JSON-LD. @see https://www.w3.org/TR/json-ld11/#iana-considerations */
export const JSON_LD_TYPE = 'application/ld+json'
const XML_TYPE = 'application/xml; charset=utf-8'

/** Creates the files of a server with this origin. Each is formatted once until a value changes. */
export function createDiscoveryFiles(
  origin: string,
  site: PublicSite,
  firstPeriodOf: FirstPeriodOf,
): DiscoveryFiles {
  const { isPublicChain } = site
  const describe = (readings: readonly Reading[]): DescribedFeed[] =>
    readings.map((reading) => describeFeed(reading, null, site))
  const describeWithCoverage = (readings: readonly Reading[], at: Snapshot): Promise<DescribedFeed[]> =>
    Promise.all(
      readings.map(async (reading) => describeFeed(reading, await firstPeriodOf(at, reading.feed_id), site)),
    )
  return {
    dataPackage: oncePerList(async (readings) =>
      createContent(JSON.stringify(createDataPackage(describe(readings), origin, isPublicChain)), JSON_TYPE),
    ),
    dcat: oncePerList(async (readings, at) => {
      const feeds = await describeWithCoverage(readings, at)
      const json = JSON.stringify(createDcat(feeds, origin, isPublicChain))
      return createContent(printableJson(json), JSON_LD_TYPE)
    }),
    sitemap: oncePerList(async (readings) => {
      const { createSitemap } = await import('./sitemap.ts')
      const { main, parts } = await createSitemap(describe(readings), await listDocs(), origin)
      const contentOf = (xml: string) => createContent(xml, XML_TYPE)
      return { main: contentOf(main), parts: parts.map(contentOf) }
    }),
  }
}

async function listDocs(): Promise<string[]> {
  const { docsFiles } = await import('../../docs/docsFiles.ts')
  const pages = docsFiles.filter(({ type }) => type.startsWith('text/html'))
  return pages.map(({ name }) => (name === '' ? '/docs' : `/docs/${name}`))
}

/**
 * Returns a function that makes something of the feeds that have a page, once per list; a failure is not cached. The client
 * returns the same list until a value changes.
 */
function oncePerList<T extends object>(
  make: (readings: readonly Reading[], at: Snapshot) => Promise<T>,
): (at: Snapshot) => Promise<T> {
  const cached = createVariantCache<readonly Reading[], T>()
  return async (at) => {
    const readings = await at.listReadings()
    return cached(readings, {}, () => make(readings.filter(hasPage), at))
  }
}

const hasPage = ({ feed_id }: Reading): boolean => feedHref(feed_id) !== null
