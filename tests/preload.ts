import { setDefaultTimeout } from 'bun:test'

// For a machine ten times slower: no test passes or fails by its speed. Bun forgets this after the first file of a run, so the
// scripts that run many files pass `--timeout`, too.
setDefaultTimeout(300_000)
