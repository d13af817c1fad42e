// The kinds of values that have a field of their own in the editor; all others are edited as JSON.
import { inside, isNumber, kind, lines, number, parse, preview, toBase64, toBytes, toHex, write } from './json.js';

const fail = message => {
  throw new Error(message);
};
const match = (pattern, text, expected) => (pattern.test(text) ? text : fail(`expected ${expected}`));
const isList = Array.isArray;
const listed = list => (list.length ? `[\n${list.map(one => '  ' + lines(one, '  ')).join(',\n')}\n]` : '[]');
const is = name => value => kind(value) === name;

export const kinds = {
  json: {
    label: 'JSON',
    form: 'Inside JSON: {"$map": [["a", 1]]}, {"$set": [1, 2]}, {"$undefined": true}, {"$bigint": "12"}, {"$bytes": "AP8Q"}, '
      + '{"$date": "2026-01-31T12:00:00Z"}, {"$number": "NaN"}. For a property named $id: {"$object": {"$id": 1}}.',
    fits: () => true, text: value => write(value, 2), read: parse,
  },
  string: { label: 'String', fits: value => typeof value === 'string', text: value => value, read: text => text },
  number: {
    label: 'Number',
    fits: is('number'),
    text: value => (isNumber(value) ? value.rawJSON : inside(value)),
    read: text =>
      /^-?(NaN|Infinity)$|^-0$/.test(text.trim())
        ? { $number: text.trim() }
        : number(match(/^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i, text.trim(), 'a number such as 12 or 1.5e3')),
  },
  bigint: {
    label: 'Bigint',
    fits: is('bigint'),
    text: inside,
    read: text => ({ $bigint: match(/^-?\d+n?$/, text.trim(), 'digits').replace('n', '') }),
  },
  boolean: {
    label: 'Boolean',
    fits: is('boolean'),
    text: String,
    read: text => match(/^(true|false)$/, text.trim(), 'true or false') === 'true',
  },
  null: { label: 'Null', fits: is('null'), text: () => 'null', read: () => null },
  hex: {
    label: 'Bytes (hex)',
    fits: value => kind(value) === 'bytes',
    text: value => toHex(toBytes(inside(value))).replace(/.{32}(?=.)/g, '$&\n').replace(/\w\w(?=\w)/g, '$& '),
    read: text => {
      const digits = text.replace(/^0x|\s/gi, '');
      match(/^([0-9a-f]{2})*$/i, digits, 'pairs of hex digits');
      return { $bytes: toBase64((digits.match(/../g) ?? []).map(pair => parseInt(pair, 16))) };
    },
  },
  base64: {
    label: 'Bytes (base64)',
    fits: value => kind(value) === 'bytes',
    text: inside,
    read: text => {
      const base64 = text.replace(/\s/g, '');
      try {
        return { $bytes: toBase64(toBytes(base64)) };
      } catch {
        return fail('expected base64');
      }
    },
  },
  date: {
    label: 'Date',
    fits: value => kind(value) === 'date' && inside(value) !== null,
    text: inside,
    read: text =>
      Number.isNaN(Date.parse(text)) ? fail('expected a date such as 2026-01-31T12:00:00Z')
        : { $date: new Date(text).toISOString() },
  },
  map: {
    label: 'Map',
    language: 'json',
    form: 'A list of pairs, key and value: [["a", 1], [2, "b"]]. Inside other JSON: {"$map": [["a", 1]]}.',
    fits: value => kind(value) === 'map' && isList(inside(value)),
    text: value => listed(inside(value)),
    read: text => {
      const pairs = parse(text);
      if (!isList(pairs)) fail('expected a list of pairs: [["a", 1], [2, "b"]]');
      const wrong = pairs.find(pair => !isList(pair) || pair.length !== 2);
      if (wrong !== undefined) fail(`expected a pair of key and value such as ["a", 1], instead of ${preview(wrong, 40)}`);
      return { $map: pairs };
    },
    from: value => (kind(value) === 'object' ? { $map: Object.entries(value) } : null),
  },
  set: {
    label: 'Set',
    language: 'json',
    form: 'A list of its elements: [1, "a"]. Inside other JSON: {"$set": [1, "a"]}.',
    fits: value => kind(value) === 'set' && isList(inside(value)),
    text: value => listed(inside(value)),
    read: text => {
      const elements = parse(text);
      return isList(elements) ? { $set: elements } : fail('expected a list of elements: [1, "a"]');
    },
    from: value => (isList(value) ? { $set: value } : null),
  },
  undefined: {
    label: 'Undefined',
    form: 'The value undefined has no text. Inside JSON: {"$undefined": true}.',
    fits: is('undefined'),
    text: () => '',
    read: text => (text.trim() === '' ? { $undefined: true } : fail('expected nothing: undefined has no text')),
  },
  u64: {
    label: 'Counter (u64)',
    fits: is('u64'),
    text: inside,
    read: text => ({ $u64: match(/^\d{1,20}$/, text.trim(), 'digits, up to 18446744073709551615') }),
  },
};

/** The kind that a value is shown as. */
export const kindOf = value =>
  Object.keys(kinds).find(name => name !== 'json' && kinds[name].fits(value)) ?? 'json';

/** A text of one kind as a text of another; empty when it cannot be. */
export function convert(text, from, to) {
  let value;
  try {
    value = kinds[from].read(text);
  } catch {
    value = text;
  }
  if (to === 'json' || kinds[to].fits(value)) return kinds[to].text(value);
  const like = kinds[to].from?.(value);
  if (like) return kinds[to].text(like);
  const plain = typeof value === 'string' ? value : text;
  try {
    return kinds[to].text(kinds[to].read(plain));
  } catch {
    return { boolean: 'false', number: '0', bigint: '0', u64: '0', date: new Date().toISOString(), map: '[]', set: '[]' }[to] ?? '';
  }
}
