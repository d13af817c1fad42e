// The tree of prefixes. Children are asked for when a branch is opened, a page at a time.
import { h } from './dom.js';
import { kind, write } from './json.js';
import { partText, sameKey, startsWith, typable } from './keys.js';

const PAGE = 100;

export class Tree {
  #app;
  #open = new Set(); // branches, as JSON
  #from = new Map(); // branch as JSON -> the child that its list begins with, if not the first
  #selected = [];
  #grown = false; // more than a page of a branch was loaded
  element = h('ul.tree', { role: 'tree', 'aria-label': 'Prefixes', onkeydown: event => this.#keyDown(event) });

  constructor(app) {
    this.#app = app;
  }

  /** Reads the open branches again, unless more pages of one were loaded, which would be lost. */
  async follow() {
    if (!this.#grown) await this.refresh(true);
  }

  async reset() {
    this.#open.clear();
    this.#from.clear();
    this.#grown = false;
    this.element.replaceChildren();
    await this.refresh();
  }

  /** Reads the open branches again. When it follows, pages that are loaded meanwhile stay. */
  async refresh(follows = false) {
    this.#grown = false;
    const list = h('ul');
    await this.#fill(list, [], 1);
    if (follows && this.#grown) return;
    const focused = this.element.contains(document.activeElement) && document.activeElement.dataset.key;
    this.element.replaceChildren(...list.childNodes);
    this.#mark();
    if (focused) this.#items().find(item => item.dataset.key === focused)?.focus();
  }

  /** Shows where one is, and opens the branches on the way there. */
  async select(prefix, key) {
    const to = (this.#selected = Array.isArray(key) ? key : prefix);
    this.#mark();
    for (let n = 1; n <= to.length; n++) {
      const find = () => this.#items().find(one => sameKey(one.kvKey, to.slice(0, n)));
      let item = find();
      if (!item && !(n === 1 && this.#app.roots.length)) {
        const branch = this.#items().find(one => sameKey(one.kvKey, to.slice(0, n - 1)));
        this.#from.set(write(to.slice(0, n - 1)), to.slice(0, n)); // far behind: the list begins there
        if (n === 1) await this.refresh();
        else if (branch?.kvHasChildren) await this.#expand(branch);
        item = find();
      }
      if (this.#selected !== to) return; // one went elsewhere meanwhile
      if (!item) break;
      if (item.ariaExpanded === 'false' && n < to.length) await this.#expand(item);
    }
    this.#mark();
    this.element.querySelector('[aria-selected=true] > .node')?.scrollIntoView({ block: 'nearest' });
  }

  focus() {
    (this.element.querySelector('[tabindex="0"]') ?? this.#items()[0])?.focus();
  }

  async #fill(list, prefix, level, cursor) {
    const roots = level === 1 ? this.#app.roots : [];
    const page = roots.length
      ? { children: roots.map(key => ({ part: key.at(-1), text: typable(key), key, isKey: false, hasChildren: true })) }
      : await this.#app.api.get('tree', { prefix, limit: PAGE, cursor, start: cursor ? null : this.#from.get(write(prefix)) });
    if (!cursor && this.#from.has(write(prefix)) && !roots.length) {
      list.append(this.#link(level, 'from the first …', async () => {
        this.#from.delete(write(prefix));
        list.replaceChildren();
        await this.#fill(list, prefix, level);
        this.#mark();
      }));
    }
    for (const child of page.children) {
      const item = Object.assign(this.#item(child, level), { kvPrefix: prefix });
      list.append(item);
      if (child.hasChildren && this.#open.has(write(child.key))) await this.#expand(item);
    }
    if (page.cursor) {
      const more = this.#link(level, 'more …', async () => {
        const before = more.previousSibling;
        const focused = document.activeElement === more;
        this.#grown = true;
        more.remove();
        await this.#fill(list, prefix, level, page.cursor);
        if (focused) before.nextSibling?.focus();
      });
      list.append(more);
    }
  }

  #link(level, text, follow) {
    return h('li.more', {
      role: 'treeitem', tabIndex: -1, 'aria-level': level,
      onclick: event => {
        event.stopPropagation();
        return follow();
      },
    }, h('span.node', null, text));
  }

  #item({ part, key, isKey, hasChildren, text = partText(part) }, level) {
    const type = kind(part);
    const node = h('span.node', { title: `${text} (${type})` },
      h('span.twisty', { 'aria-hidden': true, onclick: event => {
        event.stopPropagation();
        this.#toggle(item);
      } }, hasChildren ? '▸' : ''),
      h(`span.part.k-${type}`, null, text || '""'),
      isKey && h('span.dot', { title: 'has a value' }, '●'));
    node.style.paddingInlineStart = `${(level - 1) * 14 + 4}px`;
    const item = h('li', {
      role: 'treeitem', tabIndex: -1, 'aria-level': level,
      'aria-label': `${text}, ${type}${isKey ? ', has a value' : ''}`,
      onclick: event => {
        event.stopPropagation();
        this.#choose(item, true);
      },
    }, node);
    if (hasChildren) item.ariaExpanded = 'false';
    item.dataset.key = write(key);
    return Object.assign(item, { kvKey: key, kvIsKey: isKey, kvHasChildren: hasChildren });
  }

  #choose(item, expand) {
    item.focus();
    if (!item.kvKey) return item.click();
    if (item.kvHasChildren && expand && item.ariaExpanded === 'false') this.#expand(item);
    if (item.kvHasChildren) this.#app.go({ prefix: item.kvKey, key: item.kvIsKey ? item.kvKey : null });
    else this.#app.go({ prefix: Array.isArray(item.kvKey) ? item.kvKey.slice(0, -1) : item.kvPrefix, key: item.kvKey });
  }

  async #expand(item) {
    this.#open.add(item.dataset.key);
    item.ariaExpanded = 'true';
    const list = h('ul', { role: 'group' });
    await this.#fill(list, item.kvKey, Number(item.ariaLevel) + 1);
    item.querySelector(':scope > ul')?.remove();
    item.append(list);
    this.#mark();
  }

  #collapse(item) {
    this.#open.delete(item.dataset.key);
    item.ariaExpanded = 'false';
    item.querySelector(':scope > ul')?.remove();
  }

  #toggle(item) {
    if (item.ariaExpanded === 'true') this.#collapse(item);
    else if (item.kvHasChildren) this.#expand(item);
  }

  #items = () => [...this.element.querySelectorAll('[role=treeitem]')];

  #mark() {
    const items = this.#items();
    let best = null;
    for (const item of items) {
      const here = item.kvKey && sameKey(item.kvKey, this.#selected);
      item.ariaSelected = Boolean(here);
      item.tabIndex = -1;
      if (item.kvKey && startsWith(this.#selected, item.kvKey)) best = item;
    }
    if (best ?? items[0]) (best ?? items[0]).tabIndex = 0;
  }

  #keyDown(event) {
    const items = this.#items();
    const item = event.target.closest('[role=treeitem]');
    const at = items.indexOf(item);
    const open = item?.ariaExpanded;
    const to = { ArrowDown: items[at + 1], ArrowUp: items[at - 1], Home: items[0], End: items.at(-1) }[event.key];
    if (to) to.focus();
    else if (event.key === 'ArrowRight' && open === 'false') this.#expand(item);
    else if (event.key === 'ArrowRight' && open === 'true') items[at + 1]?.focus();
    else if (event.key === 'ArrowLeft' && open === 'true') this.#collapse(item);
    else if (event.key === 'ArrowLeft') item?.parentElement.closest('[role=treeitem]')?.focus();
    else if (event.key === 'Enter' || event.key === ' ') this.#choose(item, true);
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
  }
}
