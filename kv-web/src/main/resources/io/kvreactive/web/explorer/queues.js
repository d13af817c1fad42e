// Queues: how much waits in them and for how long, and a form to add to them.
import { count, duration, h, Polled, toast } from './dom.js';
import { parse, problemOf, toNumber } from './json.js';

export class QueuesView extends Polled {
  constructor(app) {
    super(app, 'queues', 2000);
    this.body = h('tbody');
    this.note = h('p.empty', { hidden: true }, 'No queue has messages or consumers.');
    this.name = h('input', { type: 'text', placeholder: 'the default queue', autocomplete: 'off' });
    this.delay = h('input', { type: 'number', min: 0, value: 0, step: 'any' });
    this.value = h('textarea', { rows: 5, placeholder: '{"hello": "world"}', oninput: () => this.#check() });
    this.problem = h('p.error', { role: 'alert' });
    this.send = h('button.main', { type: 'submit', disabled: true }, 'Enqueue');
    this.form = h('form.card.enqueue', { onsubmit: event => this.#enqueue(event), 'aria-label': 'Enqueue a message' },
      h('h2', null, 'Enqueue a message'),
      h('label', null, 'Queue', this.name), h('label', null, 'Deliver after (seconds)', this.delay),
      h('label.wide', null, 'Message as JSON', this.value), this.problem, this.send);
    this.element = h('div.view', null,
      h('div.scroll.card', null, h('table.queues', { 'aria-label': 'Queues' },
        h('thead', null, h('tr', null,
          ['Queue', 'Messages', 'Ready', 'In flight', 'Delayed', 'Oldest waits', 'Consumers'].map(name => h('th', null, name)))),
        this.body), this.note),
      this.locked = h('p.dim', null, 'To enqueue a message, switch “Allow edits” on.'), this.form);
  }

  async show() {
    this.allow();
    await super.show();
  }

  allow() {
    this.form.hidden = !this.app.canEdit;
    this.locked.hidden = this.app.canEdit;
  }

  draw({ queues }) {
    this.note.hidden = queues.length > 0;
    this.body.replaceChildren(...queues.map(queue => h('tr', null,
      h('th', { scope: 'row' }, queue.name || h('em', null, 'default')),
      [queue.depth, queue.ready, queue.leased, queue.delayed].map(n => h('td', null, count(toNumber(n)))),
      h('td', null, toNumber(queue.oldestReadyMs) ? duration(toNumber(queue.oldestReadyMs)) : '–'),
      h('td', null, count(toNumber(queue.consumers))))));
  }

  #check() {
    const problem = problemOf(() => this.value.value && parse(this.value.value));
    this.problem.textContent = problem;
    this.send.disabled = Boolean(problem) || !this.value.value;
  }

  async #enqueue(event) {
    event.preventDefault();
    const message = { value: parse(this.value.value) };
    if (this.name.value) message.queue = this.name.value;
    if (Number(this.delay.value)) message.delay = Math.round(Number(this.delay.value) * 1000);
    try {
      await this.app.api.json('POST', 'enqueue', { json: message });
      toast('Enqueued.');
      await this.refresh();
    } catch (failure) {
      this.problem.textContent = failure.message;
    }
  }
}
