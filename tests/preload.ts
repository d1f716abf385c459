import { setDefaultTimeout } from 'bun:test'

// For a machine ten times slower: no test passes or fails by its speed.
setDefaultTimeout(300_000)
