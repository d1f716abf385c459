import { describePeriod } from '@wattfeed/eia'
import { useMemo, useState } from 'preact/hooks'
import type { FeedProofBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { embedUrl, feedUrl, proofUrl } from '../../../cite/addresses.ts'
import { citeApa, citeBibtex, type WebCitation } from '../../../cite/citation.ts'
import { EMBED_HEIGHT, type EmbedCode, formatEmbedCode } from '../../../cite/embedCode.ts'
import { formatExact } from '../../../cite/formatExact.ts'
import { type CitedNetwork, citedNetwork, verifyCommand } from '../../../cite/verifyCommand.ts'
import type { FeedReading } from '../../data/readings.ts'
import { useAnswer } from '../../data/resource.ts'
import { MAX_TITLE, MAX_UNIT, showText } from '../../format/untrusted.ts'
import { cleanHash, rememberedTrust, type Trust } from '../../proof/trust.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Fault, Loading } from '../../ui/states.tsx'

const shape = shapeOf('feedProofBody')

/** What is embedded and cited. */
export interface Shared {
  readonly title: string
  /** Address of the page of its chart for frames. */
  readonly embed: string
  /** What readers of the chart verify. */
  readonly verified: string
  /** The cited value, without what a proof says about its chain. */
  cite(proof: FeedProofBody): Omit<WebCitation, 'attestedAt' | 'place' | 'chain' | 'accessedAt' | 'verify'>
  /** Address of the proof of the cited value, which stays that of this value. */
  proofUrl(proof: FeedProofBody): string
}

interface EmbedAndCiteProps {
  shared: Shared
  /** Path of a proof that names the block of the value. */
  proofPath: string
  /** A change reads the proof again. */
  revision: number
}

/** Code that shows the chart in other pages, and citations of the newest value. */
export function EmbedAndCite({ shared, proofPath, revision }: EmbedAndCiteProps) {
  const [isOpen, setOpen] = useState(false)
  // The proof names the block of the value, and a block to trust. It is loaded when the reader needs one of them.
  const { answer, fault, reload } = useAnswer(isOpen ? proofPath : null, shape, { revision })
  const parts = [
    ['Embed this chart', Embed],
    ['Cite this value', Cite],
  ] as const
  return (
    <section aria-labelledby="share-title" class="use">
      <h2 id="share-title">Embed and cite</h2>
      {parts.map(([name, Contents]) => (
        <details
          key={name}
          name="share"
          onToggle={({ currentTarget: { open } }) => setOpen((isOpen) => isOpen || open)}
        >
          <summary>{name}</summary>
          {answer === null && fault !== null && <Fault fault={fault} retry={reload} />}
          {isOpen && answer === null && fault === null && <Loading what="the block of the value" lines={3} />}
          {answer !== null && <Contents proof={answer} shared={shared} trust={rememberedTrust.value} />}
        </details>
      ))}
    </section>
  )
}

interface PartProps {
  proof: FeedProofBody
  shared: Shared
  /** The reader's own; null if there is none. */
  trust: Trust | null
}

/** Returns what is embedded and cited of a feed. */
export function sharedFeed(feed: FeedReading): Pick<EmbedAndCiteProps, 'shared' | 'proofPath' | 'revision'> {
  const { origin } = location
  const shared: Shared = {
    title: titleOf(feed),
    embed: embedUrl(origin, feed.feed_id),
    verified: 'the newest value',
    cite: ({ reading }) => {
      const { feed_id, amount, decimals, unit, period } = reading
      return {
        feedId: feed_id,
        title: titleOf(reading),
        value: formatExact(BigInt(amount), decimals),
        unit: showText(unit, MAX_UNIT),
        period: describePeriod(reading, period).words,
        url: feedUrl(origin, feed_id),
      }
    },
    // The proof of the newest value will be that of another one.
    proofUrl: ({ reading, count }) => proofUrl(origin, reading.feed_id, count - 1),
  }
  return {
    shared,
    proofPath: `/v1/feeds/${encodeURIComponent(feed.feed_id)}/proof`,
    revision: feed.updated_at,
  }
}

const titleOf = ({ title, feed_id }: Pick<FeedReading, 'title' | 'feed_id'>): string =>
  showText(title.trim() === '' ? feed_id : title, MAX_TITLE)

type Theme = EmbedCode['theme']

const themes: readonly [theme: Theme, name: string][] = [
  ['auto', 'the reader’s'],
  ['light', 'light'],
  ['dark', 'dark'],
]

/** In pixels. */
const WIDTHS = [240, 400, 600]

function Embed({ proof, shared, trust }: PartProps) {
  const [theme, setTheme] = useState<Theme>('auto')
  const [width, setWidth] = useState<number | null>(null)
  const choices = trustChoices(proof, trust)
  const [chosen, setChosen] = useState(trust === null ? 'none' : 'own')
  const { hash = null, network = networkOf(proof) } = choices.find(({ id }) => id === chosen) ?? {}
  const code = formatEmbedCode({
    page: shared.embed,
    title: shared.title,
    theme,
    trust: hash,
    network,
    width,
    height: EMBED_HEIGHT,
  })
  return (
    <>
      <p class="embed-look">
        <label>
          Colors{' '}
          <select onChange={({ currentTarget: { value } }) => setTheme(value as Theme)}>
            {themes.map(([theme, name]) => (
              <option key={theme} value={theme}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Width{' '}
          <select onChange={({ currentTarget: { value } }) => setWidth(value === '' ? null : Number(value))}>
            <option value="">all of the column</option>
            {WIDTHS.map((width) => (
              <option key={width} value={width}>
                {width} pixels
              </option>
            ))}
          </select>
        </label>
      </p>
      <fieldset class="embed-trust">
        <legend>Readers verify {shared.verified}</legend>
        {choices.map(({ id, name }) => (
          <label key={id} class="embed-choice">
            <input type="radio" name="embed-trust" checked={id === chosen} onChange={() => setChosen(id)} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <Copyable text={code} label="embed code" />
      <p class="hint">
        The chart sets no cookies and loads nothing from other servers. A proof can start at a block of the
        last 1,000 eras: renew the hash before it is older.
      </p>
    </>
  )
}

/** How readers can verify the embedded value: from a block hash, or not at all. */
interface TrustChoice {
  readonly id: 'own' | 'newest' | 'none'
  readonly name: string
  readonly hash?: string
  /** The server's without one. */
  readonly network?: CitedNetwork
}

/** The server's own block is never the default, because it vouches for itself. */
function trustChoices(proof: FeedProofBody, trust: Trust | null): readonly TrustChoice[] {
  const choices: TrustChoice[] = []
  if (trust !== null)
    choices.push({
      id: 'own',
      name: `from the hash that you trust, ${shorten(trust.blockHash)}`,
      hash: trust.blockHash,
      network: citedNetwork(trust),
    })
  const hash = proof.switch_blocks.at(-1)?.hash
  if (hash !== undefined) {
    const name = `from the newest switch block that this server names, ${shorten(hash)}: compare it with a source of your own`
    choices.push({ id: 'newest', name, hash })
  }
  return [...choices, { id: 'none', name: 'not at all' }]
}

const shorten = (hash: string): string => `${hash.slice(0, 12)}…`

const networkOf = ({ registries }: FeedProofBody): CitedNetwork => ({
  chainName: registries.chain_name,
  feedRegistryPackageHash: cleanHash(registries.feed_registry_package_hash),
  attestationRegistryPackageHash: cleanHash(registries.attestation_registry_package_hash),
})

function Cite({ proof, shared, trust }: PartProps) {
  const cited = useMemo(() => citationOf(proof, shared, trust), [proof, shared, trust])
  return (
    <>
      <p class="hint">
        The block contains the state of the chain that has this value. Whoever reads the citation can verify
        it with the command.
      </p>
      <Copyable text={citeApa(cited)} label="citation in APA style" />
      <Copyable text={citeBibtex(cited)} label="citation for BibTeX" />
    </>
  )
}

function citationOf(proof: FeedProofBody, shared: Shared, trust: Trust | null): WebCitation {
  const { reading, block } = proof
  const network = networkOf(proof)
  return {
    ...shared.cite(proof),
    attestedAt: reading.updated_at,
    place: `as of block ${heightOf(block.header)} (${block.hash})`,
    chain: network.chainName,
    accessedAt: Date.now(),
    verify: verifyCommand(shared.proofUrl(proof), network, trust?.blockHash ?? null),
  }
}

/** Returns the height of a block, whose header has the node's own form. */
const heightOf = (header: unknown): string => String((header as { height?: unknown }).height ?? '')
