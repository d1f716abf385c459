import type { FeedListCache, FeedListCacheOptions } from './feedListCache.ts'

/** Creates a cache of feeds whose code is loaded with the first list, because many programs only read single feeds. */
export function createLazyFeedListCache(options: FeedListCacheOptions): FeedListCache {
  let cache: FeedListCache | null = null
  let confirmed: Parameters<FeedListCache['confirm']> | null = null

  async function load(): Promise<FeedListCache> {
    // Importing a loaded module again would take up to a quarter of the time of an answer from memory.
    if (cache) return cache
    const { createFeedListCache } = await import('./feedListCache.ts')
    if (cache) return cache
    cache = createFeedListCache(options)
    if (confirmed) cache.confirm(...confirmed)
    return cache
  }

  return {
    newest: () => cache?.newest() ?? null,
    at: async (reader) => (await load()).at(reader),
    assertNotBehind: (list) => cache?.assertNotBehind(list),
    logLengths: async (reader, known) => (await load()).logLengths(reader, known),
    logs: async (reader, list) => (await load()).logs(reader, list),
    advanceTo: async (reader, root) => (cache ? cache.advanceTo(reader, root) : null),
    confirm(root, sequence) {
      confirmed = [root, sequence]
      cache?.confirm(root, sequence)
    },
  }
}
