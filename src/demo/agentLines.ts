import type { AgentLine } from './programs.ts'

interface AgentLines {
  /** Resolves when every feed has a value. */
  ready: Promise<void>
  /** How many feeds have a value. */
  done(): number
  show(line: AgentLine): void
  /** Stops printing lines: errors of an agent that is shutting down do not matter. */
  end(): void
}

/**
 * Prints the agents' lines once every feed has a value. Prints errors immediately. Each member of a committee reports a
 * transaction; it is printed once.
 *
 * @param signersOf returns the names of a transaction's signers; none if one key signs alone
 */
export function createAgentLines(
  feeds: number,
  signersOf: (transactionHash: string) => Promise<readonly string[]>,
): AgentLines {
  const done = new Set<string>()
  const newest = new Map<string, string>()
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  let hasEnded = false
  return {
    ready,
    done: () => done.size,
    show(line) {
      if (hasEnded) return
      const { feed_id, transaction_hash: hash, error } = line
      if (error !== null) console.log(`  ${feed_id}: ${error.message}`)
      else {
        if (hash !== null && newest.get(feed_id) !== hash) {
          newest.set(feed_id, hash)
          if (done.size === feeds) void signersOf(hash).then((signers) => print(line, hash, signers))
        }
        done.add(feed_id)
        if (done.size === feeds) resolve()
      }
    },
    end() {
      hasEnded = true
    },
  }
}

function print(
  { feed_id, decision, value, unit }: AgentLine,
  hash: string,
  signers: readonly string[],
): void {
  const by = signers.length === 0 ? '' : `, signed by ${signers.join(', ')}`
  console.log(`  ${feed_id} = ${value} ${unit} (${decision}, transaction ${hash.slice(0, 10)}…${by})`)
}
