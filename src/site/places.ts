/** The pages that every page leads to: their addresses and names. */
export const places = [
  ['/', 'Feeds'],
  ['/explorer/datasets', 'Datasets'],
  ['/explorer/status', 'Status'],
  ['/explorer/how', 'How it works'],
  ['/docs', 'Docs'],
  ['/openapi', 'API'],
] as const
