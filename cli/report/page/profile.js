// The plot of a density profile in the panel: points {x, y, error, isLeft} and a curve, on logarithmic axes.
report.profilePlot = (points, curve, labels) => {
  const SVG = 'http://www.w3.org/2000/svg', W = 400, H = 270, left = 62, right = 12, top = 12, bottom = 44;
  const add = (parent, tag, attributes, text) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  };
  const xs = points.map(p => p.x), ys = points.map(p => p.y);
  const span = (low, high) => ({low: Math.log(low), high: Math.log(high)});
  const x = span(Math.min(...xs) / 1.25, Math.max(...xs) * 1.25), y = span(Math.min(...ys) / 2.5, Math.max(...ys) * 3);
  const px = v => left + (Math.log(v) - x.low) / (x.high - x.low) * (W - left - right);
  const py = v => H - bottom - (Math.log(v) - y.low) / (y.high - y.low) * (H - top - bottom);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${W} ${H}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${labels.y} over ${labels.x}`);

  const ticks = (axis, draw) => {
    const wide = axis.high - axis.low > Math.log(12);
    for (let e = Math.floor(axis.low / Math.LN10); e <= axis.high / Math.LN10; ++e)
      for (const n of wide ? [1] : [1, 2, 5])
        if (Math.log(n * 10 ** e) >= axis.low && Math.log(n * 10 ** e) <= axis.high) draw(n * 10 ** e);
  };
  ticks(x, v => {
    add(svg, 'line', {class: 'faint', x1: px(v), x2: px(v), y1: top, y2: H - bottom});
    add(svg, 'text', {class: 'text', x: px(v), y: H - bottom + 17, 'text-anchor': 'middle'}, report.number(v));
  });
  ticks(y, v => {
    add(svg, 'line', {class: 'faint', x1: left, x2: W - right, y1: py(v), y2: py(v)});
    add(svg, 'text', {class: 'text', x: left - 6, y: py(v) + 4, 'text-anchor': 'end'}, report.number(v));
  });
  add(svg, 'rect', {class: 'ink', fill: 'none', x: left, y: top, width: W - left - right, height: H - top - bottom});
  add(svg, 'text', {class: 'text', x: (left + W - right) / 2, y: H - 8, 'text-anchor': 'middle'}, labels.x);
  add(svg, 'text', {class: 'text', transform: `translate(12 ${(top + H - bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}, labels.y);

  const inside = add(svg, 'svg', {x: left, y: top, width: W - left - right, height: H - top - bottom,
                                  viewBox: `${left} ${top} ${W - left - right} ${H - top - bottom}`});
  if (curve.length)
    add(inside, 'path', {class: 'fit', fill: 'none', d: 'M' + curve.map(p => `${px(p.x).toFixed(1)} ${py(p.y).toFixed(1)}`).join('L')});
  for (const p of points) {
    const kind = p.isLeft ? 'left' : 'used';
    add(inside, 'line', {class: kind, x1: px(p.x), x2: px(p.x), y1: py(p.y * (1 + p.error)), y2: py(p.y * Math.max(1e-3, 1 - p.error))});
    add(inside, 'circle', {class: kind, cx: px(p.x), cy: py(p.y), r: 3.4});
  }
  if (labels.name) add(svg, 'text', {class: 'fit', x: W - right - 8, y: top + 18, 'text-anchor': 'end'}, labels.name);
  const figure = document.createElement('figure');
  figure.append(svg);
  return figure;
};
