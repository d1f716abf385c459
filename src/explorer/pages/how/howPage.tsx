import { Padlock, type PadlockState } from '../../ui/padlock.tsx'
import { Page } from '../../ui/page.tsx'
import { Picture } from './picture.tsx'

/** What this is, how it works, and whom one has to trust. */
export function HowPage() {
  return (
    <Page title="How it works">
      <p class="lead">
        The US Energy Information Administration (EIA) publishes prices, stocks and production. wattfeed puts
        them on the Casper blockchain, where programs and contracts read them, and where nobody can change
        what was once attested without a trace.
      </p>
      <Picture />
      <ol class="story">
        <li>
          <b>The agent</b> asks EIA when a release is due, and attests what is new or revised by a signed
          transaction, together with a hash of what EIA sent.
        </li>
        <li>
          <b>The chain</b> keeps every value that was ever attested, in order. A revision is a new entry
          beside the old one.
        </li>
        <li>
          <b>This server</b> reads the chain at every request. It has no database: whoever runs one sees the
          same.
        </li>
        <li>
          <b>You</b> need not believe any of them: your browser can recompute the way from a block that you
          trust to the value.
        </li>
      </ol>
      <Locks />
      <Trusts />
      <Limits />
      <ReadOn />
    </Page>
  )
}

const locks: readonly [state: PadlockState, name: string, meaning: string][] = [
  ['unchecked', 'Grey', 'Nothing was checked: the value is what this server says.'],
  [
    'checked',
    'Green',
    'Your browser has recomputed every hash and signature from a block hash that you gave to this very value.',
  ],
  [
    'old',
    'Amber',
    'The same, but the block that the value was proven at is more than five minutes old: the value may have changed since.',
  ],
  ['broken', 'Red', 'A link of the proof does not hold, and the page shows which one. Do not use the value.'],
]

function Locks() {
  return (
    <section class="part">
      <h2>What the padlock does</h2>
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
        It begins at <b>your trusted block</b>, goes on era by era, each signed by more than two thirds of the
        weight that the one before names, to a block’s signatures, its state root, and by Merkle proofs to the
        two registries and the value. It is never green before you have said which hash you trust: get one
        from somebody else than this server, such as a Casper node of your own.
      </p>
      <p>
        This page comes from the server, too, and a server that lies could send a page that lies.{' '}
        <a href="/explorer/wattfeed-verifier.html" download>
          Save the verifier
        </a>
        , one file that works from your disk against any server, and compare its SHA-256 with the one in
        wattfeed’s CHANGELOG.
      </p>
    </section>
  )
}

const trusts: readonly [who: string, checks: string, trusts: string][] = [
  ['A page with a grey padlock; the library as it comes', 'nothing', 'this server, and its node'],
  [
    'The library with verify: proofs',
    'each value against a block’s state root, and the block against the validators that the node names',
    'that these are the validators',
  ],
  [
    'The library with verify: full',
    'the validators too, from a block hash of your choice',
    'more than a third of each era’s weight not to lie',
  ],
  [
    'A green padlock, the saved verifier, wattfeed verify',
    'a proof, from your block hash on, without the network',
    'the hashes that you name; of the padlock, this page as well',
  ],
]

function Trusts() {
  return (
    <section class="part">
      <h2>Whom you trust</h2>
      <table class="plain trusts">
        <thead>
          <tr>
            <th scope="col">With</th>
            <th scope="col">is checked</th>
            <th scope="col">and you trust</th>
          </tr>
        </thead>
        <tbody>
          {trusts.map(([who, checks, whom]) => (
            <tr key={who}>
              <th scope="row">{who}</th>
              <td data-label="is checked">{checks}</td>
              <td data-label="you trust">{whom}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Limits() {
  return (
    <section class="part">
      <h2>What a proof does not say</h2>
      <ul>
        <li>
          <b>That EIA published it.</b> A proof says that the feed’s claimant attested it. Each value carries
          a hash of EIA’s row, which anyone with an EIA key can recompute: <code>wattfeed provenance</code>.
        </li>
        <li>
          <b>That it is the newest.</b> It is as fresh as the block that it was read at, whose age is shown;{' '}
          <a href="/explorer/status">Status</a> holds every feed against EIA’s calendar.
        </li>
        <li>
          <b>That something is absent.</b> Casper cannot prove that.
        </li>
      </ul>
    </section>
  )
}

const docs: readonly [file: string, about: string][] = [
  ['docs/verify.md', 'proofs, and where trust begins'],
  ['docs/provenance.md', 'how a value’s hash is recomputed'],
  ['docs/status.md', 'EIA’s calendar, rule by rule, with its sources'],
  ['docs/library.md', 'the library for TypeScript'],
  ['docs/http.md', 'the HTTP API in words'],
  ['docs/agent.md', 'running an agent, and its costs'],
  ['docs/deploy.md', 'running a server like this one'],
  ['SECURITY.md', 'what a single node can and cannot do'],
]

function ReadOn() {
  return (
    <section class="part">
      <h2>Read on</h2>
      <ul>
        <li>
          <a href="/openapi">The API</a>, to try out here; <a href="/openapi/json">for programs</a>
        </li>
        <li>
          <a href="/explorer/datasets">EIA’s datasets</a>, and how one becomes a feed
        </li>
        <li>
          <a href="/v1/feeds.csv" download>
            All values as a table
          </a>{' '}
          (CSV)
        </li>
      </ul>
      <p>The documentation is in wattfeed’s repository, next to its source:</p>
      <dl class="docs">
        {docs.map(([file, about]) => (
          <div key={file}>
            <dt>
              <code>{file}</code>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
