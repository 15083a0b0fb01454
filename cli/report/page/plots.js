// Curves show their values under the pointer, or by the arrow keys.
(() => {
  const {data, make, number, plain} = report;
  const SVG = 'http://www.w3.org/2000/svg';
  const drawn = (tag, attributes) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };

  // The part of the way from the lower to the upper end of an axis.
  const part = (axis, v) => axis.log ? Math.log(v / axis.low) / Math.log(axis.high / axis.low)
                                     : (v - axis.low) / (axis.high - axis.low);

  // The value of a curve at x, between the two points beside it; null outside.
  function between(curve, axes, x) {
    const i = curve.x.findIndex(v => v >= x);
    if (i < 0 || (i === 0 && curve.x[0] !== x)) return null;
    if (curve.x[i] === x) return curve.y[i];
    const t = (part(axes.x, x) - part(axes.x, curve.x[i - 1])) / (part(axes.x, curve.x[i]) - part(axes.x, curve.x[i - 1]));
    return curve.y[i - 1] * (curve.y[i] / curve.y[i - 1]) ** t;
  }

  // "M (Msun/h)" as a name and a unit.
  const named = label => { const m = plain(label).match(/^(.*?)(?: \((.*)\))?$/); return {name: m[1], unit: m[2] ?? ''}; };

  for (const plot of data.plots) {
    const figure = document.querySelector(`[data-figure="${plot.figure}"]`), svg = figure?.querySelector('svg');
    const window = svg?.querySelector('svg'), first = plot.series[0];
    if (!window || !first.x.length) continue;
    const area = Object.fromEntries(['x', 'y', 'width', 'height'].map(k => [k, Number(window.getAttribute(k))]));
    const tip = report.tip(figure), mark = drawn('g', {visibility: 'hidden'});
    const spoken = make('p', {class: 'hidden', role: 'status'});
    const line = drawn('line', {stroke: 'var(--soft)', 'stroke-dasharray': '3 3', y1: area.y, y2: area.y + area.height});
    const dot = drawn('circle', {r: 5.5, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.6});
    mark.append(line, dot);
    svg.append(mark);
    figure.append(spoken);
    svg.setAttribute('tabindex', '0');
    svg.setAttribute('aria-label', svg.getAttribute('aria-label') + '. Arrow keys read the values.');
    const [x, y] = [named(plot.x.label), named(plot.y.label)];
    const places = first.x.map(v => area.x + part(plot.x, v) * area.width);
    let at = -1;

    const show = (i, isSpoken) => {
      at = i;
      const value = first.x[i], height = area.y + area.height * (1 - part(plot.y, first.y[i]));
      for (const [name, v] of [['x1', places[i]], ['x2', places[i]]]) line.setAttribute(name, v);
      dot.setAttribute('cx', places[i]);
      dot.setAttribute('cy', height);
      mark.setAttribute('visibility', 'visible');
      const curves = plot.series.map((curve, k) => [curve.name || y.name, k === 0 ? first.y[i] : between(curve, plot, value)]);
      const text = [`${x.name} = ${report.withUnit(value, x.unit)}`,
        ...curves.filter(([, v]) => v !== null).map(([name, v]) => `${plain(name)}: ${number(v)}`)].join('\n');
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      const left = svg.getBoundingClientRect().left - figure.getBoundingClientRect().left;
      tip.show(text, left + places[i] * scale, Math.max(0, height) * scale);
      if (isSpoken) spoken.textContent = text;
    };
    const hide = () => { tip.hide(); mark.setAttribute('visibility', 'hidden'); };
    svg.addEventListener('pointermove', e => {
      const r = svg.getBoundingClientRect(), px = (e.clientX - r.left) / r.width * svg.viewBox.baseVal.width;
      if (px < area.x - 8 || px > area.x + area.width + 8) return hide();
      show(places.reduce((best, p, i) => (Math.abs(p - px) < Math.abs(places[best] - px) ? i : best), 0), false);
    });
    svg.addEventListener('pointerleave', hide);
    svg.addEventListener('blur', hide);
    svg.addEventListener('keydown', e => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[e.key];
      if (!by) return;
      e.preventDefault();
      show(Math.min(Math.max(at + by, 0), places.length - 1), true);
    });
  }
})();
