/** The pages in the navigation of every header: path and name. */
export const places = [
  ['/', 'Feeds'],
  ['/explorer/datasets', 'Datasets'],
  ['/explorer/calendar', 'Calendar'],
  ['/explorer/status', 'Status'],
  ['/explorer/how', 'How it works'],
  ['/docs', 'Docs'],
  ['/openapi', 'API'],
] as const
export type PlacePath = (typeof places)[number][0]

/** The verifier, which checks values without the explorer. */
export const VERIFIER_PATH = '/explorer/wattfeed-verifier.html'
