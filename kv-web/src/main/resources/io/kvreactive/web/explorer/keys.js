// Keys: how they are shown, compared and typed.
import { h } from './dom.js';
import { inside, isNumber, kind, number, parse, preview, toBase64, toBytes, toHex, write } from './json.js';

/** The parts of a key; one in an unusual encoding ({"$key":…}) is shown as a single part. */
export const parts = key => (Array.isArray(key) ? key : [key]);

/** A part as people read it; what is no plain string is told apart by its looks and its kind. */
export function partText(part) {
  switch (kind(part)) {
    case 'string': return typeof part === 'string' ? part : write(part);
    case 'bigint': return inside(part) + 'n';
    case 'number': return isNumber(part) ? part.rawJSON : inside(part);
    case 'bytes': return '0x' + toHex(toBytes(inside(part)));
    default: return write(part);
  }
}

/** Parts of a key as elements; the empty one has quotes. */
export const keyElements = (parts, slash = ' / ') => parts.flatMap((part, i) =>
  [i > 0 && h('span.slash', null, slash), h(`span.k-${kind(part)}`, null, partText(part) || '""')]);

export const valueElements = (value, max) =>
  [h('span.type', null, kind(value)), ' ', h(`span.k-${kind(value)}`, null, preview(value, max))];

const canonical = part =>
  kind(part) === 'number' ? `number ${Number(partText(part))}` : `${kind(part)} ${partText(part)}`;

export const samePart = (a, b) => canonical(a) === canonical(b);

export function sameKey(a, b) {
  if (!a || !b) return a === b;
  const x = parts(a), y = parts(b);
  return x.length === y.length && x.every((part, i) => samePart(part, y[i]));
}

export const startsWith = (key, prefix) =>
  Array.isArray(key) && key.length >= prefix.length && prefix.every((p, i) => samePart(p, key[i]));

/** The prefix of the keys that collections consist of. */
export const INTERNAL = ['kvi'];
export const isInternal = key => startsWith(key, INTERNAL);

const isInteger = text => /^-?\d+n?$/.test(text);

/** What a typed part can be; the first kind is meant unless told otherwise. */
export const readings = [
  {
    kind: 'number',
    fits: text => /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text),
    read: text => number(String(Number(text))),
  },
  { kind: 'bigint', fits: isInteger, read: text => ({ $bigint: String(BigInt(text.replace('n', ''))) }) },
  { kind: 'boolean', fits: text => text === 'true' || text === 'false', read: text => text === 'true' },
  {
    kind: 'bytes',
    fits: text => /^0x([0-9a-f]{2})*$/i.test(text),
    read: text => ({ $bytes: toBase64((text.slice(2).match(/../g) ?? []).map(h => parseInt(h, 16))) }),
  },
  { kind: 'string', fits: () => true, read: text => text },
];

/**
 * What was typed into a list of {text, kinds, kind}: JSON of a key, or parts between slashes or, if
 * there are none, between spaces. A part in quotes is a string and may hold both.
 */
export function typed(text) {
  text = text.trim();
  if (text.startsWith('[')) {
    const key = parse(text);
    if (!Array.isArray(key)) throw new Error('a key is an array');
    return key.map(part => ({ text: partText(part), kinds: [kind(part)], kind: kind(part), part }));
  }
  const quoted = /"(?:[^"\\]|\\.)*"/.source;
  const bare = text.replace(new RegExp(quoted, 'g'), '').includes('/') ? '[^/"]+' : '[^\\s"]+';
  return (text.match(new RegExp(`${quoted}|${bare}`, 'g')) ?? [])
    .map(part => part.trim())
    .filter(part => part)
    .map(part => {
      if (part.length > 1 && part.startsWith('"')) {
        return { text: JSON.parse(part), kinds: ['string'], kind: 'string' };
      }
      const kinds = readings.filter(r => r.fits(part)).map(r => r.kind);
      return { text: part, kinds, kind: part.endsWith('n') && isInteger(part) ? 'bigint' : kinds[0] };
    });
}

/** The part that a typed text means. */
export const partOf = chip => chip.part ?? readings.find(r => r.kind === chip.kind).read(chip.text);

/** A key as it can be typed again: its parts, or JSON where they would mean something else. */
export function typable(key) {
  const plain = key.map(partText).join('/');
  try {
    if (sameKey(typed(plain).map(partOf), key)) return plain;
  } catch {
    // it looks like JSON, but is none
  }
  return write(key);
}

const LAST = 0x10ffff, SURROGATES = [0xd7ff, 0xe000];

/** The first part behind a part and, if it is a string or bytes, behind all that begin with it; null if there is none. */
export function behind(part) {
  switch (kind(part)) {
    case 'string': {
      const points = [...part].map(c => c.codePointAt(0));
      while (points.at(-1) === LAST) points.pop();
      if (!points.length) return null;
      const last = points.pop();
      return String.fromCodePoint(...points, last === SURROGATES[0] ? SURROGATES[1] : last + 1);
    }
    case 'bytes': {
      const bytes = [...toBytes(inside(part))];
      while (bytes.at(-1) === 255) bytes.pop();
      if (!bytes.length) return null;
      bytes.push(bytes.pop() + 1);
      return { $bytes: toBase64(bytes) };
    }
    case 'bigint': return { $bigint: String(BigInt(inside(part)) + 1n) };
    case 'number': {
      const bits = new BigInt64Array(1), value = new Float64Array(bits.buffer);
      value[0] = Number(partText(part));
      if (!Number.isFinite(value[0])) return null;
      if (value[0] === 0) return number(String(Number.MIN_VALUE));
      bits[0] += value[0] > 0 ? 1n : -1n;
      return value[0] === 0 ? { $number: '-0' } : Number.isFinite(value[0]) ? number(String(value[0])) : { $number: 'Infinity' };
    }
    case 'boolean': return part ? null : true;
    default: return null;
  }
}

/**
 * The range of keys below a prefix whose next part meets a filter: `ev` begins with it, `12` is that number,
 * `a..f` and `100..200` are ranges with both ends, of which one may be missing.
 */
export function filtered(prefix, filter) {
  const one = text => partOf(typed(text)[0]);
  const [, from, to] = /^(.*?)\.\.(.*)$/.exec(filter.trim()) ?? [null, filter.trim(), filter.trim()];
  const range = {};
  if (from.trim()) range.start = [...prefix, one(from)];
  const end = to.trim() ? behind(one(to)) : null;
  if (end !== null) range.end = [...prefix, end];
  return range;
}
