import { both, contract, inTopic, type Step, text, u32 } from './step.ts'

export const messageSteps: readonly Step[] = [
  ...both('manage_message_topic', inTopic('gossip')),
  contract('manage_message_topic', inTopic('gossip')),
  contract('manage_message_topic', inTopic('x'.repeat(300))),
  ...both('emit_message', inTopic('news')),
  contract('emit three messages', inTopic('news')),
  contract('emit a message of bytes', inTopic('gossip')),
  contract('emit_message', inTopic('nothing')),
  ...[1_000, 1_024, 1_100].map((size) =>
    contract('emit a long message', () => ({ topic: text('news'), size: u32(size) })),
  ),
]
