import { describePeriod, formatUtc } from '@wattfeed/eia'
import {
  comparedText,
  type EmbeddedRange,
  type EmbeddedValue,
  type EmbedFacts,
  formatValues,
} from '../../cite/embedFacts.ts'
import { formatAmount } from '../format/amount.ts'
import { MAX_UNIT, showText } from '../format/untrusted.ts'
import {
  checkProof,
  isOld,
  isProven,
  type ProofCheck,
  ProofUnavailableError,
  type Subject,
} from '../proof/checkProof.ts'
import { isOfAnotherNetwork, outcomeOf, type Stage, stagesOf } from '../proof/stages.ts'

const MAX_DETAIL = 400

/** Checks the newest value, or all values of a series that the page draws, from the hash that the embed code names. Returns the result as elements. */
export async function verifyEmbed(facts: EmbedFacts): Promise<HTMLElement[]> {
  try {
    const check = await checkProof('', subjectOf(facts.shown), { ...facts.trust, checkpoint: null })
    return [describe(check, facts), listOf(stagesOf(check.links))]
  } catch (error) {
    if (!(error instanceof ProofUnavailableError)) throw error
    return [paragraph('is-old', 'Not verified. ', error.message)]
  }
}

const subjectOf = (shown: EmbedFacts['shown']): Subject =>
  'range' in shown ? { range: shown.range, index: shown.index } : shown.feedId

function describe(check: ProofCheck, { shown, trust }: EmbedFacts): HTMLElement {
  const { absence, links, blockTime } = check
  if (absence !== null)
    return paragraph('is-broken', 'Refuted. ', 'The feed does not have the value that this page shows.')
  if (isOfAnotherNetwork(links))
    return paragraph(
      'is-old',
      'Not verified. ',
      'The proof is for a chain or for registries other than those that this page names.',
    )
  if (!isProven(check))
    return paragraph('is-broken', 'Refuted. ', 'The proof breaks at the link below. Do not use the value.')
  const { value, isShown, unchecked } =
    'range' in shown ? describeRange(check, shown) : describeValue(check, shown)
  const age = `As of the block of ${formatUtc(blockTime ?? Number.NaN)}.`
  const old = isOld(check, Date.now()) ? ' That block is old, and may lack newer values.' : ''
  const other = isShown ? '' : ' The page shows another value. Reload it.'
  return paragraph(
    old === '' && isShown ? 'is-proven' : 'is-old',
    'Verified from the hash that this page names: ',
    `${value}. ${age}${old}${other}${unchecked} The author of this page chose the hash ${trust.blockHash.slice(0, 12)}…; with a hash of your own, you can verify it on the page that the link opens.`,
  )
}

/** What is proven in words, whether the page shows it, and what of the page is not checked. */
interface Described {
  readonly value: string
  readonly isShown: boolean
  readonly unchecked: string
}

function describeValue({ proven }: ProofCheck, shown: EmbeddedValue): Described {
  if (proven === null) return { value: 'nothing', isShown: false, unchecked: '' }
  const { amount, period, decimals, unit } = proven
  return {
    value: `${formatAmount(amount, decimals)} ${showText(unit, MAX_UNIT)}, ${describePeriod(proven, period).words}`,
    isShown:
      (['amount', 'period', 'decimals'] as const).every((name) => shown[name] === proven[name]) &&
      (['title', 'unit'] as const).every((name) => shown[name] === comparedText(proven[name])),
    unchecked: ' Earlier values in the chart were not checked.',
  }
}

const MAX_PERIOD = 40

function describeRange({ range }: ProofCheck, shown: EmbeddedRange): Described {
  if (range === null) return { value: 'nothing', isShown: false, unchecked: '' }
  const { values, root, index } = range
  const [first, last] = [values[0], values.at(-1)]
  const ends = `from ${showText(first?.period ?? '', MAX_PERIOD)} to ${showText(last?.period ?? '', MAX_PERIOD)}`
  const by = index === null ? 'the newest root' : `root number ${index + 1}`
  return {
    value: `all ${values.length} values of the chart, ${ends}, by ${by} of the dataset`,
    isShown: root === shown.root && formatValues(values) === shown.values,
    unchecked: '',
  }
}

function paragraph(state: string, strong: string, text: string): HTMLElement {
  const element = document.createElement('p')
  element.className = state
  const start = document.createElement('strong')
  start.textContent = strong
  element.append(start, text)
  return element
}

/** The stages of the proof, with the broken link if there is one. */
function listOf(stages: readonly Stage[]): HTMLElement {
  const list = document.createElement('ol')
  for (const [index, { title, holds, links }] of stages.entries()) {
    const item = document.createElement('li')
    item.className = holds === false ? 'is-broken' : ''
    const name = index === 0 ? 'The block that this page names' : title
    const { sign, words } = outcomeOf(holds)
    item.append(`${sign} ${name}: ${words}`)
    const broken = links.find((link) => !link.holds)
    if (broken !== undefined) {
      const detail = document.createElement('code')
      detail.textContent = showText(`${broken.link}: ${broken.detail}`, MAX_DETAIL)
      item.append(document.createElement('br'), detail)
    }
    list.append(item)
  }
  return list
}
