// A picture of the shapes of rows: points, lines and polygons of GeoJSON on a plain grid of
// longitude and latitude, or of the coordinates of a plane, as large as they need. No map is loaded
// from anywhere, and this module itself only when a picture is asked for.
import { h } from './dom.js';
import { kind, preview, toNumber } from './json.js';
import { shape } from './stats.js';

const WIDTH = 1000;
const MAX_DEPTH = 4;
const MAX_SHAPES = 5000;
const MAX_POSITIONS = 100_000;
const STEPS = [60, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

const LINE = { fill: 'none', stroke: 'var(--main)', 'stroke-width': 1.6, 'vector-effect': 'non-scaling-stroke' };
const AREA = { ...LINE, fill: 'var(--main)', 'fill-opacity': 0.15, 'fill-rule': 'evenodd' };
const POINT = { r: 5, fill: 'var(--main)', 'fill-opacity': 0.75 };
const GRID = { stroke: 'currentColor', 'stroke-opacity': 0.15, 'vector-effect': 'non-scaling-stroke' };
const LABEL = { 'font-size': 12, fill: 'currentColor', 'fill-opacity': 0.5 };

/** An element of SVG. */
export const svg = (name, attributes, ...children) => {
  const element = shape(name, attributes);
  element.append(...children);
  return element;
};

const isPosition = value => kind(value) === 'array' && value.length >= 2 && value.slice(0, 2).every(part => kind(part) === 'number');
const position = value => [toNumber(value[0]), toNumber(value[1])];
const ring = value => kind(value) === 'array' && value.length > 0 && value.every(isPosition) ? value.map(position) : null;
const rings = value => kind(value) === 'array' && value.length > 0 ? value.map(ring) : [null];

/** The parts of a shape, each a list of positions; null for what is no shape. */
function parts({ type, coordinates }) {
  let found;
  if (type === 'Point') found = isPosition(coordinates) ? [[position(coordinates)]] : null;
  else if (type === 'LineString') found = [ring(coordinates)];
  else if (type === 'Polygon') found = rings(coordinates);
  else if (type === 'MultiPolygon') found = kind(coordinates) === 'array' ? coordinates.flatMap(rings) : null;
  return found?.length && found.every(Boolean) ? found : null;
}

/** Adds the shapes in a value of a row. */
function collect(value, row, depth, shapes) {
  const what = kind(value);
  if (depth > MAX_DEPTH || shapes.length >= MAX_SHAPES || (what !== 'object' && what !== 'array')) return;
  if (what === 'object' && typeof value.type === 'string' && 'coordinates' in value) {
    const found = parts(value);
    if (found) shapes.push({ type: value.type, parts: found, row });
    return;
  }
  for (const inner of Object.values(value)) collect(inner, row, depth + 1, shapes);
}

/** The shapes of rows; none when rows have no GeoJSON. */
function shapesOf(rows) {
  const shapes = [];
  let positions = 0;
  for (const row of rows) collect(row, row, 0, shapes);
  return shapes.filter(one => (positions += one.parts.flat().length) <= MAX_POSITIONS);
}

/** A line or ring whose longitudes continue beyond 180 degrees where it crosses the date line, beginning near a longitude. */
function continued(part, near) {
  let last = near;
  const line = part.map(([x, y]) => [last = Math.abs(x - last) > 180 ? x - 360 * Math.round((x - last) / 360) : x, y]);
  const turn = line.at(-1)[0] - line[0][0];
  if (Math.abs(turn) > 180 && part.length > 2 && part[0].join() === part.at(-1).join()) { // around a pole
    const pole = 90 * Math.sign(line.reduce((sum, one) => sum + one[1], 0));
    line.push([line.at(-1)[0], pole], [line[0][0], pole]);
  }
  return line;
}

/** Places shapes of the globe side by side, so that the widest range of longitudes without any is outside of the picture. */
function placed(shapes) {
  const whole = shapes.map(one => ({ ...one, parts: one.parts.map(part => continued(part, one.parts[0][0][0])) }));
  const spans = whole.map(one => {
    const xs = one.parts.flat().map(([x]) => x);
    return { one, from: xs.reduce((a, b) => Math.min(a, b)), to: xs.reduce((a, b) => Math.max(a, b)) };
  }).sort((a, b) => a.from - b.from);
  let west = spans[0].from, end = spans[0].to;
  let gap = spans[0].from + 360 - spans.reduce((most, one) => Math.max(most, one.to), -Infinity); // across the date line
  for (const { from, to } of spans) {
    if (from - end > gap) [gap, west] = [from - end, from];
    end = Math.max(end, to);
  }
  return spans.map(({ one, from }) => from >= west ? one : { ...one, parts: one.parts.map(part => part.map(([x, y]) => [x + 360, y])) });
}

/** Draws the shapes of rows of a collection; north is up. Shapes on a plane have the same scale in both directions. */
export function of(rows, asked, info) {
  const isPlane = info?.geospatialConfig?.type === 'Geometry';
  const found = shapesOf(rows);
  const shapes = isPlane || !found.length ? found : placed(found);
  if (!shapes.length) return h('p.empty', null, 'No row has a shape of GeoJSON, such as {"type": "Point", "coordinates": [13.4, 52.5]}.');
  const all = shapes.flatMap(one => one.parts.flat());
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of all) {
    [west, east, south, north] = [Math.min(west, x), Math.max(east, x), Math.min(south, y), Math.max(north, y)];
  }
  const margin = Math.max(east - west, north - south, 1e-4) * 0.06;
  [west, east, south, north] = [west - margin, east + margin, south - margin, north + margin];
  const middle = isPlane ? 1 : Math.cos(Math.max(-80, Math.min(80, (south + north) / 2)) * Math.PI / 180); // a degree of longitude is shorter there
  const scale = Math.min(WIDTH / ((east - west) * middle), WIDTH / (north - south));
  const at = ([x, y]) => [((x - west) * middle * scale).toFixed(1), ((north - y) * scale).toFixed(1)];
  const width = (east - west) * middle * scale, height = (north - south) * scale;
  const points = list => list.map(one => at(one).join(',')).join(' ');
  const drawn = shapes.map(one => {
    const title = svg('title', {}, preview(one.row, 200));
    if (one.type === 'Point') {
      const [cx, cy] = at(one.parts[0][0]);
      return svg('circle', { ...POINT, cx, cy }, title);
    }
    if (one.type === 'LineString') return svg('polyline', { ...LINE, points: points(one.parts[0]) }, title);
    return svg('path', { d: one.parts.map(part => `M${points(part)}Z`).join(''), ...AREA }, title);
  });
  const picture = svg('svg', { viewBox: `0 0 ${width.toFixed(1)} ${height.toFixed(1)}`, role: 'img', 'aria-label': `Map of ${shapes.length} shapes` },
    ...grid(west, east, south, north, at, isPlane), ...drawn);
  Object.assign(picture.style, { display: 'block', width: '100%', maxHeight: '70vh' });
  return h('div.map', null, picture);
}

/** A round step that divides a length into 5 to 13 parts. */
function roundStep(length) {
  const least = length / 13;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(one => one * power).find(one => one >= least);
}

const longitude = x => ((x + 180) % 360 + 360) % 360 - 180 || 0;
const degrees = x => `${+x.toFixed(4)}°`;

/** Lines of longitude and latitude or of coordinates, about six each way, with their labels. */
function grid(west, east, south, north, at, isPlane) {
  const length = Math.max(east - west, north - south);
  const step = isPlane ? roundStep(length) : STEPS.find(one => length / one >= 4) ?? STEPS.at(-1);
  const lines = [];
  const add = (from, to, label) => {
    const [[x1, y1], [x2, y2]] = [at(from), at(to)];
    lines.push(svg('line', { ...GRID, x1, y1, x2, y2 }), svg('text', { ...LABEL, x: Number(x1) + 4, y: Number(y1) - 4 }, label));
  };
  const plain = x => String(+x.toPrecision(6));
  const [ofX, ofY] = isPlane ? [plain, plain] : [x => degrees(x === 180 ? x : longitude(x)), degrees];
  for (let i = Math.ceil(west / step); i * step < east; i++) add([i * step, south], [i * step, north], ofX(i * step));
  for (let i = Math.ceil(south / step); i * step < north; i++) add([west, i * step], [east, i * step], ofY(i * step));
  return lines;
}
