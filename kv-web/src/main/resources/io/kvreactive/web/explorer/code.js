// A field for JSON or SQL: a plain textarea, with the same text in colours behind it. JSON can be folded.
import { h } from './dom.js';
import { Folds, regions } from './fold.js';
import { toNumber } from './json.js';

const COLOURED_MAX = 50_000; // characters; more of them are drawn in one colour

const GRAMMARS = {
  json: /(?<fold>⋯[^⋯\n]*⋯)|(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*"?)|(?<number>-?\d[\d.eE+-]*)|(?<word>\b(?:true|false|null)\b)/g,
  sql: /(?<string>'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?)|(?<comment>--.*)|(?<parameter>@\w+)|(?<number>\b\d[\d.]*(?:e[+-]?\d+)?\b)|(?<word>\b(?:SELECT|DISTINCT|VALUE|TOP|FROM|IN|JOIN|WHERE|GROUP|ORDER|BY|ASC|DESC|OFFSET|LIMIT|AND|OR|NOT|BETWEEN|LIKE|ESCAPE|EXISTS|ARRAY|AS|NULL|TRUE|FALSE|UNDEFINED|RANK)\b)|(?<name>\b[A-Za-z_]\w*(?=\s*\())/gi,
};

/** The text in colours. `marks` are elements that stand before a bracket, by its place. */
function coloured(text, language, marks) {
  const grammar = GRAMMARS[language];
  if (!grammar || text.length > COLOURED_MAX) return [text];
  const pieces = [];
  let at = 0;
  const plain = end => {
    while (marks[0]?.at < end) {
      pieces.push(text.slice(at, marks[0].at), marks[0].element);
      at = marks.shift().at;
    }
    pieces.push(text.slice(at, end));
  };
  for (const match of text.matchAll(grammar)) {
    const kind = Object.keys(match.groups).find(name => match.groups[name] !== undefined);
    plain(match.index);
    pieces.push(h(`span.hl-${kind}`, null, match[0]));
    at = match.index + match[0].length;
  }
  plain(text.length);
  return pieces;
}

/**
 * A field; `language()` is json, sql or something without colours. Its `value` is the whole text, also of folded parts.
 * Returns {element, input, foldAll, value, draw, set, caret}.
 */
export function codeField({ label, language, rows, oninput }) {
  const folds = new Folds();
  const back = h('pre', { 'aria-hidden': true });
  const input = h('textarea', {
    'aria-label': label, rows, spellcheck: false,
    oninput: () => { draw(); oninput?.(); },
    onscroll: () => { back.scrollTop = input.scrollTop; back.scrollLeft = input.scrollLeft; },
    onkeydown: event => {
      const fold = { BracketLeft: true, BracketRight: false }[event.code];
      if (fold === undefined || !event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      atCaret(fold);
    },
    oncopy: event => copy(event),
    oncut: event => copy(event) && !input.readOnly && document.execCommand('delete'),
  });
  const foldAll = h('button.fold-all', { hidden: true, onclick: () => all() });
  const isJson = () => language() === 'json';

  /** Replaces a part as a person would, so that it can be undone. */
  function replace(from, to, text) {
    const { scrollTop } = input;
    if (!input.readOnly && text.length < COLOURED_MAX) {
      input.focus();
      input.setSelectionRange(from, to);
    }
    if (input.readOnly || text.length >= COLOURED_MAX || !document.execCommand('insertText', false, text)) {
      input.setRangeText(text, from, to, 'start');
      draw();
    }
    input.setSelectionRange(from, from);
    input.scrollTop = scrollTop;
  }

  function toggle({ open, close, token }) {
    const inner = input.value.slice(open + 1, close);
    if (!token) replace(open + 1, close, folds.hide(inner));
    else if (folds.shown(token)) replace(open + 1, close, inner.replace(token, () => folds.shown(token)));
  }

  /** Folds the innermost part around the caret, or shows the part whose line the caret is on. */
  function atCaret(fold) {
    const { value, selectionStart: caret } = input;
    const found = regions(value).filter(one => Boolean(one.token) !== fold);
    const start = value.lastIndexOf('\n', caret - 1) + 1;
    const end = (value.indexOf('\n', caret) + 1 || value.length + 1) - 1;
    const one = fold ? found.findLast(({ open, close }) => open <= end && close >= caret)
      : found.find(({ open }) => open >= start && open <= end);
    if (one) toggle(one);
  }

  /** Folds what is directly inside of the outermost brackets, or shows everything. */
  function all() {
    const { value } = input;
    const found = regions(value);
    if (found.some(one => one.token)) return replace(0, value.length, folds.expand(value));
    let text = value;
    for (const { open, close } of found.filter(one => one.depth === 1).reverse()) {
      text = text.slice(0, open + 1) + folds.hide(text.slice(open + 1, close)) + text.slice(close);
    }
    replace(0, value.length, text);
  }

  /** Puts the whole of what is selected on the clipboard. */
  function copy(event) {
    const some = input.value.slice(input.selectionStart, input.selectionEnd);
    const whole = folds.expand(some);
    if (whole === some) return false;
    event.preventDefault();
    event.clipboardData.setData('text/plain', whole);
    return true;
  }

  function draw() {
    const found = isJson() ? regions(input.value) : [];
    const isFolded = found.some(one => one.token);
    foldAll.hidden = !isFolded && !found.some(one => one.depth === 1);
    foldAll.textContent = isFolded ? 'Unfold all' : 'Fold';
    let line = null;
    const marks = found.length && input.value.length <= COLOURED_MAX ? found.flatMap(one => {
      const begin = input.value.lastIndexOf('\n', one.open);
      if (begin === line) return []; // the first of a line has the mark
      line = begin;
      return { at: one.open, element: h(`span.fold-mark${one.token ? '.is-folded' : ''}`, {
        title: one.token ? 'Unfold (Ctrl+Shift+])' : 'Fold (Ctrl+Shift+[)',
        onmousedown: event => {
          event.preventDefault();
          toggle(one);
        },
      }) };
    }) : [];
    element.classList.toggle('foldable', isJson());
    back.replaceChildren(...coloured(input.value, language(), marks), '\n');
    back.scrollTop = input.scrollTop;
  }

  const element = h('div.code', null, back, input);
  return {
    element, input, foldAll, draw,
    get value() {
      return folds.expand(input.value);
    },
    set: text => {
      folds.clear();
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
export const codeElements = (text, language = 'json') => coloured(text, language, []);

/** Selects the place of an error in a field; returns the text with the place marked. */
export function markPlace(input, location) {
  const start = toNumber(location.start), end = Math.max(toNumber(location.end), start + 1);
  const text = input.value + ' ';
  input.focus();
  input.setSelectionRange(start, Math.min(end, input.value.length));
  return h('pre', null, text.slice(0, start), h('mark', null, text.slice(start, end)), text.slice(end));
}
