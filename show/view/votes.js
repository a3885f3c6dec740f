// Where a number comes from: every function gives the terms of a sum, which is the number.

// The terms of h[position][dim] after a step: {what, amount, key, of: {head, node}}.  `key` is the
// row that a head brought it from, or -1.
function streamTerms(model, trace, step, position, dim) {
  const terms = [], add = (what, amount, rest) => {
    if (Math.abs(amount) > 1e-12) terms.push(Object.assign({what, amount}, rest));
  };
  const entry = (tensor, row) => (tensor.list[row].find(([d]) => d === dim) || [0, 0])[1];
  const token = position ? trace.ids[position - 1] + 1 : 0;
  add('token', entry(model.tokens, token), {});
  add('position', entry(model.positions, position), {});
  trace.steps.slice(1, step + 1).forEach(({layer, sublayer}) => {
    if (sublayer < 0)
      model.layers[layer].heads.forEach(
        (head, h) => headTerms(head, trace.heads[layer][h], position,
          dim).forEach(({amount, ...rest}) => add('head', amount, {layer, head: h, ...rest})));
    else
      unitTerms(
        model.layers[layer].sublayers[sublayer], trace.hidden[layer][sublayer][position], dim)
        .forEach(({amount, ...rest}) => add('unit', amount, {layer, sublayer, ...rest}));
  });
  return terms;
}

// Of a head's result: for each key weight * (value output)[dim].
function headTerms(head, run, position, dim) {
  const column = head.output.list.map(row => (row.find(([d]) => d === dim) || [0, 0])[1]);
  return run.weights[position].map((weight, key) => {
    const moved = run.value[key].reduce((sum, v, c) => sum + v * column[c], 0);
    return {key, weight, moved, amount: weight * moved};
  });
}

// Of a sublayer's result: for each hidden unit activation * weight; unit -1 is the bias.
function unitTerms(sublayer, hidden, dim) {
  const entry = row => (row.find(([d]) => d === dim) || [0, 0])[1];
  const units = sublayer.out.list.map(
    (row, unit) => ({unit, active: hidden[unit], amount: hidden[unit] * entry(row)}));
  return [...units, {unit: -1, active: 1, amount: entry(sublayer.out_bias.list[0])}];
}

// The terms of a score: for each pair of dimensions, query's a and key's b,
// h[q][a] (Wq Wk')[a][b] h[k][b] scale, and a = b = -1 for what position adds; those that are not
// zero, the greatest first.
function scoreTerms(head, run, h, query, key) {
  const byRank = side => {
    const list = Array.from({length: head.query.cols}, () => []);
    side.list.forEach((row, d) => row.forEach(([rank, weight]) => list[rank].push([d, weight])));
    return list;
  };
  const keys = byRank(head.key), sums = new Map();
  byRank(head.query).forEach((row, rank) => row.forEach(([a,
    wa]) => keys[rank].forEach(([b, wb]) => {
    const place = a * head.query.rows + b;
    sums.set(place, (sums.get(place) || 0) + wa * wb);
  })));
  const placed = {a: -1, b: -1, amount: biasAt(head, query, key)};
  return [...sums]
    .map(([place, coefficient]) => {
      const a = Math.floor(place / head.query.rows), b = place % head.query.rows;
      const amount = h[query][a] * coefficient * h[key][b] * run.scale;
      return {a, b, amount};
    })
    .concat([placed])
    .filter(term => Math.abs(term.amount) > 1e-12)
    .sort((x, y) => Math.abs(y.amount) - Math.abs(x.amount));
}
