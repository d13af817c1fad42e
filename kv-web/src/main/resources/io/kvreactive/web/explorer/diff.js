// Two texts side by side: what is stored now, and what was edited.
import { fill, h, plural } from './dom.js';

const COMPARED_MAX = 1500; // lines, after those that both begin and end with
const DRAWN_MAX = 2000; // rows
const CONTEXT = 3; // equal lines that are shown around others

/** Shows in a box what is stored now beside what was edited. `take` and `overwrite` are [label, action]. */
export function showConflict(box, { title, facts, stored, mine, take, overwrite }) {
  box.hidden = false;
  fill(box, h('strong', null, title), facts, stored !== undefined && differences(stored, mine), h('div.buttons', null,
    h('button', { onclick: take[1] }, take[0]), h('button.danger', { onclick: overwrite[1] }, overwrite[0])));
  box.querySelector('button').focus();
}

/** The rows of two texts: [line, line] where they are equal or follow each other, null where a text has none; null if too long. */
function sideBySide(before, after) {
  const a = before.split('\n'), b = after.split('\n');
  let first = 0, last = 0;
  while (first < a.length && first < b.length && a[first] === b[first]) first++;
  while (last < a.length - first && last < b.length - first && a.at(-1 - last) === b.at(-1 - last)) last++;
  const x = a.slice(first, a.length - last), y = b.slice(first, b.length - last);
  if (x.length > COMPARED_MAX || y.length > COMPARED_MAX) return null;
  const common = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      common[i][j] = x[i] === y[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const equal = line => [line, line];
  const rows = a.slice(0, first).map(equal);
  let removed = [], added = [];
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n++) rows.push([removed[n] ?? null, added[n] ?? null]);
    removed = [];
    added = [];
  };
  for (let i = 0, j = 0; i < x.length || j < y.length;) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      flush();
      rows.push(equal(x[i++]));
      j++;
    } else if (j >= y.length || (i < x.length && common[i + 1][j] >= common[i][j + 1])) removed.push(x[i++]);
    else added.push(y[j++]);
  }
  flush();
  return [...rows, ...a.slice(a.length - last).map(equal)];
}

const isEqual = ([left, right]) => left === right;

/** A table of both texts; long runs of equal lines are left out. */
function differences(before, after) {
  const rows = sideBySide(before, after);
  if (!rows) return h('p.dim', null, 'The values are too long to compare here.');
  if (rows.every(isEqual)) return h('p', null, 'The value is the same as yours: only its version or expiry is another.');
  const near = rows.map((row, i) => rows.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(one => !isEqual(one)));
  const drawn = [];
  for (let i = 0; i < rows.length && drawn.length < DRAWN_MAX;) {
    if (near[i]) drawn.push(row(rows[i++]));
    else {
      const end = near.indexOf(true, i);
      const skipped = (end < 0 ? rows.length : end) - i;
      drawn.push(h('tr.skipped', null, h('td', { colSpan: 2 }, plural(skipped, 'equal line'))));
      i += skipped;
    }
  }
  return h('div.diff', { tabIndex: 0, role: 'region', 'aria-label': 'Differences' }, h('table', null,
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, '- Stored now'), h('th', { scope: 'col' }, '+ Your text'))),
    h('tbody', null, drawn)));
}

function row([left, right]) {
  if (left === right) return h('tr.equal', null, h('td', null, left), h('td', null, right));
  return h('tr', null, h('td', null, left !== null && h('del', null, '- ' + left)),
    h('td', null, right !== null && h('ins', null, '+ ' + right)));
}
