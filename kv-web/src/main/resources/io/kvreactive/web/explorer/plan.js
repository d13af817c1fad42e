// How a query is answered, as a person reads it: a tree, from the rows down to what is read.
import { copyButton, count, duration, h, toast } from './dom.js';
import { definitionOf } from './item.js';
import { toNumber, write } from './json.js';

const POLL_MS = 400;

const CLASSES = {
  preciseIndexScan: 'precise', expandedIndexScan: 'expanded', fullIndexScan: 'whole index',
  indexSeek: 'seek', fullScan: 'every item',
};

/** The paths of an index, one by one: "/name ASC" as a part of a composite index. */
export function compositeOf(specs) {
  return specs.map(spec => {
    const [, path, order] = /^(.*?)(?: (ASC|DESC))?$/i.exec(spec);
    return { path: path.replace(/\/\?$/, ''), order: /desc/i.test(order ?? '') ? 'descending' : 'ascending' };
  });
}

const badge = name => h(`span.badge.is-${name}`, null, CLASSES[name] ?? name);

/** The name of an index and, if the name is a number, what it indexes. */
export const indexName = ({ index, spec, definition }) => [h('code', null, index),
  /#\d+$/.test(index) && (spec || definition) && h('span.dim', null, ` ${spec ? spec.join(', ') : definition.replace(/^\w+ (?=\/)/, '')}`)];

const section = (title, ...children) => h('section', null, h('h3', null, title), ...children);

const counted = (number, word) => number !== undefined && h('span.counts', null, `${count(toNumber(number))} ${word}`);

/** A step and the steps that feed it. */
const step = (title, ...inner) => h('ul', null, h('li', null, title, ...inner));

function scan(one) {
  return h('li', null, 'scan ', h('code', null, one.index), badge(one.class),
    one.estimatedEntries !== undefined && h('span.counts', null, `${one.estimatedMore ? 'more than' : 'about'} ${count(toNumber(one.estimatedEntries))} entries`),
    h('div.dim', null, one.spec?.join(', ')), h('code.range', null, write(one.range)),
    one.test && h('div', null, 'each entry is tested: ', h('code', null, one.test)));
}

/** What is read, without or with an index that decides which items these are. */
function reads(plan, metrics) {
  if (plan.access.length) {
    const scans = h('ul', null, plan.access.map(scan));
    return plan.access.length > 1 ? step([plan.combine, badge(plan.class), counted(metrics?.entriesRead, 'entries read')], scans)
      : [scans, metrics && h('p', null, counted(metrics.entriesRead, 'entries read'))];
  }
  if (plan.combine === 'nothing') return step('nothing: the condition is never true');
  if (plan.orderBy?.servedBy && plan.orderBy.servedBy !== 'sort') return step(['all entries of ', indexName({ index: plan.orderBy.servedBy, spec: plan.orderBy.spec }), ', which has the order']);
  if (plan.class === 'fullIndexScan' && plan.covered) return step(['all entries of one index; no item is loaded', counted(metrics?.entriesRead, 'entries read')]);
  return step(['all items of the collection: there is no condition that an index decides', badge('fullScan')]);
}

/** Draws a plan; `add` takes {composite} or {path}, an index that would help, and the button that was used. */
export function planOf({ plan, indexMetrics, metrics }, { canAdd, add }) {
  const potential = [
    ...(indexMetrics?.PotentialCompositeIndexes ?? []).map(one => ({ specs: one.IndexSpecs, score: one.IndexImpactScore, composite: true })),
    ...(indexMetrics?.PotentialSingleIndexes ?? []).map(one => ({ specs: [one.IndexSpec], score: one.IndexImpactScore })),
  ];
  const order = plan.orderBy?.servedBy;
  let tree = reads(plan, metrics);
  if (!plan.covered) tree = step(['load items', counted(metrics?.retrievedItems, 'loaded')], tree);
  if (plan.residual) tree = step(['keep items where ', h('code', null, plan.residual)], tree);
  if (order) tree = step(order === 'sort' ? 'sort in memory' : ['in the order of ', indexName({ index: order, spec: plan.orderBy.spec }),
    counted(metrics?.candidates, 'candidates'), counted(metrics?.rankedVectors, 'vectors ranked')], tree);
  return h('div.plan', null,
    section('Plan', h('div.plan-tree', null, step(['rows', counted(metrics?.outputItems, 'on this page')], tree))),
    plan.advice && section('Advice', ...plan.advice.map(text => h('p', null, text))),
    potential.length > 0 && section('Indexes that would help', h('ul', null, potential.map(one => {
      const json = one.composite ? { composite: compositeOf(one.specs) } : { path: one.specs[0] };
      const button = h('button', { hidden: !canAdd, onclick: () => add(json, button) }, 'Add to the policy');
      return h('li', null, h('code', null, one.specs.join(', ')), one.score && h('span.badge', null, one.score.toLowerCase()),
        copyButton('Copy', () => write(json.composite ?? json.path)), button);
    }))),
    plan.rejected.length > 0 && section('Not used', h('ul', null, plan.rejected.map(one =>
      h('li', null, indexName(one), ` ${one.reason} `, h('small.type', null, one.rule))))),
    plan.notReady.length > 0 && section('Not ready', h('ul', null, plan.notReady.map(one =>
      h('li', null, indexName(one), ` is ${one.state}`, one.progress !== undefined && `, ${write(one.progress)} %`)))));
}

/** Offers an index that a query lacks: one path to include, or the paths of a composite index. */
export function missing(specs, { canAdd, add }) {
  const json = specs.length > 1 ? { composite: compositeOf(specs) } : { path: specs[0] };
  const button = h('button', { hidden: !canAdd, onclick: () => add(json, button) }, 'Add this index');
  return h('p', null, 'Missing index: ', h('code', null, specs.join(', ')), ' ', button,
    !canAdd && h('span.dim', null, 'To add it here, switch “Allow edits” on; the token needs ADMIN access.'));
}

/**
 * Adds an index to the policy of a collection and shows its build beside the button that was used, while `isWatched()`.
 * Resolves to whether the index is complete.
 */
export async function addAndFollow(api, path, index, button, isWatched) {
  button.disabled = true;
  const bar = h('progress', { max: 100, 'aria-label': 'Build of the index' });
  const state = h('span.dim', { role: 'status' }, 'Building the index …');
  button.after(' ', bar, ' ', state);
  try {
    return await addIndex(api, path, index, ({ percent, left }) => {
      bar.value = percent;
      state.textContent = `${percent} %${left == null ? '' : `, about ${duration(left * 1000)} left`}`;
      return isWatched();
    });
  } catch (failure) {
    state.textContent = failure.message;
    button.disabled = false;
    return false;
  }
}

/** Adds an index and reads its progress; `told` returns false when nobody looks any more. */
async function addIndex(api, path, { composite, path: single }, told) {
  const definition = definitionOf(await api.get(path));
  const policy = definition.indexingPolicy;
  if (composite) (policy.compositeIndexes ??= []).push(composite);
  else {
    (policy.includedPaths ??= []).push({ path: single });
    policy.excludedPaths = policy.excludedPaths?.filter(one => one.path !== single);
  }
  await api.json('PUT', path, { json: definition });
  toast('Added; the index is being built.');
  for (;;) {
    const info = await api.get(path);
    const percent = toNumber(info.indexTransformationProgress);
    const jobs = info.indexTransformation ?? [];
    const failed = jobs.find(job => job.error);
    if (failed) throw new Error(failed.error);
    if (percent >= 100) return true;
    const left = jobs.map(job => job.etaSeconds).filter(eta => eta != null).map(toNumber);
    if (!told({ percent, left: left.length ? Math.max(...left) : null })) return false;
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
}
