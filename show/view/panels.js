// The panels of the page, each drawn anew from the state.

// An element; attributes whose value is null are left out; children are elements or texts.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === 'press')
      element.addEventListener('click', value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

const part = id => document.getElementById(id);
const fill = (id, ...children) =>
  part(id).replaceChildren(...children.filter(child => child !== null));

function pressButton(text, pressed, press, title) {
  return make('button', {type: 'button', 'aria-pressed': String(pressed), press, title}, text);
}

// A cell that can be pressed.  One of a table's is in the tab order; arrow keys move among them.
function pressCell(classes, pick, label, ...children) {
  return make('td', {class: classes || null},
    make('button', {
      type: 'button',
      tabindex: -1,
      'aria-label': label,
      press: () => choose(pick),
      'data-pick': JSON.stringify(pick)
    },
      ...children));
}

const MOVES = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0]
};

function moveFocus(event) {
  const button = event.target.closest('td button'), move = MOVES[event.key];
  if (!button || !move) return;
  const row = button.closest('tr'), column = button.parentNode.cellIndex;
  let next = null;
  if (move[0]) {
    const to = row.parentNode.rows[row.sectionRowIndex + move[0]];
    next = to && to.cells[column] && to.cells[column].querySelector('button');
  } else {
    const to = row.cells[column + move[1]];
    next = to && to.querySelector('button');
  }
  event.preventDefault();
  if (next) next.focus();
}

// A table of rows of cells; `head` above.
function table(label, head, rows) {
  const made = make('table', {'aria-label': label}, make('thead', {}, make('tr', {}, ...head)),
    make('tbody', {}, ...rows));
  const first = made.querySelector('td button');
  if (first) first.tabIndex = 0;
  made.addEventListener('keydown', moveFocus);
  return made;
}

const heading = (text, classes, scope) => make('th',
  {class: classes || null, scope: scope || 'col', title: text.length > 20 ? text : null}, text);

function tokenAt(i) { return i ? shownToken(data.alphabet[state.ids[i - 1]]) : 'sink'; }

const positionHeads = () => state.ids.map((_, i) => heading(tokenAt(i + 1)));

// --- source -----------------------------------------------------------------------------------

function chips(source, line) {
  return partsOf(data, source, line)
    .map(({text, title, pick}) =>
           make('button', {type: 'button', class: 'chip', title, press: () => choose(pick)}, text));
}

function sourceLine(source, text, number) {
  const buttons = chips(source, number);
  const comment = text.trimStart().startsWith('#');
  return make('div', {class: 'line', 'data-source': source, 'data-line': number},
    make('span', {class: 'number'}, String(number)),
    make('pre', {class: comment ? 'comment' : null}, shown(text) || ' '),
    buttons.length ? make('div', {class: 'row'}, ...buttons) : null);
}

function drawSource() {
  const blocks = data.sources.flatMap(
    ({name, text}) => [make('h3', {}, shown(name)),
      ...text.replace(/\r?\n$/, '')
        .split(/\r?\n/)
        .map((line, k) => sourceLine(name, line.replace(/\t/g, '    '), k + 1))]);
  const others = chips(null, null);
  if (others.length)
    blocks.push(make('h3', {}, 'Of the library, or made by the compiler'),
      make('div', {class: 'row'}, ...others));
  fill('source',
    ...(blocks.length ? blocks : [make('p', {}, 'This weights file does not hold its program.')]));
}

// Marks the lines that the chosen s-ops come from.
function lightSource() {
  const spans = state.lit.map(index => data.circuit.sops[index].span).filter(span => span);
  document.querySelectorAll('.line').forEach(line => {
    const number = Number(line.dataset.line);
    line.classList.toggle('lit',
      spans.some(
        span => span[0] === line.dataset.source && span[1] <= number && number <= span[3]));
  });
}

// One of those that the page was made with.
const givenInput = ids => data.inputs.find(input => String(input.ids) === String(ids));

// --- outputs ----------------------------------------------------------------------------------

function outputRow(name, values, against, pickOf) {
  const none = values
    ? null
    : make('td', {class: 'text', colspan: state.ids.length}, 'no answer on this input');
  const cells = values && values.map((value, i) => {
    const wrong = against && against[i] !== value;
    return pickOf ? pressCell(wrong ? 'wrong' : '', pickOf(i),
                      `${value} at ${tokenAt(i + 1)}${wrong ? ', differs' : ''}`, value)
                  : make('td', {class: 'text'}, value);
  });
  return make('tr', {}, heading(name, 'name', 'row'), ...(none ? [none] : cells));
}

// For each position the least temperature of the slider at which the output differs; '' if none.
function sweepRow(k, hard) {
  const cells = state.ids.map((_, i) => {
    const found = state.sweep.find(
      ({values}) => Boolean(values[k]) !== Boolean(hard) || (hard && values[k][i] !== hard[i]));
    return make('td', {class: 'text'},
      found ? shownNumber(Number(found.temperature.toPrecision(2))) : 'never');
  });
  return make('tr', {}, heading('differs from temperature', 'name', 'row'), ...cells);
}

function drawOutputs() {
  const known = givenInput(state.ids), given = known && known.interpreted ? known : null;
  fill('outputs', ...data.outputs.slice(0, data.output_count).map((output, k) => {
    const hard = state.hard && answers(data, state.hard, k),
          soft = state.soft && answers(data, state.soft, k);
    const rows = [];
    if (given)
      rows.push(
        outputRow('interpreter', given.answers[k] && given.answers[k].map(shownValue), null));
    if (state.hard)
      rows.push(outputRow('hard attention', hard,
        given && given.answers[k] && given.answers[k].map(shownValue),
        i => ({kind: 'output', output: k, position: i + 1, hard: true})));
    if (state.soft)
      rows.push(outputRow(`${data.kernel}, temperature ${degrees()}`, soft, hard,
                  i => ({kind: 'output', output: k, position: i + 1, hard: false})),
        sweepRow(k, hard));
    return table(`Output ${shown(output.name)}`,
      [heading(shown(output.name), 'name'), ...positionHeads()], rows);
  }));
  fill('outputs-note',
    given ? 'The interpreter ran this input when the page was made.'
          : (known ? 'The file does not hold its program: ' : 'You typed this input: ') +
        'hard attention stands for the interpreter, whose 0/1 selection it computes.');
}

// --- attention --------------------------------------------------------------------------------

function drawHeads() {
  const buttons = model.layers.flatMap((layer, l) => layer.heads.map((_, h) => {
    const known = circuitHead(data, l, h), chosen = state.layer === l && state.head === h;
    const title = known ? sopText(data.circuit.sops[known.selector]) : null;
    return pressButton(
      headName(l, h), chosen, () => choose({kind: 'head', layer: l, head: h}), title);
  }));
  fill('heads', ...buttons);
  part('attention-panel').hidden = !buttons.length;
}

function weightCell(run, hard, q, k) {
  const weight = run.weights[q][k],
        pick = {kind: 'weight', layer: state.layer, head: state.head, query: q, key: k, hard};
  if (run.scores[q][k] === -Infinity) return make('td', {class: 'masked', title: 'not seen'}, '·');
  const label = `query ${tokenAt(q)} ${q - 1}, key ${tokenAt(k)}${k ? ' ' + (k - 1) : ''}: ${
    shownNumber(weight)}`;
  const cell = pressCell(hard && weight > 0 ? 'selected' : '', pick, label,
    hard ? String(Number(weight > 0)) : shownWeight(weight));
  if (!hard) shade(cell, weight);
  return cell;
}

// The more, the more colour, but no more than text can be read on, light and dark.
function shade(cell, weight) {
  cell.style.background =
    `color-mix(in srgb, var(--mark) ${Math.round(weight * 45)}%, var(--card))`;
  if (weight > 0.5) cell.style.fontWeight = 700;
}

function attentionTable(run, hard) {
  const sink = run.scores[1][0] !== -Infinity, from = sink ? 0 : 1;
  const head = [heading(''), ...(sink ? [heading('sink', 'sink')] : []), ...positionHeads()];
  if (!hard) head.push(heading('H'), heading('exp H'));
  const rows = state.ids.map((_, i) => {
    const cells = run.weights[i + 1]
                    .map((_, k) => k < from ? null : weightCell(run, hard, i + 1, k))
                    .filter(c => c);
    const h = entropy(run.weights[i + 1]);
    if (!hard)
      cells.push(make('td', {class: 'figure'}, h.toFixed(2)),
        make('td', {class: 'figure'}, Math.exp(h).toFixed(2)));
    return make('tr', {}, heading(tokenAt(i + 1), '', 'row'), ...cells);
  });
  return table(hard ? 'Hard attention: 1 where the query selects the key'
                    : 'Softmax weights, and the entropy of each row',
    head, rows);
}

const RESULTS = {
  moves: 'brings one key’s value',
  mean: 'brings the mean of the values selected',
  count: 'counts: brings 1 / (1 + keys selected)'
};

// What the head selects, and what it brings.
function headNote(known) {
  const {sops, columns} = data.circuit;
  const brought = known.columns.map(c => sopShort(sops[columns[c].sop])).join(', ');
  return [make('code', {}, sopText(sops[known.selector])), ` ${RESULTS[known.result]} → `,
    make('code', {}, brought)];
}

function drawAttention() {
  if (!model.layers.some(layer => layer.heads.length)) return;
  const known = circuitHead(data, state.layer, state.head);
  fill('head-note', ...(known ? headNote(known) : []));
  fill('attention',
    make('div', {class: 'pair'},
      ...[true, false].map(
        hard => make('div', {},
          make('h3', {}, hard ? 'Interpreter’s: 0 or 1' : `Model’s: ${data.kernel} at ${degrees()}`),
          attentionTable((hard ? state.hard : state.soft).heads[state.layer][state.head], hard)))));
}

// --- residual stream --------------------------------------------------------------------------

function drawSteps() {
  fill('steps',
    ...state.soft.steps.map((step, s) => pressButton(stepName(step), s === state.step,
                              () => choose({kind: 'step', step: s}))));
}

function streamCell(what, dim, i) {
  const x = state.soft.steps[state.step].h[i][dim], exact = state.hard.steps[state.step].h[i][dim];
  const number = shownNumber(x);
  const value = what.sop && what.sop.type ? sopValue(what.sop.type, exact) : null;
  const pick = {kind: 'stream', step: state.step, dim, position: i};
  return pressCell('', pick,
    `${what.label} at ${tokenAt(i)}: ${number}${value ? ', value ' + value : ''}`, number,
    value !== null && value !== number ? make('small', {}, value) : null);
}

function drawStream() {
  const rows = [],
        live = (dim, what) => what.output === undefined ||
    state.step === state.soft.steps.length - 1 ||
    state.soft.steps[state.step].h.slice(1).some(row => row[dim] !== 0);
  for (let dim = 0; dim < data.width; dim++) {
    const what = carried(data, dim, state.step);
    if (!what || !live(dim, what)) continue;
    const lit =
      what.column !== undefined && state.lit.includes(data.circuit.columns[what.column].sop);
    rows.push(make('tr', {class: lit ? 'lit' : null},
      make('th', {class: 'name', scope: 'row', title: what.title}, make('small', {}, dim + ' '),
        what.label),
      ...state.ids.map((_, i) => streamCell(what, dim, i + 1))));
  }
  fill('stream',
    table('Residual stream after ' + stepName(state.soft.steps[state.step]),
      [heading('after ' + stepName(state.soft.steps[state.step]), 'name'), ...positionHeads()],
      rows));
}
