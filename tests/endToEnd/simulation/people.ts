import type { FeedOutcome } from '../../../src/agent/feedOutcome.ts'
import type { Chance } from './chance.ts'
import { type ModelFeed, mistakes } from './eiaModel.ts'
import { pause } from './network.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, mendUnit, type World } from './world.ts'

/** EIA publishes and revises a feed. Sometimes it is late, and then several periods appear at once. */
export async function publish(world: World, feed: ModelFeed): Promise<void> {
  const { tell, isOver, eia, now } = world
  const id = feed.config.feed_id
  const chance = world.chance(id)
  // An hourly feed has many releases a day.
  const heldOf = feed.config.frequency.endsWith('hourly') ? 0.006 : 0.04
  let heldUntil = 0
  for (;;) {
    const at = eia.nextRelease(feed, now())
    if (at > now() + MINUTE_MS && chance.happens(heldOf))
      heldUntil = at + chance.between(2 * HOUR_MS, 30 * HOUR_MS)
    await pause(Math.max(0, at - now(), heldUntil - now()))
    while (now() < world.closedUntil && !isOver()) await pause(world.closedUntil - now())
    if (isOver()) return
    tell('release', `${id} ${eia.release(feed)}`)
    if (chance.happens(0.2)) tell('revision', `${id} ${eia.revise(feed)}`)
  }
}

/** EIA corrects a feed between two releases. */
export async function revise(world: World, feed: ModelFeed): Promise<void> {
  const id = feed.config.feed_id
  const chance = world.chance(`revise ${id}`)
  for (;;) {
    await pause(chance.until(12 * HOUR_MS))
    if (world.isOver()) return
    world.tell('revision', `${id} ${world.eia.revise(feed)}`)
  }
}

/** EIA removes the newest number of a feed with `look_back`, and revises an earlier one before it publishes the next. */
export async function withdraw(world: World, feed: ModelFeed): Promise<void> {
  const id = feed.config.feed_id
  const chance = world.chance(`withdraw ${id}`)
  while (feed.config.look_back !== 0 && !world.isOver()) {
    await pause(chance.until(3 * DAY_MS))
    if (!world.isOver()) world.tell('withdrawal', `${id} ${world.eia.withdraw(feed)}`)
  }
}

/** EIA makes mistakes in a feed, each for some hours. */
export async function blunder(world: World, feed: ModelFeed): Promise<void> {
  const { tell, isOver, eia, now } = world
  const id = feed.config.feed_id
  const chance = world.chance(`blunder ${id}`)
  while (!isOver()) {
    await pause(chance.until(8 * DAY_MS))
    if (isOver()) return
    tell('mistake', `${id} ${eia.mistake(feed, chance.pick(mistakes), now())}`)
    await pause(chance.between(HOUR_MS, 30 * HOUR_MS))
    eia.mend(feed)
    tell('mistake mended', id)
  }
}

/** The operator, who watches the agent's reports. */
export interface Operator {
  hear(outcome: FeedOutcome): void
}

/** Creates an operator who finds out the new meaning of a unit some hours after the first alarm. */
export function createOperator(world: World): Operator {
  const atWork = new Set<string>()

  async function mend(feed: ModelFeed): Promise<void> {
    const chance = world.chance(`mend ${feed.unit}`)
    await pause(chance.between(MINUTE_MS, 6 * HOUR_MS))
    if (chance.happens(0.3)) await misspell(world, chance)
    if (world.isOver()) return
    mendUnit(feed)
    world.tell('feeds file mended', feed.config.feed_id)
    world.writeFeeds()
    if (chance.happens(0.5)) world.agent.reload()
  }

  return {
    hear({ feedId, error }) {
      if (error === null || !('code' in error) || error.code !== 'unit_changed') return
      const feed = world.eia.feeds.find(({ config }) => config.feed_id === feedId)
      if (feed === undefined || atWork.has(feedId)) return
      atWork.add(feedId)
      mend(feed).then(() => atWork.delete(feedId))
    },
  }
}

async function misspell({ isOver, tell, writeFeeds, agent }: World, chance: Chance): Promise<void> {
  if (isOver()) return
  const text = chance.pick(['[{]', '[]', ''])
  tell('feeds file misspelt', text)
  writeFeeds(text)
  agent.reload()
  await pause(chance.between(MINUTE_MS, 3 * HOUR_MS))
}
