// A form for the usual parts of a definition. The JSON beside it has all parts; each follows the other.
import { h } from './dom.js';
import { toNumber, write } from './json.js';
import { compositeOf } from './plan.js';

const split = (text, by) => text.split(by).map(one => one.trim()).filter(Boolean);
const pathOf = text => (text.startsWith('/') ? text : '/' + text);
const paths = text => split(text, ',').map(pathOf);
const order = one => (one.order === 'descending' ? ' DESC' : '');

/** The fields: how each shows a definition, and how it changes one; those that are fixed cannot be changed later. */
const FIELDS = [
  {
    label: 'Partition key', fixed: true, hint: 'Paths from the outermost, such as /tenant, /user. Empty: one partition.',
    show: d => (d.partitionKey?.paths ?? []).join(', '),
    put: (d, text) => set(d, 'partitionKey', text.trim() ? { ...d.partitionKey, paths: paths(text) } : undefined),
  },
  {
    label: 'Unique keys', fixed: true, lines: true, hint: 'One a line: paths whose values no two items of a partition share.',
    show: d => (d.uniqueKeyPolicy?.uniqueKeys ?? []).map(key => key.paths.join(', ')).join('\n'),
    put: (d, text) => set(d, 'uniqueKeyPolicy', text.trim() ? { uniqueKeys: split(text, '\n').map(line => ({ paths: paths(line) })) } : undefined),
  },
  {
    label: 'Time to live', hint: 'Seconds after the last change; -1: only items that have a ttl; empty: never.', number: true,
    show: d => (d.defaultTtl == null ? '' : String(toNumber(d.defaultTtl))),
    put: (d, text) => set(d, 'defaultTtl', text.trim() ? Number(text) : undefined),
  },
  {
    label: 'Indexed paths', lines: true, hint: 'One a line, such as /* for everything or /city/?.',
    show: d => (d.indexingPolicy?.includedPaths ?? []).map(one => one.path).join('\n'),
    put: (d, text) => set(policy(d), 'includedPaths', merged(d.indexingPolicy.includedPaths, split(text, '\n').map(pathOf))),
  },
  {
    label: 'Excluded paths', lines: true, hint: 'One a line, such as /bio/*.',
    show: d => (d.indexingPolicy?.excludedPaths ?? []).map(one => one.path).join('\n'),
    put: (d, text) => set(policy(d), 'excludedPaths', merged(d.indexingPolicy.excludedPaths, split(text, '\n').map(pathOf))),
  },
  {
    label: 'Composite indexes', lines: true, hint: 'One a line, such as /city, /age DESC.',
    show: d => (d.indexingPolicy?.compositeIndexes ?? []).map(index => index.map(one => one.path + order(one)).join(', ')).join('\n'),
    put: (d, text) => set(policy(d), 'compositeIndexes', split(text, '\n').map(line => compositeOf(split(line, ',').map(pathOf)))),
  },
];

const policy = d => (d.indexingPolicy ??= { indexingMode: 'consistent', automatic: true, includedPaths: [{ path: '/*' }], excludedPaths: [] });

/** Paths of a policy; what is known of one that stays is kept. */
const merged = (before = [], now) => now.map(path => before.find(one => one.path === path) ?? { path });

function set(object, name, value) {
  if (value === undefined) delete object[name];
  else object[name] = value;
}

/** A form; `onchange` is given a function that changes a definition as its user did. */
export function definitionForm(onchange) {
  const inputs = FIELDS.map((field, i) => h(field.lines ? 'textarea' : 'input', {
    id: `definition-${i}`, autocomplete: 'off', 'aria-describedby': `definition-hint-${i}`, spellcheck: false,
    ...(field.lines ? { rows: 2 } : { type: field.number ? 'number' : 'text' }),
    oninput: event => onchange(definition => field.put(definition, event.target.value)),
  }));
  return {
    element: h('div.definition-form', { role: 'group', 'aria-label': 'Definition' }, FIELDS.map((field, i) => h('div', null,
      h('label', { htmlFor: `definition-${i}` }, field.label), inputs[i],
      h('small.dim', { id: `definition-hint-${i}` }, field.hint)))),
    /** Shows a definition; what has the focus and means the same stays as it was typed. */
    show(definition, { isNew, can }) {
      FIELDS.forEach((field, i) => {
        const text = field.show(definition), input = inputs[i];
        const copy = JSON.parse(write(definition));
        if (document.activeElement === input) field.put(copy, input.value);
        if (document.activeElement !== input || field.show(copy) !== text) input.value = text;
        if (field.lines) input.rows = Math.min(6, Math.max(2, text.split('\n').length));
        input.readOnly = !can || (field.fixed && !isNew);
      });
    },
  };
}
