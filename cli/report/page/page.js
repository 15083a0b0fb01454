// Shared by the parts of the page: the data, the selected group, numbers as text.
'use strict';
const report = (() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const watchers = [];
  const DIGITS = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  document.documentElement.classList.add('has-script');

  const column = name => data.columns.findIndex(c => c.name === name);
  const raised = n => String(n).replace(/-/g, '\u207b').replace(/\d/g, d => DIGITS[d]);

  // In four digits, as the table without scripts has them.
  function number(value) {
    if (value === null || !isFinite(value)) return '\u2013';
    const size = Math.abs(value);
    if (value === 0 || (size >= 1e-3 && size < 1e6)) return String(Number(value.toPrecision(4)));
    const exponent = Math.floor(Math.log10(size));
    return Number((value / 10 ** exponent).toPrecision(3)) + '\u00d710' + raised(exponent);
  }

  function cell(row, i) {
    return i === 1 ? row[1].toLocaleString('en-US') : i === 0 ? String(row[0]) : number(row[i]);
  }

  // make('p', {class: 'soft', onclick: f}, 'text', child)
  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  // A label with ^{raised} and _{lowered} parts as plain text.
  const plain = label => label.replace(/\^\{(-?\d+)\}/g, (_, n) => raised(n))
    .replace(/\^\{\u2212(\d+)\}/g, (_, n) => '\u207b' + raised(n)).replace(/[\^_]\{([^}]*)\}/g, '$1');

  const withUnit = (value, unit) => number(value) + (unit ? ' ' + unit : '');

  // The numbers of a group in words.
  function describe(row) {
    const parts = [`group ${row[0]}`, `${cell(row, 1)} members`];
    for (const name of ['mass', 'radius']) {
      const i = column(name);
      if (i > 0) parts.push(`${name} ${withUnit(row[i], data.columns[i].unit)}`);
    }
    return parts;
  }

  function center(row) { return ['x', 'y', 'z'].map(column).filter(i => i > 0).map(i => row[i]); }

  // A canvas as large as its place on the screen; draw(context, width, height) in units of CSS.
  function canvas(node, shape, draw) {
    const context = node.getContext('2d');
    let width = 0, height = 0, isAsked = false;
    const now = () => {
      isAsked = false;
      if (!width) return;
      const scale = window.devicePixelRatio || 1;
      context.setTransform(scale, 0, 0, scale, 0, 0);
      draw(context, width, height);
    };
    const fit = () => {
      if (width === node.parentElement.clientWidth) return;
      width = node.parentElement.clientWidth;
      height = Math.round(shape(width));
      const scale = window.devicePixelRatio || 1;
      node.width = Math.round(width * scale);
      node.height = Math.round(height * scale);
      node.style.height = height + 'px';
      now();
    };
    // Not at once: the caller does not have what this returns yet.
    queueMicrotask(fit);
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(node.parentElement);
    return {
      redraw() { if (!isAsked) { isAsked = true; requestAnimationFrame(now); } },
      size: () => [width, height],
    };
  }

  // Drags by mouse, finger or two fingers: on.move(dx, dy), on.pinch(factor, x, y), on.click(x, y).
  function drags(node, on) {
    const held = new Map();
    let travelled = 0;
    const at = e => { const r = node.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    const spread = () => { const [p, q] = [...held.values()]; return Math.hypot(p[0] - q[0], p[1] - q[1]); };
    node.addEventListener('pointerdown', e => {
      if (e.button > 0) return;
      try { node.setPointerCapture(e.pointerId); } catch { /* not a pointer of this page */ }
      held.set(e.pointerId, at(e));
      travelled = 0;
      node.classList.add('held');
    });
    node.addEventListener('pointermove', e => {
      const before = held.get(e.pointerId), now = at(e);
      if (!before) return on.hover(...now);
      const wide = held.size === 2 ? spread() : 0;
      held.set(e.pointerId, now);
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (wide > 0) {
        const [p, q] = [...held.values()];
        on.pinch(spread() / wide, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
      }
      if (travelled > 3) on.move((now[0] - before[0]) / held.size, (now[1] - before[1]) / held.size);
    });
    const release = e => {
      const wasHeld = held.delete(e.pointerId);
      if (held.size === 0) node.classList.remove('held');
      if (wasHeld && e.type === 'pointerup' && travelled <= 3) on.click(...at(e));
    };
    for (const name of ['pointerup', 'pointercancel']) node.addEventListener(name, release);
    node.addEventListener('pointerleave', () => on.leave());
    // A page that scrolls keeps scrolling: the wheel zooms with Ctrl, or once the map was clicked.
    node.addEventListener('wheel', e => {
      if (!e.ctrlKey && document.activeElement !== node) return;
      e.preventDefault();
      on.pinch(Math.exp(-e.deltaY / 400), ...at(e));
    }, {passive: false});
  }

  // A small window beside the pointer, inside its parent.
  function tip(parent) {
    const node = make('div', {class: 'tip', hidden: ''});
    parent.append(node);
    return {
      show(text, x, y) {
        node.textContent = text;
        node.hidden = false;
        const room = parent.clientWidth - node.offsetWidth - 4;
        node.style.left = Math.max(4, Math.min(x + 14, room)) + 'px';
        node.style.top = (y > node.offsetHeight + 16 ? y - node.offsetHeight - 10 : y + 16) + 'px';
      },
      hide() { node.hidden = true; },
    };
  }

  // Keys of a part of the page that has the focus.
  function keys(node, acts) {
    node.addEventListener('keydown', e => {
      if (!Object.hasOwn(acts, e.key) || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      acts[e.key]();
    });
  }

  return {
    data, column, number, cell, make, plain, withUnit, describe, center, canvas, drags, keys, tip, isCalm,
    row: group => data.rows[group],
    selected: null,
    watch(act) { watchers.push(act); },
    // `from` is the part of the page in which it was chosen.
    select(group, from) {
      if (!data.rows[group]) return;
      report.selected = group;
      for (const act of watchers) act(group, from);
    },
    // Nothing is selected any more.
    leave() {
      report.selected = null;
      for (const act of watchers) act(null, '');
    },
    // The next group of the list, or the one before.
    step(by, from) { report.select(Math.max(0, (report.selected ?? -by) + by), from); },
  };
})();
