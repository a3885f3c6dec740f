// What the parts of the model are called, from the compiler's circuit; without one, by number.

// People count layers, heads and sublayers from one; the data, and units, from zero.
const headName = (layer, head) => `head ${layer + 1}.${head + 1}`;
const dimName = dim => `dimension ${dim}`;

// The data has whole texts; of long ones, and of long tables in them, the beginning is shown.
const shownTable = 40, shownText = 200;

function elided(text) {
  const tables = /((?<=^|[ ([])\[|\{)((?:"(?:[^"\\]|\\.)*"|[^"[\]{}])*)([\]}])/g;
  const short = text.replace(tables, (table, open, atoms, close) => {
    const end = atoms.length > shownTable + 3 ? atoms.lastIndexOf(', ', shownTable) : -1;
    return end > 0 ? `${open}${atoms.slice(0, end)}, …${close}` : table;
  });
  return short.length > shownText ? `${short.slice(0, shownText)}…` : short;
}

function sopText(sop) {
  const text = elided(sop.text);
  return shown(sop.name && sop.name !== sop.text ? `${sop.name} = ${text}` : text);
}

// {"a": 0, "b": 1}[tokens], which the compiler makes, in short: tokens is "b".
function lookupText(text) {
  const found = /^\{([^{}]*)\}\[(.+)\]$/.exec(text);
  if (!found) return text;
  const ones = [...found[1].matchAll(/("(?:[^"\\]|\\.)*"|[^\s,:]+): (-?[\d.]+)/g)];
  const hot = ones.filter(([, , value]) => value === '1');
  const only = ones.length > 2 && hot.length === 1 &&
    ones.every(([, , value]) => value === '1' || value === '0');
  return only ? `${found[2]} is ${hot[0][1]}` : `{…}[${found[2]}]`;
}

const sopShort = sop => shown(sop.name || elided(lookupText(sop.text)));

function stepName(step) {
  if (step.sublayer === -2) return 'embedding';
  return step.sublayer < 0 ? `layer ${step.layer + 1}: heads`
                           : `layer ${step.layer + 1}: units ${step.sublayer + 1}`;
}

function circuitHead(data, layer, head) {
  return data.circuit.heads.find(h => h.layer === layer && h.head === head);
}

// Hidden units of a table, as unit numbers have them: layer.sublayer.unit.
function unitsName(t) {
  const last = t.units > 1 ? `–${t.first + t.units - 1}` : '';
  return `unit${last ? 's' : ''} ${t.layer + 1}.${t.sublayer + 1}.${t.first}${last}`;
}

// The table or clear that a hidden unit belongs to.
function unitOwner(data, layer, sublayer, unit) {
  const here = part => part.layer === layer && part.sublayer === sublayer;
  const table =
    data.circuit.tables.find(t => here(t) && unit >= t.first && unit < t.first + t.units);
  return table ? {table} : {clear: data.circuit.clears.find(c => here(c) && c.unit === unit)};
}

const unitName = (layer, sublayer, unit) =>
  unit < 0 ? `bias ${layer + 1}.${sublayer + 1}` : `unit ${layer + 1}.${sublayer + 1}.${unit}`;

// What a unit is for, in words; '' where that is not known.
function unitPurpose(data, {layer, sublayer, unit}) {
  const {table, clear} = unitOwner(data, layer, sublayer, unit), {sops, columns} = data.circuit;
  if (table) return `${unitsName(table)}: the table that reads ${sopShort(sops[table.reads])}`;
  return clear
    ? `${unitName(layer, sublayer, unit)} clears ${sopShort(sops[columns[clear.column].sop])}`
    : '';
}

// What a dimension carries after a step: {label, title, column, sop, output}, or null if nothing.
function carried(data, dim, step) {
  if (dim === data.circuit.one) return {label: 'one', title: '1 at each position, 0 in the sink'};
  if (dim === data.circuit.sink) return {label: 'sink', title: '1 in the sink, 0 elsewhere'};
  const column = data.circuit.columns.findIndex(
    c => c.dim === dim && c.written <= step && (c.cleared === undefined || step < c.cleared));
  if (column >= 0) {
    const sop = data.circuit.sops[data.circuit.columns[column].sop];
    return {label: sopShort(sop), title: sopText(sop), column, sop};
  }
  for (const [k, output] of data.outputs.entries()) {
    const value = dim - output.start, count = output.decode === 'argmax' ? output.values.length : 1;
    if (value < 0 || value >= count) continue;
    const name = shown(output.name);
    return output.decode === 'argmax'
      ? {
          label: `${name} is ${shownValue(output.values[value])}?`,
          title: 'the greatest wins',
          output: k
        }
      : {label: `output ${name}`, title: 'the number that the output reads', output: k};
  }
  return data.circuit.columns.length ? null : {label: dimName(dim), title: 'not recorded'};
}

// The parts of the model that a line of the source made, as {text, title, pick}; `line` null: those
// that no line of these sources did.
function partsOf(data, source, line) {
  const {sops, columns, heads, tables} = data.circuit, parts = [];
  const known = index => sops[index].span && data.sources.some(s => s.name === sops[index].span[0]);
  const here = (...list) => line === null
    ? !list.some(known)
    : list.some(i => known(i) && sops[i].span[0] === source && sops[i].span[1] === line);
  heads.forEach(h => {
    if (here(h.selector, ...h.columns.map(c => columns[c].sop)))
      parts.push({
        text: headName(h.layer, h.head),
        title: sopText(sops[h.selector]),
        pick: {kind: 'head', layer: h.layer, head: h.head}
      });
  });
  tables.forEach((t, index) => {
    const gives = t.columns.map(c => columns[c].sop);
    if (here(...gives))
      parts.push({
        text: unitsName(t),
        title: `${sopText(sops[t.reads])} → ${gives.map(g => sopShort(sops[g])).join(', ')}`,
        pick: {kind: 'table', table: index}
      });
  });
  columns.forEach((c, index) => {
    if (c.dim !== undefined && here(c.sop))
      parts.push({
        text: `column ${c.dim}`,
        title: sopText(sops[c.sop]),
        pick: {kind: 'column', column: index}
      });
  });
  return parts;
}
