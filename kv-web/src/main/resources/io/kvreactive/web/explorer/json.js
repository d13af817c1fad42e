// JSON without loss. 12 and 12.0 are different values in a store, so numbers keep their source text.

export const parse = text =>
  JSON.parse(text, (name, value, context) =>
    typeof value === 'number' ? JSON.rawJSON(context.source) : value);

/** Why a text cannot be read; empty when it can. */
export function problemOf(read) {
  try {
    read();
    return '';
  } catch (failure) {
    return failure.message.includes('⋯') ? `${failure.message}; a folded part was changed: undo that, or unfold it first` : failure.message;
  }
}

export const write = (value, indent) => JSON.stringify(value, null, indent);

/** On several lines, but what fits on one is on one. */
export function lines(value, indent = '') {
  const line = spaced(value);
  if (line.length + indent.length <= 90 && !(indent === '' && typeof value === 'object')) return line;
  const array = Array.isArray(value);
  if (value === null || typeof value !== 'object' || isNumber(value)) return line;
  const deeper = indent + '  ';
  const parts = Object.entries(value).map(([name, each]) => deeper + (array ? '' : write(name) + ': ') + lines(each, deeper));
  if (!parts.length) return array ? '[]' : '{}';
  return `${array ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${array ? ']' : '}'}`;
}

function spaced(value) {
  if (value === null || typeof value !== 'object' || isNumber(value)) return write(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  const parts = Object.entries(value).map(([name, each]) => `${write(name)}: ${spaced(each)}`);
  return parts.length ? `{ ${parts.join(', ')} }` : '{}';
}

export const number = text => JSON.rawJSON(text);
/** As a JavaScript number, for what is no key and no value. */
export const toNumber = value => (isNumber(value) ? Number(value.rawJSON) : Number(value));
export const isNumber = value => JSON.isRawJSON(value);

/** The kind of a value or of a part of a key: string, number, bigint, boolean, null, bytes, date, … */
export function kind(value) {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  const names = Object.keys(value);
  return names.length === 1 && names[0].startsWith('$') ? names[0].slice(1) : 'object';
}

/** What stands in a {"$kind":…}. */
export const inside = value => value[Object.keys(value)[0]];

export function toBytes(base64) {
  return Uint8Array.from(atob(base64), c => c.charCodeAt(0));
}

export function toBase64(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export const toHex = bytes => Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('');

/** A value in a line of at most so many characters. */
export function preview(value, max = 160) {
  const text = brief(value, max);
  return text.length > max ? text.slice(0, max - 1) + '…' : text;
}

function brief(value, max) {
  switch (kind(value)) {
    case 'string': return typeof value === 'string' ? write(value.slice(0, max + 1)) : write(value);
    case 'bigint': return inside(value) + 'n';
    case 'number': return isNumber(value) ? value.rawJSON : inside(value);
    case 'u64': return inside(value);
    case 'date': return inside(value) ?? 'invalid date';
    case 'undefined': return 'undefined';
    case 'bytes': {
      const base64 = inside(value);
      const some = toHex(toBytes(base64.slice(0, max - (max % 4))));
      return `0x${some}`.slice(0, max + 1);
    }
    default: return write(value);
  }
}
