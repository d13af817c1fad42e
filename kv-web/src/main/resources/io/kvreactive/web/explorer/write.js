// Changes of one entry, each of which fails with CHECK_FAILED if somebody else has changed the entry since it was read.

/** Stores the JSON of a value; of a new entry, if `versionstamp` is missing. */
export const putEntry = (api, { key, versionstamp, expireAt, json }) => api.json('PUT', 'entry', {
  query: { key, expireAt }, body: json,
  headers: { 'Content-Type': 'application/json', ...(versionstamp ? { 'If-Match': `"${versionstamp}"` } : { 'If-None-Match': '*' }) },
});

/** Changes the time of expiry alone. */
export async function touchEntry(api, { key, versionstamp, expireAt }) {
  const done = await api.json('POST', 'atomic', {
    json: { checks: [{ key, versionstamp }], mutations: [{ type: 'touch', key, expireAt }] },
  });
  if (!done.committed) throw Object.assign(new Error('changed'), { code: 'CHECK_FAILED' });
}

export const deleteEntry = (api, { key, versionstamp }) =>
  api.json('DELETE', 'entry', { query: { key }, headers: { 'If-Match': `"${versionstamp}"` } });

/** Reads what is stored at a key now; undefined if there is no entry. */
export async function entryNow(api, key) {
  const { entries } = await api.json('POST', 'entries/get', { json: { keys: [key] } });
  return entries[0]?.versionstamp ? entries[0] : undefined;
}
