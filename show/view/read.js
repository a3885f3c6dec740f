// Inputs that the reader types, and texts that are shown.

// Text with what is not seen, or reorders what stands around it, made visible.
function shown(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

function shownToken(text) { return text === '' ? '""' : shown(text).replace(/ /g, '␣'); }

// A number for people: at most four decimals, none where it is whole; what is left of rounding is
// 0.
function shownNumber(x) {
  if (Math.abs(x) < 1e-12) return '0';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : x < 0 ? '−∞' : '?';
  const rounded = Math.abs(x) >= 1e6 || (x && Math.abs(x) < 1e-4) ? x.toExponential(1)
                                                                  : String(Number(x.toFixed(4)));
  return rounded.replace(/-/g, '−');
}

// A value of a program: numbers in as many digits as tell them apart.
function shownValue(value) {
  if (typeof value !== 'number') return shownToken(value);
  const number = Number.isInteger(value) ? value : Number(value.toPrecision(8));
  return String(number).replace('-', '−');
}

function shownWeight(a) {
  return a < 0.005 ? (a < 1e-6 ? '0' : '<.01')
    : a > 0.995    ? (a > 1 - 1e-6 ? '1' : '>.99')
                   : a.toFixed(2).slice(1);
}

const MISTAKES = {
  empty: () => 'an input has at least one token, found none',
  long: (count, most) => `an input has at most ${most} tokens, found ${count}`,
  token: (token, alphabet) => `'${shown(token)}' is not in the alphabet: ${alphabet}`,
  first: (found, first) => `inputs start with '${shown(first)}', found '${shown(found)}'`,
  list: () =>
    'expected a list such as ["a", "b"] or [1, 2], found no end, or no comma between tokens',
};

// What a list's text says, each entry a string or a word as it stands; null: it is no list.
function readList(text) {
  const entries = [];
  const entry = /\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,\[\]"']+)\s*(,|\]\s*$)/y;
  entry.lastIndex = text.indexOf('[') + 1;
  for (let found; (found = entry.exec(text));) {
    const word = found[1], quoted = /^["']/.test(word);
    entries.push({quoted, text: quoted ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word});
    if (found[2] !== ',') return entries;
  }
  return null;
}

// As on the command line: a text with the form of a list is that list, any other a string, a token
// a character.  {ids} or {mistake}.
function readInput(data, text) {
  const strings = data.token_type === 'string', trimmed = text.trim();
  const asList = trimmed.startsWith('[') && (!strings || trimmed.endsWith(']'));
  const entries =
    asList && trimmed !== '[]' ? readList(trimmed) : [...text].map(c => ({quoted: true, text: c}));
  if (!entries || (!strings && !asList && trimmed)) return {mistake: MISTAKES.list()};
  if (!entries.length) return {mistake: MISTAKES.empty()};
  const most = Math.min(data.max_length, data.most_shown);
  if (entries.length > most) return {mistake: MISTAKES.long(entries.length, most)};
  const ids = [];
  for (const token of entries) {
    const word =
      token.quoted ? token.text : token.text.replace(/^(T)rue$|^(F)alse$/, x => x.toLowerCase());
    const id = token.quoted === strings ? data.alphabet.indexOf(word) : -1;
    if (id < 0) return {mistake: MISTAKES.token(token.text, alphabetText(data))};
    ids.push(id);
  }
  if (data.first >= 0 && ids[0] !== data.first)
    return {mistake: MISTAKES.first(data.alphabet[ids[0]], data.alphabet[data.first])};
  return {ids};
}

function alphabetText(data) {
  const most = 40, tokens = data.alphabet.slice(0, most).map(shownToken);
  return tokens.join(' ') +
    (data.alphabet.length > most ? ` … (${data.alphabet.length} tokens)` : '');
}

// How the input of these tokens is written.
function writeInput(data, ids) {
  const tokens = ids.map(id => data.alphabet[id]);
  const plain = data.token_type === 'string' && tokens.every(t => [...t].length === 1);
  if (plain && !(tokens[0] === '[' && tokens[tokens.length - 1] === ']')) return tokens.join('');
  const quote = t => `"${t.replace(/["\\]/g, '\\$&')}"`;
  return `[${tokens.map(t => data.token_type === 'string' ? quote(t) : t).join(', ')}]`;
}

// The values of an output, a text a position; null: it has no answer on this input.
function answers(data, trace, k) {
  const output = data.outputs[k], last = trace.steps[trace.steps.length - 1].h;
  if (output.flag >= 0) {
    const flag = data.outputs[output.flag];
    if (last.slice(1).some(row => decoded(flag, row) === 'True')) return null;
  }
  return last.slice(1).map(row => shownValue(decoded(output, row)));
}

// The s-op's value that a number of one of its columns stands for.
function sopValue(type, x) {
  if (type === 'bools') return x > 0.5 ? 'True' : 'False';
  return type === 'ints' ? String(Math.round(x)).replace('-', '−') : shownNumber(x);
}
