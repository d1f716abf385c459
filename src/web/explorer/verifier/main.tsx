import { render } from 'preact'
import { Verifier } from './verifier.tsx'

const root = document.getElementById('verifier')
if (root !== null) render(<Verifier />, root)
