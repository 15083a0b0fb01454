// Groups and some of the points in three dimensions, turned by dragging.
(() => {
  const {data, make, center, column} = report;
  if (!data.space || !data.rows.length) return;
  const MOST = 400;  // groups drawn
  const words = new Uint16Array(Uint8Array.from(atob(data.space.points), c => c.charCodeAt(0)).buffer);
  const longest = Math.max(...data.space.side);
  // From the middle of the box, in units of its longest side.
  const scaled = (v, axis) => (v - data.space.low[axis] - data.space.side[axis] / 2) / longest;
  const points = Float32Array.from(words, (w, i) => (w / 65535 - 0.5) * data.space.side[i % 3] / longest);
  const groups = data.rows.slice(0, MOST).map(row =>
    ({group: row[0], at: center(row).map(scaled), radius: row[column('radius')] / longest}));
  let turn = 0.6, tilt = 0.35, size = 1, spots = [];

  const section = make('section', {id: 'space'}, make('h2', {}, 'Groups in three dimensions'));
  const node = make('canvas', {tabindex: '0', role: 'application', 'aria-label': 'Groups in three dimensions. ' +
    'Arrow keys turn the box, plus and minus zoom, 0 turns it back.'});
  const live = make('div', {class: 'live'}, node), tip = report.tip(live);
  section.append(live, make('p', {class: 'soft'}, `Drag to turn. Circles: the ${groups.length} largest groups; dots: ` +
    `${(points.length / 3).toLocaleString('en-US')} of the points, chosen at random.`));
  (document.getElementById('largest') ?? document.getElementById('groups')).after(section);
  const sheet = report.canvas(node, width => Math.min(width, Math.max(340, innerHeight * 0.66)), draw);

  // Turns about the vertical axis, then tilts; returns a function of x, y, z to the canvas.
  function camera(width, height) {
    const [ct, st, cp, sp] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    const scale = Math.min(width, height) * 0.5 * size, away = 2.4;
    return (x, y, z) => {
      const right = ct * x - st * y, deep = st * x + ct * y;
      const up = cp * z - sp * deep, front = cp * deep + sp * z;
      const near = away / (away + front);
      return [width / 2 + right * near * scale, height / 2 - up * near * scale, near * scale, front];
    };
  }

  function draw(context, width, height) {
    const project = camera(width, height);
    context.fillStyle = '#07080c';
    context.fillRect(0, 0, width, height);
    drawBox(context, project);
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, , front] = project(points[i], points[i + 1], points[i + 2]);
      context.fillStyle = front > 0.25 ? '#3a4a78' : front > -0.25 ? '#7084c4' : '#a9b8f0';
      context.fillRect(x, y, 1, 1);
    }
    spots = groups.map(({group, at, radius}) => {
      const [x, y, scale, front] = project(...at);
      return {group, x, y, r: Math.max(1.6, radius * scale), front};
    }).sort((a, b) => b.front - a.front);
    for (const spot of spots) {
      const isChosen = spot.group === report.selected, light = Math.min(1, Math.max(0.25, 0.6 - spot.front * 0.7));
      context.beginPath();
      context.arc(spot.x, spot.y, spot.r, 0, 2 * Math.PI);
      context.lineWidth = isChosen ? 2.6 : 1.2;
      context.strokeStyle = isChosen ? '#5cf0c8' : `rgba(255, 190, 110, ${light})`;
      context.stroke();
    }
    node.dataset.view = [turn, tilt, size].map(v => v.toFixed(4)).join(' ');
  }

  function drawBox(context, project) {
    const half = data.space.side.map(s => s / longest / 2);
    context.strokeStyle = 'rgba(255, 255, 255, .3)';
    context.lineWidth = 1;
    context.beginPath();
    for (let corner = 0; corner < 8; ++corner)
      for (let axis = 0; axis < 3; ++axis) {
        if (corner >> axis & 1) continue;
        const place = c => half.map((h, i) => (c >> i & 1 ? h : -h));
        const [from, to] = [project(...place(corner)), project(...place(corner | 1 << axis))];
        context.moveTo(from[0], from[1]);
        context.lineTo(to[0], to[1]);
      }
    context.stroke();
    context.fillStyle = '#fff';
    context.font = '13px system-ui, sans-serif';
    for (let axis = 0; axis < 3; ++axis) {
      const [x, y] = project(...half.map((h, i) => (i === axis ? h * 1.1 : -h)));
      context.fillText('xyz'[axis], x, y);
    }
  }

  function turnBy(dx, dy) {
    turn += dx * 0.008;
    tilt = Math.min(Math.max(tilt + dy * 0.008, -Math.PI / 2), Math.PI / 2);
    sheet.redraw();
  }
  function zoom(factor) {
    size = Math.min(Math.max(size * factor, 0.5), 12);
    sheet.redraw();
  }
  const groupAt = (x, y) => spots.findLast(s => Math.hypot(s.x - x, s.y - y) <= Math.max(s.r, 5))?.group;

  report.drags(node, {
    move: (dx, dy) => { tip.hide(); turnBy(dx, dy); },
    pinch: zoom,
    click: (x, y) => { node.focus({preventScroll: true}); const g = groupAt(x, y); if (g !== undefined) report.select(g, 'map'); },
    hover(x, y) {
      const group = groupAt(x, y);
      if (group === undefined) tip.hide(); else tip.show(report.describe(report.row(group)).join('\n'), x, y);
    },
    leave: () => tip.hide(),
  });
  node.addEventListener('keydown', e => {
    const step = 15;
    const acts = {ArrowLeft: () => turnBy(-step, 0), ArrowRight: () => turnBy(step, 0), ArrowUp: () => turnBy(0, -step),
                  ArrowDown: () => turnBy(0, step), '+': () => zoom(1.3), '=': () => zoom(1.3), '-': () => zoom(1 / 1.3),
                  0: () => { [turn, tilt, size] = [0.6, 0.35, 1]; sheet.redraw(); }};
    if (!acts[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    acts[e.key]();
  });
  report.watch(() => sheet.redraw());
})();
