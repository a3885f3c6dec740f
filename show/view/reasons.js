// The panel that says where a number comes from: the terms of its sum, each named.

const amountCell = x => make('td', {class: 'sum'}, shownNumber(x));

function barCell(x, most) {
  const width = most ? Math.round(Math.abs(x) / most * 70) : 0;
  return make('td', {class: 'graph'},
    make('span', {class: x < 0 ? 'bar minus' : 'bar', style: `width:${width}px`}));
}

// Rows of {name, amount, pick}; all beyond `shownTerms` as one.
const shownTerms = 30;
function sumTable(label, terms, total) {
  const sorted = [...terms].sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const most = sorted.length ? Math.abs(sorted[0].amount) : 0;
  const rest = sorted.slice(shownTerms).reduce((sum, t) => sum + t.amount, 0);
  const rows = sorted.slice(0, shownTerms)
                 .map(({name, amount}) => make('tr', {}, make('th', {scope: 'row'}, name),
                        amountCell(amount), barCell(amount, most)));
  if (sorted.length > shownTerms)
    rows.push(
      make('tr', {}, make('th', {scope: 'row'}, `${sorted.length - shownTerms} smaller terms`),
        amountCell(rest), barCell(rest, most)));
  rows.push(make(
    'tr', {class: 'total'}, make('th', {scope: 'row'}, 'sum'), amountCell(total), make('td', {})));
  return make('table', {'aria-label': label}, make('tbody', {}, ...rows));
}

const placed = i => i ? `${tokenAt(i)} (position ${i - 1})` : 'the sink';

function termName(term) {
  if (term.what === 'token') return 'embedding of the token';
  if (term.what === 'position') return 'embedding of the position';
  if (term.what === 'unit') {
    const name = unitName(term.layer, term.sublayer, term.unit);
    return term.unit < 0 ? name : `${name}: active ${shownNumber(term.active)}`;
  }
  return `${headName(term.layer, term.head)} from ${placed(term.key)}: ` +
    `weight ${shownNumber(term.weight)} × ${shownNumber(term.moved)}`;
}

const traceOf = pick => pick.hard ? state.hard : state.soft;

function streamReason(pick) {
  const trace = traceOf(pick), step = trace.steps[pick.step];
  const what = carried(data, pick.dim, pick.step) || {label: dimName(pick.dim), title: ''};
  const terms = streamTerms(model, trace, pick.step, pick.position, pick.dim);
  const purposes = new Set(
    terms.filter(t => t.what === 'unit').map(t => unitPurpose(data, t)).filter(text => text));
  return [
    make('p', {}, make('code', {}, what.title || what.label),
      ` at ${placed(pick.position)}, ${dimName(pick.dim)}, after ${stepName(step)}:`),
    sumTable('Terms of the number',
      terms.map(term => ({name: termName(term), amount: term.amount})),
      step.h[pick.position][pick.dim]),
    ...[...purposes].map(text => make('p', {class: 'faint'}, text))
  ];
}

// How the kernel makes a weight of a score so far below its row's greatest.
const shareOf = less => data.kernel === 'softmax'
  ? `exp(${less}), divided by the row’s sum`
  : `${data.kernel} of this row, here of ${less}`;

function weightReason(pick) {
  const head = model.layers[pick.layer].heads[pick.head],
        run = traceOf(pick).heads[pick.layer][pick.head];
  const before =
    traceOf(pick).steps.findIndex(s => s.layer === pick.layer && s.sublayer === -1) - 1;
  const h = traceOf(pick).steps[before].h;
  const label = dim => (carried(data, dim, before) || {label: dimName(dim)}).label;
  const named = ({a, b, amount}) =>
    ({name: a < 0 ? 'position bias' : `query’s ${label(a)} × key’s ${label(b)}`, amount});
  const terms = scoreTerms(head, run, h, pick.query, pick.key).map(named);
  const scores = run.scores[pick.query], most = Math.max(...scores);
  return [
    make('p', {},
      `${headName(pick.layer, pick.head)}: query ${placed(pick.query)} scores key ${
        placed(pick.key)}` +
        (pick.hard ? ':' : ` at temperature ${degrees()}:`)),
    sumTable('Terms of the score', terms, scores[pick.key]),
    make('p', {},
      `The greatest score of the row is ${shownNumber(most)}. ` +
        (pick.hard
            ? `Keys within ${
                shownNumber(head.gap / 4 * run.scale)} of it are selected, so the weight is ${
                shownNumber(run.weights[pick.query][pick.key])}.`
            : `${shareOf(shownNumber(scores[pick.key] - most))}, is the weight ${
                shownNumber(run.weights[pick.query][pick.key])}.`)),
    movedTable(pick, head, run)
  ];
}

// What the key's value adds to the query's stream.
function movedTable(pick, head, run) {
  const after = state.soft.steps.findIndex(s => s.layer === pick.layer && s.sublayer === -1),
        terms = [];
  for (let dim = 0; dim < data.width; dim++) {
    const {amount} = headTerms(head, run, pick.query, dim)[pick.key];
    if (Math.abs(amount) > 1e-12)
      terms.push({name: (carried(data, dim, after) || {label: dimName(dim)}).label, amount});
  }
  if (!terms.length) return make('p', {}, 'It brings nothing from there.');
  const rows =
    terms.map(t => make('tr', {}, make('th', {scope: 'row'}, t.name), amountCell(t.amount)));
  return make('div', {}, make('h3', {}, 'What it brings from there'),
    make('table', {}, make('tbody', {}, ...rows)));
}

function outputReason(pick) {
  const output = data.outputs[pick.output], trace = traceOf(pick), step = trace.steps.length - 1;
  const row = trace.steps[step].h[pick.position], chosen = decode(output, row);
  const inspect = (dim, text) => make('button', {
    type: 'button',
    class: 'chip',
    press: () => choose({kind: 'stream', step, dim, position: pick.position, hard: pick.hard})
  },
    text);
  const where = `${shown(output.name)} at ${placed(pick.position)}, ${
    pick.hard ? 'hard attention' : `temperature ${degrees()}`}: `;
  if (output.decode !== 'argmax')
    return [make('p', {}, where, inspect(output.start, shownNumber(row[output.start])),
      output.decode === 'number' ? ' is the answer.'
                                 : ` is nearest to ${shownValue(decoded(output, row))}.`)];
  const rows = output.values.map(
    (value, k) => make('tr', {class: k === chosen ? 'total' : null},
      make('th', {scope: 'row'}, `${shownValue(value)}${k === chosen ? ' ✓ the greatest' : ''}`),
      make('td', {class: 'sum'}, inspect(output.start + k, shownNumber(row[output.start + k])))));
  return [
    make('p', {}, where + 'each value has a score; press one for its sum.'),
    make('table', {}, make('tbody', {}, ...rows))
  ];
}

function tableReason(pick) {
  const t = data.circuit.tables[pick.table], {sops, columns} = data.circuit;
  const rows = Array.from({length: Math.min(t.units, shownTerms)},
    (_, u) => make('tr', {}, make('th', {scope: 'row'}, `${t.first + u}`),
      ...state.ids.map(
        (_, i) => amountCell(state.soft.hidden[t.layer][t.sublayer][i + 1][t.first + u]))));
  return [
    make('p', {}, `The table in ${unitsName(t)} reads `, make('code', {}, sopText(sops[t.reads])),
      ' and gives ',
      make('code', {}, t.columns.map(c => sopShort(sops[columns[c].sop])).join(', ')),
      `. Its units, after the ReLU${
        t.units > shownTerms ? `, the first ${shownTerms} of ${t.units}` : ''}:`),
    make(
      'div', {class: 'scroll'}, table('Hidden units', [heading('unit'), ...positionHeads()], rows))
  ];
}

function drawReason() {
  const draw = {
    stream: streamReason,
    weight: weightReason,
    output: outputReason,
    table: tableReason
  }[state.picked && state.picked.kind];
  part('reason-panel').classList.toggle('idle', !draw);
  fill('reason', ...(draw ? draw(state.picked) : [
    make('p', {class: 'faint'}, 'Press a cell of the attention, the stream or the outputs.')
  ]));
}
