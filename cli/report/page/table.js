// The table of groups: sorted, searched, in pages, as a CSV file.
(() => {
  const {data, make, cell} = report;
  const section = document.getElementById('groups');
  if (!section) return;
  const table = section.querySelector('table'), body = table.tBodies[0];
  const perPage = Math.max(1, Number(table.dataset.rows));
  let rows = data.rows, page = 0, sorted = 0, isFalling = false;

  const search = make('input', {type: 'search', placeholder: 'Search: 42, members > 1000, x < 20',
    'aria-label': 'Search the table: a number, or conditions such as members > 1000, x < 20', oninput: () => find()});
  const problem = make('p', {class: 'problem', role: 'alert', hidden: ''});
  const status = make('p', {class: 'soft', role: 'status'});
  const back = make('button', {type: 'button', onclick: () => show(page - 1)}, 'Previous');
  const next = make('button', {type: 'button', onclick: () => show(page + 1)}, 'Next');
  const save = make('button', {type: 'button', onclick: () => download()}, 'Download CSV');
  table.parentElement.before(make('div', {class: 'tools'}, search, save), problem);
  table.parentElement.after(make('div', {class: 'tools'}, status, make('span', {class: 'space'}), back, next));

  // "members > 1000, x < 20" as a condition; a number is looked for at the beginning of cells. Null: neither.
  function condition(text) {
    if (/^[\d.,\u2212-]+$/.test(text)) return row => data.columns.some((_, i) => cell(row, i).startsWith(text));
    const match = text.match(/^(.+?)\s*(<=|>=|<|>|=)\s*(-?[\d.]+(?:e[+-]?\d+)?)$/i);
    if (!match) return null;
    const squeezed = name => name.replace(/\s/g, '').toLowerCase();
    const i = data.columns.findIndex(c => squeezed(c.name) === squeezed(match[1])), limit = Number(match[3]);
    if (i < 0 || isNaN(limit)) return null;
    const is = {'<': v => v < limit, '>': v => v > limit, '<=': v => v <= limit, '>=': v => v >= limit,
                '=': v => v === limit}[match[2]];
    return row => row[i] !== null && is(row[i]);
  }

  function find() {
    const texts = search.value.split(/,(?!\d)|\band\b/).map(t => t.trim()).filter(t => t), tests = texts.map(condition);
    const bad = texts.find((_, i) => !tests[i]);
    problem.hidden = bad === undefined;
    problem.textContent = bad === undefined ? '' : `Not understood: \u201c${bad}\u201d. Write a number, or a column, a sign ` +
      `(<, <=, =, >= or >) and a number, such as mass > 1e14. Columns: ${data.columns.map(c => c.name).join(', ')}.`;
    search.setAttribute('aria-invalid', bad !== undefined);
    rows = data.rows.filter(row => tests.every(test => !test || test(row)));
    sort();
  }

  function sort() {
    const sign = isFalling ? -1 : 1, value = row => row[sorted] ?? NaN;
    rows = [...rows].sort((a, b) => {
      const [p, q] = [value(a), value(b)];
      if (isNaN(p) || isNaN(q)) return isNaN(p) - isNaN(q);
      return sign * (p - q) || a[0] - b[0];
    });
    show(0);
  }

  function show(wanted) {
    const last = Math.max(0, Math.ceil(rows.length / perPage) - 1);
    page = Math.min(Math.max(0, wanted), last);
    const begin = page * perPage, end = Math.min(rows.length, begin + perPage);
    body.replaceChildren(...rows.slice(begin, end).map(line));
    back.disabled = page === 0;
    next.disabled = page === last;
    const of = `${rows.length.toLocaleString('en-US')}${rows.length < data.rows.length ? ' found' : ' groups'}`;
    status.textContent = rows.length ? `${begin + 1}\u2013${end} of ${of}` +
      (data.rows.length < data.count ? ` (the page lists ${data.rows.length} of ${data.count})` : '') : 'No group found';
  }

  function line(row) {
    const isChosen = row[0] === report.selected;
    const pick = make('button', {type: 'button', class: 'pick', 'aria-label': `Show group ${row[0]}`},
      cell(row, 0));
    return make('tr', {'data-group': row[0], 'aria-selected': isChosen, onclick: () => report.select(row[0], 'table')},
      make('th', {scope: 'row'}, pick), ...data.columns.slice(1).map((_, i) => make('td', {}, cell(row, i + 1))));
  }

  function download() {
    const head = data.columns.map(c => (c.unit ? `${c.name} [${c.unit}]` : c.name)).join(',');
    const text = [head, ...rows.map(row => row.map(v => v ?? '').join(','))].join('\n') + '\n';
    const link = make('a', {href: URL.createObjectURL(new Blob([text], {type: 'text/csv'})), download: 'groups.csv'});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  [...table.tHead.rows[0].cells].forEach((head, i) => {
    const button = make('button', {type: 'button', title: 'Sort', onclick: () => {
      isFalling = sorted === i ? !isFalling : i > 0;
      sorted = i;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isFalling ? 'descending' : 'ascending');
      sort();
    }}, ...head.childNodes);
    head.append(button);
  });
  table.tHead.rows[0].cells[0].setAttribute('aria-sort', 'ascending');

  report.watch(group => {
    if (group === null) return show(page);
    const at = rows.findIndex(row => row[0] === group);
    const focused = document.activeElement?.closest?.('#groups tr')?.dataset.group;
    if (at >= 0) show(Math.floor(at / perPage)); else show(page);
    if (focused) body.querySelector(`[data-group="${focused}"] button`)?.focus();
  });
  show(0);
})();
