// The panel of one group: close-up, density profile, members, shape, subhalos, neighbors. Its address is #group=15.
(() => {
  const {data, make, center, column, number, plain, particles, withUnit} = report, panels = data.panels;
  if (!data.rows.length) return;
  const NEIGHBORS = 5, SUBHALOS = 8, SIZE = 400;
  const massColumn = column('mass'), radiusColumn = column('radius');
  const massUnit = data.columns[massColumn]?.unit ?? '';
  const heading = make('h2', {'aria-live': 'polite'}), body = make('div', {class: 'content'});
  const button = (text, label, act) =>
    make('button', {type: 'button', 'aria-label': label, title: label, onclick: act}, text);
  const link = button('Copy link', 'Copy a link to this group', async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      link.textContent = 'Copied';
    } catch { link.textContent = 'See the address bar'; }
    setTimeout(() => { link.textContent = 'Copy link'; }, 1500);
  });
  const panel = make('aside', {id: 'panel', tabindex: '-1', 'aria-label': 'Selected group', hidden: ''},
    make('header', {}, heading, make('span', {class: 'space'}), button('\u2190', 'Previous group (p)', () => report.step(-1, 'panel')),
      button('\u2192', 'Next group (n)', () => report.step(1, 'panel')), link, button('\u00d7', 'Close (Escape)', () => report.leave())),
    body);
  document.body.append(panel);

  const line = (name, value) => make('div', {}, make('dt', {}, name), make('dd', {}, value));
  const part = (title, ...nodes) => make('section', {}, make('h3', {}, title), ...nodes);
  const sphereOf = group => panels.spheres?.rows[group] || null;
  const table = (heads, rows) => make('table', {}, make('thead', {}, make('tr', {}, ...heads.map(h => make('th', {scope: 'col'}, h)))),
    make('tbody', {}, ...rows.map(cells => make('tr', {}, ...cells.map(c => make('td', {}, c))))));
  const toGroup = group => make('a', {href: `#group=${group}`}, `group ${group}`);

  function facts(row) {
    const sphere = sphereOf(row[0]), letter = panels.spheres?.letter, list = make('dl', {});
    for (let i = 1; i < data.columns.length; ++i)
      if (!['x', 'y', 'z'].includes(data.columns[i].name))
        list.append(line(plain(data.columns[i].name), report.cell(row, i) + (data.columns[i].unit ? ' ' + data.columns[i].unit : '')));
    list.append(line('center', center(row).map(number).join(', ') + (data.unit ? ' ' + data.unit : '')));
    if (sphere) {
      list.append(line(`M200${letter}`, withUnit(sphere[4], massUnit)), line(`R200${letter}`, withUnit(sphere[3], data.unit)));
      if (sphere[7]) list.append(line('concentration', number(sphere[7])));
    }
    return list;
  }

  // Everything within 1.4 radii, projected along the line of sight of the first map.
  function closeUp(row) {
    const map = data.maps[0];
    if (!map || !(row[radiusColumn] > 0)) return [];
    const half = 1.4 * row[radiusColumn], zoom = SIZE / (2 * half), middle = center(row);
    const node = make('canvas', {width: SIZE, height: SIZE, role: 'img', 'aria-label': `Density around group ${row[0]}`});
    const context = node.getContext('2d');
    if (particles)
      context.drawImage(particles.paint({center: middle, axes: map.axes, depth: map.depth, thickness: 2 * half, zoom,
                                         width: SIZE, height: SIZE}), 0, 0);
    else
      cropMap(context, map, middle, zoom);
    const place = p => map.axes.map((axis, i) => SIZE / 2 + (i ? -1 : 1) *
      (particles ? particles.offset(p[axis] - middle[axis], axis) : p[axis] - middle[axis]) * zoom);
    const ring = (p, r, color, width) => {
      context.beginPath();
      context.arc(...place(p), r * zoom, 0, 2 * Math.PI);
      [context.strokeStyle, context.lineWidth] = [color, width];
      context.stroke();
    };
    const sphere = sphereOf(row[0]);
    if (sphere) ring(sphere.slice(0, 3), sphere[3], '#5cf0c8', 1.6);
    else ring(middle, row[radiusColumn], '#5cf0c8', 1.6);
    for (const s of subhalosOf(row[0]).slice(0, 30)) ring(s.slice(3, 6), s[6], 'rgba(255, 255, 255, .7)', 1);
    drawScale(context, zoom);
    const what = sphere ? `R200${panels.spheres.letter}` : 'the farthest member';
    return [make('figure', {}, node, make('figcaption', {}, `Seen along ${'xyz'[map.depth] ?? 'nothing'}. Circle: ${what}.` +
      (subhalosOf(row[0]).length ? ' White: subhalos.' : '')))];
  }

  function cropMap(context, map, middle, zoom) {
    const image = document.querySelector(`[data-figure="${map.figure}"] svg image`), picture = new Image();
    picture.onload = () => {
      context.globalCompositeOperation = 'destination-over';
      context.drawImage(picture, SIZE / 2 + (map.low[0] - middle[map.axes[0]]) * zoom,
        SIZE / 2 - (map.low[1] + map.side[1] - middle[map.axes[1]]) * zoom, map.side[0] * zoom, map.side[1] * zoom);
    };
    picture.src = image.getAttribute('href');
  }

  function drawScale(context, zoom) {
    const wanted = 110 / zoom, power = 10 ** Math.floor(Math.log10(wanted));
    const length = [5, 2, 1].map(n => n * power).find(v => v <= wanted);
    context.fillStyle = '#fff';
    context.fillRect(14, SIZE - 16, length * zoom, 2);
    context.font = '13px system-ui, sans-serif';
    context.fillText(withUnit(length, data.unit), 14, SIZE - 24);
  }

  function profile(row) {
    const sphere = sphereOf(row[0]), all = panels.spheres;
    if (!all) return [];
    if (!sphere || !sphere[8])
      return [part('Density profile', make('p', {class: 'soft'}, `A profile needs a sphere of at least ${all.resolved} ` +
        'particles; this group has none.'))];
    const [, , , radius, mass, , first, concentration, counts] = sphere;
    const edge = i => radius * all.innermost ** (1 - i / all.shells), points = [];
    counts.forEach((n, i) => {
      if (!n) return;
      const volume = 4 * Math.PI / 3 * (edge(i + 1) ** 3 - edge(i) ** 3);
      const value = (sphere[9]?.[i] ?? n * all.mass) / volume / all.density;
      points.push({x: Math.sqrt(edge(i) * edge(i + 1)), y: value, error: 1 / Math.sqrt(n), isLeft: concentration > 0 && i < first});
    });
    const inside = x => Math.log1p(x) - x / (1 + x), scale = radius / concentration;
    const curve = !concentration ? [] : Array.from({length: 41}, (_, i) => {
      const x = edge(i / 40 * all.shells) / scale;
      return {x: x * scale, y: mass / (4 * Math.PI * scale ** 3 * inside(concentration) * all.density) / (x * (1 + x) ** 2)};
    });
    return [part('Density profile', report.profilePlot(points, curve, {x: 'r' + (data.unit ? ` (${data.unit})` : ''),
      y: `density / ${all.name}`, name: concentration ? `NFW, c = ${number(concentration)}` : ''}),
      make('p', {class: 'soft'}, explain(points, concentration, edge(first))))];
  }

  function explain(points, concentration, inner) {
    const bars = 'Bars are Poisson errors. ';
    if (!concentration) return bars + 'Too few particles lie outside the radius of convergence for a fit.';
    const left = points.some(p => p.isLeft) ? `Hollow points, inside ${withUnit(inner, data.unit)}, are left out of the fit: so near ` +
      'to the center, encounters between particles or softened forces have changed the profile. ' : 'All points are fitted. ';
    return bars + left + (concentration < 2 ? 'A concentration this low usually means that the softening reaches farther than ' +
      'that: give --softening.' : '');
  }

  function types(row) {
    const all = panels.types, rows = all?.rows[row[0]];
    if (!rows) return [];
    return [part('Members by type', table(['type', 'members', 'mass' + (massUnit ? `, ${massUnit}` : '')],
      rows.map(([type, count, mass]) => [all.names[type], count.toLocaleString('en-US'), number(mass)])))];
  }

  function shape(row) {
    const list = make('dl', {}), ratio = column('c / a');
    if (ratio > 0) list.append(line('c / a', number(row[ratio])));
    for (const c of panels.columns) {
      const value = c.values[row[0]];
      if (value !== null && value !== undefined) list.append(line(plain(c.name), withUnit(value, c.unit)));
    }
    return list.children.length ? [part('Shape and spin', list)] : [];
  }

  const subhalosOf = group => (panels.subhalos ?? []).filter(s => s[0] === group);
  function subhalos(row) {
    const list = subhalosOf(row[0]);
    if (!panels.subhalos) return [];
    if (!list.length) return [part('Subhalos', make('p', {class: 'soft'}, 'none'))];
    return [part(`Subhalos: ${list.length}`, table(['members', 'mass' + (massUnit ? `, ${massUnit}` : ''), 'radius' + (data.unit ? `, ${data.unit}` : '')],
      list.slice(0, SUBHALOS).map(s => [s[1].toLocaleString('en-US'), number(s[2]), number(s[6])])))];
  }

  // The nearest groups of at least a tenth of its mass.
  function neighbors(row) {
    const here = center(row), value = r => (massColumn > 0 ? r[massColumn] : r[1]);
    const near = data.rows.filter(r => r !== row && value(r) >= value(row) / 10).map(r => {
      const there = center(r), away = here.map((v, axis) => {
        const d = Math.abs(there[axis] - v), side = data.space?.wraps[axis] ? data.space.side[axis] : 0;
        return side ? Math.min(d % side, side - d % side) : d;
      });
      return {row: r, distance: Math.hypot(...away)};
    }).sort((a, b) => a.distance - b.distance).slice(0, NEIGHBORS);
    if (!near.length) return [];
    return [part('Nearest massive neighbors', table(['', 'distance' + (data.unit ? `, ${data.unit}` : ''), 'mass ratio'],
      near.map(n => [toGroup(n.row[0]), number(n.distance), number(value(n.row) / value(row))])),
      make('p', {class: 'soft'}, 'Groups of at least a tenth of its mass.'))];
  }

  // Over the scale factor, with redshifts below; over time where there is no redshift.
  function timeAxis(all) {
    if (!all.redshift.some(z => z > 0)) {
      const low = Math.min(...all.time), high = Math.max(...all.time);
      return {of: s => all.time[s], x: 'time', name: s => `time ${number(all.time[s])}`,
              ticks: [0, 1, 2, 3, 4].map(i => low + i / 4 * (high - low)).map(at => ({at, name: number(at)}))};
    }
    const z = s => Math.abs(all.redshift[s]) < 1e-6 ? 0 : all.redshift[s];
    return {of: s => 1 / (1 + z(s)), x: 'redshift', name: s => `redshift ${number(z(s))}`,
            ticks: [0, 0.2, 0.5, 1, 2, 4, 9].map(v => ({at: 1 / (1 + v), name: String(v)}))};
  }

  function ownPast(row) {
    const all = panels.histories, past = all?.rows[row[0]];
    if (!all) return [];
    if (!past) return [part('History', make('p', {class: 'soft'}, 'This page has the history of the largest groups only.'))];
    const [snapshots, masses, mergers, half, major] = past, axis = timeAxis(all), unit = all.unit ? ` (${all.unit})` : '';
    const branch = snapshots.map((s, i) => ({at: axis.of(s), mass: masses[i]}));
    const first = axis.name(snapshots[snapshots.length - 1]);
    return [part('History', report.historyPlot(branch, mergers.map(([s, ratio]) => ({at: axis.of(s), ratio})),
      {x: axis.x, y: all.what + unit, ticks: axis.ticks}),
      make('p', {class: 'soft'}, `Its main branch in ${all.name} begins at ${first}. ` +
        (half >= 0 ? `It had half of its mass at ${axis.name(half)}. ` : '') +
        (major >= 0 ? `Last merger of 1 : 4 or more: ${axis.name(major)}. ` : 'No merger of 1 : 4 or more. ') +
        (mergers.length ? 'Bars are mergers of a tenth of its mass or more.' : '')))];
  }

  function comparison(row) {
    const all = panels.comparison, match = all?.rows[row[0]];
    if (!all) return [];
    const text = !match ? 'No group matches this one.' : `Group ${match[0]}: ${match[1].toLocaleString('en-US')} members, mass ratio ` +
      `${number(match[2] / row[massColumn])}` + (match[3] === null ? '.' : `, with ${number(100 * match[3])} % of the members.`);
    return [part(`In ${all.name}`, make('p', {}, text))];
  }

  function address(group) {
    try {
      history.replaceState(null, '', group === null ? location.pathname + location.search : `#group=${group}`);
    } catch { /* a page inside another may not */ }
  }

  report.watch((group, from) => {
    panel.hidden = group === null;
    document.documentElement.classList.toggle('has-panel', group !== null);
    if (from !== 'address') address(group);
    if (group === null) return;
    const row = report.row(group);
    heading.textContent = `Group ${group}`;
    body.replaceChildren(...closeUp(row), facts(row), ...profile(row), ...types(row), ...shape(row), ...subhalos(row),
      ...ownPast(row), ...comparison(row), ...neighbors(row));
    body.scrollTop = 0;
  });

  const fromAddress = () => {
    const match = location.hash.match(/^#group=(\d+)$/);
    if (match && Number(match[1]) !== report.selected) report.select(Number(match[1]), 'address');
  };
  addEventListener('hashchange', fromAddress);
  addEventListener('keydown', e => {
    if (e.defaultPrevented || panel.hidden || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT)$/.test(e.target.tagName)) return;
    const act = {Escape: () => report.leave(), n: () => report.step(1, 'panel'), p: () => report.step(-1, 'panel')}[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  queueMicrotask(fromAddress);  // after the canvases know their sizes
})();
