import { createStore } from './store.ts'

/**
 * The reader's key for EIA's API; null where none was given. It lives here alone, until the page is closed: never in the
 * address, in storage, in a log, or in a request to any server but EIA's.
 */
export const eiaKeyStore = createStore<string | null>(null)
