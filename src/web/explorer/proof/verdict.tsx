import type { CheckedLink, ProvenAbsence } from 'wattfeed'
import { now } from '../data/now.ts'
import { Text } from '../ui/text.tsx'
import { Age, Moment } from '../ui/time.tsx'
import { isOld, type ProofCheck } from './checkProof.ts'
import { isOfAnotherNetwork, isRefutedAtStart } from './stages.ts'

/** Returns the CSS class of a check's verdict. */
export function verdictClass(check: ProofCheck | null): string {
  if (check === null) return 'verdict is-unchecked'
  if (check.proven !== null || check.absence !== null || check.stated !== null)
    return isOld(check, now.value) ? 'verdict is-old' : 'verdict is-checked'
  return isOfAnotherNetwork(check.links) ? 'verdict is-other' : 'verdict is-broken'
}

/** The verdict of a check that proves no value. */
export function NotProven({ check }: { check: ProofCheck }) {
  const { absence, stated, links } = check
  if (stated !== null)
    return (
      <>
        <strong>Proven from your hash:</strong> <Text text={stated} /> <BlockAge check={check} />
      </>
    )
  return absence === null ? <Refuted links={links} /> : <ProvenAbsent check={check} absence={absence} />
}

/** Tells what is proven to be absent. */
function ProvenAbsent({ check, absence }: { check: ProofCheck; absence: ProvenAbsence }) {
  return (
    <>
      <strong>Proven from your hash:</strong> <Text text={absence.feed_id} />{' '}
      {absence.absent === 'feed' ? 'is not registered' : 'has no value'} as of block {absence.block_height}.{' '}
      <BlockAge check={check} />
    </>
  )
}

/** Explains a broken chain of links. */
function Refuted({ links }: { links: readonly CheckedLink[] }) {
  if (isOfAnotherNetwork(links))
    return (
      <>
        <strong>This proof is for a chain other than yours,</strong> or for other registries:{' '}
        <Text text={links.find(({ holds }) => !holds)?.detail ?? ''} />. It neither proves nor refutes the
        value. If you meant this server’s chain, correct the fields.
      </>
    )
  return isRefutedAtStart(links) ? (
    <>
      <strong>Refuted at the start:</strong> the server’s proof does not start at the block that you trust.
      Check that the hash belongs to the right network. If it does, do not use the value.
    </>
  ) : (
    <>
      <strong>Refuted.</strong> The proof breaks at the link marked below. Do not use the value.
    </>
  )
}

/** The age of a proven value's block, with a warning if it is old. */
export function BlockAge({ check }: { check: ProofCheck }) {
  if (check.blockTime === null) return null
  return (
    <>
      As of the block of <Moment ms={check.blockTime} />, <Age ms={check.blockTime} />.
      {isOld(check, now.value) && (
        <>
          {' '}
          <strong>That block is old:</strong> this proof does not cover values attested later. Check again. If
          it stays old, the chain has stopped, or the server or its node withholds newer blocks.
        </>
      )}
    </>
  )
}
