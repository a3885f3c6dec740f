'use strict';
// The forward pass of docs/weights.md, over the weights that the page carries, in double.
// n is the input's length; row 0 is the sink; a matrix is a list of rows.

// A tensor is kept as its entries that are not zero: [column, weight] by row.  `gaps` are the
// distances of their places in row-major order.
function unpackTensor(packed, single) {
  const [rows, cols] = packed.shape, list = Array.from({length: rows}, () => []);
  let place = -1;
  packed.gaps.forEach((gap, k) => {
    place += gap;
    const weight = packed.values[k];
    list[Math.floor(place / cols)].push([place % cols, single ? Math.fround(weight) : weight]);
  });
  return {rows, cols, list};
}

function unpackModel(data) {
  const tensor = name => unpackTensor(data.weights[name], data.single);
  const matrices = (prefix, names) =>
    Object.fromEntries(names.map(name => [name, tensor(prefix + name)]));
  return {
    width: data.width,
    kernel: kernels[data.kernel],
    tokens: tensor('embed.tokens'),
    positions: tensor('embed.positions'),
    layers: data.layers.map((layer, l) => ({
      heads: layer.heads.map(
        (head, h) => Object.assign(
          matrices(`layers.${l}.heads.${h}.`, ['query', 'key', 'value', 'output']), head)),
      sublayers: Array.from({length: layer.sublayers},
        (_, m) => matrices(`layers.${l}.mlps.${m}.`, ['in', 'in_bias', 'out', 'out_bias'])),
    })),
  };
}

const zeros = (rows, cols) => Array.from({length: rows}, () => new Float64Array(cols));

function addRow(into, entries, factor) {
  for (const [column, weight] of entries)
    into[column] += factor * weight;
}

// x (n+1, rows) @ tensor (rows, cols)
function multiply(x, tensor) {
  return x.map(row => {
    const out = new Float64Array(tensor.cols);
    row.forEach((factor, k) => {
      if (factor) addRow(out, tensor.list[k], factor);
    });
    return out;
  });
}

const sees = {
  none: () => true,
  causal: (q, k) => k <= q,
  strict_causal: (q, k) => k < q,
  anticausal: (q, k) => k >= q,
  strict_anticausal: (q, k) => k > q,
};

function visible(head, q, k) {
  if (q === 0) return k === 0;
  return k === 0 ? head.sink : sees[head.mask](q, k);
}

// What position adds to a score; distance: the query's index minus the key's.
const biases = {
  alibi: ([slope], distance) => -slope * Math.abs(distance),
  window: ([width], distance) => Math.abs(distance) < width ? 0 : -Infinity,
  t5: (values, distance) => {
    const t = Math.max(distance, 0);
    const shared = 16 + Math.floor(16 * Math.log(t / 16) / Math.log(8));
    return values[t < 16 ? t : Math.min(shared, 31)];
  },
  prior: (values, distance, from = 0) =>
    values[Math.min(Math.max(distance - from, 0), values.length - 1)] ?? -Infinity,
};

function biasAt({bias}, q, k) {
  return bias && q && k ? biases[bias.form](bias.values, q - k, bias.from) : 0;
}

// α-entmax, α = 1 + 1/power: (z - t)₊^power with z = score/power and the t at which the sum is 1.
// Newton's method climbs to it from -1, where the greatest score alone has all.
function entmax(scores, power) {
  let t = -1, shares;
  for (let step = 0; step < 80; step++) {
    const over = scores.map(s => Math.max(s / power - t, 0));
    shares = over.map(x => x ** power);
    const sum = shares.reduce((a, b) => a + b, 0);
    const slope = over.reduce((a, x) => x > 0 ? a + power * x ** (power - 1) : a, 0);
    const next = t + (sum - 1) / slope;
    if (!(next > t)) break;
    t = next;
  }
  return shares;
}

// The file's kernel: shares of a row whose greatest score is 0.
const kernels = {
  softmax: scores => scores.map(Math.exp),
  sparsemax: scores => entmax(scores, 1),
  entmax15: scores => entmax(scores, 2),
};

// Scores of a row to weights: by the kernel, or without one by the rule "average": equal weight
// for each key whose score is within gap/4 of the greatest.
function weigh(scores, kernel, window) {
  const most = Math.max(...scores), less = scores.map(s => s - most);
  const parts = kernel ? kernel(less) : less.map(s => Number(s >= -window));
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map(part => part / sum);
}

function runHead(head, h, kernel, options) {
  const q = multiply(h, head.query), k = multiply(h, head.key), value = multiply(h, head.value);
  const scale = head.scale === 'log_length' ? Math.log(h.length) : 1;
  const temperature = options.hard ? 1 : options.temperature;
  const dot = (a, b) => a.reduce((sum, x, d) => sum + x * b[d], 0);
  const scores =
    q.map((row, i) => k.map(
            (key, j) => visible(head, i, j) ?
              scale * dot(row, key) / temperature + biasAt(head, i, j) :
              -Infinity));
  const weights = scores.map(row => weigh(row, !options.hard && kernel, head.gap / 4 * scale));
  const mixed = weights.map(row => {
    const out = new Float64Array(head.value.cols);
    row.forEach((a, j) => value[j].forEach((v, c) => { out[c] += a * v; }));
    return out;
  });
  return {scores, weights, value, scale: scale / temperature, result: multiply(mixed, head.output)};
}

// h += relu(h in + in_bias) out + out_bias; gives what is behind the ReLU.
function runSublayer(sublayer, h) {
  const hidden = multiply(h, sublayer.in);
  hidden.forEach((row, i) => {
    addRow(row, sublayer.in_bias.list[0], 1);
    row.forEach((x, u) => { row[u] = x > 0 ? x : 0; });
    row.forEach((x, u) => {
      if (x) addRow(h[i], sublayer.out.list[u], x);
    });
    addRow(h[i], sublayer.out_bias.list[0], 1);
  });
  return hidden;
}

// The whole pass on tokens given by their numbers.  options: temperature, or hard: true.
// Gives steps (the residual stream `h` after each), heads[layer][head], hidden[layer][sublayer].
function forward(model, ids, options) {
  const h = zeros(ids.length + 1, model.width);
  const trace = {ids, steps: [], heads: [], hidden: []};
  const keep = (layer, sublayer) =>
    trace.steps.push({layer, sublayer, h: h.map(row => row.slice())});
  h.forEach((row, i) => {
    addRow(row, model.tokens.list[i ? ids[i - 1] + 1 : 0], 1);
    addRow(row, model.positions.list[i], 1);
  });
  keep(0, -2);
  model.layers.forEach((layer, l) => {
    trace.heads.push(layer.heads.map(head => runHead(head, h, model.kernel, options)));
    for (const {result} of trace.heads[l])
      result.forEach((row, i) => row.forEach((x, d) => { h[i][d] += x; }));
    keep(l, -1);
    trace.hidden.push(layer.sublayers.map((sublayer, m) => {
      const hidden = runSublayer(sublayer, h);
      keep(l, m);
      return hidden;
    }));
  });
  return trace;
}

// What an output reads from a row of the stream: which of its values; -1 where it has no list.
function decode(output, row) {
  if (output.decode === 'number' || output.decode === 'whole') return -1;
  let best = 0;
  for (let k = 1; k < output.values.length; k++) {
    if (output.decode === 'argmax') {
      if (row[output.start + k] > row[output.start + best]) best = k;
      continue;
    }
    const x = row[output.start], place = output.places[k], at = output.places[best];
    const nearer = Math.abs(x - place) - Math.abs(x - at);
    if (nearer < 0 || (nearer === 0 && place < at)) best = k;
  }
  return best;
}

// The same as a value.
function decoded(output, row) {
  const x = row[output.start], chosen = decode(output, row);
  if (chosen >= 0) return output.values[chosen];
  if (output.decode === 'number') return x;
  const [least, greatest] = output.values, below = Math.floor(x), above = Math.ceil(x);
  return Math.min(Math.max(x - below > above - x ? above : below, least), greatest);
}

// Of a row of weights, in nats.
function entropy(weights) {
  return weights.reduce((sum, a) => a > 0 ? sum - a * Math.log(a) : sum, 0);
}
