// What helps to write a query: words and members to complete, and the queries that were run before.
import { kind, write } from './json.js';

const HISTORY = 'kv-queries', HISTORY_MAX = 50;
const SHOWN_MAX = 12, DEPTH_MAX = 3;
const WORDS = ('SELECT FROM WHERE ORDER BY GROUP BY DISTINCT VALUE TOP JOIN IN AND OR NOT BETWEEN LIKE EXISTS OFFSET LIMIT ASC DESC AS '
  + 'COUNT SUM AVG MIN MAX IS_DEFINED IS_NULL IS_STRING IS_NUMBER CONTAINS STARTSWITH ENDSWITH LOWER UPPER LENGTH SUBSTRING CONCAT '
  + 'ARRAY_CONTAINS ARRAY_LENGTH ABS ROUND FLOOR CEILING VectorDistance ST_DISTANCE ST_WITHIN ST_INTERSECTS').split(' ');

/** The number of items whose members are suggested. */
export const SAMPLE = 20;

/** The members of items as they are written behind an alias: city, address.street. */
export function members(items) {
  const names = new Set();
  const collect = (value, before, depth) => {
    if (kind(value) !== 'object' || depth > DEPTH_MAX) return;
    for (const [name, inner] of Object.entries(value)) {
      if (!/^[A-Za-z_]\w*$/.test(name)) continue;
      names.add(before + name);
      collect(inner, `${before}${name}.`, depth + 1);
    }
  };
  items.forEach(item => collect(item, '', 1));
  return [...names];
}

/** What may stand at the caret: members behind an alias and a point, words elsewhere. */
export function candidates(text, caret, paths) {
  const [, alias, word] = /(?:\b([A-Za-z_]\w*)\.)?([\w.]*)$/.exec(text.slice(0, caret));
  if (!alias && word.length < 2) return null;
  const lower = word.toLowerCase();
  const begins = one => one.toLowerCase().startsWith(lower) && one.toLowerCase() !== lower;
  const list = (alias ? paths : WORDS).filter(begins).slice(0, SHOWN_MAX)
    .map(one => ({ label: one, kind: alias ? 'member' : 'word', insert: one }));
  return { from: caret - word.length, list };
}

/** The queries that were run in this browser, the newest first: [{collection, query, parameters}]. */
export function history() {
  try {
    const all = JSON.parse(localStorage.getItem(HISTORY));
    return Array.isArray(all) ? all.filter(one => typeof one?.query === 'string') : [];
  } catch {
    return [];
  }
}

/** Adds a query to the history, and returns it. */
export function remember(asked) {
  const all = [asked, ...history().filter(one => write(one) !== write(asked))].slice(0, HISTORY_MAX);
  localStorage.setItem(HISTORY, JSON.stringify(all));
  return all;
}
