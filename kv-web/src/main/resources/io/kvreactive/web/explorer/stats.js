// How the store is doing, every two seconds while one looks, with the last minutes as lines.
import { count, duration, h, Polled, shorter, size } from './dom.js';
import { toNumber } from './json.js';

const SAMPLES = 150, WIDTH = 240, HEIGHT = 56;
const SVG = 'http://www.w3.org/2000/svg';
const micros = n => (n ? duration(n / 1000) : '–');
const rate = n => (n >= 100 ? count(Math.round(n)) : String(+n.toFixed(1)));

/** A chart: its title, how its numbers are written, and its lines: name and where in the statistics. */
const CHARTS = [
  ['Commits per second', rate, { commits: s => s.commits.perSecond }],
  ['Commit latency', micros, { p50: s => s.commits.latency.p50Micros, p99: s => s.commits.latency.p99Micros }],
  ['Disk sync', micros, { p50: s => s.commits.sync.p50Micros, p99: s => s.commits.sync.p99Micros }],
  ['Keys (about)', count, { keys: s => s.storage.keys }],
  ['On disk', size, { image: s => s.storage.imageBytes, log: s => s.storage.logBytes }],
  ['Memory', size, { memory: s => s.storage.memoryBytes }],
  ['Waiting', count, { commits: s => s.commits.waiting, reads: s => s.readers.waiting }],
  ['Watchers', count, { watches: s => s.readers.watches, feeds: s => s.readers.feeds }],
];

export class StatsView extends Polled {
  #database = null;
  #charts = [];
  #numbers = h('dl.facts.wide');

  constructor(app) {
    super(app, 'stats', 2000);
    this.#charts = CHARTS.map(([title, format, lines]) => chart(title, format, lines));
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
    const facts = {
      Version: shorter(stats.versionstamp), Durable: shorter(stats.durable),
      Commits: count(toNumber(stats.commits.commits)), Conflicts: count(toNumber(stats.commits.conflicts)),
      Refused: count(toNumber(stats.commits.refused)), 'Writes of the log': count(toNumber(stats.commits.batches)),
      'Log files': count(toNumber(stats.storage.logSegments)), Snapshots: count(toNumber(stats.readers.snapshots)),
    };
    this.#numbers.replaceChildren(...Object.entries(facts).flatMap(([name, value]) =>
      h('div', null, h('dt', null, name), h('dd', null, String(value)))));
  }
}

export function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function chart(title, format, lines) {
  const names = Object.keys(lines);
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': true });
  const paths = names.map((name, i) => svg.appendChild(shape('polyline', { class: `line${i}`, points: '' })));
  const values = names.map(() => h('strong', null, '–'));
  const most = h('span.dim');
  let samples = [];
  const draw = () => {
    const max = Math.max(...samples.flat(), 0) || 1;
    paths.forEach((path, i) => path.setAttribute('points', samples.map((sample, at) =>
      `${(WIDTH - (samples.length - 1 - at) * (WIDTH / (SAMPLES - 1))).toFixed(1)},`
      + `${(HEIGHT - 2 - (sample[i] / max) * (HEIGHT - 6)).toFixed(1)}`).join(' ')));
    most.textContent = samples.flat().some(Boolean) ? `max ${format(max)}` : '';
  };
  return {
    element: h('section.card.chart', null, h('h2', null, title, most), svg,
      h('p', null, names.map((name, i) => h(`span.legend.line${i}`, null, names.length > 1 ? `${name} ` : '', values[i])))),
    clear: () => {
      samples = [];
      draw();
    },
    add: stats => {
      const sample = names.map(name => toNumber(lines[name](stats) ?? 0));
      samples.push(sample);
      if (samples.length > SAMPLES) samples.shift();
      sample.forEach((value, i) => (values[i].textContent = format(value)));
      draw();
    },
  };
}
