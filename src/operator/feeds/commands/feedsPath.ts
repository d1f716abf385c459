import { fileURLToPath } from 'node:url'

/** Where the built-in feeds stand. */
const builtIn = fileURLToPath(new URL('../../../agent/feeds.json', import.meta.url))

/** Path of the feeds file in use: `FEEDS_FILE`, else the built-in one. */
export const feedsPath = (feedsFile: string | null): string => feedsFile ?? builtIn
