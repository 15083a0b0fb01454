// The maps as one that pans and zooms. Its pictures are those of the figures without scripts.
(() => {
  const {data, make, center, column, number, particles} = report;
  const MOST_RINGS = 60;  // that are drawn where few are wanted
  const section = document.getElementById('map');
  if (!section || !data.maps.length) return;
  const maps = data.maps.map(map => {
    const image = new Image();
    image.src = document.querySelector(`[data-figure="${map.figure}"] svg image`).getAttribute('href');
    image.onload = () => sheet.redraw();
    return {...map, image};
  });
  const radius = column('radius');
  let map = maps[0], view = null, hovered = null, rings = 'few', drawn = [];
  let slab = {...maps[0]};  // the visible range of the depth: center, thickness (0: everything)

  const node = make('canvas', {tabindex: '0', role: 'application', 'aria-label': 'Map of the groups. Arrow keys pan, ' +
    'plus and minus zoom, 0 shows everything, n and p select the next and the previous group, Enter goes to its panel, ' +
    'c changes the circles, [ and ] move through the depth.'});
  const button = (text, label, act) =>
    make('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
  const corner = make('div', {class: 'corner'}, button('+', 'Zoom in', () => zoom(1.6)),
    button('\u2212', 'Zoom out', () => zoom(1 / 1.6)), button('\u2922', 'Show everything', () => go(whole())));
  const readout = make('p', {class: 'readout', role: 'status'}, 'Drag to pan; use the buttons, pinch, or Ctrl and the wheel ' +
    'to zoom; click a circle to select its group.');
  const live = make('div', {class: 'live'}, node, corner), tip = report.tip(live);
  const choices = maps.map(m => make('button', {type: 'button', 'aria-pressed': m === map, onclick: () => choose(m)}, m.name));
  const tools = make('div', {class: 'tools', role: 'group', 'aria-label': 'Projection'}, ...choices);
  const slider = (label, min, max, act) => {
    const input = make('input', {type: 'range', min, max, step: 'any', oninput: () => act(Number(input.value))});
    const value = make('output', {});
    return {input, value, node: make('label', {class: 'slider'}, make('span', {}, label), input, value)};
  };
  const depth = slider('Depth', 0, 1, v => cut({center: range()[0] + v * (range()[1] - range()[0])}));
  const thick = slider('Thickness', -5.4, 0, v => cut({thickness: v > -0.02 ? 0 : (range()[1] - range()[0]) * 2 ** v}));
  const choice = make('select', {onchange: () => { rings = choice.value; sheet.redraw(); }},
    ...[['few', 'that fit'], ['all', 'all'], ['none', 'none']].map(([value, text]) => make('option', {value}, text)));
  const levers = make('div', {class: 'tools levers'}, depth.node, thick.node,
    make('label', {class: 'slider'}, make('span', {}, 'Circles'), choice));
  section.append(...(maps.length > 1 ? [tools] : []), live, levers, readout);
  // Along the line of sight.
  const range = () => [data.space?.low[map.depth] ?? 0, (data.space?.low[map.depth] ?? 0) + (data.space?.side[map.depth] ?? 1)];
  function showLevers() {
    const [low, high] = range(), isThrough = !slab.thickness;
    depth.node.hidden = thick.node.hidden = map.depth < 0 || !particles;
    depth.input.disabled = isThrough;
    depth.input.value = (slab.center - low) / (high - low);
    thick.input.value = isThrough ? 0 : Math.log2(slab.thickness / (high - low));
    depth.value.textContent = isThrough ? 'everything' : `${'xyz'[map.depth]} = ${report.withUnit(slab.center, data.unit)}`;
    thick.value.textContent = isThrough ? 'everything' : report.withUnit(slab.thickness, data.unit);
  }
  function cut(change) {
    slab = {...slab, ...change};
    if (change.thickness && !(slab.center >= range()[0] && slab.center <= range()[1])) slab.center = (range()[0] + range()[1]) / 2;
    showLevers();
    explain();
    sheet.redraw();
  }
  // Painted from the particles, unless it is the picture that the page has.
  const isPainted = () => particles && map.depth >= 0 &&
    (slab.thickness !== map.thickness || (map.thickness > 0 && slab.center !== map.center));
  const caption = make('p', {class: 'soft'});
  const explain = () => {
    caption.textContent = isPainted() ? 'Density from the particles in this page. Circles reach from the center of mass ' +
      'to the farthest member; numbers are rows of the table.' : document.querySelector(`[data-figure="${map.figure}"] figcaption`)?.textContent ?? '';
  };
  section.append(caption);
  explain();
  showLevers();
  const sheet = report.canvas(node, width => Math.min(width * map.side[1] / map.side[0], Math.max(360, innerHeight * 0.72)),
    draw);

  function whole() {
    const [width, height] = sheet.size();
    return {x: map.low[0] + map.side[0] / 2, y: map.low[1] + map.side[1] / 2,
            zoom: Math.min(width / map.side[0], height / map.side[1])};
  }

  // Along an axis that wraps the nearest image, else the place itself.
  function near(value, axis, about) {
    const side = map.side[axis];
    return map.wraps[axis] ? value - side * Math.round((value - about) / side) : value;
  }

  function isShown(row) {
    if (map.depth < 0 || !slab.thickness) return true;
    let away = Math.abs(center(row)[map.depth] - slab.center);
    if (map.period) away = Math.min(away % map.period, map.period - away % map.period);
    return away <= slab.thickness / 2;
  }

  // Where a group is on the canvas, and its radius there.
  function spot(row) {
    const [width, height] = sheet.size(), c = center(row);
    const x = near(c[map.axes[0]], 0, view.x), y = near(c[map.axes[1]], 1, view.y);
    return [width / 2 + (x - view.x) * view.zoom, height / 2 - (y - view.y) * view.zoom, row[radius] * view.zoom];
  }

  function draw(context, width, height) {
    view ??= whole();
    context.fillStyle = '#07080c';
    context.fillRect(0, 0, width, height);
    if (isPainted()) drawParticles(context, width, height); else drawPictures(context, width, height);
    drawGroups(context, width, height);
    drawScale(context, height);
    node.dataset.view = [view.x, view.y, view.zoom].map(v => v.toPrecision(6)).join(' ');
  }

  let painting = {key: '', sheet: null};
  function drawParticles(context, width, height) {
    const fine = 1.25, place = [0, 0, 0];  // pixels of the screen for one that is painted
    [place[map.axes[0]], place[map.axes[1]], place[map.depth]] = [view.x, view.y, slab.center];
    const wanted = {center: place, axes: map.axes, depth: map.depth, thickness: slab.thickness, zoom: view.zoom / fine,
                    width: Math.round(width / fine), height: Math.round(height / fine)};
    const key = JSON.stringify(wanted);
    if (painting.key !== key) painting = {key, sheet: particles.paint(wanted)};
    context.drawImage(painting.sheet, 0, 0, width, height);
  }

  function drawPictures(context, width, height) {
    const copies = (axis, middle, half) => !map.wraps[axis] ? [0, 0] :
      [middle - half, middle + half].map(v => Math.floor((v - map.low[axis]) / map.side[axis]));
    const [left, right] = copies(0, view.x, width / 2 / view.zoom), [low, high] = copies(1, view.y, height / 2 / view.zoom);
    const w = map.side[0] * view.zoom, h = map.side[1] * view.zoom;
    if (!map.image.complete || !map.image.naturalWidth) return;
    for (let i = left; i <= right; ++i)
      for (let j = low; j <= high; ++j) {
        const x = width / 2 + (map.low[0] + i * map.side[0] - view.x) * view.zoom;
        const y = height / 2 - (map.low[1] + (j + 1) * map.side[1] - view.y) * view.zoom;
        context.globalAlpha = i === 0 && j === 0 ? 1 : 0.65;  // periodic images
        context.drawImage(map.image, x, y, w, h);
      }
    context.globalAlpha = 1;
  }

  function ring(context, x, y, r, color, width, dashes = []) {
    context.beginPath();
    context.setLineDash(dashes);
    context.arc(x, y, Math.max(r, 3), 0, 2 * Math.PI);
    context.lineWidth = width + 1.6;
    context.strokeStyle = 'rgba(0, 0, 0, .55)';
    context.stroke();
    context.lineWidth = width;
    context.strokeStyle = color;
    context.stroke();
    context.setLineDash([]);
  }

  // Circles on the canvas, the largest first. Few: none inside or far into a larger one; more appear as one zooms in.
  function chosenRings(width, height) {
    const list = [];
    for (const row of data.rows) {
      if (!isShown(row)) continue;
      const [x, y, r] = spot(row);
      if (!(r >= 2.2) || x < -r || y < -r || x > width + r || y > height + r) continue;
      if (rings === 'few' && (list.length >= MOST_RINGS || r < 5 ||
          list.some(o => Math.hypot(o.x - x, o.y - y) < o.r + 0.35 * r))) continue;
      list.push({group: row[0], x, y, r});
    }
    return list;
  }

  function drawGroups(context, width, height) {
    context.font = '600 12px system-ui, sans-serif';
    drawn = chosenRings(width, height);
    if (rings !== 'none') {
      for (const {x, y, r} of [...drawn].reverse()) ring(context, x, y, r, 'rgba(255, 255, 255, .85)', 1.1);
      writeNumbers(context, drawn.filter(o => o.r > 13).map(o => [o.group, o.x + 0.72 * o.r + 3, o.y - 0.72 * o.r]));
    }
    node.dataset.rings = rings === 'none' ? 0 : drawn.length;
    for (const [group, color] of [[hovered, '#ffd34d'], [report.selected, '#5cf0c8']]) {
      const row = report.row(group);
      if (!row) continue;
      const [x, y, r] = spot(row);
      ring(context, x, y, r, color, 2.4, isShown(row) ? [] : [6, 4]);
    }
  }

  // Numbers of groups, the largest first; one that would lie on another is left out.
  function writeNumbers(context, labels) {
    const taken = [];
    context.lineWidth = 3;
    context.strokeStyle = 'rgba(0, 0, 0, .6)';
    context.fillStyle = '#fff';
    for (const [text, x, y] of labels) {
      const width = context.measureText(text).width + 4;
      if (taken.some(t => Math.abs(t.y - y) < 14 && x < t.x + t.width && t.x < x + width)) continue;
      taken.push({x, y, width});
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }

  function drawScale(context, height) {
    const wanted = 140 / view.zoom, power = 10 ** Math.floor(Math.log10(wanted));
    const length = [5, 2, 1].map(n => n * power).find(v => v <= wanted), x = 16, y = height - 16;
    context.fillStyle = 'rgba(0, 0, 0, .55)';
    context.fillRect(x - 8, y - 24, length * view.zoom + 16, 32);
    context.fillStyle = '#fff';
    context.fillRect(x, y, length * view.zoom, 2);
    context.font = '12px system-ui, sans-serif';
    context.fillText(report.withUnit(length, data.unit), x, y - 7);
  }

  // Keeps the middle inside the box, and the scale within bounds.
  function tidy(v) {
    const limits = whole().zoom;
    const zoom = Math.min(Math.max(v.zoom, limits * 0.7), limits * 80);
    const [x, y] = [[v.x, 0], [v.y, 1]].map(([value, axis]) => {
      const low = map.low[axis], side = map.side[axis];
      if (map.wraps[axis]) return value - side * Math.floor((value - low) / side);
      return Math.min(Math.max(value, low), low + side);
    });
    return {x, y, zoom};
  }

  let journey = 0;
  function go(goal) {
    const from = {...view}, began = performance.now(), mine = ++journey;
    goal = {...goal, x: near(goal.x, 0, from.x), y: near(goal.y, 1, from.y)};
    const step = now => {
      if (mine !== journey) return;
      const t = report.isCalm ? 1 : Math.min(1, Math.max(0, now - began) / 350), s = t * t * (3 - 2 * t);
      view = {x: from.x + s * (goal.x - from.x), y: from.y + s * (goal.y - from.y),
              zoom: from.zoom * (goal.zoom / from.zoom) ** s};
      if (t === 1) view = tidy(view); else requestAnimationFrame(step);
      sheet.redraw();
    };
    requestAnimationFrame(step);
  }

  function zoom(factor, x, y) {
    const [width, height] = sheet.size();
    const dx = ((x ?? width / 2) - width / 2) / view.zoom, dy = (height / 2 - (y ?? height / 2)) / view.zoom;
    const before = view.zoom, wide = tidy({...view, zoom: before * factor}).zoom;
    ++journey;
    view = tidy({x: view.x + dx * (1 - before / wide), y: view.y + dy * (1 - before / wide), zoom: wide});
    sheet.redraw();
  }

  function pan(dx, dy) {
    ++journey;
    view = tidy({...view, x: view.x - dx / view.zoom, y: view.y + dy / view.zoom});
    sheet.redraw();
  }

  function choose(other) {
    const isSame = other.axes.join() === map.axes.join();
    map = other;
    slab = {...other};
    showLevers();
    explain();
    choices.forEach((choice, i) => choice.setAttribute('aria-pressed', maps[i] === map));
    if (!isSame) {
      const row = report.row(report.selected), c = row && center(row);
      view = c ? tidy({...view, x: c[map.axes[0]], y: c[map.axes[1]]}) : whole();
    }
    sheet.redraw();
  }

  // The smallest circle around a place, if there is one.
  function groupAt(x, y) {
    let best = null, least = Infinity;
    for (const {group, x: cx, y: cy, r} of drawn)
      if (Math.hypot(x - cx, y - cy) <= Math.max(r, 7) && r < least) [best, least] = [group, r];
    return best;
  }

  report.drags(node, {
    move: (dx, dy) => { tip.hide(); pan(dx, dy); },
    pinch: zoom,
    click: (x, y) => { node.focus({preventScroll: true}); const g = groupAt(x, y); if (g !== null) report.select(g, 'map'); },
    hover(x, y) {
      const group = groupAt(x, y);
      if (group !== null) tip.show(report.describe(report.row(group)).join('\n'), x, y); else tip.hide();
      if (group !== hovered) { hovered = group; sheet.redraw(); }
    },
    leave() { tip.hide(); hovered = null; sheet.redraw(); },
  });
  node.addEventListener('dblclick', e => { const r = node.getBoundingClientRect(); zoom(2, e.clientX - r.left, e.clientY - r.top); });
  function circle() {
    choice.value = rings = {few: 'all', all: 'none', none: 'few'}[rings];
    sheet.redraw();
  }
  function move(by) {
    const [low, high] = range(), wide = slab.thickness || (high - low) / 10;
    if (depth.node.hidden) return;
    cut({thickness: wide, center: Math.min(Math.max((slab.thickness ? slab.center : (low + high) / 2) + by * wide / 2, low), high)});
  }
  const far = 60;
  report.keys(node, {ArrowLeft: () => pan(far, 0), ArrowRight: () => pan(-far, 0), ArrowUp: () => pan(0, far),
                     ArrowDown: () => pan(0, -far), '+': () => zoom(1.5), '=': () => zoom(1.5), '-': () => zoom(1 / 1.5),
                     0: () => go(whole()), n: () => report.step(1, 'map'), p: () => report.step(-1, 'map'), c: circle,
                     '[': () => move(-1), ']': () => move(1), Enter: () => document.getElementById('panel')?.focus()});

  report.watch(group => {
    if (group === null) {
      readout.textContent = '';
      return sheet.redraw();
    }
    const row = report.row(group), c = center(row);
    const through = maps.find(m => !m.thickness && m.axes.join() === map.axes.join());
    if (!isShown(row) && particles && map.depth >= 0) cut({center: c[map.depth]});
    else if (!isShown(row) && through) choose(through);
    const fit = 60 / Math.max(row[radius], 1e-300), least = whole().zoom * 2;
    go({x: c[map.axes[0]], y: c[map.axes[1]], zoom: Math.max(view.zoom, Math.min(Math.max(fit, least), whole().zoom * 30))});
    const place = c.map((v, i) => `${'xyz'[i]} = ${number(v)}`).join(', ');
    readout.textContent = `Selected: ${report.describe(row).join(', ')}, at ${place}${data.unit ? ' ' + data.unit : ''}` +
      `${isShown(row) ? '' : ' (outside this slice)'}.`;
  });
})();
