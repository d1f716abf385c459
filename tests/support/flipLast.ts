/** Changes the last digit of what is written in hexadecimal, whatever it is. */
export const flipLast = (hex: string): string => hex.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
