// The vectors of rows in two dimensions, by principal component analysis of the rows at hand, and the
// scores of VectorDistance and distances of ST_DISTANCE in a table. This module is loaded only when a query has them.
import { count, h } from './dom.js';
import { kind, preview, toNumber } from './json.js';
import { svg } from './map.js';

const WIDTH = 1000, MIN_HEIGHT = 300, MARGIN = 40;
const MAX_DEPTH = 4;
const MAX_NUMBERS = 2_000_000; // of all vectors together
const MAX_DIMENSIONS = 4096;
const MAX_LABELS = 60;
const LABEL = { width: 170, height: 14, length: 24 };
const ITERATIONS = 100;
const SCORE = /\b(?:VectorDistance|ST_DISTANCE)\s*\(/gi;

const POINT = { r: 5, fill: 'var(--main)' };
const TEXT = { 'font-size': 12, fill: 'currentColor', 'fill-opacity': 0.8 };
const AXIS = { stroke: 'currentColor', 'stroke-opacity': 0.15, 'vector-effect': 'non-scaling-stroke' };
const CROSS = { stroke: 'currentColor', 'stroke-width': 2, 'vector-effect': 'non-scaling-stroke' };

const isVector = value => kind(value) === 'array' && value.length > 1 && value.length <= MAX_DIMENSIONS && value.every(one => kind(one) === 'number');

/** The first vector in a value; positions of GeoJSON are none. */
function vectorIn(value, depth = 0) {
  if (isVector(value)) return value;
  if (depth > MAX_DEPTH || kind(value) !== 'object') return null;
  for (const [name, inner] of Object.entries(value)) {
    const found = name === 'coordinates' ? null : vectorIn(inner, depth + 1);
    if (found) return found;
  }
  return null;
}

/** Rows with their vectors, all of the most frequent length, as many as fit. */
function vectorsOf(rows) {
  const found = rows.map(row => ({ row, vector: vectorIn(row) })).filter(one => one.vector);
  const lengths = new Map();
  for (const { vector } of found) lengths.set(vector.length, (lengths.get(vector.length) ?? 0) + 1);
  const dimensions = [...lengths].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  return found.filter(one => one.vector.length === dimensions).slice(0, Math.floor(MAX_NUMBERS / dimensions) || 0)
    .map(({ row, vector }) => ({ row, vector: Float64Array.from(vector, toNumber) }));
}

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

const add = (to, from, factor) => {
  for (let i = 0; i < to.length; i++) to[i] += from[i] * factor;
};

/** The direction of most variance at right angles to others, by power iteration; zeros if there is none. */
function component(centred, others) {
  let direction = new Float64Array(centred[0].length);
  let best = 0;
  for (const vector of centred) { // starts from the longest vector
    const rest = Float64Array.from(vector);
    for (const other of others) add(rest, other, -dot(rest, other));
    const length = Math.sqrt(dot(rest, rest));
    if (length > best && length > 1e-9 * Math.sqrt(dot(vector, vector))) [best, direction] = [length, rest.map(one => one / length)];
  }
  for (let i = 0; best > 0 && i < ITERATIONS; i++) {
    const next = new Float64Array(direction.length);
    for (const vector of centred) add(next, vector, dot(vector, direction));
    for (const other of others) add(next, other, -dot(next, other));
    const length = Math.sqrt(dot(next, next));
    if (length === 0) break;
    const turned = next.map(one => one / length);
    const still = 1 - dot(turned, direction) < 1e-10;
    direction = turned;
    if (still) break;
  }
  return direction;
}

/** Where vectors are in the plane of most variance, a function for others, and the share of variance it has. */
function project(vectors) {
  const mean = new Float64Array(vectors[0].length);
  for (const vector of vectors) add(mean, vector, 1 / vectors.length);
  const centre = vector => vector.map((one, i) => one - mean[i]);
  const centred = vectors.map(centre);
  const first = component(centred, []);
  const second = component(centred, [first]);
  const at = vector => [dot(vector, first), dot(vector, second)];
  const points = centred.map(at);
  const all = centred.reduce((sum, vector) => sum + dot(vector, vector), 0);
  const shown = points.reduce((sum, point) => sum + dot(point, point), 0);
  return { points, of: vector => at(centre(vector)), share: all > 0 ? Math.min(1, shown / all) : 1 };
}

/** A short name of a row: its id, or its first text. */
function nameOf(row) {
  const text = typeof row.id === 'string' ? row.name ?? row.id : Object.values(row).find(one => typeof one === 'string');
  return typeof text === 'string' ? text.slice(0, LABEL.length) : '';
}

/** Draws the vectors of rows; of the parameters those that are vectors of the same length are crosses. */
export function of(rows, { query = '', parameters = [] } = {}) {
  const found = vectorsOf(rows);
  if (!found.length) return h('p.empty', null, 'No row has a vector, an array of two or more numbers. SELECT the path of the vectors too.');
  const { points, of: place, share } = project(found.map(one => one.vector));
  const asked = parameters.filter(({ value }) => isVector(value) && value.length === found[0].vector.length)
    .map(({ name, value }) => ({ name, point: place(Float64Array.from(value, toNumber)) }));
  const all = [...points, ...asked.map(one => one.point)];
  const [xs, ys] = [all.map(one => one[0]), all.map(one => one[1])];
  const least = list => list.reduce((a, b) => Math.min(a, b)), most = list => list.reduce((a, b) => Math.max(a, b));
  const [west, east, south, north] = [least(xs), most(xs), least(ys), most(ys)];
  const scale = (WIDTH - 2 * MARGIN) / Math.max(east - west, north - south, 1e-12);
  const height = Math.max(MIN_HEIGHT, (north - south) * scale + 2 * MARGIN);
  const at = ([x, y]) => [WIDTH / 2 + (x - (west + east) / 2) * scale, height / 2 - (y - (south + north) / 2) * scale].map(one => +one.toFixed(1));
  const column = scoreColumns(query).find(one => one.isVector)?.name;
  const scores = found.map(({ row }) => kind(row[column]) === 'number' ? toNumber(row[column]) : null);
  const known = scores.filter(one => one !== null);
  const [low, high] = known.length ? [least(known), most(known)] : [0, 0];
  const labels = [];
  const circles = found.map(({ row }, i) => {
    const [cx, cy] = at(points[i]);
    const isFree = labels.length < MAX_LABELS && labels.every(one => Math.abs(one.x - cx) > LABEL.width || Math.abs(one.y - cy) > LABEL.height);
    const name = nameOf(row);
    if (isFree && name) labels.push({ x: cx, y: cy, name });
    const opacity = scores[i] === null || high === low ? 0.75 : 0.25 + 0.7 * (scores[i] - low) / (high - low);
    const score = scores[i] === null ? '' : `, ${column} ${format(scores[i])}`;
    return svg('circle', { ...POINT, cx, cy, 'fill-opacity': opacity.toFixed(2) }, svg('title', {}, `${name || preview(row, 200)}${score}`));
  });
  const texts = labels.map(({ x, y, name }) => x > WIDTH - LABEL.width
    ? svg('text', { ...TEXT, x: x - 9, y: y + 4, 'text-anchor': 'end' }, name) : svg('text', { ...TEXT, x: x + 9, y: y + 4 }, name));
  const crosses = asked.map(({ name, point }) => {
    const [x, y] = at(point);
    return svg('g', { class: 'asked' }, svg('path', { ...CROSS, d: `M${x - 8},${y}h16M${x},${y - 8}v16` }), svg('text', { ...TEXT, x: x + 11, y: y - 6 }, name), svg('title', {}, name));
  });
  const [x0, y0] = at(place(mean(found)));
  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${height.toFixed(1)}`, role: 'img', 'aria-label': `${count(found.length)} vectors in two dimensions` },
    svg('path', { ...AXIS, d: `M0,${y0}H${WIDTH}M${x0},0V${height.toFixed(1)}` }), ...circles, ...texts, ...crosses);
  Object.assign(picture.style, { display: 'block', width: '100%', maxHeight: '70vh' });
  const left = rows.length - found.length;
  return h('div.vectors', null, picture, h('p.empty', null,
    `${count(found.length)} vectors of ${count(found[0].vector.length)} numbers; these two dimensions have ${Math.round(100 * share)} % of their variance.`
    + (left ? ` ${count(left)} rows have no vector of that length, or are too many.` : '')));
}

function mean(found) {
  const sum = new Float64Array(found[0].vector.length);
  for (const { vector } of found) add(sum, vector, 1 / found.length);
  return sum;
}

const format = score => Math.abs(score) < 1000 ? score.toFixed(4) : String(+score.toPrecision(6));

/** The columns that are scores: VectorDistance(…) AS name, or $1 and so on without a name; the same of ST_DISTANCE. */
function scoreColumns(query) {
  const columns = [];
  const select = query.slice(0, /\bFROM\b/i.exec(query)?.index ?? query.length);
  for (const { 0: call, index } of select.matchAll(SCORE)) {
    let at = select.indexOf('(', index), depth = 0;
    do {
      depth += { '(': 1, ')': -1 }[select[at]] ?? 0;
      at++;
    } while (depth > 0 && at < select.length);
    const name = /^\s*(?:AS\s+)?([\p{L}_]\w*)/iu.exec(select.slice(at))?.[1];
    const unnamed = columns.filter(one => one.name.startsWith('$')).length;
    columns.push({ name: name ?? `$${unnamed + 1}`, isVector: /^V/i.test(call) });
  }
  return columns;
}

/** Shows the scores of a table: four decimals, and a bar from the lowest (or 0) to the highest. */
export function showScores(table, rows, query) {
  const heads = [...table.tHead.rows[0].cells];
  for (const { name } of scoreColumns(query)) {
    const column = heads.findIndex(head => head.textContent === name);
    const scores = rows.map(row => kind(row[name]) === 'number' ? toNumber(row[name]) : null);
    const known = scores.filter(one => one !== null);
    if (column < 0 || !known.length) continue;
    const low = known.reduce((a, b) => Math.min(a, b), 0), high = known.reduce((a, b) => Math.max(a, b), 0);
    const width = score => (60 * (score - low) / (high - low || 1)).toFixed(1);
    for (const [i, row] of [...table.tBodies[0].rows].entries()) {
      if (scores[i] === null) continue;
      const cell = row.cells[column];
      const bar = svg('svg', { width: 60, height: 8, 'aria-hidden': true }, svg('rect', { width: width(scores[i]), height: 8, rx: 2, fill: 'var(--main)', 'fill-opacity': 0.5 }));
      cell.classList.add('score');
      cell.replaceChildren(h('span.k-number', null, format(scores[i])), ' ', bar);
      Object.assign(cell.style, { whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' });
    }
  }
}
