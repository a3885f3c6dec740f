// Appended to a page of `rasp view`: compares what it computes with `expected` (trace.c), uses its
// input box, slider and cells, and leaves the verdict as the page's only text.
const lines = [];
let passes = 0, fails = 0;

function check(what, fine, found) {
  if (fine)
    passes++;
  else if (++fails <= 8)
    lines.push(`FAIL ${what}: ${found}`);
}

// The largest difference, relative to numbers above 1.
function distance(found, wanted) {
  if (found.length !== wanted.length)
    return Infinity;
  return wanted.reduce(
    (most, x, k) => Math.max(most, Math.abs(found[k] - x) / Math.max(1, Math.abs(x))), 0);
}

const flat = rows => rows.flatMap(row => [...row]);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const shownAll = lists => lists.map(list => list && list.map(shownValue));

// --- the forward pass, number by number
let worst = 0;
// Heads that look elsewhere than their program's do.
const biased = data.layers.some(layer => layer.heads.some(head => head.bias));
for (const pass of expected) {
  const trace =
    forward(model, pass.ids, pass.hard ? {hard : true} : {temperature : pass.temperature});
  const name = `${pass.ids} ${pass.hard ? 'hard' : pass.temperature}`;
  const far = Math.max(...pass.steps.map((step, s) => distance(flat(trace.steps[s].h), step)),
    ...pass.weights.map((weights, k) => distance(flat(trace.heads.flat()[k].weights), weights)), 0);
  worst = Math.max(worst, far);
  check(`numbers of ${name}`,
    far <= 1e-9 && trace.steps.length === pass.steps.length &&
      trace.heads.flat().length === pass.weights.length,
    far);
  const outputs = pass.outputs.map((_, k) => answers(data, trace, k));
  check(`outputs of ${name}`, same(outputs, shownAll(pass.outputs)), JSON.stringify(outputs));
  if (pass.hard && !biased)
    check(
      `interpreter on ${name}`, same(outputs, shownAll(pass.interpreter)), JSON.stringify(outputs));
}

// --- the input box and the slider
const texts = row => [...row.cells].slice(1).map(cell => cell.textContent);
const rowOf = (k, name) => [...part('outputs').children[k].tBodies[0].rows].find(
  row => row.cells[0].textContent.startsWith(name));

function type(text) {
  part('input').value = text;
  part('controls').requestSubmit();
}

function slide(exponent) {
  part('temperature').value = exponent;
  part('temperature').dispatchEvent(new Event('input', {bubbles : true}));
}

function sumsHold(where) {
  for (const button of [...document.querySelectorAll(`#${where} td button`)].slice(0, 40)) {
    const pick = JSON.parse(button.dataset.pick);
    document.querySelector(`[data-pick='${button.dataset.pick}']`).click();
    const label = where === 'stream' ? 'Terms of the number' : 'Terms of the score';
    const cells = [...document.querySelectorAll(`#reason table[aria-label="${label}"] td.sum`) ];
    const trace = pick.hard ? state.hard : state.soft;
    const terms = where === 'stream'
      ? streamTerms(model, trace, pick.step, pick.position, pick.dim)
      : scoreTerms(model.layers[pick.layer].heads[pick.head], trace.heads[pick.layer][pick.head],
          trace.steps[trace.steps.findIndex(s => s.layer === pick.layer && s.sublayer === -1) - 1]
            .h,
          pick.query, pick.key);
    const total = where === 'stream'
      ? trace.steps[pick.step].h[pick.position][pick.dim]
      : trace.heads[pick.layer][pick.head].scores[pick.query][pick.key];
    const sum = terms.reduce((all, t) => all + t.amount, 0);
    check(`terms of ${button.dataset.pick}`,
      distance([ sum ], [ total ]) < 1e-8 && cells.length > 0 &&
        cells[cells.length - 1].textContent === shownNumber(total),
      `${sum}, ${total}`);
  }
}

const every = Math.max(1, Math.floor(expected.length / 60));
for (const pass of expected.filter((_, k) => k % every === 0)) {
  slide(pass.hard ? 0 : Math.log2(pass.temperature));
  type(writeInput(data, pass.ids));
  check(
    `no mistake in ${pass.ids}`, part('mistake').textContent === '', part('mistake').textContent);
  pass.outputs.forEach((values, k) => {
    const row = rowOf(k, pass.hard ? 'hard' : data.kernel);
    const found = values ? texts(row) : null;
    check(`shown outputs of ${pass.ids}`, same(found, values && values.map(shownValue)),
      JSON.stringify(found));
  });
}
state.soft.steps.forEach((_, s) => {
  choose({kind : 'step', step : s});
  sumsHold('stream');
});
sumsHold('attention');
document.querySelectorAll('.chip').forEach(chip => {
  if (document.contains(chip))
    chip.click();
});
check('every part has a button', ['head', 'table', 'column'].every(kind => {
  const lists = {
    head : data.circuit.heads,
    table : data.circuit.tables,
    column : data.circuit.columns.filter(c => c.dim !== undefined)
  };
  const sources = [
    ...data.sources.flatMap(s => s.text.split('\n').map((_, k) => [s.name, k + 1])), [ null, null ]
  ];
  const seen = new Set(sources.flatMap(([ name, line ]) => partsOf(data, name, line))
                         .filter(p => p.pick.kind === kind)
                         .map(p => JSON.stringify(p.pick)));
  return seen.size === lists[kind].length;
}),
  'one has none');

// --- what is refused leaves what is shown
const before = part('outputs').textContent;
const most = Math.min(data.max_length, data.most_shown);
const strings = data.token_type === 'string';
for (const [text, message] of [
  ['', 'at least one token'],
  [strings ? '\u0001' : '[none]', 'is not in the alphabet'],
  ['[1,', strings ? 'is not in the alphabet' : 'expected a list'],
  [writeInput(data, Array(data.max_length + 1).fill(0)), `at most ${most} tokens`],
]) {
  type(text);
  check(`'${text}' is refused`, part('mistake').textContent.includes(message),
    part('mistake').textContent);
  check(`'${text}' changes nothing`, part('outputs').textContent === before, 'changed');
}

// --- arrow keys
const cell = document.querySelector('#stream td button');
cell.focus();
cell.dispatchEvent(new KeyboardEvent('keydown', {key : 'ArrowDown', bubbles : true}));
check('arrow keys move',
  document.activeElement !== cell && document.activeElement.closest('#stream') !== null,
  document.activeElement.outerHTML);

const verdict = document.createElement('pre');
verdict.textContent = [
  '@verdict', ...lines, `${passes} passed, ${fails} failed`, `worst ${worst.toExponential(1)}`,
  '@end'
].join('\n');
document.body.replaceChildren(verdict);
