import { VERIFIER_PATH } from '../../../site/places.ts'
import { MAX_BLOCK_AGE_MS } from '../../format/blockAge.ts'
import { Padlock, type PadlockState } from '../../ui/padlock.tsx'
import { Page } from '../../ui/page.tsx'
import { Picture } from './picture.tsx'

export function HowPage() {
  return (
    <Page title="How it works">
      <p class="lead">
        The US Energy Information Administration (EIA) publishes prices, stocks and production. wattfeed puts
        them on the Casper blockchain for programs and contracts. Nobody can change an attested value without
        a trace.
      </p>
      <Picture />
      <ol class="story">
        <li>
          <b>The agent</b> polls EIA when a release is due. It attests new and revised values in signed
          transactions, together with a hash of EIA’s answer.
        </li>
        <li>
          <b>The chain</b> stores every attested value in order. A revision is a new entry after the old one.
        </li>
        <li>
          <b>This server</b> reads the chain at every request. It has no database, so every server returns the
          same.
        </li>
        <li>
          <b>You</b> need not trust any of them: your browser can verify a value from a block that you trust.
        </li>
      </ol>
      <p>
        <a href="/docs/architecture">Architecture</a> explains each part.
      </p>
      <Locks />
      <Trust />
      <Limits />
      <Documentation />
    </Page>
  )
}

const locks: readonly [state: PadlockState, name: string, meaning: string][] = [
  ['unchecked', 'Grey', 'Not checked: the value is this server’s claim.'],
  ['checked', 'Green', 'Your browser verified every hash and signature from your block hash to this value.'],
  [
    'old',
    'Amber',
    `Verified, but the block is more than ${MAX_BLOCK_AGE_MS / 60_000} minutes old. The value may have changed since.`,
  ],
  ['broken', 'Red', 'The proof is broken, and the page shows where. Do not use the value.'],
]

function Locks() {
  return (
    <section class="part">
      <h2>The padlock</h2>
      <ul class="locks">
        {locks.map(([state, name, meaning]) => (
          <li key={state}>
            <Padlock of={{ state, blockTime: null }} href={null} />
            <span>
              <b>{name}.</b> {meaning}
            </span>
          </li>
        ))}
      </ul>
      <p>
        A padlock only turns green after you enter a block hash that you trust. Get it from a source other
        than this server, such as your own Casper node. <a href="/docs/verify">Verify a value</a> shows the
        steps.
      </p>
    </section>
  )
}

function Trust() {
  return (
    <section class="part">
      <h2>What you trust</h2>
      <ul>
        <li>
          <b>A grey padlock:</b> this server and its node.
        </li>
        <li>
          <b>A green padlock:</b> the hashes that you entered, and this page, which also comes from the
          server.
        </li>
        <li>
          <b>
            <a href={VERIFIER_PATH} download>
              The saved verifier
            </a>
            :
          </b>{' '}
          only the hashes that you enter. It is one file that works from your disk with any server. Compare
          its SHA-256 with the one in the <a href="/docs/changelog">changelog</a>.
        </li>
      </ul>
      <p>
        <a href="/docs/verify#levels">Verified reads</a> describes the same levels for programs.{' '}
        <a href="/docs/security#what-a-single-node-can-and-cannot-do">Security</a> lists what a single node
        can and cannot do.
      </p>
    </section>
  )
}

function Limits() {
  return (
    <section class="part">
      <h2>What a proof does not prove</h2>
      <ul>
        <li>
          <b>That EIA published the value.</b> It proves that the feed’s claimant attested it. To compare it
          with EIA, <a href="/docs/provenance">recheck it with its source</a>.
        </li>
        <li>
          <b>That the value is the newest.</b> It is as recent as its block, whose age is shown.{' '}
          <a href="/explorer/status">Status</a> compares every feed with{' '}
          <a href="/docs/status">EIA’s calendar</a>.
        </li>
        <li>
          <b>That EIA published nothing newer.</b> A proof covers one block of the chain, not EIA’s data.
        </li>
      </ul>
    </section>
  )
}

const pages: readonly [address: string, title: string, about: string][] = [
  ['/docs/read-a-feed', 'Read a feed', 'with curl, Python, TypeScript or SQL'],
  ['/docs/library', 'The library', 'for TypeScript'],
  ['/docs/http', 'HTTP API', 'requests, answers and errors'],
  ['/openapi', 'API explorer', 'try every endpoint here'],
  ['/docs/data', 'Data analysis', 'CSV, Parquet and vintages'],
  ['/docs/consume-a-feed', 'Contracts', 'read a feed on chain'],
  ['/docs/agent', 'Run an agent', 'register and attest feeds'],
  ['/docs/deploy', 'Run a server', 'like this one'],
]

function Documentation() {
  return (
    <section class="part">
      <h2>Documentation</h2>
      <dl class="pages">
        {pages.map(([address, title, about]) => (
          <div key={address}>
            <dt>
              <a href={address}>{title}</a>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href="/docs">All pages</a>
      </p>
    </section>
  )
}
