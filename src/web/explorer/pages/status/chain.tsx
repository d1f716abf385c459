import type { ReadyBody } from '../../../../api/schemas.ts'
import { useServerIndex } from '../../data/serverIndex.ts'
import { statuses } from '../../data/statuses.ts'
import { MAX_BLOCK_AGE_MS } from '../../format/blockAge.ts'
import { formatAge } from '../../format/moment.ts'
import { Fact } from '../../ui/fact.tsx'
import { Text } from '../../ui/text.tsx'
import { Awaited } from './awaited.tsx'
import { ready } from './serverState.ts'

type CheckName = keyof ReadyBody['checks']

const checks: readonly [name: CheckName, holds: string, fails: string, unknown?: string][] = [
  ['node', 'A Casper node answers', 'No Casper node returns a valid answer'],
  ['chain', 'It is on the expected chain', 'It is on another chain', 'Its chain is unknown'],
  ['feed_registry', 'The registry of feeds can be read', 'The registry of feeds cannot be read'],
  ['attestation_registry', 'The registry of values can be read', 'The registry of values cannot be read'],
  ['fresh', 'The state root is fresh', 'The state root is not fresh', 'No state root is known'],
]

/** Returns whether a check has no result, so that false does not mean a failure. */
const isUnknown = (name: CheckName, { checks: { node, [name]: holds }, measured }: ReadyBody): boolean =>
  !holds && ((name === 'chain' && !node) || (name === 'fresh' && measured.root_age_ms === null))

export function Chain() {
  return (
    <Awaited title="The chain, as this server sees it" resource={ready}>
      {(body) => <Seen body={body} />}
    </Awaited>
  )
}

/** Warns that all values are old although the server answers. */
const OldBlock = ({ ageMs }: { ageMs: number }) => (
  <p class="old-block" role="status">
    <strong>The newest block is old.</strong> It was created {formatAge(ageMs)}: the chain has stopped, or
    this server’s node is lagging. Values are as of then.
  </p>
)

function Seen({ body }: { body: ReadyBody }) {
  const { ready: isReady, checks: found, measured, verification } = body
  const version = useServerIndex()?.version ?? null
  const protocol = statuses.state.value.answer?.protocol_version ?? null
  return (
    <>
      <p class={`readiness ${isReady ? 'is-good' : 'is-bad'}`} role="status">
        {isReady ? '✓ Feeds can be read' : '✗ Feeds cannot be read now'}
      </p>
      {measured.block_age_ms !== null && measured.block_age_ms > MAX_BLOCK_AGE_MS && (
        <OldBlock ageMs={measured.block_age_ms} />
      )}
      <dl class="facts">
        <Fact name="Version of wattfeed">{version ?? '…'}</Fact>
        <Fact name="Protocol of the network">
          {protocol === null ? 'unknown' : <Text text={protocol} max={20} />}
        </Fact>
        <Fact name="Newest block created">{ago(measured.block_age_ms)}</Fact>
        <Fact name="Its state root read">{ago(measured.root_age_ms)}</Fact>
        <Fact name="A call to a node takes">
          {measured.rpc_ms === null ? 'unknown' : `${measured.rpc_ms} ms`}
        </Fact>
        <Fact name="Feeds registered">{measured.feeds?.toLocaleString('en') ?? 'unknown'}</Fact>
        {measured.undecodable !== null && measured.undecodable > 0 && (
          <Fact name="Skipped: cannot be decoded">{measured.undecodable.toLocaleString('en')}</Fact>
        )}
        <Fact name="Verification by the server">
          {verification === null ? (
            'off: it trusts its node'
          ) : (
            <>
              <Text text={verification.level} max={20} />: block{' '}
              {verification.block_height.toLocaleString('en')} of era{' '}
              {verification.era_id.toLocaleString('en')}, {formatAge(verification.age_ms)}
            </>
          )}
        </Fact>
      </dl>
      <ul class="checks">
        {checks.map(([name, holds, fails, unknown]) =>
          isUnknown(name, body) ? (
            <li key={name}>
              <span aria-hidden="true">?</span> {unknown}
            </li>
          ) : (
            <li key={name} class={found[name] ? 'is-good' : 'is-bad'}>
              <span aria-hidden="true">{found[name] ? '✓' : '✗'}</span> {found[name] ? holds : fails}
            </li>
          ),
        )}
      </ul>
    </>
  )
}

const ago = (ms: number | null): string => (ms === null ? 'unknown' : formatAge(ms))
