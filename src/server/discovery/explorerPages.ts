/** A page of the explorer that is not the page of a feed. */
export interface ExplorerPage {
  readonly path: string
  /** Null for the home page, whose file has the title and the description. */
  readonly title: string | null
  readonly description: string | null
}

/** The pages of the explorer, apart from those of the feeds. */
export const explorerPages: readonly ExplorerPage[] = [
  { path: '/', title: null, description: null },
  {
    path: '/explorer/datasets',
    title: 'Datasets',
    description: 'The datasets that the U.S. Energy Information Administration publishes, and their feeds.',
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
