// Renaming and copying of an entry, in one commit: nothing is lost and nothing is overwritten.
import { h, toast } from './dom.js';
import { keyField } from './jump.js';
import { write } from './json.js';
import { isInternal, sameKey } from './keys.js';

/** Asks for another key and moves or copies the entry there; resolves to that key, or to null if nothing was done. */
export function moveEntry(app, entry, copies) {
  return new Promise(resolve => {
    let done = null;
    const problem = h('p.error', { role: 'alert' });
    const title = copies ? 'Copy the entry' : 'Rename the entry';
    const field = keyField({ label: 'New key', placeholder: 'users/ada', oninput: () => check() });
    const yes = h('button.main', { type: 'submit' }, copies ? 'Copy' : 'Rename');
    const check = () => {
      const key = field.read();
      problem.textContent = '';
      yes.disabled = !key?.length || sameKey(key, entry.key);
    };
    const dialog = h('dialog.ask', { 'aria-label': title, onclose: () => {
      dialog.remove();
      resolve(done);
    } },
    h('h2', null, title), h('p', null, write(entry.key)),
    h('form', { onsubmit: async event => {
      event.preventDefault();
      const key = field.read();
      yes.disabled = true;
      problem.textContent = await move(app, entry, key, copies);
      if (problem.textContent) return;
      done = key;
      toast(copies ? 'Copied.' : 'Renamed.');
      dialog.close();
    } }, field.element, problem, h('button', { onclick: () => dialog.close() }, 'Cancel'), yes));
    document.body.append(dialog);
    field.set(entry.key);
    check();
    dialog.showModal();
    field.input.focus();
  });
}

/** Returns why nothing was done; empty if it was. */
async function move(app, { key: from, versionstamp, value, expireAt }, key, copies) {
  if (isInternal(key)) return 'Keys below kvi are parts of collections. Choose another key.';
  try {
    const { committed, failedChecks } = await app.api.json('POST', 'atomic', { json: {
      checks: [{ key: from, versionstamp }, { key, versionstamp: null }],
      mutations: [{ type: 'set', key, value, expireAt }, ...(copies ? [] : [{ type: 'delete', key: from }])],
    } });
    if (committed) return '';
    return failedChecks.some(check => Number(check.rawJSON) === 1) ? `There is an entry ${write(key)} already. Choose another key, or delete that entry first.`
      : 'The entry has changed since it was read. Close this, look at it, and try again.';
  } catch (failure) {
    return failure.message;
  }
}
