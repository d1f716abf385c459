import type { ProvenanceBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Fault, Loading } from '../../ui/states.tsx'
import { Code, Text } from '../../ui/text.tsx'
import { Period } from '../../ui/time.tsx'
import { RecheckForm } from './recheckForm.tsx'

const shape = shapeOf('provenanceBody')

export const useProvenance = ({ feed_id, updated_at }: FeedReading) =>
  useAnswer(`/v1/feeds/${encodeURIComponent(feed_id)}/provenance`, shape, { revision: updated_at })

/** The source of the feed's newest value, and a form that recomputes its hash. */
export function ProvenanceSection({
  feed,
  asked: { answer, fault, reload },
}: {
  feed: FeedReading
  asked: ReturnType<typeof useProvenance>
}) {
  return (
    <section aria-labelledby="provenance-title" class="provenance">
      <h2 id="provenance-title">Provenance</h2>
      {answer === null && fault !== null && <Fault fault={fault} retry={reload} />}
      {answer === null && fault === null && <Loading what="the provenance" lines={4} />}
      {answer !== null && (
        <>
          <Source feed={feed} provenance={answer} />
          {answer.recipe !== null && <RecheckForm feed={feed} provenance={answer} />}
        </>
      )}
    </section>
  )
}

interface SourceProps {
  feed: FeedReading
  provenance: ProvenanceBody
}

function Source({
  feed,
  provenance: { recipe, recipe_source, attested, api_url, canonical_template },
}: SourceProps) {
  if (recipe === null)
    return (
      <p>
        Neither the feed’s description nor the built-in list has a recipe for this feed, so its hash cannot be
        recomputed here. The source hash on chain is <Code text={attested.source_hash} class="hash" />.
      </p>
    )
  return (
    <>
      <p>
        This value, <Period of={feed} period={attested.period} />, is one row of EIA’s API. The chain holds a
        hash of that row.{' '}
        {recipe_source === 'built_in'
          ? 'wattfeed’s built-in list of feeds identifies the row.'
          : 'The feed’s description on chain identifies the row.'}
      </p>
      <dl class="pairs">
        <Fact name="Route">
          <Code text={recipe.route} />, <Text text={recipe.frequency} />
        </Fact>
        <Fact name="Column">
          <Code text={recipe.column} />
          {recipe.unit !== null && (
            <>
              {' '}
              in <Text text={recipe.unit} />
            </>
          )}
        </Fact>
        {Object.entries(recipe.facets).map(([facet, value]) => (
          <Fact key={facet} name={<Text text={facet} max={40} />}>
            <Code text={value} />
          </Fact>
        ))}
        <Fact name="Source hash">
          <Code text={attested.source_hash} class="hash" />
        </Fact>
      </dl>
      {api_url !== null && (
        <>
          <h3>The row at EIA</h3>
          <Copyable text={api_url} label="EIA’s address, without a key" />
        </>
      )}
      {canonical_template !== null && (
        <>
          <h3>The hashed JSON</h3>
          <Copyable text={canonical_template} label="the canonical JSON" />
          <p class="hint">
            Replace <code>{'{value}'}</code> with EIA’s digits: its SHA-256 starts with the source hash.
          </p>
        </>
      )}
    </>
  )
}
