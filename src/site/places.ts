/** The pages that every page leads to: their addresses and names. */
export const places = [
  ['/', 'Feeds'],
  ['/explorer/datasets', 'Datasets'],
  ['/explorer/status', 'Status'],
  ['/explorer/how', 'How it works'],
  ['/openapi', 'API'],
] as const
