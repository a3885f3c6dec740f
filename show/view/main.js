// The page's state, and what the reader does to it.

const data = JSON.parse(document.getElementById('data').textContent);
const model = data.weights ? unpackModel(data) : null;
const state = {
  ids: [],
  temperature: 1,
  layer: 0,
  head: 0,
  step: 0,
  picked: null,
  lit: [],
  hard: null,
  soft: null,
  sweep: []
};

const degrees = () => shownNumber(Number(state.temperature.toPrecision(3)));

function draw() {
  drawOutputs();
  if (model) {
    drawHeads();
    drawAttention();
    drawSteps();
    drawStream();
    drawReason();
  }
  lightSource();
  markPicked();
}

function markPicked() {
  const picked = JSON.stringify(state.picked);
  document.querySelectorAll('td button').forEach(button => {
    const here = button.dataset.pick === picked;
    button.parentNode.classList.toggle('picked', here);
    if (here) {
      button.closest('table')
        .querySelectorAll('button[tabindex="0"]')
        .forEach(b => { b.tabIndex = -1; });
      button.tabIndex = 0;
    }
  });
}

// Draws, and gives the focus back to what stands where it was.
function redraw() {
  const focused = document.activeElement, pick = focused && focused.dataset && focused.dataset.pick;
  const group = focused && focused.parentNode && focused.parentNode.id,
        text = focused && focused.textContent;
  draw();
  if (document.contains(focused) && focused !== document.body) return;
  const same = pick ? [...document.querySelectorAll('td button')].find(b => b.dataset.pick === pick)
                    : ['heads', 'steps'].includes(group) &&
      [...part(group).children].find(b => b.textContent === text);
  if (same) same.focus({preventScroll: true});
}

function compute() {
  if (!model) return;
  state.soft = forward(model, state.ids, {temperature: state.temperature});
}

// Runs an input: hard attention, the kernel, and for each temperature of the slider the outputs.
function run(ids) {
  state.ids = ids;
  if (model) {
    state.hard = forward(model, ids, {hard: true});
    const slider = part('temperature'), steps = Math.round((slider.max - slider.min) / 0.25);
    state.sweep =
      Array.from({length: steps + 1}, (_, k) => 2 ** (Number(slider.min) + k * 0.25))
        .map(temperature => {
          const trace = forward(model, ids, {temperature});
          return {
            temperature,
            values: data.outputs.slice(0, data.output_count).map((_, k) => answers(data, trace, k))
          };
        });
  }
  if (state.picked &&
    Math.max(state.picked.position || 0, state.picked.query || 0, state.picked.key || 0) >
      ids.length)
    state.picked = null;
  compute();
  redraw();
}

function submit(event) {
  if (event) event.preventDefault();
  const read = readInput(data, part('input').value);
  part('mistake').textContent = read.mistake || '';
  part('input').setAttribute('aria-invalid', String(Boolean(read.mistake)));
  if (!read.ids) return;
  if (model || givenInput(read.ids))
    run(read.ids);
  else
    part('mistake').textContent = 'this page has no weights to run other inputs with';
}

function heat() {
  state.temperature = 2 ** Number(part('temperature').value);
  part('degrees').textContent = degrees();
  part('temperature').setAttribute('aria-valuetext', degrees());
  compute();
  redraw();
  const wrong = [...document.querySelectorAll('#outputs td.wrong')].length;
  part('warning').textContent =
    wrong ? `≠ ${wrong} of the outputs below differ at this temperature` : '';
  part('warning').className = wrong ? 'differs' : '';
}

const columnsOf = list => list.map(c => data.circuit.columns[c].sop);

// What a press does, by what was pressed.
const choices = {
  head({layer, head}) {
    const known = circuitHead(data, layer, head);
    Object.assign(
      state, {layer, head, lit: known ? [known.selector, ...columnsOf(known.columns)] : []});
  },
  table(pick) {
    const t = data.circuit.tables[pick.table];
    showStep(data.circuit.columns[t.columns[0]].written);
    state.lit = columnsOf(t.columns);
    state.picked = pick;
  },
  column(pick) {
    showStep(data.circuit.columns[pick.column].written);
    state.lit = [data.circuit.columns[pick.column].sop];
  },
  step({step}) { state.step = step; },
  stream(pick) {
    state.step = pick.step;
    const what = carried(data, pick.dim, pick.step);
    state.lit = what && what.column !== undefined ? columnsOf([what.column]) : [];
    state.picked = pick;
  },
  weight(pick) { state.picked = pick; },
  output(pick) { state.picked = pick; },
};

function showStep(step) { state.step = Math.min(step, state.soft.steps.length - 1); }

function choose(pick) {
  if (!model) return;
  choices[pick.kind](pick);
  redraw();
  const narrow = matchMedia('(max-width: 900px)').matches;
  const target = {head: 'attention-panel', column: 'stream-panel'}[pick.kind];
  if (target && narrow) part(target).scrollIntoView({block: 'start'});
  if (pick.kind === 'column') {
    const row = document.querySelector('#stream tr.lit');
    if (row && !narrow) row.scrollIntoView({block: 'nearest'});
  }
}

function describe() {
  const name = shown(data.program || 'a weights file');
  part('title').textContent = `${name}: program and transformer`;
  const heads = data.layers.reduce((sum, layer) => sum + layer.heads.length, 0);
  part('facts').textContent = `Inputs: ${alphabetText(data)}; 1 to ${data.max_length} tokens. ` +
    `${data.layers.length} layer${data.layers.length === 1 ? '' : 's'}, ${heads} head${
      heads === 1 ? '' : 's'}, residual width ${data.width}.` +
    (data.where
        ? ` It is for inputs on which ${shown(data.where)} is true, which this page cannot ask.`
        : '');
  fill('presets',
    ...(data.inputs.length > 1 ? data.inputs : [])
      .map(({ids}) => make('button', {
        type: 'button',
        class: 'chip',
        press: () => {
          part('input').value = writeInput(data, ids);
          submit();
        }
      },
             shown(writeInput(data, ids)))));
}

function start() {
  describe();
  drawSource();
  part('controls').addEventListener('submit', submit);
  part('temperature').addEventListener('input', heat);
  part('cool').addEventListener('click', () => {
    part('temperature').value = 0;
    heat();
  });
  if (!model) {
    part('unweighted').textContent = data.left_out;
    ['unweighted', 'temperature', 'attention-panel', 'stream-panel', 'reason-panel'].forEach(
      id => { part(id).hidden = id !== 'unweighted'; });
  }
  const first = model && model.layers.findIndex(layer => layer.heads.length);
  if (first > 0) state.layer = first;
  part('input').value = writeInput(data, data.inputs[0].ids);
  submit();
}

start();
