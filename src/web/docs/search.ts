import MiniSearch from 'minisearch'
import { type SearchEntry, searchOptions } from './searchOptions.ts'

const MAX_FOUND = 12

const box = document.querySelector<HTMLElement>('search')
const input = document.querySelector<HTMLInputElement>('#search')
const list = document.querySelector<HTMLElement>('#found')
const count = document.querySelector<HTMLElement>('#found-count')
if (box && input && list && count) search(box, input, list, count)

/**
 * Searches while the reader types. The index is loaded when the field first gets the focus.
 *
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
function search(box: HTMLElement, input: HTMLInputElement, list: HTMLElement, count: HTMLElement): void {
  box.hidden = false
  const indexUrl = new URL(box.dataset.index ?? '', document.baseURI)
  let index: Promise<MiniSearch<SearchEntry>> | null = null
  const load = (): Promise<MiniSearch<SearchEntry>> => {
    index ??= fetchIndex(indexUrl).catch((error: unknown) => {
      index = null
      throw error
    })
    return index
  }
  const update = async (): Promise<void> => {
    const query = input.value.trim()
    if (query === '') return show([], '')
    const isStale = () => query !== input.value.trim() || document.activeElement !== input
    try {
      const found = (await load()).search(query)
      if (isStale()) return
      show(
        found.slice(0, MAX_FOUND).map(({ id, title, page }) => ({ id, title, page })),
        found.length === 0 ? `No section contains "${query}".` : counted(found.length),
      )
    } catch {
      if (isStale()) return
      show([], 'The search index could not be loaded. Check the connection and type again.')
    }
  }
  const show = (found: readonly FoundSection[], text: string): void => {
    list.replaceChildren(...found.map((section, at) => optionOf(section, at, indexUrl)))
    list.hidden = found.length === 0
    input.setAttribute('aria-expanded', String(found.length > 0))
    count.textContent = text
    select(null)
  }
  const select = (option: Element | null): void => {
    list.querySelector('[aria-selected="true"]')?.setAttribute('aria-selected', 'false')
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    if (option === null) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', option.id)
  }
  const chosen = (): HTMLElement | null =>
    list.querySelector<HTMLElement>('[aria-selected="true"]') ?? list.querySelector('a')
  const move = (step: 1 | -1): void => {
    const options = [...list.children]
    const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
    select(options.at(at === -1 && step === -1 ? -1 : (at + step) % options.length) ?? null)
  }
  /** Returns whether the key has been handled. */
  const press = (key: string): boolean => {
    if (key === 'ArrowDown' && list.hidden) void update()
    else if (key === 'ArrowDown') move(1)
    else if (key === 'ArrowUp') move(-1)
    else if (key === 'Escape' && !list.hidden) show([], '')
    else if (key === 'Enter') chosen()?.click()
    else return false
    return true
  }
  input.addEventListener('focus', () => void load().catch(() => {}), { once: true })
  input.addEventListener('input', () => void update())
  input.addEventListener('blur', () => show([], ''))
  // Keeps the focus in the field, so that a click on an option comes before the blur.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  list.addEventListener('click', () => input.blur())
  input.addEventListener('keydown', (event) => {
    if (press(event.key)) event.preventDefault()
  })
}

const counted = (count: number): string => {
  if (count === 1) return '1 section'
  return count > MAX_FOUND ? `The first ${MAX_FOUND} of ${count} sections` : `${count} sections`
}

type FoundSection = Pick<SearchEntry, 'id' | 'title' | 'page'>

function optionOf({ id, title, page }: FoundSection, at: number, indexUrl: URL): HTMLAnchorElement {
  const option = document.createElement('a')
  option.href = new URL(id, indexUrl).href
  option.id = `found-${at}`
  option.role = 'option'
  option.tabIndex = -1
  option.setAttribute('aria-selected', 'false')
  option.append(title)
  if (page !== title) {
    const place = document.createElement('span')
    place.textContent = page
    option.append(' ', place)
  }
  return option
}

async function fetchIndex(url: URL): Promise<MiniSearch<SearchEntry>> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), searchOptions)
}
