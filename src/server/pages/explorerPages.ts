import { nearestPage } from '../../web/site/nearest.ts'
import { places } from '../../web/site/places.ts'

/** A page of the explorer that is not the page of a feed. */
export interface ExplorerPage {
  readonly path: string
  readonly title: string
  readonly description: string
}

/** The name of the site, and of its home page. */
export const SITE_NAME = 'wattfeed'

export const explorerPages: readonly ExplorerPage[] = [
  {
    path: '/',
    title: SITE_NAME,
    description:
      'US energy statistics, attested on the Casper blockchain. Read them, and verify them in your own browser.',
  },
  {
    path: '/explorer/datasets',
    title: 'Datasets',
    description:
      'The catalog of US energy datasets, by family, with the feeds of each, and every series of the attested datasets.',
  },
  {
    path: '/explorer/calendar',
    title: 'Release calendar',
    description: 'When new values are released, and when past ones came on chain.',
  },
  {
    path: '/explorer/status',
    title: 'Status',
    description: 'Whether each feed has the value that the release calendar promises.',
  },
  {
    path: '/explorer/how',
    title: 'How it works',
    description: 'How a statistic gets onto the Casper blockchain, and how anyone can verify it.',
  },
]

/** The page of a series whose address names none. */
export const SERIES_PAGE: ExplorerPage = {
  path: '/explorer/series',
  title: 'Series',
  description: 'One series of an attested dataset: its chart, its values and their proof.',
}

const descriptions = new Map([
  ...explorerPages.map(({ path, description }) => [path, description] as const),
  ['/docs', 'How to read, verify and attest values, and how to run your own server and agent.'],
  ['/openapi', 'The endpoints for programs, to try in the browser.'],
])

/** The pages of the navigation with their descriptions, as HTML. */
export const placesHtml = `<dl class="places">${places
  .map(
    ([href, name]) =>
      `<dt><a href="${href}">${name}</a></dt><dd>${Bun.escapeHTML(descriptions.get(href) ?? '')}</dd>`,
  )
  .join('')}</dl>`

/** Returns a paragraph with the page that an unknown path most likely means, as HTML; empty if none is alike. */
export function suggestionHtml(path: string): string {
  const meant = nearestPage(path)
  return meant === null ? '' : `<p>Did you mean <a href="${meant[0]}">${meant[1]}</a>?</p>`
}
