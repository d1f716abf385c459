import type { ComponentChildren } from 'preact'

/** A diagram of a value's path from EIA to its reader. It is vertical on narrow screens. */
export function Picture() {
  return (
    <figure class="picture">
      <Box name="EIA’s API" about="official statistics" />
      <Arrow label="polled at each release" />
      <Box name="Agent" about="decides, signs, attests" />
      <Arrow label="signed transactions" />
      <Box name="Casper" about="the blockchain" isLarge>
        <ul>
          <li>
            <b>FeedRegistry</b> what a feed is
          </li>
          <li>
            <b>AttestationRegistry</b> its values, with history
          </li>
          <li>
            <b>EligibilityGate</b> who may register
          </li>
        </ul>
      </Box>
      <Arrow label="items, Merkle proofs, blocks" />
      <div class="picture-ends">
        <Box name="This server" about="REST, stream, these pages" />
        <Box name="Your program" about="with the library" />
        <Box name="Your contract" about="on the chain itself" />
      </div>
      <figcaption>
        The chain is the only database. A check in your browser depends neither on the agent nor on the
        server.
      </figcaption>
    </figure>
  )
}

interface BoxProps {
  name: string
  about: string
  isLarge?: boolean
  children?: ComponentChildren
}

const Box = ({ name, about, isLarge = false, children }: BoxProps) => (
  <div class={isLarge ? 'box is-large' : 'box'}>
    <b>{name}</b>
    <span>{about}</span>
    {children}
  </div>
)

const Arrow = ({ label }: { label: string }) => (
  <div class="arrow">
    <span>{label}</span>
  </div>
)
