import MiniSearch from 'minisearch'
import { type SearchEntry, searchOptions } from './searchOptions.ts'

const MAX_FOUND = 12

const box = document.querySelector<HTMLElement>('search')
const input = document.querySelector<HTMLInputElement>('#search')
const list = document.querySelector<HTMLUListElement>('#found')
const count = document.querySelector<HTMLElement>('#found-count')
if (box && input && list && count) search(box, input, list, count)

/** Searches while the reader types. The index is loaded when the field first gets the focus. */
function search(box: HTMLElement, input: HTMLInputElement, list: HTMLUListElement, count: HTMLElement): void {
  box.hidden = false
  let index: Promise<MiniSearch<SearchEntry>> | null = null
  const load = (): Promise<MiniSearch<SearchEntry>> => {
    index ??= fetchIndex(box.dataset.index ?? '').catch((error: unknown) => {
      index = null
      throw error
    })
    return index
  }
  const update = async (): Promise<void> => {
    const query = input.value.trim()
    if (query === '') return show([], '')
    try {
      const found = (await load()).search(query)
      if (query !== input.value.trim()) return
      show(
        found.slice(0, MAX_FOUND).map(({ id, title, page }) => ({ id, title, page })),
        found.length === 0 ? `No section has "${query}".` : `${found.length} sections`,
      )
    } catch {
      show([], 'The search index could not be loaded. Check the connection and type again.')
    }
  }
  const show = (found: readonly { id: string; title: string; page: string }[], text: string): void => {
    list.replaceChildren(...found.map(itemOf))
    list.hidden = found.length === 0
    input.setAttribute('aria-expanded', String(found.length > 0))
    count.textContent = text
    select(null)
  }
  const select = (item: Element | null): void => {
    list.querySelector('[aria-selected="true"]')?.setAttribute('aria-selected', 'false')
    item?.setAttribute('aria-selected', 'true')
    item?.scrollIntoView({ block: 'nearest' })
    if (item === null) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', item.id)
  }
  const move = (step: 1 | -1): void => {
    const items = [...list.children]
    const at = items.findIndex((item) => item.getAttribute('aria-selected') === 'true')
    select(items.at(at === -1 && step === -1 ? -1 : (at + step) % items.length) ?? null)
  }
  input.addEventListener('focus', () => void load().catch(() => {}), { once: true })
  input.addEventListener('input', () => void update())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(1)
    else if (event.key === 'ArrowUp') move(-1)
    else if (event.key === 'Escape') show([], '')
    else if (event.key === 'Enter') {
      const chosen = list.querySelector('[aria-selected="true"] a') ?? list.querySelector('a')
      if (chosen instanceof HTMLAnchorElement) location.assign(chosen.href)
      return
    } else return
    event.preventDefault()
  })
}

function itemOf({ id, title, page }: { id: string; title: string; page: string }, at: number): HTMLLIElement {
  const link = document.createElement('a')
  link.href = id
  link.tabIndex = -1
  link.textContent = title
  const item = document.createElement('li')
  item.id = `found-${at}`
  item.role = 'option'
  item.append(link)
  if (page !== title) {
    const place = document.createElement('span')
    place.textContent = page
    item.append(' ', place)
  }
  return item
}

async function fetchIndex(url: string): Promise<MiniSearch<SearchEntry>> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return MiniSearch.loadJSON(await response.text(), searchOptions)
}
