/** The pages that were merged into others: the old path below `/docs`, and the new one. A fragment of the old address stays. */
export const movedPages: ReadonlyMap<string, string> = new Map([
  ['calendar', 'status'],
  ['endpoints', 'http'],
  ['export', 'data'],
  ['gate', 'contracts'],
  ['library/index', 'library#reference'],
  ['library/wattfeed/provenance/recheck-1', 'library/wattfeed/provenance/recheck'],
  ['run-an-agent', 'agent'],
  ['scale', 'deploy'],
  ['several-keys', 'committee'],
  ['trust', 'verify'],
  ['verify-a-value', 'verify'],
])
