// Some of the particles: decoded once, and painted as the density of any part of the box.
report.particles = (() => {
  const space = report.data.space;
  if (!space) return null;
  const bytes = Uint8Array.from(atob(space.points), c => c.charCodeAt(0)), count = space.count;
  const words = new Uint16Array(bytes.buffer, 0, 3 * count), density = bytes.subarray(6 * count);
  const colors = Uint8Array.from(atob(space.colors), c => c.charCodeAt(0));
  const first = [0];
  for (const share of space.shares) first.push(first.at(-1) + share);
  const grouped = first.at(-1);

  // How many particles each one represents.
  const weight = new Float32Array(count).fill(space.others / Math.max(1, count - grouped));
  space.shares.forEach((share, g) => weight.fill(report.data.rows[g][1] / Math.max(1, share), first[g], first[g + 1]));

  // The distance of the neighbor that the density was measured with, by the byte of the density.
  const volume = space.side[0] * space.side[1] * space.side[2];
  const reach = Float32Array.from({length: 256}, (_, byte) => {
    const contrast = 10 ** (space.density[0] + byte / 255 * space.density[1]);
    return Math.cbrt(3 * space.neighbors * volume / (4 * Math.PI * contrast * space.all));
  });
  const coordinate = (i, axis) => space.low[axis] + words[axis * count + i] / 65535 * space.side[axis];
  const offset = (d, axis) => (space.wraps[axis] ? d - space.side[axis] * Math.round(d / space.side[axis]) : d);

  // Grids from fine to coarse; a particle goes to the one whose cells are about as wide as its reach.
  function grids(width, height) {
    const list = [];
    for (let w = width, h = height; list.length < 7 && w > 3 && h > 3; w = w + 1 >> 1, h = h + 1 >> 1)
      list.push({w, h, cells: new Float32Array(w * h)});
    return list;
  }

  function deposit(grid, x, y, amount) {
    const i = Math.floor(x - 0.5), j = Math.floor(y - 0.5), u = x - 0.5 - i, v = y - 0.5 - j;
    for (let b = 0; b < 2; ++b)
      for (let a = 0; a < 2; ++a) {
        const [p, q] = [i + a, j + b];
        if (p < 0 || q < 0 || p >= grid.w || q >= grid.h) continue;
        grid.cells[q * grid.w + p] += amount * (a ? u : 1 - u) * (b ? v : 1 - v);
      }
  }

  // Adds a coarse grid to the next finer one.
  function refine(coarse, fine) {
    const {w, h, cells} = coarse;
    for (let y = 0; y < fine.h; ++y) {
      const v = Math.min(Math.max(y / 2 - 0.25, 0), h - 1), j = Math.floor(v), t = v - j, below = Math.min(j + 1, h - 1);
      for (let x = 0; x < fine.w; ++x) {
        const u = Math.min(Math.max(x / 2 - 0.25, 0), w - 1), i = Math.floor(u), s = u - i, right = Math.min(i + 1, w - 1);
        fine.cells[y * fine.w + x] += (1 - t) * ((1 - s) * cells[j * w + i] + s * cells[j * w + right]) +
          t * ((1 - s) * cells[below * w + i] + s * cells[below * w + right]);
      }
    }
  }

  // The projected density around `center`: view = {center, axes, depth, thickness (0: all), zoom
  // (pixels per unit), width, height}. Numbers per pixel.
  function project(view) {
    const {center, axes: [a, b], depth, thickness, zoom, width, height} = view, list = grids(width, height);
    for (let i = 0; i < count; ++i) {
      if (thickness && Math.abs(offset(coordinate(i, depth) - center[depth], depth)) > thickness / 2) continue;
      const x = width / 2 + offset(coordinate(i, a) - center[a], a) * zoom;
      const y = height / 2 - offset(coordinate(i, b) - center[b], b) * zoom;
      const wide = reach[density[i]] * zoom;
      if (x < -wide || y < -wide || x > width + wide || y > height + wide) continue;
      const level = Math.min(Math.max(Math.round(Math.log2(wide * 0.7)), 0), list.length - 1), scale = 1 / (1 << level);
      deposit(list[level], x * scale, y * scale, weight[i] * scale * scale);
    }
    for (let level = list.length - 1; level > 0; --level) refine(list[level], list[level - 1]);
    return list[0].cells;
  }

  // A canvas with the density in the colors of the other pictures.
  function paint(view) {
    const cells = project(view), sheet = document.createElement('canvas');
    [sheet.width, sheet.height] = [view.width, view.height];
    const picture = new ImageData(view.width, view.height);
    const deep = view.thickness ? Math.min(1, view.thickness / space.side[view.depth]) : 1;
    const mean = space.all * deep / (space.side[view.axes[0]] * space.side[view.axes[1]] * view.zoom ** 2);
    const most = [...cells.filter((_, i) => i % 7 === 0)].sort((p, q) => p - q);
    const low = Math.log(mean * 0.12), high = Math.max(Math.log(most[Math.floor(most.length * 0.999)] || 1), low + 4);
    for (let i = 0; i < cells.length; ++i) {
      const part = Math.min(Math.max((Math.log(cells[i] + 1e-30) - low) / (high - low), 0), 1);
      picture.data.set(colors.subarray(3 * Math.round(255 * part), 3 * Math.round(255 * part) + 3), 4 * i);
      picture.data[4 * i + 3] = 255;
    }
    sheet.getContext('2d').putImageData(picture, 0, 0);
    return sheet;
  }

  return {count, words, density, colors, reach, grouped, first, offset, coordinate, paint};
})();
