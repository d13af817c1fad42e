// A field for JSON or SQL: a plain textarea, with the same text in colours behind it.
import { h } from './dom.js';
import { toNumber } from './json.js';

const COLOURED_MAX = 50_000; // characters; more of them are drawn in one colour

const GRAMMARS = {
  json: /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<number>-?\d[\d.eE+-]*)|(?<word>\b(?:true|false|null)\b)/g,
  sql: /(?<string>'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?)|(?<comment>--.*)|(?<parameter>@\w+)|(?<number>\b\d[\d.]*(?:e[+-]?\d+)?\b)|(?<word>\b(?:SELECT|DISTINCT|VALUE|TOP|FROM|IN|JOIN|WHERE|GROUP|ORDER|BY|ASC|DESC|OFFSET|LIMIT|AND|OR|NOT|BETWEEN|LIKE|ESCAPE|EXISTS|ARRAY|AS|NULL|TRUE|FALSE|UNDEFINED|RANK)\b)|(?<name>\b[A-Za-z_]\w*(?=\s*\())/gi,
};

function coloured(text, language) {
  const grammar = GRAMMARS[language];
  if (!grammar || text.length > COLOURED_MAX) return [text];
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(grammar)) {
    const kind = Object.keys(match.groups).find(name => match.groups[name] !== undefined);
    if (match.index > at) pieces.push(text.slice(at, match.index));
    pieces.push(h(`span.hl-${kind}`, null, match[0]));
    at = match.index + match[0].length;
  }
  pieces.push(text.slice(at));
  return pieces;
}

/** A field; `language()` is json, sql or something without colours. Returns {element, input, draw, set, caret}. */
export function codeField({ label, language, rows, oninput }) {
  const back = h('pre', { 'aria-hidden': true });
  const input = h('textarea', {
    'aria-label': label, rows, spellcheck: false,
    oninput: () => { draw(); oninput?.(); },
    onscroll: () => { back.scrollTop = input.scrollTop; back.scrollLeft = input.scrollLeft; },
  });
  const draw = () => {
    back.replaceChildren(...coloured(input.value, language()), '\n');
    back.scrollTop = input.scrollTop;
  };
  return {
    element: h('div.code', null, back, input), input, draw,
    set: text => {
      input.value = text;
      draw();
    },
    /** Where the caret is drawn, for a list below it. */
    caret: () => {
      let left = input.selectionStart;
      const walk = document.createTreeWalker(back, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        if (left <= node.length) {
          const range = document.createRange();
          range.setStart(node, left);
          return range.getBoundingClientRect();
        }
        left -= node.length;
      }
      return back.getBoundingClientRect();
    },
  };
}

/** The text of a value in colours, for what is not edited. */
export const codeElements = (text, language = 'json') => coloured(text, language);

const DIFF_MAX = 400; // lines

/** The lines of two texts that differ, as elements: those of the first are crossed out. */
export function differences(before, after) {
  const a = before.split('\n'), b = after.split('\n');
  if (a.length > DIFF_MAX || b.length > DIFF_MAX) return [h('p.dim', null, 'The values are too long to compare here.')];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const rows = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push(h('div', null, '  ' + a[i++]));
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) rows.push(h('del', null, '- ' + a[i++]));
    else rows.push(h('ins', null, '+ ' + b[j++]));
  }
  return [h('pre.diff', { tabIndex: 0, 'aria-label': 'Differences: - is only there now, + only in your text' }, rows)];
}

/** Selects the place of an error in a field; returns the text with the place marked. */
export function markPlace(input, location) {
  const start = toNumber(location.start), end = Math.max(toNumber(location.end), start + 1);
  const text = input.value + ' ';
  input.focus();
  input.setSelectionRange(start, Math.min(end, input.value.length));
  return h('pre', null, text.slice(0, start), h('mark', null, text.slice(start, end)), text.slice(end));
}
