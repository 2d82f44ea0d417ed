// The script of the page of weft scan with --format html.
'use strict';
const element = id => document.getElementById(id);
const data = JSON.parse(element('data').textContent);
const many = n => n.toLocaleString('en');
const counted = (n, what) => `${many(n)} ${what}${n === 1 ? '' : what === 'match' ? 'es' : 's'}`;

// Matches as columns, in the order of the file; motifs, the most frequent first.
const motifs = data.motifs.map(([number, accession, name, about, pattern, count]) =>
  ({ number, label: accession || name, name, about, pattern, count,
     lower: [accession, name, about, pattern].map(text => text.toLowerCase()) }))
  .sort((a, b) => b.count - a.count || a.number - b.number);
const sequences = [];
const total = data.matches;
const sequenceOf = new Uint32Array(total), motifOf = new Uint32Array(total), beginOf = new Float64Array(total),
      endOf = new Float64Array(total), reverseOf = new Uint8Array(total), textOf = new Array(total);
const unpack = () => {
  const places = new Map(motifs.map((motif, k) => [motif.number, k]));
  let i = 0;
  for (const row of data.rows.slice(1)) {
    const [name, about, length] = row, first = i;
    for (let k = 3; k < row.length; k += 4, ++i) {
      sequenceOf[i] = sequences.length;
      reverseOf[i] = row[k] < 0 ? 1 : 0;
      motifOf[i] = places.get(row[k] < 0 ? -1 - row[k] : row[k]);
      beginOf[i] = row[k + 1];
      endOf[i] = row[k + 2];
      textOf[i] = row[k + 3];
    }
    sequences.push({ name, about, length, first, last: i, lower: [name.toLowerCase(), about.toLowerCase()] });
  }
  data.rows = null;
};
unpack();
const colours = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9', '#8c6bb1', '#a6761d', '#6fa32a', '#e0448c'];
motifs.forEach((motif, k) => { motif.colour = colours[k] || `hsl(${Math.round(k * 137.508) % 360} 55% 50%)`; });
const strand = i => reverseOf[i] ? '-' : '+';
const place = i => `${beginOf[i]}-${endOf[i]}${data.dna ? ` ${strand(i)}` : ''}`;
const names = motif => [...new Set([motif.label, motif.name])];

// The columns of the table: what a cell shows, and what it is sorted by. Texts are sorted by their ranks, which are
// made when they are first asked for.
const ranks = (texts, compare) => {
  const order = Uint32Array.from(texts, (_, i) => i).sort((a, b) => compare(texts[a], texts[b]));
  const rank = new Uint32Array(order.length);
  for (let i = 1; i < order.length; ++i)
    rank[order[i]] = rank[order[i - 1]] + (compare(texts[order[i - 1]], texts[order[i]]) === 0 ? 0 : 1);
  return rank;
};
const natural = new Intl.Collator('en', { numeric: true }).compare;
const bytes = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const by = (of, things, name) => {
  const rank = ranks(things.map(thing => thing[name]), natural);
  return of.map(thing => rank[thing]);
};
const digits = `calc(${Math.max(6, `${endOf.reduce((most, end) => Math.max(most, end), 0)}`.length)}ch + .9rem)`;
const columns = [
  { id: 'sequence', width: '24%', show: i => sequences[sequenceOf[i]].name, keys: () => by(sequenceOf, sequences, 'name') },
  { id: 'begin', width: digits, kind: 'number', show: i => beginOf[i], keys: () => beginOf },
  { id: 'end', width: digits, kind: 'number', show: i => endOf[i], keys: () => endOf },
  { id: 'strand', width: 'calc(7ch + .9rem)', show: strand, keys: () => reverseOf },
  { id: 'motif', show: i => motifs[motifOf[i]].label, keys: () => by(motifOf, motifs, 'label') },
  { id: 'name', kind: 'name', show: i => motifs[motifOf[i]].name, keys: () => by(motifOf, motifs, 'name') },
  { id: 'match', kind: 'match', show: i => textOf[i].slice(0, 200), keys: () => ranks(textOf, bytes) },
].filter(column => data.dna || column.id !== 'strand');

// What the user chose. It stands in the page's address behind #, so that it can be kept and passed on.
const texts = ['sequence', 'motif', 'filter'];
const state = { sort: '', sequence: '', motif: '', filter: '', scale: false, select: -1 };
let order = Uint32Array.from({ length: total }, (_, i) => i); // all matches as they are sorted
let shown = order;                                            // of these, what passes the filters
let shownBars = [];                                           // sequences that have some of them
const passes = new Uint8Array(total);
let longest = 1;

// A list of which only the rows in view are in the document. A browser has no elements of any height: where the rows
// need more than `tallest`, the scroll bar goes through them in larger steps.
const tallest = 1.5e7;
class Rows {
  constructor(pane, body, tag, height, head, make) {
    Object.assign(this, { pane, body, height, head, make, count: 0 });
    this.above = document.createElement(tag);
    this.below = document.createElement(tag);
    pane.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(pane);
  }
  get view() { return Math.max(this.pane.clientHeight - this.head, this.height); }
  get whole() { return this.count * this.height; }
  get steps() { return Math.max(this.whole - this.view, 1) / Math.max(Math.min(this.whole, tallest) - this.view, 1); }
  draw() {
    const top = this.pane.scrollTop, at = Math.floor(top * this.steps / this.height);
    const first = Math.max(at - 4, 0), last = Math.min(this.count, at + Math.ceil(this.view / this.height) + 5);
    const above = Math.max(top - (at - first) * this.height - top * this.steps % this.height, 0), rows = [];
    for (let row = first; row < last; ++row) rows.push(this.make(row));
    this.above.style.height = `${above}px`;
    this.below.style.height = `${Math.max(Math.min(this.whole, tallest) - above - rows.length * this.height, 0)}px`;
    this.body.replaceChildren(this.above, ...rows, this.below);
  }
  set(count) {
    this.count = count;
    this.pane.scrollTop = 0;
    this.draw();
  }
  show(row) { // no further than needed; a row that is far comes into the middle
    const up = row * this.height - this.pane.scrollTop * this.steps, down = up + this.height - this.view;
    const far = up < -2 * this.height || down > 2 * this.height;
    if (up < 0 || down > 0) this.pane.scrollTop += (far ? (up + down) / 2 : up < 0 ? up : down) / this.steps;
    this.draw();
  }
}

const made = (tag, properties = {}, ...children) => {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
};
const makeRow = row => {
  const i = shown[row], result = made('tr');
  for (const column of columns) {
    const text = `${column.show(i)}`;
    result.append(made('td', { className: column.kind || '', title: text }, text));
  }
  result.dataset.match = i;
  result.setAttribute('aria-rowindex', row + 2);
  result.setAttribute('aria-selected', i === state.select);
  return result;
};

// The matches of a sequence that pass, from left to right; kept until the filters change.
const sorted = new Map();
const matchesOf = sequence => {
  if (!sorted.has(sequence)) {
    const list = [];
    for (let i = sequence.first; i < sequence.last; ++i) if (passes[i]) list.push(i);
    sorted.set(sequence, list.sort((a, b) => beginOf[a] - beginOf[b] || endOf[a] - endOf[b] || a - b));
  }
  return sorted.get(sequence);
};
// The domains of a bar. Where there are more than `cells` one is drawn for each cell and strand: of the motif that is
// rarest in the file, or the selected one.
const cells = 300;
const domainsOf = sequence => {
  const all = matchesOf(sequence), kept = new Map();
  if (all.length <= cells) return all.map(match => ({ match, more: 0 }));
  for (const match of all) {
    const cell = 2 * Math.floor((beginOf[match] - 1) / sequence.length * cells) + reverseOf[match];
    const domain = kept.get(cell);
    if (!domain) {
      kept.set(cell, { match, more: 0 });
      continue;
    }
    ++domain.more;
    if (match === state.select || (domain.match !== state.select && motifOf[match] > motifOf[domain.match])) domain.match = match;
  }
  return [...kept.values()];
};
// Domains that overlap stand in up to three lanes; of DNA, each strand has one.
const setLanes = domains => {
  const ends = [0, 0, 0];
  for (const domain of domains) {
    const free = ends.findIndex(end => end < beginOf[domain.match]);
    domain.lane = data.dna ? reverseOf[domain.match] : free < 0 ? 2 : free;
    ends[domain.lane] = Math.max(ends[domain.lane], endOf[domain.match]);
  }
  return data.dna ? 2 : 1 + Math.max(...domains.map(domain => domain.lane));
};
const makeDomain = ({ match, more, lane }, lanes, length) => {
  const motif = motifs[motifOf[match]], result = document.createElement('b');
  result.title = `${names(motif).join(' ')}\n${place(match)} ${textOf[match].slice(0, 80)}` +
                 (more ? `\nand ${counted(more, 'match')} more here` : '');
  result.dataset.match = match;
  result.className = match === state.select ? 'picked' : '';
  Object.assign(result.style, {
    left: `min(${(beginOf[match] - 1) / length * 100}%, 100% - 4px)`,
    width: `${(endOf[match] - beginOf[match] + 1) / length * 100}%`,
    top: `${lane * 24 / lanes + 1}px`, height: `${24 / lanes - 2}px`, background: motif.colour });
  return result;
};
const makeBar = row => {
  const sequence = sequences[shownBars[row]], domains = domainsOf(sequence), length = Math.max(sequence.length, 1);
  const lanes = setLanes(domains), track = made('div', { className: domains.length < 100 ? 'track' : 'track dense' });
  track.style.width = `${state.scale ? length / longest * 100 : 100}%`;
  track.append(...domains.map(domain => makeDomain(domain, lanes, length)));
  const picked = state.select >= sequence.first && state.select < sequence.last && passes[state.select];
  const result = made('div', { className: picked ? 'bar picked' : 'bar' },
    made('span', { title: `${sequence.name} ${sequence.about}` }, sequence.name), track, made('span', {}, many(sequence.length)));
  result.dataset.match = domains[0].match;
  return result;
};
const list = new Rows(element('list'), element('rows'), 'tr', 26, 30, makeRow);
const bars = new Rows(element('bars'), element('bars'), 'div', 32, 0, makeBar);

const sortAll = () => {
  const column = columns.find(each => each.id === state.sort.replace('-', ''));
  const down = state.sort.startsWith('-');
  order = Uint32Array.from({ length: total }, (_, i) => i);
  if (column) {
    const keys = column.ranks ||= column.keys(), sign = down ? -1 : 1;
    order.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
  }
  for (const head of element('heads').children)
    head.setAttribute('aria-sort', !column || head.id !== `by-${column.id}` ? 'none' : down ? 'descending' : 'ascending');
};
// Whether texts in lower case have what is asked for: every word somewhere, or behind = all of one text.
const matcher = asked => {
  const wanted = asked.trim().toLowerCase(), words = wanted.split(/\s+/).filter(Boolean);
  if (wanted.startsWith('=')) return parts => parts.includes(wanted.slice(1));
  return parts => words.every(word => parts.some(part => part.includes(word)));
};
const filterAll = () => {
  const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 30), all = 2 ** words.length - 1;
  const has = parts => words.reduce((bits, word, k) => bits | (parts.some(part => part.includes(word)) ? 1 << k : 0), 0);
  const inSequence = matcher(state.sequence), inMotif = matcher(state.motif);
  const sequenceBits = sequences.map(each => inSequence(each.lower) ? has(each.lower) : -1);
  const motifBits = motifs.map(each => inMotif(each.lower) ? has(each.lower) : -1);
  passes.fill(0);
  sorted.clear();
  for (let i = 0; i < total; ++i) {
    const a = sequenceBits[sequenceOf[i]], b = motifBits[motifOf[i]];
    if (a >= 0 && b >= 0) passes[i] = (a | b) === all || (a | b | has([textOf[i].toLowerCase()])) === all ? 1 : 0;
  }
  shown = order.filter(i => passes[i]);
  // Bars stand in the order of the file, or as sorted where that is by sequence.
  shownBars = [];
  for (const i of state.sort.endsWith('sequence') ? shown : shown.slice().sort())
    if (shownBars[shownBars.length - 1] !== sequenceOf[i]) shownBars.push(sequenceOf[i]);
  longest = shownBars.reduce((most, s) => Math.max(most, sequences[s].length), 1);
};

const showDetail = () => {
  const i = state.select, motif = motifs[motifOf[i]], sequence = sequences[sequenceOf[i]];
  if (i < 0) {
    const hint = total ? 'Click a domain or a row: all about the match stands here.' : 'No match.';
    return element('detail').replaceChildren(made('p', {}, hint));
  }
  const lines = { sequence: `${sequence.name} ${sequence.about}`, motif: [...names(motif), motif.about].join(' '),
                  pattern: motif.pattern, place: `${place(i)} of ${many(sequence.length)}`, match: textOf[i].slice(0, 10000) };
  element('detail').replaceChildren(made('dl', {}, ...Object.entries(lines).flatMap(
    ([term, text]) => [made('dt', {}, term), made('dd', { className: term }, text)])));
};
const showCount = () => {
  element('count').textContent =
    `${many(shown.length)} of ${counted(total, 'match')}, in ${counted(shownBars.length, 'sequence')}`;
  element('table').setAttribute('aria-rowcount', shown.length + 1);
  for (const button of element('legend').querySelectorAll('button'))
    button.setAttribute('aria-pressed', button.value === state.motif);
};
const showSelected = () => {
  if (state.select >= 0 && passes[state.select]) {
    list.show(shown.indexOf(state.select));
    bars.show(shownBars.indexOf(sequenceOf[state.select]));
  }
  list.draw();
  bars.draw();
  showDetail();
};
const writeAddress = () => {
  const chosen = new URLSearchParams();
  for (const name of ['sort', ...texts]) if (state[name]) chosen.set(name, state[name]);
  if (state.scale) chosen.set('scale', 1);
  if (state.select >= 0) chosen.set('select', state.select + 1);
  try {
    history.replaceState(null, '', `#${chosen}`);
  } catch { /* some browsers refuse where there are many changes: the page works without */ }
};
const showAll = () => {
  filterAll();
  list.set(shown.length);
  bars.set(shownBars.length);
  showCount();
};
const choose = changes => { // of the state
  Object.assign(state, changes);
  for (const name of texts) if (element(name).value !== state[name]) element(name).value = state[name];
  element('scale').checked = state.scale;
  if ('sort' in changes) sortAll();
  if (Object.keys(changes).some(name => name !== 'select')) showAll();
  if ('select' in changes) showSelected();
};
const change = changes => {
  choose(changes);
  writeAddress();
};
const readAddress = () => {
  const given = new URLSearchParams(location.hash.slice(1)), number = Number(given.get('select'));
  const chosen = Object.fromEntries(['sort', ...texts].map(name => [name, given.get(name) || '']));
  choose({ ...chosen, scale: given.get('scale') === '1',
           select: Number.isInteger(number) && number > 0 && number <= total ? number - 1 : -1 });
};

// From the keyboard: rows of the table, and domains of the bars.
const rowBy = key => {
  const page = Math.floor(list.view / list.height), row = shown.indexOf(state.select);
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[key];
  return step && shown[Math.min(Math.max(row + step, 0), shown.length - 1)];
};
const domainBy = key => {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
  if (!step || !shownBars.length) return undefined;
  if (state.select < 0 || !passes[state.select]) return matchesOf(sequences[shownBars[0]])[0];
  const bar = shownBars.indexOf(sequenceOf[state.select]), here = matchesOf(sequences[shownBars[bar]]);
  const inside = key.endsWith('t') ? here[here.indexOf(state.select) + step] : undefined;
  const next = shownBars[bar + step];
  return inside ?? (next === undefined ? undefined : matchesOf(sequences[next]).at(key === 'ArrowLeft' ? -1 : 0));
};
for (const [rows, by] of [[list, rowBy], [bars, domainBy]]) {
  rows.pane.addEventListener('keydown', event => {
    const next = event.target === rows.pane ? by(event.key) : undefined;
    if (next === undefined) return;
    event.preventDefault();
    change({ select: next });
  });
  rows.pane.addEventListener('click', event => {
    const at = event.target.closest('[data-match]');
    if (at && getSelection().isCollapsed) change({ select: Number(at.dataset.match) });
  });
}
for (const name of texts) element(name).addEventListener('input', event => change({ [name]: event.target.value }));
element('scale').addEventListener('change', event => change({ scale: event.target.checked }));
element('clear').addEventListener('click', () => change({ sort: '', sequence: '', motif: '', filter: '' }));
addEventListener('hashchange', readAddress);

const asked = data.motifs_from === '-e' ? counted(data.motifs_searched, 'pattern') : data.motifs_from;
element('title').textContent = `${asked} in ${data.sequences_from.join(', ')}`;
document.title = `weft scan: ${element('title').textContent}`;
element('facts').textContent =
  `${counted(data.sequences, 'sequence')} (${counted(data.residues, 'residue')}), ${counted(data.motifs_searched, 'motif')}, ` +
  `${counted(total, 'match')}; ${counted(sequences.length, 'sequence')} and ${counted(motifs.length, 'motif')} have some. ` +
  `weft ${data.weft}`;
const inLegend = 200;
element('legend').append(...motifs.slice(0, inLegend).map(motif => {
  const swatch = made('i'), value = `=${motif.label}`;
  swatch.style.background = motif.colour;
  return made('button', { type: 'button', value, title: `${motif.name}\n${motif.about}\n${motif.pattern}`,
                          onclick: () => change({ motif: state.motif === value ? '' : value }) },
              swatch, made('span', {}, motif.name), made('small', {}, many(motif.count)));
}), motifs.length > inLegend ? `and ${counted(motifs.length - inLegend, 'motif')} less frequent` : '');
element('heads').append(...columns.map(({ id, width, kind }) => {
  const head = made('th', { id: `by-${id}`, className: kind || '', scope: 'col' },
                    made('button', { type: 'button', onclick: () => change({ sort: state.sort === id ? `-${id}` : id }) }, id));
  head.style.width = width || 'auto';
  return head;
}));
readAddress();
