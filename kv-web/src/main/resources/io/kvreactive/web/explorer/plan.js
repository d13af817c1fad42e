// How a query is answered, as a person reads it.
import { h } from './dom.js';
import { write } from './json.js';

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

const section = (title, ...children) => h('section', null, h('h3', null, title), ...children);

function access(one) {
  return h('li', null, h('code', null, one.index), ' ', badge(one.class),
    h('div.dim', null, one.spec?.join(', ')), h('code.range', null, write(one.range)),
    one.test && h('div', null, 'each entry is tested: ', h('code', null, one.test)));
}

/** Draws a plan; `add` takes a composite index that would help, and `single` a path. */
export function planOf({ plan, indexMetrics }, { canAdd, add }) {
  const potential = [
    ...(indexMetrics?.PotentialCompositeIndexes ?? []).map(one => ({ specs: one.IndexSpecs, score: one.IndexImpactScore, composite: true })),
    ...(indexMetrics?.PotentialSingleIndexes ?? []).map(one => ({ specs: [one.IndexSpec], score: one.IndexImpactScore })),
  ];
  const order = plan.orderBy?.servedBy;
  return h('div.plan', null,
    section('Reads', h('p', null,
      plan.access.length !== 1 && badge(plan.class),
      plan.covered && 'from the index alone', plan.combine && plan.access.length > 1 && ` ${plan.combine} of`),
    plan.access.length ? h('ul', null, plan.access.map(access)) : h('p.dim', null, 'No index decides which items these are.')),
    plan.residual && section('Then tests each item', h('code', null, plan.residual)),
    order && section('Order', h('p', null, order === 'sort' ? 'sorted in memory' : ['read in order from ', h('code', null, order)])),
    plan.advice && section('Advice', ...plan.advice.map(text => h('p', null, text))),
    potential.length > 0 && section('Indexes that would help', h('ul', null, potential.map(one => {
      const json = one.composite ? compositeOf(one.specs) : one.specs[0];
      return h('li', null, h('code', null, one.specs.join(', ')), one.score && h('span.badge', null, one.score.toLowerCase()),
        h('button', { onclick: () => navigator.clipboard?.writeText(write(json)) }, 'Copy'),
        one.composite && h('button', { hidden: !canAdd, onclick: () => add(json) }, 'Add to the policy'));
    }))),
    plan.rejected.length > 0 && section('Not used', h('ul', null, plan.rejected.map(one =>
      h('li', null, h('code', null, one.index), ` ${one.reason} `, h('small.type', null, one.rule))))),
    plan.notReady.length > 0 && section('Not ready', h('ul', null, plan.notReady.map(one =>
      h('li', null, h('code', null, one.index), ` is ${one.state}`)))));
}
