import type { EiaLevel } from '@wattfeed/dataset'

/**
 * Finds what is recorded of a level above a dataset; undefined if EIA did not send it.
 *
 * @param levels - those above the dataset that EIA sent, from the root down: each may have a lower place than its depth
 * @param route - of the level; empty for the root
 */
export function recordedLevel(levels: readonly EiaLevel[], route: string): EiaLevel | undefined {
  const parts = route === '' ? [''] : ['', ...route.split('/')]
  // A route may have a part twice.
  return levels.slice(0, parts.length).findLast(({ id }) => id === parts.at(-1))
}
