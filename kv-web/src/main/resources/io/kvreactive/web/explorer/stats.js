// How the store is doing, every two seconds while one looks, with the last minutes as lines.
import { count, duration, h, Polled, shorter, size } from './dom.js';
import { toNumber } from './json.js';

const WINDOW_MS = 5 * 60_000, GAP_MS = 10_000, WIDTH = 240, HEIGHT = 56;
const SVG = 'http://www.w3.org/2000/svg';
const micros = n => (n ? duration(n / 1000) : '–');
const rate = n => (n >= 100 ? count(Math.round(n)) : String(+n.toFixed(1)));

/** A chart: its title, what it shows, how its numbers are written, and its lines: name and where in the statistics. */
const CHARTS = [
  ['Commits per second', 'Commits that were applied.', rate, { commits: s => s.commits.perSecond }],
  ['Commit latency', 'From the request to the answer. p99: one of a hundred takes longer.', micros, { p50: s => s.commits.latency.p50Micros, p99: s => s.commits.latency.p99Micros }],
  ['Disk sync', 'How long the disk takes to make commits durable.', micros, { p50: s => s.commits.sync.p50Micros, p99: s => s.commits.sync.p99Micros }],
  ['Keys (about)', 'Estimated number of keys.', count, { keys: s => s.storage.keys }],
  ['On disk', 'Image: the sorted file. Log: the newest commits, and those kept for change feeds.', size, { image: s => s.storage.imageBytes, log: s => s.storage.logBytes }],
  ['Memory', 'Commits in memory that the image does not have yet.', size, { memory: s => s.storage.memoryBytes }],
  ['Waiting', 'Commits and reads that wait for a thread. More than a few for long: the store is overloaded.', count, { commits: s => s.commits.waiting, reads: s => s.readers.waiting }],
  ['Watchers', 'Open watches of keys, and change feeds.', count, { watches: s => s.readers.watches, feeds: s => s.readers.feeds }],
];

export class StatsView extends Polled {
  #database = null;
  #charts = [];
  #numbers = h('dl.facts.wide');

  constructor(app) {
    super(app, 'stats', 2000);
    this.#charts = CHARTS.map(one => chart(...one));
    this.failure = h('p.error', { role: 'alert' });
    this.element = h('div.view.stats', null, this.failure,
      h('div.charts', null, this.#charts.map(one => one.element)), h('section.card', null, this.#numbers));
  }

  async show({ database }) {
    if (database !== this.#database) this.#charts.forEach(one => one.clear());
    this.#database = database;
    await super.show();
  }

  draw(stats) {
    this.failure.textContent = stats.failure ? `The store takes no commits: ${stats.failure}` : '';
    for (const one of this.#charts) one.add(stats);
    const facts = [
      ['Version', shorter(stats.versionstamp), 'the newest commit'],
      ['Durable up to', shorter(stats.durable), 'commits up to here survive a crash'],
      ['Commits', count(toNumber(stats.commits.commits)), 'since the store was opened'],
      ['Conflicts', count(toNumber(stats.commits.conflicts)), 'commits whose checks failed'],
      ['Refused', count(toNumber(stats.commits.refused)), 'commits refused because of too much load'],
      ['Batches', count(toNumber(stats.commits.batches)), 'groups of commits that were written together in the commit log'],
      ['Log files', count(toNumber(stats.storage.logSegments)), 'files that the commit log consists of'],
      ['Snapshots', count(toNumber(stats.readers.snapshots)), 'versions that readers hold'],
    ];
    this.#numbers.replaceChildren(...facts.map(([name, value, text]) =>
      h('div', null, h('dt', null, name), h('dd', null, String(value)), h('dd.dim.why', null, text))));
  }
}

export function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function chart(title, text, format, lines) {
  const names = Object.keys(lines);
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': true });
  const paths = names.map((name, i) => svg.appendChild(shape('polyline', { class: `line${i}`, points: '' })));
  const pointer = svg.appendChild(shape('line', { class: 'pointer', y1: 0, y2: HEIGHT, visibility: 'hidden' }));
  const values = names.map(() => h('strong', null, '–'));
  const most = h('span.dim');
  const hover = h('span.dim.hover');
  let samples = []; // {at, values}
  const x = at => WIDTH - ((Date.now() - at) / WINDOW_MS) * WIDTH;
  const draw = () => {
    const max = Math.max(...samples.flatMap(one => one.values), 0) || 1;
    const y = value => HEIGHT - 2 - (value / max) * (HEIGHT - 6);
    for (const old of svg.querySelectorAll('.gone')) old.remove();
    const parts = [[]]; // the time in which nobody looked is a gap
    for (const one of samples) {
      if (one.at - (parts.at(-1).at(-1)?.at ?? one.at) > GAP_MS) parts.push([]);
      parts.at(-1).push(one);
    }
    paths.forEach((path, i) => {
      const points = part => part.map(one => `${x(one.at).toFixed(1)},${y(one.values[i]).toFixed(1)}`).join(' ');
      path.setAttribute('points', points(parts.at(-1)));
      for (const part of parts.slice(0, -1)) svg.append(shape('polyline', { class: `line${i} gone`, points: points(part) }));
    });
    most.textContent = samples.some(one => one.values.some(Boolean)) ? `max ${format(max)}` : '';
  };
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect();
    const at = Date.now() - (1 - (event.clientX - box.left) / box.width) * WINDOW_MS;
    const near = samples.reduce((best, one) => (!best || Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best), null);
    if (!near) return;
    for (const name of ['x1', 'x2']) pointer.setAttribute(name, x(near.at));
    pointer.setAttribute('visibility', 'visible');
    hover.textContent = `${new Date(near.at).toLocaleTimeString()}: ${names.map((name, i) => format(near.values[i])).join(', ')}`;
  });
  svg.addEventListener('pointerleave', () => {
    pointer.setAttribute('visibility', 'hidden');
    hover.textContent = '';
  });
  return {
    element: h('section.card.chart', null, h('h2', null, title, most), h('p.dim.why', null, text), svg,
      h('p.axis', { 'aria-hidden': true }, h('span', null, '5 min ago'), hover, h('span', null, 'now')),
      h('p', null, names.map((name, i) => h(`span.legend.line${i}`, null, names.length > 1 ? `${name} ` : '', values[i])))),
    clear: () => {
      samples = [];
      draw();
    },
    add: stats => {
      const now = Date.now();
      const sample = { at: now, values: names.map(name => toNumber(lines[name](stats) ?? 0)) };
      samples = [...samples.filter(one => now - one.at < WINDOW_MS), sample];
      sample.values.forEach((value, i) => (values[i].textContent = format(value)));
      draw();
    },
  };
}
