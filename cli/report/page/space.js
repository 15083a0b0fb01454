// Groups and particles in three dimensions: turned by dragging, flown through by selecting. Particles are drawn by
// WebGL where there is some, else as dots on the canvas that shows the box and the groups.
(() => {
  const {data, make, center, column, particles} = report;
  if (!particles || !data.rows.length) return;
  const MOST = 400;  // groups drawn
  const AWAY = 2.4;  // of the eye, in sides of the box
  const space = data.space, longest = Math.max(...space.side), side = space.side.map(s => s / longest);
  // From the middle of the box, in units of its longest side.
  const scaled = (v, axis) => (v - space.low[axis] - space.side[axis] / 2) / longest;
  const wrapped = (d, axis) => (space.wraps[axis] ? d - side[axis] * Math.round(d / side[axis]) : d);
  const groups = data.rows.slice(0, MOST).map(row =>
    ({group: row[0], at: center(row).map(scaled), radius: row[column('radius')] / longest}));
  const start = {turn: 0.6, tilt: 0.35, size: 1.12, target: [0, 0, 0]};
  let eye = {...start}, spots = [], hasCircles = true, journey = 0;

  const section = make('section', {id: 'space'}, make('h2', {}, 'The particles in three dimensions'));
  const node = make('canvas', {tabindex: '0', role: 'application', 'aria-label': 'Particles and groups in three ' +
    'dimensions. Arrow keys turn the box, plus and minus zoom, c hides the circles, 0 shows everything.'});
  const under = make('canvas', {class: 'under', 'aria-hidden': 'true'});
  const live = make('div', {class: 'live'}, under, node), tip = report.tip(live);
  const button = (text, label, act) =>
    make('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
  live.append(make('div', {class: 'corner'}, button('+', 'Zoom in', () => zoom(1.5)),
    button('\u2212', 'Zoom out', () => zoom(1 / 1.5)), button('\u2922', 'Show everything', () => fly(start)),
    button('\u25ef', 'Circles on or off', () => circle())));
  const painter = report.gl?.(under, particles, {side, wraps: space.wraps, away: AWAY, reach: particles.reach, longest});
  section.append(live, make('p', {class: 'soft'}, `Drag to turn; select a group to fly to it. Colors show the density; ` +
    `${particles.count.toLocaleString('en-US')} of ${space.all.toLocaleString('en-US')} particles, more of them in small ` +
    `groups. Circles: the ${groups.length} largest groups.${painter ? '' : ' (No WebGL here: dots instead.)'}`));
  section.dataset.painter = painter ? 'webgl' : 'canvas';
  (document.getElementById('map') ?? document.querySelector('.tiles')).after(section);
  const sheet = report.canvas(node, width => Math.min(width, Math.max(340, innerHeight * 0.7)), draw);

  // Turns about the vertical axis through the target, then tilts: rows give right, up and away from the eye.
  function rotation() {
    const [ct, st, cp, sp] = [Math.cos(eye.turn), Math.sin(eye.turn), Math.cos(eye.tilt), Math.sin(eye.tilt)];
    return [ct, -st, 0, -sp * st, -sp * ct, cp, cp * st, cp * ct, sp];
  }

  // A function of a place to the canvas: x, y, pixels per unit there, distance behind the target.
  function camera(width, height) {
    const m = rotation(), scale = Math.min(width, height) * 0.5 * eye.size;
    return (p, wraps = true) => {
      const [x, y, z] = p.map((v, i) => (wraps ? wrapped(v - eye.target[i], i) : v - eye.target[i]));
      const front = m[6] * x + m[7] * y + m[8] * z, near = AWAY / Math.max(AWAY + front, 0.2);
      return [width / 2 + (m[0] * x + m[1] * y + m[2] * z) * near * scale,
              height / 2 - (m[3] * x + m[4] * y + m[5] * z) * near * scale, near * scale, front];
    };
  }
  const fade = front => Math.exp(-((front * eye.size * 0.6) ** 2));

  function draw(context, width, height) {
    const project = camera(width, height);
    context.clearRect(0, 0, width, height);
    if (painter)
      painter.draw({width, height, rotation: rotation(), scale: Math.min(width, height) * 0.5 * eye.size,
                    target: eye.target, size: eye.size, chosen: report.selected});
    else
      drawDots(context, width, height, project);
    drawBox(context, project);
    drawGroups(context, project);
    node.dataset.view = [eye.turn, eye.tilt, eye.size, ...eye.target].map(v => v.toFixed(4)).join(' ');
  }

  function drawDots(context, width, height, project) {
    context.fillStyle = '#07080c';
    context.fillRect(0, 0, width, height);
    const step = Math.max(1, Math.floor(particles.count / 24000));
    for (let i = 0; i < particles.count; i += step) {
      const [x, y, , front] = project([0, 1, 2].map(axis => (particles.words[axis * particles.count + i] / 65535 - 0.5) * side[axis]));
      const c = 3 * (64 + (particles.density[i] >> 1) + (particles.density[i] >> 3));
      context.globalAlpha = 0.15 + 0.85 * fade(front);
      context.fillStyle = `rgb(${particles.colors[c]}, ${particles.colors[c + 1]}, ${particles.colors[c + 2]})`;
      context.fillRect(x, y, 1.4, 1.4);
    }
    context.globalAlpha = 1;
  }

  function drawGroups(context, project) {
    spots = groups.map(({group, at, radius}) => {
      const [x, y, scale, front] = project(at);
      return {group, x, y, r: Math.max(1.6, radius * scale), front};
    }).sort((a, b) => b.front - a.front);
    for (const spot of spots) {
      const isChosen = spot.group === report.selected, light = 0.75 * fade(spot.front);
      if (!isChosen && (!hasCircles || light < 0.05)) continue;
      context.beginPath();
      context.arc(spot.x, spot.y, spot.r, 0, 2 * Math.PI);
      context.lineWidth = isChosen ? 2 : 1;
      context.strokeStyle = isChosen ? '#5cf0c8' : `rgba(255, 255, 255, ${light * (spot.group < 40 ? 0.8 : 0.35)})`;
      context.stroke();
      if (!isChosen && (spot.r < 14 || light < 0.4)) continue;
      context.font = '600 12px system-ui, sans-serif';
      context.fillStyle = isChosen ? '#5cf0c8' : '#fff';
      context.fillText(spot.group, spot.x + 0.72 * spot.r + 3, spot.y - 0.72 * spot.r);
    }
  }

  function drawBox(context, project) {
    const half = side.map(s => s / 2), place = c => half.map((h, i) => (c >> i & 1 ? h : -h));
    context.strokeStyle = 'rgba(255, 255, 255, .22)';
    context.lineWidth = 1;
    context.beginPath();
    for (let corner = 0; corner < 8; ++corner)
      for (let axis = 0; axis < 3; ++axis) {
        if (corner >> axis & 1) continue;
        const [from, to] = [corner, corner | 1 << axis].map(c => project(place(c), false));
        context.moveTo(from[0], from[1]);
        context.lineTo(to[0], to[1]);
      }
    context.stroke();
    context.fillStyle = 'rgba(255, 255, 255, .8)';
    context.font = '13px system-ui, sans-serif';
    for (let axis = 0; axis < 3; ++axis) {
      const [x, y] = project(half.map((h, i) => (i === axis ? h * 1.1 : -h)), false);
      context.fillText('xyz'[axis], x, y);
    }
  }

  function turnBy(dx, dy) {
    eye = {...eye, turn: eye.turn + dx * 0.008, tilt: Math.min(Math.max(eye.tilt + dy * 0.008, -Math.PI / 2), Math.PI / 2)};
    sheet.redraw();
  }
  function zoom(factor) {
    ++journey;
    eye = {...eye, size: Math.min(Math.max(eye.size * factor, 0.5), 120)};
    sheet.redraw();
  }
  function circle() { hasCircles = !hasCircles; sheet.redraw(); }

  function fly(goal) {
    const from = {...eye}, began = performance.now(), mine = ++journey;
    const way = goal.target.map((v, i) => wrapped(v - from.target[i], i));
    const step = now => {
      if (mine !== journey) return;
      const t = report.isCalm ? 1 : Math.min(1, Math.max(0, now - began) / 1100), s = t * t * (3 - 2 * t);
      const between = (a, b) => a + s * (b - a);
      eye = t === 1 ? {...eye, ...goal} : {turn: between(from.turn, goal.turn ?? from.turn),
        tilt: between(from.tilt, goal.tilt ?? from.tilt), size: from.size * (goal.size / from.size) ** s,
        target: from.target.map((v, i) => v + s * way[i])};
      if (t < 1) requestAnimationFrame(step);
      sheet.redraw();
    };
    requestAnimationFrame(step);
  }

  const groupAt = (x, y) => spots.findLast(s => fade(s.front) > 0.2 && Math.hypot(s.x - x, s.y - y) <= Math.max(s.r, 5))?.group;
  report.drags(node, {
    move: (dx, dy) => { tip.hide(); turnBy(dx, dy); },
    pinch: zoom,
    click: (x, y) => { node.focus({preventScroll: true}); const g = groupAt(x, y); if (g !== undefined) report.select(g, 'space'); },
    hover(x, y) {
      const group = groupAt(x, y);
      if (group === undefined) tip.hide(); else tip.show(report.describe(report.row(group)).join('\n'), x, y);
    },
    leave: () => tip.hide(),
  });
  const step = 15;
  report.keys(node, {ArrowLeft: () => turnBy(-step, 0), ArrowRight: () => turnBy(step, 0), ArrowUp: () => turnBy(0, -step),
                     ArrowDown: () => turnBy(0, step), '+': () => zoom(1.3), '=': () => zoom(1.3), '-': () => zoom(1 / 1.3),
                     c: circle, 0: () => fly(start)});
  report.watch(group => {
    if (group === null) return sheet.redraw();
    const row = report.row(group), radius = Math.max(row[column('radius')] / longest, 1e-6);
    fly({target: center(row).map(scaled), size: Math.min(Math.max(0.16 / radius, 2), 100)});
  });
})();
