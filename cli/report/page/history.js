// The plot of a halo's past in the panel: its mass on the main branch over time, with a line at each merger.
report.historyPlot = (branch, mergers, labels) => {
  const SVG = 'http://www.w3.org/2000/svg', W = 400, H = 250, left = 62, right = 12, top = 12, bottom = 44;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${labels.y} over ${labels.x}`);
  const add = (tag, attributes, text) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
    return node;
  };
  const times = branch.map(p => p.at), masses = branch.map(p => p.mass).filter(m => m > 0);
  const first = Math.min(...times), last = Math.max(...times), wide = last > first ? last - first : 1;
  const low = Math.log(Math.min(...masses) / 1.6), high = Math.log(Math.max(...masses) * 1.6);
  const px = v => left + 10 + (v - first) / wide * (W - left - right - 20);
  const py = v => H - bottom - (Math.log(v) - low) / (high - low) * (H - top - bottom);
  for (const {at, name} of labels.ticks.filter(t => t.at >= first && t.at <= last)) {
    add('line', {class: 'faint', x1: px(at), x2: px(at), y1: top, y2: H - bottom});
    add('text', {class: 'text', x: px(at), y: H - bottom + 17, 'text-anchor': 'middle'}, name);
  }
  for (let e = Math.floor(low / Math.LN10); e <= high / Math.LN10; ++e)
    for (const n of high - low > Math.log(12) ? [1] : [1, 2, 5]) {
      const v = n * 10 ** e;
      if (Math.log(v) < low || Math.log(v) > high) continue;
      add('line', {class: 'faint', x1: left, x2: W - right, y1: py(v), y2: py(v)});
      add('text', {class: 'text', x: left - 6, y: py(v) + 4, 'text-anchor': 'end'}, report.number(v));
    }
  add('rect', {class: 'ink', fill: 'none', x: left, y: top, width: W - left - right, height: H - top - bottom});
  add('text', {class: 'text', x: (left + W - right) / 2, y: H - 8, 'text-anchor': 'middle'}, labels.x);
  add('text', {class: 'text', transform: `translate(12 ${(top + H - bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}, labels.y);
  for (const merger of mergers) {
    const line = add('line', {class: 'left', x1: px(merger.at), x2: px(merger.at), y1: H - bottom, 'stroke-width': 3,
                              y2: H - bottom - Math.min(1, merger.ratio) * (H - top - bottom) / 2});
    const title = document.createElementNS(SVG, 'title');
    title.textContent = `merger, ${report.number(merger.ratio)} of its mass`;
    line.append(title);
  }
  const shown = branch.filter(p => p.mass > 0);
  add('path', {class: 'fit', fill: 'none', d: 'M' + shown.map(p => `${px(p.at).toFixed(1)} ${py(p.mass).toFixed(1)}`).join('L')});
  for (const p of shown) add('circle', {class: 'used', cx: px(p.at), cy: py(p.mass), r: 2.6});
  const figure = document.createElement('figure');
  figure.append(svg);
  return figure;
};
