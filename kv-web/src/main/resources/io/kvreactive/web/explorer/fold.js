// Folding of JSON: a short token stands for the lines that it hides. JSON has its character only inside of strings,
// which are skipped, so a token is never taken for text of the value.

const PIECES = /"(?:[^"\\\n]|\\.)*"?|⋯[^⋯\n]*⋯|[{}[\]\n]/g;
const isToken = piece => piece.length > 1 && piece.startsWith('⋯');

/**
 * The brackets that can be folded or unfolded, in their order: {open, close, depth}, and the token of those that
 * are folded. Brackets without a partner have none.
 */
export function regions(text) {
  const found = [], stack = [];
  let line = 0;
  for (const { 0: piece, index } of text.matchAll(PIECES)) {
    const inner = stack.at(-1);
    if (piece === '\n') line++;
    else if (piece === '{' || piece === '[') stack.push({ open: index, line });
    else if (isToken(piece) && inner?.open === index - 1) inner.token = piece;
    else if ((piece === '}' || piece === ']') && stack.pop() && (inner.token || line > inner.line)) {
      found.push({ open: inner.open, close: index, depth: stack.length, token: inner.token });
    }
  }
  return found.sort((a, b) => a.open - b.open);
}

/** The parts of one field that are hidden. They are kept after they are shown, so that undoing a step works. */
export class Folds {
  #hidden = new Map(); // token -> text

  clear() {
    this.#hidden.clear();
  }

  /** The whole text: tokens are replaced by what they hide. */
  expand(text) {
    if (!this.#hidden.size) return text;
    return text.replace(PIECES, piece => (this.#hidden.has(piece) ? this.expand(this.#hidden.get(piece)) : piece));
  }

  /** Returns the token for a part of the text that is to be hidden. */
  hide(text) {
    const whole = this.expand(text);
    const lines = Math.max(1, whole.split('\n').length - 2);
    const name = `${lines} ${lines === 1 ? 'line' : 'lines'}`;
    for (let n = 1; ; n++) {
      const token = `⋯${name}${n > 1 ? `·${n}` : ''}⋯`;
      if ((this.#hidden.get(token) ?? whole) !== whole) continue;
      this.#hidden.set(token, whole);
      return token;
    }
  }

  shown(token) {
    return this.#hidden.get(token);
  }
}
